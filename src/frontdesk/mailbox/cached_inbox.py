"""The inbox as it is cached: rows, marks, settings, and what is kept on this computer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Cache,
    CacheUsage,
    Coverage,
    Hit,
    Listing,
    ListName,
    key_of,
    notes_name,
    thread_name,
)
from frontdesk.text.clean import AtLeast, one_line
from frontdesk.text.entries import NewSinceVisit
from frontdesk.text.messages import Entry, found_line
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    ConversationPage,
    Counts,
    Note,
    Page,
    ReportQuery,
    body_of,
    instant,
)
from frontdesk.wire.values import STATUSES

if TYPE_CHECKING:
    from frontdesk.cache.followed import FollowedLists
    from frontdesk.wire.reports import Report

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
# Of each list, when all conversations that were seen are gone through.
_SEEN_LIMIT = 1000


class SeenCounts(NamedTuple):
    """Number of cached conversations and messages."""

    conversations: int
    messages: int


# Name of the setting, before the id of the conversation, with the time of the last visit, and of
# then the number of unread messages that the server counted and the id of the newest message.
_READ = "looked at/"
# Stored in place of the time of a visit.
_UNREAD = "unread"
# Likewise, of a conversation that was hidden and has come back.
_CAME_BACK = "follow up"
# Name of the setting, before the id of the conversation, with the time until which it is hidden,
# and that of the customer's last message when it was.
_HIDDEN = "hidden until/"
# Name of the setting with what is kept.
_KEEP = "keep"
# Name of the setting with the id of the own user.
ME = "me"


class CachedInbox:
    """Reads of the cache, in under a millisecond; coroutines read many rows in a thread."""

    def __init__(
        self, cache: Cache, clock: Callable[[], datetime], keep: str | None = None
    ) -> None:
        """keep: conversations to keep, as configured; None: as chosen by `choose_keep`."""
        self._cache, self._clock, self._keep = cache, clock, keep
        self.fill_progress = cache.fill_progress
        self.follow_ups = FollowUps(self, cache)
        self.conversations_saying = cache.conversations_saying
        self.total, self.remark = partial(total_of, cache), partial(remark_on, cache)
        self.excerpts = partial(excerpts_of, cache)
        self.marked_here = partial(marked_in, cache)
        # Counts that were read since the last refresh of any; read for each tab with each change.
        self._counts: dict[ConversationFilter, Counts | None] = {}

    @property
    def followed(self) -> FollowedLists:
        """Which lists are kept current, and what is saved of what changed."""
        return self._cache.followed

    async def usage(self) -> CacheUsage:
        """Cache statistics; read in a thread."""
        return await self._cache.usage()

    @property
    def keep_rule(self) -> str:
        """Conversations to keep on this computer: "off", "open", "all", or days as "30d"."""
        return self._keep or self._cache.get_setting(_KEEP) or "off"

    @property
    def offers_keeping(self) -> bool:
        """True if neither the configuration nor the user decided what is kept."""
        return self._keep is None and self._cache.get_setting(_KEEP) is None

    def choose_keep(self, name: str) -> None:
        """Store what is kept, where the configuration does not say it."""
        self._cache.set_setting(_KEEP, name)

    async def coverage(self) -> Coverage | None:
        """Which conversations are cached whole, counted in a thread; None if none were filled."""
        return await asyncio.to_thread(self._cache.coverage)

    @property
    def persistent(self) -> bool:
        """False if nothing can be saved, see `warning`."""
        return self._cache.persistent

    def has_room(self) -> bool:
        """True while filling the cache does not lead to eviction. Reads the file."""
        return self._cache.has_room()

    def list_name(self, filter: ConversationFilter) -> str:
        """Name of the cached list of a filter."""
        return conversations_name(filter).name

    @property
    def warning(self) -> str | None:
        """A sentence for the user if the cache cannot be saved or was rebuilt."""
        return self._cache.warning

    def conversations(self, filter: ConversationFilter) -> Listing[Conversation]:
        """Cached conversations of a filter, newest first."""
        return self._cache.listing(conversations_name(filter))

    def seen_conversations(self) -> Iterator[Conversation]:
        """Yield the first cached conversations of each status list, without duplicates."""
        ids: set[str] = set()
        for status in (None, *STATUSES):
            listing = self.conversations(ConversationFilter(status=status))
            for conversation in (listing[at] for at in range(min(len(listing), _SEEN_LIMIT))):
                if conversation.id not in ids:
                    ids.add(conversation.id)
                    yield conversation

    def conversation(self, id: str) -> Conversation | None:
        """Cached state of a conversation."""
        return self._cache.value(CONVERSATION, id, Conversation)

    def conversations_by_id(self, ids: Collection[str]) -> dict[str, Conversation]:
        """Cached states of conversations, without missing ones."""
        return self._cache.values(CONVERSATION, ids, Conversation)

    def thread(self, conversation_id: str) -> Listing[Entry]:
        """Cached messages and notes of a conversation, oldest first.

        Notes older than the oldest cached message appear once the messages around them are cached.
        """
        return self._cache.listing(thread_name(conversation_id), newest_first=False)

    def notes(self, conversation_id: str) -> list[Note]:
        """Cached notes of a conversation, newest first."""
        return list(self._notes(conversation_id))

    def has_newest(self, conversation: Conversation) -> bool:
        """True if the last message of a conversation is cached, or an entry that is newer.

        Without a last message, one of the time of its last activity.
        """
        newest, activity = self._cache.top(thread_name(conversation.id)), key_of(conversation).sort
        if newest is None or newest.sort != activity:
            return newest is not None and newest.sort > activity
        last = conversation.last_message
        return last is None or self._cache.body(MESSAGE, last.id) is not None

    def newer_entry(self, conversation: Conversation) -> str | None:
        """Id of the newest cached entry, if it is newer than the conversation's last activity."""
        newest = self._cache.top(thread_name(conversation.id))
        is_newer = newest is not None and newest.sort > key_of(conversation).sort
        return newest.id if newest is not None and is_newer else None

    def has_read_notes(self, conversation_id: str) -> bool:
        """True if the notes of a conversation were loaded, even if there are none."""
        return self._notes(conversation_id).fetched_at is not None

    def _notes(self, conversation_id: str) -> Listing[Note]:
        return self._cache.listing(notes_name(conversation_id))

    def contact(self, conversation: Conversation) -> Contact | None:
        """Cached contact of a conversation."""
        return self.known_contact(conversation.contact.id)

    def known_contact(self, id: str) -> Contact | None:
        """Cached contact, by id."""
        return self._cache.value(CONTACT, id, Contact)

    def conversations_of(self, contact_id: str) -> list[Conversation]:
        """Cached conversations of a contact, on any channel, most recently active first."""
        rows = map(self.conversation, self._cache.conversations_of(contact_id))
        return [conversation for conversation in rows if conversation is not None]

    def unread_among(self, conversations: Iterable[Conversation]) -> dict[str, int]:
        """Numbers of new messages by id, of the conversations that are unread on this computer.

        These have unread messages newer than the last visit here, or were marked as unread; then
        the number may be 0.
        """
        shown = {conversation.id: conversation for conversation in conversations}
        marks = self._cache.get_settings([_read_name(id) for id in shown])
        counts = {id: _unread(row, marks.get(_read_name(id))) for id, row in shown.items()}
        return {id: count for id, count in counts.items() if count is not None}

    def new_messages(self, conversation: Conversation) -> NewSinceVisit:
        """What is new of a conversation on this computer."""
        name = _read_name(conversation.id)
        mark = self._cache.get_settings([name]).get(name)
        read = (mark or "").split(" ", 2)[2:]
        return NewSinceVisit(_unread(conversation, mark), conversation.last_message, "".join(read))

    def mark_read(self, conversation_id: str) -> None:
        """Store a visit to a conversation; the server is not informed."""
        row = self.conversation(conversation_id)
        count = (row and row.unread_count) or 0
        newest = row.last_message.id if row and row.last_message else ""
        mark = f"{self._clock().isoformat()} {count} {newest}"
        self._cache.set_setting(_read_name(conversation_id), mark.rstrip())

    def mark_unread(self, conversation_id: str) -> None:
        """Store that a conversation is unread until the next visit; the server is not informed."""
        self._cache.set_setting(_read_name(conversation_id), _UNREAD)

    def read_marks(self, conversation_ids: Collection[str]) -> dict[str, str]:
        """What is stored of visits, by id, for `restore_read_marks`; "" without a visit."""
        stored = self._cache.get_settings([_read_name(id) for id in conversation_ids])
        return {id: stored.get(_read_name(id), "") for id in conversation_ids}

    def restore_read_marks(self, marks: Mapping[str, str]) -> None:
        """Store again what `read_marks` returned."""
        for id, mark in marks.items():
            self._cache.set_setting(_read_name(id), mark)

    def is_marked_unread(self, conversation_id: str) -> bool:
        """True if a conversation was marked as unread on this computer, and not read since."""
        return self._cache.get_setting(_read_name(conversation_id)) in (_UNREAD, _CAME_BACK)

    def marked_unread(self) -> list[Conversation]:
        """Cached conversations that were marked as unread on this computer, and not read since."""
        marked = (self._cache.settings_with(mark) for mark in (_UNREAD, _CAME_BACK))
        ids = (name.removeprefix(_READ) for names in marked for name in names)
        return [row for row in map(self.conversation, ids) if row is not None]

    @property
    def me(self) -> str:
        """Id of the user that "me" means; "" until it is given or the server's lists prove it."""
        return self.get_setting(ME) or ""

    def counts(self, filter: ConversationFilter) -> Counts | None:
        """Cached counts for a filter without statuses and order, as of the last refresh here."""
        if filter not in self._counts:
            self._counts[filter] = self._cache.value("counts", counts_name(filter), Counts)
        return self._counts[filter]

    def search(
        self,
        text: str,
        *,
        limit: int = 50,
        before: Hit | None = None,
        kinds: tuple[str, ...] = (),
        conversation_id: str | None = None,
    ) -> list[Hit]:
        """Full-text search over cached rows that contain every word of `text`, newest first.

        before: the last hit of the previous page. kinds: of message, note, conversation, contact;
        empty for all. conversation_id: restricts the search to this conversation.
        """
        return self._cache.search(
            text, limit=limit, before=before, kinds=kinds, conversation_id=conversation_id
        )

    async def conversations_with(self, text: str, *, limit: int) -> list[Conversation]:
        """Cached conversations whose customer has every word of `text` in the name or number.

        Whole words come before parts, and open conversations before resolved ones. Searched in a
        thread.
        """
        ids = await asyncio.to_thread(self._cache.conversations_with, text, limit=limit)
        return [row for row in map(self.conversation, ids) if row is not None]

    async def indexed_counts(self) -> SeenCounts:
        """Size of the search index, counted in a thread."""
        kinds = (CONVERSATION, MESSAGE)
        return SeenCounts(*[await asyncio.to_thread(self._cache.count, kind) for kind in kinds])

    def set_setting(self, name: str, value: str) -> None:
        """Store a setting for the next start on this server."""
        self._cache.set_setting(name, value)

    def get_setting(self, name: str) -> str | None:
        """Stored setting, or None."""
        return self._cache.get_setting(name)

    def report(self, query: ReportQuery) -> Report | None:
        """Cached report for exactly this query."""
        from frontdesk.wire.reports import Report

        return self._cache.value("report", urlencode(query.parameters()), Report)


