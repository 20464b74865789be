"""Statistics of a cache file by server, and clearing it.

For commands: these functions block on the disk and raise errors that the cache itself hides.
"""

import sqlite3
from collections.abc import Collection
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from frontdesk.cache import files, lists, objects
from frontdesk.cache.coverage import Coverage, FillProgress
from frontdesk.cache.files import FileState
from frontdesk.errors import UnusableFile
from frontdesk.system import first_frame_file
from frontdesk.wire.values import utc_now

_ORIGINS = """
SELECT origin.number, name,
  (SELECT coalesce(sum(length(body) + length(id) + 100), 0) FROM object
    WHERE object.origin = origin.number)
  + (SELECT coalesce(sum(2 * length(text) + 60), 0) FROM said WHERE said.origin = origin.number),
  (SELECT count(*) FROM object WHERE object.origin = origin.number AND kind = 'conversation'),
  (SELECT count(*) FROM object WHERE object.origin = origin.number AND kind = 'message'),
  (SELECT count(*) FROM object WHERE object.origin = origin.number AND kind = 'note'),
  (SELECT count(*) FROM object WHERE object.origin = origin.number AND kind = 'contact'),
  (SELECT min(sort) FROM said WHERE said.origin = origin.number AND sort > ''),
  (SELECT max(sort) FROM said WHERE said.origin = origin.number),
  (SELECT max(max(coalesce(fetched_at, 0), coalesce(read_at, 0))) FROM list
    WHERE list.origin = origin.number)
FROM origin ORDER BY name, origin.number
"""
_LISTS_NOT_READ = (
    "SELECT name FROM list WHERE origin = ?"
    " AND max(coalesce(fetched_at, 0), coalesce(read_at, 0)) < ?"
)
_UNLISTED = (
    "SELECT number FROM object WHERE origin = ? AND kind = 'conversation'"
    " AND NOT EXISTS(SELECT 1 FROM entry CROSS JOIN list ON list.number = entry.list"
    "  WHERE entry.kind = 'conversation' AND entry.id = object.id"
    "  AND list.origin = object.origin)"
    " AND NOT EXISTS(SELECT 1 FROM list"
    "  WHERE list.origin = object.origin AND list.name = 'thread/' || object.id)"
)
_STRANGERS = (
    "SELECT number FROM object WHERE origin = ? AND kind = 'contact' AND NOT EXISTS("
    " SELECT 1 FROM said WHERE said.origin = object.origin AND said.kind = 'conversation'"
    " AND about = object.id)"
)


class OriginUsage(NamedTuple):
    """Statistics of one server and key or user. size_bytes: its estimated share of the file.

    oldest, newest: times of the cached messages; read_at: last time that a list was shown or
    fetched. coverage: conversations that are cached whole; None if none were filled.
    """

    origin: int
    name: str
    size_bytes: int = 0
    conversations: int = 0
    messages: int = 0
    notes: int = 0
    contacts: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    read_at: datetime | None = None
    coverage: Coverage | None = None


class FileUsage(NamedTuple):
    """A cache file: total size including companion files, and files moved aside."""

    size_bytes: int
    origins: tuple[OriginUsage, ...]
    set_aside: tuple[tuple[Path, int], ...]


def contents(path: Path) -> FileUsage:
    """Statistics of a cache, read without changing it.

    Raises: UnusableFile: another kind of file, or a damaged one.
    """
    aside = tuple((other, files.size_of(other)) for other in files.set_aside(path))
    state = files.state(path)
    if state is FileState.FREE:
        return FileUsage(0, (), aside)
    if state is not FileState.OURS:
        raise UnusableFile(f"{path} is {state.value}")
    size = files.size_of(path)
    try:
        with closing(files.reader(files.address_of(path))) as connection:
            rows = connection.execute(_ORIGINS).fetchall()
            coverages = [_coverage(connection, row[0]) for row in rows]
    except (sqlite3.Error, ValueError) as error:
        raise UnusableFile(f"{path} cannot be read: {error}") from error
    share = size / (sum(row[2] for row in rows) or 1)
    origins = zip(rows, coverages, strict=True)
    return FileUsage(
        size, tuple(_origin_usage(row, share, coverage) for row, coverage in origins), aside
    )


