"""The truths of the inbox, after every event of random sessions.

`python -m tests.inbox.test_truths STEPS SEED` goes on for as many steps.
"""

import re
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from frontdesk.errors import BadResponse, InboxError, Unauthorised, Unreachable
from frontdesk.inbox import words
from frontdesk.inbox.counting import count_of
from frontdesk.inbox.limits import CLOCK_CHECK_SECONDS, THOROUGH_SECONDS
from frontdesk.inbox.planning import unsorted_filter
from frontdesk.inbox.requests import Kind
from frontdesk.inbox.rows import Rows
from frontdesk.query import Query, sort_key
from frontdesk.wire import Conversation
from frontdesk.wire.queries import EXTENSIONS
from tests.inbox.memory import CHANNELS, DOWN, VIEWS, Server, Terminal, conversation

QUERIES = (
    "is:open",
    "is:resolved",
    "is:snoozed",
    "is:open unread",
    "is:open @me",
    "is:open -needs:human",
    "is:open sort:waiting",
    "is:open sort:oldest",
    "is:open waiting:>1h sort:waiting",
    "is:open #billing in:Madrid",
    "is:open #nosuch",
    "unread -#refund",
    "is:open -unread",
    "-unread #billing sort:waiting",
    "is:open customer",
    "is:followup",
    "is:open -is:followup",
    "from:+447700900007",
    "from:+16505550199",
    "sort:window",
)
KEYS = (*"jkgGJKuUW-mMz", "undo z", "space", "enter", "escape", "ctrl+r")
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"status": "open"},
    {"status": "resolved"},
    {"unread_count": 3},
    {"unread_count": 0},
    {"waiting_since": None},
    {"assignee": None},
    {"awaiting_human": True},
    {"labels": ["billing"]},
)
PAUSE = Unreachable("The server asks for a pause", retry_after=30.0)
GARBLED = BadResponse("The server sent a web page")
REFUSED = Unauthorised("The server refused the key")
REST = 3.0
OF_VIEW = (Kind.REFRESH, Kind.OLDER, Kind.FIND)