class FollowUps:
    """Conversations that are hidden on this computer until a time, and come back unread.

    The server is not informed.
    """

    def __init__(self, inbox: CachedInbox, cache: Cache) -> None:
        self._inbox, self._cache = inbox, cache

    def hidden(self) -> dict[str, datetime]:
        """Times until which conversations are hidden, by id."""
        stored = self._cache.settings_beginning_with(_HIDDEN).items()
        return {id: _until(value) for id, value in stored}

    def hide(self, conversations: Iterable[Conversation], until: datetime) -> dict[str, str]:
        """Hide conversations until a time; returns what is stored before, for `restore`."""
        before = {}
        for row in conversations:
            name = f"{_HIDDEN}{row.id}"
            before[row.id] = self._inbox.get_setting(name) or ""
            self._inbox.set_setting(name, f"{until.isoformat()} {row.last_inbound_at or ''}")
        return before

    def restore(self, before: Mapping[str, str]) -> None:
        """Store again what `hide` returned."""
        for id, value in before.items():
            self._inbox.set_setting(f"{_HIDDEN}{id}", value)

    def due(self, now: datetime) -> list[str]:
        """Ids of hidden conversations whose time has come, or whose customer has written since."""
        stored, hidden = self._cache.settings_beginning_with(_HIDDEN), self.hidden()
        return [id for id in stored if hidden[id] <= now or self._has_written(id, stored[id])]

    def _has_written(self, id: str, hidden: str) -> bool:
        row = self._inbox.conversation(id)
        return row is not None and (row.last_inbound_at or "") > hidden.partition(" ")[2]

    def bring_back(self, conversation_ids: Iterable[str]) -> None:
        """Hide conversations no more; they are unread until the next visit."""
        for id in conversation_ids:
            self._inbox.set_setting(_read_name(id), _CAME_BACK)
            self._inbox.set_setting(f"{_HIDDEN}{id}", "")

    def all(self) -> list[Conversation]:
        """Cached conversations that are hidden, or have come back and were not read."""
        back = (name.removeprefix(_READ) for name in self._cache.settings_with(_CAME_BACK))
        rows = map(self._inbox.conversation, dict.fromkeys((*self.hidden(), *back)))
        return [row for row in rows if row is not None]

    def among(self, conversations: Iterable[Conversation]) -> dict[str, datetime | None]:
        """When conversations come back, by id; None for those that have, and were not read."""
        names = {row.id: (f"{_HIDDEN}{row.id}", _read_name(row.id)) for row in conversations}
        stored = self._cache.get_settings([name for both in names.values() for name in both])
        found: dict[str, datetime | None] = {}
        for id, (hidden, read) in names.items():
            if until := stored.get(hidden):
                found[id] = _until(until)
            elif stored.get(read) == _CAME_BACK:
                found[id] = None
        return found


