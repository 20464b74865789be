"""What a store's database can do, whichever engine is behind it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

from frontdesk.errors import UnusableFile

Row = Mapping[str, Any]
T = TypeVar("T")

Dialect = Literal["sqlite", "postgresql"]

SCHEMA_VERSION = 2

# When a reader who ran into a statement's deadline may try again.
QUERY_RETRY_SECONDS = 5.0


class NotAtOnce(Exception):
    """What was to be read takes longer than its reader can stand still."""


class Connection(Protocol):
    """One transaction. SQL has `:name` parameters and runs on both engines."""

    @property
    def dialect(self) -> Dialect:
        """The engine's name, for the few statements that cannot be the same on both."""

    def rows(self, sql: str, parameters: Mapping[str, object] = ...) -> list[Row]:
        """All rows, addressed by column name."""

    def row(self, sql: str, parameters: Mapping[str, object] = ...) -> Row | None:
        """The first row, or None."""

    def run(self, sql: str, parameters: Mapping[str, object] = ...) -> int:
        """Run one statement; returns the number of rows it changed."""

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each set of parameters, in order."""


class FillingConnection(Connection, Protocol):
    """The one transaction in which an empty database is filled."""

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add rows, each with a value for every column, as fast as the engine can."""


class Database(Protocol):
    """Runs work in transactions. All but `read_at_once` block: call them from their own thread.

    Raises: UnusableFile when opened on a database that is not ours, or newer than the program,
    and whenever its file turns out to be damaged;
    Unreachable when the database is locked or down beyond its timeout, or cannot be written now;
    QueryTimeout when a statement ran longer than it may.
    """

    damage: UnusableFile | None
    """What was found to be wrong with the file; None for nothing."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on one snapshot; it must not write, and may be run again."""

    def read_at_once(self, work: Callable[[Connection], T]) -> T:
        """As `read`, for who must not be kept waiting: it takes a few milliseconds at most.

        Raises: NotAtOnce: it would take longer, or may; `work` was not finished, so `read` it.
        """

    def read_latest(self, work: Callable[[Connection], T]) -> T:
        """As `read`, but never behind what was written, even where others are read from."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one write transaction: all of it is kept, or nothing.

        Where writers got in each other's way it is run again, so it must leave no other trace.
        """

    def rewrite(self) -> None:
        """Write the whole file anew, as pages that were split keep copies of rows deleted since.

        Nobody else writes meanwhile: some seconds for each GB. On PostgreSQL it does nothing.

        Raises: Unreachable: it is busy, or the disk has no room for a second file of its size.
        """

    def truncate_log(self, *, patience_seconds: float = 0.0) -> bool:
        """Write the write-ahead log into the file and empty it: it holds copies of deleted rows.

        False if readers prevented it for so long. On PostgreSQL it does nothing: dead rows go as
        the server vacuums.
        """

    def filling(self) -> AbstractContextManager[FillingConnection]:
        """A transaction for very many rows, in an empty database that nobody else has opened.

        At its end what readers need is brought up to date. A file is lost where it does not end.
        """

    def close(self) -> None:
        """Give up every connection. No call may follow."""


def values_of(row: Row) -> tuple[Any, ...]:
    """The values of a row in the order of its columns: what tells equal rows from others."""
    # The rows of SQLite have names like a mapping, but are gone through as values.
    return tuple(row.values() if isinstance(row, dict) else row)
