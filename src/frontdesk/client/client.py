"""Client of the `/v1` API with one method per endpoint."""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar
from urllib.parse import quote

from frontdesk.client import address
from frontdesk.client.capabilities import CapabilityProbe
from frontdesk.client.decode import page_of, value_of
from frontdesk.client.lists import (
    FilterCheck,
    NameLookup,
    find_listed,
    newest_first,
)
from frontdesk.client.media import FileDownloads, ReceivedFile
from frontdesk.client.network import Network
from frontdesk.client.paging import PAGE_SIZE, RowPages
from frontdesk.client.response import Response
from frontdesk.client.server_info import Server, ServerState
from frontdesk.client.transport import Requests, WaitContext
from frontdesk.errors import (
    ME_UNAVAILABLE,
    AnswerTooLarge,
    BadResponse,
    CursorRefused,
    FileUnavailable,
    Forbidden,
    NotFound,
    NotOffered,
    Refused,
    ServerFailed,
)
from frontdesk.query.language import ID, Term
from frontdesk.query.terms import ASSIGNEE, HUMAN, NEEDS
from frontdesk.text.clean import clean
from frontdesk.text.phones import phone_pattern
from frontdesk.wire import (
    CATALOGUES,
    CannedResponse,
    Changes,
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    ConversationPage,
    Counts,
    CustomField,
    Label,
    Message,
    Note,
    Page,
    ReportQuery,
    Team,
    Template,
    User,
    Wire,
)
from frontdesk.wire.queries import (
    ASSIGNEE_WORDS,
    CATALOGUE_LIMIT,
    EXTENSIONS,
    FILTERED_REPORT_PARTS,
    LATER_ORDERS,
    MAX_LIMIT,
    REPORT_EXTENSIONS,
    SORT_LATER,
)
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.wire.reports import ConversationReport, Report

W = TypeVar("W", bound=Wire)


class ReceivedChanges(NamedTuple):
    """What changed, and if the server was willing to wait for it.

    Who is not held has to pause before the next request.
    """

    changes: Changes
    held: bool


# Codes for values of filters that the server has.
_REFUSED_VALUES = ("invalid_filter", ME_UNAVAILABLE)
# A page looks at some ten thousand conversations.
_MOST_EMPTY_PAGES = 100


