"""Size limit of the cache file: LRU eviction and vacuum, one small step at a time.

The default limit is that of `cache_mb` in `settings.py`.
"""

import sqlite3
from collections.abc import Callable, Collection

from frontdesk.cache import lists, objects

OnScreen = Callable[[], Collection[tuple[int, str]]]

_MOST_IN_MEMORY = 128_000_000

# Eviction goes down to this share of the limit, so that not every page triggers it again.
GOAL = 0.9
USED_BYTES = (
    "SELECT (page_count - freelist_count) * page_size"
    " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
# A larger share of free pages is returned to the file system, this many pages at a time.
_FREE_SHARE = 0.25
_PAGES_VACUUMED = 250
_EVICTED_AT_ONCE = 500

# FTS5 merges remove deleted entries from the index, this many pages at a time; a negative number
# starts a merge of the whole index.
_MERGE = "INSERT INTO found(found, rank) VALUES ('merge', ?)"
_PAGES_MERGED = 64

_READ = "max(coalesce(fetched_at, 0), coalesce(read_at, 0))"
_THREADS = (
    "SELECT origin, substr(name, instr(name, '/') + 1) AS conversation FROM list"
    " WHERE name GLOB 'thread/*' OR name GLOB 'notes/*'"
    f" GROUP BY origin, conversation ORDER BY max({_READ}), conversation LIMIT ?"
)
_LISTS = (
    "SELECT origin, number, name,"
    " (SELECT count(*) FROM bookmark WHERE bookmark.list = list.number) AS pages"
    f" FROM list WHERE NOT (name GLOB 'thread/*' OR name GLOB 'notes/*') ORDER BY {_READ}, number"
)
_UNLISTED_CONVERSATIONS = (
    "SELECT object.number FROM origin CROSS JOIN object"
    " ON object.origin = origin.number AND kind = 'conversation'"
    " WHERE NOT EXISTS(SELECT 1 FROM entry CROSS JOIN list ON list.number = entry.list"
    "  WHERE entry.kind = 'conversation' AND entry.id = object.id"
    "  AND list.origin = object.origin)"
    " AND NOT EXISTS(SELECT 1 FROM list WHERE list.origin = object.origin"
    "  AND list.name = 'thread/' || object.id)"
    " LIMIT ?"
)
_UNLISTED_VALUES = (
    "SELECT number FROM object WHERE kind IN ('contact', 'report', 'counts')"
    " OR (kind IN ('message', 'note') AND NOT EXISTS("
    "  SELECT 1 FROM entry WHERE entry.kind = object.kind AND entry.id = object.id))"
    " ORDER BY number LIMIT ?"
)


class CacheSizeLimit:
    """Size limit of one cache file. `on_screen`: returns (origin, name) of the lists in use."""

    def __init__(self, limit_bytes: int, on_screen: OnScreen) -> None:
        self._limit = limit_bytes
        self._on_screen = on_screen
        self._shrinking = False
        self._merging = False

    def step(self, connection: sqlite3.Connection, *, in_memory: bool = False) -> bool:
        """Take one step towards the limit, in the caller's transaction; False if none is left."""
        limit = min(self._limit, _MOST_IN_MEMORY) if in_memory else self._limit
        size = connection.execute(USED_BYTES).fetchone()[0]
        if size > limit and not self._shrinking:
            self._shrinking = self._merging = True
            connection.execute(_MERGE, (-_PAGES_MERGED,))
        if self._shrinking and size > limit * GOAL:
            self._merging = self._merging and _merge_step(connection)
            if self._merging or shrink(connection, self._on_screen()):
                return True
        self._shrinking = False
        return _vacuum_step(connection)


def shrink(connection: sqlite3.Connection, on_screen: Collection[tuple[int, str]]) -> bool:
    """Evict the least recently read data, except for lists on screen; False if nothing is left.

    The order is: conversations without a list, whole threads, tails of lists, whole lists, other
    values.
    """
    return (
        _evict_unlisted(connection, _UNLISTED_CONVERSATIONS)
        or _evict_thread(connection, on_screen)
        or _evict_from_lists(connection, on_screen)
        or _evict_unlisted(connection, _UNLISTED_VALUES)
    )


def _evict_unlisted(connection: sqlite3.Connection, which: str) -> bool:
    numbers = [row[0] for row in connection.execute(which, (_EVICTED_AT_ONCE,))]
    objects.drop_numbers(connection, numbers)
    return bool(numbers)


def _evict_thread(connection: sqlite3.Connection, on_screen: Collection[tuple[int, str]]) -> bool:
    for origin, id in connection.execute(_THREADS, (len(on_screen) + 1,)).fetchall():
        names = {(origin, lists.thread_name(id).name), (origin, lists.notes_name(id).name)}
        if names.isdisjoint(on_screen):
            lists.drop_thread(connection, origin, id)
            return True
    return False


def _evict_from_lists(
    connection: sqlite3.Connection, on_screen: Collection[tuple[int, str]]
) -> bool:
    """Drop the tail of a list of several pages; if there is none, drop a whole list."""
    held = [row for row in connection.execute(_LISTS) if (row[0], row[2]) not in on_screen]
    for _, number, _, pages in held:
        if pages > 1:
            lists.drop_tail(connection, number)
            return True
    for origin, _, name, _ in held:
        lists.drop_list(connection, origin, name)
        return True
    return False


def _merge_step(connection: sqlite3.Connection) -> bool:
    before = connection.total_changes
    connection.execute(_MERGE, (_PAGES_MERGED,))
    # The command itself counts as one change (sqlite.org/fts5.html, "merge").
    return connection.total_changes - before > 1


def _vacuum_step(connection: sqlite3.Connection) -> bool:
    """Return free pages to the file system if there are too many; True if more may follow."""
    free, every = _pragma(connection, "freelist_count"), _pragma(connection, "page_count")
    if free <= max(every * _FREE_SHARE, _PAGES_VACUUMED):
        return False
    connection.execute(f"PRAGMA incremental_vacuum({_PAGES_VACUUMED})").fetchall()
    return _pragma(connection, "freelist_count") < free


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
