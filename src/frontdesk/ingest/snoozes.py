"""Reopens conversations whose snooze has expired, as of the end of the snooze."""

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.store.database import Connection, Row
from frontdesk.store.queries import due_snoozes

BATCH = 500


def wake(connection: Connection, account_id: int, now: int) -> int:
    """Reopen all conversations with an expired snooze; return the number.

    The event has the time at which the snooze ended. Needs a write transaction.
    """
    opened = 0
    while due := due_snoozes(connection, account_id, now, BATCH):
        events = [
            ConversationEvent(
                channel=row["phone_number_id"],
                person=Person(row["phone"], row["wa_id"], row["wa_user_id"]),
                external_id=_name(row),
                at=row["snoozed_until"],
                name="opened",
            )
            for row in due
        ]
        new = apply_events(connection, account_id, events, now=now).happenings.new
        if not new:
            break
        opened += new
    return opened


def _name(row: Row) -> str:
    """Return a deterministic event id, equal in every store."""
    who = row["wa_user_id"] or row["phone"] or row["wa_id"]
    return f"snooze:{row['phone_number_id']}:{who}:{row['snoozed_until']}"
