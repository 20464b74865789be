"""State file: what a person did here and no server knows, in a small SQLite file of its own.

Saved views, marks of what was read, the history of queries, "me", the theme. Unlike the cache it
cannot be fetched again: it is never evicted, cleared or begun anew with the cache.
"""

import sqlite3
import threading
from collections.abc import Collection
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from frontdesk.cache import files

# "fdst": distinguishes it from other SQLite files.
APPLICATION_ID = 0x66647374
LAYOUT = 1

_SCHEMA = (
    """CREATE TABLE setting(
         origin INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
         PRIMARY KEY(origin, name)) WITHOUT ROWID""",
    "CREATE INDEX setting_by_value ON setting(origin, value)",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={LAYOUT}",
)
_SET = (
    "INSERT INTO setting VALUES (?, ?, ?)"
    " ON CONFLICT(origin, name) DO UPDATE SET value = excluded.value"
)
_ADD = "INSERT OR IGNORE INTO setting VALUES (?, ?, ?)"
# Settings of one origin that are held in memory; lists read one per row in each frame.
_MOST_HELD = 1_000
# What the cache itself keeps beside its lists, by name.
_OF_THE_CACHE = ("fill*", "filled/*")


class StateFile:
    """Settings by origin and name; synchronous, for a single thread.

    Each change is committed at once, and seen by other processes with their next read. Where
    nothing can be saved, settings last as long as the process; `warning` says so.
    """

    def __init__(self, path: Path, *, before: Path | None = None) -> None:
        """`before`: a cache. A new file begins with the settings of one of an earlier version, and
        what a file of this name beside it has that is missing here is moved here.
        """
        self.warning: str | None = None
        self._path = path
        self._lock = threading.Lock()
        self._held: dict[tuple[int, str], str | None] = {}
        # What was held before another process changed the file.
        self._outdated: dict[tuple[int, str], str | None] = {}
        self._version = -1
        is_new = not path.exists()
        self._connection = self._open()
        if is_new and before is not None:
            self._take_over(before)
        if before is not None and before.with_name(path.name) != path:
            self._move_here(before.with_name(path.name))

    def close(self) -> None:
        """Close the file; it cannot be used afterwards."""
        with self._lock:
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()

    def get(self, origin: int, names: Collection[str]) -> dict[str, str]:
        """Stored settings by name, without missing ones."""
        with self._lock:
            self._forget_if_changed()
            unknown = [name for name in names if (origin, name) not in self._held]
            if len(self._held) + len(unknown) > _MOST_HELD:
                self._held.clear()
                unknown = list(names)
            if unknown:
                self._held.update(dict.fromkeys((origin, name) for name in unknown))
                places = ",".join("?" * len(unknown))
                rows = self._rows(
                    f"SELECT name, value FROM setting WHERE origin = ? AND name IN ({places})",
                    (origin, *unknown),
                )
                self._held.update({(origin, name): value for name, value in rows})
            found = {name: self._held.get((origin, name)) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def names_with(self, origin: int, value: str) -> list[str]:
        """Names of the settings that have a value, in order."""
        with self._lock:
            rows = self._rows(
                "SELECT name FROM setting WHERE origin = ? AND value = ? ORDER BY name",
                (origin, value),
            )
        return [name for (name,) in rows]

    def beginning_with(self, origin: int, prefix: str) -> dict[str, str]:
        """Settings whose name begins so, by the rest of it, in order; without blank ones."""
        with self._lock:
            rows = self._rows(
                "SELECT name, value FROM setting WHERE origin = ? AND name >= ? AND name < ?"
                " AND value != '' ORDER BY name",
                (origin, prefix, f"{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}"),
            )
        return {name.removeprefix(prefix): value for name, value in rows}

    def set(self, origin: int, name: str, value: str) -> None:
        with self._lock:
            self._held[origin, name] = value
            self._rows(_SET, (origin, name, value))

    def _rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, after a failure once more on what `_recover` goes on with."""
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._recover(error)
            return self._connection.execute(sql, parameters).fetchall()

    def _forget_if_changed(self) -> None:
        """Read again what another process may have changed."""
        [(version,)] = self._rows("PRAGMA data_version")
        if version != self._version:
            self._version = version
            self._outdated, self._held = self._held, {}

    def _open(self) -> sqlite3.Connection:
        state = files.state(self._path, APPLICATION_ID, LAYOUT)
        if state in (files.FileState.FOREIGN, files.FileState.NEWER):
            self._warn(f"{self._path} is {state.value}")
            return _in_memory()
        try:
            if state is files.FileState.BROKEN:
                return self._begin_again()
            return self._on_disk()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if files.broken(error):
                return self._begin_again()
            self._warn(f"{self._path} cannot be written ({error})")
        except OSError as error:
            self._warn(f"{self._path} cannot be written ({error.strerror})")
        connection = _in_memory()
        _copy(self._path, connection)
        return connection

    def _on_disk(self) -> sqlite3.Connection:
        files.prepare(self._path, _make_tables)
        connection = _connected(files.address_of(self._path))
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            # Copying the log to the file may wait for the disk: `close` does that.
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute("SELECT origin FROM setting LIMIT 1").fetchone()
        except (sqlite3.Error, UnicodeDecodeError):
            connection.close()
            raise
        return connection

    def _recover(self, error: Exception) -> None:
        """Go on after a failed statement: with a new file if this one is damaged, else in memory.

        What was read before stays known, unless the file has something newer.
        """
        self._connection.close()
        if files.broken(error):
            self._connection = self._begin_again()
        else:
            self._warn(f"{self._path} cannot be written ({error})")
            self._connection = _in_memory()
            _copy(self._path, self._connection)
        for statement, values in ((_ADD, self._outdated), (_SET, self._held)):
            known = [(*key, value) for key, value in values.items() if value is not None]
            self._connection.executemany(statement, known)

    def _begin_again(self) -> sqlite3.Connection:
        """Set a damaged file aside, and take over what can be read of it."""
        try:
            aside = files.move_aside(self._path, "corrupt")
            connection = self._on_disk()
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            self._warn(f"{self._path} is damaged ({error})")
            return _in_memory()
        _copy(aside, connection)
        self.warning = (
            f"The file of saved views and marks was damaged. It was set aside as {aside.name}; what"
            " could be read of it is kept."
        )
        return connection

    def _take_over(self, cache: Path) -> None:
        """Copy the settings that earlier versions kept in the cache."""
        others = " AND ".join(f"name NOT GLOB '{pattern}'" for pattern in _OF_THE_CACHE)
        if files.state(cache) in (files.FileState.OURS, files.FileState.OLDER):
            _copy(cache, self._connection, f"memory WHERE {others}")

    def _move_here(self, earlier: Path) -> None:
        """Add the settings of a file in another place, and delete it; it stays if that fails."""
        ours = (files.FileState.OURS, files.FileState.OLDER)
        if self.warning or files.state(earlier, APPLICATION_ID, LAYOUT) not in ours:
            return
        with suppress(sqlite3.Error, UnicodeDecodeError, OSError):
            with closing(_connected(files.address_of(earlier))) as other:
                rows = other.execute("SELECT origin, name, value FROM setting").fetchall()
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(_ADD, rows)
                self._connection.execute("COMMIT")
            earlier.unlink()
            for suffix in ("-wal", "-shm"):
                earlier.with_name(earlier.name + suffix).unlink(missing_ok=True)

    def _warn(self, problem: str) -> None:
        self.warning = f"{problem}: views, marks and settings last for this session only."


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=files.BUSY_TIMEOUT_SECONDS,
    )


def _in_memory() -> sqlite3.Connection:
    connection = _connected(":memory:")
    _make_tables(connection)
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            for statement in _SCHEMA:
                connection.execute(statement)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _copy(path: Path, connection: sqlite3.Connection, table: str = "setting") -> None:
    """Copy rows of a file as far as they can be read."""
    for address in files.readable_addresses(path):
        with (
            suppress(sqlite3.Error, UnicodeDecodeError),
            closing(_connected(address)) as other,
        ):
            for row in other.execute(f"SELECT origin, name, value FROM {table}"):
                if [type(value) for value in row] == [int, str, str]:
                    connection.execute(_SET, row)
            return
