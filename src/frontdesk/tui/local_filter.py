"""Incremental local filter and sort order over loaded conversations."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import itemgetter
from types import MappingProxyType

from frontdesk.mailbox import Listing
from frontdesk.query import QueryPlan, sort_key
from frontdesk.query.plan import SortKey
from frontdesk.tui.widgets.virtual_list import FixedRows
from frontdesk.wire import Conversation

# The sort key of a row, its key in the list, and the row to show.
_Kept = tuple[SortKey, str, Conversation]


class LocalFilter:
    """Incremental scan of a list for the rows that match, in the order of a query plan.

    stay: rows by id that keep their place even if they no longer match. current: the cached state
    of a conversation, or None. stale: ids of kept rows that do not match. known: cached rows
    to match as well, also from pages that are not loaded. ended: a row was met after which the
    server's list has no match.
    """

    def __init__(
        self,
        listing: Listing[Conversation],
        plan: QueryPlan,
        matches: Callable[[Conversation], bool],
        now: datetime,
        *,
        stay: Mapping[str, Conversation] = MappingProxyType({}),
        current: Callable[[str], Conversation | None] = lambda id: None,
        known: Iterable[Conversation] = (),
    ) -> None:
        self._listing = listing
        self._plan = plan
        self._matches = matches
        self._now = now
        self._known = {row.id: row for row in known if matches(row)}
        self._stay = {id: row for id, row in stay.items() if id not in self._known}
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

    def _look_at(self, conversation: Conversation) -> None:
        matches = self._matches(conversation)
        before = None if matches else self._stay.get(conversation.id)
        if before is not None:
            self.stale.add(conversation.id)
        if matches or before is not None:
            self._matching.append(self._entry(before or conversation, conversation))
            self._kept_ids.add(conversation.id)
        self._met.add(conversation.id)

    def rows(self) -> FixedRows[Conversation]:
        """Rows found so far, in the order."""
        unmet = self._unmet()
        rows = [*self._matching, *unmet]
        if unmet or self.stale:
            rows.sort(key=itemgetter(0))
        return FixedRows([(key, row) for _, key, row in rows])

    def _entry(self, row: Conversation, state: Conversation) -> _Kept:
        """A kept row; `row` is what it is sorted by, `state` what is shown."""
        return self._key(row), f"conversation {state.id}", state

    def _unmet(self) -> list[_Kept]:
        """Rows to keep that the scan has not met: they left the list, or come further down."""
        states = [(row, self._current(id)) for id, row in self._stay.items() if id not in self._met]
        unmet = [(row, state) for row, state in states if state is not None]
        if self.ended or self.looked_at == len(self._listing):
            self.stale.update(state.id for row, state in unmet if self._has_left(row, state))
        known = [(row, row) for id, row in self._known.items() if id not in self._met]
        return [self._entry(row, state) for row, state in (*unmet, *known)]

    def _has_left(self, row: Conversation, state: Conversation) -> bool:
        """True if a row that was not met does not match, or would be among the loaded rows."""
        held = len(self._listing) + self._listing.complete
        return not self._matches(state) or self._listing.rank(row) < held
