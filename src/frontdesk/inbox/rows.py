"""Rows of a list: its state, rows that stay, and the filter and order that are made here.

Rows have random access by position, and keys that survive reordering.
"""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from functools import cached_property, lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeVar

from frontdesk.inbox.limits import MOST_OPENED_KEPT, MOST_SEEN_KEPT
from frontdesk.query import QueryPlan, sort_key
from frontdesk.query.plan import SortKey
from frontdesk.wire import Conversation, body_of

# The cached states of conversations by id, without missing ones.
CurrentStates = Callable[[Collection[str]], Mapping[str, Conversation]]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Rows(Protocol[R_co]):
    """Sequence of rows with stable keys."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> R_co: ...

    def key(self, position: int, /) -> str:
        """Key of the row at a position."""

    def find(self, key: str, /) -> int | None:
        """Position of the row with this key, or None."""


class ListState(Rows[Conversation], Protocol):
    """One state of a cached list of conversations."""

    @property
    def complete(self) -> bool: ...

    def body(self, position: int, /) -> bytes:
        """JSON of the row at a position."""

    def absent(self, ids: Collection[str], /) -> set[str]:
        """Those of some ids that the list does not have."""

    def ranks(self, values: Sequence[Conversation], /) -> list[int]:
        """For each value that is not in the list, the number of rows before it."""


class FixedRows(Generic[R]):
    """Rows held in memory, given as pairs of key and row."""

    def __init__(self, rows: Sequence[tuple[str, R]] = ()) -> None:
        self._rows = rows
        self._positions: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int, /) -> R:
        return self._rows[position][1]

    def key(self, position: int, /) -> str:
        return self._rows[position][0]

    def find(self, key: str, /) -> int | None:
        if self._positions is None:
            self._positions = {other: at for at, (other, _) in enumerate(self._rows)}
        return self._positions.get(key)


def place_of(rows: Rows[R], key: str | None, shown: Sequence[str]) -> int | None:
    """Position of a row; if it is gone, that of the row which followed it in `shown`.

    None without both. shown: keys of rows as they followed each other before.
    """
    if key is None:
        return None
    found = rows.find(key)
    if found is not None or key not in shown:
        return found
    at = shown.index(key)
    after, before = map(rows.find, shown[at:]), map(rows.find, reversed(shown[:at]))
    following = next((position for position in after if position is not None), None)
    if following is not None:
        return following
    preceding = next((position for position in before if position is not None), None)
    return None if preceding is None else min(preceding + 1, len(rows) - 1)


class MergedRows(Generic[R]):
    """Rows with a few other rows inserted.

    others: tuples (number of rows before it, key, row), sorted.
    """

    def __init__(self, rows: Rows[R], others: Sequence[tuple[int, str, R]]) -> None:
        self._rows = rows
        self._others = others
        self._ranks = [rank for rank, _, _ in others]
        self._positions = [rank + before for before, rank in enumerate(self._ranks)]

    def __len__(self) -> int:
        return len(self._rows) + len(self._others)

    def __getitem__(self, position: int, /) -> R:
        before, is_other = self._others_before(position)
        return self._others[before][2] if is_other else self._rows[position - before]

    def key(self, position: int, /) -> str:
        before, is_other = self._others_before(position)
        return self._others[before][1] if is_other else self._rows.key(position - before)

    def find(self, key: str, /) -> int | None:
        for position, (_, other, _) in zip(self._positions, self._others, strict=True):
            if other == key:
                return position
        found = self._rows.find(key)
        return None if found is None else found + bisect_right(self._ranks, found)

    def _others_before(self, position: int) -> tuple[int, bool]:
        """Number of inserted rows before a position, and if the position itself is one."""
        before = bisect_left(self._positions, position)
        return before, before < len(self._positions) and self._positions[before] == position


class CachedList(ListState, Protocol):
    """A cached list, whose state is that of the last `reload`."""

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        """Length, cursor and completeness; changes when older rows are added."""

    @property
    def fetched_at(self) -> datetime | None: ...

    def position(self, id: str, /) -> int | None:
        """Position of a row by id; None if it is not in this state of the list."""

    def has_moved(self, value: Conversation, /) -> bool:
        """True for a row of the list that has changed since, so that its place is another."""

    def reload(self) -> None:
        """Read the current state of the list."""


class MergedView(NamedTuple):
    """A list merged with the rows that have left it.

    dimmed: ids of those that no longer match. after_gap: ids of those that may be on a later page.
    """

    rows: Rows[Conversation]
    dimmed: Set[str]
    after_gap: Set[str]


class Kept:
    """Rows of one view that must not vanish while the user works with the list.

    These are the selected row, opened rows, and rows that were in view. Before the first response
    to the view, cached rows may be old: rows in view are not kept then, unless the user has opened
    more than one.

    answered: the server has answered for the view. leaving_out: the next refresh drops those that
    have left the view.
    read_here: ids of conversations that were marked as read while the view shows unread ones.
    """

    def __init__(self) -> None:
        self.answered = self.leaving_out = False
        self.read_here: set[str] = set()
        self._opened: dict[str, Conversation] = {}
        self._departed: dict[str, Conversation] = {}
        self._seen: OrderedDict[str, Conversation] = OrderedDict()

    def add_opened(self, row: Conversation) -> None:
        """Keep a row that was opened."""
        self._opened[row.id] = row
        if len(self._opened) > MOST_OPENED_KEPT:
            del self._opened[next(iter(self._opened))]

    def add_seen(self, rows: Iterable[Conversation]) -> None:
        """Keep rows that are in view, the latest last."""
        for row in rows:
            self._seen[row.id] = row
            self._seen.move_to_end(row.id)
        while len(self._seen) > MOST_SEEN_KEPT:
            self._seen.popitem(last=False)

    @property
    def keeps_seen(self) -> bool:
        """True if rows that were in view stay too."""
        return self.answered or len(self._opened) > 1

    def rows(
        self, in_view: Iterable[Conversation], selected: Conversation | None
    ) -> dict[str, Conversation]:
        """The rows that stay, by id, as last shown in the list."""
        stay = dict(self._opened)
        if self.keeps_seen:
            self.add_seen(in_view)
            stay.update(self._seen)
        # Those that have left keep the place that they had, also if they are active since.
        stay.update(self._departed)
        if selected is not None:
            stay.setdefault(selected.id, selected)
        return stay

    def leave_out(self) -> bool:
        """Forget all rows, if that was asked for; True if so."""
        if not self.leaving_out:
            return False
        self._opened, self._departed, self.leaving_out = {}, {}, False
        self._seen.clear()
        self.read_here = set()
        return True

    def merge(
        self,
        stay: Mapping[str, Conversation],
        listing: ListState,
        current: CurrentStates,
        *,
        key: Callable[[Conversation], SortKey],
    ) -> MergedView:
        """A list, merged with the rows of `stay` that have left it.

        current: the cached states of conversations, by id. key: the order of the list.
        """
        absent = listing.absent(stay)
        states = current(absent) if absent else {}
        left = sorted((row for id, row in stay.items() if id in states), key=key)
        others = [
            (rank, f"conversation {row.id}", states[row.id])
            for rank, row in zip(listing.ranks(left), left, strict=True)
        ]
        others.sort(key=lambda other: other[0])
        self._departed = {row.id: stay[row.id] for _, _, row in others}
        # A row that sorts after the last loaded row may still be in the list, on a later page.
        held = len(listing) + listing.complete
        dimmed = {row.id for rank, _, row in others if rank < held}
        after_gap = self._departed.keys() - dimmed
        return MergedView(MergedRows(listing, others) if others else listing, dimmed, after_gap)


# Sort key, id and JSON of a row. A scan keeps thousands of rows: as models they would take ten
# times the memory, and a garbage collection would look at all of their parts.
_Kept = tuple[SortKey, str, bytes]

# Rows that are drawn, and those beside them.
_parsed = lru_cache(maxsize=200)(Conversation.model_validate_json)


class StoredRows:
    """Conversations that are parsed when they are accessed."""

    def __init__(self, rows: Sequence[_Kept]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int, /) -> Conversation:
        return _parsed(self._rows[position][2])

    def key(self, position: int, /) -> str:
        return f"conversation {self._rows[position][1]}"

    def find(self, key: str, /) -> int | None:
        return self._positions.get(key.removeprefix("conversation "))

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {id: at for at, (_, id, _) in enumerate(self._rows)}

    @property
    def places(self) -> Mapping[str, SortKey]:
        """Sort keys by id."""
        return {id: place for place, id, _ in self._rows}


class Scan:
    """Incremental scan of a list for the rows that match, in the order of a query plan.

    stay: places, by id, of rows that stay there even if they no longer match. current: the cached
    states of conversations, by id. stale: ids of kept rows that do not match. known: cached rows
    to match as well, also from pages that are not loaded. ended: a row was met after which the
    server's list has no match.
    """

    def __init__(
        self,
        listing: ListState,
        plan: QueryPlan,
        matches: Callable[[Conversation], bool],
        now: datetime,
        *,
        stay: Mapping[str, SortKey] = MappingProxyType({}),
        current: CurrentStates = lambda ids: {},
        known: Iterable[Conversation] = (),
    ) -> None:
        self._listing = listing
        self._plan = plan
        self._matches = matches
        self._now = now
        self._known = {row.id: row for row in known if matches(row)}
        self._stay = {id: place for id, place in stay.items() if id not in self._known}
        self._current = current
        self._key = sort_key(plan.order, now)
        self._may_end = bool(plan.limits)
        self._matching: list[_Kept] = []
        self._kept_ids: set[str] = set()
        self._met: set[str] = set()
        self.stale: set[str] = set()
        self.looked_at = 0
        self.ended = False

    @property
    def matches(self) -> int:
        """Number of matching rows found so far."""
        count = len(self._matching) - len(self.stale & self._kept_ids)
        return count + len(self._known.keys() - self._met)

    def step(self, count: int) -> bool:
        """Scan the next `count` rows; False when all were scanned."""
        end = min(self.looked_at + count, len(self._listing))
        while self.looked_at < end and not self.ended:
            row = self._listing[self.looked_at]
            self.ended = self._may_end and self._plan.is_beyond(row, self._now)
            if row.id not in self._met and not self.ended:
                self._look_at(row)
            self.looked_at += 1
        if not self._plan.is_sorted:
            # Costs little for few rows among many sorted ones, and leaves nothing for the end.
            self._matching.sort(key=itemgetter(0))
        return end < len(self._listing) and not self.ended

    def _look_at(self, row: Conversation) -> None:
        matches = self._matches(row)
        place = self._key(row) if matches else self._stay.get(row.id)
        if place is not None:
            # An unreadable row has no id.
            body = self._listing.body(self.looked_at) if row.id else body_of(row)
            self._matching.append((place, row.id, body))
            self._kept_ids.add(row.id)
            if not matches:
                self.stale.add(row.id)
        self._met.add(row.id)

    def rows(self) -> StoredRows:
        """Rows found so far, in the order."""
        unmet = self._unmet()
        rows = [*self._matching, *unmet]
        if unmet or self.stale:
            rows.sort(key=itemgetter(0))
        return StoredRows(rows)

    def _unmet(self) -> list[_Kept]:
        """Rows to keep that the scan has not met: they left the list, or come further down."""
        ids = self._stay.keys() - self._met
        states = self._current(ids) if ids else {}
        unmet = [(self._stay[id], state) for id, state in states.items()]
        if self.ended or self.looked_at == len(self._listing):
            self.stale.update(self._left(list(states.values())))
        known = [(self._key(row), row) for id, row in self._known.items() if id not in self._met]
        return [(place, row.id, body_of(row)) for place, row in (*unmet, *known)]

    def _left(self, states: Sequence[Conversation]) -> set[str]:
        """Ids of those rows not met that do not match, or would be among the loaded rows."""
        held = len(self._listing) + self._listing.complete
        ranks = self._listing.ranks(states)
        return {
            state.id
            for state, rank in zip(states, ranks, strict=True)
            if rank < held or not self._matches(state)
        }
