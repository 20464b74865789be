"""Thread pools: reads inline or in threads, and writes after the response."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from frontdesk.errors import Unreachable
from frontdesk.service.access_log import Telemetry
from frontdesk.service.problems import too_busy
from frontdesk.service.rate_limit import ConcurrencyLimit
from frontdesk.store.accounts import touch_key
from frontdesk.store.database import Connection, Database, WouldBlock
from frontdesk.store.writes import note_probe

THREADS = 4
# Maximum in-flight requests, running or queued; more are answered 503.
MOST_AT_ONCE = 128
RETRY_SECONDS = 1
# A request queued for longer than this is answered 503: its client has probably given up.
MOST_WAITING_MILLISECONDS = 5_000
# Minimum interval between writes of a key's last use.
TOUCH_MILLISECONDS = 60_000
# Minimum interval between attempts to write the same expired snoozes as open, per account.
WAKE_MILLISECONDS = 10_000

# Milliseconds for which the result of a probe holds.
_PROBED = 1_000

T = TypeVar("T")

_log = logging.getLogger("frontdesk.service")


class Reads:
    """Runs reads on the event loop if the database can answer at once, else in threads."""

    def __init__(self, database: Database, clock: Callable[[], int], telemetry: Telemetry) -> None:
        self._database = database
        self._clock = clock
        self._telemetry = telemetry
        self._threads = ThreadPoolExecutor(THREADS, "frontdesk-service")
        self._limit = ConcurrencyLimit(MOST_AT_ONCE, RETRY_SECONDS)

    async def read(self, work: Callable[[Connection, bool], T], since: int) -> T:
        """Run `work(connection, inline)` on one snapshot; it runs again if it could not be inline.

        since: arrival of the request. Raises: ApiError: the service is overloaded or stops.
        """
        with suppress(WouldBlock):
            result = self._database.read_inline(lambda connection: work(connection, True))
            self._telemetry.read("inline")
            return result
        self._telemetry.read("thread")
        return await self.in_thread(
            lambda: self._database.read(lambda connection: work(connection, False)), since
        )

    async def in_thread(self, work: Callable[[], T], since: int) -> T:
        """Run blocking `work` in a thread, within the limits.

        Raises: ApiError: the service is overloaded or stops.
        """
        with self._limit.slot(), self._telemetry.queued():
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, self._in_time, work, since)

    def close(self) -> None:
        """Wait for running reads, and stop the threads."""
        self._threads.shutdown()

    def _in_time(self, work: Callable[[], T], since: int) -> T:
        if self._clock() - since > MOST_WAITING_MILLISECONDS:
            raise too_busy(RETRY_SECONDS)
        return work()


class WriteBehind:
    """Writes after the response what reads found out; skipped while there is no writing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, "frontdesk-write-behind")
        self._touched: dict[str, int] = {}
        self._woken: dict[int, tuple[int, int]] = {}

    def touch_key(self, key_id: str, last_used_at: int | None, now: int) -> None:
        """Write a stored key's last use, at most once per TOUCH_MILLISECONDS."""
        before = max(last_used_at or 0, self._touched.get(key_id, 0))
        if now - before >= TOUCH_MILLISECONDS:
            self._touched[key_id] = now
            self._submit(partial(touch_key, key_id=key_id, at=now), f"last use of key {key_id}")

    def wake_snoozed(self, account_id: int, last: int, now: int) -> None:
        """Write expired snoozes as open, the same ones at most once per WAKE_MILLISECONDS.

        last: when the latest of them ended.
        """
        before, tried_at = self._woken.get(account_id, (0, 0))
        if last > before or now - tried_at >= WAKE_MILLISECONDS:
            self._woken[account_id] = last, now
            self._submit(partial(_wake, account_id, now), "end of snoozes")

    def close(self) -> None:
        """Finish the queued writes, and stop the thread."""
        self._thread.shutdown()

    def _submit(self, work: Callable[[Connection], object], subject: str) -> None:
        self._thread.submit(self._write, work, subject)

    def _write(self, work: Callable[[Connection], object], subject: str) -> None:
        try:
            self._database.write(work)
        except Unreachable:
            _log.info("The %s is not written down: the database takes no writes now", subject)


class WriteProbe:
    """Finds out by writing if the database takes writes: once a second at most, for all who ask."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock
        self._running: asyncio.Future[None] | None = None
        self._asked_at = 0

    async def check(self) -> None:
        """Raises: InboxError: nothing can be written."""
        now = self._clock()
        running = self._running
        if running is None or (running.done() and not 0 <= now - self._asked_at < _PROBED):
            self._asked_at = now
            write = partial(self._database.write, partial(note_probe, now=now))
            running = self._running = asyncio.ensure_future(asyncio.to_thread(write))
        await asyncio.shield(running)


def _wake(account_id: int, now: int, connection: Connection) -> None:
    from frontdesk.ingest.apply.batch import wake

    wake(connection, account_id, now)
