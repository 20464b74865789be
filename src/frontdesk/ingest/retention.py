"""How long webhook bodies are kept after they were applied (ingestion 5.2, privacy)."""

from frontdesk.store.database import Database
from frontdesk.store.raw_events import any_older, drop_older

DEFAULT_DAYS = 30
DAY = 24 * 60 * 60 * 1000
BATCH = 500


def retire(database: Database, account_id: int, now: int, days: int) -> int:
    """Forget what came over `days` ago and is not waiting, some at a time; returns how many."""
    before = now - days * DAY
    forgotten = 0
    # Asked first, so that a database which takes no writes is not bothered for nothing.
    while database.read_latest(lambda connection: any_older(connection, account_id, before)):
        forgotten += database.write(
            lambda connection: drop_older(connection, account_id, before, BATCH)
        )
    return forgotten
