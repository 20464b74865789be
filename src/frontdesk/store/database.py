"""Engine-independent database interface: connections, transactions, expected errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

from frontdesk.errors import UnusableFile

Row = Mapping[str, Any]
T = TypeVar("T")

Dialect = Literal["sqlite", "postgresql"]

SCHEMA_VERSION = 14

# Retry interval after a statement timeout.
QUERY_RETRY_SECONDS = 5.0


class WouldBlock(Exception):
    """The read would block for longer than its caller can wait."""


class Connection(Protocol):
    """Transaction. SQL uses `:name` parameters and runs on both engines."""

    @property
    def dialect(self) -> Dialect:
        """Engine name, for the few statements that differ."""

    def rows(self, sql: str, parameters: Mapping[str, object] = ...) -> list[Row]:
        """Return all rows, addressed by column name."""

    def row(self, sql: str, parameters: Mapping[str, object] = ...) -> Row | None:
        """Return the first row, or None."""

    def run(self, sql: str, parameters: Mapping[str, object] = ...) -> int:
        """Run one statement and return the number of rows changed."""

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each set of parameters, in order."""


def first_number(connection: Connection, sql: str, parameters: Mapping[str, object] = {}) -> int:
    """Return the first value of the first row; 0 if there is none."""
    row = connection.row(sql, parameters)
    return 0 if row is None else int(next(iter(row.values())) or 0)


class FillingConnection(Connection, Protocol):
    """Single transaction that bulk-loads an empty database."""

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows, each a sequence of all column values, by the engine's fastest means."""


class Database(Protocol):
    """Runs functions in transactions. All methods but `read_inline` block: call them in a thread.

    Raises: UnusableFile if the database is not ours, newer than the program, or damaged;
    Unreachable if it is locked or down beyond its timeout, or cannot be written now; QueryTimeout
    if a statement exceeds its time limit.
    """

    damage: UnusableFile | None
    """Fault found in the file; None if there is none."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on one snapshot. It must not write, and may be run again."""

    def read_inline(self, work: Callable[[Connection], T]) -> T:
        """Like `read`, but takes a few milliseconds at most, for use on an event loop.

        Raises: WouldBlock: it would or may take longer; `work` did not finish, so use `read`.
        """

    def read_latest(self, work: Callable[[Connection], T]) -> T:
        """Like `read`, but never from a replica that may lag behind the last write."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one write transaction, atomically.

        It is run again after a conflict between writers, so it must have no other side effects.
        """

    def rewrite(self) -> None:
        """Rewrite the whole file: split pages keep copies of rows deleted since.

        Blocks writers for some seconds per GB. No-op on PostgreSQL.

        Raises: Unreachable: it is busy, or the disk cannot hold a second file of its size.
        """

    def truncate_log(self, *, patience_seconds: float = 0.0) -> bool:
        """Checkpoint and truncate the write-ahead log, which holds copies of deleted rows.

        Returns False if readers prevented it for `patience_seconds`. No-op on PostgreSQL, where
        vacuum removes dead rows.
        """

    def is_engine_fault(self, error: Exception) -> bool:
        """True if the engine or its machine caused an error of a write, and not what was written.

        The same write may succeed later.
        """

    def filling(self) -> AbstractContextManager[FillingConnection]:
        """Bulk load in one transaction; the empty database must not be open elsewhere.

        Statistics are updated at the end. After a failure, a file is not usable.
        """

    def close(self) -> None:
        """Close all connections; no call may follow."""
