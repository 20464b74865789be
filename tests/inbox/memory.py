"""An inbox in plain Python on virtual time: server, cache, panes, and whoever presses keys."""

import heapq
from bisect import bisect_left
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeVar

from frontdesk.errors import InboxError, NotFound, NotOffered, Unreachable
from frontdesk.inbox import (
    deadlines,
    finding,
    follow_ups,
    following,
    navigating,
    refreshing,
    selecting,
    words,
)
from frontdesk.inbox.connection import LinkKeeper
from frontdesk.inbox.marks import ReadMarks
from frontdesk.inbox.rows import FixedRows, Place, Rows
from frontdesk.inbox.state import EVERY, Inbox
from frontdesk.inbox.tasks import Asked
from frontdesk.query import NEWEST, Matcher, Query, QueryNames, SavedView, Term, parse, sort_key
from frontdesk.query.plan import STANDARD, SortKey, asked_terms, is_counted
from frontdesk.settings import ReadAfter, ViewerSettings
from frontdesk.text.clean import AtLeast
from frontdesk.wire import (
    AssigneeCounts,
    Changes,
    ChannelCounts,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CountSet,
    LabelCounts,
    Page,
    PhoneRef,
    StatusCounts,
    body_of,
)
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import STATUSES, timestamp
from tests.inbox.asked import Description, FetchNews, described

T = TypeVar("T")

START = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
PAGE, HEIGHT = 20, 17
DOWN = Unreachable("The server does not answer")
CHANNELS, LABELS = ("London", "Madrid"), ("billing", "refund")
VIEWS = (
    SavedView("Mine", parse("is:open @me"), "5"),
    SavedView("Unassigned", parse("is:open @unassigned"), "6"),
    SavedView("Needs a human", parse("is:open needs:human"), "7"),
    SavedView("Waiting >1h", parse("is:open waiting:>1h sort:waiting"), "8"),
    SavedView("All open", parse("is:open"), "9"),
)
_STATUSES = ("open", "open", "resolved", "open", "snoozed", "open")


def name(number: int) -> str:
    return f"Customer {number:03d}"


def conversation(number: int) -> Conversation:
    """One of many that differ in status, channel, assignee, labels and unread messages."""
    active = START - timedelta(seconds=61 * number)
    moment, channel = _written(active), CHANNELS[number % 2]
    return Conversation.model_validate(
        {
            "id": str(number),
            "status": _STATUSES[number % 6],
            "awaiting_human": number % 5 == 0,
            "channel": {"id": channel, "name": channel},
            "contact": {"id": f"c{number}", "name": name(number), "phone": f"+44770090{number:04}"},
            "assignee": {"id": "1", "name": "Grace Okafor"} if number % 3 else None,
            "labels": list(LABELS[: number % 3]),
            "unread_count": number % 3,
            "waiting_since": moment if number % 3 else None,
            "service_window_expires_at": _written(active + timedelta(days=1)),
            "last_activity_at": moment,
            "last_message": {"id": f"{number}.0", "text": "Hello", "created_at": moment},
            "created_at": moment,
            "updated_at": moment,
        }
    )


def id_of(customer: str | None) -> str:
    """Id of the conversation of a customer with such a name."""
    return str(int((customer or "").removeprefix("Customer ")))


def _written(moment: datetime) -> str:
    return timestamp(round(moment.timestamp() * 1000))


