"""Traversal of a paginated list, with detection of repeated pages."""

from collections.abc import Awaitable, Callable
from typing import Any

from frontdesk.cache import Fetched, row_of
from frontdesk.cache.rows import Row
from frontdesk.errors import BadResponse
from frontdesk.timeline import Key, stretch
from frontdesk.wire import Page, PartialPage

Fetch = Callable[[str | None], Awaitable[Page[Any]]]


class Walk:
    """Consecutive pages of one list, from its head or a cursor; `upper`: key at the start."""

    def __init__(self, fetch: Fetch, upper: Key, cursor: str | None = None) -> None:
        self._fetch = fetch
        self._upper = upper
        self._cursor = cursor
        self._asked: set[str | None] = set()
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
        page = await self._fetch(self._cursor)
        self._asked.add(self._cursor)
        self._pages.append([row_of(value) for value in page.data])
        if isinstance(page, PartialPage):
            self.unreadable += page.unreadable
        self._ended = page.ended
        self._cursor = None if self._ended else page.next_cursor or None
        if self._cursor in self._asked and self._cursor is not None:
            self.give_up("The server gives the same page again and again")
        return self._cursor is not None

    def passed(self) -> bool:
        """True if a row below the start was loaded."""
        return any(row.key < self._upper for page in self._pages for row in page)

    def give_up(self, reason: str) -> None:
        """Stop, although the server announces more rows."""
        self._cursor = None
        self._stuck = reason

    def complain(self) -> None:
        """Raises: BadResponse: the traversal was stopped by `give_up`."""
        if self._stuck:
            raise BadResponse(f"{self._stuck}: the list stops here.")

    def check_any(self) -> None:
        """Raises: BadResponse: the server announces rows, but sent none."""
        if not self._ended and not any(self._pages):
            raise BadResponse("The server says that there are rows, but sends none.")

    def check_below(self) -> None:
        """Stop if the pages contain no new rows, although the list has not ended."""
        if not self._ended and not self.passed():
            self.give_up("The server sends pages with nothing new")

    def fetched(self) -> Fetched:
        """All loaded rows as one range of the list."""
        keys = stretch(
            [[row.key for row in page] for page in self._pages],
            upper=self._upper,
            end=self._ended,
            whole=not self.unreadable,
        )
        return Fetched.of((row for page in self._pages for row in page), keys, self._cursor)
