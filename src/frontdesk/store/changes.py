"""Changes of conversations, in the order in which their transactions were committed.

Of each conversation the newest change is stored, with the account's revision that it came with: a
reader who knows the inbox as of one revision reads again what changed after it.
"""

import secrets
from collections.abc import Collection
from typing import NamedTuple

from frontdesk.store.database import Connection, Row

# In place of a conversation's id: names, and whatever else belongs to no one conversation.
NAMES = 0
# Above every id of a conversation.
_LAST = 1 << 62


class ChangePosition(NamedTuple):
    """Position after the change of a conversation in a revision; without one, after all of them."""

    revision: int
    conversation_id: int = _LAST

    @property
    def is_whole(self) -> bool:
        """True after all changes of the revision."""
        return self.conversation_id == _LAST


def changes(
    connection: Connection, account_id: int, after: ChangePosition, count: int
) -> list[Row]:
    """Return (revision, conversation_id) of up to `count` changes, the oldest first."""
    return connection.rows(
        """
        SELECT revision, conversation_id FROM change
        WHERE account_id = :account AND (revision, conversation_id) > (:revision, :id)
        ORDER BY revision, conversation_id LIMIT :count
        """,
        {
            "account": account_id,
            "revision": after.revision,
            "id": after.conversation_id,
            "count": count,
        },
    )


def revisions(connection: Connection, account_ids: Collection[int]) -> dict[int, int]:
    """Return the revisions of accounts."""
    parameters = {f"id{place}": id for place, id in enumerate(account_ids)}
    names = ", ".join(f":{name}" for name in parameters) or "NULL"
    rows = connection.rows(f"SELECT id, revision FROM account WHERE id IN ({names})", parameters)
    return {row["id"]: row["revision"] for row in rows}


def renew_mark(connection: Connection) -> None:
    """Give the database another mark: no earlier position or ETag is one of it any more."""
    connection.run(
        """
        INSERT INTO meta(name, value) VALUES ('mark', :mark)
        ON CONFLICT(name) DO UPDATE SET value = excluded.value
        """,
        {"mark": secrets.token_hex(4)},
    )


def mark(connection: Connection) -> str:
    """Return the mark of the database: 8 hexadecimal digits, drawn when it was made."""
    row = connection.row("SELECT value FROM meta WHERE name = 'mark'")
    if row is None:
        raise LookupError("the database has no mark")
    return str(row["value"])