@dataclass
class Server:
    """Conversations that change.

    seconds: of an answer. error: what every answer fails with; fails: what one fails with. lacks:
    filters and orders that are refused. counts_by: counts have parts by assignee and label.
    counts_to: where counting the rows of a query ends. repeats: each page is the first one.
    unreadable: rows that a page drops; unreadable_below: those that each page after the first one
    drops. pages: number of pages that were sent. holds: requests for news are held until something
    changes. said: terms by id that a conversation matches although its row does not show it.
    """

    size: int = 30
    seconds: float = 0.0
    error: InboxError | None = None
    lacks: frozenset[str] = frozenset()
    counts_by: bool = False
    counts_to: int = 10_000
    fails: Callable[[Description], InboxError | None] = lambda request: None
    takes: Callable[[Description], float | None] = lambda request: None
    repeats: bool = False
    unreadable: int = 0
    unreadable_below: int = 0
    pages: int = 0
    holds: bool = False
    said: dict[str, Collection[str]] = field(default_factory=dict)
    now: datetime = START
    asked: list[Description] = field(default_factory=list)
    rows: dict[str, Conversation] = field(default_factory=dict)
    news: set[str] = field(default_factory=set)
    _changes: int = 0

    def __post_init__(self) -> None:
        self.rows = {str(number): conversation(number) for number in range(self.size)}

    def change(self, id: str, **members: Any) -> None:
        """Something becomes otherwise, which is activity; no two changes are at the same time."""
        self._changes += 1
        self.news.add(id)
        moment = _written(self.now + timedelta(milliseconds=self._changes))
        changed = {"last_activity_at": moment, "updated_at": moment, **members}
        self.rows[id] = Conversation.model_validate({**self.rows[id].model_dump(), **changed})

    def page(
        self, filter: ConversationFilter, after: SortKey | None
    ) -> tuple[list[Conversation], bool]:
        """Rows of the page after a place, and True if it is the last.

        Raises: NotOffered.
        """
        self.pages += 1
        if self.lacks & filter.parameters().keys():
            raise NotOffered("This server does not have this filter")
        key = sort_key(filter.sort or NEWEST, self.now)
        matching = sorted(self.matching(filter), key=key)
        if self.repeats and after is not None:
            return matching[:PAGE], False
        matching = [row for row in matching if after is None or key(row) > after]
        return matching[:PAGE], len(matching) <= PAGE

    def matching(self, filter: ConversationFilter) -> list[Conversation]:
        """Rows of a filter; of its query, also those of which `said` has the term."""
        return [row for row in self.rows.values() if self.matches(row, filter)]

    def matches(self, row: Conversation, filter: ConversationFilter) -> bool:
        """`matching` for a row."""
        return _matches_members(row, filter) and all(
            self._matches(row, term) for term in asked_terms(filter)
        )

    def _matches(self, row: Conversation, term: Term) -> bool:
        asked = term._replace(negated=False)
        is_shown = Matcher([asked], QueryNames(me="1"), self.now)(row)
        return (is_shown or str(asked) in self.said.get(row.id, ())) != term.negated

    def counts(self, filter: ConversationFilter = EVERY) -> Counts:
        rows = self.matching(filter)
        opened = [row for row in rows if row.status == "open"]
        mine = sum(row.assignee is not None for row in opened)
        counts = Counts(all=len(rows), open=len(opened), mine=mine)
        if not self.counts_by:
            return counts
        owners = _numbers((row.assignee.id if row.assignee else None, row) for row in rows)
        channels = _numbers((row.channel.id, row) for row in rows)
        labels = _numbers((label, row) for row in rows for label in row.labels)
        sets = {
            status: _count_set(row for row in rows if row.status == status) for status in STATUSES
        }
        parts = {
            **{status: one.all for status, one in sets.items()},
            "unread": sum(bool(row.unread_count) for row in opened),
            "by_status": StatusCounts(**sets),
            "by_channel": tuple(ChannelCounts(channel=id, **n) for id, n in channels.items()),
            "by_assignee": tuple(AssigneeCounts(assignee=id, **n) for id, n in owners.items()),
        }
        if filter.label is None:
            by_label = tuple(LabelCounts(label=title, **n) for title, n in labels.items())
            parts["by_label"] = by_label
        return counts.model_copy(update=parts)


def _count_set(rows: Iterable[Conversation]) -> CountSet:
    rows = [*rows]
    assigned = sum(row.assignee is not None for row in rows)
    waiting = sum(bool(row.awaiting_human) for row in rows)
    whose = {"mine": assigned, "assigned": assigned, "unassigned": len(rows) - assigned}
    return CountSet(all=len(rows), awaiting_human=waiting, **whose)


def _numbers(rows: Iterable[tuple[Any, Conversation]]) -> dict[Any, dict[str, int]]:
    numbers: dict[Any, dict[str, int]] = {}
    for value, row in rows:
        own = numbers.setdefault(value, dict.fromkeys(("all", *STATUSES), 0))
        own["all"] += 1
        own[row.status] += 1
    return numbers


def basic(size: int, **options: Any) -> Server:
    """A server that has only the filters and the order of `/v1`, and refuses others."""
    return Server(size, lacks=EXTENSIONS, **options)


def waiting_on(server: Server) -> list[str]:
    """The open customers who wait, the longest wait first."""
    rows = [row for row in server.rows.values() if row.status == "open" and row.waiting_since]
    rows.sort(key=lambda row: (row.waiting_since, int(row.id)))
    return [row.contact.name or "" for row in rows]


def _matches_members(row: Conversation, filter: ConversationFilter) -> bool:
    owner = row.assignee.id if row.assignee else None
    wanted = {"me": "1", "assigned": "1", "unassigned": None}.get(
        filter.assignee or "", filter.assignee
    )
    return (
        filter.status in (None, row.status)
        and filter.channel in (None, row.channel.id)
        and (filter.label is None or filter.label in row.labels)
        and (filter.assignee is None or owner == wanted)
        and filter.contact in (None, row.contact.id)
        and filter.awaiting_human in (None, row.awaiting_human)
        and filter.unread in (None, bool(row.unread_count))
    )


@dataclass
class _Saved:
    places: dict[str, SortKey] = field(default_factory=dict)
    complete: bool = False
    fetched_at: datetime | None = None
    followed: bool = False

    @property
    def reach(self) -> SortKey:
        return max(self.places.values())


