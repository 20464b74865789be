"""Data source of the screens: cached rows at once, requests of the server on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    Cache,
    notes_name,
    thread_name,
)
from frontdesk.cache.rows import sort_text
from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
    Unreachable,
)
from frontdesk.mailbox.cached_inbox import (
    ME,
    CachedInbox,
    conversations_name,
    counts_name,
    save_excerpts,
    save_total,
)
from frontdesk.mailbox.capabilities import ServerCapabilities
from frontdesk.mailbox.catalogues import NAMES
from frontdesk.mailbox.lists import Fetch, Lists, RefreshResult
from frontdesk.mailbox.prefetch import NEXT_PAGE_MARGIN_ROWS, Pace, PrefetchedThreads, RequestCount
from frontdesk.query.plan import is_counted
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    ReportQuery,
    body_of,
)
from frontdesk.wire.queries import COUNTS_BY
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages, Server
    from frontdesk.mailbox.news import SavedChanges
    from frontdesk.wire import Changes, ConversationPage, Page
    from frontdesk.wire.reports import ConversationReport

_OF_ME = ConversationFilter(assignee="me")
# Time until a server that did not prove who "me" is may be asked again.
_UNTIL_NEXT_PROOF = timedelta(minutes=15)


def _assignee_id(row: Conversation) -> str:
    return row.assignee.id if row.assignee else ""


def _leaves_out(mine: Page[Conversation], cached: Iterable[Conversation]) -> bool:
    """True if a cached conversation would be on this first page, if all were listed."""
    listed = {row.id for row in mine.data}
    oldest = "" if mine.ended else sort_text(mine.data[-1].last_activity_at)
    # Activity never falls: what is absent was left out.
    return any(row.id not in listed and sort_text(row.last_activity_at) > oldest for row in cached)


class ThreadRefresh(NamedTuple):
    """Outcome for an open thread. refreshed: its messages came; error: what a part failed with.

    unreadable: messages dropped.
    """

    refreshed: bool
    unreadable: int
    error: InboxError | None


class Mailbox(CachedInbox):
    """Data access of the screens.

    Plain methods read the cache, in under a millisecond. Coroutines request data and raise
    InboxError; when they return, the data is saved, and a listing shows it after `reload`.
    """

    def __init__(
        self,
        connect: Callable[[], InboxClient],
        cache: Cache,
        *,
        clock: Callable[[], datetime] = utc_now,
        keep: str | None = None,
        me: str = "",
    ) -> None:
        """`connect` creates the client; it may be slow and runs in a thread.

        keep: conversations to keep, as configured; None: as chosen by `choose_keep`. me: id of the
        own user, if it is known.
        """
        self._make_source = connect
        self._connected: InboxClient | None = None
        self._connecting = asyncio.Lock()
        super().__init__(cache, clock, keep)
        self._requests = RequestCount()
        self._prefetched = PrefetchedThreads()
        # Ids of the conversations whose thread was requested last without success.
        self._failed_threads: set[str] = set()
        self._lists = Lists(cache, clock, self._server_now)
        self.capabilities = ServerCapabilities(lambda: self.server, cache)
        self._changes: SavedChanges | None = None
        self._is_me_known = bool(me)
        if me:
            self.set_setting(ME, me)
        # Own user as proven by the server since the start, and when another proof may be asked for.
        self._proven_me = me
        self._proof_due_at: datetime | None = None

    @property
    def connected(self) -> bool:
        """True after `connect`."""
        return self._connected is not None

    async def connect(self) -> None:
        """Create the client, without a request; later calls do nothing.

        Raises: InboxError: the client cannot be created.
        """
        # Who comes meanwhile waits for the same client.
        async with self._connecting:
            if self._connected is None:
                self._connected = await asyncio.to_thread(self._make_source)

    async def close(self) -> None:
        """Close the client; the cache stays open."""
        if self._connected is not None:
            source, self._connected = self._connected, None
            await source.close()

    @property
    def source(self) -> InboxClient:
        """The client. Raises: Unreachable: not connected yet."""
        if self._connected is None:
            raise Unreachable("Not connected yet")
        return self._connected

    @property
    def server(self) -> Server | None:
        """Observed state of the server; None before `connect`."""
        return self._connected.server if self._connected is not None else None

    def _server_now(self) -> datetime:
        server = self.server
        return self._clock() + (server.clock_skew if server and server.clock_skew else timedelta())

    def state_of(self, feature: str) -> str:
        """State of a feature, see `Feature`; "unknown" before `connect`."""
        server = self.server
        return server.features[feature].state if server is not None else "unknown"

    @property
    def answers(self) -> int:
        """Number of requests that the server has answered with success."""
        return self._requests.answers

    async def discover(self, progress: Callable[[str], None]) -> None:
        """Probe all features, including those known to be missing.

        `progress` is called with the name of each feature. Raises: Unreachable, Unauthorised.
        """
        from frontdesk.client import discover

        await self._requests.track(discover(self.source, progress))

    def pace(
        self,
        share: float,
        busy: Callable[[], bool] = lambda: False,
        *,
        least_seconds: float = 0.0,
    ) -> Pace:
        """Spacing of requests in the background, see `Pace`.

        They wait while requests of the foreground are running, and while `busy`.
        """
        return Pace(
            share,
            lambda: self.server,
            lambda: self._requests.busy or busy(),
            least_seconds=least_seconds,
        )

    async def save_media(self, *arguments: Any, **options: Any) -> None:
        """Write the file of a message to a file; see `InboxClient.save_media`."""
        await self._requests.track(self.source.save_media(*arguments, **options))

    async def find_me(self) -> None:
        """Ask for a list of "me" unless it is known who that is, or the server does not tell."""
        if not self.me:
            with suppress(NotOffered, Refused, Forbidden):
                await self._conversation_pages(_OF_ME)(None)

    async def refresh_conversations(
        self,
        filter: ConversationFilter,
        *,
        thorough: bool = False,
        down_to: datetime | None = None,
    ) -> RefreshResult:
        """Load the newest conversations until they overlap the cached ones.

        `thorough` continues over all cached rows, up to 20 pages: only that detects rows further
        down that left the filter. down_to: load all with activity from then on.
        """
        name, pages = conversations_name(filter), self._conversation_pages(filter)
        return await self._lists.refresh(name, pages, thorough=thorough, down_to=down_to)

    async def older_conversations(self, filter: ConversationFilter) -> RefreshResult:
        """Load the page after the oldest cached conversation."""
        return await self._lists.older(conversations_name(filter), self._conversation_pages(filter))

    async def conversation_page(
        self, filter: ConversationFilter, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations as the server has them, without the cache.

        Raises: NotOffered: the server does not have the filter or the order.
        """
        return await self._conversation_pages(filter)(cursor)

    async def refresh_conversation(self, conversation: Conversation) -> bool:
        """Refresh one conversation that the lists in use do not have; True if it changed.

        A server that has none by its id is asked for those of its contact, or without that filter
        for the most recently active ones.
        """
        if self.state_of("conversation") != "absent":
            one = self.source.conversation(conversation.id, listed=False)
            try:
                row = await self._requests.track(one)
                return await self._cache.save(CONVERSATION, row.id, body_of(row))
            except NotOffered:
                # Asked for differently below.
                pass
            except NotFound:
                return False
        filter = ConversationFilter(contact=conversation.contact.id)
        if self.server is not None and "contact" in self.server.no_extensions:
            filter = ConversationFilter()
        try:
            page = await self.conversation_page(filter)
        except NotOffered:
            page = await self.conversation_page(ConversationFilter())
        for row in page.data:
            if row.id == conversation.id:
                return await self._cache.save(CONVERSATION, row.id, body_of(row))
        return False

    async def refresh_thread(
        self, conversation_id: str, *, down_to: datetime | None = None
    ) -> RefreshResult:
        """Load the newest messages until they overlap the cached ones, or all since `down_to`.

        Raises: NotFound: the conversation was deleted; it is removed from all lists.
        """
        try:
            refreshed = await self._lists.refresh(
                thread_name(conversation_id),
                self._message_pages(conversation_id),
                down_to=down_to,
            )
        except NotFound:
            await self._cache.forget(conversation_id)
            raise
        except InboxError:
            self._failed_threads.add(conversation_id)
            raise
        self._failed_threads.discard(conversation_id)
        return refreshed

    async def refresh_open_thread(self, conversation: Conversation) -> ThreadRefresh:
        """Refresh messages, notes and contact of a conversation; each whatever the others do."""
        outcomes = await asyncio.gather(
            self.refresh_thread(conversation.id),
            self.refresh_notes(conversation.id),
            self.refresh_contact(conversation),
            return_exceptions=True,
        )
        errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        for error in errors:
            if not isinstance(error, InboxError):
                raise error
        passing = (error for error in errors if isinstance(error, InboxError))
        refreshed = not isinstance(outcomes[0], BaseException)
        return ThreadRefresh(refreshed, getattr(outcomes[0], "unreadable", 0), next(passing, None))

    def has_failed_thread(self, conversation_id: str) -> bool:
        """True if the last request for the messages of a conversation failed."""
        return conversation_id in self._failed_threads

    async def older_messages(self, conversation_id: str) -> RefreshResult:
        """Load the page after the oldest cached message, and the notes of that period."""
        refreshed = await self._lists.older(
            thread_name(conversation_id), self._message_pages(conversation_id)
        )
        if await self._lists.older_notes(conversation_id, self._note_pages(conversation_id)):
            return RefreshResult(True, refreshed.added, refreshed.restarted, refreshed.unreadable)
        return refreshed

    async def refresh_notes(self, conversation_id: str) -> RefreshResult:
        """Load the newest notes until they overlap the cached ones.

        Does nothing if notes are missing or forbidden; `server` says which. `refresh_thread`
        detects a deleted conversation.
        """
        try:
            refreshed = await self._lists.refresh(
                notes_name(conversation_id), self._note_pages(conversation_id)
            )
        except (NotFound, Forbidden):
            return RefreshResult(False)
        await self._lists.older_notes(conversation_id, self._note_pages(conversation_id))
        return refreshed

    async def load_thread(self, conversation_id: str) -> bool:
        """Load all messages and notes of a conversation; False if that is impossible.

        Raises: NotFound: the conversation was deleted; it is removed from all lists.
        """
        await self.refresh_thread(conversation_id)
        thread, notes = (
            thread_name(conversation_id),
            self._note_pages(conversation_id),
        )
        while not self._cache.next_cursor(thread)[1]:
            if not (await self.older_messages(conversation_id)).changed:
                return False
        await self.refresh_notes(conversation_id)
        while await self._lists.older_notes(conversation_id, notes):
            continue
        return True

    async def refresh_counts(self, filter: ConversationFilter) -> bool:
        """Refresh the counts for a filter, without its order; True if they changed.

        Of a query with terms that no counters are kept by, it is the number of its list.

        Missing, forbidden, refused or unreadable counts change nothing; `server` says which.
        """
        if filter.query is not None and not is_counted(filter):
            one = self.source.conversation_page(filter, limit=1)
            with suppress(NotFound, NotOffered, Forbidden, Refused, BadResponse):
                page = await self._requests.track(one)
                return await save_total(self._cache, filter, page)
            return False
        try:
            counts = await self._requests.track(self.source.counts(filter, by=COUNTS_BY))
        except (NotFound, Forbidden, Refused, BadResponse):
            return False
        changed = await self._cache.save("counts", counts_name(filter), body_of(counts))
        self._counts.clear()
        return changed

    async def next_changes(self) -> Changes:
        """What the server says changed since the last answer, saved; see `SavedChanges.next`."""
        if self._changes is None:
            # Deferred: the first frame does not need it.
            from frontdesk.mailbox.news import SavedChanges

            self._changes = SavedChanges(self.source, self.followed, self.names)
        return await self._changes.next()

    async def refresh_catalogues(self, names: Iterable[str] = NAMES) -> dict[str, InboxError]:
        """Refresh catalogues; returns errors by name."""
        return await self.catalogues.refresh(self.source, names)

    async def refresh_report(self, query: ReportQuery) -> bool:
        """Refresh a report; True if it changed."""
        report = await self.source.report(query)
        return await self._cache.save("report", urlencode(query.parameters()), body_of(report))

    def conversation_reports(self, query: ReportQuery) -> RowPages[ConversationReport]:
        """What a report counts of each conversation, from the server."""
        return self.source.conversation_reports(query)

    async def refresh_contact(self, conversation: Conversation) -> bool:
        """Refresh the contact of a conversation by its phone number; True if it changed."""
        id, phone = conversation.contact.id, conversation.contact.phone
        if not phone:
            return False
        try:
            contact = await self._requests.track(self.source.contact_by_phone(phone))
        except (NotOffered, Forbidden):
            return False
        except NotFound:
            return await self._cache.drop(CONTACT, id)
        return await self._cache.save(CONTACT, id, body_of(contact))

    async def contact_by_phone(self, phone: str) -> Contact:
        """Request the contact with an E.164 number.

        Raises: NotFound: no contact has it.
        """
        contact = await self._requests.track(self.source.contact_by_phone(phone))
        await self._cache.save(CONTACT, contact.id, body_of(contact))
        return contact

    async def search_contacts(self, q: str, *, cursor: str | None = None) -> Page[Contact]:
        """Search contacts on the server: every word of `q` must match; sorted by name.

        Cancel the task to replace the search by a newer one.
        """
        page = await self._requests.track(self.source.contact_page(q, cursor=cursor))
        await self._cache.save_all(CONTACT, {row.id: body_of(row) for row in page.data})
        return page

    async def search_messages(
        self, q: str, filter: ConversationFilter, *, cursor: str | None = None
    ) -> ConversationPage:
        """Search the messages of all conversations on the server, the newest match first.

        Raises: NotOffered: the server has no such search.
        """
        page = await self._requests.track(self.source.search_page(q, filter, cursor=cursor))
        await self._cache.save_all(CONVERSATION, {row.id: body_of(row) for row in page.data})
        return page

    async def prefetch(
        self, filter: ConversationFilter, position: int, *conversation_ids: str
    ) -> bool:
        """Prefetch what is likely to be requested next, by one request; False if there is nothing.

        position: the cursor in the filter's list. conversation_ids: conversations whose threads are
        prefetched; the first goes before the next page of the list. Does nothing before `connect`.
        Does not raise InboxError.
        """
        # A request of the foreground reports the error.
        with suppress(InboxError):
            return self.connected and await self._read_ahead(filter, position, conversation_ids)
        return False

    async def _read_ahead(
        self, filter: ConversationFilter, position: int, conversation_ids: Sequence[str]
    ) -> bool:
        if await self._read_thread_of(conversation_ids[:1]):
            return True
        listing = self.conversations(filter)
        near_end = len(listing) - position <= NEXT_PAGE_MARGIN_ROWS
        if listing and near_end and listing.cursor is not None:
            return (await self.older_conversations(filter)).changed
        return await self._read_thread_of(conversation_ids[1:])

    async def _read_thread_of(self, conversation_ids: Sequence[str]) -> bool:
        """Load the newest messages of the first conversation that lacks them."""
        for conversation in filter(None, map(self.conversation, conversation_ids)):
            is_new = not self.has_newest(conversation)
            if is_new and not self._prefetched.is_read(conversation):
                self._prefetched.mark_read(conversation)
                await self.refresh_thread(conversation.id)
                return True
        return False

    def _conversation_pages(self, filter: ConversationFilter) -> Fetch:
        async def fetch(cursor: str | None) -> Page[Conversation]:
            page = await self._requests.track(self.source.conversation_page(filter, cursor=cursor))
            server = self.server
            if server is not None and server.no_extensions & filter.parameters().keys():
                # Most of its pages would be empty: the caller filters another list instead.
                raise NotOffered("This server does not have this filter")
            if filter.assignee == "me" and cursor is None:
                await self._learn_me(filter, page)
            if filter.query is not None:
                await save_excerpts(self._cache, filter, page, first=cursor is None)
                if cursor is None:
                    await save_total(self._cache, filter, page)
            return page

        return fetch

    async def _learn_me(self, filter: ConversationFilter, mine: Page[Conversation]) -> None:
        """Store whose conversations these are, or forget it if they are not of one user.

        A server that ignores the filter may also send those of one user only: the list without the
        filter has to have others.
        """
        if self._is_me_known or not mine.data:
            return
        assignees = {_assignee_id(row) for row in mine.data}
        id = assignees.pop()
        if assignees or not id:
            self._store_me("")
        elif id == self._proven_me:
            return
        elif filter == _OF_ME and _leaves_out(mine, self.seen_conversations()):
            self._store_me(id)
        elif self._proof_due_at is None or self._clock() >= self._proof_due_at:
            self._proof_due_at = self._clock() + _UNTIL_NEXT_PROOF
            everything = filter.model_copy(update={"assignee": None})
            with suppress(InboxError):
                page = await self._requests.track(self.source.conversation_page(everything))
                if any(_assignee_id(row) != id for row in page.data):
                    self._store_me(id)

    def _store_me(self, id: str) -> None:
        self._proven_me = id
        if id != self.me:
            self.set_setting(ME, id)

    def _message_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._requests.track(
            self.source.message_page(conversation_id, cursor=cursor)
        )

    def _note_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._requests.track(
            self.source.note_page(conversation_id, cursor=cursor)
        )
