"""Lists of other servers: ignored filters, rows with ids instead of names, order of messages.

Filters that a server ignores are detected and applied to the response. Names of contacts, channels
and users are filled in. Message lists that are sorted oldest first are reversed.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from frontdesk.client.member_values import BARE_ID, Remark
from frontdesk.client.paging import RowPages
from frontdesk.client.server_info import IGNORED, ServerState
from frontdesk.errors import InboxError
from frontdesk.query import closed_windows, sort_key
from frontdesk.query.terms import WINDOW
from frontdesk.text.clean import folded
from frontdesk.text.phones import phone_pattern
from frontdesk.text.search import contact_words
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    Message,
    Page,
    PhoneRef,
    UserRef,
    instant,
)
from frontdesk.wire.queries import EXTENSIONS, LATER_ORDERS, SORT_LATER
from frontdesk.wire.values import FOUND_BY

_NEVER = datetime.min.replace(tzinfo=UTC)
_HERE = "The server sends rows that do not match; they are left out here."


class FilterCheck:
    """Applies filters to received pages, and records which ones the server ignores."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    def conversations(
        self, page: Page[Conversation], filter: ConversationFilter
    ) -> Page[Conversation]:
        """Rows that match the filter; a row that lacks the member is assumed to match."""
        rows = page.data
        if filter.sort is not None and not shows_order(rows):
            ignored = not _is_sorted(rows, filter.sort, self._state.server_now())
            order = SORT_LATER if filter.sort in LATER_ORDERS else "sort"
            self._state.lacks_extensions({order} if ignored else ())
        for name, value in filter.parameters().items():
            if name == "sort":
                continue
            matches = row_test(name, value)
            left = tuple(row for row in rows if matches(row))
            ignored = len(left) < len(rows)
            rows = left
            if name in EXTENSIONS:
                self._state.lacks_extensions({name} if ignored else ())
                continue
            if ignored:
                self._state.feature(f"filter_{name}", IGNORED, _HERE)
            self._state.mark_present(f"filter_{name}")
        return page if len(rows) == len(page.data) else page.model_copy(update={"data": rows})

    def knows_me(self, page: Page[Conversation]) -> bool:
        """False if the rows of a filter for "me" have several assignees."""
        return len({row.assignee.id if row.assignee else "" for row in page.data}) < 2

    def contacts(self, page: Page[Contact], q: str) -> Page[Contact]:
        """Matching rows. If at least half match, all: the server may search in further members."""
        words = contact_words(q)
        left = tuple(row for row in page.data if _is_found(row, words))
        if 2 * len(left) >= len(page.data):
            self._state.mark_present("search_contacts")
            return page
        self._state.feature("search_contacts", IGNORED, _HERE)
        return page.model_copy(update={"data": left})


def _is_sorted(rows: Sequence[Conversation], order: str, now: datetime) -> bool:
    """True if a page is in an order, as far as it shows."""
    closed = closed_windows(rows, now) if order == WINDOW else len(rows)
    early, late = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    keys = [
        sort_key(order, late if at >= closed else early)(row)[:2] for at, row in enumerate(rows)
    ]
    return keys == sorted(keys)


def shows_order(rows: Sequence[Conversation]) -> bool:
    """True if a page is not sorted by activity, so that the server has applied another order."""
    moments = [instant(row.last_activity_at) or _NEVER for row in rows]
    return moments != sorted(moments, reverse=True)


def row_test(name: str, value: str) -> Callable[[Conversation], bool]:
    """Predicate of a filter, by parameter; True for rows that do not show it."""
    if name == "query":
        return lambda row: True
    matchers: Mapping[str, Callable[[Conversation], bool]] = {
        "status": lambda row: row.status in (value, "unknown"),
        "channel": lambda row: row.channel.id in (value, ""),
        "label": lambda row: (
            "labels" not in row.model_fields_set
            or value.casefold() in (label.casefold() for label in row.labels)
        ),
        "assignee": lambda row: _is_assigned(row, value),
        "contact": lambda row: row.contact.id in (value, ""),
        "awaiting_human": lambda row: str(row.awaiting_human).lower() in (value, "none"),
        "unread": lambda row: (
            row.unread_count is None or str(row.unread_count > 0).lower() == value
        ),
    }
    return matchers[name]


def _is_assigned(row: Conversation, assignee: str) -> bool:
    if assignee == "me" or "assignee" not in row.model_fields_set:
        return True
    if assignee in ("assigned", "unassigned"):
        return (row.assignee is None) == (assignee == "unassigned")
    return row.assignee is not None and row.assignee.id == assignee


