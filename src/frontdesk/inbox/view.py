"""One shown query of the inbox with all that ends with it, and those shown before and after."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from frontdesk.inbox.cached import Window
from frontdesk.inbox.kept_rows import KeptRows, MergedView
from frontdesk.inbox.limits import MOST_VISITS
from frontdesk.inbox.local_scan import Scan
from frontdesk.inbox.rows import CachedList, CurrentStates, Place
from frontdesk.query import Query, QueryPlan, Term, sort_key
from frontdesk.query.plan import Test
from frontdesk.query.terms import SORT
from frontdesk.wire import Conversation, ConversationFilter


class View:
    """A shown query. Another query is another view: what comes late for this one changes this one.

    wanted: plan to fetch rows for; shown: that of the rows that are shown meanwhile. matches: the
    whole query. list: rows of `shown`. scan: the filter or order that is made here, if any.
    rescan_due: it has to begin again. kept: rows that stay. follows_top: rows may come above, and
    nobody has moved yet. bound_for_last: the last row was asked for before there were rows.
    seen_before: keys of the rows that were visible before the last reload. refreshed_before: filter
    of the last refresh.

    tallies: numbers of its conversations by value, for each kind of term where they are known.
    unreadable, unreadable_below: rows that were dropped from the first pages and from later ones.
    added_above: rows that came above the window. page_since: when the request for the next page
    began that is running.
    """

    def __init__(
        self,
        query: Query,
        wanted: QueryPlan,
        shown: QueryPlan,
        matches: Test,
        rows: CachedList,
    ) -> None:
        self.query = query
        self.wanted, self.shown, self.matches, self.list = wanted, shown, matches, rows
        self.scan: Scan | None = None
        self.rescan_due = False
        self.kept = KeptRows()
        self.follows_top = self.bound_for_last = False
        self.seen_before: Sequence[str] = ()
        self.refreshed_before: ConversationFilter | None = None
        self.unreadable = self.unreadable_below = self.added_above = 0
        self.page_since: float | None = None
        self.tallies: dict[str, Mapping[str, int]] = {}

    def replan(self, wanted: QueryPlan, shown: QueryPlan, matches: Test, rows: CachedList) -> None:
        """Go on by other plans of the same query; rows that stay do so."""
        self.wanted, self.shown, self.matches, self.list = wanted, shown, matches, rows
        self.scan = None

    def reload(
        self, stay: Mapping[str, Conversation], matches: Test, current: CurrentStates
    ) -> Mapping[str, Conversation]:
        """Read the list again; returns the rows that stay, of those that would.

        If rows that have left are to be left out, those stay that match and come further down than
        the loaded ones.
        """
        self.list.reload()
        self.matches = matches
        if not self.kept.leave_out():
            return stay
        states = current(self.list.absent(stay))
        held = len(self.list) + self.list.complete
        ranks = self.list.ranks(list(states.values()))
        return {
            id: stay[id]
            for (id, state), rank in zip(states.items(), ranks, strict=True)
            if rank >= held and matches(state)
        }

    def merged(
        self, stay: Mapping[str, Conversation], current: CurrentStates, now: datetime
    ) -> MergedView:
        """The list with the rows of `stay` that have left it.

        A row that may be on a later page is dimmed too, if it is known not to match any more.
        """
        merged = self.kept.merge(stay, self.list, current, key=sort_key(self.shown.order, now))
        beyond = current(merged.after_gap).values() if merged.after_gap else ()
        gone = {row.id for row in beyond if not self.matches(row)}
        return merged._replace(dimmed=merged.dimmed | gone)

    def has_left(self, row: Conversation) -> bool:
        """True for a row of the server's list that changed since, and no longer matches."""
        return self.scan is None and not self.matches(row) and self._has_changed(row)

    def _has_changed(self, row: Conversation) -> bool:
        """True for a row of the list in another state than that in which the server listed it."""
        updated, fetched = row.updated_time, self.list.fetched_at
        is_newer = updated is not None and fetched is not None and updated > fetched
        return is_newer or self.list.has_moved(row)

    @property
    def unreadable_rows(self) -> int:
        """Number of rows that were dropped."""
        return self.unreadable + self.unreadable_below

    @property
    def is_loaded(self) -> bool:
        """True if rows were loaded, now or by an earlier start."""
        return self.list.fetched_at is not None

    @property
    def complete(self) -> bool:
        """True if all rows are loaded, and looked at here if they are filtered or sorted here."""
        if self.scan is None:
            return self.list.complete
        scanned = self.scan.looked_at == len(self.list)
        return self.scan.ended or (self.list.complete and scanned)

    @property
    def goes_on(self) -> bool:
        """True if its further rows are those of the server's further pages, or many of those are.

        Without the unread conversations, a list may have few rows on each page.
        """
        matches_many = self.scan is None or 4 * self.scan.matches >= self.scan.looked_at
        return self.shown.narrowed and (bool(self.shown.filter.unread) or matches_many)

    @property
    def awaits_order(self) -> bool:
        """True until the rows of the wanted plan are there; others are shown meanwhile."""
        return self.wanted != self.shown

    @property
    def is_settled(self) -> bool:
        """True if the server filters and sorts the rows that are shown."""
        return self.scan is None and not self.awaits_order and self.is_loaded

    @property
    def wider_list(self) -> str:
        """Name of the list whose rows are filtered here in place of the server, or ""."""
        if set(self.shown.rest) <= set(self.wanted.rest):
            return ""
        return f"the {self.shown.filter.status or 'whole'} list"

    def partial_terms(self, *, has_rows: bool) -> Collection[Term]:
        """Terms that are applied to loaded rows while others are missing."""
        if self.complete or self.goes_on or not (self.is_loaded or has_rows):
            return ()
        sorts = () if self.shown.is_sorted else (SORT,)
        return [*self.shown.rest, *(term for term in self.query.terms if term.kind in sorts)]


