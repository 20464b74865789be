"""Synchronises cached lists with the server, page by page.

A walk through pages stops where a server repeats them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from frontdesk.cache import (
    Cache,
    FetchedRows,
    ListName,
    notes_name,
    rows_of,
    thread_name,
)
from frontdesk.cache.rows import CONVERSATION, Row, sort_text
from frontdesk.cache.timeline import HIGHEST, Key, Stretch, stretch
from frontdesk.errors import BadResponse, CursorRefused, Forbidden, NotFound
from frontdesk.system import request_priority

if TYPE_CHECKING:
    from frontdesk.wire import Page

Fetch = Callable[[str | None], Awaitable["Page[Any]"]]


class PageWalk:
    """Consecutive pages of one list, from its head or a cursor.

    rows: converts the values of a page, with the key above them. upper: key at the start. began:
    the feed of changes that there was before the first page, and mark: what it had saved.
    """

    began: str | None = None
    mark = 0

    def __init__(
        self,
        fetch: Fetch,
        rows: Callable[[Sequence[Any], Key], list[Row]],
        upper: Key = HIGHEST,
        cursor: str | None = None,
    ) -> None:
        self._fetch, self._rows = fetch, rows
        self._upper = upper
        self._cursor = cursor
        self._cursors: set[str | None] = set()
        self._pages: list[list[Row]] = []
        self._ended = False
        self._stuck: str | None = None
        self.unreadable = 0

    @property
    def pages(self) -> int:
        """Number of loaded pages."""
        return len(self._pages)

    async def step(self) -> bool:
        """Load the next page; False if it has no cursor for another one."""
        if self._pages:
            await request_priority.wait_in_background()
        page = await self._fetch(self._cursor)
        self._cursors.add(self._cursor)
        last = next((page[-1].key for page in reversed(self._pages) if page), self._upper)
        self._pages.append(self._rows(page.data, last))
        self.unreadable += page.dropped
        self._ended = page.ended
        self._cursor = None if self._ended else page.next_cursor or None
        if self._cursor in self._cursors and self._cursor is not None:
            self.give_up("The server gives the same page again and again")
        return self._cursor is not None

    def is_past(self, place: str) -> bool:
        """True if the last page has a row below this place, or the last `EMPTY_PAGES` have none.

        place: see `Key.sort`; "" is none.
        """
        if any("" < row.key.sort < place for row in self._pages[-1]):
            return True
        return self.pages >= EMPTY_PAGES and not any(self._pages[-EMPTY_PAGES:])

    def reached(self) -> bool:
        """True if a row below the start was loaded."""
        return any(row.key < self._upper for page in self._pages for row in page)

    def give_up(self, reason: str) -> None:
        """Stop, although the server announces more rows."""
        self._cursor = None
        self._stuck = reason

    def raise_if_stuck(self) -> None:
        """Raises: BadResponse: the traversal was stopped by `give_up`."""
        if self._stuck:
            raise BadResponse(f"{self._stuck}: the list stops here.")

    def check_any(self) -> None:
        """Raises: BadResponse: the server announces rows, but sent none."""
        if not self._ended and not any(self._pages):
            raise BadResponse("The server says that there are rows, but sends none.")

    def check_below(self) -> None:
        """Stop if the pages contain no new rows, although the list has not ended."""
        if not self._ended and not self.reached():
            self.give_up("The server sends pages with nothing new")

    def fetched(self) -> FetchedRows:
        """All loaded rows as one range of the list."""
        keys = stretch(
            [[row.key for row in page] for page in self._pages],
            upper=self._upper,
            end=self._ended,
            whole=not self.unreadable,
        )
        return FetchedRows.of((row for page in self._pages for row in page), keys, self._cursor)


HEAD_PAGES = 5
THOROUGH_PAGES = 20
RESTART_PAGES = 40
EMPTY_PAGES = 5


class RefreshResult(NamedTuple):
    """Changes of a cached list by a request.

    `added`: ids of rows newer than all cached ones, newest first; empty if nothing was cached.
    `restarted`: the cached rows were replaced. `unreadable`: number of dropped rows.
    """

    changed: bool
    added: tuple[str, ...] = ()
    restarted: bool = False
    unreadable: int = 0


class PageLoad:
    """Loading of one list's next page: who comes meanwhile waits for that page.

    The cursor is that of the call that is loading. The cache may have the next one before that
    call returns, since pages are committed on another thread.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._cursor: tuple[str | None, bool] = (None, False)

    def cursor(self, current: Callable[[], tuple[str | None, bool]]) -> tuple[str | None, bool]:
        """Cursor of the page that is being loaded; else the current one."""
        if not self.lock.locked():
            self._cursor = current()
        return self._cursor


