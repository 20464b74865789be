"""Cache file: SQL schema, header check, creation, connections, check for damage."""

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from enum import Enum
from pathlib import Path

from frontdesk.system import first_frame_file, private_files

# "fdpg": distinguishes the cache from other SQLite files.
APPLICATION_ID = 0x66647067
LAYOUT = 5

# entry: rows of a list in order, with the number of their object. Numbers are assigned in order of
# arrival, so that a block of rows is read from few database pages.
# node: index of a list; level 1 counts the entries of a block, level 2 those of a run of blocks. A
# node extends from its key to the next one's.
# list: followed is the feed by which it is kept current, see `followed.py`.
# bookmark: cursors of a list's pages, each for the rows below its key.
# said: case-folded text of an object, by its number; the last message of a conversation whose
# thread is not cached has the negated number of the conversation.
# found: full-text index of said. memory: which conversations are cached whole, by name. Settings
# and marks of what was read are in a file of their own, see `state.py`.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS origin(number INTEGER PRIMARY KEY, name TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS object(
         number INTEGER PRIMARY KEY,
         origin INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL,
         UNIQUE(origin, kind, id))""",
    """CREATE TABLE IF NOT EXISTS list(
         number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, name TEXT NOT NULL,
         cursor TEXT, complete INTEGER NOT NULL DEFAULT 0, fetched_at INTEGER, read_at INTEGER,
         followed TEXT,
         UNIQUE(origin, name))""",
    """CREATE TABLE IF NOT EXISTS entry(
         list INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, object INTEGER,
         PRIMARY KEY(list, sort, size, id, kind)) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX IF NOT EXISTS entry_by_id ON entry(kind, id, list)",
    """CREATE INDEX IF NOT EXISTS entry_notes ON entry(list, sort, size, id)
         WHERE kind = 'note'""",
    """CREATE TABLE IF NOT EXISTS node(
         list INTEGER NOT NULL, level INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
         PRIMARY KEY(list, level, sort, size, id, kind)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS bookmark(
         list INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, cursor TEXT NOT NULL,
         PRIMARY KEY(list, sort, size, id, kind)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS said(
         number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, kind TEXT NOT NULL,
         about TEXT, sort TEXT NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS said_by_time ON said(origin, sort)",
    "CREATE INDEX IF NOT EXISTS said_about ON said(origin, about)",
    """CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5(
         text, content='said', content_rowid='number',
         tokenize='trigram case_sensitive 1', detail=none, columnsize=0)""",
    """CREATE TABLE IF NOT EXISTS memory(
         origin INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
         PRIMARY KEY(origin, name)) WITHOUT ROWID""",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={LAYOUT}",
)

# Tables to copy; the search index is rebuilt from them.
TABLES = ("origin", "object", "list", "entry", "node", "bookmark", "said", "memory")


BUSY_TIMEOUT_SECONDS = 5.0

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_MOST_COPIED = 32_000_000
_MOST_LOG_KEPT = 4 * 2**20
# Page caches of SQLite; larger ones gain little over the system's file cache.
_READER_KIBIBYTES, _WRITER_KIBIBYTES = 1_000, 4_000
_IN_MEMORY = "?vfs=memdb"
_COMPANIONS = ("-wal", "-shm", first_frame_file.SUFFIX)
_BROKEN = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_TOOBIG,
)
_UNWRITABLE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
)


class FileState(Enum):
    """State of the file at the cache's path."""

    FREE = "nothing yet"
    OURS = "a file of frontdesk"
    BROKEN = "a file that cannot be read"
    OLDER = "a file of an older frontdesk"
    NEWER = "a file of a newer frontdesk"
    FOREIGN = "not a file of frontdesk"


def state(path: Path, application_id: int = APPLICATION_ID, layout: int = LAYOUT) -> FileState:
    """Determine the state of a file without changing it."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return FileState.FOREIGN if path.is_symlink() else FileState.FREE
    except OSError:
        return FileState.FOREIGN
    if not stat.S_ISREG(status.st_mode):
        return FileState.FOREIGN
    if not status.st_size:
        return FileState.FREE
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError:
        return FileState.FOREIGN
    verdict = _judge(header, status.st_size, application_id, layout)
    # During another process's checkpoint, the file is temporarily too short.
    return FileState.OURS if verdict is FileState.BROKEN and has_wal(path) else verdict


def has_wal(path: Path) -> bool:
    """True if the write-ahead log is not empty: a writer is active or was killed."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except OSError:
        return False