class SavedList:
    """A cached list as of the last `reload`; rows are as they are cached now."""

    def __init__(self, cache: "Cache", filter: ConversationFilter) -> None:
        self._cache, self._filter = cache, filter
        self.reload()

    def reload(self) -> None:
        saved = self._cache.lists.get(self._filter) or _Saved()
        self._places = dict(saved.places)
        self._ids = sorted(self._places, key=self._places.__getitem__)
        self._at = {id: at for at, id in enumerate(self._ids)}
        self.complete, self.fetched_at = saved.complete, saved.fetched_at

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        return len(self), self._ids[-1] if self._ids else None, self.complete

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, position: int, /) -> Conversation:
        return self._cache.rows[self._ids[position]]

    def key(self, position: int, /) -> str:
        return f"conversation {self._ids[position]}"

    def find(self, key: str, /) -> int | None:
        return self.position(key.removeprefix("conversation "))

    def position(self, id: str, /) -> int | None:
        return self._at.get(id)

    def body(self, position: int, /) -> bytes:
        return body_of(self[position])

    def absent(self, ids: Collection[str], /) -> set[str]:
        return {*ids} - self._places.keys()

    def ranks(self, values: Sequence[Conversation], /) -> list[int]:
        places, key = [self._places[id] for id in self._ids], self._cache.key(self._filter)
        return [bisect_left(places, key(value)) for value in values]

    def has_moved(self, value: Conversation, /) -> bool:
        return self._places.get(value.id) not in (None, self._cache.key(self._filter)(value))


class Cache:
    """What was loaded, and what is known of the server. `Answers` fills it."""

    def __init__(self, server: Server) -> None:
        self.server, self.connected = server, False
        self.rows: dict[str, Conversation] = {}
        self.lists: dict[ConversationFilter, _Saved] = {}
        self.threads: dict[str, str] = {}
        self.settings: dict[str, str] = {}
        self.marks = ReadMarks(self, lambda: server.now)
        self.follow_ups = self.marks.follow_ups
        self.counted: dict[ConversationFilter, Counts] = {}
        self.totals: dict[ConversationFilter, int] = {}
        self.remarks: dict[str, str] = {}
        self.said: dict[str, Collection[str]] = {}
        self.me, self.has_names, self.answers = "", False, 0
        self.lacks: frozenset[str] = frozenset()
        self.ignored: frozenset[str] = frozenset()

    def key(self, filter: ConversationFilter) -> Callable[[Conversation], SortKey]:
        return sort_key(filter.sort or NEWEST, self.server.now)

    @property
    def capabilities(self) -> "Cache":
        return self

    @property
    def offered(self) -> frozenset[str]:
        return STANDARD | (EXTENSIONS - self.lacks)

    def lacking(self, feature: str) -> str:
        return ""

    def store_lacks(self) -> None: ...

    def names(self, contacts: Iterable[PhoneRef]) -> QueryNames:
        known = QueryNames(me=self.me, contacts=tuple(contacts))
        if not self.has_names:
            return known
        channels = {one: one for one in CHANNELS}
        users = {"1": "Grace Okafor"}
        return known._replace(
            users=users, channels=channels, phones=dict.fromkeys(CHANNELS, ""), labels=LABELS
        )

    def conversations(self, filter: ConversationFilter) -> SavedList:
        return SavedList(self, filter)

    def follows(self, filter: ConversationFilter) -> bool:
        return filter in self.lists and self.lists[filter].followed

    def place(self, row: Conversation) -> None:
        """Save a row that has changed, and put it into its place in the lists that are followed."""
        self.rows[row.id] = row
        for filter, saved in self.lists.items():
            if saved.followed:
                place = self.key(filter)(row)
                reached = saved.complete or (bool(saved.places) and place < saved.reach)
                saved.places.pop(row.id, None)
                if reached and self.server.matches(row, filter):
                    saved.places[row.id] = place

    def conversation(self, id: str) -> Conversation | None:
        return self.rows.get(id)

    def conversations_by_id(self, ids: Collection[str]) -> Mapping[str, Conversation]:
        return {id: self.rows[id] for id in ids if id in self.rows}

    def conversations_of(self, contact_id: str) -> list[Conversation]:
        return [row for row in self.rows.values() if row.contact.id == contact_id]

    def conversations_found(self, text: str) -> list[Conversation]:
        return [row for row in self.rows.values() if row.contact.phone == text]

    def conversations_saying(self, text: str) -> Collection[str]:
        return self.said.get(text, ())

    def known_contact(self, id: str) -> Contact | None:
        return None

    def counts(self, filter: ConversationFilter) -> Counts | None:
        return self.counted.get(filter)

    def total(self, filter: ConversationFilter) -> int | None:
        return self.totals.get(filter.model_copy(update={"sort": None}))

    def remark(self, filter: ConversationFilter) -> str:
        return self.remarks.get(filter.query or "", "")

    def has_newest(self, conversation: Conversation) -> bool:
        return self.threads.get(conversation.id, "") >= conversation.last_activity_at

    def newer_entry(self, conversation: Conversation) -> str | None:
        newest = self.threads.get(conversation.id, "")
        return newest if newest > conversation.last_activity_at else None

    def get_setting(self, name: str) -> str | None:
        return self.settings.get(name)

    def get_settings(self, names: Collection[str]) -> dict[str, str]:
        return {name: self.settings[name] for name in names if name in self.settings}

    def settings_with(self, value: str) -> list[str]:
        return [name for name, stored in self.settings.items() if stored == value]

    def settings_beginning_with(self, prefix: str) -> dict[str, str]:
        names = [name for name, value in self.settings.items() if value and name.startswith(prefix)]
        return {name.removeprefix(prefix): self.settings[name] for name in names}

    def set_setting(self, name: str, value: str) -> None:
        self.settings[name] = value


