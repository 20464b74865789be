"""The envelope of every list: one page of rows and the cursor of the next."""

from collections.abc import Iterable
from typing import Generic, Self, TypeVar

from pydantic import Field

from frontdesk.wire.base import Wire

T = TypeVar("T", bound=Wire)


class Page(Wire, Generic[T]):
    """One page in the endpoint's order. `next_cursor` is opaque; None means the end."""

    data: tuple[T, ...] = Field(description="The rows, in the order of the list.")
    next_cursor: str | None = Field(
        default=None,
        description="Where the next page begins; null at the end of the list.",
    )
    has_more: bool = Field(default=False, description="There are more rows.")

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
