"""Envelopes of responses: one page of a list with the cursor of the next, and problem documents.

Problem documents follow RFC 9457.
"""

from collections.abc import Iterable
from typing import Generic, Self, TypeVar

from pydantic import Field

from frontdesk.wire.base import Time, Wire, optional
from frontdesk.wire.members import Count, Direction, NotNull, Reason, Timestamp
from frontdesk.wire.resources import Conversation

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
    def dropped(self) -> int:
        """Number of rows that could not be read; a server sends all."""
        return 0

    @property
    def ended(self) -> bool:
        """There are no more pages: it says so, or it says nothing and gives no cursor."""
        if "has_more" in self.model_fields_set:
            return not self.has_more
        return not self.next_cursor


class PartialPage(Page[T], Generic[T]):
    """A page without the rows that could not be read. Only the client makes one.

    total: as of `ConversationPage`, of an answer to a query.
    """

    unreadable: int
    total: int | None = None

    @property
    def dropped(self) -> int:
        return self.unreadable


class MessageMatch(Wire):
    """The newest message of a conversation that has all words of a search."""

    conversation_id: str = Field(description="The id of the conversation.")
    message_id: str = Field(description="The id of the message.")
    created_at: Timestamp = Field(description="Time of sending or receipt.")
    direction: Direction = Field(description="Inbound or outbound.")
    excerpt: str = Field(
        description="Up to 160 characters of its words around the first found, with an ellipsis "
        "where more is said, and single blanks for white space."
    )
    in_file: NotNull[str] = optional(
        "What the file is in which a program read the words: `voice`, or the type of the message; "
        "absent if the message itself has them.",
        may_be_absent=True,
        extension=True,
    )
    cursor: NotNull[str] = optional(
        "Of the messages of the conversation, where this one is the first of a page."
    )

    created_time = Time("created_at")


class ConversationPage(Page[Conversation]):
    """A page of conversations. With `q`, also which messages were found; with `query`, how many."""

    matches: NotNull[tuple[MessageMatch, ...]] = optional(
        "With `q`: for each conversation of the page the newest message that was found, in the "
        "same order. With `query`: for those in which messages have one of its words, the newest "
        "that has.",
        may_be_absent=True,
        extension=True,
    )
    total: Count | None = optional(
        "With `q` or `query`: how many conversations were found; null after the first page.",
        may_be_absent=True,
        extension=True,
    )
    total_capped: NotNull[bool] = optional(
        "With `q` or `query`: counting ended early, so that there are at least so many.",
        may_be_absent=True,
        extension=True,
    )
    searched_since: NotNull[Timestamp] = optional(
        "With `q`: messages since this time have been looked through; absent on the last page.",
        may_be_absent=True,
        extension=True,
    )
    remark: NotNull[str] = optional(
        "With `query`: a sentence on where its words were not looked for.",
        may_be_absent=True,
        extension=True,
    )

    searched_since_time = Time("searched_since")


class Changes(Wire):
    """What changed in the inbox after a position.

    Conversations that changed several times come once. `next` is opaque.
    """

    data: tuple[Conversation, ...] = Field(
        description="Conversations that changed, as they are now, the oldest change first."
    )
    gone: tuple[str, ...] = optional("Ids of conversations that were merged or erased.", ())
    names: bool = optional(
        "Something else changed too: a label, a user, a channel or another name, or contents that "
        "belong to no one conversation.",
        False,
    )
    reset: bool = optional(
        "The position is not one of this database, or of a later state of it: read all again.",
        False,
    )
    next: str = Field(description="The position after these changes, for `after`.")
    has_more: bool = optional("There are more changes up to now.", False)


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
