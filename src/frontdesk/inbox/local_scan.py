"""The filter and order that are made here: a scan of a cached list, step by step."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from operator import itemgetter
from types import MappingProxyType

from frontdesk.inbox.rows import CachedList, CurrentStates
from frontdesk.query import QueryPlan, sort_key
from frontdesk.query.plan import SortKey
from frontdesk.wire import Conversation, body_of

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
        listing: CachedList,
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
            # A row that has changed since it was listed says nothing of those after it.
            is_beyond = self._may_end and self._plan.is_beyond(row, self._now)
            self.ended = is_beyond and not self._listing.has_moved(row)
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
