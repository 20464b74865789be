"""Pages of lists: their size, and an asynchronous iterator over their rows."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from frontdesk.errors import BadResponse
from frontdesk.text.clean import one_line
from frontdesk.text.messages import found_line
from frontdesk.wire import ConversationPage, Page, Wire

W = TypeVar("W", bound=Wire)

# Rows that the viewer requests at once.
PAGE_SIZE = 50

# Empty pages in a row before the list counts as stuck.
MOST_EMPTY_PAGES = 5


class RowPages(Generic[W]):
    """Iterates over a list in the server's order; requests pages on demand.

    After an error, iterating again requests the same page. Iterate over either the rows or
    `pages()`.

    Raises, while iterating: InboxError; BadResponse if pages repeat.
    """

    def __init__(
        self, fetch: Callable[[str | None], Awaitable[Page[W]]], cursor: str | None = None
    ) -> None:
        """`fetch` returns the page after a cursor, or the first page for None."""
        self._fetch = fetch
        self._cursor = cursor
        self._ended = False
        self._cursors = {cursor}
        self._empty = 0
        self._stuck = ""
        self._waiting: deque[W] = deque()
        self.unreadable = 0
        # Sentence of the server on where it has not looked; "" if there is none.
        self.remark = ""
        # By conversations of the last page, what of a message has words of the query.
        self.excerpts: Mapping[str, str] = {}

    @property
    def cursor(self) -> str | None:
        """Cursor of the next page, with which a new list can resume.

        None before the first page and after the last.
        """
        return self._cursor

    @property
    def ended(self) -> bool:
        """True after the last page."""
        return self._ended

    def __aiter__(self) -> AsyncIterator[W]:
        return self

    async def __anext__(self) -> W:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._waiting.extend((await self.page()).data)
        return self._waiting.popleft()

    async def pages(self, most: int | None = None) -> AsyncIterator[Page[W]]:
        """The remaining pages, or `most` of them; `unreadable` counts dropped rows."""
        while not self._ended and most != 0:
            yield await self.page()
            most = None if most is None else most - 1

    async def page(self) -> Page[W]:
        """Request the next page; only valid while `ended` is False."""
        if self._stuck:
            raise BadResponse(f"{self._stuck}: the list stops here.")
        page = await self._fetch(self._cursor)
        self.unreadable += page.dropped
        if isinstance(page, ConversationPage):
            self.remark = one_line(page.remark or "") or self.remark
            matches = page.matches or ()
            self.excerpts = {one.conversation_id: found_line(one) for one in matches}
        self._empty = 0 if page.data else self._empty + 1
        self._ended = page.ended
        self._cursor = None if page.ended else page.next_cursor or None
        if not page.ended:
            self._check_way_on()
        return page

    def _check_way_on(self) -> None:
        """Return the current page before failing: only the next request raises."""
        if self._cursor is None:
            self._stuck = "The server says that there is more, but not where"
        elif self._cursor in self._cursors or self._empty >= MOST_EMPTY_PAGES:
            self._stuck = "The server gives the same page again and again"
        else:
            self._cursors.add(self._cursor)
