"""Deletes processed webhook bodies after a retention period."""

from frontdesk.store.database import Database
from frontdesk.store.raw_events import any_older, drop_older

DEFAULT_RETENTION_DAYS = 30
DAY = 24 * 60 * 60 * 1000
_DELETED_AT_ONCE = 500


def has_old_webhooks(database: Database, account_id: int, now: int, days: int) -> bool:
    """Check for bodies that `delete_old_webhooks` would delete."""
    before = now - days * DAY
    return database.read_latest(lambda connection: any_older(connection, account_id, before))


def delete_old_webhooks(database: Database, account_id: int, now: int, days: int) -> int:
    """Delete bodies processed and older than `days` in batches; return the number."""
    before = now - days * DAY
    deleted = 0
    # Read first, so that nothing is written to a read-only database without need.
    while has_old_webhooks(database, account_id, now, days):
        deleted += database.write(
            lambda connection: drop_older(connection, account_id, before, _DELETED_AT_ONCE)
        )
    return deleted
