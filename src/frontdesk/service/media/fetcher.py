"""Fetches files of messages from their providers, in slots of a thread beside the webhook worker.

Newest first, few at once of a number and of an account; a claim in the database keeps several
workers apart. A webhook never waits for a file.
"""

import asyncio
import logging
import random
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from frontdesk.errors import BadResponse, InboxError, Unreachable
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
from frontdesk.service.media.lanes import ChangedMessages, Lanes, slugs_of
from frontdesk.service.media.reading import MediaReading
from frontdesk.store import media
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import FAILED, REFUSED, Claim, StoredFile
from frontdesk.store.media_files import MediaFiles
from frontdesk.wire.values import MEDIA_TYPES

# The slots of one process: several slow numbers leave some for others, and so does an account.
AT_ONCE, AT_ONCE_OF_A_NUMBER, AT_ONCE_OF_AN_ACCOUNT = 8, 2, 6
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
    source: FileSource
    token: str
    row: Row

    @property
    def number(self) -> tuple[int, int]:
        return self.account_id, self.row["channel_id"]


class MediaFetcher:
    """Fetches files in the slots of `lanes`. clock: now in epoch milliseconds.

    sources: opens the providers, in the event loop of the lanes. chance: 0 to 1, of retries.
    reading: reads the words of the files that are stored, None to read none.
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
        reading: MediaReading | None = None,
    ) -> None:
        self._database = database
        self._files = files
        self._open_sources = sources
        self._clock = clock
        self._settings = settings
        self._decoder = decoder
        self._telemetry = telemetry
        self._chance = chance
        self._reading = reading
        self._rests = Rests(settings.error_budget)
        self._sources: dict[int, FileSource] = {}
        self._all_sources: FileSources | None = None
        self._under_way: Counter[tuple[int, int]] = Counter()
        self._changed = ChangedMessages(database)
        self.lanes: Lanes[_ClaimedFile] = Lanes("Fetching of files", self, AT_ONCE)

    # What the lanes do

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        async with self._open_sources() as self._all_sources:
            yield

    def accounts(self) -> Collection[int]:
        """Accounts with credentials; none while all fetching rests."""
        if self._all_sources is None or self._rests.is_resting(self._clock()):
            return ()
        slugs = self._database.read_latest(slugs_of)
        found = ((id, self._all_sources.of_account(slug)) for id, slug in slugs)
        self._sources = {id: source for id, source in found if source is not None}
        return self._sources

    def claim(self, account_id: int) -> _ClaimedFile | None:
        now, token = self._clock(), secrets.token_hex(8)
        of_account = [
            (channel, count) for (id, channel), count in self._under_way.items() if id == account_id
        ]
        is_alone = len(self._sources) == 1
        if not is_alone and sum(count for _, count in of_account) >= AT_ONCE_OF_AN_ACCOUNT:
            return None
        busy = {channel for channel, count in of_account if count >= AT_ONCE_OF_A_NUMBER}
        resting = busy.union(self._rests.resting(account_id, now))
        if not self._database.read_latest(lambda c: media.any_due(c, account_id, now)):
            return None
        claim = Claim(token, now, now + CLAIM_MILLISECONDS)
        rows = self._database.write(lambda c: media.claim(c, account_id, claim, 1, resting))
        return _ClaimedFile(account_id, self._sources[account_id], token, rows[0]) if rows else None

    async def run(self, claimed: _ClaimedFile) -> None:
        """Fetch a file and settle its claim."""
        began = time.monotonic()
        self._under_way[claimed.number] += 1
        try:
            if claimed.row["kind"] not in self._settings.kinds:
                outcome = self._refuse(claimed)
            else:
                outcome = await self._store(claimed)
        except InboxError as error:
            outcome = self._failed(claimed, error)
        except asyncio.CancelledError:
            self._postpone(claimed, Failure("the service was stopped", counted=False))
            raise
        finally:
            self._under_way[claimed.number] -= 1
            self._under_way += Counter()
        self._changed.add(claimed.account_id, claimed.row["message_id"])
        self._telemetry.media(outcome, time.monotonic() - began)

    def publish(self) -> None:
        self._telemetry.media_resting(self._rests.reasons(self._clock()))
        self._changed.publish()

    def _refuse(self, claimed: _ClaimedFile) -> str:
        reason = f"this service keeps no files of the type {claimed.row['kind']}"
        self._settle(claimed, REFUSED, reason)
        return REFUSED

    async def _store(self, claimed: _ClaimedFile) -> str:
        """Raises: InboxError: it could not be fetched or stored."""
        account_id = claimed.account_id
        with self._files.receive(account_id, self._settings.most_bytes) as incoming:
            try:
                async with asyncio.timeout(DEADLINE_SECONDS):
                    await claimed.source.save(claimed.row["remote"], incoming)
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
            stored = media.settle_stored(
                connection, account_id, key, claimed.token, file, now,
                lambda: self._files.has(account_id, file.digest),
            )  # fmt: skip
            if stored and self._reading is not None:
                self._reading.mark(connection, account_id, key)
            return stored

        if self._database.write(settle):
            if self._reading is not None:
                self._reading.lanes.notify()
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
            if result.state == FAILED:
                _log.warning("A file is given up: %s", result.reason)
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
