"""The next unread conversation and the longest wait, wherever they are and however late."""

import re
from collections.abc import Callable

import pytest

from frontdesk.inbox import words
from frontdesk.inbox.sentences import LONGEST_WAIT_AGAIN, NOT_KNOWN
from tests.inbox.memory import DOWN, PAGE, Server, Terminal, basic, name, waiting_on


def first_unread(server: Server) -> str:
    return next(row.contact.name or "" for row in server.rows.values() if row.unread_count)


def only_unread(server: Server, *ids: str) -> Server:
    """The server, after a change of all rows that leaves these unread."""
    for id in server.rows:
        server.change(id, unread_count=int(id in ids))
    return server


def test_capital_w_goes_to_the_longest_wait_and_from_there_to_the_next() -> None:
    terminal = Terminal(server := Server(12))
    waiting = waiting_on(server)
    for longest in waiting:
        terminal.press("W")
        assert terminal.selected == longest
        assert LONGEST_WAIT_AGAIN not in terminal.said
    terminal.press("W")
    assert terminal.selected == waiting[0]
    assert LONGEST_WAIT_AGAIN in terminal.said
    # From another row.
    terminal.press("W", "g", "W")
    assert terminal.selected == waiting[0]
    # From the one who waits longest, however it was selected.
    terminal.press("k", "j", "W")
    assert terminal.selected == waiting[1]


@pytest.mark.parametrize("seconds", [0.0, 2.0])
@pytest.mark.parametrize("at_once", [False, True])
def test_each_press_of_capital_w_is_a_step_however_slow_the_server(
    seconds: float, at_once: bool
) -> None:
    terminal = Terminal(server := Server(1_200, seconds=seconds))
    terminal.wait(0.0 if at_once else 30.0)
    terminal.press(*"WWW", seconds=30.0)
    assert terminal.selected == waiting_on(server)[2]
    terminal.press(*"WW", seconds=30.0)
    assert terminal.selected == waiting_on(server)[4]


def test_each_press_of_u_is_a_step_however_slow_the_server() -> None:
    terminal = Terminal(only_unread(Server(900, seconds=1.0), "703", "721", "727"))
    terminal.wait(30.0)
    # They are on pages that were not loaded.
    assert name(721) not in terminal.names
    terminal.press("u", "u", seconds=60.0)
    assert terminal.selected == name(721)


@pytest.mark.parametrize("place", [2 * PAGE, 3 * PAGE - 1, 3 * PAGE])
def test_u_finds_an_unread_row_wherever_it_is_on_its_page(place: int) -> None:
    server = Server(600)
    newest_first = [id for id in reversed(server.rows) if server.rows[id].status == "open"]
    unread = newest_first[place]
    terminal = Terminal(only_unread(server, unread))
    terminal.wait(1.0)
    assert name(int(unread)) not in terminal.names
    terminal.press("u", seconds=5.0)
    assert terminal.selected == name(int(unread))


@pytest.mark.parametrize("size", [30, 600])
def test_the_walk_of_unread_goes_on_where_it_was_after_steps_to_who_waits(size: int) -> None:
    server = Server(size)
    for id in server.rows:
        server.change(id, unread_count=int(int(id) % 5 == 1))
    terminal = Terminal(server)
    terminal.wait(3.0)
    rows = [row for row in reversed(server.rows.values()) if row.status == "open"]
    expected = [row.contact.name for row in rows if row.unread_count]
    terminal.press("g")
    before, met = terminal.selected, []
    for key in "uuWuWWu":
        terminal.press(key, seconds=4.0)
        met += [terminal.selected] if key == "u" else []
    assert met == [row for row in expected if row != before][:4]


def test_the_longest_wait_of_many_is_found_at_once_on_a_cold_cache() -> None:
    terminal = Terminal(server := Server(2_000))
    waiting = waiting_on(server)
    server.pages = 0
    terminal.press("W", seconds=2.0)
    assert terminal.selected == waiting[0]
    assert server.pages <= 3
    for longest in waiting[1:4]:
        terminal.press("W", seconds=0.5)
        assert terminal.selected == longest


def test_a_selected_row_beyond_rows_that_are_not_loaded_stays_in_view_as_rows_come() -> None:
    terminal = Terminal(server := Server(1_200))
    longest = waiting_on(server)[0]
    terminal.press("W", seconds=2.0)
    assert terminal.selected == longest
    assert terminal.window.after_gap == {terminal.inbox.selection.id}
    # Rows that come before it do not make it ask for the next ones, and so on.
    loaded = re.search(r"[0-9,]+ of 800 loaded", terminal.status)
    assert loaded
    terminal.wait(60.0)
    assert loaded[0] in terminal.status
    for _ in range(2):
        terminal.press("G", seconds=30.0)
        assert terminal.loaded == 800
        assert terminal.selected == longest
        assert longest in terminal.in_view
    assert not terminal.window.after_gap


