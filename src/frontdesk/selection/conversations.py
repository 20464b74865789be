"""Selects conversations by a query: pages of the server's list, filtered and sorted here if needed.

A walk can end behind any row and go on there later.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from frontdesk.errors import BadSettings, CursorRefused, NotOffered, Refused
from frontdesk.query import (
    Matcher,
    Query,
    QueryNames,
    QueryPlan,
    cannot,
    plan,
    sort_key,
)
from frontdesk.query.names import lacks_hours, unknown_name
from frontdesk.query.plan import ALL_FILTERS, is_counted
from frontdesk.query.terms import FOLLOW_UP
from frontdesk.selection.names import query_names
from frontdesk.wire import Conversation, ConversationFilter, ConversationPage, Page
from frontdesk.wire.queries import MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

# Begins the text of a place that the server does not know.
_LOCAL = "fd1."
_MARK_LENGTH = 8
_FOLLOW_UPS_ARE_LOCAL = (
    "is:followup works in the viewer alone: follow-ups are kept beside its cache, as what was read"
    " on this computer is"
)


class FirstPage(NamedTuple):
    """The page that has told what a server answers: that of a request for `limit` rows."""

    filter: ConversationFilter
    limit: int
    page: Page[Conversation]


class ConversationSelector(NamedTuple):
    """Conversations to list. names: those that the terms of the plan refer to.

    lack: sentence on a term that cannot be taken as it is meant, or "". first: not requested again.
    """

    plan: QueryPlan
    names: QueryNames = QueryNames()
    lack: str = ""
    first: FirstPage | None = None

    @property
    def filter(self) -> ConversationFilter:
        return self.plan.filter

    @property
    def is_counted(self) -> bool:
        """True if counters have the number, on a server that counts by what it lists by."""
        return is_counted(self.plan.filter) and not self.plan.rest

    def matcher(self, now: datetime) -> Matcher:
        """Test rows by the terms that the server does not answer."""
        return Matcher(self.plan.rest, self.names, now)

    def page_size(self, limit: int | None) -> int:
        """Return how many rows a request should have, of which `limit` are needed."""
        return min(limit, MAX_LIMIT) if self.plan.exact and limit is not None else MAX_LIMIT

    def rows(
        self, client: "InboxClient", limit: int, cursor: str | None = None
    ) -> "RowPages[Conversation]":
        """Pages of the server's list."""
        # Deferred: completion needs no list.
        from frontdesk.client.paging import RowPages

        async def fetch(at: str | None) -> Page[Conversation]:
            first = self.first
            if first and at is None and (first.filter, first.limit) == (self.filter, limit):
                return first.page
            return await client.conversation_page(self.filter, limit=limit, cursor=at)

        return RowPages(fetch, cursor)

    @property
    def mark(self) -> str:
        """Short hash that only the same selection has; places are bound to it."""
        parts = (self.plan.filter.parameters(), self.plan.rest, self.plan.order)
        return sha256(repr(parts).encode()).hexdigest()[:_MARK_LENGTH]


async def select(
    client: "InboxClient",
    query: Query,
    ids: Mapping[str, Any] | None = None,
    *,
    now: datetime,
    limit: int | None = None,
    counted: bool = False,
) -> ConversationSelector:
    """Split a query into what the server answers and what is left.

    ids: members of the filter. now: in the reader's zone. limit: rows that are needed. counted: no
    page is asked for where counters have the number.

    Raises: BadSettings: a name in the query is unknown, or the server cannot answer it. InboxError.
    """
    names = await query_names(client, query) if query.terms else QueryNames()
    if any(term.kind == FOLLOW_UP for term in query.terms):
        raise BadSettings(_FOLLOW_UPS_ARE_LOCAL)
    for term in query.terms:
        if message := unknown_name(term, names):
            raise BadSettings(message)
    update = dict(ids or {})
    lack, first = lacks_hours(query, names), None
    asked: frozenset[str] = frozenset()
    while True:
        # A filter that is given beside the query may be the one that the query would set.
        offered = ALL_FILTERS - client.server.no_extensions - {*update}
        answer = plan(query, names, offered, now)
        answer = answer._replace(filter=answer.filter.model_copy(update=update))
        selector = ConversationSelector(answer, names, lack, first)
        # An answer may tell of a filter that the server lacks, and the next one of another.
        used = answer.filter.parameters().keys() & {"sort", "query"}
        if used <= asked or (counted and selector.is_counted):
            break
        asked |= used
        size = selector.page_size(limit)
        with suppress(NotOffered):
            page = await client.conversation_page(answer.filter, limit=size)
            first = FirstPage(answer.filter, size, page)
    if message := cannot(answer):
        raise BadSettings(message)
    return selector


async def counters_number(client: "InboxClient", selector: ConversationSelector) -> int | None:
    """Return how many conversations match, by counters; None where they do not tell it."""
    if not selector.is_counted:
        return None
    try:
        counts = await client.counts(selector.filter)
    except (NotOffered, Refused):
        return None
    # Beside a filter of one status, all of them are counted.
    number: int | None = getattr(counts, selector.filter.status or "all")
    return number