def _until(stored: str) -> datetime:
    # A damaged time has passed.
    return instant(stored.partition(" ")[0]) or _LONG_AGO


def _read_name(conversation_id: str) -> str:
    return f"{_READ}{conversation_id}"


def _unread(conversation: Conversation, mark: str | None) -> int | None:
    """Number of messages that are new here; None if the conversation is read.

    mark: what `mark_read` stores, `_UNREAD`, `_CAME_BACK`, or None.
    """
    count = conversation.unread_count or 0
    if mark in (_UNREAD, _CAME_BACK):
        return count
    if mark is None or not conversation.is_unread:
        return count if conversation.is_unread else None
    time, number, *_ = [*mark.split(" ", 2), ""]
    visited, active = instant(time), conversation.last_activity_time
    if visited is None:
        return count
    if conversation.unread_count is None:
        active = conversation.last_inbound_time or active
    if active is not None and active <= visited:
        return None
    waits_since = conversation.waiting_since_time
    is_unanswered = waits_since is not None and waits_since <= visited
    # Until somebody answers, the server goes on counting what was read here.
    new = count - int(number) if is_unanswered and number.isdecimal() else count
    return new if new > 0 else count


def marked_in(cache: Cache, most: int) -> list[Conversation] | None:
    """Cached conversations that were read or marked on this computer; None if over `most`."""
    marks = cache.settings_beginning_with(_READ)
    if len(marks) > most:
        return None
    return list(cache.values(CONVERSATION, marks, Conversation).values())


