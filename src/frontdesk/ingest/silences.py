"""Conversations that fell silent are resolved, where an operator wants that (rule R8)."""

from dataclasses import dataclass

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.store.database import Connection, Database
from frontdesk.store.silences import silent_since

BATCH = 200


@dataclass(frozen=True, slots=True)
class Silence:
    """How long nothing has to be said, in milliseconds. but_waiting: not where a customer waits."""

    milliseconds: int
    but_waiting: bool = False


def resolve_silent(database: Database, account_id: int, now: int, silence: Silence) -> int:
    """Resolve what is silent by now, some at a time; returns how many conversations.

    It is recorded as an event of this moment, so that reading it again gives the same.
    """
    before = now - silence.milliseconds

    def due(connection: Connection) -> bool:
        but_waiting = silence.but_waiting
        return bool(silent_since(connection, account_id, before, 1, but_waiting=but_waiting))

    def resolve(connection: Connection) -> int:
        rows = silent_since(connection, account_id, before, BATCH, but_waiting=silence.but_waiting)
        events = [
            ConversationEvent(
                channel=row["phone_number_id"],
                person=Person(row["phone"], row["wa_id"], row["wa_user_id"]),
                external_id=f"silence:{row['id']}:{now}",
                # Never before what is known, or it would not be the last word.
                at=max(now, row["folded_at"]),
                name="resolved",
            )
            for row in rows
        ]
        return apply_events(connection, account_id, events, now=now).happenings.new

    resolved = 0
    # Asked first, so that a database which takes no writes is not bothered for nothing.
    while database.read_latest(due) and (some := database.write(resolve)):
        resolved += some
    return resolved
