"""Lists that are kept current by what the server says changed, and how far that was saved.

A feed of changes begins at a position of the server. A list that was gone through since then is
followed: each change puts its conversation into the place that it has by now, or takes it out.
"""

import asyncio
import json
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from frontdesk.cache import lists
from frontdesk.wire import Conversation

Read = Callable[[str, tuple[object, ...]], list[Any]]
Write = Callable[[Callable[[sqlite3.Connection], Any]], Awaitable[Any]]
# Test of the rows of a list, by its name; None if a row does not show whether it is in the list.
TestOf = Callable[[str], Callable[[Conversation], bool] | None]

# Changes that are kept for requests which were sent before them, and answered after them.
_MOST_KEPT = 1_000
_NAME = "feed"
_FEED = "SELECT value FROM memory WHERE origin = ? AND name = ?"
_SET = (
    "INSERT INTO memory VALUES (?, ?, ?)"
    " ON CONFLICT(origin, name) DO UPDATE SET value = excluded.value"
)
_FOLLOWED = f"SELECT 1 FROM list JOIN ({_FEED}) ON followed = json_extract(value, '$[0]')"


class Feed(NamedTuple):
    """Positions of the server: where a feed began, and after which changes are not saved yet."""

    began: str
    position: str


class Changed(NamedTuple):
    """What changed: conversations as they are now, by id; None for those that are gone."""

    rows: Mapping[str, Conversation | None]

    @classmethod
    def of(cls, rows: Iterable[Conversation], gone: Iterable[str] = ()) -> "Changed":
        return cls({**{row.id: row for row in rows}, **dict.fromkeys(gone)})


class FollowedLists:
    """The feed of one origin, shared by all processes that use the file."""

    def __init__(self, read: Read, write: Write, origin: int) -> None:
        self._read, self._write, self._origin = read, write, origin
        # How often this process has told a change.
        self.told = 0
        self._saved = 0
        self._waits = asyncio.Event()
        self._kept: deque[tuple[int, Changed, TestOf]] = deque(maxlen=_MOST_KEPT)

    def feed(self) -> Feed | None:
        """The feed; None if there is none."""
        rows = self._read(_FEED, (self._origin, _NAME))
        return _feed(rows)

    def follows(self, name: str) -> bool:
        """True if a list is kept current."""
        condition = f"{_FOLLOWED} WHERE list.origin = ? AND list.name = ?"
        return bool(self._read(condition, (self._origin, _NAME, self._origin, name)))

    async def begin(self, position: str) -> None:
        """Begin anew at a position: no list is followed until it was gone through."""
        await self._write(lambda connection: self._store(connection, Feed(position, position)))
        self._tell()

    async def end(self) -> None:
        """Follow no list any more: the server does not say what changes."""

        def work(connection: sqlite3.Connection) -> None:
            named = (self._origin, _NAME)
            connection.execute("DELETE FROM memory WHERE origin = ? AND name = ?", named)

        if self.feed() is not None:
            await self._write(work)
            self._tell()

    async def save(self, changed: Changed, test_of: TestOf, feed: Feed | None = None) -> None:
        """Save what changed, in all lists. feed: the present one, with the position after it.

        Of another feed than that of the file, as another process may have begun one, the position
        is not saved.
        """

        def work(connection: sqlite3.Connection) -> None:
            held = _feed(connection.execute(_FEED, (self._origin, _NAME)).fetchall())
            self._place(connection, changed, test_of, held)
            if feed is not None and held is not None and held.began == feed.began:
                self._store(connection, feed)

        if changed.rows:
            self._saved += 1
            self._kept.append((self._saved, changed, test_of))
        await self._write(work)
        if changed.rows:
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

    async def save_since(self, mark: int, name: str | None = None) -> None:
        """Save again what changed since `mark`, after an answer that may be older was saved.

        name: of the list that was answered, which is followed no more if that is not known.
        """
        if mark == self._saved:
            return
        kept = [(changed, test_of) for at, changed, test_of in self._kept if at > mark]
        lost = len(kept) < self._saved - mark

        def work(connection: sqlite3.Connection) -> None:
            held = _feed(connection.execute(_FEED, (self._origin, _NAME)).fetchall())
            for changed, test_of in kept:
                self._place(connection, changed, test_of, held)
            if lost and name is not None:
                lists.follow(connection, self._origin, name, None)

        await self._write(work)

    def _place(
        self, connection: sqlite3.Connection, changed: Changed, test_of: TestOf, held: Feed | None
    ) -> None:
        began = held.began if held is not None else None
        for id, row in changed.rows.items():
            if row is None:
                lists.forget(connection, self._origin, id)
            else:
                lists.save_changed(connection, self._origin, row, began, test_of)

    def _store(self, connection: sqlite3.Connection, feed: Feed) -> None:
        connection.execute(_SET, (self._origin, _NAME, json.dumps(feed)))


def _feed(rows: list[Any]) -> Feed | None:
    if not rows:
        return None
    began, position = json.loads(rows[0][0])
    return Feed(str(began), str(position))