class Truths:
    """What holds of an inbox at any time, checked after each event."""

    def __init__(self, terminal: Terminal) -> None:
        self._view, self._rows = terminal.inbox.view, set[str]()
        self._seen = set[str]()
        self._plan: object = None
        self._selected: tuple[str | None, float] = None, terminal.now
        self._covered_until = terminal.now
        self._marks = terminal.cache.settings_beginning_with("looked at/")
        self._kept = self._released = False
        self._due_since: dict[str, float] = {}
        self._asked_by = dict.fromkeys(terminal.awaited, self._view)

    def __call__(self, terminal: Terminal) -> None:
        self._one_selection(terminal)
        self._what_is_asked_for_is_shown(terminal)
        self._nothing_is_lost(terminal)
        self._reading_takes_rest(terminal)
        self._rows_are_those_of_the_query(terminal)
        self._a_part_is_called_so(terminal)
        self._live_is_answered(terminal)
        self._hidden_rows_come_back(terminal)

    def _one_selection(self, terminal: Terminal) -> None:
        """One conversation is selected where there are any, and the thread is that one's."""
        window, selection = terminal.window, terminal.inbox.selection
        assert (window.row is None) == (not len(window.rows)), "a selection without rows"
        shown = window.row.id if window.row is not None else None
        assert selection.id == shown, f"{selection.id} is selected, {shown} is under the cursor"

    def _what_is_asked_for_is_shown(self, terminal: Terminal) -> None:
        """What was asked for another view is not awaited any more; its plan ends with a scan."""
        view = terminal.inbox.view
        self._asked_by = {one: self._asked_by.get(one, view) for one in terminal.awaited}
        others = [one for one, by in self._asked_by.items() if by is not view]
        late = [one for one in others if one.kind in OF_VIEW]
        assert not late, f"{late} are awaited in {view.query}"
        assert (view.scan is None) == view.shown.exact, f"a scan of another plan: {view.shown}"

    def _nothing_is_lost(self, terminal: Terminal) -> None:
        """Rows that were there stay until a refresh by hand, or another view."""
        view, window = terminal.inbox.view, terminal.window
        ids = [row.id for row in terminal.listed]
        assert len(ids) == len(set(ids)), "a row is there twice"
        same = view is self._view and view.shown == self._plan and self._kept
        if same and not view.kept.leaving_out:
            must = self._rows if view.scan is not None else self._seen
            gone = {id for id in must if id in terminal.cache.rows} - set(ids)
            gone -= terminal.cache.follow_ups.hidden().keys()
            assert not gone, f"{sorted(gone)} went from {view.query}"
        self._view, self._plan, self._rows = view, view.shown, set(ids)
        self._seen = {window.rows[at].id for at in window.in_view()}
        # What a refresh lets go of is there until the rows were scanned again.
        rescans = Kind.RESCAN in terminal.inbox.tasks
        released = view.kept.leaving_out or (self._released and rescans)
        self._released, self._kept = released, view.kept.answered and not released

    def _reading_takes_rest(self, terminal: Terminal) -> None:
        """What is read was marked, entered, or rested on for 3 seconds with nothing over it."""
        selection, now = terminal.inbox.selection, terminal.now
        if selection.id != self._selected[0]:
            self._selected = selection.id, now
        if terminal.window.is_covered:
            self._covered_until = now
        read = {
            id
            for id, mark in terminal.cache.settings_beginning_with("looked at/").items()
            if mark not in ("unread", "follow up") and self._marks.get(id) != mark
        }
        if read and terminal.pane != "thread" and terminal.last_key not in ("m", "M"):
            rested = now - max(self._selected[1], self._covered_until)
            assert rested >= REST - 1e-6, f"{read} was read after {rested} s"
            assert terminal.window.is_by_input, "rows that came by themselves were read"
        self._marks = terminal.cache.settings_beginning_with("looked at/")

    def _rows_are_those_of_the_query(self, terminal: Terminal) -> None:
        """Rows that are not dimmed match; in an order that is made here they are in it."""
        inbox, view = terminal.inbox, terminal.inbox.view
        matches = inbox.planning.matcher(view.query.terms)
        shown = [row for row in terminal.listed[:60] if not _is_dimmed(terminal, row)]
        # Time passes between refreshes: a limit of time is not looked at.
        if view.list.fetched_at is not None and not view.shown.limits:
            for row in shown:
                vouched = view.scan is None and view.list.position(row.id) is not None
                assert matches(row) or vouched, f"{row.id} is not {view.query}"
        if view.query.order in ("oldest", "waiting") and view.scan is not None:
            key = sort_key(view.query.order, inbox.clock.server_now())
            rows = terminal.window.rows
            places = getattr(getattr(rows, "rows", rows), "places", {})
            moved = {row.id for row in shown if places.get(row.id) != key(row)}
            keys = [key(row) for row in shown if row.id not in moved]
            assert keys == sorted(keys), f"not in the order of {view.query}"

    def _a_part_is_called_so(self, terminal: Terminal) -> None:
        """What is incomplete is said to be, and what is complete is not."""
        inbox, view = terminal.inbox, terminal.inbox.view
        said = words.loaded(inbox, in_list=True)
        words.title(inbox), words.empty(inbox)
        if inbox.searching:
            return
        part = any(sign in said for sign in ("~", "sorting", "nothing loaded"))
        if view.goes_on and view.is_loaded and not inbox.matches_nothing:
            assert not part, f"its rows come as those of any list do, and {said}"
        elif view.scan is not None and not inbox.matches_nothing:
            assert part != view.complete, f"complete: {view.complete}, and {said}"
            whole = view.scan.ended or view.scan.looked_at == len(view.list)
            assert not view.complete or whole, "complete, and rows were not looked at"
            assert not view.complete or view.list.complete or view.scan.ended, "of a part"
            local = view.shown.counted is None and not view.awaits_order and not view.shown.limits
            number = count_of(inbox, view.query)
            assert view.complete or not local or number is None, f"{number}, and {said}"
        for query in (view.query, *(saved.query for saved in VIEWS)):
            self._a_part_is_not_counted(terminal, query)
        if view.complete:
            assert not inbox.partial_terms, "the chips say that it is a part"
        if "loading…" in said and view.scan is None:
            assert view.page_since is not None, said

    def _a_part_is_not_counted(self, terminal: Terminal, query: Query) -> None:
        """A number that the server does not know is that of a list to its end, or its limit."""
        inbox = terminal.inbox
        plan, number = inbox.planning.plan_of(query), count_of(inbox, query)
        if number is None or not plan.rest or inbox.matches_nothing or plan.counted is not None:
            return
        listing, now = terminal.cache.conversations(plan.filter), inbox.clock.server_now()
        unsorted = terminal.cache.conversations(unsorted_filter(plan.filter))
        beyond = plan.limits and any(plan.is_beyond(row, now) for row in rows_of(listing))
        here = plan == inbox.view.wanted and inbox.view.complete
        whole = listing.complete or unsorted.complete or beyond or here
        assert whole, f"{number} are a part of {query}"

    def _hidden_rows_come_back(self, terminal: Terminal) -> None:
        """What is hidden is in no view but follow-ups and a customer's, and not for too long."""
        cache, query, now = terminal.cache, terminal.inbox.view.query, terminal.clock.now()
        if not {"followup", "from"} & {term.kind for term in query.terms if not term.negated}:
            shown = {row.id for row in terminal.listed} & cache.follow_ups.hidden().keys()
            assert not shown, f"{shown} are hidden, and in {query}"
        due = {id for id, until in cache.follow_ups.hidden().items() if until <= now}
        self._due_since = {id: self._due_since.get(id, terminal.now) for id in due}
        late = {id for id, at in self._due_since.items() if terminal.now > at + CLOCK_CHECK_SECONDS}
        assert not late, f"{late} do not come back"

    def _live_is_answered(self, terminal: Terminal) -> None:
        """Live is said after an answer for the view; list and status line count one time."""
        inbox = terminal.inbox
        state = "".join(text for _, text in inbox.connection.state)
        if state.startswith("live"):
            assert inbox.view.is_loaded or inbox.matches_nothing, state
        seconds = (re.search(r"… (\d+) s$", text) for text in (state, words.empty(inbox)))
        counted = {found[1] for found in seconds if found}
        assert len(counted) <= 1, f"two times: {counted}"


