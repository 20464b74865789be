"""Envelopes of responses: one page of a list with the cursor of the next, and problem documents.

Problem documents follow RFC 9457.
"""

from collections.abc import Iterable
from typing import Generic, Self, TypeVar

from pydantic import Field

from frontdesk.wire.base import Wire, optional
from frontdesk.wire.members import Count, NotNull, Reason

T = TypeVar("T", bound=Wire)


class Page(Wire, Generic[T]):
    """One page in the endpoint's order. `next_cursor` is opaque; None means the end."""

    data: tuple[T, ...] = Field(description="The rows, in the order of the list.")
    next_cursor: str | None = optional("Where the next page begins; null at the end of the list.")
    has_more: bool = optional("There are more rows.", False)

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


class ParameterProblem(Wire):
    """Error of one query parameter, with the allowed values."""

    parameter: str = Field(description="The name of the parameter.")
    reason: Reason = Field(description="Cause, as a stable word.")
    detail: str = Field(description="Cause and allowed values, in a sentence.")
    allowed: NotNull[tuple[str, ...]] = optional("The values that are allowed.", may_be_absent=True)
    min: NotNull[Count] = optional("The least value.", may_be_absent=True)
    max: NotNull[Count] = optional("The greatest value.", may_be_absent=True)


class Problem(Wire):
    """A problem document. Members that do not apply are absent, never null."""

    type: str = optional("The kind of problem, as a URI.", "about:blank")
    title: str = Field(description="A short name of the problem.")
    status: Count = Field(description="The HTTP status.")
    detail: NotNull[str] = optional("Description of the problem with this request.")
    instance: NotNull[str] = optional("The path of the request.")
    code: str = Field(description="The problem as a stable word.")
    request_id: NotNull[str] = optional("Names the request in the log.")
    errors: NotNull[tuple[ParameterProblem, ...]] = optional(
        "The parameters that are wrong.", may_be_absent=True
    )
    retry_after: NotNull[Count] = optional(
        "Seconds until it is worth asking again.", may_be_absent=True
    )
    required_scope: NotNull[str] = optional("The scope that the key lacks.", may_be_absent=True)
    key_scopes: NotNull[tuple[str, ...]] = optional("The scopes of the key.", may_be_absent=True)
    resource: NotNull[str] = optional(
        "The kind of resource that was not found.", may_be_absent=True
    )
    allow: NotNull[tuple[str, ...]] = optional("The methods that are allowed.", may_be_absent=True)
