"""Fills an empty store with very many rows: without indexes, which are made at the end."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from frontdesk import private
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.store import changes, contact_words
from frontdesk.store.addresses import is_address, shown
from frontdesk.store.database import Connection, Dialect, FillingConnection
from frontdesk.store.layout import statements
from frontdesk.store.opening import open_database

# A kind of rows, and of each the values of all columns in their order.
Packed = tuple[str, list[tuple[Any, ...]]]

_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX (\w+)")
_PARTIAL = ".partial"
_ENDS = ("", "-journal", "-wal", "-shm")
_SQLITE = b"SQLite format 3\0"


def packed(kind: str, rows: Iterable[Mapping[str, Any]]) -> Packed:
    """Rows of a kind as `put` takes them."""
    _, columns = changes.place_of(kind)
    return kind, list(map(itemgetter(*columns), rows))


def put(connection: FillingConnection, packed: Packed) -> None:
    """Add rows that no table has yet."""
    kind, rows = packed
    connection.load(*changes.place_of(kind), rows)


@contextmanager
def filled(target: str, stage: Callable[[str], None]) -> Iterator[FillingConnection]:
    """A new store at `target`, while it is filled: in the end it is there whole, or not at all.

    target: a file that does not exist, or a PostgreSQL database without an inbox in it. `stage`
    is told in words what is made of the rows once they are in.

    Raises: BadSettings: there is something already. UnusableFile, Unreachable.
    """
    place = _database(target) if is_address(target) else _file(Path(target))
    with place as connection:
        indexes = _indexes(connection.dialect)
        for name in indexes:
            connection.run(f"DROP INDEX {name}")
        yield connection
        for number, (name, statement) in enumerate(indexes.items(), start=1):
            stage(f"index {number} of {len(indexes)}, {name}")
            connection.run(statement)
        stage("index of words")
        contact_words.remember_all(connection)
        stage("statistics")


@contextmanager
def _file(path: Path) -> Iterator[FillingConnection]:
    """Filled beside its place: what is not finished is thrown away."""
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
            _remove(partial)


@contextmanager
def _database(address: str) -> Iterator[FillingConnection]:
    """Filled in one transaction."""
    with (
        closing(open_database(address, create=True)) as database,
        database.filling() as connection,
    ):
        if _has_rows(connection):
            raise BadSettings(
                f"There is an inbox in {shown(address)} already: name an empty database"
            )
        yield connection


def _indexes(dialect: Dialect) -> dict[str, str]:
    """The statement that makes each index, by its name."""
    found = ((_INDEX.search(statement), statement) for statement in statements(dialect))
    return {match[1]: statement for match, statement in found if match}


def _has_rows(connection: Connection) -> bool:
    tables = ("contact", "conversation", "channel", "app_user", "label", "team")
    return any(connection.row(f"SELECT 1 AS one FROM {table} LIMIT 1") for table in tables)


@contextmanager
def _claimed(partial: Path) -> Iterator[None]:
    """An empty file for its owner's eyes alone, as long as this process has it locked.

    What a process left there that was killed is removed before.

    Raises: BadSettings: another process fills it, or it is somebody else's. UnusableFile.
    """
    taken = BadSettings(f"{partial} is being filled by another process: wait until it has ended")
    with ExitStack() as held:
        try:
            private.make(partial)
            with partial.open("rb") as file:
                if file.read(len(_SQLITE)) not in (b"", _SQLITE):
                    raise BadSettings(f"{partial} is in the way: move it elsewhere, or remove it")
            if not _is_locked(partial, held):
                raise taken
            for end in _ENDS[1:]:
                Path(f"{partial}{end}").unlink(missing_ok=True)
        except OSError as error:
            raise UnusableFile(f"{partial} cannot be made: {error.strerror}") from error
        yield


def _is_locked(partial: Path, held: ExitStack) -> bool:
    """Empty a file and lock it until `held` ends, however its process ends. Raises: OSError."""
    try:
        import fcntl
    except ImportError:
        # Windows lets nobody remove what another process has open.
        try:
            partial.unlink()
        except PermissionError:
            return False
        private.make(partial, new=True)
        return True
    file = held.enter_context(partial.open("r+b"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # Whoever had it may have given it its name, or removed it, in between.
    if not partial.exists() or not os.path.samestat(os.fstat(file.fileno()), partial.stat()):
        return False
    file.truncate(0)
    return True


def _remove(partial: Path) -> None:
    for end in _ENDS:
        Path(f"{partial}{end}").unlink(missing_ok=True)


def _settle(partial: Path, path: Path) -> None:
    """Have the file on the disk, then in its place."""
    # Windows syncs only what may be written.
    with partial.open("r+b") as file:
        os.fsync(file.fileno())
    partial.replace(path)