class Lists:
    """Synchronises the lists of a cache. Coroutines raise InboxError; returned data is saved.

    server_clock: the server's time, as far as it is known.
    """

    def __init__(
        self, cache: Cache, clock: Callable[[], datetime], server_clock: Callable[[], datetime]
    ) -> None:
        self._cache = cache
        self._clock, self._server_clock = clock, server_clock
        self._page_loads: WeakValueDictionary[tuple[ListName, bool], PageLoad] = (
            WeakValueDictionary()
        )

    def _walk(
        self, which: ListName, fetch: Fetch, upper: Key = HIGHEST, cursor: str | None = None
    ) -> PageWalk:
        def rows(values: Sequence[Any], above: Key) -> list[Row]:
            return rows_of(values, which.order, self._server_clock(), above)

        walk = PageWalk(fetch, rows, upper, cursor)
        followed = self._cache.followed
        feed = followed.feed() if which.kind == CONVERSATION else None
        walk.began, walk.mark = feed and feed.began, followed.mark
        return walk

    async def refresh(
        self,
        which: ListName,
        fetch: Fetch,
        *,
        thorough: bool = False,
        down_to: datetime | None = None,
    ) -> RefreshResult:
        """Load pages from the head until they overlap the cached rows, then save them together.

        Saving them one by one could leave a gap that cannot be detected. In a list that is not
        sorted by activity, rows change anywhere: pages are loaded over the first cached rows.
        down_to: load all rows from this time on instead, whatever is cached.
        """
        await request_priority.wait_in_background()
        if down_to is None:
            return await self._load_head(which, fetch, thorough=thorough)
        walk, place = self._walk(which, fetch), sort_text(down_to.isoformat())
        while await walk.step() and not walk.is_past(place):
            continue
        return await self._save_head(which, walk)

    async def _load_head(
        self, which: ListName, fetch: Fetch, *, thorough: bool = False
    ) -> RefreshResult:
        most = THOROUGH_PAGES if thorough or not which.order else HEAD_PAGES
        thorough = thorough or bool(which.order)
        oldest_key = self._cache.oldest_key(which)
        walk = self._walk(which, fetch)
        while await walk.step():
            keys = walk.fetched().stretch
            top = self._cache.top(which, self._until(which, keys))
            met = keys.keys and (top is None or keys.meets(top))
            if met and not (thorough and oldest_key and keys.lowest > oldest_key):
                break
            if walk.pages == (most if met else HEAD_PAGES):
                break
        return await self._save_head(which, walk, thorough=thorough)

    def _until(self, which: ListName, fetched: Stretch) -> str:
        """Latest time of a cached row that fetched rows have to meet.

        Rows of the future are on every first page, so that they say nothing about what is below
        them. Where all that was fetched is in the future, the server's times are taken as they are.
        """
        now = sort_text(self._server_clock().isoformat())
        return HIGHEST.sort if which.order or fetched.lowest.sort > now else now

    async def _save_head(
        self, which: ListName, walk: PageWalk, *, restart: bool = False, thorough: bool = False
    ) -> RefreshResult:
        walk.check_any()
        fetched = walk.fetched()
        saved = await self._cache.save_head(
            which,
            fetched,
            self._clock(),
            until=self._until(which, fetched.stretch),
            restart=restart,
            began=walk.began,
            thorough=thorough,
        )
        await self._cache.followed.save_since(walk.mark)
        walk.raise_if_stuck()
        return RefreshResult(saved.changed, saved.added, saved.restarted, walk.unreadable)

    async def _begin_again(self, which: ListName, fetch: Fetch, oldest_key: Key) -> RefreshResult:
        """Reload the list from the head down to all cached rows, after its cursor was rejected.

        The list then continues from there. If that takes too many pages, the list is cut to what
        was loaded.
        """
        walk = self._walk(which, fetch)
        try:
            while await walk.step() and walk.pages < RESTART_PAGES:
                if walk.fetched().stretch.lowest < oldest_key:
                    break
        except CursorRefused:
            if not walk.pages:
                raise
            walk.give_up("The server refuses the cursor that it has just given")
        cut = walk.fetched().stretch.lowest > oldest_key
        return await self._save_head(which, walk, restart=cut)

    async def older(self, which: ListName, fetch: Fetch) -> RefreshResult:
        """Load the next page after the saved cursor; a list without one is loaded from its head.

        If another call is loading that page, wait for it instead; calls in the background, which
        may pause between pages, are waited for only by each other.
        """
        name = which, request_priority.is_background()
        load = self._page_loads.setdefault(name, PageLoad())
        before = load.cursor(lambda: self._cache.next_cursor(which))
        cursor, complete = before
        if complete:
            return RefreshResult(False)
        await request_priority.wait_in_background()
        async with load.lock:
            if self._cache.next_cursor(which) != before:
                return RefreshResult(True)
            return await self._load_older(which, fetch, cursor)

    async def _load_older(self, which: ListName, fetch: Fetch, cursor: str | None) -> RefreshResult:
        oldest_key = self._cache.oldest_key(which)
        if cursor is None:
            # Rows without a cursor: the server announced more rows, but sent no cursor.
            return RefreshResult(False) if oldest_key else await self._load_head(which, fetch)
        walk = self._walk(which, fetch, oldest_key or HIGHEST, cursor)
        try:
            while await walk.step() and not walk.reached() and walk.pages < EMPTY_PAGES:
                continue
        except CursorRefused:
            return await self._begin_again(which, fetch, oldest_key or HIGHEST)
        walk.check_below()
        saved = await self._cache.save_older(which, walk.fetched(), cursor)
        await self._cache.followed.save_since(walk.mark)
        walk.raise_if_stuck()
        return RefreshResult(saved.changed, saved.added, saved.restarted, walk.unreadable)

    async def older_notes(self, conversation_id: str, fetch: Fetch) -> bool:
        """Load notes down to the oldest cached message; True if that changed anything."""
        changed = False
        for _ in range(HEAD_PAGES):
            if not self._lacks_notes(conversation_id):
                break
            try:
                older = await self.older(notes_name(conversation_id), fetch)
            except (Forbidden, NotFound):
                break
            changed = changed or older.changed
        return changed

    def _lacks_notes(self, conversation_id: str) -> bool:
        """True if the server may have notes between the oldest cached note and message."""
        thread, notes = thread_name(conversation_id), notes_name(conversation_id)
        cursor, complete = self._cache.next_cursor(notes)
        if complete or cursor is None:
            return False
        oldest_note, oldest_message = self._cache.oldest_key(notes), self._cache.oldest_key(thread)
        if self._cache.next_cursor(thread)[1] or oldest_note is None:
            return True
        return oldest_message is not None and oldest_message.sort <= oldest_note.sort
