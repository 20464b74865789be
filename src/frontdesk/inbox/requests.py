"""Requests and waits: all that the inbox asks for.

A `Request` goes to the server, and is answered; what it brings is in the cache by then. `Steps` are
a procedure that waits for answers: a generator.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from frontdesk.errors import InboxError
from frontdesk.wire import Contact, Conversation, ConversationFilter

T = TypeVar("T")


class Fetched(NamedTuple):
    """Answer of a list. added: ids of rows above all that were cached; unreadable: rows dropped."""

    added: Sequence[str] = ()
    unreadable: int = 0


class FetchedThread(NamedTuple):
    """Answer of a thread. refreshed: its messages came; error: what one of its parts failed with.

    unreadable: messages dropped.
    """

    refreshed: bool
    unreadable: int = 0
    error: InboxError | None = None


class FoundNews(NamedTuple):
    """Answer of a request for news; what it brings is in the lists that are followed.

    ids: of conversations that changed. renewed: anything may have changed.
    """

    ids: frozenset[str] = frozenset()
    renewed: bool = False


class Answer(NamedTuple, Generic[T]):
    """Result of a request or a procedure that has not failed."""

    value: T


class InboxServer(Protocol):
    """What answers requests, each of which raises InboxError if that fails."""

    async def fetch_counts(self, filter: ConversationFilter) -> None: ...

    async def fetch_head(self, filter: ConversationFilter, *, thorough: bool) -> Fetched: ...

    async def fetch_older(self, filter: ConversationFilter) -> Fetched: ...

    async def fetch_thread(self, conversation: Conversation) -> FetchedThread: ...

    async def fetch_conversation(self, conversation: Conversation) -> bool: ...

    async def fetch_news(self) -> FoundNews: ...

    async def find_me(self) -> None: ...

    async def fetch_names(self) -> None: ...

    async def contact_by_phone(self, phone: str) -> Contact: ...

    async def contacts_with(self, text: str) -> Sequence[Contact]: ...


class Request(Generic[T]):
    """Question to the server, whose answer is a T. It is not changed once it is made.

    Nothing enforces that: nine frozen classes take a start a millisecond longer.
    """

    __slots__ = ()

    async def send(self, server: InboxServer) -> T:
        """The answer. Raises: InboxError."""
        raise NotImplementedError


@dataclass(slots=True)
class FetchCounts(Request[None]):
    """Numbers of conversations of a channel and label, by status and assignee."""

    filter: ConversationFilter

    async def send(self, server: InboxServer) -> None:
        await server.fetch_counts(self.filter)


@dataclass(slots=True)
class FetchHead(Request[Fetched]):
    """The first rows. thorough: also over all cached ones, to detect what left further down."""

    filter: ConversationFilter
    thorough: bool = False

    async def send(self, server: InboxServer) -> Fetched:
        return await server.fetch_head(self.filter, thorough=self.thorough)


@dataclass(slots=True)
class FetchOlder(Request[Fetched]):
    """The page after the last cached row."""

    filter: ConversationFilter

    async def send(self, server: InboxServer) -> Fetched:
        return await server.fetch_older(self.filter)


@dataclass(slots=True)
class FetchThread(Request[FetchedThread]):
    """Messages, notes and contact of a conversation."""

    conversation: Conversation

    async def send(self, server: InboxServer) -> FetchedThread:
        return await server.fetch_thread(self.conversation)


@dataclass(slots=True)
class FetchConversation(Request[bool]):
    """A conversation that no list in use has; True if it changed."""

    conversation: Conversation

    async def send(self, server: InboxServer) -> bool:
        return await server.fetch_conversation(self.conversation)


@dataclass(slots=True)
class FetchNews(Request[FoundNews]):
    """What changed since the last such answer; the server holds it until something does."""

    async def send(self, server: InboxServer) -> FoundNews:
        return await server.fetch_news()


@dataclass(slots=True)
class FindMe(Request[None]):
    """Who "me" is."""

    async def send(self, server: InboxServer) -> None:
        await server.find_me()


@dataclass(slots=True)
class FetchNames(Request[None]):
    """Channels, users, labels and custom fields."""

    async def send(self, server: InboxServer) -> None:
        await server.fetch_names()


@dataclass(slots=True)
class FindContact(Request[Contact]):
    """The contact with a number."""

    phone: str

    async def send(self, server: InboxServer) -> Contact:
        return await server.contact_by_phone(self.phone)


@dataclass(slots=True)
class FindContacts(Request[Sequence[Contact]]):
    """The first contacts that have a text."""

    text: str

    async def send(self, server: InboxServer) -> Sequence[Contact]:
        return await server.contacts_with(self.text)


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
