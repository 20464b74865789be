"""Fills the cache with the conversations to keep, newest first, and keeps them up to date."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from frontdesk.cache import Coverage, FillState
from frontdesk.cache.rows import sort_text
from frontdesk.cache.timeline import HIGHEST, Key
from frontdesk.errors import (
    BadResponse,
    CacheBusy,
    Forbidden,
    InboxError,
    NotFound,
    Refused,
    Unauthorised,
    UnusableFile,
)
from frontdesk.mailbox.mailbox import Mailbox
from frontdesk.mailbox.prefetch import Pace
from frontdesk.settings import KeepRule
from frontdesk.system.request_priority import in_background
from frontdesk.wire import ConversationFilter
from frontdesk.wire.values import STATUSES, utc_now

PASS_SECONDS = 60.0
_BATCH = 50
# Threads that fail one after the other before the whole server counts as failing.
_FAILURES = 5
# Counting is slow compared with loading one conversation.
_COUNT_EVERY_SECONDS = 2.0

ProgressCallback = Callable[[Coverage], None]


class Mirror:
    """Loads the list and the threads of the conversations to keep; any end can be continued.

    One process at a time fills the cache of an origin; it has a lease there. A conversation that is
    complete is marked with the state of its row, so that only changed ones are loaded again.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        keep: KeepRule,
        pace: Pace,
        *,
        on_progress: ProgressCallback = lambda coverage: None,
        full: ProgressCallback = lambda coverage: None,
        clock: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """on_progress: called with the coverage. full: called once when the rest does not fit."""
        self._mailbox, self._keep, self._pace = mailbox, keep, pace
        self._on_progress, self._full = on_progress, full
        self._clock, self._sleep = clock, sleep
        self._filter = ConversationFilter(status=keep.status)
        self._progress = mailbox.fill_progress
        self.coverage = Coverage(keep.name, 0, 0)
        self._counted_at = 0.0
        self._first = True
        self._failed: dict[str, str] = {}
        self._failures = 0

    async def run(self) -> None:
        """Fill pass by pass until cancelled, or the key is refused or nothing can be saved.

        After any other failure, the next pass goes on. Where the server says what changes, a pass
        follows only on a change.
        """
        followed = self._mailbox.followed
        while True:
            told, whole = followed.told, False
            try:
                whole = (await self.fill()).whole
            except (Unauthorised, Forbidden, UnusableFile):
                # A request of the foreground, or the cache itself, reports it.
                return
            except InboxError:
                pass
            await self._sleep(PASS_SECONDS)
            if whole and self._follows():
                await followed.changed(told)

    def _follows(self) -> bool:
        """True if the list of what is to be kept has all that the server says changed."""
        return self._mailbox.follows(self._filter)

    async def fill(self) -> Coverage:
        """Load what is missing.

        Raises: CacheBusy: another process fills this cache. UnusableFile: nothing can be saved.
        InboxError: a request failed; what was loaded before stays.
        """
        await self._claim()
        try:
            with in_background(self._pace.rest):
                return await self._pass()
        finally:
            await self._progress.release()

    async def _claim(self) -> None:
        if not self._mailbox.persistent:
            raise UnusableFile(self._mailbox.warning or "Nothing can be saved")
        if not await self._progress.claim():
            raise CacheBusy("Another frontdesk is filling this cache")

    async def _pass(self) -> Coverage:
        began = self._clock()
        await self._mailbox.refresh_counts(ConversationFilter())
        state = self._state(began)
        await self._progress.save(state)
        # The first pass looks further down for rows that left the list.
        if self._first or not self._follows():
            await self._mailbox.refresh_conversations(self._filter, thorough=self._first)
        self._first = False
        await self._count()
        position: Key | None = HIGHEST
        while position is not None:
            if not await asyncio.to_thread(self._mailbox.has_room):
                return await self._end_full(state)
            position = await self._step(state, position)
        coverage = await self._count()
        await self._load_views(state.since)
        changes = {"as_of": began.isoformat(), "total": coverage.known, "full": False}
        await self._progress.save(state.model_copy(update=changes))
        return await self._count()

    async def _load_views(self, since: str) -> None:
        """Load the list of each status too, so that views can be shown without the server."""
        for status in () if self._keep.status else STATUSES:
            filter = ConversationFilter(status=status)
            await self._mailbox.refresh_conversations(filter)
            while await self._older(filter, since):
                continue

    async def _end_full(self, state: FillState) -> Coverage:
        await self._progress.save(state.model_copy(update={"full": True}))
        coverage = await self._count()
        if not state.full:
            self._full(coverage)
        return coverage

    def _state(self, now: datetime) -> FillState:
        """State at the start of a pass; what an earlier one of the same kind found stays."""
        before, counts = self._progress.state(), self._mailbox.counts(ConversationFilter())
        oldest = self._keep.since(now)
        since = sort_text(oldest.isoformat()) if oldest else ""
        state = FillState(keep=self._keep.name, name=self._mailbox.list_name(self._filter))
        if before is not None and before.keep == state.keep:
            state = before
        total = counts and (counts.open if self._keep.status else counts.all)
        if self._keep.days or total is None:
            total = state.total
        full = state.full and not self._mailbox.has_room()
        return state.model_copy(update={"since": since, "total": total, "full": full})

    async def _step(self, state: FillState, position: Key) -> Key | None:
        """Load some threads, or the next page of the list; return the position, None at the end."""
        missing = await asyncio.to_thread(self._progress.missing, state, position, _BATCH)
        for key, mark in missing:
            if self._failed.get(key.id) != mark:
                await self._claim()
                await self._load(key.id, mark)
                await self._report_progress()
        if missing:
            return missing[-1][0]
        return await self._older(self._filter, state.since)

    async def _older(self, filter: ConversationFilter, since: str) -> Key | None:
        """Load the next page of a list; return the row before it, None if there is none."""
        name = self._mailbox.list_name(filter)
        reached, oldest = await asyncio.to_thread(self._progress.reach, name, since)
        if reached:
            return None
        await self._claim()
        await self._mailbox.older_conversations(filter)
        moved = (await asyncio.to_thread(self._progress.reach, name, since))[1] != oldest
        return oldest if moved else None

    async def _load(self, id: str, mark: str) -> None:
        """Load a conversation; one that cannot be read is left until it changes."""
        try:
            complete = await self._mailbox.load_thread(id)
        except NotFound:
            return
        except (BadResponse, Refused):
            self._failures += 1
            if self._failures == _FAILURES:
                self._failures = 0
                raise
            complete = False
        else:
            self._failures = 0
        if complete:
            await self._progress.mark(id, mark)
        else:
            self._failed[id] = mark

    async def _report_progress(self) -> None:
        if time.monotonic() - self._counted_at > _COUNT_EVERY_SECONDS:
            await self._count()
        else:
            complete = min(self.coverage.complete + 1, self.coverage.known)
            self.coverage = self.coverage._replace(complete=complete)
            self._on_progress(self.coverage)

    async def _count(self) -> Coverage:
        self.coverage = await self._mailbox.coverage() or self.coverage
        self._counted_at = time.monotonic()
        self._on_progress(self.coverage)
        return self.coverage
