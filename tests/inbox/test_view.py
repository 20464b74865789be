"""Rows of a view, whatever the server's list does: what stays, what is dimmed, what is left out."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from frontdesk.inbox.kept_rows import MergedView
from frontdesk.inbox.view import View
from frontdesk.query import Matcher, QueryNames, parse, plan
from frontdesk.wire import Conversation, timestamp
from tests.conftest import NOW
from tests.inbox.cached_list import Cached, CachedRows, conversation

ROWS, IN_VIEW = 30, 5
NAMES = QueryNames()
QUERY = parse("is:open")
IDS = st.integers(0, ROWS - 1).map(str)


class Views(RuleBasedStateMachine):
    """The open conversations of a server that lists as many as are `loaded`."""

    @initialize(loaded=st.integers(3, 12))
    def begin(self, loaded: int) -> None:
        self.now = ROWS
        self.loaded = loaded
        self.cached = Cached(conversation(at, second=at) for at in range(ROWS))
        self._answer()
        plans = plan(QUERY, NAMES)
        self.view = View(QUERY, plans, plans, self._matcher(), CachedRows(self.cached))
        self.view.kept.answered = True
        self.selected: Conversation | None = None
        self.opened_or_seen: set[str] = set()
        # Rows further down that a refresh has left, until the list has them.
        self.left_below: set[str] = set()
        self.shown = MergedView(self.view.list, frozenset(), frozenset())
        self._show()

    def _matcher(self) -> Matcher:
        return Matcher(QUERY.terms, NAMES, NOW)

    def _answer(self) -> None:
        """The server lists its open conversations anew, down to the last that was loaded."""
        opened = [row for row in self.cached.states.values() if row.status == "open"]
        opened.sort(key=lambda row: row.last_activity_at, reverse=True)
        ids = [row.id for row in opened]
        listed = [at for at, id in enumerate(ids, 1) if id in self.cached.places]
        until = max([self.loaded, *listed])
        self.cached.list(ids[:until], complete=len(ids) <= until)

    def _show(self) -> None:
        rows = self.shown.rows
        seen = [rows[at] for at in range(min(IN_VIEW, len(rows)))]
        self.opened_or_seen |= {row.id for row in seen}
        stay = self.view.kept.rows(seen, self.selected)
        kept = self.view.reload(stay, self._matcher(), self.cached.current)
        self.shown = self.view.merged(kept, self.cached.current, NOW)
        self.left_below -= self.cached.places.keys()

    @rule(id=IDS, status=st.sampled_from(["open", "resolved"]))
    def changes(self, id: str, status: str) -> None:
        """A conversation is active, or resolved, and the server lists it so."""
        self.now += 1
        row = self.cached.states[id]
        self.cached.states[id] = conversation(int(row.id), second=self.now, status=status)
        self._answer()
        self._show()

    @rule(id=IDS)
    def is_resolved_elsewhere(self, id: str) -> None:
        """A conversation is known to be resolved, and the list was not read since."""
        self.now += 1
        self.cached.states[id] = conversation(int(id), second=self.now, status="resolved")
        self._show()

    @rule()
    def refreshes_by_itself(self) -> None:
        self._answer()
        self._show()

    @rule(more=st.integers(1, 10))
    def loads_more(self, more: int) -> None:
        self.loaded += more
        self._answer()
        self._show()

    @rule(at=st.integers(0, ROWS))
    def selects(self, at: int) -> None:
        rows = self.shown.rows
        if len(rows):
            self.selected = rows[at % len(rows)]

    @rule(id=IDS)
    def opens(self, id: str) -> None:
        """A conversation is opened that may come further down than the loaded rows."""
        self.selected = self.cached.states[id]
        self.view.kept.add_opened(self.selected)
        self.opened_or_seen.add(id)
        self._show()

    @rule()
    def refreshes(self) -> None:
        """The user asks to leave out what has left."""
        self.view.kept.leaving_out = True
        self._answer()
        self._show()
        others = self.ids() - self.cached.places.keys()
        self.opened_or_seen, self.left_below = set(), others
        assert {self.cached.states[id].status for id in others} <= {"open"}
        if self.selected is not None and self.cached.states[self.selected.id].status != "open":
            self.selected = None

    def ids(self) -> set[str]:
        return {self.shown.rows[at].id for at in range(len(self.shown.rows))}

    @invariant()
    def each_row_is_there_once(self) -> None:
        rows = self.shown.rows
        ids = [rows[at].id for at in range(len(rows))]
        assert len(ids) == len({*ids})
        assert {*ids} >= {*self.cached.places}
        assert [rows.find(f"conversation {id}") for id in ids] == list(range(len(ids)))

    @invariant()
    def what_is_selected_and_what_was_opened_or_seen_stays(self) -> None:
        selected = {self.selected.id} if self.selected is not None else set()
        assert self.ids() >= self.opened_or_seen | self.left_below | selected

    @invariant()
    def a_row_is_dimmed_where_it_has_left(self) -> None:
        rows = self.shown.rows
        for at in range(len(rows)):
            row = rows[at]
            listed = row.id in self.cached.places
            dimmed = row.id in self.shown.dimmed or self.view.has_left(row)
            if row.status == "open":
                assert not (dimmed and listed)
            else:
                # Also beyond rows that are not loaded: it is known here that it has left.
                assert dimmed
            assert (row.id in self.shown.after_gap) <= (not listed and not self.cached.complete)


TestViews = Views.TestCase
TestViews.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_a_row_beyond_missing_ones_that_no_longer_matches_is_left_out() -> None:
    views = Views()
    views.begin(loaded=5)
    views.opens("3")
    assert views.shown.after_gap == {"3"}
    # Without activity since, so that it comes after the loaded rows still.
    views.cached.states["3"] = conversation(3, second=3, status="resolved")
    views.refreshes()
    assert "3" not in views.ids()


def test_a_row_that_has_left_a_complete_list_is_dimmed_also_at_its_end() -> None:
    views = Views()
    views.begin(loaded=ROWS)
    views.opens("0")
    views.cached.states["0"] = conversation(0, second=0, status="resolved")
    views.refreshes_by_itself()
    assert views.shown.dimmed == {"0"}


def test_a_selected_row_stays_though_it_was_neither_opened_nor_in_view() -> None:
    views = Views()
    views.begin(loaded=12)
    views.selects(10)
    assert views.selected is not None
    views.changes(views.selected.id, "resolved")
    assert views.selected.id in views.shown.dimmed


def test_a_row_that_was_resolved_without_activity_since_the_list_came_is_dimmed() -> None:
    views = Views()
    views.begin(loaded=12)
    listed = timestamp(int(NOW.timestamp() * 1000) - 1)
    for updated, dimmed in ((listed, False), (timestamp(int(NOW.timestamp() * 1000) + 1), True)):
        row = conversation(25, second=25, status="resolved")
        views.cached.states["25"] = row.model_copy(update={"updated_at": updated})
        assert views.view.has_left(views.cached.states["25"]) == dimmed
