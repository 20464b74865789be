"""Row sources of lists: random access by position, with keys that survive reordering."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

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


class Place(NamedTuple):
    """Scroll position: key of the first visible row, line within it, key of the cursor's row."""

    top: str
    line: int
    cursor: str


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


def next_match(
    words_at: Callable[[int], str], count: int, start: int, step: int, sought: str
) -> int | None:
    """Position of the next row whose text contains `sought`, ignoring case, with wrap-around.

    `step` is 1 (down) or -1 (up); the row at `start` is tested last.
    """
    wanted = sought.casefold()
    for away in range(1, count + 1):
        position = (start + step * away) % count
        if wanted in words_at(position).casefold():
            return position
    return None


D = TypeVar("D")


class Drawings(Generic[D]):
    """LRU cache of drawings by row key, validated by the objects they were drawn from."""

    def __init__(self, kept: int) -> None:
        self._limit = kept
        self._kept: OrderedDict[str, tuple[tuple[object, ...], D]] = OrderedDict()

    def of(self, key: str, sources: tuple[object, ...], draw: Callable[[], D]) -> D:
        """Cached drawing of a row; drawn again if its sources are not equal to the cached ones."""
        kept = self._kept.get(key)
        # Rows that were read again are equal, but not identical.
        if kept is not None and kept[0] == sources:
            self._kept.move_to_end(key)
            return kept[1]
        drawn = draw()
        self._kept[key] = (sources, drawn)
        self._kept.move_to_end(key)
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)
        return drawn

    def clear(self) -> None:
        self._kept.clear()
