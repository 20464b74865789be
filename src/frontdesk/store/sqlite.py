"""SQLite engine: one file, a single writer, and a reader connection per thread."""

import math
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

from frontdesk.errors import InboxError, QueryTimeout, Unreachable, UnusableFile
from frontdesk.store.database import (
    QUERY_RETRY_SECONDS,
    Connection,
    Dialect,
    FillingConnection,
    Row,
    WouldBlock,
)
from frontdesk.store.migrations import Schema, create_schema, is_current

T = TypeVar("T")

# "fdsk": application_id in the file header.
APPLICATION_ID = 0x6664736B
BUSY_TIMEOUT_SECONDS = 5.0
_TRIES = 10
# Virtual machine instructions between deadline checks: a few milliseconds.
STEPS_BETWEEN_LOOKS = 50_000
# Time limit of `read_inline`, checked often because a slow disk can delay any instruction.
AT_ONCE_SECONDS = 0.002
STEPS_AT_ONCE = 200
# Retry interval for a full disk or an I/O error.
FULL_RETRY_SECONDS = 30.0

_CANNOT_BE_WRITTEN = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
_CANNOT_BE_READ = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
# Message of the sqlite3 module for invalid UTF-8, which has no error code.
_NOT_TEXT = "Could not decode to UTF-8"
_ENGINE_FAULTS = (InboxError, OSError, MemoryError, sqlite3.OperationalError, sqlite3.InternalError)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class _Session(sqlite3.Connection):
    """Connection that interrupts statements after `ends_at` on the monotonic clock."""

    ends_at: float = math.inf

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._ended: Counter[str] = Counter()

    def check_deadline_every(self, steps: int) -> None:
        """Check the deadline every `steps` virtual machine instructions."""
        self.set_progress_handler(lambda: time.monotonic() > self.ends_at, steps)

    def fetch(
        self, sql: str, parameters: Mapping[str, object], most: int | None = None
    ) -> list[Row]:
        """Execute a statement and return its rows, or the first of them."""
        times = self._ended[sql] if self._ended else 0
        cursor = self.execute(f"{sql}\n--{times}" if times else sql, parameters)
        names = [column[0] for column in cursor.description]
        try:
            rows = cursor.fetchall() if most is None else cursor.fetchmany(most)
        except sqlite3.OperationalError:
            # Python 3.11 marks a statement that was interrupted between rows as in use for good,
            # and prepares it again on each run: vary its text to get a new cache entry.
            self._ended[sql] += 1
            raise
        return [dict(zip(names, row, strict=True)) for row in rows]


