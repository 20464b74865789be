"""What the inbox asks for.

A `Request` goes to the server, and is answered; what it brings is in the cache by then. An order is
carried out at once by the panes. `Steps` are a procedure that waits for answers: a generator.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from frontdesk.wire import Contact, ConversationFilter

T = TypeVar("T")


class Fetched(NamedTuple):
    """Answer of a list. added: ids of rows above all that were cached; unreadable: rows dropped."""

    added: Sequence[str] = ()
    unreadable: int = 0


class Answer(NamedTuple, Generic[T]):
    """Result of a request or a procedure that has not failed."""

    value: T


class Server(Protocol):
    """What answers requests, each of which raises InboxError if that fails."""

    async def fetch_counts(self, filter: ConversationFilter) -> None: ...

    async def fetch_head(self, filter: ConversationFilter, *, thorough: bool) -> Fetched: ...

    async def fetch_older(self, filter: ConversationFilter) -> Fetched: ...

    async def find_me(self) -> None: ...

    async def fetch_names(self) -> None: ...

    async def contact_by_phone(self, phone: str) -> Contact: ...

    async def contacts_with(self, text: str) -> Sequence[Contact]: ...


class Request(Generic[T]):
    """Question to the server, whose answer is a T."""

    __slots__ = ()

    async def send(self, server: Server) -> T:
        """The answer. Raises: InboxError."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FetchCounts(Request[None]):
    """Numbers of conversations of a channel and label, by status and assignee."""

    filter: ConversationFilter

    async def send(self, server: Server) -> None:
        await server.fetch_counts(self.filter)


@dataclass(frozen=True, slots=True)
class FetchHead(Request[Fetched]):
    """The first rows. thorough: also over all cached ones, to detect what left further down."""

    filter: ConversationFilter
    thorough: bool = False

    async def send(self, server: Server) -> Fetched:
        return await server.fetch_head(self.filter, thorough=self.thorough)


@dataclass(frozen=True, slots=True)
class FetchOlder(Request[Fetched]):
    """The page after the last cached row."""

    filter: ConversationFilter

    async def send(self, server: Server) -> Fetched:
        return await server.fetch_older(self.filter)


@dataclass(frozen=True, slots=True)
class FindMe(Request[None]):
    """Who "me" is."""

    async def send(self, server: Server) -> None:
        await server.find_me()


@dataclass(frozen=True, slots=True)
class FetchNames(Request[None]):
    """Channels, users, labels and custom fields."""

    async def send(self, server: Server) -> None:
        await server.fetch_names()


@dataclass(frozen=True, slots=True)
class FindContact(Request[Contact]):
    """The contact with a number."""

    phone: str

    async def send(self, server: Server) -> Contact:
        return await server.contact_by_phone(self.phone)


@dataclass(frozen=True, slots=True)
class FindContacts(Request[Sequence[Contact]]):
    """The first contacts that have a text."""

    text: str

    async def send(self, server: Server) -> Sequence[Contact]:
        return await server.contacts_with(self.text)


class Kind(Enum):
    """What a running procedure is for; a newer one takes the place of that of its kind."""

    REFRESH = auto()
    OLDER = auto()
    SCAN = auto()
    RESCAN = auto()
    FIND = auto()
    NAMES = auto()


@dataclass(frozen=True, slots=True)
class Until:
    """A procedure goes on at this time, in seconds of the clock of its `Tasks`."""

    time: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A procedure goes on once none of this kind is running."""

    kind: Kind


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Say:
    """Words for the reader, until the next key."""

    words: str


@dataclass(frozen=True, slots=True)
class Warn:
    """A warning."""

    words: str


@dataclass(frozen=True, slots=True)
class OpenSelected:
    """Show the thread of the selected conversation."""


@dataclass(frozen=True, slots=True)
class ShowProgress:
    """What the status line says has changed."""


@dataclass(frozen=True, slots=True)
class ShowBars:
    """What all bars say has changed."""


@dataclass(frozen=True, slots=True)
class ShowConversation:
    """Select a conversation if it is in the list, and show an entry of it, if that is named."""

    id: str
    entry: str


@dataclass(frozen=True, slots=True)
class NamesCame:
    """The names of channels, users and labels are there."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The request for the list has ended. answered: with success; was_failing: and none before."""

    answered: bool
    was_failing: bool


Order = (
    Say | Warn | OpenSelected | ShowConversation | ShowProgress | ShowBars | NamesCame | Refreshed
)
