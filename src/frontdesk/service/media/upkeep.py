"""Upkeep of stored files: deletes what no message names, by age and above a total."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from frontdesk.store import media
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import PROVIDER_MILLISECONDS
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.writes import bump_revision

_DAY = 24 * 60 * 60 * 1000
LIMITS_EVERY = 600_000


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """keep_days: age of messages whose files are removed; total_bytes: of an account; 0: no limit.

    The files that were stored first go first.
    """

    keep_days: int = 0
    total_bytes: int = 0


NO_LIMITS = MediaLimits()


class MediaUpkeep:
    """Jobs of the background worker for files. clock: now in epoch milliseconds.

    files: None if this service stores none; then rows are kept up alone.
    """

    def __init__(
        self,
        database: Database,
        files: MediaFiles | None,
        clock: Callable[[], int],
        limits: MediaLimits,
    ) -> None:
        self._database = database
        self._files = files
        self._clock = clock
        self._limits = limits

    def collect(self, account_id: int) -> None:
        """Delete files that no row names any more. Raises: Unreachable: the directory."""
        files = self._files
        if files is None:
            return
        delete, limit = partial(files.delete, account_id), files.deleted_at_once
        while self._database.read_latest(lambda c: media.any_garbage(c, account_id)):
            self._database.write(lambda c: media.collect_garbage(c, account_id, delete, limit))

    def enforce(self, account_id: int) -> None:
        """Give up what the provider does not give out any more, and apply the limits."""
        limits, now = self._limits, self._clock()
        expired = now - PROVIDER_MILLISECONDS
        oldest = now - limits.keep_days * _DAY if limits.keep_days else 0

        def is_needed(connection: Connection) -> bool:
            total = media.stored_bytes(connection, account_id) if limits.total_bytes else 0
            return (
                total > limits.total_bytes
                or media.any_before(connection, account_id, media.PENDING, expired)
                or media.any_before(connection, account_id, media.STORED, oldest)
            )

        def work(connection: Connection) -> bool:
            changed = media.expire(connection, account_id, expired)
            changed |= media.purge(connection, account_id, before=oldest)
            if limits.total_bytes:
                changed |= media.purge_to(connection, account_id, limits.total_bytes)
            if changed:
                ids = media.conversations_with(connection, account_id, changed)
                bump_revision(connection, account_id, ids)
            return bool(changed)

        while self._database.read_latest(is_needed) and self._database.write(work):
            self.collect(account_id)

    def sweep(self) -> None:
        """Delete what killed processes left half written."""
        if self._files is not None:
            self._files.sweep()