class SQLiteDatabase:
    """SQLite database file. `read` and `write` may be called from any thread."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        upgrade: bool = False,
        durable: bool = True,
        statement_seconds: float | None = None,
        schema: Schema | None = None,
    ) -> None:
        """Open `path`; `create` creates it if missing, or upgrades an older one.

        `durable=False` disables syncing, for a store that does not outlive the process.
        statement_seconds: time limit of a statement, None for no limit.

        Raises: UnusableFile: it does not exist, is not ours, newer, or older without `upgrade`.
        """
        self._path = path
        self._durable = durable
        self._statement_seconds = math.inf if statement_seconds is None else statement_seconds
        self._local = threading.local()
        self._writing = threading.Lock()
        self._opened: list[_Session] = []
        self._written = False
        self.damage: UnusableFile | None = None
        schema = schema or Schema()
        version = self._version(create)
        ready = version is not None and is_current(
            str(path), version, schema, upgrade=create or upgrade
        )
        try:
            self._writer = self._connect()
        except sqlite3.DatabaseError as error:
            self.close()
            if _code_of(error) in _DAMAGED:
                raise self._damaged(error) from error
            raise UnusableFile(f"{path} cannot be opened: {error}") from error
        if not ready:
            self._prepare(schema)

    def read(self, work: Callable[[Connection], T]) -> T:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._reader()
        return self._within(connection, "BEGIN", work, self._statement_seconds)

    def read_inline(self, work: Callable[[Connection], T]) -> T:
        connection = getattr(self._local, "inline_reader", None)
        if connection is None:
            connection = self._local.inline_reader = self._reader()
            connection.execute("PRAGMA busy_timeout=0")
            connection.check_deadline_every(STEPS_AT_ONCE)
        try:
            ends_at = time.monotonic() + AT_ONCE_SECONDS
            return self._within(connection, "BEGIN", work, AT_ONCE_SECONDS, ends_at)
        except Unreachable as error:
            raise WouldBlock from error

    def read_latest(self, work: Callable[[Connection], T]) -> T:
        return self.read(work)

    def write(self, work: Callable[[Connection], T]) -> T:
        with self._writing:
            self._written = True
            return self._within(self._writer, "BEGIN IMMEDIATE", work, self._statement_seconds)

    def rewrite(self) -> None:
        with self._writing, self._translated(writing=True):
            self._writer.execute("VACUUM")

    def truncate_log(self, *, patience_seconds: float = 0.0) -> bool:
        with self._writing, self._translated(writing=True):
            self._writer.execute(f"PRAGMA busy_timeout={round(patience_seconds * 1000)}")
            try:
                busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.OperationalError as error:
                # Another process checkpoints or reads.
                if _code_of(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise
                return False
            finally:
                self._writer.execute(f"PRAGMA busy_timeout={round(BUSY_TIMEOUT_SECONDS * 1000)}")
        return not busy

    @contextmanager
    def filling(self) -> Iterator[FillingConnection]:
        # A journal would double the pages written.
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-262144", "threads=2"):
            self._writer.execute(f"PRAGMA {pragma}")
        self._writer.execute("BEGIN")
        yield _SQLiteConnection(self._writer, math.inf)
        self._writer.execute("ANALYZE")
        self._writer.execute("COMMIT")
        self._writer.execute("PRAGMA journal_mode=WAL")

    def close(self) -> None:
        if self._written and self._durable and self._opened:
            # The log may hold overwritten rows; a reading process can prevent its truncation.
            with suppress(InboxError, sqlite3.Error):
                self.truncate_log()
        for connection in self._opened:
            connection.close()
        self._opened.clear()

    def _version(self, create: bool) -> int | None:
        """Return the schema version without changing the file; None for a file to be created."""
        if not self._path.exists():
            if create:
                return None
            raise UnusableFile(f"There is no database at {self._path}")
        if not self._path.is_file():
            raise UnusableFile(f"{self._path} is not a file")
        if create and not self._path.stat().st_size:
            return None
        # Without `immutable`, a read-only connection to a file without a log would create one.
        still = "" if Path(f"{self._path}-wal").exists() else "&immutable=1"
        try:
            probe = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro{still}", uri=True)
            try:
                owner: int = probe.execute("PRAGMA application_id").fetchone()[0]
                version: int = probe.execute("PRAGMA user_version").fetchone()[0]
                is_new = not (owner or version) and _is_empty(probe)
            finally:
                probe.close()
        except sqlite3.DatabaseError as error:
            if _code_of(error) in _DAMAGED and self._is_marked():
                raise self._damaged(error) from error
            raise UnusableFile(f"{self._path} is not a frontdesk database") from error
        if create and is_new:
            # Another process is about to fill it, or was ended as it was.
            return None
        if owner != APPLICATION_ID:
            raise UnusableFile(f"{self._path} is not a frontdesk database")
        return version

    def _is_marked(self) -> bool:
        """Check the header for our application id, even if the rest is damaged."""
        with self._path.open("rb") as file:
            return file.read(72)[68:] == APPLICATION_ID.to_bytes(4, "big")

    def _prepare(self, schema: Schema) -> None:
        """Create or upgrade the tables, unless another process did so in the meantime."""

        def prepare(connection: Connection) -> None:
            owner, version = (
                cast(int, self._writer.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("application_id", "user_version")
            )
            if owner != APPLICATION_ID:
                create_schema(connection)
            elif version != schema.version:
                schema.upgrades[version](connection)
            connection.run(f"PRAGMA application_id={APPLICATION_ID}")
            connection.run(f"PRAGMA user_version={schema.version}")

        try:
            self.write(prepare)
        except BaseException:
            self.close()
            raise

    def _reader(self) -> _Session:
        with self._translated(writing=False):
            connection = self._connect()
            connection.execute("PRAGMA query_only=1")
        return connection

    def _connect(self) -> _Session:
        connection = sqlite3.connect(
            self._path,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_SECONDS,
            cached_statements=512,
            factory=_Session,
        )
        if self._statement_seconds < math.inf:
            connection.check_deadline_every(STEPS_BETWEEN_LOOKS)
        # Not NORMAL: an acknowledged webhook must survive a loss of power.
        synchronous = "FULL" if self._durable else "OFF"
        # Overwrites deleted rows with zeros; otherwise their bytes stay in free pages.
        pragmas = ("secure_delete=ON", f"synchronous={synchronous}", "cache_size=-65536")
        try:
            _begin_log(connection)
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        self._opened.append(connection)
        return connection

    def _within(
        self,
        connection: _Session,
        begin: str,
        work: Callable[[Connection], T],
        statement_seconds: float,
        ends_at: float = math.inf,
    ) -> T:
        """Run `work` in a transaction; its statements have a time limit, and end at `ends_at`."""
        with self._translated(writing=connection is self._writer):
            connection.execute(begin)
            try:
                outcome = work(_SQLiteConnection(connection, statement_seconds, ends_at))
                connection.execute("COMMIT")
                return outcome
            finally:
                connection.ends_at = math.inf
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def is_engine_fault(self, error: Exception) -> bool:
        return isinstance(error, _ENGINE_FAULTS)

    @contextmanager
    def _translated(self, *, writing: bool) -> Iterator[None]:
        """Translate SQLite errors into expected errors."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            failure = self._failure(error, writing=writing)
            if failure is None:
                raise
            raise failure from error

    def _failure(self, error: sqlite3.DatabaseError, *, writing: bool) -> InboxError | None:
        """Return the expected error for a SQLite error, None for a bug."""
        code = _code_of(error)
        if code == sqlite3.SQLITE_INTERRUPT:
            return QueryTimeout(
                f"A query took longer than {self._statement_seconds:g} seconds",
                retry_after=QUERY_RETRY_SECONDS,
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Unreachable("The database is busy", retry_after=1.0)
        if code in _DAMAGED or str(error).startswith(_NOT_TEXT):
            return self._damaged(error)
        if writing and code in _CANNOT_BE_WRITTEN:
            words = f"The database cannot be written: {error}"
            return Unreachable(words, retry_after=FULL_RETRY_SECONDS)
        if code in _CANNOT_BE_READ:
            words = f"The database cannot be read: {error}"
            return Unreachable(words, retry_after=FULL_RETRY_SECONDS)
        return None

    def _damaged(self, error: sqlite3.DatabaseError) -> UnusableFile:
        reason = str(error).partition("\n")[0]
        self.damage = UnusableFile(
            f"The database {self._path} is damaged ({reason}): stop what uses it and put a backup "
            "in its place, or save what is readable with the command .recover of sqlite3"
        )
        return self.damage


class _SQLiteConnection:
    dialect: Dialect = "sqlite"

    def __init__(
        self, connection: _Session, statement_seconds: float, ends_at: float = math.inf
    ) -> None:
        self._connection = connection
        self._statement_seconds = statement_seconds
        self._ends_at = ends_at

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        self._set_the_time()
        return self._connection.fetch(sql, parameters or {})

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        self._set_the_time()
        return next(iter(self._connection.fetch(sql, parameters or {}, 1)), None)

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        self._set_the_time()
        return self._connection.execute(sql, parameters or {}).rowcount

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        self._set_the_time()
        statement, values = _by_place(sql)
        self._connection.executemany(statement, map(values, parameters))

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        places = ", ".join("?" * len(columns))
        self._connection.executemany(
            f"INSERT INTO {table}({', '.join(columns)}) VALUES ({places})", rows
        )

    def _set_the_time(self) -> None:
        self._connection.ends_at = min(time.monotonic() + self._statement_seconds, self._ends_at)


def _is_empty(connection: sqlite3.Connection) -> bool:
    """True for a database without tables; one without pages may be any short file."""
    has_pages = connection.execute("PRAGMA page_count").fetchone()[0] > 0
    return has_pages and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _begin_log(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log; what waits for other processes that write or begin one is a write."""
    for _ in range(_TRIES):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if _code_of(error) != sqlite3.SQLITE_BUSY:
                raise
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode=WAL")


def _code_of(error: sqlite3.Error) -> int:
    """Return the primary result code; 0 for an error of the sqlite3 module."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


@lru_cache(maxsize=256)
def _by_place(sql: str) -> tuple[str, Callable[[Mapping[str, object]], Sequence[object]]]:
    """Translate `:name` parameters to `?`, with a function that extracts the values of a row.

    Positional binding is much faster. No statement that is run many times has a literal with a
    colon.
    """
    names = re.findall(r":([a-z]\w*)", sql)
    statement = re.sub(r":[a-z]\w*", "?", sql)
    if len(names) == 1:
        return statement, lambda row: (row[names[0]],)
    return statement, itemgetter(*names)
