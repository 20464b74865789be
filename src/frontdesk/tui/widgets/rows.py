"""What a list shows: rows by position, each with a key that it keeps when it moves."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Rows(Protocol[R_co]):
    """Rows by position, from the top of the list down; each has a key that it keeps."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> R_co: ...

    def key(self, position: int, /) -> str:
        """The key of the row at a position."""

    def find(self, key: str, /) -> int | None:
        """Where the row with this key stands now."""


class FixedRows(Generic[R]):
    """A few rows that are all at hand, each with its key."""

    def __init__(self, rows: Sequence[tuple[str, R]] = ()) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int, /) -> R:
        return self._rows[position][1]

    def key(self, position: int, /) -> str:
        return self._rows[position][0]

    def find(self, key: str, /) -> int | None:
        return next((at for at, (other, _) in enumerate(self._rows) if other == key), None)
