"""What time brings: a snooze is over (rule R7), or nobody wrote for long (R8, where asked for).

Both happen as conversation events, so that applying the same events elsewhere leaves the same.
"""

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.store.database import Connection, Row
from frontdesk.store.queries import due_snoozes, silent_conversations

BATCH = 500


def wake(connection: Connection, account_id: int, now: int) -> int:
    """Open every conversation of an account whose snooze is over; returns how many were.

    They open at the moment they were snoozed until. Needs a write transaction.
    """
    opened = 0
    while due := due_snoozes(connection, account_id, now, BATCH):
        events = [_event(row, "snooze", "opened", row["snoozed_until"]) for row in due]
        new = apply_events(connection, account_id, events, now=now).happenings.new
        if not new:
            break
        opened += new
    return opened


def auto_resolve(
    connection: Connection,
    account_id: int,
    *,
    now: int,
    after: int,
    only_if_nobody_waits: bool = False,
) -> int:
    """Resolve open conversations without any activity for `after` milliseconds; returns how many.

    At most BATCH, so call it until it returns none. They are resolved now. With
    `only_if_nobody_waits` those stay open in which a customer waits for an answer. Back-fill that
    nobody took up since is left alone (R11). Needs a write transaction.
    """
    silent = silent_conversations(
        connection, account_id, now - after, BATCH, waiting=not only_if_nobody_waits
    )
    events = [
        _event(row, f"silence since {row['last_activity_at']}", "resolved", now) for row in silent
    ]
    return apply_events(connection, account_id, events, now=now).happenings.new if events else 0


def _event(row: Row, why: str, name: str, at: int) -> ConversationEvent:
    who = row["wa_user_id"] or row["phone"] or row["wa_id"]
    return ConversationEvent(
        channel=row["phone_number_id"],
        person=Person(row["phone"], row["wa_id"], row["wa_user_id"]),
        external_id=f"{why}:{row['phone_number_id']}:{who}:{at}",
        at=at,
        name=name,
    )