def _judge(header: bytes, size: int, application_id: int, layout: int) -> FileState:
    """State by the header of the SQLite file (sqlite.org/fileformat.html)."""
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        return FileState.FOREIGN
    if int.from_bytes(header[68:72], "big") != application_id:
        return FileState.FOREIGN
    version = int.from_bytes(header[60:64], "big")
    if version != layout:
        return FileState.NEWER if version > layout else FileState.OLDER
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return (
        FileState.BROKEN
        if size < pages * (65536 if page_size == 1 else page_size)
        else FileState.OURS
    )


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait for other processes that are about to remove a file. Raises: OSError."""
    try:
        import fcntl
    except ImportError:
        # On Windows, a file that another process has open cannot be removed.
        yield
        return
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        # Not every file system has locks.
        with suppress(OSError):
            fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def prepare(path: Path, create: Callable[[sqlite3.Connection], None] | None = None) -> None:
    """Create the file and its directory, accessible to the owner only.

    create: creates the tables; by default those of a cache.

    A complete file is linked to its name, so another process sees either no cache or a usable one.
    """
    private_files.make_directories(path)
    if path.exists():
        private_files.close_to_others(path)
        _fill(path, create or create_tables)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.unlink(missing_ok=True)
        private_files.make(partial, new=True)
        _fill(partial, create or create_tables)
        _name(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _name(partial: Path, path: Path) -> None:
    """Link a file to its final name, unless that exists by now."""
    try:
        os.link(partial, path)
    except FileExistsError:
        return
    except OSError:
        # Not all file systems support hard links.
        if not path.exists():
            os.replace(partial, path)


def _fill(path: Path, create: Callable[[sqlite3.Connection], None]) -> None:
    connection = _connect(address_of(path))
    try:
        create(connection)
        connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables if they do not exist."""
    if connection.execute("PRAGMA user_version").fetchone()[0]:
        return
    # auto_vacuum must be set before the first table is created.
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("COMMIT")


def memory() -> str:
    """URI of a new cache in memory."""
    return f"file:/frontdesk-{os.urandom(8).hex()}{_IN_MEMORY}"


def is_memory(address: str) -> bool:
    """True for the URI of a cache in memory."""
    return address.endswith(_IN_MEMORY)


def copy(path: Path, address: str) -> None:
    """Copy a readable file into a cache in memory, unless it is large."""
    if state(path) is not FileState.OURS or size_of(path) > _MOST_COPIED:
        return
    any(_copied(readable, address) for readable in readable_addresses(path))


def readable_addresses(path: Path) -> tuple[str, str]:
    """URIs with which SQLite reads an existing file, to be tried in this order.

    On a read-only file system it cannot create the log beside the file.
    """
    return f"{_address(path)}?mode=ro", f"{_address(path)}?immutable=1"


def _copied(readable: str, address: str) -> bool:
    try:
        connection = _connect(readable)
    except sqlite3.Error:
        return False
    try:
        connection.execute("ATTACH ? AS copy", (address,))
        connection.execute("BEGIN")
        for table in TABLES:
            connection.execute(f"INSERT INTO copy.{table} SELECT * FROM main.{table}")
        connection.execute("INSERT INTO copy.found(found) VALUES ('rebuild')")
        connection.execute("COMMIT")
    except sqlite3.Error:
        connection.rollback()
        return False
    finally:
        connection.close()
    return True


def reader(address: str) -> sqlite3.Connection:
    """A read-only connection to an existing cache."""
    connection = _connect(address)
    try:
        create_tables(connection)
        connection.execute("SELECT number FROM list LIMIT 1").fetchone()
        connection.execute("PRAGMA query_only=1")
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def writer(address: str) -> sqlite3.Connection:
    """The connection of the writer thread, without automatic checkpoints."""
    connection = _connect(address, _WRITER_KIBIBYTES)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute(f"PRAGMA journal_size_limit={_MOST_LOG_KEPT}")
    return connection


def address_of(path: Path) -> str:
    """URI with which SQLite opens an existing file."""
    return f"{_address(path)}?mode=rw"


def _address(path: Path) -> str:
    """A file URI (sqlite.org/uri.html); `Path.as_uri` would import urllib."""
    place = path.absolute().as_posix()
    for sign in "%?#":
        place = place.replace(sign, f"%{ord(sign):x}")
    return f"file://{place}" if place.startswith("/") else f"file:///{place}"


def _connect(address: str, kibibytes: int = _READER_KIBIBYTES) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_SECONDS,
    )
    try:
        connection.execute(f"PRAGMA cache_size=-{kibibytes}")
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