class ViewPlace(NamedTuple):
    """Where a view was left. selected, marked: ids of conversations; place: of its window.

    at_start: nothing was above the visible rows; seen: their keys.
    """

    selected: str | None
    place: Place | None
    at_start: bool
    seen: Sequence[str]
    marked: Sequence[str]

    @classmethod
    def of(cls, window: Window, selected: str | None) -> "ViewPlace":
        """Where the shown view is."""
        seen, marked = window.keys_in_view(), window.marked
        return cls(selected, window.place, window.at_start, seen, marked)

    def restore(self, window: Window) -> None:
        """Return to it, as far as its rows are there."""
        window.mark_only(self.marked)
        place = self.place and self.place.among(window.rows, self.seen)
        if place is not None:
            # Rows that came above are seen by who was at the top.
            top = window.rows.key(0) if self.at_start else place.top
            line = 0 if self.at_start else place.line
            window.return_to(window.rows, place._replace(top=top, line=line))


class VisitedView(NamedTuple):
    """A view that was shown, and where it was left."""

    query: Query
    place: ViewPlace


class ViewHistory:
    """Shown views before and after the present one, as in a browser, and where each was left."""

    def __init__(self) -> None:
        self._before: list[VisitedView] = []
        self._after: list[VisitedView] = []
        self._places: dict[Query, ViewPlace] = {}

    @property
    def has_before(self) -> bool:
        return bool(self._before)

    def place_of(self, query: Query) -> ViewPlace | None:
        """Where the view of a query was left last."""
        return self._places.get(query)

    def leave(self, query: Query, place: ViewPlace) -> None:
        """Record that another view than those after this one is shown next."""
        self._before = [*self._before, VisitedView(query, place)][-MOST_VISITS:]
        self._after = []
        self._note(query, place)

    def step(self, step: int, query: Query, place: ViewPlace) -> VisitedView | None:
        """The view before (-1) or after (1) the present one; None if there is none."""
        source, target = (self._before, self._after) if step < 0 else (self._after, self._before)
        if not source:
            return None
        target.append(VisitedView(query, place))
        self._note(query, place)
        return source.pop()

    def _note(self, query: Query, place: ViewPlace) -> None:
        self._places.pop(query, None)
        self._places[query] = place
        if len(self._places) > MOST_VISITS:
            del self._places[next(iter(self._places))]
