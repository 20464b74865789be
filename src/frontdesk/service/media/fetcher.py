"""Fetches files of messages from their providers, in a thread beside the webhook worker.

Newest first, some at once, and few of one number; a claim in the database keeps several workers
apart. A webhook never waits for a file.
"""

import asyncio
import logging
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

from frontdesk.errors import BadResponse, InboxError, Unreachable, UnusableFile
from frontdesk.ingest.media import facts
from frontdesk.ingest.media.fetching import (
    ERROR_BUDGET,
    MINUTE,
    Failure,
    FileSource,
    FileSources,
    Rests,
    failure,
)
from frontdesk.pictures import PictureDecoder
from frontdesk.service.access_log import Telemetry
from frontdesk.store import media
from frontdesk.store.accounts import all_accounts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import REFUSED, Claim, StoredFile
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.writes import bump_revision
from frontdesk.system.crash_trace import trace
from frontdesk.wire.values import MEDIA_TYPES

AT_ONCE, AT_ONCE_OF_A_NUMBER = 4, 2
# Poll interval for files that another process requested, or that become due.
TICK_SECONDS = 5.0
DEADLINE_SECONDS = 600.0
# A claim outlives the deadline, and ends soon after a worker was killed.
CLAIM_MILLISECONDS = 11 * MINUTE

_log = logging.getLogger("frontdesk.service")

OpenSources = Callable[[], AbstractAsyncContextManager[FileSources]]


@dataclass(frozen=True, slots=True)
class FetcherSettings:
    """most_bytes: of a file. kinds: types of messages whose files are fetched.

    error_budget: failed attempts of a number in an hour, of this process, before it rests.
    """

    most_bytes: int = 100_000_000
    kinds: frozenset[str] = frozenset(MEDIA_TYPES)
    error_budget: int = ERROR_BUDGET


@dataclass(frozen=True, slots=True)
class _ClaimedFile:
    account_id: int
    slug: str
    token: str
    row: Row

    @property
    def number(self) -> tuple[int, int]:
        return self.account_id, self.row["channel_id"]


