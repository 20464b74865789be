"""Rows of a list, and its state.

Rows have random access by position, and keys that survive reordering.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Generic, NamedTuple, Protocol, TypeVar

from frontdesk.wire import Conversation

# The cached states of conversations by id, without missing ones.
CurrentStates = Callable[[Collection[str]], Mapping[str, Conversation]]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Rows(Protocol[R_co]):
    """Sequence of rows with stable keys."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> R_co: ...

    def key(self, position: int, /) -> str:
        """Key of the row at a position."""

    def find(self, key: str, /) -> int | None:
        """Position of the row with this key, or None."""


class ListState(Rows[Conversation], Protocol):
    """One state of a cached list of conversations."""

    @property
    def complete(self) -> bool: ...

    def body(self, position: int, /) -> bytes:
        """JSON of the row at a position."""

    def absent(self, ids: Collection[str], /) -> set[str]:
        """Those of some ids that the list does not have."""

    def ranks(self, values: Sequence[Conversation], /) -> list[int]:
        """For each value that is not in the list, the number of rows before it."""


class FixedRows(Generic[R]):
    """Rows held in memory, given as pairs of key and row."""

    def __init__(self, rows: Sequence[tuple[str, R]] = ()) -> None:
        self._rows = rows
        self._positions: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int, /) -> R:
        return self._rows[position][1]

    def key(self, position: int, /) -> str:
        return self._rows[position][0]

    def find(self, key: str, /) -> int | None:
        if self._positions is None:
            self._positions = {other: at for at, (other, _) in enumerate(self._rows)}
        return self._positions.get(key)


def place_of(rows: Rows[R], key: str | None, shown: Sequence[str]) -> int | None:
    """Position of a row; if it is gone, that of the row which followed it in `shown`.

    None without both. shown: keys of rows as they followed each other before.
    """
    if key is None:
        return None
    found = rows.find(key)
    if found is not None or key not in shown:
        return found
    at = shown.index(key)
    after, before = map(rows.find, shown[at:]), map(rows.find, reversed(shown[:at]))
    following = next((position for position in after if position is not None), None)
    if following is not None:
        return following
    preceding = next((position for position in before if position is not None), None)
    return None if preceding is None else min(preceding + 1, len(rows) - 1)


class Place(NamedTuple):
    """Scroll position: key of the first visible row, line within it, key of the cursor's row."""

    top: str
    line: int
    cursor: str

    def among(self, rows: Rows[R], shown: Sequence[str]) -> "Place | None":
        """The place with the rows that follow those that are gone, see `place_of`; None if none do.

        shown: keys of the rows that were visible at it.
        """
        top, cursor = place_of(rows, self.top, shown), place_of(rows, self.cursor, shown)
        if top is None or cursor is None:
            return None
        key = rows.key(top)
        return Place(key, self.line if key == self.top else 0, rows.key(cursor))


class MergedRows(Generic[R]):
    """Rows with a few other rows inserted.

    others: tuples (number of rows before it, key, row), sorted.
    """

    def __init__(self, rows: Rows[R], others: Sequence[tuple[int, str, R]]) -> None:
        self._rows = rows
        self._others = others
        self._ranks = [rank for rank, _, _ in others]
        self._positions = [rank + before for before, rank in enumerate(self._ranks)]

    def __len__(self) -> int:
        return len(self._rows) + len(self._others)

    def __getitem__(self, position: int, /) -> R:
        before, is_other = self._others_before(position)
        return self._others[before][2] if is_other else self._rows[position - before]

    def key(self, position: int, /) -> str:
        before, is_other = self._others_before(position)
        return self._others[before][1] if is_other else self._rows.key(position - before)

    def find(self, key: str, /) -> int | None:
        for position, (_, other, _) in zip(self._positions, self._others, strict=True):
            if other == key:
                return position
        found = self._rows.find(key)
        return None if found is None else found + bisect_right(self._ranks, found)

    def _others_before(self, position: int) -> tuple[int, bool]:
        """Number of inserted rows before a position, and if the position itself is one."""
        before = bisect_left(self._positions, position)
        return before, before < len(self._positions) and self._positions[before] == position


class RowsWithout(Generic[R]):
    """Rows without a few of them. rows: all; positions: of those that are left out, ascending."""

    def __init__(self, rows: Rows[R], positions: Sequence[int]) -> None:
        self.rows, self._positions = rows, positions
        # Of the rows that are there, those before each that is left out.
        self._ranks = [position - before for before, position in enumerate(positions)]

    @property
    def left_out(self) -> int:
        """Number of rows that are left out."""
        return len(self._positions)

    def __len__(self) -> int:
        return len(self.rows) - self.left_out

    def __getitem__(self, position: int, /) -> R:
        return self.rows[position + bisect_right(self._ranks, position)]

    def key(self, position: int, /) -> str:
        return self.rows.key(position + bisect_right(self._ranks, position))

    def find(self, key: str, /) -> int | None:
        found = self.rows.find(key)
        if found is None or found in self._positions:
            return None
        return found - bisect_left(self._positions, found)


class CachedList(ListState, Protocol):
    """A cached list, whose state is that of the last `reload`."""

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        """Length, cursor and completeness; changes when older rows are added."""

    @property
    def fetched_at(self) -> datetime | None: ...

    def position(self, id: str, /) -> int | None:
        """Position of a row by id; None if it is not in this state of the list."""

    def has_moved(self, value: Conversation, /) -> bool:
        """True for a row of the list that has changed since, so that its place is another."""

    def reload(self) -> None:
        """Read the current state of the list."""
