"""Snoozes that are over: the conversation opens at the moment it was snoozed until (rule R7)."""

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.store.database import Connection
from frontdesk.store.queries import due_snoozes

BATCH = 500


def wake(connection: Connection, account_id: int, now: int) -> None:
    """Open every conversation of an account whose snooze is over, in one write transaction."""
    while due := due_snoozes(connection, account_id, now, BATCH):
        events = [
            ConversationEvent(
                channel=row["phone_number_id"],
                person=Person(row["phone"], row["wa_id"], row["wa_user_id"]),
                external_id=f"snooze:{row['id']}:{row['snoozed_until']}",
                at=row["snoozed_until"],
                name="opened",
            )
            for row in due
        ]
        if not apply_events(connection, account_id, events, now=now).happenings.new:
            return