class Fetched(NamedTuple):
    added: Sequence[str] = ()
    unreadable: int = 0


class FetchedThread(NamedTuple):
    refreshed: bool
    unreadable: int = 0
    error: InboxError | None = None


class Answers:
    """The server's answers to requests, which fill the cache."""

    def __init__(self, server: Server, cache: Cache) -> None:
        self._server, self._cache = server, cache
        self.has_position = False

    async def next_changes(self) -> Changes:
        if not self._server.holds:
            raise NotOffered("This server does not say what changed")
        ids = sorted(self._server.news) if self.has_position else []
        self.has_position = True
        self._server.news.clear()
        rows = tuple(self._server.rows[id] for id in ids)
        for row in rows:
            self._cache.place(row)
        return Changes(data=rows, next="1")

    async def refresh_counts(self, filter: ConversationFilter) -> bool:
        # Without parts, only counts of everything have numbers of use here.
        if filter.query is not None and not is_counted(filter):
            if "query" in self._server.lacks:
                self._cache.lacks |= {"query"}
            else:
                self._count_rows(filter)
        elif filter == EVERY or self._server.counts_by:
            self._cache.counted[filter] = self._server.counts(filter)
        return True

    async def refresh_conversations(
        self, filter: ConversationFilter, *, thorough: bool = False
    ) -> Fetched:
        """Pages from the head until they meet the cached rows; all of those if thorough."""
        cache, saved = self._cache, self._cache.lists.get(filter) or _Saved()
        key, held = cache.key(filter), sorted(saved.places.values())
        fetched, after, ended = dict[str, Conversation](), None, False
        for _ in range(20):
            rows, ended = self._page(filter, after)
            fetched |= {row.id: row for row in rows}
            after = key(rows[-1]) if rows else after
            until = None if not held else held[-1] if thorough or filter.sort else held[0]
            if ended or until is None or (after is not None and after >= until):
                break
        met = not held or ended or (after is not None and after >= held[0])
        rest = {id: at for id, at in saved.places.items() if met and after and at > after}
        added = [row.id for row in fetched.values() if held and key(row) < held[0]]
        places = {id: at for id, at in rest.items() if not ended and id not in fetched}
        places |= {row.id: key(row) for row in fetched.values()}
        # A page that goes on after the last row says that there are more.
        goes_on = bool(held) and not ended and after is not None and after >= held[-1]
        complete = ended or (saved.complete and met and bool(held) and not goes_on)
        covers = thorough or not rest or not met
        self._save(filter, places, complete=complete, rows=fetched, covers=covers)
        if filter.assignee == "me" and fetched:
            cache.me = "1"
        return Fetched(added, self._server.unreadable)

    async def older_conversations(self, filter: ConversationFilter) -> Fetched:
        saved = self._cache.lists.get(filter)
        if saved is None or not saved.places:
            return await self.refresh_conversations(filter)
        if saved.complete:
            return Fetched()
        key, after = self._cache.key(filter), max(saved.places.values())
        rows, ended = self._page(filter, after)
        new = {row.id: row for row in rows if key(row) > after}
        places = saved.places | {row.id: key(row) for row in new.values()}
        self._save(filter, places, complete=ended, rows=new)
        return Fetched((), self._server.unreadable + self._server.unreadable_below)

    def _page(
        self, filter: ConversationFilter, after: SortKey | None
    ) -> tuple[list[Conversation], bool]:
        if filter.query is not None and after is None and "query" not in self._server.lacks:
            self._count_rows(filter.model_copy(update={"sort": None}))
        try:
            return self._server.page(filter, after)
        except NotOffered:
            self._cache.lacks = self._server.lacks
            raise

    def _count_rows(self, filter: ConversationFilter) -> None:
        number, most = len(self._server.matching(filter)), self._server.counts_to
        self._cache.totals[filter] = AtLeast(most) if number > most else number

    def _save(
        self,
        filter: ConversationFilter,
        places: dict[str, SortKey],
        *,
        complete: bool,
        rows: Mapping[str, Conversation],
        covers: bool = False,
    ) -> None:
        before = self._cache.lists.get(filter)
        followed = self.has_position and (covers or bool(before and before.followed))
        self._cache.rows |= rows
        self._cache.lists[filter] = _Saved(places, complete, self._server.now, followed)

    async def refresh_open_thread(self, conversation: Conversation) -> FetchedThread:
        row = self._server.rows.get(conversation.id)
        if row is None:
            return FetchedThread(False, 0, NotFound("There is no such conversation"))
        self._cache.threads[row.id] = row.last_activity_at
        return FetchedThread(True)

    async def refresh_conversation(self, conversation: Conversation) -> bool:
        row = self._server.rows[conversation.id]
        changed = self._cache.rows.get(row.id) != row
        self._cache.rows[row.id] = row
        return changed

    async def find_me(self) -> None:
        self._cache.me = "1"

    async def refresh_catalogues(self) -> None:
        self._cache.has_names = True

    async def contact_by_phone(self, phone: str) -> Contact:
        found = (row.contact for row in self._server.rows.values() if row.contact.phone == phone)
        contact = next(found, None)
        if contact is None:
            raise NotFound("No contact has this number")
        return Contact(id=contact.id, name=contact.name, phone=contact.phone)

    async def search_contacts(self, q: str) -> Page[Contact]:
        return Page(data=())


