"""The inbox as it is cached: rows, marks, settings, and what is kept on this computer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
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
from frontdesk.mailbox.catalogues import Catalogues
from frontdesk.query import QueryNames
from frontdesk.text.clean import AtLeast, one_line
from frontdesk.text.messages import Entry, found_line
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    ConversationPage,
    Counts,
    Note,
    Page,
    PhoneRef,
    ReportQuery,
    body_of,
)
from frontdesk.wire.values import STATUSES

if TYPE_CHECKING:
    from frontdesk.cache.followed import FollowedLists
    from frontdesk.wire.reports import Report

# Of each list, when all conversations that were seen are gone through.
_SEEN_LIMIT = 1000


class SeenCounts(NamedTuple):
    """Number of cached conversations and messages."""

    conversations: int
    messages: int


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
        self.conversations_saying = cache.conversations_saying
        self.total, self.remark = partial(total_of, cache), partial(remark_on, cache)
        self.excerpts = partial(excerpts_of, cache)
        self.get_settings, self.settings_with = cache.get_settings, cache.settings_with
        self.settings_beginning_with = cache.settings_beginning_with
        self.catalogues = Catalogues(cache)
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

    def follows(self, filter: ConversationFilter) -> bool:
        """True if the list of a filter is kept current; see `cache.followed`."""
        return self.followed.follows(self.list_name(filter))

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

    @property
    def me(self) -> str:
        """Id of the user that "me" means; "" until it is given or the server's lists prove it."""
        return self.get_setting(ME) or ""

    def names(self, contacts: Iterable[PhoneRef] = ()) -> QueryNames:
        """Names that queries may use: those of the cached catalogues, and some contacts."""
        return QueryNames.of(
            self.catalogues.channels(),
            self.catalogues.users(),
            self.catalogues.labels(),
            me=self.me,
            contacts=tuple({contact.id: contact for contact in contacts}.values()),
            teams=self.catalogues.teams(),
            fields=self.catalogues.custom_fields(),
        )

    def counts(self, filter: ConversationFilter) -> Counts | None:
        """Cached counts for a filter without its order, as of the last refresh here."""
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

    def conversations_found(self, text: str) -> list[Conversation]:
        """Cached conversations whose customer has a text or number, newest first."""
        hits = self.search(text, kinds=("conversation",))
        found = (self.conversation(hit.conversation_id or "") for hit in hits)
        return [row for row in found if row is not None]

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
    return cache.value("counts", _first_page_name(filter), ConversationPage)


async def save_total(cache: Cache, filter: ConversationFilter, page: Page[Conversation]) -> bool:
    """Save how many conversations a query has, from its first page; True if that changed."""
    if not isinstance(page, ConversationPage):
        return False
    counted = body_of(page.model_copy(update={"data": (), "next_cursor": None}))
    return await cache.save("counts", _first_page_name(filter), counted)


def _first_page_name(filter: ConversationFilter) -> str:
    return f"first?{counts_name(filter)}"


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
    """Name of the cached counts of a filter, which have no order."""
    return urlencode(filter.model_copy(update={"sort": None}).parameters())