def _coverage(connection: sqlite3.Connection, origin: int) -> Coverage | None:
    def read(sql: str, values: tuple[object, ...]) -> list[Any]:
        return connection.execute(sql, values).fetchall()

    async def write(work: object) -> None:
        raise AssertionError("The file is only read")

    return FillProgress(read, write, origin, utc_now).coverage()


def clear(path: Path) -> None:
    """Delete a cache and all files moved aside; a file in use is emptied instead.

    Raises: UnusableFile: another kind of file, or it cannot be deleted.
    """
    state = files.state(path)
    if state in (FileState.FOREIGN, FileState.NEWER):
        raise UnusableFile(f"{path} is {state.value}: it was left alone")
    try:
        for other in files.set_aside(path):
            files.remove(other)
        if state is not FileState.OURS or _alone(path):
            files.remove(path)
            return
    except OSError as error:
        raise UnusableFile(f"{path} cannot be removed: {error.strerror}") from error
    clear_origins(path, [origin_usage.origin for origin_usage in contents(path).origins])


def clear_origins(
    path: Path, origins: Collection[int], *, not_read_since: datetime | None = None
) -> None:
    """Delete the data of some servers: all of it, or lists and threads not read since a time.

    Raises: UnusableFile: the file cannot be written.
    """
    if files.state(path) is FileState.FREE:
        return
    try:
        with closing(files.writer(files.address_of(path))) as connection:
            connection.execute("PRAGMA secure_delete=1")
            connection.execute("BEGIN IMMEDIATE")
            first_frame_file.delete(path)
            for origin in origins:
                if not_read_since is None:
                    _drop_all(connection, origin)
                else:
                    _drop_unread(connection, origin, not_read_since)
            connection.execute("INSERT INTO found(found) VALUES ('optimize')")
            connection.execute("COMMIT")
            # Also erase the data from free pages and from the write-ahead log.
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise UnusableFile(f"{path} cannot be emptied: {error}") from error


def _drop_all(connection: sqlite3.Connection, origin: int) -> None:
    numbers = connection.execute("SELECT number FROM object WHERE origin = ?", (origin,))
    objects.drop_numbers(connection, [row[0] for row in numbers.fetchall()])
    for table in ("entry", "node", "bookmark"):
        connection.execute(
            f"DELETE FROM {table} WHERE list IN (SELECT number FROM list WHERE origin = ?)",
            (origin,),
        )
    for table in ("list", "memory"):
        connection.execute(f"DELETE FROM {table} WHERE origin = ?", (origin,))
    connection.execute("DELETE FROM origin WHERE number = ?", (origin,))


def _drop_unread(connection: sqlite3.Connection, origin: int, since: datetime) -> None:
    cutoff = int(since.timestamp() * 1000)
    names = [row[0] for row in connection.execute(_LISTS_NOT_READ, (origin, cutoff))]
    for name in names:
        lists.drop_named(connection, origin, name)
    for unneeded in (_UNLISTED, _STRANGERS):
        numbers = connection.execute(unneeded, (origin,)).fetchall()
        objects.drop_numbers(connection, [row[0] for row in numbers])
    connection.execute(
        "DELETE FROM memory WHERE origin = ? AND name GLOB 'looked at/*' AND value < ?",
        (origin, since.astimezone(UTC).isoformat()),
    )


def _alone(path: Path) -> bool:
    """True if no other connection is open: only then SQLite can leave WAL mode."""
    try:
        with closing(files.writer(files.address_of(path))) as connection:
            connection.execute("PRAGMA busy_timeout=0")
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.Error as error:
        return files.broken(error)
    return bool(mode == "delete")


def _origin_usage(row: tuple[Any, ...], share: float, coverage: Coverage | None) -> OriginUsage:
    origin, name, weight, conversations, messages, notes, contacts, oldest, newest, read_at = row
    return OriginUsage(
        origin,
        name,
        round(weight * share),
        conversations,
        messages,
        notes,
        contacts,
        _moment(oldest),
        _moment(newest),
        datetime.fromtimestamp(read_at / 1000, UTC) if read_at else None,
        coverage,
    )


def _moment(sort: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(sort).replace(tzinfo=UTC) if sort else None
    except ValueError:
        return None