@dataclass(frozen=True, slots=True)
class ListPlace:
    """ListPlace in a selection: `skip` rows after a cursor of the server, or after the first row.

    In a selection that is sorted here, `skip` counts its own rows, without a cursor.
    """

    cursor: str | None = None
    skip: int = 0

    def text(self, mark: str) -> str:
        """Write the place: as the server's cursor if it is one, else bound to a selection."""
        if self.cursor is not None and not self.skip:
            return self.cursor
        return f"{_LOCAL}{mark}.{self.skip}.{self.cursor or ''}"

    @classmethod
    def parse(cls, text: str, mark: str) -> "ListPlace":
        """Read what `text` wrote. Raises: CursorRefused: it belongs to another selection."""
        if not text.startswith(_LOCAL):
            return cls(text)
        bound, _, rest = text.removeprefix(_LOCAL).partition(".")
        skip, _, cursor = rest.partition(".")
        if bound != mark or not skip.isdecimal():
            raise CursorRefused(
                "The cursor is of another query: repeat that one, or leave the cursor out",
                code="cursor_mismatch",
            )
        return cls(cursor or None, int(skip))


START = ListPlace()
Progress: TypeAlias = Callable[[int], Awaitable[object]]


async def _silent(examined: int) -> None:
    """No progress is shown."""


# A conversation and the place behind it, None if nothing follows.
Found: TypeAlias = tuple[Conversation, ListPlace | None]


class ConversationWalk:
    """Iterates over the conversations of a selector, each with the place behind it.

    page_size: rows of a request. most: rows to read at most, after which the walk is given up; then
    `rest` is the place to go on, unless the rows are sorted here. progress: awaited after each page
    with the number of rows that were read.
    """

    def __init__(
        self,
        client: "InboxClient",
        selector: ConversationSelector,
        place: ListPlace = START,
        *,
        now: datetime,
        page_size: int = MAX_LIMIT,
        most: int | None = None,
        progress: Progress = _silent,
    ) -> None:
        self._client, self._selector, self._place = client, selector, place
        self._now, self._page_size, self._most = now, page_size, most
        self._progress = progress
        self.examined = self.unreadable = 0
        self.remark = ""
        # How many the server counts, or at least so many: with the first page of a query alone.
        self.total: int | None = None
        self.total_capped = False
        # As of `RowPages`; none of rows that are sorted here.
        self.excerpts: Mapping[str, str] = {}
        self.rest: ListPlace | None = None
        self.given_up = False

    def __aiter__(self) -> AsyncIterator[Found]:
        return self._listed(self._place) if self._selector.plan.is_sorted else self._sorted()

    async def _listed(self, place: ListPlace) -> AsyncIterator[Found]:
        """Rows in the order of the server's list, until none can match any more."""
        answer, keep = self._selector.plan, self._selector.matcher(self._now)
        rows = self._selector.rows(self._client, self._page_size, place.cursor)
        skip = place.skip
        while not rows.ended:
            begin = rows.cursor
            known = rows.unreadable
            page = await rows.page()
            data = page.data
            if isinstance(page, ConversationPage) and page.total is not None and not answer.rest:
                self.total, self.total_capped = page.total, bool(page.total_capped)
            self.examined += len(data)
            self.unreadable += rows.unreadable - known
            self.remark, self.excerpts = rows.remark, rows.excerpts
            await self._progress(self.examined)
            for number, row in enumerate(data[skip:], skip + 1):
                if answer.is_beyond(row, self._now):
                    return
                if keep(row):
                    following = ListPlace(rows.cursor) if rows.cursor is not None else None
                    yield row, ListPlace(begin, number) if number < len(data) else following
            skip = max(0, skip - len(data))
            if self._most is not None and self.examined >= self._most and rows.cursor is not None:
                self.rest, self.given_up = ListPlace(rows.cursor), True
                return

    async def _sorted(self) -> AsyncIterator[Found]:
        """Rows that are sorted here, which needs all of them."""
        found = [row async for row, _ in self._listed(START)]
        self.excerpts = {}
        found.sort(key=sort_key(self._selector.plan.order, self._now))
        # Sorted rows have no place in the list: what was not read is not reached.
        self.rest = None
        for number, row in enumerate(found[self._place.skip :], self._place.skip + 1):
            yield row, ListPlace(None, number) if number < len(found) else None


async def settled(
    client: "InboxClient", selector: ConversationSelector, place: ListPlace
) -> ListPlace:
    """Return a place as a cursor of the server alone, which activity in the list does not move.

    A place that the server has no cursor for stays as it is.
    """
    if not 0 < place.skip <= MAX_LIMIT or not selector.plan.is_sorted:
        return place
    page = await client.conversation_page(selector.filter, limit=place.skip, cursor=place.cursor)
    if len(page.data) != place.skip or not page.next_cursor:
        return place
    return ListPlace(page.next_cursor)
