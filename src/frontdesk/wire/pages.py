"""The envelope of every list (contract 1.2)."""

from typing import Generic, TypeVar

from frontdesk.wire.base import Wire

T = TypeVar("T", bound=Wire)


class Page(Wire, Generic[T]):
    """One page in the endpoint's order. `next_cursor` is opaque; None means the end."""

    data: tuple[T, ...]
    next_cursor: str | None = None
    has_more: bool = False


class PartialPage(Page[T], Generic[T]):
    """A page without the rows that could not be read. Only the client makes one."""

    unreadable: int
