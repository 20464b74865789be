"""Rows in their order: what is loaded of them, what comes, moves or leaves."""

import re

import pytest

from frontdesk.inbox.counting import count_of
from frontdesk.query.terms import SORT
from frontdesk.wire import Conversation
from frontdesk.wire.values import timestamp
from tests.inbox.asked import FetchOlder
from tests.inbox.memory import (
    DOWN,
    START,
    VIEWS,
    Server,
    Terminal,
    basic,
    id_of,
    name,
    waiting_on,
)

BY_WAIT = "is:open sort:waiting"


def is_dimmed(terminal: Terminal, row: Conversation) -> bool:
    return row.id in terminal.window.dimmed or terminal.inbox.view.has_left(row)


def waiting_shown(terminal: Terminal) -> list[str]:
    """The customers of the list who wait."""
    return [row.contact.name or "" for row in terminal.listed if row.waiting_since]


def test_longest_waiting_first_says_how_far_it_is_until_it_is_complete() -> None:
    terminal = Terminal(server := basic(200, seconds=1.0), settle=0.9)
    longest = waiting_on(server)[0]
    terminal.query("is:open unread", seconds=0.2)
    assert "nothing loaded" in terminal.status
    terminal.query("is:open", seconds=5.0)
    # Its order is refused after a second.
    terminal.query(BY_WAIT, seconds=0.9)
    assert re.search(r"sorting \d+", terminal.status)
    terminal.wait(2.0)
    while not terminal.inbox.view.complete:
        assert re.search(r"~sorted \d+ of \d+, last: load more", terminal.status)
        assert [term.kind for term in terminal.inbox.partial_terms] == [SORT]
        terminal.press("G", seconds=3.0)
    assert "sorted" not in terminal.status
    assert not terminal.inbox.partial_terms
    terminal.press("g")
    assert terminal.selected == longest == terminal.names[0]
    assert waiting_shown(terminal) == waiting_on(server)


def test_what_is_new_above_is_said_until_it_is_in_view() -> None:
    terminal = Terminal(server := Server(60))
    terminal.wait(3.0)
    terminal.press("G", seconds=30.0)
    server.change("0")
    terminal.press("ctrl+r", seconds=5.0)
    assert "1 new ▲ first" in terminal.status
    terminal.press("g", seconds=0.2)
    assert "new ▲" not in terminal.status
    terminal.press("G", seconds=0.2)
    assert "new ▲" not in terminal.status


@pytest.mark.parametrize("keys", ["g", "G", "Gkj"])
def test_no_row_that_comes_or_moves_takes_the_selection(keys: str) -> None:
    terminal = Terminal(server := Server(60))
    terminal.press("j", seconds=3.0)
    terminal.press(*keys, seconds=30.0)
    here = terminal.selected
    other = next(row for row in terminal.in_view[3:] if row != here)
    for changed in (other, here):
        server.change(id_of(changed))
        terminal.press("ctrl+r", seconds=5.0)
        assert terminal.names[0] == changed
        assert terminal.selected == here
        assert terminal.inbox.selection.id == id_of(here)
        assert terminal.shows_end


def test_another_order_of_loaded_rows_keeps_its_selection_when_the_server_is_back() -> None:
    terminal = Terminal(server := Server(60))
    terminal.query("is:open sort:oldest")
    terminal.query("is:open", seconds=5.0)
    server.error = DOWN
    terminal.query("is:open sort:oldest", seconds=5.0)
    terminal.query("is:open", seconds=5.0)
    before = terminal.selected
    assert terminal.in_view[0] == before
    server.change(id_of(terminal.in_view[3]))
    server.error = None
    terminal.press("ctrl+r", seconds=60.0)
    assert terminal.in_view[0] != before
    assert terminal.selected == before


def test_a_row_further_down_that_left_the_view_meanwhile_is_dimmed() -> None:
    terminal = Terminal(server := Server(90))
    terminal.press("5", seconds=2.0)
    terminal.press("G", seconds=2.0)
    given_away = terminal.selected
    server.change(id_of(given_away), assignee=None)
    terminal.press("9", "ctrl+r", "g", seconds=2.0)
    assert terminal.names[0] == given_away
    terminal.press("5", "G", seconds=2.0)
    assert "live" in terminal.status
    dimmed = [row.contact.name for row in terminal.listed if is_dimmed(terminal, row)]
    assert dimmed == [given_away]


def test_a_row_that_left_meanwhile_is_not_counted_under_an_order_that_is_made_here() -> None:
    terminal = Terminal(server := Server(90))
    terminal.query("is:open @me sort:oldest", seconds=5.0)
    terminal.press("g", "j", seconds=2.0)
    given_away = terminal.selected
    server.change(id_of(given_away), assignee=None)
    terminal.press("9", "ctrl+r", "g", seconds=2.0)
    assert terminal.names[0] == given_away
    terminal.press("H", seconds=0.2)
    shown = {row.contact.name for row in terminal.listed if not is_dimmed(terminal, row)}
    mine = {
        row.contact.name for row in server.rows.values() if row.status == "open" and row.assignee
    }
    assert shown == mine


