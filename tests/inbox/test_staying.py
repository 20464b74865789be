"""Rows of the list stay where they are until a refresh, whatever the server says."""

import random
from datetime import timedelta

from frontdesk.wire import Conversation
from frontdesk.wire.queries import EXTENSIONS
from tests.inbox.memory import Server, Terminal, name

KEYS = ("j", "k", "g", "G", "u", "W", "J", "enter", "escape", "m", "M", "ctrl+r", "5", "8", "9")


def open_unread(server: Server) -> list[str]:
    return [
        row.contact.name or ""
        for row in server.rows.values()
        if row.unread_count and row.status == "open"
    ]


def test_rows_in_view_stay_in_the_list_until_a_key_is_pressed() -> None:
    chance, compared = random.Random(1), 0
    terminal = Terminal(server := Server(90))
    for _ in range(60):
        terminal.press(*chance.choices(KEYS, k=3), seconds=30.0)
        view, window = terminal.inbox.view, terminal.window
        before = [window.rows[at].id for at in window.in_view()]
        for id in chance.sample([*server.rows], 4):
            server.change(id, status=chance.choice(["open", "resolved", "snoozed"]))
        terminal.wait(45.0)
        assert terminal.inbox.view is view
        # What was never answered is shown as it was when it was last read.
        if "live" in terminal.status:
            compared += len(before)
            left = [id for id in before if id not in terminal.ids]
            assert not left, f"{left} went from {view.query}"
    assert compared > 200


def test_every_unread_customer_is_met_on_the_way_down_the_unread() -> None:
    terminal = Terminal(server := Server(30))
    unread = open_unread(server)
    met = []
    terminal.query("is:open unread", seconds=15.0)
    for key in ("g", *["j"] * (len(unread) - 1)):
        terminal.press(key, seconds=15.0)
        met.append(terminal.selected)
    assert met == unread
    assert terminal.names == unread


def test_a_row_that_stops_matching_is_dimmed_where_it_was_until_a_refresh() -> None:
    terminal = Terminal(server := Server(12))
    before = terminal.names
    terminal.press("j", seconds=32.0)
    selected = terminal.inbox.selection.id
    assert selected is not None
    assert terminal.selected == before[1]
    server.change(selected, status="resolved")
    terminal.wait(32.0)
    assert terminal.names == before
    assert terminal.inbox.selection.id == selected
    assert terminal.window.dimmed == {selected}
    terminal.press("ctrl+r", seconds=2.0)
    assert terminal.names == [one for one in before if one != before[1]]
    assert not terminal.window.dimmed


def test_rows_that_a_refresh_let_go_do_not_come_back_with_the_next_one() -> None:
    server = Server(400, lacks=EXTENSIONS, seconds=0.3)
    terminal = Terminal(server)
    terminal.press("G", seconds=10.0)
    terminal.query("is:open unread", 3.0)
    terminal.press("G", seconds=3.0)
    assert terminal.listed
    # They leave while the refresh is running.
    terminal.press("ctrl+r", "M", seconds=4.0)
    assert not terminal.listed
    terminal.wait(70.0)
    assert not terminal.listed


def test_a_row_that_matches_again_is_not_dimmed_and_there_once() -> None:
    terminal = Terminal(server := Server(12))
    terminal.wait(32.0)
    before = terminal.names
    server.change("3", status="snoozed")
    terminal.wait(75.0)
    assert terminal.window.dimmed == {"3"}
    assert name(3) in terminal.names
    server.change("3", status="open")
    terminal.wait(75.0)
    assert not terminal.window.dimmed
    assert sorted(terminal.names) == sorted(before)


def test_a_row_that_time_takes_out_of_a_view_is_dimmed_and_one_that_waits_on_is_not() -> None:
    server = Server(12)
    waited = {row.contact.name: server.now - row.waiting_since_time for row in open_waiting(server)}
    for query, leaves in (("is:open waiting:<10m", True), ("is:open waiting:>5m", False)):
        terminal = Terminal(Server(12))
        terminal.query(query, seconds=2.0)
        before = terminal.names
        # No news and no refresh: the test of a row tells, and of the page that is asked for next.
        terminal.wait(300.0)
        assert set(before) <= set(terminal.names)
        late = {one for one in before if waited[one] > timedelta(minutes=5)}
        assert late
        dimmed = {row.contact.name for row in terminal.listed if row.id in terminal.window.dimmed}
        assert dimmed == (late if leaves else set())
        terminal.press("ctrl+r", seconds=2.0)
        assert (set(terminal.names) & late == set()) is leaves


def open_waiting(server: Server) -> list[Conversation]:
    return [row for row in server.rows.values() if row.status == "open" and row.waiting_since]
