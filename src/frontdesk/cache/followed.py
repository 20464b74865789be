"""Lists that are kept current by what the server says changed, and how far that was saved.

A feed of changes begins at a position of the server. A list that was gone through since then is
followed: each change puts its conversation into the place that it has by now, or takes it out.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from frontdesk.cache import lists
from frontdesk.wire import Conversation

Read = Callable[[str, tuple[object, ...]], list[Any]]
Write = Callable[[Callable[[sqlite3.Connection], Any]], Awaitable[Any]]
# Test of the rows of a list, by its name; None if a row does not show whether it is in the list.
TestOf = Callable[[str], Callable[[Conversation], bool] | None]

# Conversations as they are now, by id; None for those that are gone.
Changed = Mapping[str, Conversation | None]

# Rows that are kept for requests which were sent before they changed, and answered after it.
_MOST_KEPT = 500
_BEGAN, _POSITION = "feed/began", "feed/position"
_FEED = (
    "SELECT began.value, position.value FROM memory AS began JOIN memory AS position"
    f" ON position.origin = began.origin AND position.name = '{_POSITION}'"
    f" WHERE began.origin = ? AND began.name = '{_BEGAN}'"
)
_SET = (
    "INSERT INTO memory VALUES (?, ?, ?)"
    " ON CONFLICT(origin, name) DO UPDATE SET value = excluded.value"
)
_FOLLOWED = (
    "SELECT 1 FROM list JOIN memory ON memory.origin = list.origin AND value = followed"
    f" AND memory.name = '{_BEGAN}' WHERE list.origin = ? AND list.name = ?"
)


class Feed(NamedTuple):
    """Positions of the server: where a feed began, and after which changes are not saved yet."""

    began: str
    position: str


class FollowedLists:
    """The feed of one origin, shared by all processes that use the file."""

    def __init__(self, read: Read, write: Write, origin: int) -> None:
        self._read, self._write, self._origin = read, write, origin
        # How often this process has told a change.
        self.told = 0
        self._saved = 0
        self._waits = asyncio.Event()
        self._kept: deque[tuple[int, Changed, TestOf]] = deque()

    def feed(self) -> Feed | None:
        """The feed; None if there is none."""
        return _feed(self._read(_FEED, (self._origin,)))

    def follows(self, name: str) -> bool:
        """True if a list is kept current."""
        return bool(self._read(_FOLLOWED, (self._origin, name)))

    async def begin(self, position: str) -> None:
        """Begin anew at a position: no list is followed until it was gone through."""
        await self._write(lambda connection: self._store(connection, Feed(position, position)))
        self._tell()

    async def end(self) -> None:
        """Follow no list any more: the server does not say what changes."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM memory WHERE origin = ? AND name IN (?, ?)",
                (self._origin, _BEGAN, _POSITION),
            )

        if self.feed() is not None:
            await self._write(work)
            self._tell()

    async def save(self, changed: Changed, test_of: TestOf, feed: Feed | None = None) -> None:
        """Save what changed, in all lists. feed: the present one, with the position after it.

        Of another feed than that of the file, as another process may have begun one, the position
        is not saved.
        """

        def work(connection: sqlite3.Connection) -> None:
            held = _feed(connection.execute(_FEED, (self._origin,)).fetchall())
            self._place(connection, changed, test_of, held)
            if feed is not None and held is not None and held.began == feed.began:
                self._store(connection, feed)

        if changed:
            self._saved += 1
            self._kept.append((self._saved, changed, test_of))
            while sum(len(rows) for _, rows, _ in self._kept) > _MOST_KEPT:
                self._kept.popleft()
        await self._write(work)
        if changed:
            self._tell()

    async def changed(self, told: int, seconds: float | None = None) -> None:
        """Wait until something is told after `told`. seconds: the longest wait."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while told == self.told:
                    await self._waits.wait()

    def _tell(self) -> None:
        self.told += 1
        waits, self._waits = self._waits, asyncio.Event()
        waits.set()

    @property
    def mark(self) -> int:
        """For `save_since`, before a request is sent."""
        return self._saved

    async def save_since(self, mark: int) -> None:
        """Save again what changed since `mark`, after an answer that may be older was saved.

        If not all of it is known any more, no list is followed until it is gone through again.
        """
        if mark == self._saved:
            return
        kept = [(changed, test_of) for at, changed, test_of in self._kept if at > mark]
        lost = len(kept) < self._saved - mark

        def work(connection: sqlite3.Connection) -> None:
            held = _feed(connection.execute(_FEED, (self._origin,)).fetchall())
            for changed, test_of in kept:
                self._place(connection, changed, test_of, held)
            if lost:
                lists.follow_none(connection, self._origin)

        await self._write(work)

    def _place(
        self, connection: sqlite3.Connection, changed: Changed, test_of: TestOf, held: Feed | None
    ) -> None:
        began = held.began if held is not None else None
        for id, row in changed.items():
            if row is None:
                lists.forget(connection, self._origin, id)
            else:
                lists.save_changed(connection, self._origin, row, began, test_of)

    def _store(self, connection: sqlite3.Connection, feed: Feed) -> None:
        values = zip((_BEGAN, _POSITION), feed, strict=True)
        connection.executemany(_SET, [(self._origin, *value) for value in values])


def _feed(rows: list[Any]) -> Feed | None:
    return Feed(*map(str, rows[0])) if rows else None