class MediaFetcher:
    """Thread that fetches files. clock: now in epoch milliseconds.

    sources: opens the providers, in the event loop of the thread. chance: 0 to 1, of retries.
    """

    def __init__(
        self,
        database: Database,
        files: MediaFiles,
        sources: OpenSources,
        clock: Callable[[], int],
        settings: FetcherSettings,
        *,
        decoder: PictureDecoder,
        telemetry: Telemetry,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._files = files
        self._open_sources = sources
        self._clock = clock
        self._settings = settings
        self._decoder = decoder
        self._telemetry = telemetry
        self._chance = chance
        self._rests = Rests(settings.error_budget)
        self._under_way: Counter[tuple[int, int]] = Counter()
        self._changed: set[int] = set()
        self._failing = False
        self._stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._notified: asyncio.Event | None = None
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._work, name="frontdesk-media", daemon=True)

    def start(self) -> None:
        """Start the thread; the first pass fetches what is due."""
        self._thread.start()
        self._begun.wait()

    def notify(self) -> None:
        """Wake the thread: files may have been requested."""
        if self._loop is not None and self._notified is not None and not self._stopping:
            self._loop.call_soon_threadsafe(self._notified.set)

    def close(self) -> None:
        """Cut off what is being fetched, give its claims back, and join the thread."""
        self._stopping = True
        if self._thread.is_alive() and self._loop is not None and self._main is not None:
            self._loop.call_soon_threadsafe(self._main.cancel)
            self._thread.join()

    def _work(self) -> None:
        try:
            asyncio.run(self._run())
        except asyncio.CancelledError:
            pass
        finally:
            self._begun.set()

    async def _run(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self._notified = asyncio.Event()
        self._begun.set()
        async with self._open_sources() as sources:
            while not self._stopping:
                await self._pass(sources)
                self._notified.clear()
                try:
                    async with asyncio.timeout(TICK_SECONDS):
                        await self._notified.wait()
                except TimeoutError:
                    continue

    async def _pass(self, sources: FileSources) -> None:
        failing = True
        try:
            await self.run_once(sources)
            failing = False
        except* (Unreachable, UnusableFile) as group:
            if not self._failing:
                _log.warning("Files wait: %s", group.exceptions[0])
        except* Exception as group:
            # Retried on the next tick; ending the thread would stop all fetching.
            _log.error("Files could not be fetched\n%s", trace(group))
        self._failing = failing

    async def run_once(self, sources: FileSources) -> int:
        """Fetch all files that are due; return how many were tried.

        Raises: Unreachable, UnusableFile: the database is not writable.
        """
        accounts = await asyncio.to_thread(self._database.read_latest, _accounts)
        tried = 0
        for account_id, slug in accounts:
            source = sources.of_account(slug)
            if source is not None:
                async with asyncio.TaskGroup() as group:
                    lanes = [
                        group.create_task(self._lane(account_id, slug, source))
                        for _ in range(AT_ONCE)
                    ]
                tried += sum(lane.result() for lane in lanes)
            await self._publish(account_id)
        self._telemetry.media_resting(self._rests.reasons(self._clock()))
        return tried

    async def _lane(self, account_id: int, slug: str, source: FileSource) -> int:
        """Claim and fetch one file after another until none is due."""
        tried = 0
        while not self._rests.is_resting(self._clock()):
            claimed = await self._claim(account_id, slug)
            if claimed is None:
                break
            tried += 1
            self._under_way[claimed.number] += 1
            try:
                await self._fetch(claimed, source)
            finally:
                self._under_way[claimed.number] -= 1
        return tried

    async def _claim(self, account_id: int, slug: str) -> _ClaimedFile | None:
        now, token = self._clock(), secrets.token_hex(8)
        busy = {
            channel_id
            for (account, channel_id), count in self._under_way.items()
            if account == account_id and count >= AT_ONCE_OF_A_NUMBER
        }
        resting = busy.union(self._rests.resting(account_id, now))
        if not self._database.read_latest(lambda c: media.any_due(c, account_id, now)):
            return None
        claim = Claim(token, now, now + CLAIM_MILLISECONDS)
        rows = self._database.write(lambda c: media.claim(c, account_id, claim, 1, resting))
        return _ClaimedFile(account_id, slug, token, rows[0]) if rows else None

    async def _fetch(self, claimed: _ClaimedFile, source: FileSource) -> None:
        """Fetch a file and settle its claim."""
        began = time.monotonic()
        try:
            if claimed.row["kind"] not in self._settings.kinds:
                outcome = self._refuse(claimed)
            else:
                outcome = await self._store(claimed, source)
        except InboxError as error:
            outcome = self._failed(claimed, error)
        except asyncio.CancelledError:
            self._postpone(claimed, Failure("the service was stopped", counted=False))
            raise
        self._changed.add(claimed.account_id)
        self._telemetry.media(outcome, time.monotonic() - began)

    def _refuse(self, claimed: _ClaimedFile) -> str:
        reason = f"this service keeps no files of the type {claimed.row['kind']}"
        self._settle(claimed, REFUSED, reason)
        return REFUSED

    async def _store(self, claimed: _ClaimedFile, source: FileSource) -> str:
        """Raises: InboxError: it could not be fetched or stored."""
        account_id = claimed.account_id
        with self._files.receive(account_id, self._settings.most_bytes) as incoming:
            try:
                async with asyncio.timeout(DEADLINE_SECONDS):
                    await source.save(claimed.row["remote"], incoming)
            except TimeoutError:
                raise Unreachable("The provider did not send the file in time") from None
            if not incoming.size:
                raise BadResponse("The provider sends an empty file")
            if claimed.row["expected"] not in (None, incoming.digest):
                raise BadResponse("The file is not the one that was announced")
            file = await asyncio.to_thread(
                facts.keep, self._files, account_id, incoming, self._decoder
            )
        return self._settle_stored(claimed, file)

    def _settle_stored(self, claimed: _ClaimedFile, file: StoredFile) -> str:
        """Settle a claim with a file that is stored; it goes again if the claim was lost."""
        account_id = claimed.account_id

        def settle(connection: Connection) -> bool:
            key, now = claimed.row["key"], self._clock()
            return media.settle_stored(
                connection, account_id, key, claimed.token, file, now,
                lambda: self._files.has(account_id, file.digest),
            )  # fmt: skip

        if self._database.write(settle):
            return media.STORED
        self._database.write(lambda c: media.discard(c, account_id, [file.digest]))
        delete, limit = partial(self._files.delete, account_id), self._files.deleted_at_once
        self._database.write(lambda c: media.collect_garbage(c, account_id, delete, limit))
        return "lost"

    def _failed(self, claimed: _ClaimedFile, error: InboxError) -> str:
        now = self._clock()
        result = failure(error, claimed.row["attempts"] + 1, now, self._chance())
        self._rests.failed(claimed.number, result, now)
        if result.state is not None:
            self._settle(claimed, result.state, result.reason)
            return result.state
        self._postpone(claimed, result)
        return "postponed"

    def _settle(self, claimed: _ClaimedFile, state: str, reason: str) -> None:
        account_id, key = claimed.account_id, claimed.row["key"]
        self._database.write(
            lambda c: media.settle(c, account_id, key, claimed.token, state, reason)
        )

    def _postpone(self, claimed: _ClaimedFile, result: Failure) -> None:
        account_id, key = claimed.account_id, claimed.row["key"]
        self._database.write(
            lambda c: media.postpone(
                c, account_id, key, claimed.token,
                due_at=result.due_at, reason=result.reason, counted=result.counted,
            )
        )  # fmt: skip

    async def _publish(self, account_id: int) -> None:
        """Let clients read again what changed: once for a pass, since it costs them all ETags."""
        if account_id in self._changed:
            self._changed.discard(account_id)
            self._database.write(lambda c: bump_revision(c, account_id))


def _accounts(connection: Connection) -> list[tuple[int, str]]:
    return [(row["id"], row["slug"]) for row in all_accounts(connection, now=0)]