def test_the_server_s_order_is_right_with_the_first_page() -> None:
    terminal = Terminal(server := Server(300))
    terminal.wait(3.0)
    server.pages = 0
    terminal.press("j", "j", seconds=0.0)
    terminal.query(BY_WAIT, seconds=2.0)
    assert server.pages <= 4
    assert terminal.in_view[:15] == waiting_on(server)[:15]
    assert terminal.selected == waiting_on(server)[0]
    assert not terminal.inbox.partial_terms
    assert "~" not in terminal.status
    terminal.press("G", seconds=30.0)
    assert waiting_shown(terminal) == waiting_on(server)
    assert terminal.loaded == 200


def test_who_is_answered_goes_down_and_who_begins_to_wait_comes_in_order() -> None:
    terminal = Terminal(server := Server(60))
    terminal.query(BY_WAIT, seconds=2.0)
    _, second, third = waiting_on(server)[:3]
    server.change(id_of(second), waiting_since=None)
    server.change("3", waiting_since=server.rows[id_of(third)].waiting_since)
    terminal.wait(60.0)
    assert waiting_shown(terminal) == waiting_on(server)
    assert name(3) in terminal.in_view[:3]
    assert second not in terminal.in_view[:3]


@pytest.mark.parametrize("query", ["is:open waiting:>1h sort:waiting", "is:open waiting:>1h"])
def test_who_waits_over_an_hour_is_complete_at_once(query: str) -> None:
    server = Server(100)
    for number in range(100, 1_000):
        server.rows[str(number)] = server.rows["3"].model_copy(update={"id": str(number)})
    # Nobody's wait becomes an hour meanwhile.
    server.rows["59"] = server.rows["59"].model_copy(update={"waiting_since": None})
    terminal = Terminal(server)
    server.pages = 0
    terminal.query(query, seconds=3.0)
    assert server.pages <= 5
    an_hour_ago = timestamp(round((START.timestamp() - 3_600 + terminal.now) * 1000))
    since = {row.contact.name: row.waiting_since for row in server.rows.values()}
    waiting = [one for one in waiting_on(server) if (since[one] or "") < an_hour_ago]
    assert waiting
    assert set(terminal.in_view[:15]) <= set(waiting)
    assert terminal.loaded == len(waiting)
    assert not terminal.inbox.partial_terms
    assert count_of(terminal.inbox, VIEWS[3].query) == len(waiting)


def test_a_page_that_takes_long_is_said_to_be_loading() -> None:
    terminal = Terminal(server := Server(900))
    server.seconds = 5.0
    terminal.press(*"j" * 22, seconds=0.4)
    assert re.search(r"[0-9]+ of 600 loaded", terminal.status)
    terminal.wait(0.3)
    assert re.search(r"[0-9]+ of 600, loading…", terminal.status)
    server.seconds = 0.0
    terminal.wait(20.0)
    assert re.search(r"[0-9]+ of 600 loaded", terminal.status)


@pytest.mark.parametrize("switches_back", [False, True])
@pytest.mark.parametrize("late", [False, True])
def test_what_comes_late_for_another_view_is_not_said_of_this_one(
    late: bool, switches_back: bool
) -> None:
    terminal = Terminal(server := Server(900), late=late)
    terminal.query("is:resolved", seconds=3.0)
    terminal.query("is:open", seconds=3.0)
    server.seconds, server.unreadable_below = 3.0, 3
    terminal.press("G", seconds=1.0)
    assert "loading…" in terminal.status
    terminal.query("is:resolved", seconds=0.2)
    assert "40 loaded, more below" in terminal.status
    terminal.wait(20.0)
    assert "unreadable" not in terminal.status
    if switches_back:
        terminal.press("H", "G", seconds=20.0)
        assert " unreadable · " in terminal.status


def test_rows_of_a_slow_server_leave_the_selected_one_in_view() -> None:
    terminal = Terminal(server := Server(300))
    server.seconds = 5.0
    terminal.query(BY_WAIT, seconds=1.0)
    terminal.press(*"jjj", seconds=1.0)
    selected = terminal.selected
    terminal.wait(20.0)
    assert terminal.names[:15] == waiting_on(server)[:15]
    assert terminal.selected == selected
    assert selected in terminal.in_view


def test_a_page_of_another_view_keeps_none_of_this_one_from_being_loaded() -> None:
    terminal = Terminal(server := Server(900))
    server.takes = lambda request: 60.0 if isinstance(request, FetchOlder) else None
    terminal.press("G", seconds=1.0)
    assert "loading…" in terminal.status
    server.takes = lambda request: None
    terminal.query("is:resolved", seconds=1.0)
    terminal.press("G", seconds=2.0)
    assert terminal.loaded == 150
