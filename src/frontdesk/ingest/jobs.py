"""Resolves conversations without activity for a configured time.

Deletes processed webhook bodies after a retention period.
"""

from dataclasses import dataclass

from frontdesk.ingest.apply.batch import apply_events, status_event
from frontdesk.store.conversations import silent_since
from frontdesk.store.database import Connection, Database
from frontdesk.store.raw_events import any_older, drop_older

BATCH = 500


SILENCES_BATCH = 200


@dataclass(frozen=True, slots=True)
class Silence:
    """Idle time in milliseconds. but_waiting: except if a customer waits for an answer."""

    milliseconds: int
    but_waiting: bool = False


def resolve_silent(database: Database, account_id: int, now: int, silence: Silence) -> int:
    """Resolve idle conversations in batches; return the number.

    Each is recorded as an event, so that a refold gives the same state.
    """
    before = now - silence.milliseconds

    def due(connection: Connection) -> bool:
        but_waiting = silence.but_waiting
        return bool(silent_since(connection, account_id, before, 1, but_waiting=but_waiting))

    def resolve(connection: Connection) -> int:
        rows = silent_since(
            connection, account_id, before, SILENCES_BATCH, but_waiting=silence.but_waiting
        )
        # Not before known facts, so that it is the last one.
        events = [
            status_event(row, f"silence:{row['id']}:{now}", max(now, row["folded_at"]), "resolved")
            for row in rows
        ]
        return apply_events(connection, account_id, events, now=now).events.new

    resolved = 0
    # Read first, so that nothing is written to a read-only database without need.
    while database.read_latest(due) and (some := database.write(resolve)):
        resolved += some
    return resolved


DEFAULT_DAYS = 30
DAY = 24 * 60 * 60 * 1000


def retire(database: Database, account_id: int, now: int, days: int) -> int:
    """Delete bodies processed and older than `days` in batches; return the number."""
    before = now - days * DAY
    forgotten = 0
    # Read first, so that nothing is written to a read-only database without need.
    while database.read_latest(lambda connection: any_older(connection, account_id, before)):
        forgotten += database.write(
            lambda connection: drop_older(connection, account_id, before, BATCH)
        )
    return forgotten
