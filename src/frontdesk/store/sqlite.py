"""SQLite as the store's engine: one file, one writer at a time, a reader on each thread."""

import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

from frontdesk.errors import Unreachable, UnusableFile
from frontdesk.store.database import SCHEMA_VERSION, Connection, Dialect, Row

T = TypeVar("T")

# "fdsk": tells our database from any other SQLite file.
APPLICATION_ID = 0x6664736B
BUSY_TIMEOUT_SECONDS = 5.0


class SQLiteDatabase:
    """A store in one file. `read` and `write` may be called from any thread."""

    def __init__(self, path: Path, *, create: bool = False, durable: bool = True) -> None:
        """Open `path`; with `create`, make it if it does not exist.

        `durable=False` is for a store that goes with the process: no syncing to the disk.

        Raises: UnusableFile: there is no such file, it is not ours, or it is newer.
        """
        self._path = path
        self._durable = durable
        self._local = threading.local()
        self._writing = threading.Lock()
        self._opened: list[sqlite3.Connection] = []
        self._check(create)
        try:
            self._writer = self._connect()
        except sqlite3.OperationalError as error:
            self.close()
            raise UnusableFile(f"{path} cannot be opened: {error}") from error
        if not self._writer.execute("PRAGMA user_version").fetchone()[0]:
            self.write(_lay_out)

    def read(self, work: Callable[[Connection], T]) -> T:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
            connection.execute("PRAGMA query_only=1")
        return self._within(connection, "BEGIN", work)

    def write(self, work: Callable[[Connection], T]) -> T:
        with self._writing:
            return self._within(self._writer, "BEGIN IMMEDIATE", work)

    def close(self) -> None:
        for connection in self._opened:
            connection.close()
        self._opened.clear()

    def _check(self, create: bool) -> None:
        """Look at the file without changing it."""
        if not self._path.exists():
            if create:
                return
            raise UnusableFile(f"There is no database at {self._path}")
        if not self._path.is_file():
            raise UnusableFile(f"{self._path} is not a file")
        if create and not self._path.stat().st_size:
            return
        try:
            probe = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)
            try:
                owner = probe.execute("PRAGMA application_id").fetchone()[0]
                version = probe.execute("PRAGMA user_version").fetchone()[0]
            finally:
                probe.close()
        except sqlite3.Error as error:
            raise UnusableFile(f"{self._path} is not a frontdesk database") from error
        if owner != APPLICATION_ID:
            raise UnusableFile(f"{self._path} is not a frontdesk database")
        if version > SCHEMA_VERSION:
            raise UnusableFile(
                f"{self._path} was made by a newer frontdesk (layout {version}; "
                f"this program reads up to {SCHEMA_VERSION})"
            )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_SECONDS,
            cached_statements=512,
        )
        connection.row_factory = sqlite3.Row
        self._opened.append(connection)
        synchronous = "NORMAL" if self._durable else "OFF"
        for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "cache_size=-65536"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _within(
        self, connection: sqlite3.Connection, begin: str, work: Callable[[Connection], T]
    ) -> T:
        try:
            connection.execute(begin)
            try:
                outcome = work(_SQLiteConnection(connection))
                connection.execute("COMMIT")
                return outcome
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise Unreachable("The database is busy", retry_after=1.0) from error
            raise


class _SQLiteConnection:
    """The Connection of one transaction."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        return cast(list[Row], self._connection.execute(sql, parameters or {}).fetchall())

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return cast(Row | None, self._connection.execute(sql, parameters or {}).fetchone())

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        return self._connection.execute(sql, parameters or {}).rowcount

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        self._connection.executemany(sql, parameters)


def _lay_out(connection: Connection) -> None:
    """Make the tables of an empty file and mark it as ours."""
    schema = files("frontdesk.store").joinpath("schema.sql").read_text(encoding="utf-8")
    schema = re.sub(r"^--sl ", "", schema, flags=re.MULTILINE)
    schema = re.sub(r"--.*$", "", schema, flags=re.MULTILINE)
    for statement in schema.split(";"):
        if statement.strip():
            connection.run(statement)
    connection.run(
        "INSERT INTO meta(name, value) VALUES ('cursor_secret', :secret)",
        {"secret": secrets.token_hex(32)},
    )
    connection.run(
        "INSERT INTO account(id, slug, name, created_at) VALUES (1, 'default', 'Inbox', :now)",
        {"now": time.time_ns() // 1_000_000},
    )
    connection.run(f"PRAGMA application_id={APPLICATION_ID}")
    connection.run(f"PRAGMA user_version={SCHEMA_VERSION}")
