"""The inbox as pages: what was seen at once, what the server has on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Cache,
    Hit,
    Kept,
    Listing,
    ListName,
    body_of,
    key_of,
    notes_name,
    thread_name,
)
from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Unreachable,
)
from frontdesk.mailbox.ahead import ROWS_AHEAD, Ahead, Line
from frontdesk.mailbox.catalogues import NAMES, Catalogues
from frontdesk.mailbox.lists import Lists, Refreshed
from frontdesk.mailbox.source import Server, Source
from frontdesk.mailbox.walk import Fetch
from frontdesk.transcript import Entry
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    Note,
    Page,
    Report,
    ReportQuery,
    instant,
)


class Seen(NamedTuple):
    """How many conversations and messages are kept."""

    conversations: int
    messages: int


def utc_now() -> datetime:
    """The clock of a real session."""
    return datetime.now(UTC)


class Mailbox:
    """What a screen asks for data.

    Plain methods answer from the cache, in under a millisecond. Coroutines ask the server and
    raise InboxError; when they return, everything is saved, and a listing shows it after `reload`.
    """

    def __init__(
        self,
        connect: Callable[[], Source],
        cache: Cache,
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """`connect` makes the client; it may take long and runs in a thread, see `connect`."""
        self._make_source = connect
        self._connected: Source | None = None
        self._cache = cache
        self._clock = clock
        self._line = Line(clock)
        self._ahead = Ahead(self._line)
        self._lists = Lists(cache, clock)
        self._catalogues = Catalogues(cache)

    @property
    def connected(self) -> bool:
        """The server can be asked."""
        return self._connected is not None

    async def connect(self) -> None:
        """Make the client: from here on the server can be asked. Once; later calls do nothing.

        Raises: InboxError: there is no server that could be asked.
        """
        if self._connected is None:
            self._connected = await asyncio.to_thread(self._make_source)

    async def close(self) -> None:
        """Give up the connections to the server. The cache stays open."""
        if self._connected is not None:
            source, self._connected = self._connected, None
            await source.close()

    @property
    def _source(self) -> Source:
        if self._connected is None:
            raise Unreachable("Not connected yet")
        return self._connected

    @property
    def server(self) -> Server | None:
        """What was learnt of the server so far; None while there is none to be asked."""
        return self._connected.server if self._connected is not None else None

    def state_of(self, feature: str) -> str:
        """How the server stands to a feature, see `Feature`; unknown where nobody can tell."""
        server = self.server
        return server.features[feature].state if server is not None else "unknown"

    async def discover(self, asking: Callable[[str], None]) -> None:
        """Ask the server once for everything, also for what it was known to lack.

        `asking` is told in words what is asked for next. Raises: Unreachable, Unauthorised: nothing
        more can be learnt now.
        """
        await self._line.watch(self._source.discover(asking))

    async def kept(self) -> Kept:
        """How much of the server is kept on this machine, and of when. Waits for the disk."""
        return await self._cache.kept()

    @property
    def warning(self) -> str | None:
        """One sentence for the user when the cache is not what it should be."""
        return self._cache.warning

    def conversations(self, filter: ConversationFilter) -> Listing[Conversation]:
        """The saved conversations of a filter, newest first."""
        return self._cache.listing(_conversations_name(filter))

    def conversation(self, id: str) -> Conversation | None:
        """One conversation as it was last seen in any list."""
        return self._cache.value(CONVERSATION, id, Conversation)

    def thread(self, conversation_id: str) -> Listing[Entry]:
        """The saved messages of a conversation with the notes among them, oldest first.

        A note below the oldest saved message is shown once the messages around it are saved.
        """
        return self._cache.listing(thread_name(conversation_id), newest_first=False)

    def notes(self, conversation_id: str) -> list[Note]:
        """The saved notes of a conversation, newest first."""
        return list(self._notes(conversation_id))

    def has_read_notes(self, conversation_id: str) -> bool:
        """The notes of a conversation were read: where none are saved, there are none."""
        return self._notes(conversation_id).fetched_at is not None

    def _notes(self, conversation_id: str) -> Listing[Note]:
        return self._cache.listing(notes_name(conversation_id))

    def contact(self, conversation: Conversation) -> Contact | None:
        """The contact of a conversation."""
        return self.known_contact(conversation.contact.id)

    def known_contact(self, id: str) -> Contact | None:
        """A contact that was seen, by id."""
        return self._cache.value(CONTACT, id, Contact)

    def conversations_of(self, contact_id: str) -> list[Conversation]:
        """The conversations of a contact that were seen, on any channel, the last active first."""
        seen = map(self.conversation, self._cache.conversations_of(contact_id))
        return [conversation for conversation in seen if conversation is not None]

    def looked_at(self, ids: Iterable[str]) -> dict[str, datetime | None]:
        """When the reader last looked at conversations, by their ids. Only this machine knows."""
        names = {id: _looked_name(id) for id in ids}
        known = self._cache.recall_all(names.values())
        return {id: instant(known.get(name)) for id, name in names.items()}

    def mark_looked_at(self, conversation_id: str) -> None:
        """The reader looks at a conversation now; the server is not told."""
        self._cache.remember(_looked_name(conversation_id), self._clock().isoformat())

    @property
    def catalogues(self) -> Catalogues:
        """The saved labels, users, channels and what else has a name."""
        return self._catalogues

    def counts(self, filter: ConversationFilter) -> Counts | None:
        """The last known counts for the filter's status, channel and label."""
        return self._cache.value("counts", _counts_name(filter), Counts)

    def search(
        self,
        text: str,
        *,
        limit: int = 50,
        before: Hit | None = None,
        kinds: tuple[str, ...] = (),
        conversation_id: str | None = None,
    ) -> list[Hit]:
        """What was seen and has every word of `text` in it, newest first; type anything.

        before: the last hit of the page before. kinds: of message, note, conversation, contact;
        none means all. conversation_id: only what was said there.
        """
        return self._cache.search(
            text, limit=limit, before=before, kinds=kinds, conversation_id=conversation_id
        )

    async def seen(self) -> Seen:
        """How much there is to be searched."""
        kinds = (CONVERSATION, MESSAGE)
        return Seen(*[await asyncio.to_thread(self._cache.count, kind) for kind in kinds])

    def remember(self, name: str, value: str) -> None:
        """Keep a word of the viewer's state for the next start on this server."""
        self._cache.remember(name, value)

    def recall(self, name: str) -> str | None:
        """What was remembered under this name."""
        return self._cache.recall(name)

    async def refresh_conversations(
        self, filter: ConversationFilter, *, thorough: bool = False
    ) -> Refreshed:
        """Read the newest conversations until they meet those that are held (CLIENT-2).

        `thorough` reads on over all that is held, up to 20 pages: only that shows rows further
        down which left the filter (CLIENT-3).
        """
        return await self._lists.refresh(
            _conversations_name(filter), self._conversation_pages(filter), thorough=thorough
        )

    async def older_conversations(self, filter: ConversationFilter) -> Refreshed:
        """Read the page that follows the oldest held conversation."""
        return await self._lists.older(
            _conversations_name(filter), self._conversation_pages(filter)
        )

    async def refresh_thread(self, conversation_id: str) -> Refreshed:
        """Read the newest messages until they meet those that are held (CLIENT-6).

        Raises: NotFound: the conversation is gone; it was taken out of every list.
        """
        try:
            return await self._lists.refresh(
                thread_name(conversation_id), self._message_pages(conversation_id)
            )
        except NotFound:
            await self._cache.forget(conversation_id)
            raise

    async def older_messages(self, conversation_id: str) -> Refreshed:
        """Read the page that follows the oldest held message, and the notes that belong there."""
        refreshed = await self._lists.older(
            thread_name(conversation_id), self._message_pages(conversation_id)
        )
        if await self._lists.older_notes(conversation_id, self._note_pages(conversation_id)):
            return Refreshed(True, refreshed.added, refreshed.restarted, refreshed.unreadable)
        return refreshed

    async def refresh_notes(self, conversation_id: str) -> Refreshed:
        """Read the newest notes until they meet those that are held.

        A server that lists no notes, or not to this key, has none: `server` tells which.
        `refresh_thread` tells if the conversation is gone.
        """
        try:
            refreshed = await self._lists.refresh(
                notes_name(conversation_id), self._note_pages(conversation_id)
            )
        except (NotFound, Forbidden):
            return Refreshed(False)
        await self._lists.older_notes(conversation_id, self._note_pages(conversation_id))
        return refreshed

    async def refresh_counts(self, filter: ConversationFilter) -> bool:
        """Read the counts for the filter's status, channel and label; True if they changed.

        Counts that the server lacks, refuses or garbles change nothing: `server` tells of them.
        """
        try:
            counts = await self._line.watch(self._source.counts(filter))
        except (NotFound, Forbidden, BadResponse):
            return False
        return await self._cache.save("counts", _counts_name(filter), body_of(counts))

    async def refresh_catalogues(self, names: Iterable[str] = NAMES) -> dict[str, InboxError]:
        """Read catalogues; returns what could not be read, by name, and why."""
        return await self._catalogues.refresh(self._source, names)

    def report(self, query: ReportQuery) -> Report | None:
        """The last report that was read for exactly this query."""
        return self._cache.value("report", urlencode(query.parameters()), Report)

    async def refresh_report(self, query: ReportQuery) -> bool:
        """Read a report; True if it changed."""
        report = await self._source.report(query)
        return await self._cache.save("report", urlencode(query.parameters()), body_of(report))

    async def refresh_contact(self, conversation: Conversation) -> bool:
        """Read the contact of a conversation by phone, when it has one; True if it changed."""
        id, phone = conversation.contact.id, conversation.contact.phone
        if not phone:
            return False
        try:
            contact = await self._line.watch(self._source.contact_by_phone(phone))
        except (NotOffered, Forbidden):
            return False
        except NotFound:
            return await self._cache.drop(CONTACT, id)
        return await self._cache.save(CONTACT, id, body_of(contact))

    async def contact_by_phone(self, phone: str) -> Contact:
        """The contact with an E.164 number, as the server knows it.

        Raises: NotFound: nobody has it.
        """
        contact = await self._line.watch(self._source.contact_by_phone(phone))
        await self._cache.save(CONTACT, contact.id, body_of(contact))
        return contact

    async def search_contacts(self, q: str, *, cursor: str | None = None) -> Page[Contact]:
        """Contacts that have every word of `q`, by name, as the server finds them.

        A newer search cancels an older one by cancelling its task.
        """
        page = await self._line.watch(self._source.contact_page(q, cursor=cursor))
        await self._cache.save_all(CONTACT, {one.id: body_of(one) for one in page.data})
        return page

    async def prefetch(
        self, filter: ConversationFilter, position: int, conversation_id: str | None = None
    ) -> bool:
        """Read what will be asked for next: True if that changed what is held.

        position: where the cursor is in the filter's list; conversation_id: what is under it, to
        have its thread. For idle moments: nothing is asked when all is there, when there is no
        connection, or while the server asks for rest. Raises nothing of InboxError.
        """
        if self._connected is None:
            return False
        return await self._ahead.step(lambda: self._read_ahead(filter, position, conversation_id))

    async def _read_ahead(
        self, filter: ConversationFilter, position: int, conversation_id: str | None
    ) -> bool:
        conversation = self.conversation(conversation_id) if conversation_id else None
        if conversation is not None and self._lacks_newest(conversation):
            self._ahead.mark_read(conversation.id, conversation.last_activity_at)
            return (await self.refresh_thread(conversation.id)).changed
        listing = self.conversations(filter)
        near_end = len(listing) - position <= ROWS_AHEAD
        if listing and near_end and listing.cursor is not None:
            return (await self.older_conversations(filter)).changed
        return False

    def _lacks_newest(self, conversation: Conversation) -> bool:
        """Something happened in the conversation since its thread was read."""
        newest, last = self._cache.top(thread_name(conversation.id)), conversation.last_activity_at
        if newest is not None and newest.sort >= key_of(conversation).sort:
            return False
        return not self._ahead.is_read(conversation.id, last)

    def _conversation_pages(self, filter: ConversationFilter) -> Fetch:
        return lambda cursor: self._line.watch(
            self._source.conversation_page(filter, cursor=cursor)
        )

    def _message_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._line.watch(
            self._source.message_page(conversation_id, cursor=cursor)
        )

    def _note_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._line.watch(
            self._source.note_page(conversation_id, cursor=cursor)
        )


def _looked_name(conversation_id: str) -> str:
    return f"looked at/{conversation_id}"


def _conversations_name(filter: ConversationFilter) -> ListName:
    return ListName(f"conversations?{urlencode(filter.parameters())}", CONVERSATION)


def _counts_name(filter: ConversationFilter) -> str:
    """Counts are not told by assignee."""
    parameters = filter.parameters()
    parameters.pop("assignee", None)
    return urlencode(parameters)