class Window:
    """The rows of the list as `HEIGHT` of them are shown, with a cursor that keeps its row.

    selected: called when another row is under the cursor; rests: when that is by input, or is not.
    """

    def __init__(self, selected: Callable[[], None], rests: Callable[[], None]) -> None:
        self._selected, self._rests = selected, rests
        self.rows: Rows[Conversation] = FixedRows()
        self.dimmed: AbstractSet[str] = frozenset()
        self.after_gap: AbstractSet[str] = frozenset()
        self.cursor = self.top = 0
        self.is_shown = self.is_entered = True
        self.is_covered = False
        self.marked: list[str] = []
        self.asks_for_more = False
        self.bound_for = 0
        self._key: str | None = None
        self._by_input = False
        self._loading = 0

    @property
    def row(self) -> Conversation | None:
        return self.rows[self.cursor] if len(self.rows) else None

    @property
    def selected_id(self) -> str | None:
        return None if self._key is None else self._key.removeprefix("conversation ")

    @property
    def is_by_input(self) -> bool:
        return self._by_input

    @is_by_input.setter
    def is_by_input(self, value: bool) -> None:
        changed, self._by_input = value != self._by_input, value
        if changed:
            self._rests()

    def take_for_input(self, *, also_none: bool = False) -> None:
        self.is_by_input = also_none or self.row is not None

    @property
    def at_start(self) -> bool:
        return self.top == 0

    @property
    def goes_on(self) -> bool:
        return bool(self.bound_for and self._loading)

    @contextmanager
    def loading_more(self) -> Iterator[None]:
        self._loading += 1
        try:
            yield
        finally:
            self._loading -= 1

    def in_view(self) -> Sequence[int]:
        return range(self.top, min(self.top + HEIGHT, len(self.rows)))

    def keys_in_view(self) -> Sequence[str]:
        return [self.rows.key(at) for at in self.in_view()]

    def refresh_rows(self) -> None: ...

    def mark_only(self, conversation_ids: Sequence[str]) -> None:
        self.marked = [*conversation_ids]

    @property
    def place(self) -> Place | None:
        if not len(self.rows):
            return None
        return Place(self.rows.key(self.top), 0, self.rows.key(self.cursor))

    def return_to(self, rows: Rows[Conversation], place: Place) -> bool:
        top, cursor = rows.find(place.top), rows.find(place.cursor)
        if top is None or cursor is None:
            return False
        self.rows, self.bound_for, self.top, self.cursor = rows, 0, top, cursor
        self._settle()
        return True

    def show(self, rows: Rows[Conversation], *, cursor: int = 0) -> None:
        self.rows, self.bound_for, self.top = rows, 0, 0
        self.cursor = self._clamp(cursor)
        self._settle()

    def rows_changed(self, shown: Sequence[str] = (), *, cursor: int | None = None) -> None:
        self.cursor = self._clamp(self.cursor if cursor is None else cursor)
        self._settle()
        if self.goes_on:
            self.go_to(len(self.rows) - 1)
            self.bound_for = 1
        elif self.cursor != self._clamp(len(self.rows) - 1):
            self.bound_for = 0

    def go_to(self, position: int, *, by_input: bool = True) -> None:
        if len(self.rows):
            self.is_by_input, self.bound_for = by_input, 0
            self.cursor = self._clamp(position)
            self._settle(moved=True)

    def go_to_last(self) -> None:
        if len(self.rows):
            self.go_to(len(self.rows) - 1)
        self.asks_for_more, self.bound_for = True, 1

    def stop(self) -> None:
        self.bound_for = 0

    def scroll(self, rows: int) -> None:
        """As the wheel does: the cursor stays among the visible rows."""
        last = max(0, len(self.rows) - HEIGHT)
        self.top = min(max(self.top + rows, 0), last)
        nearest = min(max(self.cursor, self.top), max(self.top, self.top + HEIGHT - 1))
        if nearest != self.cursor:
            self.go_to(nearest, by_input=False)

    def _clamp(self, position: int) -> int:
        return max(0, min(position, len(self.rows) - 1))

    def _settle(self, *, moved: bool = False) -> None:
        self.top = min(max(self.top, self.cursor - HEIGHT + 1), self.cursor)
        key = self.rows.key(self.cursor) if len(self.rows) else None
        if not moved and self._key not in (None, key):
            self.is_by_input = False
        changed, self._key, self.asks_for_more = key != self._key, key, True
        if changed:
            self._selected()


