"""The envelope of every list (contract 1.2)."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Generic, Self, TypeVar

from frontdesk.wire.base import Wire

T = TypeVar("T", bound=Wire)


class Page(Wire, Generic[T]):
    """One page in the endpoint's order. `next_cursor` is opaque; None means the end."""

    data: tuple[T, ...]
    next_cursor: str | None = None
    has_more: bool = False

    def __class_getitem__(cls, row: Any) -> Any:
        """Pages of one resource are a class of their own: their rows are checked."""
        if isinstance(row, type) and issubclass(row, Wire):
            return _pages_of(cls, row)
        return super().__class_getitem__(row)  # type: ignore[misc]

    @classmethod
    def of(cls, rows: Iterable[T], next_cursor: str | None) -> Self:
        """A page of a server that gives a cursor exactly where there are more rows."""
        return cls(data=tuple(rows), next_cursor=next_cursor, has_more=next_cursor is not None)

    @property
    def ended(self) -> bool:
        """There are no more pages: it says so, or it says nothing and gives no cursor."""
        if "has_more" in self.model_fields_set:
            return not self.has_more
        return not self.next_cursor


class PartialPage(Page[T], Generic[T]):
    """A page without the rows that could not be read. Only the client makes one."""

    unreadable: int


@cache
def _pages_of(kind: type[Wire], row: type[Wire]) -> type[Wire]:
    rows = {"data": tuple[row, ...]}  # type: ignore[valid-type]
    return type(f"{kind.__name__}[{row.__name__}]", (kind,), {"__annotations__": rows})
