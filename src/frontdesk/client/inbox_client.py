"""The server over HTTP: one method for each endpoint; wire values out, InboxError for the rest."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote

from frontdesk.client import address
from frontdesk.client.bodies import page_of, value_of
from frontdesk.client.exchange import Exchange
from frontdesk.client.rows import Rows
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    Message,
    Note,
    Page,
    Report,
    ReportQuery,
    Team,
    Template,
    User,
    Wire,
)
from frontdesk.wire.queries import CATALOGUE_LIMIT, MAX_LIMIT

W = TypeVar("W", bound=Wire)

PAGE = 50


class InboxClient:
    """A server and a key: what a program needs to read an inbox.

    Plural methods such as `conversations` give `Rows` to iterate over, which ask for pages of
    `limit` rows as they are needed. All others are one request each; those that end in `_page`
    give one page. Lists begin behind `cursor` where one is given.

    Requests that got no answer are tried again, at most three times in all, within the deadline.

    Raises, in each request: InboxError, as `frontdesk.errors` draws them.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        app: Callable[..., Awaitable[None]] | None = None,
        deadline_seconds: float = 10.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`app`: an ASGI application that answers instead of the network.

        Raises: BadSettings: the address or the key cannot be used.
        """
        self._base_url = address.base_url(base_url, in_process=app is not None)
        self._fingerprint = address.fingerprint(address.check_key(key))
        self._exchange = Exchange(
            self._base_url,
            key,
            app=app,
            deadline_seconds=deadline_seconds,
            sleep=sleep,
            chance=chance,
        )

    def __repr__(self) -> str:
        return f"InboxClient({self._base_url!r})"

    async def __aenter__(self) -> "InboxClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def identity(self) -> str:
        """Names the server and the key, without telling the key."""
        return f"{self._base_url} {self._fingerprint}"

    async def close(self) -> None:
        """Give up the connections. No call may follow."""
        await self._exchange.close()

    def conversations(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        channel: str | None = None,
        label: str | None = None,
        limit: int = MAX_LIMIT,
        cursor: str | None = None,
    ) -> Rows[Conversation]:
        """Conversations, newest activity first.

        status: open, snoozed or resolved. assignee: me, unassigned, assigned or a user's id.
        channel: its id. label: its title.
        """
        filter = ConversationFilter(status=status, assignee=assignee, channel=channel, label=label)
        return Rows(lambda at: self.conversation_page(filter, limit=limit, cursor=at), cursor)

    def messages(
        self, conversation_id: str, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> Rows[Message]:
        """Messages of a conversation, newest first."""
        return Rows(lambda at: self.message_page(conversation_id, limit=limit, cursor=at), cursor)

    def notes(
        self, conversation_id: str, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> Rows[Note]:
        """Notes of a conversation, newest first."""
        return Rows(lambda at: self.note_page(conversation_id, limit=limit, cursor=at), cursor)

    def contacts(
        self, q: str | None = None, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> Rows[Contact]:
        """Contacts that have every word of `q`, by name; those without a name last."""
        return Rows(lambda at: self.contact_page(q, limit=limit, cursor=at), cursor)

    def labels(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> Rows[Label]:
        """Labels by title."""
        return Rows(lambda at: self.label_page(limit=limit, cursor=at), cursor)

    def custom_fields(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Rows[CustomField]:
        """Definitions of contact attributes by position."""
        return Rows(lambda at: self.custom_field_page(limit=limit, cursor=at), cursor)

    def users(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> Rows[User]:
        """Users by name."""
        return Rows(lambda at: self.user_page(limit=limit, cursor=at), cursor)

    def teams(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> Rows[Team]:
        """Teams by name."""
        return Rows(lambda at: self.team_page(limit=limit, cursor=at), cursor)

    def channels(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> Rows[Channel]:
        """Channels by name."""
        return Rows(lambda at: self.channel_page(limit=limit, cursor=at), cursor)

    def canned_responses(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Rows[CannedResponse]:
        """Canned responses by short code."""
        return Rows(lambda at: self.canned_response_page(limit=limit, cursor=at), cursor)

    def templates(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Rows[Template]:
        """Templates by name and language."""
        return Rows(lambda at: self.template_page(limit=limit, cursor=at), cursor)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = PAGE, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations of a filter, newest activity first."""
        return await self._page("conversations", Conversation, limit, cursor, filter.parameters())

    async def counts(self, filter: ConversationFilter | None = None) -> Counts:
        """How many conversations there are for the filter's status, channel and label."""
        parameters = filter.parameters() if filter else {}
        parameters.pop("assignee", None)
        answer = await self._exchange.get("conversations/counts", parameters)
        return value_of(answer, Counts)

    async def report(self, query: ReportQuery | None = None) -> Report:
        """What happened in a period, the last seven days unless the query says otherwise."""
        answer = await self._exchange.get("reports/inbox", query.parameters() if query else {})
        return value_of(answer, Report)

    async def message_page(
        self, conversation_id: str, *, limit: int = PAGE, cursor: str | None = None
    ) -> Page[Message]:
        """Messages of a conversation, newest first."""
        path = f"conversations/{_segment(conversation_id)}/messages"
        return await self._page(path, Message, limit, cursor)

    async def note_page(
        self, conversation_id: str, *, limit: int = PAGE, cursor: str | None = None
    ) -> Page[Note]:
        """Notes of a conversation, newest first."""
        path = f"conversations/{_segment(conversation_id)}/notes"
        return await self._page(path, Note, limit, cursor)

    async def contact_page(
        self, q: str | None = None, *, limit: int = PAGE, cursor: str | None = None
    ) -> Page[Contact]:
        """Contacts that have every word of `q`, by name."""
        return await self._page("contacts", Contact, limit, cursor, {"q": q} if q else {})

    async def contact_by_phone(self, phone: str) -> Contact:
        """The contact with an E.164 number.

        Raises: NotFound: nobody has it.
        """
        answer = await self._exchange.get(f"contacts/by-phone/{_segment(phone)}", {})
        return value_of(answer, Contact)

    async def label_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[Label]:
        """Labels by title."""
        return await self._page("labels", Label, limit, cursor)

    async def custom_field_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[CustomField]:
        """Definitions of contact attributes by position."""
        return await self._page("custom-fields", CustomField, limit, cursor)

    async def user_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[User]:
        """Users by name."""
        return await self._page("users", User, limit, cursor)

    async def team_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[Team]:
        """Teams by name."""
        return await self._page("teams", Team, limit, cursor)

    async def channel_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[Channel]:
        """Channels by name."""
        return await self._page("channels", Channel, limit, cursor)

    async def canned_response_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[CannedResponse]:
        """Canned responses by short code."""
        return await self._page("canned-responses", CannedResponse, limit, cursor)

    async def template_page(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[Template]:
        """Templates by name and language."""
        return await self._page("templates", Template, limit, cursor)

    async def _page(
        self,
        path: str,
        row: type[W],
        limit: int,
        cursor: str | None,
        parameters: Mapping[str, str] | None = None,
    ) -> Page[W]:
        asked: dict[str, Any] = {**(parameters or {}), "limit": str(limit)}
        if cursor is not None:
            asked["cursor"] = cursor
        answer = await self._exchange.get(path, asked)
        return page_of(answer, row)


def _segment(value: str) -> str:
    """An id or phone as one segment of a path. A dot alone would be resolved away."""
    return quote(value, safe="").replace(".", "%2E")