def conversations_name(filter: ConversationFilter) -> ListName:
    """Name of the cached list of a filter."""
    return ListName(f"conversations?{urlencode(filter.parameters())}", CONVERSATION)


def total_of(cache: Cache, filter: ConversationFilter) -> int | None:
    """Number of conversations of a filter with a query, as of its last first page here."""
    page = _first_page(cache, filter)
    if page is None or page.total is None:
        return None
    return AtLeast(page.total) if page.total_capped else page.total


def remark_on(cache: Cache, filter: ConversationFilter) -> str:
    """What the server remarked on a filter with a query, as of its last first page here, or ""."""
    page = None if filter.query is None else _first_page(cache, filter)
    return "" if page is None else one_line(page.remark or "")


def _first_page(cache: Cache, filter: ConversationFilter) -> ConversationPage | None:
    """The last first page of a filter with a query, without its rows."""
    return cache.value("counts", counts_name(filter), ConversationPage)


async def save_total(cache: Cache, filter: ConversationFilter, page: Page[Conversation]) -> bool:
    """Save how many conversations a query has, from its first page; True if that changed."""
    if not isinstance(page, ConversationPage):
        return False
    counted = body_of(page.model_copy(update={"data": (), "next_cursor": None}))
    return await cache.save("counts", counts_name(filter), counted)


# Pages of a list whose excerpts are kept.
_MOST_EXCERPTS = 1_000


def excerpts_of(cache: Cache, filter: ConversationFilter) -> Mapping[str, str]:
    """Texts in which a query has found its words, by the ids of conversations."""
    body = None if filter.query is None else cache.body("counts", _excerpts_name(filter))
    return _excerpts(body) if body else {}


@lru_cache(maxsize=4)
def _excerpts(body: bytes) -> Mapping[str, str]:
    page = ConversationPage.model_validate_json(body)
    return {match.conversation_id: found_line(match) for match in page.matches or ()}


async def save_excerpts(
    cache: Cache, filter: ConversationFilter, page: Page[Conversation], *, first: bool
) -> None:
    """Save what a page of a query has found in messages, beside that of the pages before."""
    if not isinstance(page, ConversationPage) or page.matches is None:
        return
    name, matches = _excerpts_name(filter), page.matches
    before = None if first else cache.value("counts", name, ConversationPage)
    if before is not None and before.matches:
        matches = (*before.matches, *matches)[-_MOST_EXCERPTS:]
    update = {"data": (), "next_cursor": None, "matches": matches}
    await cache.save("counts", name, body_of(page.model_copy(update=update)))


def _excerpts_name(filter: ConversationFilter) -> str:
    return f"excerpts?{urlencode(filter.parameters())}"


def counts_name(filter: ConversationFilter) -> str:
    """Name of the cached counts of a filter, which have no order.

    They have every status, but those of a query, which are one number.
    """
    left_out = {"sort": None, **({} if filter.query else {"statuses": None})}
    return urlencode(filter.model_copy(update=left_out).parameters())
