"""Cache of one server: synchronous reads, writes on a background thread."""

import asyncio
import json
import sqlite3
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakSet

from frontdesk.cache import lists, objects
from frontdesk.cache.connection import NONSENSE, CacheFile, Work
from frontdesk.cache.coverage import Coverage, FillProgress
from frontdesk.cache.eviction import GOAL, USED_BYTES, CacheSizeLimit
from frontdesk.cache.listing import Listing
from frontdesk.cache.lists import FetchedRows, ListName, SaveResult
from frontdesk.cache.rows import Hit, text_of
from frontdesk.cache.state import StateFile
from frontdesk.cache.timeline import HIGHEST, Key
from frontdesk.errors import UnusableFile
from frontdesk.system.first_frame_file import FirstFrame
from frontdesk.text.clean import compact_json
from frontdesk.wire import Wire
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.cache.followed import FollowedLists
    from frontdesk.cache.stats import OriginUsage

T = TypeVar("T")
W = TypeVar("W", bound=Wire)

_BOUND = (
    "SELECT sort, size, entry.id, kind FROM entry JOIN list ON list.number = entry.list"
    " WHERE origin = ? AND name = ? AND +kind = ? AND sort <= ?"
)


_NAME = (
    "INSERT INTO origin VALUES (?, ?)"
    " ON CONFLICT(number) DO UPDATE SET name = excluded.name WHERE name != excluded.name"
)


class CacheUsage(NamedTuple):
    """Statistics of a cache: its whole file, and what it has of this server."""

    size_bytes: int
    limit_bytes: int
    origin: "OriginUsage"


