"""Rows of a list one after the other, over as many pages as there are."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from frontdesk.errors import BadResponse
from frontdesk.wire import Page, PartialPage, Wire

W = TypeVar("W", bound=Wire)

# A server may send empty pages before the last one, but not for ever.
MOST_EMPTY_PAGES = 5


class Rows(Generic[W]):
    """An asynchronous iterator over a list in the server's order; asks for a page when it needs it.

    A failure leaves it where it was: iterating on asks for the same page again. Iterate over
    either the rows or `pages()`.

    Raises, while iterating: InboxError. BadResponse where the list repeats itself without an end.
    """

    def __init__(
        self, fetch: Callable[[str | None], Awaitable[Page[W]]], cursor: str | None = None
    ) -> None:
        """`fetch` gives the page behind a cursor, and the first one for None."""
        self._fetch = fetch
        self._cursor = cursor
        self._ended = False
        self._asked = {cursor}
        self._empty = 0
        self._stuck = ""
        self._waiting: deque[W] = deque()
        self.unreadable = 0

    @property
    def cursor(self) -> str | None:
        """Where the next page begins: give it to the same list to go on there later.

        None before the first page and after the last.
        """
        return self._cursor

    @property
    def ended(self) -> bool:
        """The last page was read."""
        return self._ended

    def __aiter__(self) -> AsyncIterator[W]:
        return self

    async def __anext__(self) -> W:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._waiting.extend((await self.page()).data)
        return self._waiting.popleft()

    async def pages(self) -> AsyncIterator[Page[W]]:
        """The pages that are left; `unreadable` counts rows that had to be left out."""
        while not self._ended:
            yield await self.page()

    async def page(self) -> Page[W]:
        """The next page; not to be asked for when the list has ended."""
        if self._stuck:
            raise BadResponse(f"{self._stuck}: the list stops here.")
        page = await self._fetch(self._cursor)
        if isinstance(page, PartialPage):
            self.unreadable += page.unreadable
        self._empty = 0 if page.data else self._empty + 1
        self._ended = page.ended
        self._cursor = None if page.ended else page.next_cursor or None
        if not page.ended:
            self._check_way_on()
        return page

    def _check_way_on(self) -> None:
        """What was read is handed out first; the next request is refused."""
        if self._cursor is None:
            self._stuck = "The server says that there is more, but not where"
        elif self._cursor in self._asked or self._empty >= MOST_EMPTY_PAGES:
            self._stuck = "The server gives the same page again and again"
        else:
            self._asked.add(self._cursor)