@pytest.mark.parametrize("keys", [(), ("9",)])
@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_a_selected_row_beyond_rows_that_are_not_loaded_survives_each_refresh(
    keys: tuple[str, ...], seconds: float
) -> None:
    terminal = Terminal(server := Server(1_200, seconds=seconds))
    terminal.press(*keys, seconds=30.0)
    longest = waiting_on(server)[0]
    terminal.press("W", seconds=10.0)
    assert terminal.selected == longest
    for _ in range(3):
        terminal.press("ctrl+r", seconds=15.0)
        assert terminal.selected == longest
        assert longest in terminal.in_view
        assert terminal.inbox.selected is not None
        assert terminal.inbox.selected.contact.name == longest


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_search_ends_with_the_view_that_it_was_begun_in(key: str) -> None:
    terminal = Terminal(server := only_unread(Server(900), "601", "604"), late=True)
    terminal.wait(2.0)
    server.seconds = 2.0
    terminal.press(key, seconds=1.0)
    assert "searching" in terminal.status
    terminal.query("is:snoozed", seconds=5.0)
    before = terminal.selected
    assert before is not None
    terminal.wait(30.0)
    assert terminal.selected == before
    assert "searching" not in terminal.status


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_search_of_a_slow_server_is_shown_after_half_a_second_and_can_be_stopped(
    key: str,
) -> None:
    terminal = Terminal(server := only_unread(Server(900), "100"))
    server.seconds = 0.3
    terminal.press(key, seconds=0.4)
    assert "searching" not in terminal.status
    terminal.press("g", "j", seconds=2.0)
    before, server.seconds = terminal.selected, 5.0
    terminal.press(key, seconds=0.4)
    assert "searching" not in terminal.status
    terminal.wait(0.4)
    assert "searching… back: stop" in terminal.status
    terminal.press("escape", seconds=0.1)
    assert "searching" not in terminal.status
    terminal.wait(20.0)
    assert terminal.selected == before


def test_a_search_in_a_view_that_is_not_complete_leaves_it_said_to_be_partial() -> None:
    terminal = Terminal(server := Server(300))
    server.seconds = 5.0
    terminal.query("is:open -needs:human", seconds=0.5)
    terminal.press("W", seconds=1.0)
    assert re.search(r"~[0-9,]+ found · searching… back: stop", terminal.status)


def _longest(server: Server) -> str:
    return waiting_on(server)[0]


def _first(server: Server) -> str:
    return name(0)


@pytest.mark.parametrize(
    ("keys", "found", "kind"),
    [
        ("W", _longest, Server),
        ("W", _longest, basic),
        ("u", first_unread, Server),
        ("u W", _longest, Server),
        ("W escape", _first, Server),
        ("W 6", _first, Server),
        ("6 W H", _first, Server),
    ],
)
def test_a_key_before_the_first_page_goes_where_it_leads_once_that_is_there(
    keys: str, found: Callable[[Server], str], kind: Callable[..., Server]
) -> None:
    terminal = Terminal(server := kind(20, seconds=1.0), settle=0.2)
    assert not terminal.names
    for key in keys.split():
        terminal.press(key, seconds=0.2)
        assert not terminal.said
    assert not terminal.names
    terminal.wait(20.0)
    assert terminal.selected == found(server)
    assert not re.search("No customer|No unread|Not known", " ".join(terminal.said))


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_view_that_failed_to_load_is_reported_as_not_known(key: str) -> None:
    terminal = Terminal(server := Server(15, error=DOWN))
    terminal.press(key, seconds=0.2)
    assert NOT_KNOWN in terminal.said
    terminal.wait(11.0)
    server.error = None
    terminal.press("ctrl+r", key, seconds=5.0)
    assert terminal.selected == (_longest(server) if key == "W" else first_unread(server))


@pytest.mark.parametrize("key", ["W", "u", "U"])
def test_a_view_of_an_unknown_label_is_known_to_be_empty(key: str) -> None:
    terminal = Terminal(Server(15))
    terminal.wait(2.0)
    terminal.query("#nosuch", seconds=4.0)
    terminal.press(key)
    assert NOT_KNOWN not in terminal.said
    assert terminal.said
    assert words.title(terminal.inbox) == "Your filter"