class Clock:
    """The time here, which is that of the server too until it is set, by `ahead` seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self.ahead = now, 0.0

    def now(self) -> datetime:
        return self.server_now() + timedelta(seconds=self.ahead)

    def server_now(self) -> datetime:
        return START + timedelta(seconds=self._now())


class Views:
    def __init__(self, views: Sequence[SavedView] = VIEWS) -> None:
        self._views = views

    def all(self) -> list[SavedView]:
        return [*self._views]

    def named(self, query: Query) -> SavedView | None:
        return next((view for view in self._views if view.query.is_same(query)), None)


class Keys:
    """The last part of an action's name, in place of a key."""

    def __getitem__(self, action: str, /) -> str:
        return action.rpartition(".")[2]


class Terminal:
    """An inbox with its panes: keys, frames, and a server that answers after some time.

    said: since the last key; warned: all of it. cache: that of an earlier start. late: what is
    given up is answered all the same. connects: False to have no connection until `connect`.
    checks: called after each event.
    """

    def __init__(
        self,
        server: Server,
        *,
        cache: Cache | None = None,
        read_after: ReadAfter = 3.0,
        settle: float = 1.0,
        late: bool = False,
        connects: bool = True,
        views: Sequence[SavedView] = VIEWS,
        checks: Callable[["Terminal"], None] = lambda terminal: None,
    ) -> None:
        self.server, self.cache, self.late, self.checks = (
            server,
            cache or Cache(server),
            late,
            checks,
        )
        self.now = (server.now - START).total_seconds()
        self.said, self.warned, self.problems = list[str](), list[str](), list[str]()
        self.cache.connected = False
        self.displays_thread, self.pane, self.reads = True, "list", 0
        self._thread_of: str | None = None
        self.last_key = ""
        self._marks_before: Mapping[str, str] = {}
        self._hidden_before: Mapping[str, str] = {}
        # Numbers of new messages by id, as the thread that was opened last shows them.
        self.new_when_opened: Mapping[str, int] = {}
        # Other orders that the panes got, and entries that were to be shown.
        self.told: list[str] = []
        self._due: list[tuple[float, int, Asked]] = []
        self._stopped: set[Asked] = set()
        self._numbers = count()
        self._answers = Answers(server, self.cache)
        self._begun = False
        self._held: Asked | None = None
        self.window = Window(self._select, self._rest)
        self.clock = clock = Clock(lambda: self.now)
        connection = LinkKeeper(
            self.cache,
            clock,
            self.warn,
            seen_at=lambda: self.inbox.view.list.fetched_at,
            schedule_poll=lambda: refreshing.schedule_poll(self.inbox),
        )
        self.inbox = Inbox(
            self.cache,
            self.window,
            self,
            connection,
            clock,
            Views(views),
            Keys(),
            lambda: self.now,
            settings=ViewerSettings(mark_read_after=read_after),
        )
        self._begun = True
        self.do(self.inbox.show)
        connection.begin("connecting…")
        if connects:
            self.connect()
        self.wait(settle)

    def connect(self) -> None:
        """There is a client; nothing was requested before."""
        self.cache.connected = True
        self.do(refreshing.begin, self.inbox)

    # The thread, as the inbox sees it

    @property
    def is_entered(self) -> bool:
        return self.pane == "thread"

    @property
    def shown_beside(self) -> Sequence[str]:
        return ()

    @property
    def shows_end(self) -> bool:
        shown = self._thread_of is not None and self._thread_of in self.cache.threads
        return shown and self.displays_thread and self._thread_of == self.inbox.selection.id

    # Orders

    def say(self, words: str) -> None:
        self.said.append(words)

    def warn(self, words: str) -> None:
        self.said.append(words)
        self.warned.append(words)

    def end_notices(self) -> None:
        self.told.append("end_notices")

    def enter_pane(self, name: str) -> None:
        self.pane, self.window.is_entered = name, name == "list"
        if name == "thread":
            self.do(selecting.enter_thread, self.inbox)

    def show_selected(self, *, open_cached: bool) -> None:
        id = self.inbox.selection.id
        self._thread_of = id if open_cached and id in self.cache.threads else None

    def open_thread(self) -> None:
        row = self.window.row
        self.new_when_opened = self.cache.marks.unread_among([row] if row is not None else [])
        self._thread_of = self.inbox.selection.id

    def read_shown(self, id: str) -> None:
        self.do(selecting.read_shown, self.inbox, id)

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None:
        self.do(selecting.begin_rest, self.inbox)

    def show_no_thread(self, problem: str) -> None:
        self.problems.append(problem)

    def show_entry(self, key: str) -> None:
        self.told.append(f"show_entry {key}")

    def show_renewed(self) -> None:
        self.told.append("show_renewed")

    def draw_ahead(self) -> None:
        self.told.append("draw_ahead")

    def look_ahead(self) -> None:
        self.told.append("look_ahead")

    def ring(self) -> None:
        self.told.append("ring")

    def highlight_new(self) -> None:
        self.told.append("highlight_new")

    def begin_background(self) -> None:
        self.told.append("begin_background")
        following.follow(self.inbox)

    # Events

    def _select(self) -> None:
        if self._begun:
            self.do(selecting.select, self.inbox)

    def _rest(self) -> None:
        if self._begun:
            self.do(selecting.begin_rest, self.inbox)

    def do(self, event: Callable[..., object], *arguments: Any, **options: Any) -> None:
        """Hand in an event, and do what follows."""
        event(*arguments, **options)
        self._follow()

    def _follow(self) -> None:
        orders, requests = self.inbox.take()
        while orders or requests:
            for order in orders:
                order(self)
            for request in requests:
                self._hand_out(request) if isinstance(request, Asked) else self._stop(request.asked)
            orders, requests = self.inbox.take()

    def _hand_out(self, asked: Asked) -> None:
        if isinstance(described(asked.request), FetchNews) and self._answers.has_position:
            self._held = asked
            return
        seconds = self.server.takes(described(asked.request))
        seconds = self.server.seconds if seconds is None else seconds
        heapq.heappush(self._due, (self.now + seconds, next(self._numbers), asked))

    @property
    def awaited(self) -> list[Asked]:
        """Requests whose answers are awaited, without those that were given up."""
        return [asked for _, _, asked in self._due if asked not in self._stopped]

    def release(self) -> None:
        """The server answers the request for news."""
        if self._held is not None:
            heapq.heappush(self._due, (self.now + 0.1, next(self._numbers), self._held))
            self._held = None

    def _stop(self, asked: Asked) -> None:
        if asked is self._held:
            self._held = None
        elif self.late:
            self._stopped.add(asked)
        else:
            self._due = [one for one in self._due if one[2] is not asked]
            heapq.heapify(self._due)

    def press(self, *keys: str, seconds: float = 0.5) -> None:
        """Press keys, each in a frame of its own, and let time pass."""
        for key in keys:
            self.said.clear()
            self.last_key = key
            self._note_input()
            self._press(key)
            self._frame()
            self.last_key = ""
        self.wait(seconds)

    def _press(self, key: str) -> None:
        inbox, window = self.inbox, self.window
        actions: dict[str, Callable[[], object]] = {
            "j": lambda: window.go_to(window.cursor + 1),
            "k": lambda: window.go_to(window.cursor - 1),
            "g": lambda: window.go_to(0),
            "G": window.go_to_last,
            "J": lambda: self._open_beside(1),
            "K": lambda: self._open_beside(-1),
            "u": lambda: finding.next_unread(inbox, 1),
            "U": lambda: finding.next_unread(inbox, -1),
            "W": lambda: finding.longest_wait(inbox),
            "-": lambda: navigating.go_to_last_opened(inbox),
            "m": lambda: selecting.toggle_read(inbox),
            "M": self._mark_above_read,
            "undo": lambda: inbox.restore_read_marks(self._marks_before),
            "z": lambda: self.hide(30.0),
            "undo z": self._show_again,
            "space": self._mark,
            "enter": self._enter,
            "escape": self._escape,
            "ctrl+r": lambda: refreshing.refresh_by_hand(inbox),
            "H": lambda: navigating.step_history(inbox, -1),
            "L": lambda: navigating.step_history(inbox, 1),
            "dialog": self._open_dialog,
            "close": self._close_dialog,
        }
        actions |= {view.key: partial(navigating.show_folder, inbox, view.query) for view in VIEWS}
        self.do(actions[key])

    def _open_beside(self, step: int) -> None:
        self.window.go_to(self.window.cursor + step)
        selecting.open_selected(self.inbox)

    def _enter(self) -> None:
        if self.window.row is not None:
            selecting.open_selected(self.inbox)
            self.enter_pane("thread")

    def _mark_above_read(self) -> None:
        self._marks_before = selecting.mark_above_read(self.inbox)

    def hide(self, seconds: float) -> None:
        """Hide the selected conversation until a time here."""
        row, until = self.window.row, self.clock.now() + timedelta(seconds=seconds)
        if row is not None:
            self._hidden_before = follow_ups.hide(self.inbox, [row], until)
            self._follow()

    def _show_again(self) -> None:
        follow_ups.restore(self.inbox, self._hidden_before)

    def _open_dialog(self) -> None:
        self.window.is_covered = True
        self.inbox.forget_awaited()

    def _close_dialog(self) -> None:
        self.window.is_covered = False
        selecting.begin_rest(self.inbox)

    def _mark(self) -> None:
        id = self.window.selected_id
        if id in self.window.marked:
            self.window.marked.remove(id)
        elif id is not None:
            self.window.marked.append(id)

    def _escape(self) -> None:
        goes_on = self.window.goes_on
        self.window.stop()
        if not finding.stop(self.inbox) and not goes_on and self.pane == "thread":
            self.enter_pane("list")

    def _note_input(self) -> None:
        refreshing.note_input(self.inbox)

    def query(self, text: str, seconds: float = 0.5) -> None:
        """Show a query."""
        self.said.clear()
        self._note_input()
        self.do(navigating.show, self.inbox, parse(text))
        self._frame()
        self.wait(seconds)

    def wheel(self, rows: int) -> None:
        self._note_input()
        self.window.scroll(rows)
        self._frame()

    # Time

    def wait(self, seconds: float) -> None:
        """Let time pass, in which the server answers."""
        end = self.now + seconds
        if self.server.news:
            self.release()
        for turn in count():
            assert turn < 20_000, f"busy: {self._alarm()} at {self.now}"
            alarm = self._alarm()
            due = self._due[0][0] if self._due else None
            times = [time for time in (alarm, due) if time is not None and time <= end]
            if not times:
                break
            self._pass_to(min(times))
            if due is not None and due <= self.now and (alarm is None or due <= alarm):
                self._answer()
            else:
                self.do(deadlines.advance, self.inbox)
            self._frame()
        self._pass_to(end)

    def _pass_to(self, time: float) -> None:
        self.now = max(time, self.now)
        self.server.now = START + timedelta(seconds=self.now)

    def _alarm(self) -> float | None:
        """When the inbox has something to do by itself; later than now, as for the driver."""
        times = (self.inbox.wake_at, deadlines.rests_until(self.inbox))
        due = min((time for time in times if time is not None), default=None)
        return None if due is None else max(due, self.now + 0.001)

    def _answer(self) -> None:
        _, _, asked = heapq.heappop(self._due)
        request = described(asked.request)
        self.server.asked.append(request)
        error = self.server.error or self.server.fails(request)
        try:
            if error is not None:
                raise error
            value = _result(asked.request(self._answers))
        except InboxError as problem:
            self.do(self.inbox.tasks.fail, asked, problem)
        else:
            self.cache.answers += 1
            self.do(self.inbox.tasks.answer, asked, value)

    def _frame(self) -> None:
        """What the list tells after it was drawn."""
        window = self.window
        for _ in range(20):
            if not window.asks_for_more:
                break
            window.asks_for_more = False
            bottom = window.top + 2 * HEIGHT >= len(window.rows)
            bound_for = window.bound_for if bottom or window.bound_for < 0 else 0
            self.do(refreshing.near_end, self.inbox, bound_for=bound_for, bottom=bottom)
        self.checks(self)

    # The screen

    @property
    def status(self) -> str:
        state = "".join(text for _, text in self.inbox.connection.state)
        said = words.loaded(self.inbox, in_list=self.pane == "list")
        return " · ".join(filter(None, [state, said]))

    @property
    def loaded(self) -> int | None:
        """Number of rows of the view's list, once it is complete; the status line says no more."""
        complete = self.inbox.view.list.complete and "loaded" not in self.status
        return len(self.inbox.view.list) if complete else None

    @property
    def listed(self) -> list[Conversation]:
        return [self.window.rows[at] for at in range(len(self.window.rows))]

    @property
    def ids(self) -> list[str]:
        return [row.id for row in self.listed]

    @property
    def thread(self) -> str | None:
        """Id of the conversation whose messages are displayed."""
        return self._thread_of if self.shows_end else None

    @property
    def names(self) -> list[str]:
        return [row.contact.name or "" for row in self.listed]

    @property
    def in_view(self) -> list[str]:
        """Names of the visible rows."""
        return [self.window.rows[at].contact.name or "" for at in self.window.in_view()]

    @property
    def selected(self) -> str | None:
        row = self.window.row
        return row.contact.name if row is not None else None

    @property
    def unread(self) -> set[str]:
        return {row.contact.name or "" for row in self.listed if row.id in self._unread_ids()}

    def _unread_ids(self) -> set[str]:
        return {*self.cache.marks.unread_among(self.listed)}


def _result(answer: Coroutine[Any, Any, T]) -> T:
    """The value of a coroutine that waits for nothing."""
    try:
        answer.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    raise AssertionError("an answer from memory waits")