# Conditions that no row of a sound cache fulfils; the columns of SQLite have no fixed types.
_UNSOUND = (
    "list WHERE typeof(name) <> 'text' OR typeof(cursor) NOT IN ('null', 'text')"
    " OR NOT (fetched_at IS NULL OR typeof(fetched_at) = 'integer'"
    " AND fetched_at BETWEEN 0 AND 253402300799999)",
    "entry WHERE typeof(sort) <> 'text' OR typeof(size) <> 'integer' OR typeof(id) <> 'text'"
    " OR kind NOT IN ('conversation', 'message', 'note')",
    "node WHERE typeof(sort) <> 'text' OR typeof(size) <> 'integer' OR typeof(id) <> 'text'"
    " OR typeof(kind) <> 'text' OR typeof(count) <> 'integer' OR count NOT BETWEEN 0 AND 1000000",
    "(SELECT count(*) AS counted FROM entry UNION SELECT total(count) FROM node GROUP BY level)"
    " GROUP BY NULL HAVING count(*) > 1",
    "(SELECT list FROM entry GROUP BY list EXCEPT SELECT number FROM list)",
    "(SELECT number FROM list EXCEPT SELECT list FROM node WHERE size = -1 AND level = 2)",
    "(SELECT number FROM list EXCEPT SELECT list FROM node WHERE size = -1 AND level = 1)",
    "bookmark WHERE typeof(sort) <> 'text' OR typeof(size) <> 'integer' OR typeof(id) <> 'text'"
    " OR typeof(cursor) <> 'text'",
    "object WHERE typeof(kind) <> 'text' OR typeof(id) <> 'text'"
    " OR NOT json_valid(CAST(body AS TEXT))",
    "said WHERE typeof(kind) <> 'text' OR typeof(sort) <> 'text' OR typeof(text) <> 'text'",
    "memory WHERE typeof(name) <> 'text' OR typeof(value) <> 'text'",
)


def damaged(address: str) -> bool:
    """Check a whole cache, which takes a second for 100 MB: its structure, and every row."""
    try:
        with closing(_connect(address)) as connection:
            if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                return True
            return any(
                connection.execute(f"SELECT 1 FROM {rows} LIMIT 1").fetchone() for rows in _UNSOUND
            )
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return broken(error)


def move_aside(path: Path, why: str) -> Path:
    """Rename a file and its companion files to NAME.`why`-NUMBER; returns the new path.

    Only two renamed files are kept; older ones are deleted.
    """
    before = set_aside(path)
    number = 1 + (_aside_number(path, before[-1]) if before else 0)
    aside = path.with_name(f"{path.name}.{why}-{number}")
    path.replace(aside)
    first_frame_file.delete(path)
    for other in before[:-1]:
        remove(other)
    for suffix in _COMPANIONS:
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside


def set_aside(path: Path) -> list[Path]:
    """Files that were moved aside, oldest first."""
    try:
        others = [other for other in path.parent.iterdir() if _aside_number(path, other)]
    except OSError:
        return []
    return sorted(others, key=lambda other: _aside_number(path, other))


def size_of(path: Path) -> int:
    """Size of a cache with its companion files, in bytes."""
    size = 0
    for suffix in ("", *_COMPANIONS):
        # Other processes delete companion files.
        with suppress(FileNotFoundError):
            size += path.with_name(path.name + suffix).stat().st_size
    return size


def remove(path: Path) -> None:
    """Delete a cache with its companion files."""
    for suffix in ("", *_COMPANIONS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _aside_number(path: Path, other: Path) -> int:
    """Number of a file that was moved aside; 0 for any other file."""
    match = re.fullmatch(r"\.(?:corrupt|older)-([0-9]+)", other.name.removeprefix(path.name))
    return int(match[1]) if match else 0


def broken(error: Exception) -> bool:
    """True if the error shows a damaged file: unreadable or inconsistent."""
    if isinstance(error, UnicodeDecodeError):
        # SQLite's error message contained the damaged bytes.
        return True
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Invalid UTF-8 in a text column is detected by Python, not by SQLite.
        return isinstance(error, sqlite3.OperationalError)
    # A table is missing, or the full-text index is none: SQLite has no code of its own for these.
    is_damage = str(error).startswith(("no such", "invalid fts5"))
    return code & 0xFF in _BROKEN or (code == sqlite3.SQLITE_ERROR and is_damage)


def unwritable(error: Exception) -> bool:
    """True if saving is impossible for now: disk full, not writable, or locked for too long."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE
