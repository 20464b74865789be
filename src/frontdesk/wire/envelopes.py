"""Envelopes of responses: one page of a list with the cursor of the next, and problem documents.

Problem documents follow RFC 9457.
"""

from collections.abc import Iterable
from typing import Generic, Self, TypeVar

from pydantic import Field

from frontdesk.wire.base import Wire, optional

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
    reason: str = Field(description="Cause, as a stable word.")
    detail: str = Field(description="Cause and allowed values, in a sentence.")
    allowed: tuple[str, ...] | None = optional("The values that are allowed.")
    min: int | None = optional("The least value.")
    max: int | None = optional("The greatest value.")


class Problem(Wire):
    """A problem document. Members that do not apply are absent, never null."""

    type: str = optional("The kind of problem, as a URI.", "about:blank")
    title: str = Field(description="A short name of the problem.")
    status: int = Field(description="The HTTP status.")
    detail: str | None = optional("Description of the problem with this request.")
    instance: str | None = optional("The path of the request.")
    code: str = Field(description="The problem as a stable word.")
    request_id: str | None = optional("Names the request in the log.")
    errors: tuple[ParameterProblem, ...] | None = optional("The parameters that are wrong.")
    retry_after: int | None = optional("Seconds until it is worth asking again.")
    required_scope: str | None = optional("The scope that the key lacks.")
    key_scopes: tuple[str, ...] | None = optional("The scopes of the key.")
    resource: str | None = optional("The kind of resource that was not found.")
    allow: tuple[str, ...] | None = optional("The methods that are allowed.")
