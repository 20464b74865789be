"""Resolves conversations without activity for a configured time."""

from dataclasses import dataclass

from frontdesk.ingest.apply.batch import apply_events, status_event
from frontdesk.store.conversations import idle_since
from frontdesk.store.database import Connection, Database

BATCH = 200


@dataclass(frozen=True, slots=True)
class IdleLimit:
    """Idle time in milliseconds. except_waiting: except if a customer waits for an answer."""

    milliseconds: int
    except_waiting: bool = False


def resolve_idle(database: Database, account_id: int, now: int, idle_limit: IdleLimit) -> int:
    """Resolve idle conversations in batches; return the number.

    Each is recorded as an event, so that a refold gives the same state.
    """
    before = now - idle_limit.milliseconds

    def due(connection: Connection) -> bool:
        except_waiting = idle_limit.except_waiting
        return bool(idle_since(connection, account_id, before, 1, except_waiting=except_waiting))

    def resolve(connection: Connection) -> int:
        rows = idle_since(
            connection, account_id, before, BATCH, except_waiting=idle_limit.except_waiting
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