def _is_found(row: Contact, words: list[str]) -> bool:
    """True if every word is in a name, an id, e-mail address, custom field or phone number."""
    values = [getattr(row, name) for name in FOUND_BY]
    values += [row.phone, row.wa_id, row.wa_user_id]
    values += [text for text in row.custom_fields.values() if isinstance(text, str)]
    text = folded(" ".join(filter(None, values)))
    phone = row.phone or f"+{row.wa_id or ''}"
    numbers = map(phone_pattern, words)
    return all(
        folded(word) in text or (number is not None and number.matches(phone))
        for word, number in zip(words, numbers, strict=True)
    )


MOST_PAGES = 5
LOOK_UP_SECONDS = 600.0

PARTS = ("contact", "channel", "assignee")
Fetch = Callable[[str | None], Awaitable[Page[Any]]]


CONVERSATION_MOST_PAGES = 20


async def find_listed(
    rows: RowPages[Conversation], id: str, newest: datetime | None
) -> Conversation | None:
    """A conversation of a list by activity; None if its first pages do not have it.

    newest: time of its newest message, before which it was not active last.
    """
    async for page in rows.pages(CONVERSATION_MOST_PAGES):
        if found := next((row for row in page.data if row.id == id), None):
            return found
        active = page.data[-1].last_activity_time if page.data else None
        if newest is not None and active is not None and active < newest:
            return None
    return None


class NameLookup:
    """Names by id, loaded from the lists when the first row without a name arrives."""

    def __init__(self, lists: Mapping[str, Fetch], clock: Callable[[], float]) -> None:
        """`lists`: for each of PARTS, a function that returns the page after a cursor."""
        self._lists = lists
        self._clock = clock
        self._named_rows: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        self._looked_up: dict[str, float] = {}

    async def filled(
        self, page: Page[Conversation], differences: Callable[[str], bool]
    ) -> Page[Conversation]:
        """Fill in the known names. `differences`: tests if a deviation from `/v1` was recorded."""
        bare = [part for part in PARTS if differences(f"Conversation: {part} is {BARE_ID}")]
        if not bare:
            return page
        for part in bare:
            if any(self._lacks(row, part) for row in page.data):
                await self._look_up(part)
        rows = tuple(self._named(row, bare) for row in page.data)
        return page.model_copy(update={"data": rows})

    def _lacks(self, row: Conversation, part: str) -> bool:
        value = getattr(row, part)
        return value is not None and value.id and value.id not in self._named_rows[part]

    async def _look_up(self, part: str) -> None:
        """Load the list, at most every ten minutes; on an error the names stay unknown."""
        now = self._clock()
        if now - self._looked_up.get(part, -LOOK_UP_SECONDS) < LOOK_UP_SECONDS:
            return
        self._looked_up[part] = now
        with suppress(InboxError):
            async for page in RowPages(self._lists[part]).pages(MOST_PAGES):
                self._named_rows[part].update((row.id, row) for row in page.data)

    def _named(self, row: Conversation, parts: list[str]) -> Conversation:
        named = {part: self._ref(part, getattr(row, part)) for part in parts}
        return row.model_copy(update=named)

    def _ref(self, part: str, value: Any) -> Any:
        named = self._named_rows[part].get(value.id) if value is not None else None
        if named is None:
            return value
        if part == "assignee":
            return UserRef(id=value.id, name=named.name)
        known = {"name": value.name or named.name, "phone": value.phone or named.phone}
        if part == "contact":
            known["username"] = value.username or named.username
        return PhoneRef(id=value.id, **known)


THREAD_MOST_PAGES = 20
OLDEST_FIRST = "Messages come oldest first: threads are read to their end, as far as 20 pages"


async def newest_first(page: Page[Message], fetch: Fetch, remark: Remark) -> Page[Message]:
    """The first page of a thread; the whole thread, turned round, if it comes oldest first.

    What is new is at its end, which the first page of a long thread never shows.
    """
    rows = list(page.data)
    if not rows or rows[0].created_at >= rows[-1].created_at:
        return page
    remark(OLDEST_FIRST)
    if page.next_cursor:
        async for further in RowPages(fetch, page.next_cursor).pages(THREAD_MOST_PAGES - 1):
            rows += further.data
    # The sort is stable, so rows with equal timestamps are reversed as well.
    rows = sorted(rows[::-1], key=lambda row: row.created_at, reverse=True)
    return page.model_copy(update={"data": tuple(rows), "next_cursor": None, "has_more": False})
