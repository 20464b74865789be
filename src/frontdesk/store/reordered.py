"""Conversations whose messages of one time have another order since an upgrade.

An upgrade marks all of them, and says how many are done in `meta`: what the state rules make of
them is computed again afterwards, in transactions of their own (ingest/reordered.py).
"""

import json
from typing import NamedTuple

from frontdesk.store.database import Connection

_NAME = "reordered"
# Conversations of one transaction.
_AT_ONCE = 500


class Reordered(NamedTuple):
    """Conversations of an account, of which those up to `last_id` are done with these."""

    account_id: int
    last_id: int
    conversation_ids: tuple[int, ...]


def mark(connection: Connection) -> None:
    """Mark the conversations of all accounts."""
    _save(connection, (0, 0))


def pending(connection: Connection) -> bool:
    return _place(connection) is not None


def following(connection: Connection) -> Reordered | None:
    """Return the next conversations with messages of one time; None after the last one."""
    place = _place(connection)
    if place is None:
        return None
    limits = {"account": place[0], "after": place[1], "count": _AT_ONCE}
    ids = connection.rows(
        """
        SELECT id FROM conversation WHERE account_id = :account AND id > :after
        ORDER BY id LIMIT :count
        """,
        limits,
    )
    if not ids:
        account = connection.row(
            "SELECT id FROM account WHERE id > :account ORDER BY id LIMIT 1", limits
        )
        return None if account is None else Reordered(account["id"], 0, ())
    first, last = ids[0]["id"], ids[-1]["id"]
    rows = connection.rows(
        """
        SELECT DISTINCT conversation_id FROM (
          SELECT conversation_id FROM message
          WHERE account_id = :account AND conversation_id BETWEEN :first AND :last
          GROUP BY conversation_id, created_at HAVING COUNT(*) > 1) AS ties
        ORDER BY conversation_id
        """,
        {"account": place[0], "first": first, "last": last},
    )
    return Reordered(place[0], last, tuple(row["conversation_id"] for row in rows))


def settle(connection: Connection, done: Reordered | None) -> None:
    """Say that these are done; None for all."""
    if done is None:
        connection.run("DELETE FROM meta WHERE name = :name", {"name": _NAME})
    else:
        _save(connection, (done.account_id, done.last_id))


def _place(connection: Connection) -> tuple[int, int] | None:
    row = connection.row("SELECT value FROM meta WHERE name = :name", {"name": _NAME})
    if row is None:
        return None
    account_id, conversation_id = json.loads(row["value"])
    return account_id, conversation_id


def _save(connection: Connection, place: tuple[int, int]) -> None:
    connection.run(
        "INSERT INTO meta(name, value) VALUES (:name, :value)"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value",
        {"name": _NAME, "value": json.dumps(place)},
    )
