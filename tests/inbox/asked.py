"""Requests of the inbox as values, which tests compare: each method of the server describes one."""

from dataclasses import dataclass
from typing import Any, cast

from frontdesk.inbox.requests import InboxServer, Request
from frontdesk.wire import Conversation, ConversationFilter


@dataclass(frozen=True)
class Description:
    """A request, without what answers it."""


@dataclass(frozen=True)
class FetchCounts(Description):
    filter: ConversationFilter


@dataclass(frozen=True)
class FetchHead(Description):
    filter: ConversationFilter
    thorough: bool = False


@dataclass(frozen=True)
class FetchOlder(Description):
    filter: ConversationFilter


@dataclass(frozen=True)
class FetchThread(Description):
    conversation: Conversation


@dataclass(frozen=True)
class FetchConversation(Description):
    conversation: Conversation


@dataclass(frozen=True)
class FetchNews(Description):
    pass


@dataclass(frozen=True)
class FindMe(Description):
    pass


@dataclass(frozen=True)
class FetchNames(Description):
    pass


@dataclass(frozen=True)
class FindContact(Description):
    phone: str


@dataclass(frozen=True)
class FindContacts(Description):
    text: str


class _Describing:
    """A server whose methods say what they were asked, and answer nothing."""

    refresh_counts = FetchCounts
    older_conversations = FetchOlder
    refresh_open_thread = FetchThread
    refresh_conversation = FetchConversation
    next_changes = FetchNews
    find_me = FindMe
    refresh_catalogues = FetchNames
    contact_by_phone = FindContact
    search_contacts = FindContacts
    refresh_conversations = FetchHead


def described(request: Any) -> Description:
    """What a request asks for."""
    ask: Request[Any] = request
    return cast("Description", ask(cast("InboxServer", _Describing())))