class Cache:
    """Cached rows of one origin; a file may contain several.

    Reads are synchronous and for a single thread, since they are faster than a thread switch.
    Writes return when they are committed. Disk errors are not raised: see `warning`.
    """

    def __init__(
        self,
        path: Path,
        origin: str,
        *,
        state_path: Path | None = None,
        limit_bytes: int = sys.maxsize,
        clock: Callable[[], datetime] = utc_now,
        check_after_seconds: float = 3.0,
    ) -> None:
        """`origin`: display name of the server, a space, and an identifier of the key or user.

        The file contains only the name, and a number hashed from both. limit_bytes: size that
        eviction keeps; by default nothing is evicted. state_path: file of settings and marks; one
        beside the cache is moved there. By default it is beside the cache.
        """
        # 48 bits of a hash are collision-free in practice and do not reveal the key.
        self._origin = int.from_bytes(sha256(origin.encode()).digest()[:6], "big")
        self._name = origin.rpartition(" ")[0] or origin
        self._clock = clock
        self._path, self._limit_bytes = path, limit_bytes
        self._lock = threading.Lock()
        self._listings: WeakSet[Listing[Any]] = WeakSet()
        self._reads: dict[str, datetime] = {}
        # Before the file of the cache is opened, which may set an earlier one aside.
        self._state = StateFile(state_path or path.with_name("state.db"), before=path)
        bound = CacheSizeLimit(limit_bytes, self._on_screen)
        self._file = CacheFile(path, bound.step, check_after_seconds=check_after_seconds)
        self.fill_progress = FillProgress(self._file.rows_aside, self._write, self._origin, clock)

    @cached_property
    def followed(self) -> "FollowedLists":
        """Which lists are kept current, and what is saved of what changed."""
        # Deferred: the first frame does not need it.
        from frontdesk.cache.followed import FollowedLists

        return FollowedLists(self._file.rows, self._write, self._origin)

    @property
    def warning(self) -> str | None:
        """A sentence for the user if nothing can be saved or a damaged file was moved aside."""
        return self._file.warning or self._state.warning

    def close(self) -> None:
        """Finish pending writes; the cache cannot be used afterwards."""
        if self._reads:
            self._submit(lambda connection: None)
        self._file.close()
        self._state.close()

    @property
    def persistent(self) -> bool:
        """False if nothing can be saved, see `warning`."""
        return self._file.persistent

    def has_room(self) -> bool:
        """True while filling the cache does not lead to eviction."""
        rows = self._file.rows_aside(USED_BYTES)
        return bool(rows) and rows[0][0] < self._limit_bytes * GOAL

    def coverage(self) -> Coverage | None:
        """Which conversations are cached whole; None if the cache was never filled.

        Counts rows, from any thread: about a tenth of a second for 20,000 conversations.
        """
        return self._guarded(self.fill_progress.coverage, None)

    def listing(self, which: ListName, *, newest_first: bool = True) -> Listing[Any]:
        """Cached rows of a list, as wire models."""
        listing: Listing[Any] = Listing(
            self._file.rows,
            self._origin,
            which,
            newest_first=newest_first,
            generation=lambda: self._file.generation,
            recover=self._file.recover,
        )
        with self._lock:
            self._listings.add(listing)
            self._reads[which.name] = self._clock()
        return listing

    def body(self, kind: str, id: str) -> bytes | None:
        """JSON of a cached value."""
        rows = self._file.rows(
            "SELECT body FROM object WHERE origin = ? AND kind = ? AND id = ?",
            (self._origin, kind, id),
        )
        return rows[0][0] if rows else None

    def values(self, kind: str, ids: Collection[str], model: type[W]) -> dict[str, W]:
        """Cached values of a kind by id, without missing ones."""
        rows = self._file.rows(
            "SELECT id, body FROM object WHERE origin = ? AND kind = ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (self._origin, kind, compact_json(list(ids))),
        )
        return self._guarded(lambda: {id: model.model_validate_json(body) for id, body in rows}, {})

    def value(self, kind: str, id: str, model: type[W]) -> W | None:
        body = self.body(kind, id)
        return self._guarded(lambda: model.model_validate_json(body), None) if body else None

    def rows_of(self, kind: str, id: str, model: type[W]) -> list[W]:
        """Rows of a cached page, in its order; none if it is missing."""
        body = self.body(kind, id)
        if body is None:
            return []
        # A model of the page would cost a start more than its rows do.
        rows = self._guarded(lambda: list(json.loads(body)["data"]), list[object]())
        return self._guarded(lambda: list(map(model.model_validate, rows)), [])

    def top(self, which: ListName, until: str = HIGHEST.sort) -> Key | None:
        """Key of the newest row of a list; until: see `frontdesk.cache.lists.save_head`."""
        return self._bound(which, "DESC", until) or self._bound(which, "DESC")

    def oldest_key(self, which: ListName) -> Key | None:
        """Key of the oldest row of a list's contiguous range."""
        return self._bound(which, "ASC")

    def next_cursor(self, which: ListName) -> tuple[str | None, bool]:
        """Cursor after the oldest row of a list, and if the list is complete."""
        rows = self._file.rows(
            "SELECT cursor, complete FROM list WHERE origin = ? AND name = ?",
            (self._origin, which.name),
        )
        if not rows:
            return None, False
        cursor, complete = rows[0]
        cursor = self._guarded(lambda: None if cursor is None else text_of(cursor), None)
        return cursor, bool(complete)

    def search(
        self,
        text: str,
        *,
        limit: int,
        before: Hit | None = None,
        kinds: tuple[str, ...] = (),
        conversation_id: str | None = None,
    ) -> list[Hit]:
        """Full-text search, newest first; see `frontdesk.cache.search`."""
        from frontdesk.cache import search

        return self._guarded(
            lambda: search.search(
                self._file.rows,
                self._origin,
                text,
                limit=limit,
                before=before,
                kinds=kinds,
                conversation_id=conversation_id,
            ),
            [],
        )

    def conversations_with(self, text: str, *, limit: int) -> list[str]:
        """Ids of conversations whose customer has a text, best first, from any thread.

        See `frontdesk.cache.search`.
        """
        from frontdesk.cache import search

        return self._guarded(
            lambda: search.conversations_with(
                self._file.rows_aside, self._origin, text, limit=limit
            ),
            [],
        )

    def conversations_saying(self, text: str) -> list[str]:
        """Ids of conversations with a message that has a text; see `frontdesk.cache.search`."""
        from frontdesk.cache import search

        return self._guarded(
            lambda: search.conversations_saying(self._file.rows, self._origin, text), []
        )

    def conversations_of(self, contact_id: str) -> list[str]:
        """Ids of a contact's cached conversations, most recently active first."""
        from frontdesk.cache import search

        return search.conversations_of(self._file.rows, self._origin, contact_id)

    def count(self, kind: str) -> int:
        """Number of cached values of a kind; the time is proportional to it."""
        sql = "SELECT count(*) FROM object WHERE origin = ? AND kind = ?"
        return sum(row[0] for row in self._file.rows_aside(sql, (self._origin, kind)))

    async def usage(self) -> CacheUsage:
        """Cache statistics, read in a thread."""
        return await asyncio.to_thread(self._look)

    def get_setting(self, name: str) -> str | None:
        """Stored setting; changes by other processes are visible at once."""
        return self.get_settings((name,)).get(name)

    def get_settings(self, names: Collection[str]) -> dict[str, str]:
        """Stored settings by name, without missing ones."""
        return self._state.get(self._origin, names)

    def settings_with(self, value: str) -> list[str]:
        """Names of the settings that have a value."""
        return self._state.names_with(self._origin, value)

    def settings_beginning_with(self, prefix: str) -> dict[str, str]:
        """Settings whose name begins so, by the rest of it, without blank ones."""
        return self._state.beginning_with(self._origin, prefix)

    def set_setting(self, name: str, value: str) -> None:
        """Store a setting; see `StateFile`."""
        if self.get_setting(name) != value:
            self._state.set(self._origin, name, value)
            # It shows what was so before.
            self._submit(lambda connection: None)

    def save_first_frame(self, frame: FirstFrame) -> None:
        """Store the first frame of the next start; any later write deletes it."""
        # Write pending read times first: a later write would delete the frame.
        self._submit(lambda connection: None).result()
        self._file.save_first_frame(frame)

    async def save_head(
        self,
        which: ListName,
        fetched: FetchedRows,
        now: datetime,
        *,
        until: str = HIGHEST.sort,
        restart: bool = False,
        began: str | None = None,
        thorough: bool = False,
    ) -> SaveResult:
        """Merge the first pages into a list; after a gap, or on `restart`, they replace it.

        For the arguments see `frontdesk.cache.lists.save_head`.
        """
        return await self._write(
            lambda connection: lists.save_head(
                connection,
                self._origin,
                which,
                fetched,
                now,
                until=until,
                restart=restart,
                began=began,
                thorough=thorough,
            )
        )

    async def save_older(self, which: ListName, fetched: FetchedRows, after: str) -> SaveResult:
        """Append the rows that follow the cursor `after`."""
        return await self._write(
            lambda connection: lists.save_older(connection, self._origin, which, fetched, after)
        )

    async def save(self, kind: str, id: str, body: bytes) -> bool:
        """Save a value; True if it changed."""
        return await self._write(
            lambda connection: objects.save(connection, self._origin, kind, id, body)
        )

    async def save_all(self, kind: str, bodies: Mapping[str, bytes]) -> None:
        """Save several values of a kind, by id."""

        def work(connection: sqlite3.Connection) -> None:
            for id, body in bodies.items():
                objects.save(connection, self._origin, kind, id, body)

        await self._write(work)

    async def drop(self, kind: str, id: str) -> bool:
        """Delete a value; True if it existed."""
        return await self._write(
            lambda connection: objects.drop(connection, self._origin, kind, id)
        )

    async def forget(self, conversation_id: str) -> None:
        """Delete a conversation with its thread, from all lists."""
        await self._write(
            lambda connection: lists.forget(connection, self._origin, conversation_id)
        )

    async def _write(self, work: Work[T]) -> T:
        return await asyncio.wrap_future(self._submit(work))

    def _submit(self, work: Work[T]) -> Future[T]:
        """Submit a transaction, which also stores the read times since the last one."""

        def noted(connection: sqlite3.Connection) -> T:
            with self._lock:
                reads, self._reads = self._reads, {}
            lists.mark_read(connection, self._origin, reads)
            connection.execute(_NAME, (self._origin, self._name))
            return work(connection)

        return self._file.submit(noted)

    def _look(self) -> CacheUsage:
        # Rarely used; importing it would slow down every start.
        from frontdesk.cache.stats import FileUsage, OriginUsage, contents

        try:
            usage = contents(self._path)
        except UnusableFile:
            usage = FileUsage(0, (), ())
        ours = (each for each in usage.origins if each.origin == self._origin)
        nothing = OriginUsage(self._origin, self._name)
        return CacheUsage(usage.size_bytes, self._limit_bytes, next(ours, nothing))

    def _on_screen(self) -> set[tuple[int, str]]:
        """Lists that have a live listing."""
        with self._lock:
            return {(self._origin, listing.name) for listing in self._listings}

    def _bound(self, which: ListName, way: str, until: str = HIGHEST.sort) -> Key | None:
        rows = self._file.rows(
            f"{_BOUND} ORDER BY sort {way}, size {way}, entry.id {way} LIMIT 1",
            (self._origin, which.name, which.kind, until),
        )
        return self._guarded(lambda: _key(*rows[0]), None) if rows else None

    def _guarded(self, read: Callable[[], T], otherwise: T) -> T:
        """Result of `read`; if it fails on damaged data, the fallback, and the file is rebuilt."""
        generation = self._file.generation
        try:
            return read()
        except NONSENSE as error:
            self._file.recover(error, generation)
            return otherwise


def _key(sort: object, size: object, id: object, kind: object) -> Key:
    if not isinstance(size, int):
        raise TypeError("no length")
    return Key(text_of(sort), size, text_of(id), text_of(kind))
