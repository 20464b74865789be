"""Rows that stay in a view although they have left it, and their places between the others."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import NamedTuple

from frontdesk.inbox.rows import CurrentStates, ListState, MergedRows, Rows
from frontdesk.query.plan import SortKey
from frontdesk.wire import Conversation

# Opened rows, and rows that were in the window, that are kept at most.
MOST_OPENED_KEPT, MOST_SEEN_KEPT = 50, 300


class MergedView(NamedTuple):
    """A list merged with the rows that have left it.

    dimmed: ids of those that no longer match. after_gap: ids of those that may be on a later page.
    """

    rows: Rows[Conversation]
    dimmed: Set[str]
    after_gap: Set[str]


class KeptRows:
    """Rows of one view that must not vanish while the user works with the list.

    These are the selected row, opened rows, and rows that were in view. Before the first response
    to the view, cached rows may be old: rows in view are not kept then, unless the user has opened
    more than one.

    answered: the server has answered for the view. leaving_out: the next refresh drops those that
    have left the view.
    marked_here: ids of conversations that a mark of read or unread took out of the view.
    """

    def __init__(self) -> None:
        self.answered = self.leaving_out = False
        self.marked_here: set[str] = set()
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
        self.marked_here = set()
        return True

    def forget_seen(self) -> None:
        """Keep those no more that were in view until now."""
        self._seen.clear()

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