def rows_of(listing: Rows[Conversation]) -> list[Conversation]:
    return [listing[at] for at in range(len(listing))]


def _is_dimmed(terminal: Terminal, row: Any) -> bool:
    return row.id in terminal.window.dimmed or terminal.inbox.view.has_left(row)


class Sessions(RuleBasedStateMachine):
    """A person at the terminal, colleagues, and a server with faults."""

    @initialize(
        size=st.sampled_from([0, 3, 30, 90, 400]),
        basic=st.booleans(),
        seconds=st.sampled_from([0.0, 0.3, 2.0]),
        settle=st.sampled_from([0.0, 5.0]),
        down=st.booleans(),
        late=st.booleans(),
    )
    def begin(
        self, *, size: int, basic: bool, seconds: float, settle: float, down: bool, late: bool
    ) -> None:
        lacks = EXTENSIONS if basic else frozenset[str]()
        error = DOWN if down else None
        counts_by = not basic
        self.server = Server(size, seconds, error, lacks, counts_by)
        self.terminal = Terminal(self.server, settle=0.0, late=late)
        self.terminal.checks = Truths(self.terminal)
        self.terminal.wait(settle)
        self.numbers = 1000

    @rule(
        keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=4),
        seconds=st.sampled_from([0.0, 0.05, 0.5, 4.0]),
    )
    def press(self, keys: list[str], seconds: float) -> None:
        self.terminal.press(*keys, seconds=0.0)
        self._pass(seconds)

    @rule(text=st.sampled_from(QUERIES), seconds=st.sampled_from([0.0, 0.1, 3.0]))
    def query(self, text: str, seconds: float) -> None:
        self.terminal.query(text, 0.0)
        self._pass(seconds)

    @rule(key=st.sampled_from("HL"))
    def history(self, key: str) -> None:
        self.terminal.press(key)

    @rule(seconds=st.sampled_from([0.01, 1.0, 3.1, 12.0, 70.0]))
    def wait(self, seconds: float) -> None:
        self._pass(seconds)

    def _pass(self, seconds: float) -> None:
        """Time alone selects no other row, but for a key that waits, or a reader at the top."""
        terminal, inbox = self.terminal, self.terminal.inbox
        view, before, waits = inbox.view, inbox.selection.id, Kind.FIND in inbox.tasks
        goes_on = terminal.window.bound_for
        at_top = view.follows_top and terminal.window.cursor == 0
        moves = waits or goes_on or at_top or view.bound_for_last
        terminal.wait(seconds)
        went = before is None or inbox.view is not view or view.kept.leaving_out
        gone = before not in {row.id for row in terminal.listed}
        assert moves or went or gone or inbox.selection.id == before, "a row took the selection"

    @rule(
        hidden=st.sampled_from([1.0, 5.0, 90.0, 4000.0]),
        ahead=st.sampled_from([-600.0, 0.0, 3600.0]),
    )
    def follow_up(self, hidden: float, ahead: float) -> None:
        """A conversation is hidden, and the clock of this computer may be set meanwhile."""
        self.terminal.last_key = "z"
        self.terminal.hide(hidden)
        self.terminal.clock.ahead += ahead
        self._pass(6.0)

    @rule(rows=st.integers(-3, 3))
    def wheel(self, rows: int) -> None:
        self.terminal.wheel(rows)

    @rule(seconds=st.sampled_from([0.0, 4.0]))
    def dialog(self, seconds: float) -> None:
        self.terminal.press("dialog", seconds=seconds)
        self.terminal.press("close", seconds=0.0)

    @rule(at=st.integers(0, 200), members=st.sampled_from(CHANGES))
    def change(self, at: int, members: dict[str, Any]) -> None:
        if self.server.rows:
            ids = list(self.server.rows)
            self.server.change(ids[at % len(ids)], **members)

    @rule(status=st.sampled_from(["open", "resolved"]))
    def change_selected(self, status: str) -> None:
        id = self.terminal.inbox.selection.id
        if id in self.server.rows:
            self.server.change(id or "", status=status)

    @rule()
    def arrive(self) -> None:
        """A new customer writes."""
        self.numbers += 1
        id, row = str(self.numbers), conversation(self.numbers % 12)
        contact = {"id": f"c{id}", "name": f"Customer {id}", "phone": f"+1650555{id}"}
        self.server.rows[id] = row.model_copy(update={"id": id})
        self.server.change(id, contact=contact, channel={"id": CHANNELS[0], "name": CHANNELS[0]})

    @rule(
        error=st.sampled_from([None, None, None, DOWN, PAUSE, GARBLED]),
        seconds=st.sampled_from([0.0, 0.0, 0.3, 4.0]),
        repeats=st.sampled_from([False, False, False, True]),
        unreadable=st.sampled_from([0, 0, 2]),
    )
    def fault(
        self, *, error: InboxError | None, seconds: float, repeats: bool, unreadable: int
    ) -> None:
        self.server.error, self.server.seconds = error, seconds
        self.server.repeats, self.server.unreadable = repeats, unreadable

    @rule(lacks=st.sampled_from([EXTENSIONS, frozenset({"sort"})]))
    def lose_filters(self, lacks: frozenset[str]) -> None:
        self.server.lacks |= lacks

    @rule(
        at=st.integers(0, 200),
        in_view=st.booleans(),
        status=st.sampled_from(["resolved", "snoozed"]),
        seconds=st.sampled_from([12.0, 75.0]),
    )
    def leave(self, *, at: int, in_view: bool, status: str, seconds: float) -> None:
        """A row leaves its list, and the list is requested again, perhaps to its last row."""
        window = self.terminal.window
        places = window.in_view() if in_view else range(len(window.rows))
        ids = [window.rows[place].id for place in places]
        if ids and ids[at % len(ids)] in self.server.rows:
            self.server.change(ids[at % len(ids)], status=status)
        self.terminal.wait(seconds)

    @rule(text=st.sampled_from(QUERIES), before=st.sampled_from([0.1, 0.5, 2.0]))
    def interrupt(self, text: str, before: float) -> None:
        """The server is away for a while, in the middle of whatever a query needs."""
        seconds, self.server.seconds, self.server.error = self.server.seconds, 0.2, None
        self.terminal.query(text, before)
        self.server.error = DOWN
        self.terminal.wait(2.0)
        self.server.error = None
        self.terminal.wait(65.0)
        view = self.terminal.inbox.view
        if view.scan is not None and not view.scan.ended:
            assert view.scan.looked_at == len(view.list), "loaded rows were not looked at"
        self.server.seconds = seconds

    @rule(text=st.sampled_from(QUERIES), key=st.sampled_from("jJ"))
    def go_down(self, text: str, key: str) -> None:
        """The reader goes down a view whose rows are still coming."""
        seconds, self.server.seconds = self.server.seconds, 0.2
        self.terminal.query(text, 0.1)
        self.terminal.press(key, seconds=0.0)
        self._pass(3.0)
        self.server.seconds = seconds

    @rule(error=st.sampled_from([DOWN, PAUSE]))
    def refresh_while_down(self, error: InboxError) -> None:
        """A refresh by hand is sent at once, and makes no wait longer."""
        self.server.error, self.server.seconds = error, 0.0
        self.terminal.wait(12.0)
        for _ in range(2):
            before = self.terminal.inbox.connection
            counts_down, until = before.counts_down, before.link.not_before
            self.terminal.press("ctrl+r", seconds=0.0)
            self.terminal.wait(0.0)
            after = self.terminal.inbox.connection
            if counts_down and after.failing:
                assert after.link.not_before <= until, "the wait became longer"
            self.terminal.wait(1.5)

    @rule(odds=st.integers(0, 30))
    def refuse(self, odds: int) -> None:
        """The key is refused; after that nothing is requested."""
        if odds == 0:
            self.server.error = REFUSED
            self.terminal.wait(20.0)
            asked, refused = len(self.server.asked), self.terminal.inbox.connection.refused
            self.terminal.press("ctrl+r", "j", seconds=70.0)
            assert not refused or len(self.server.asked) == asked, "a refused key was tried again"

    def teardown(self) -> None:
        """Once the server is well, refreshes lead to the whole truth."""
        if not hasattr(self, "terminal") or self.terminal.inbox.connection.refused:
            return
        terminal, server = self.terminal, self.server
        server.error, server.seconds, server.repeats, server.unreadable = None, 0.0, False, 0
        terminal.wait(5.0)
        terminal.press("ctrl+r", seconds=3.0)
        terminal.press("G", "G", seconds=3.0)
        # A server without a count does not tell that a row further down has left.
        terminal.wait(THOROUGH_SECONDS)
        inbox, before = terminal.inbox, self._matching()
        terminal.press("ctrl+r", seconds=3.0)
        view = inbox.view
        assert terminal.status.startswith("live"), terminal.status
        said = words.loaded(inbox, in_list=True)
        assert not re.search("~|…|keep looking", said), said
        # Waits and windows pass a limit with the time alone.
        now, marked = self._matching(), {row.id for row in terminal.cache.marks.marked_unread()}
        there, may_be_there = (now & before) - marked, (now | before) - marked
        shown = {row.id for row in terminal.listed} - marked
        if not view.shown.limits and view.complete and not inbox.matches_nothing:
            dimmed = {row.id for row in terminal.listed if _is_dimmed(terminal, row)}
            assert there <= shown, f"{there - shown} are missing"
            assert shown - dimmed <= may_be_there, f"{shown - dimmed - may_be_there} do not match"

    def _matching(self) -> set[str]:
        """Ids of the server's rows that match the shown query now."""
        inbox = self.terminal.inbox
        matches = inbox.planning.matcher(inbox.view.query.terms)
        return {row.id for row in self.server.rows.values() if matches(row)}


def run(examples: int, number: int, steps: int = 40) -> None:
    """Run random sessions of at most so many steps."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(Sessions), settings=chosen)


@pytest.mark.parametrize("number", range(48))
def test_the_truths_hold_after_every_event(number: int) -> None:
    run(1, number)


if __name__ == "__main__":
    run(int(sys.argv[1]) // 40, int(sys.argv[2]))
