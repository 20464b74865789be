"""The inbox as pages: what was seen at once, what the server has on request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import urlencode

from frontdesk.cache import (
    CONVERSATION,
    Cache,
    Listing,
    ListName,
    Saved,
    body_of,
    notes_name,
    thread_name,
)
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    Unreachable,
)
from frontdesk.mailbox.source import Source
from frontdesk.mailbox.walk import Fetch, Walk, ended
from frontdesk.timeline import HIGHEST
from frontdesk.wire import (
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
    User,
)

ThreadRow: TypeAlias = Message | Note

HEAD_PAGES = 5
THOROUGH_PAGES = 20
EMPTY_PAGES = 5
CATALOGUE_PAGES = 50


@dataclass(frozen=True)
class Refreshed:
    """What a request changed in the saved list.

    `added`: ids of rows above all that was held, newest first; empty when nothing was held.
    `restarted`: the list was cut to what was fetched. `unreadable`: rows left out.
    """

    changed: bool
    added: tuple[str, ...] = ()
    restarted: bool = False
    unreadable: int = 0


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
    def warning(self) -> str | None:
        """One sentence for the user when the cache is not what it should be."""
        return self._cache.warning

    def conversations(self, filter: ConversationFilter) -> Listing[Conversation]:
        """The saved conversations of a filter, newest first."""
        return self._cache.listing(_conversations_name(filter))

    def conversation(self, id: str) -> Conversation | None:
        """One conversation as it was last seen in any list."""
        body = self._cache.body(CONVERSATION, id)
        return Conversation.model_validate_json(body) if body else None

    def thread(self, conversation_id: str) -> Listing[ThreadRow]:
        """The saved messages of a conversation with the notes among them, oldest first.

        A note below the oldest saved message is shown once the messages around it are saved.
        """
        return self._cache.listing(thread_name(conversation_id), newest_first=False)

    def notes(self, conversation_id: str) -> list[Note]:
        """The saved notes of a conversation, newest first."""
        listing: Listing[Note] = self._cache.listing(notes_name(conversation_id))
        return list(listing)

    def contact(self, conversation: Conversation) -> Contact | None:
        """The contact of a conversation."""
        body = self._cache.body("contact", conversation.contact.id)
        return Contact.model_validate_json(body) if body else None

    def labels(self) -> list[Label]:
        """The labels in the server's order. Hold them: each call reads them anew."""
        return self._catalogue("labels", Page[Label])

    def users(self) -> list[User]:
        """The users in the server's order."""
        return self._catalogue("users", Page[User])

    def channels(self) -> list[Channel]:
        """The channels in the server's order."""
        return self._catalogue("channels", Page[Channel])

    def custom_fields(self) -> list[CustomField]:
        """The definitions of contact attributes in the server's order."""
        return self._catalogue("custom_fields", Page[CustomField])

    def counts(self, filter: ConversationFilter) -> Counts | None:
        """The last known counts for the filter's status, channel and label."""
        body = self._cache.body("counts", _counts_name(filter))
        return Counts.model_validate_json(body) if body else None

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
        return await self._refresh(
            _conversations_name(filter), self._conversation_pages(filter), thorough=thorough
        )

    async def older_conversations(self, filter: ConversationFilter) -> Refreshed:
        """Read the page that follows the oldest held conversation."""
        return await self._older(_conversations_name(filter), self._conversation_pages(filter))

    async def refresh_thread(self, conversation_id: str, *, thorough: bool = False) -> Refreshed:
        """Read the newest messages until they meet those that are held (CLIENT-6).

        Raises: NotFound: the conversation is gone; it was taken out of every list.
        """
        try:
            return await self._refresh(
                thread_name(conversation_id),
                self._message_pages(conversation_id),
                thorough=thorough,
            )
        except NotFound:
            await self._cache.forget(CONVERSATION, conversation_id)
            raise

    async def older_messages(self, conversation_id: str) -> Refreshed:
        """Read the page that follows the oldest held message, and the notes that belong there."""
        refreshed = await self._older(
            thread_name(conversation_id), self._message_pages(conversation_id)
        )
        if await self._older_notes(conversation_id):
            return Refreshed(True, refreshed.added, refreshed.restarted, refreshed.unreadable)
        return refreshed

    async def refresh_notes(self, conversation_id: str) -> Refreshed:
        """Read the newest notes until they meet those that are held.

        A server that lists no notes has none; `refresh_thread` tells if the conversation is gone.
        """
        try:
            refreshed = await self._refresh(
                notes_name(conversation_id), self._note_pages(conversation_id)
            )
        except NotFound:
            return Refreshed(False)
        await self._older_notes(conversation_id)
        return refreshed

    async def refresh_counts(self, filter: ConversationFilter) -> bool:
        """Read the counts for the filter's status, channel and label; True if they changed."""
        counts = await self._source.counts(filter)
        return await self._cache.save("counts", _counts_name(filter), body_of(counts))

    async def refresh_catalogues(self) -> dict[str, InboxError]:
        """Read labels, users, channels and custom fields.

        Returns what could not be read, by name, and why: one that the key may not read, or that
        the server has not, does not stop the others.
        """
        source = self._source
        tasks: dict[str, Awaitable[InboxError | None]] = {
            "labels": self._refresh_catalogue("labels", source.label_page, Page[Label]),
            "users": self._refresh_catalogue("users", source.user_page, Page[User]),
            "channels": self._refresh_catalogue("channels", source.channel_page, Page[Channel]),
            "custom_fields": self._refresh_catalogue(
                "custom_fields", source.custom_field_page, Page[CustomField]
            ),
        }
        outcomes = await asyncio.gather(*tasks.values())
        return {
            name: error for name, error in zip(tasks, outcomes, strict=True) if error is not None
        }

    async def refresh_contact(self, conversation: Conversation) -> bool:
        """Read the contact of a conversation by phone, when it has one; True if it changed."""
        id, phone = conversation.contact.id, conversation.contact.phone
        if not phone:
            return False
        try:
            contact = await self._source.contact_by_phone(phone)
        except NotFound:
            return await self._cache.drop("contact", id)
        return await self._cache.save("contact", id, body_of(contact))

    def _conversation_pages(self, filter: ConversationFilter) -> Fetch:
        return lambda cursor: self._source.conversation_page(filter, cursor=cursor)

    def _message_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._source.message_page(conversation_id, cursor=cursor)

    def _note_pages(self, conversation_id: str) -> Fetch:
        return lambda cursor: self._source.note_page(conversation_id, cursor=cursor)

    async def _refresh(
        self, which: ListName, fetch: Fetch, *, thorough: bool = False, restart: bool = False
    ) -> Refreshed:
        """Read from the head until the pages meet what is held, then save them all at once.

        Nothing is saved before that: half of a walk would be a gap that nobody sees.
        """
        top, floor = self._cache.top(which), self._cache.floor(which)
        if restart:
            top = floor = None
        walk = Walk(fetch, HIGHEST)
        while await walk.step():
            keys = walk.fetched().stretch
            met = keys.keys and (top is None or keys.meets(top))
            if met and not (thorough and floor and keys.lowest > floor):
                break
            if walk.pages == (THOROUGH_PAGES if met else HEAD_PAGES):
                break
        walk.check_any()
        saved = await self._cache.save_head(which, walk.fetched(), self._clock(), restart=restart)
        walk.complain()
        return _refreshed(saved, walk)

    async def _older(self, which: ListName, fetch: Fetch) -> Refreshed:
        """Read on from the saved cursor; a list without one is read from its head."""
        cursor, complete = self._cache.way_on(which)
        if complete:
            return Refreshed(False)
        floor = self._cache.floor(which)
        if cursor is None:
            # Rows but no cursor: the server told that there are more, but not how to get them.
            return Refreshed(False) if floor else await self._refresh(which, fetch)
        walk = Walk(fetch, floor or HIGHEST, cursor)
        try:
            while await walk.step() and not walk.passed() and walk.pages < EMPTY_PAGES:
                continue
        except CursorRefused:
            return await self._refresh(which, fetch, restart=True)
        walk.check_below()
        saved = await self._cache.save_older(which, walk.fetched(), cursor)
        walk.complain()
        return _refreshed(saved, walk)

    async def _older_notes(self, conversation_id: str) -> bool:
        """Read older notes as far down as messages are held; True if that changed anything."""
        changed = False
        for _ in range(HEAD_PAGES):
            if not self._lacks_notes(conversation_id):
                break
            try:
                older = await self._older(
                    notes_name(conversation_id), self._note_pages(conversation_id)
                )
            except (Forbidden, NotFound):
                break
            changed = changed or older.changed
        return changed

    def _lacks_notes(self, conversation_id: str) -> bool:
        """The server may have notes between the oldest held note and the oldest held message."""
        thread, notes = thread_name(conversation_id), notes_name(conversation_id)
        cursor, complete = self._cache.way_on(notes)
        if complete or cursor is None:
            return False
        oldest_note, oldest_message = self._cache.floor(notes), self._cache.floor(thread)
        if self._cache.way_on(thread)[1] or oldest_note is None:
            return True
        return oldest_message is not None and oldest_message.sort <= oldest_note.sort

    def _catalogue(self, name: str, model: type[Page[Any]]) -> list[Any]:
        body = self._cache.body("catalogue", name)
        return list(model.model_validate_json(body).data) if body else []

    async def _refresh_catalogue(
        self, name: str, fetch: Callable[..., Awaitable[Page[Any]]], model: type[Page[Any]]
    ) -> InboxError | None:
        """Read a catalogue to its end. A refusal is returned, other failures rise."""
        values: list[Any] = []
        cursor: str | None = None
        asked: set[str | None] = set()
        try:
            while cursor not in asked and len(asked) < CATALOGUE_PAGES:
                asked.add(cursor)
                page = await fetch(cursor=cursor)
                values += page.data
                if ended(page) or not page.next_cursor:
                    break
                cursor = page.next_cursor
        except (Forbidden, NotFound, BadResponse) as error:
            return error
        await self._cache.save("catalogue", name, body_of(model(data=tuple(values))))
        return None


def _conversations_name(filter: ConversationFilter) -> ListName:
    return ListName(f"conversations?{urlencode(filter.parameters())}", CONVERSATION)


def _counts_name(filter: ConversationFilter) -> str:
    """Counts are not told by assignee."""
    parameters = filter.parameters()
    parameters.pop("assignee", None)
    return urlencode(parameters)


def _refreshed(saved: Saved, walk: Walk) -> Refreshed:
    return Refreshed(saved.changed, saved.added, saved.restarted, walk.unreadable)