class InboxClient:
    """Asynchronous client of one server with one API key.

    Plural methods such as `conversations` return `RowPages`, an iterator that requests pages of
    `limit` rows on demand. All other methods make one request; those that end in `_page` return one
    page. Lists start after `cursor` if given.

    Transient failures (connection errors, 5xx without Retry-After) are retried, up to three
    attempts within the deadline.

    Every request raises InboxError, see `frontdesk.errors`.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        app: Callable[..., Awaitable[None]] | None = None,
        network: Network | None = None,
        deadline_seconds: float = 10.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
        waiting: WaitContext | None = None,
    ) -> None:
        """`app`: an ASGI application to call instead of the network. `clock`: seconds.

        network: certificates and proxy; None: from the environment. waiting: context of a pause of
        so many seconds that the server asks for, after which a request is sent again, at most ten
        times; `nullcontext` waits silently. None: it fails, and so do others until the pause ends.

        Raises: BadSettings: the URL, the key, certificates or the proxy cannot be used.
        """
        self._base_url = address.base_url(base_url, in_process=app is not None)
        self._fingerprint = address.fingerprint(address.check_key(key))
        self._state = ServerState(self._base_url, now)
        self._requests = Requests(
            self._base_url,
            key,
            self._state,
            app=app,
            network=network or Network.of(os.environ),
            deadline_seconds=deadline_seconds,
            sleep=sleep,
            chance=chance,
            clock=clock,
            now=now,
            waiting=waiting,
        )
        self._downloads = FileDownloads(self._requests)
        self._probe = CapabilityProbe(self._requests, self._state, clock)
        self._filtering = FilterCheck(self._state)
        self._names = NameLookup(
            {
                "contact": lambda at: self.contact_page(limit=MAX_LIMIT, cursor=at),
                "channel": lambda at: self.catalogue_page(Channel, cursor=at),
                "assignee": lambda at: self.catalogue_page(User, cursor=at),
            },
            clock,
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
        """Base URL and fingerprint of the key; identifies cached data."""
        return f"{self._base_url} {self._fingerprint}"

    @property
    def server(self) -> Server:
        """Capabilities, deviations, latency and clock of the server, as observed so far.

        Requests for features known to be missing are refused locally for ten minutes.
        """
        return self._state.server()

    def forget_missing_features(self) -> None:
        """Forget which features are missing, so that they are requested again."""
        self._probe.forget_missing_features()

    async def close(self) -> None:
        """Close the connections; the client cannot be used afterwards."""
        await self._requests.close()

    def conversations(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        channel: str | None = None,
        label: str | None = None,
        contact: str | None = None,
        awaiting_human: bool | None = None,
        unread: bool | None = None,
        query: str | None = None,
        sort: str | None = None,
        limit: int = MAX_LIMIT,
        cursor: str | None = None,
    ) -> RowPages[Conversation]:
        """Conversations, most recent activity first, or in the order of `sort`.

        status: open, snoozed or resolved. assignee: me, unassigned, assigned or a user id. channel,
        contact: an id. label: a title. The others are those of `ConversationFilter`; what the
        server lacks is applied here, but a query.
        sort: one of CONVERSATION_ORDERS; a server that lacks it ignores it.

        Raises, while iterating: NotOffered: the server does not take a query.
        """
        filter = ConversationFilter(
            status=status,
            assignee=assignee,
            channel=channel,
            label=label,
            contact=contact,
            awaiting_human=awaiting_human,
            unread=unread,
            query=query,
            sort=sort,
        )
        return RowPages(lambda at: self.conversation_page(filter, limit=limit, cursor=at), cursor)

    def messages(
        self, conversation_id: str, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> RowPages[Message]:
        """Messages of a conversation, newest first."""
        return RowPages(
            lambda at: self.message_page(conversation_id, limit=limit, cursor=at), cursor
        )

    def notes(
        self, conversation_id: str, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> RowPages[Note]:
        """Notes of a conversation, newest first."""
        return RowPages(lambda at: self.note_page(conversation_id, limit=limit, cursor=at), cursor)

    def contacts(
        self, q: str | None = None, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> RowPages[Contact]:
        """Contacts that match every word of `q`, by name; those without a name last."""
        return RowPages(lambda at: self.contact_page(q, limit=limit, cursor=at), cursor)

    def labels(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> RowPages[Label]:
        """Labels, by title."""
        return self._catalogue(Label, limit, cursor)

    def custom_fields(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> RowPages[CustomField]:
        """Definitions of custom contact fields, by position."""
        return self._catalogue(CustomField, limit, cursor)

    def users(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> RowPages[User]:
        """Users, by name."""
        return self._catalogue(User, limit, cursor)

    def teams(self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None) -> RowPages[Team]:
        """Teams, by name."""
        return self._catalogue(Team, limit, cursor)

    def channels(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> RowPages[Channel]:
        """Channels, by name."""
        return self._catalogue(Channel, limit, cursor)

    def canned_responses(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> RowPages[CannedResponse]:
        """Canned responses, by short code."""
        return self._catalogue(CannedResponse, limit, cursor)

    def templates(
        self, *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> RowPages[Template]:
        """Templates, by name and language."""
        return self._catalogue(Template, limit, cursor)

    def _catalogue(self, row: type[W], limit: int, cursor: str | None) -> RowPages[W]:
        return RowPages(lambda at: self.catalogue_page(row, limit=limit, cursor=at), cursor)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations of a filter, most recent activity first unless it has an order.

        An empty page of a server that looks through many for a filter is followed by the next.

        Raises: NotOffered: the server does not take a query.
        """
        page = first = await self._filtered_page(filter, limit, cursor)
        for _ in range(_MOST_EMPTY_PAGES):
            if page.data or page.ended or filter.query is None:
                break
            page = await self._filtered_page(filter, limit, page.next_cursor)
        if page is not first and isinstance(first, ConversationPage):
            page = page.model_copy(
                update={"total": first.total, "total_capped": first.total_capped}
            )
        page = await self._names.filled(page, self._state.has_deviation)
        if filter.assignee == "me" and not self._filtering.knows_me(page):
            raise self._probe.mark_me_unsupported(
                "The server sends everybody's conversations for “me”"
            )
        return self._filtering.conversations(page, filter)

    async def conversation(self, conversation_id: str, *, listed: bool = True) -> Conversation:
        """The conversation with an id.

        listed: a server without this extension is asked for its list, as far as the latest 2,000.

        Raises: NotFound: it does not exist, or is not among those. NotOffered: the server lacks the
        extension, and its list is not asked.
        """
        path = f"conversations/{_segment(conversation_id)}"
        with suppress(NotOffered, BadResponse):
            row = await self._value("conversation", path, Conversation, {})
            page = Page[Conversation].of((row,), None)
            if row.id == conversation_id:
                return (await self._names.filled(page, self._state.has_deviation)).data[0]
        if not listed:
            self._probe.mark_conversation_absent()
            raise NotOffered("This server has no conversation by its id")
        row = await self._listed_conversation(conversation_id)
        self._probe.mark_conversation_absent()
        return row

    async def _listed_conversation(self, id: str) -> Conversation:
        """Raises: NotFound."""
        messages: tuple[Message, ...] = ()
        with suppress(Forbidden, BadResponse):
            messages = (await self.message_page(id, limit=1)).data
        newest = messages[0].created_time if messages else None
        row = await find_listed(self.conversations(), id, newest)
        if row is None:
            raise NotFound(
                "The conversation is not among the latest of this server, which has none by its id"
            )
        return row

    async def changes(
        self, after: str | None = None, *, limit: int = MAX_LIMIT, wait_seconds: int = 0
    ) -> ReceivedChanges:
        """What changed after a position, `Changes.next` of an earlier answer (an extension).

        Without `after`, only the position of now. wait_seconds: the answer may come with the next
        change; such a request is sent once.

        Raises: NotOffered: the server lacks the extension.
        """
        parameters = {"limit": str(limit)}
        if after is not None:
            parameters["after"] = after

        def read(answer: Response) -> ReceivedChanges:
            # Another form is no deviation: this is an extension.
            changes = value_of(answer, Changes, lambda remark: None)
            return ReceivedChanges(changes, "preference-applied" in answer.headers)

        try:
            return await self._probe.observe(
                "changes",
                lambda: self._requests.get("changes", parameters, read, wait_seconds=wait_seconds),
                parameters,
            )
        except ServerFailed:
            raise
        except BadResponse as error:
            raise NotOffered("This server does not say what changed") from error

    async def search_page(
        self,
        q: str,
        filter: ConversationFilter,
        *,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
    ) -> ConversationPage:
        """Conversations with a message that has every word of `q`, the newest match first.

        Raises: NotOffered: the server has no such search, or not with this filter.
        """
        # Servers refuse control characters, as others refuse the search.
        query = {**filter.parameters(), "q": clean(q), "limit": str(limit)}
        if cursor is not None:
            query["cursor"] = cursor
        lacking = NotOffered("This server does not search messages")
        try:
            page = await self._probe.ask(
                "search_messages",
                "conversations",
                query,
                # Another form is no deviation: the search is an extension.
                lambda answer: value_of(answer, ConversationPage, lambda remark: None),
            )
        except (CursorRefused, ServerFailed):
            raise
        except (Refused, BadResponse) as error:
            if isinstance(error, Refused) and error.code == "message_search_unavailable":
                lacking = NotOffered(str(error))
            raise (
                lacking if filter.parameters() else self._probe.mark_message_search_absent(lacking)
            ) from error
        if page.matches is None:
            raise self._probe.mark_message_search_absent(lacking)
        return page

    async def _filtered_page(
        self, filter: ConversationFilter, limit: int, cursor: str | None
    ) -> Page[Conversation]:
        """Request a page, without a query, `sort` or all extensions if the server refuses them."""
        parameters = filter.parameters()
        extensions = EXTENSIONS & parameters.keys()
        known = extensions & self.server.no_extensions & {"sort", "query"}
        steps = [
            known,
            known | extensions & {"query"},
            known | extensions & {"sort"},
            extensions,
        ]
        for lacking in dict.fromkeys(map(frozenset, steps)):
            rest = {name: value for name, value in parameters.items() if name not in lacking}
            try:
                page = await self._page(
                    "conversations", "conversations", Conversation, limit, cursor, rest
                )
            except Refused as refused:
                is_known = refused.code in _REFUSED_VALUES and "query" in rest
                if lacking == extensions or isinstance(refused, CursorRefused) or is_known:
                    raise
            else:
                if "query" in rest and _ignores_query(page):
                    lacking |= {"query"}
                _note_lacking(self._state, lacking, filter)
                return page
        raise AssertionError("The last request has no extension")

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Counts:
        """Conversation counts for a filter, whatever its order.

        by: some of COUNTS_BY, an extension. A server that lacks it answers without these parts, as
        it does for "labels" with a filter for a label.

        Raises: NotOffered: the server does not count by a query, which an assignee and
        `awaiting_human` are too. InboxError.
        """
        filter = filter or ConversationFilter()
        parameters = _counted(filter).parameters()
        parts = [part for part in by if part != "labels" or "label" not in parameters]
        of_parts = {**parameters, "by": ",".join(parts)} if parts else parameters
        if "query" in parameters:
            try:
                if not self._state.lacks_queries_of_counts:
                    counts = await self._counts(of_parts)
                    if counts.query is not None:
                        return counts
            except Refused as refused:
                if refused.code in _REFUSED_VALUES:
                    raise
            self._state.lacks_queries_of_counts = True
            raise NotOffered("This server does not count by a query")
        if parts and not self._state.refuses_parts_of_counts:
            with suppress(Refused):
                return await self._counts(of_parts)
            counts = await self._counts(parameters)
            # Only now is it known that the rest of the request was not at fault.
            self._state.refuses_parts_of_counts = True
            return counts
        return await self._counts(parameters)

    async def _counts(self, parameters: Mapping[str, str]) -> Counts:
        return await self._value("counts", "conversations/counts", Counts, parameters)

    async def report(self, query: ReportQuery | None = None) -> "Report":
        """Metrics of a period; by default the last seven days.

        Parts and targets are left out if the server refuses them; it may also ignore them.

        Raises: NotOffered: the server ignored a user, team, label or clock. InboxError.
        """
        from frontdesk.wire.reports import Report

        parameters = query.parameters() if query else {}
        try:
            report = await self._value("report", "reports/inbox", Report, parameters)
        except Refused:
            plain = {n: value for n, value in parameters.items() if n not in REPORT_EXTENSIONS}
            if plain == parameters:
                raise
            report = await self._value("report", "reports/inbox", Report, plain)
        for name in FILTERED_REPORT_PARTS:
            if name in parameters and getattr(report, name) is None:
                raise NotOffered(f"This server has no reports of one {name}")
        if report.clock != parameters.get("clock", report.clock):
            raise NotOffered("This server does not measure business hours")
        return report

    def conversation_reports(
        self, query: ReportQuery, *, limit: int = MAX_LIMIT, cursor: str | None = None
    ) -> "RowPages[ConversationReport]":
        """What a report counts of each conversation, by id (an extension).

        query: a period with both ends, which must not move from page to page.
        """
        from frontdesk.wire.reports import ConversationReport

        parameters = query.parameters()

        async def page(at: str | None) -> Page[ConversationReport]:
            path = "reports/conversations"
            return await self._page(
                "conversation_reports", path, ConversationReport, limit, at, parameters
            )

        return RowPages(page, cursor)

    async def message_page(
        self, conversation_id: str, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Message]:
        """Messages of a conversation, newest first. Private messages have the type "note"."""
        path = f"conversations/{_segment(conversation_id)}/messages"

        async def fetch(at: str | None) -> Page[Message]:
            return await self._page("messages", path, Message, limit, at)

        page = await fetch(cursor)
        return page if cursor else await newest_first(page, fetch, self._state.record_deviation)

    async def note_page(
        self, conversation_id: str, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Note]:
        """Notes of a conversation, newest first."""
        path = f"conversations/{_segment(conversation_id)}/notes"
        return await self._page("notes", path, Note, limit, cursor)

    async def save_media(
        self,
        key: str,
        file: BinaryIO,
        *,
        most_bytes: int,
        width: int | None = None,
        words: bool = False,
        progress: Callable[[int], object] = lambda size: None,
    ) -> ReceivedFile:
        """Write the file of a message to an empty binary file that can be sought and truncated.

        key: `Media.key` of the message. width: 480 for a preview of a picture in WebP. words: what
        a program read in it, in UTF-8, instead. progress is called with the bytes written so far.
        A broken transfer goes on where it ended. Two files are transferred at a time; if this fails
        or is cancelled, the file holds a part of it.

        Raises: FileUnavailable: its `status` says why. FileTooLarge: over most_bytes.
        """
        path = f"media/{_segment(key)}"
        try:
            return await self._probe.observe(
                "media",
                lambda: self._downloads.save(path, file, most_bytes, width, progress, words=words),
            )
        except FileUnavailable:
            self._state.mark_present("media")
            raise

    async def contact_page(
        self, q: str | None = None, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Contact]:
        """Contacts that match every word of `q`, by name; or by a phone number, however written."""
        number = phone_pattern(q or "")
        # Other servers look for the digits as they are sent.
        # A username is searched without its @.
        parameters = {"q": number.text if number else q.strip().removeprefix("@")} if q else {}
        page = await self._page("contacts", "contacts", Contact, limit, cursor, parameters)
        return self._filtering.contacts(page, q) if q else page

    async def contact_by_phone(self, phone: str) -> Contact:
        """The contact with an E.164 number.

        Raises: NotFound: no contact has it.
        """
        try:
            return await self._value(
                "contact_by_phone", f"contacts/by-phone/{_segment(phone)}", Contact, {}
            )
        except NotOffered:
            contacts = (await self.contact_page(phone)).data
        for contact in contacts:
            if contact.phone == phone:
                return contact
        raise NotFound("No contact has this number")

    async def catalogue_page(
        self, row: type[W], *, limit: int = CATALOGUE_LIMIT, cursor: str | None = None
    ) -> Page[W]:
        """A page of one of the catalogues in `CATALOGUES`, for example of `Label`."""
        feature = next(name for name, kind in CATALOGUES.items() if kind is row)
        return await self._page(feature, feature.replace("_", "-"), row, limit, cursor)

    async def _page(
        self,
        feature: str,
        path: str,
        row: type[W],
        limit: int,
        cursor: str | None,
        parameters: Mapping[str, str] | None = None,
    ) -> Page[W]:
        """Request a page, of half as many rows as long as it is too large.

        Raises: AnswerTooLarge: one row is.
        """
        query = {**(parameters or {}), "limit": str(limit)}
        if cursor is not None:
            query["cursor"] = cursor

        def read(answer: Response) -> Page[W]:
            return page_of(answer, row, self._state.record_deviation, sent_cursor=cursor)

        while True:
            try:
                return await self._probe.ask(feature, path, query, read)
            except AnswerTooLarge:
                if limit == 1:
                    raise
                limit //= 2
                query["limit"] = str(limit)

    async def _value(
        self, feature: str, path: str, model: type[W], parameters: Mapping[str, str]
    ) -> W:
        def read(answer: Response) -> W:
            return value_of(answer, model, self._state.record_deviation)

        return await self._probe.ask(feature, path, parameters, read)


