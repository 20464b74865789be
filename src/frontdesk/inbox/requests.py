"""Requests and waits: all that the inbox asks for.

A `Request` goes to the server, and is answered; what it brings is in the cache by then. `Steps` are
a procedure that waits for answers: a generator.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence
from enum import Enum, auto
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from frontdesk.errors import InboxError
from frontdesk.wire import Changes, Contact, Conversation, ConversationFilter, Page

T = TypeVar("T")


class Fetched(Protocol):
    """Answer of a list. added: ids of rows above all that were cached; unreadable: rows dropped."""

    @property
    def added(self) -> Sequence[str]: ...

    @property
    def unreadable(self) -> int: ...


class FetchedThread(Protocol):
    """Answer of a thread. refreshed: its messages came; error: what one of its parts failed with.

    unreadable: messages dropped.
    """

    @property
    def refreshed(self) -> bool: ...

    @property
    def unreadable(self) -> int: ...

    @property
    def error(self) -> InboxError | None: ...


class Answer(NamedTuple, Generic[T]):
    """Result of a request or a procedure that has not failed."""

    value: T


class InboxServer(Protocol):
    """What the inbox asks for, as `Mailbox` answers it; each raises InboxError if that fails."""

    async def refresh_counts(self, filter: ConversationFilter) -> bool: ...

    async def refresh_conversations(
        self, filter: ConversationFilter, *, thorough: bool = False
    ) -> Fetched: ...

    async def older_conversations(self, filter: ConversationFilter) -> Fetched: ...

    async def refresh_open_thread(self, conversation: Conversation) -> FetchedThread: ...

    async def refresh_conversation(self, conversation: Conversation) -> bool: ...

    async def next_changes(self) -> Changes: ...

    async def find_me(self) -> None: ...

    async def refresh_catalogues(self) -> object: ...

    async def contact_by_phone(self, phone: str) -> Contact: ...

    async def search_contacts(self, q: str) -> Page[Contact]: ...


# A question to the server, whose answer is a T.
Request = Callable[[InboxServer], Awaitable[T]]


class Kind(Enum):
    """What a running procedure is for; a newer one takes the place of that of its kind."""

    REFRESH = auto()
    OLDER = auto()
    RESCAN = auto()
    FIND = auto()
    THREAD = auto()
    NAMES = auto()
    NEWS = auto()
    COUNTS = auto()


class Until(NamedTuple):
    """A procedure goes on at this time, in seconds of the clock of its `Tasks`."""

    time: float


class Ended(NamedTuple):
    """A procedure goes on once none of this kind is running."""

    kind: Kind


class RowsKnown:
    """A procedure goes on after the next request for the view: True if it was answered."""


Wait = Request[Any] | Until | Ended | RowsKnown
Steps = Generator[Wait, Any, T]


def ask(request: Request[T]) -> Steps[T]:
    """The answer of the server. Raises: InboxError."""
    answer: T = yield request
    return answer


def rows_known() -> Steps[bool]:
    """Wait for the next answer for the view; False if it failed."""
    known: bool = yield RowsKnown()
    return known
