"""Background worker: applies stored webhooks and runs due jobs."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from frontdesk.errors import Unreachable, UnusableFile
from frontdesk.ingest.admission import ANYTHING, Admission
from frontdesk.ingest.apply.batch import wake
from frontdesk.ingest.idle_conversations import IdleLimit, resolve_idle
from frontdesk.ingest.message_retention import expire_messages, expired_accounts
from frontdesk.ingest.reordered import fold_reordered
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.ingest.webhooks.retention import (
    DEFAULT_RETENTION_DAYS,
    delete_old_webhooks,
    has_old_webhooks,
)
from frontdesk.service.media.upkeep import LIMITS_EVERY, NO_LIMITS, MediaLimits, MediaUpkeep
from frontdesk.store.accounts import all_accounts
from frontdesk.store.conversations import due_snoozes
from frontdesk.store.database import Connection, Database
from frontdesk.store.incoming_files import FilesUnusable
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.raw_events import any_waiting
from frontdesk.store.steady_clock import is_steady
from frontdesk.system.crash_trace import trace

# Poll interval for webhooks that another process stored or left unprocessed.
TICK_SECONDS = 1.0
SNOOZES_EVERY, IDLE_CHECK_EVERY, RETENTION_EVERY = 10_000, 60_000, 3_600_000

_log = logging.getLogger("frontdesk.service")


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Background job settings. retention_days: how long applied webhook bodies are stored.

    retain_revoked: keep in them what a customer deleted. idle_limit: idle time after which a
    conversation is resolved automatically, None for never. admission: what is ingested.
    media_files: where files of messages are, None if none are stored. media_limits: how many.
    """

    retention_days: int = DEFAULT_RETENTION_DAYS
    retain_revoked: bool = False
    idle_limit: IdleLimit | None = None
    admission: Admission = ANYTHING
    media_files: MediaFiles | None = None
    media_limits: MediaLimits = NO_LIMITS


class BackgroundWorker:
    """Worker thread. Retries on each tick while the database is not writable.

    clock: now in epoch milliseconds. requested: called after webhooks were applied, which may
    request files.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        settings: WorkerSettings,
        *,
        requested: Callable[[], object] = lambda: None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings
        self._intake = WebhookProcessor(
            database, clock, admission=settings.admission, retain_revoked=settings.retain_revoked
        )
        self._media = MediaUpkeep(database, settings.media_files, clock, settings.media_limits)
        self._requested = requested
        self._due: dict[str, int] = {}
        self._notified = threading.Event()
        self._stopping = threading.Event()
        self._failing = False
        self._files_unusable = False
        # Set if the write-ahead log may hold copies of deleted rows.
        self._log_to_truncate = False
        self._reported: set[str] = set()
        self._thread = threading.Thread(target=self._work, name="frontdesk-background", daemon=True)

    def start(self) -> None:
        """Start the thread; the first pass processes leftovers at once."""
        self._notified.set()
        self._thread.start()

    def notify(self) -> None:
        """Wake the worker: a webhook was stored."""
        self._notified.set()

    def close(self) -> None:
        """Finish the running transaction and join the thread."""
        self._stopping.set()
        self._notified.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._notified.wait(TICK_SECONDS)
            self._notified.clear()
            try:
                self.run_once()
                self._failing = False
            except Unreachable as error:
                if not self._failing:
                    _log.info("What is due waits: %s", error)
                self._failing = True
            except UnusableFile as error:
                if not self._failing:
                    _log.error("What comes in is not applied: %s", error)
                self._failing = True
            except Exception as error:
                # Retried on the next tick; ending the thread would stop all background work.
                _log.error("What is due could not be done\n%s", trace(error))

    def run_once(self) -> None:
        """Run one pass: apply all pending webhooks, then the due jobs.

        Raises: Unreachable: the database is not writable.
        """
        accounts = self._database.read_latest(
            lambda connection: [row["id"] for row in all_accounts(connection, now=0)]
        )
        if self._is_due("reordered", RETENTION_EVERY):
            fold_reordered(self._database, now=self._clock())
        pending = set(accounts)
        while pending and not self._stopping.is_set():
            # One step per account in turn, so that a large backlog does not starve the others.
            pending = {account_id for account_id in pending if self._step(account_id)}
            if pending:
                self._requested()
        if self._is_due("snoozes", SNOOZES_EVERY):
            for account_id in accounts:
                self._wake(account_id)
        if self._settings.idle_limit is not None and self._is_due(
            "idle conversations", IDLE_CHECK_EVERY
        ):
            for account_id in accounts:
                resolve_idle(self._database, account_id, self._clock(), self._settings.idle_limit)
        if self._is_due("retention", RETENTION_EVERY):
            self._delete_old(accounts)
            # The write-ahead log may hold deleted rows. Other processes delete too, and their
            # truncation may have been blocked by a reader.
            self._log_to_truncate = True
        if self._log_to_truncate:
            self._log_to_truncate = not self._database.truncate_log()
        self._keep_up_media(accounts)

    def _keep_up_media(self, accounts: Sequence[int]) -> None:
        """Delete files of deleted messages at once, and the others by the limits.

        Retried on each tick while the directory cannot be used.
        """
        try:
            for account_id in accounts:
                self._media.collect(account_id)
            if self._is_due("media", LIMITS_EVERY):
                for account_id in accounts:
                    self._media.enforce(account_id)
                self._media.sweep()
            self._files_unusable = False
        except FilesUnusable as error:
            if not self._files_unusable:
                _log.error("Files of deleted messages are not deleted: %s", error)
            self._files_unusable = True

    def _step(self, account_id: int) -> bool:
        waits = self._database.read_latest(lambda connection: any_waiting(connection, account_id))
        if not waits:
            return False
        step = self._intake.step(account_id)
        self._log_to_truncate |= step.revoked
        for kind in sorted(step.passed_over.keys() - self._reported):
            _log.warning("%s: what comes for it is kept and not shown", kind)
            self._reported.add(kind)
        return step.moved > 0

    def _is_due(self, name: str, every: int) -> bool:
        now, due = self._clock(), self._due.get(name, 0)
        # One that is further away was set by a clock that has gone back.
        if self._stopping.is_set() or due - every <= now < due:
            return False
        self._due[name] = now + every
        return True

    def _wake(self, account_id: int) -> None:
        now = self._clock()

        def due(connection: Connection) -> bool:
            return bool(due_snoozes(connection, account_id, now, 1))

        if self._database.read_latest(due):
            self._database.write(lambda connection: wake(connection, account_id, now))

    def _delete_old(self, account_ids: Sequence[int]) -> None:
        """Delete old webhook bodies and contents of messages, unless the clock may have jumped."""
        now, days = self._clock(), self._settings.retention_days
        expired = expired_accounts(self._database, now)
        due = [
            account_id
            for account_id in account_ids
            if has_old_webhooks(self._database, account_id, now, days)
        ]
        if not (due or expired) or not self._is_steady(now):
            return
        for account_id in due:
            delete_old_webhooks(self._database, account_id, now, days)
        for account_id, before in expired.items():
            expire_messages(self._database, account_id, before, now)

    def _is_steady(self, now: int) -> bool:
        return self._database.write(lambda connection: is_steady(connection, now))