def _segment(value: str) -> str:
    """Percent-encode an id or phone number as one path segment, including dots."""
    return quote(value, safe="").replace(".", "%2E")


def _counted(filter: ConversationFilter) -> ConversationFilter:
    """The filter of a request for counts, with terms for what other servers ignore there."""
    terms = [] if filter.query is None else [filter.query]
    if filter.awaiting_human is not None:
        terms.append(str(Term(NEEDS, HUMAN, not filter.awaiting_human)))
    if filter.assignee is not None:
        is_word = filter.assignee in ASSIGNEE_WORDS
        terms.append(str(Term(ASSIGNEE, filter.assignee if is_word else f"{ID}{filter.assignee}")))
    members = dict.fromkeys(("assignee", "awaiting_human", "sort"))
    return filter.model_copy(update={**members, "query": " ".join(terms) or None})


def _ignores_query(page: Page[Conversation]) -> bool:
    """True if a page is no answer to a query: those say how many conversations match."""
    return "total" not in page.model_fields_set


def _note_lacking(state: ServerState, names: frozenset[str], filter: ConversationFilter) -> None:
    """Record filters that the server lacks. Raises: NotOffered: rows do not show one."""
    later = filter.sort in LATER_ORDERS
    state.lacks_extensions({SORT_LATER if name == "sort" and later else name for name in names})
    if "query" in names:
        raise NotOffered("This server does not take a query")
