"""Removes the contents of messages after the time for which an account keeps them.

The rows stay, and with them all that counters, reports and state rules depend on. `expired_until`
of an account: all its messages before that time are done.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from frontdesk.store import media, message_search, writes
from frontdesk.store.conversations import one_of, preview_json, previewed_id
from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.lookups import has_message_index
from frontdesk.store.rows import MESSAGE_ORDER

LONGEST_KEPT_DAYS = 36_500

# Calls have no contents but how they ended, which the state rules need.
_EXPIRES = """
    m.account_id = :account AND m.created_at < :before AND m.deleted_at IS NULL
    AND m.type <> 'call' AND m.created_at >= COALESCE((
      SELECT expired_until FROM account WHERE id = :account), 0)
"""


def keeping_accounts(connection: Connection) -> list[Row]:
    """Return (id, messages_keep_days) of the accounts that do not keep messages for ever."""
    return connection.rows(
        "SELECT id, messages_keep_days FROM account WHERE messages_keep_days IS NOT NULL"
        " ORDER BY id"
    )


def keep_messages(connection: Connection, account_id: int, days: int | None) -> None:
    """Set for how many days an account keeps the contents of messages; None for ever."""
    connection.run(
        "UPDATE account SET messages_keep_days = :days WHERE id = :account",
        {"account": account_id, "days": days},
    )


def any_expired(connection: Connection, account_id: int, before: int) -> bool:
    """Check for messages or notes before `before` that `expire` would empty."""
    place = {"account": account_id, "before": before}
    message = f"SELECT 1 AS one FROM message AS m WHERE {_EXPIRES} LIMIT 1"
    note = "SELECT 1 AS one FROM note WHERE account_id = :account AND created_at < :before LIMIT 1"
    return any(first_number(connection, sql, place) for sql in (message, note))


def expire(connection: Connection, account_id: int, before: int, now: int, count: int) -> bool:
    """Empty up to `count` messages before `before`, the oldest first; True if more may be left.

    With the last ones, notes of that time are deleted. Needs a write transaction.
    """
    writes.lock_account(connection, account_id)
    place: dict[str, object] = {"account": account_id, "before": before}
    rows = connection.rows(
        f"""
        SELECT conversation_id, id, created_at, direction, author, type, delivery_status
        FROM message AS m WHERE {_EXPIRES} ORDER BY m.created_at LIMIT :count
        """,
        {**place, "count": count},
    )
    changed = {row["conversation_id"] for row in rows}
    if len(rows) < count:
        old = "FROM note WHERE account_id = :account AND created_at < :before"
        notes = connection.rows(f"SELECT DISTINCT conversation_id {old}", place)
        changed |= {row["conversation_id"] for row in notes}
        connection.run(f"DELETE {old}", place)
    _empty(connection, account_id, rows, now)
    done = rows[-1]["created_at"] if len(rows) == count else before
    connection.run(
        "UPDATE account SET expired_until = :done WHERE id = :account",
        {"account": account_id, "done": done},
    )
    if changed:
        writes.bump_revision(connection, account_id, changed)
    return len(rows) == count


# Of the ad that a customer came from its id stays, which reports count.
_AD_ONLY: Mapping[Dialect, str] = MappingProxyType(
    {
        "sqlite": """CASE WHEN referral_json IS NOT NULL THEN json_object(
            'source_id', json_extract(referral_json, '$.source_id')) END""",
        "postgresql": """CASE WHEN referral_json IS NOT NULL THEN CAST(json_build_object(
            'source_id', CAST(referral_json AS json) -> 'source_id') AS TEXT) END""",
    }
)


def _empty(connection: Connection, account_id: int, rows: Sequence[Row], now: int) -> None:
    if has_message_index(connection):
        message_search.remove(connection, account_id, rows)
    media.remove(connection, account_id, (row["id"] for row in rows))
    connection.run_many(
        f"""
        UPDATE message SET text = NULL, content_json = NULL, media_json = NULL, raw_json = NULL,
          referral_json = {_AD_ONLY[connection.dialect]}, deleted_at = :now, expired_at = :now
        WHERE account_id = :account AND conversation_id = :conversation_id
          AND created_at = :created_at AND direction = :direction AND id = :id
        """,
        [
            {
                "account": account_id,
                "now": now,
                **{name: row[name] for name in ("conversation_id", *MESSAGE_ORDER)},
            }
            for row in rows
        ],
    )
    _empty_previews(connection, account_id, rows, now)


def _empty_previews(connection: Connection, account_id: int, rows: Sequence[Row], now: int) -> None:
    """Empty the previews of conversations whose last message is one of `rows`."""
    expired = {row["id"]: row for row in rows}
    if not expired:
        return
    places, ids = one_of("id", sorted({row["conversation_id"] for row in rows}))
    stored = connection.rows(
        f"SELECT id, last_message_json FROM conversation"
        f" WHERE account_id = :account AND id IN ({places})",
        {"account": account_id, **ids},
    )
    previews = ((row["id"], expired.get(previewed_id(row["last_message_json"]))) for row in stored)
    connection.run_many(
        "UPDATE conversation SET last_message_json = :preview, updated_at = :now"
        " WHERE account_id = :account AND id = :id",
        [
            {
                "account": account_id,
                "id": conversation_id,
                "now": now,
                "preview": preview_json({**last, "text": None, "deleted_at": now}),
            }
            for conversation_id, last in previews
            if last is not None
        ],
    )
