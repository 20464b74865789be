"""Bulk load into an empty store: indexes are dropped first and created at the end."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.store import contacts, message_search, trigrams
from frontdesk.store.connect import open_database
from frontdesk.store.database import Connection, FillingConnection
from frontdesk.store.dsn import is_address, without_password
from frontdesk.store.rows import statements, table_of
from frontdesk.system import private_files

# Kind of rows, and the values of all columns of each, in column order.
Packed = tuple[str, list[tuple[Any, ...]]]

_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX (\w+)")
_PARTIAL = ".partial"
_ENDS = ("", "-journal", "-wal", "-shm")
_SQLITE = b"SQLite format 3\0"


def packed(kind: str, rows: Iterable[Mapping[str, Any]]) -> Packed:
    """Convert rows to column values, as `put` takes them."""
    return kind, list(map(itemgetter(*table_of(kind).columns), rows))


def put(connection: FillingConnection, packed: Packed) -> None:
    kind, rows = packed
    table = table_of(kind)
    connection.load(table.name, table.columns, rows)


@contextmanager
def filled(target: str, stage: Callable[[str], None]) -> Iterator[FillingConnection]:
    """Create and fill a store atomically: `target` is complete or does not exist.

    target: a file that does not exist, or a PostgreSQL database without an inbox. `stage` is called
    with a description of each step after the rows are loaded.

    Raises: BadSettings: the target has contents already. UnusableFile, Unreachable.
    """
    place = _database(target) if is_address(target) else _file(Path(target))
    with place as connection:
        indexes = _indexes(connection)
        for name in indexes:
            connection.run(f"DROP INDEX {name}")
        message_search.drop(connection)
        trigrams.drop_contact_indexes(connection)
        yield connection
        for number, (name, statement) in enumerate(indexes.items(), start=1):
            stage(f"index {number} of {len(indexes)}, {name}")
            connection.run(statement)
        stage("index of words")
        contacts.rebuild_index(connection)
        stage("index of messages")
        message_search.build_at_once(connection)
        stage("statistics")


@contextmanager
def _file(path: Path) -> Iterator[FillingConnection]:
    """Fill a temporary file next to `path`, and rename it; it is removed on failure."""
    if path.exists():
        raise BadSettings(f"{path} exists already: name a file that does not")
    partial = path.with_name(f"{path.name}{_PARTIAL}")
    with _claimed(partial):
        try:
            with (
                closing(open_database(partial, create=True, durable=False)) as database,
                database.filling() as connection,
            ):
                yield connection
            _settle(partial, path)
        except sqlite3.OperationalError as error:
            raise UnusableFile(f"{path} cannot be made: {error}") from error
        finally:
            for end in _ENDS:
                Path(f"{partial}{end}").unlink(missing_ok=True)


@contextmanager
def _database(address: str) -> Iterator[FillingConnection]:
    """Fill in one transaction."""
    with (
        closing(open_database(address, create=True)) as database,
        database.filling() as connection,
    ):
        if _has_rows(connection):
            raise BadSettings(
                f"There is an inbox in {without_password(address)} already: name an empty database"
            )
        yield connection


def _indexes(connection: Connection) -> dict[str, str]:
    """Return the CREATE INDEX statements by index name, but for those of trigrams on PostgreSQL."""
    everything = statements(connection.dialect)
    plain = (statement for statement in everything if not trigrams.needs_extensions(statement))
    matches = ((_INDEX.search(statement), statement) for statement in plain)
    return {match[1]: statement for match, statement in matches if match}


def _has_rows(connection: Connection) -> bool:
    tables = ("contact", "conversation", "channel", "app_user", "label", "team")
    return any(connection.row(f"SELECT 1 AS one FROM {table} LIMIT 1") for table in tables)


@contextmanager
def _claimed(partial: Path) -> Iterator[None]:
    """Create and lock an empty file, readable by its owner only.

    A leftover of a killed process is removed.

    Raises: BadSettings: another process fills it, or it is not a database. UnusableFile.
    """
    busy = BadSettings(f"{partial} is being filled by another process: wait until it has ended")
    with ExitStack() as resources:
        try:
            private_files.make(partial)
            with partial.open("rb") as file:
                if file.read(len(_SQLITE)) not in (b"", _SQLITE):
                    raise BadSettings(f"{partial} is in the way: move it elsewhere, or remove it")
            if not _is_locked(partial, resources):
                raise busy
            for end in _ENDS[1:]:
                Path(f"{partial}{end}").unlink(missing_ok=True)
        except OSError as error:
            raise UnusableFile(f"{partial} cannot be made: {error.strerror}") from error
        yield


def _is_locked(partial: Path, resources: ExitStack) -> bool:
    """Truncate a file and lock it until `resources` close or the process ends. Raises: OSError."""
    try:
        import fcntl
    except ImportError:
        # On Windows, a file that another process has open cannot be removed.
        try:
            partial.unlink()
        except PermissionError:
            return False
        private_files.make(partial, new=True)
        return True
    file = resources.enter_context(partial.open("r+b"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # The previous owner of the lock may have renamed or removed the file in between.
    if not partial.exists() or not os.path.samestat(os.fstat(file.fileno()), partial.stat()):
        return False
    file.truncate(0)
    return True


def _settle(partial: Path, path: Path) -> None:
    """Sync the file and rename it."""
    # Windows syncs only files that are open for writing.
    with partial.open("r+b") as file:
        os.fsync(file.fileno())
    partial.replace(path)
