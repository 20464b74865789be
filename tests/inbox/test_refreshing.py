"""Requests for the list: by hand at once, and by itself as often as the server allows."""

import re

import pytest

from frontdesk.errors import Unreachable
from frontdesk.inbox.limits import THOROUGH_SECONDS
from frontdesk.inbox.state import EVERY
from tests.inbox.asked import Description, FetchCounts, FetchHead, FetchThread
from tests.inbox.memory import Server, Terminal, name


def seconds_left(terminal: Terminal) -> int:
    found = re.search(r"retrying in (\d+) s", terminal.status)
    assert found, terminal.status
    return int(found[1])


@pytest.mark.parametrize("pause", [None, 40.0], ids=["down", "busy"])
def test_refreshing_again_and_again_leaves_the_countdown_where_it_was(pause: float | None) -> None:
    terminal = Terminal(server := Server(30))
    server.error = Unreachable("Bad Gateway", retry_after=pause)
    terminal.press("ctrl+r", seconds=0.0)
    left = seconds_left(terminal)
    assert left == (5 if pause is None else 40)
    for _ in range(3):
        terminal.wait(1.0)
        asked = len(server.asked)
        for _ in range(3):
            terminal.press("ctrl+r", seconds=0.0)
        assert len(server.asked) >= asked + 3
        left -= 1
        assert seconds_left(terminal) == left


AWAY = Unreachable("Bad Gateway")


def test_a_thread_that_comes_does_not_move_the_next_attempt_for_the_list() -> None:
    terminal = Terminal(server := Server(30))
    server.fails = lambda request: AWAY if isinstance(request, FetchHead) else None
    terminal.press("ctrl+r", seconds=0.0)
    assert seconds_left(terminal) == 5
    server.asked.clear()
    for _ in range(3):
        terminal.press("j", "enter", seconds=0.1)
    assert not any(isinstance(request, FetchHead) for request in server.asked)
    server.fails = lambda request: None
    terminal.wait(6.0)
    assert "live" in terminal.status


def test_refreshing_while_a_refresh_is_under_way_does_not_begin_again() -> None:
    terminal = Terminal(server := Server(30))
    server.error = Unreachable("Bad Gateway")
    terminal.press("ctrl+r", seconds=0.0)
    server.error, server.seconds = None, 0.2
    server.asked.clear()
    terminal.press("ctrl+r", seconds=0.1)
    assert "retrying now…" in terminal.status
    terminal.press("ctrl+r", "ctrl+r", seconds=2.0)
    assert "live" in terminal.status
    assert server.asked.count(FetchCounts(EVERY)) == 1


def test_the_list_is_asked_for_every_half_minute_where_the_server_says_no_news() -> None:
    terminal = Terminal(server := Server(30))
    terminal.press("ctrl+r", seconds=15.0)
    server.asked.clear()
    terminal.wait(90.0)
    assert sum(isinstance(request, FetchHead) for request in server.asked) == 3


def all_loaded() -> tuple[Terminal, Server]:
    """A terminal at the top of a list of which ten pages are loaded, after a thorough refresh."""
    terminal = Terminal(server := Server(300))
    terminal.wait(3.0)
    terminal.press("G", seconds=5.0)
    terminal.press("g", seconds=2.0)
    assert terminal.inbox.view.complete
    terminal.press("g", seconds=THOROUGH_SECONDS + 30.0)
    server.asked.clear()
    return terminal, server


def thorough_or_not(server: Server) -> list[bool]:
    asked = [request for request in server.asked if isinstance(request, FetchHead)]
    return [request.thorough for request in asked]


def test_what_is_new_is_shown_before_a_refresh_has_gone_over_a_long_list() -> None:
    def takes(request: Description) -> float | None:
        return 60.0 if isinstance(request, FetchHead) and request.thorough else None

    terminal, server = all_loaded()
    server.takes = takes
    assert server.rows["201"].status == "open"
    server.rows["201"] = server.rows["201"].model_copy(update={"status": "resolved"})
    server.change("3")
    terminal.press("g", seconds=31.0)
    assert terminal.names[0] == name(3)
    assert terminal.inbox.view.list.position("201") is not None
    terminal.wait(60.0)
    assert thorough_or_not(server)[:2] == [False, True]
    assert terminal.inbox.view.list.position("201") is None


def test_rows_that_only_came_need_no_refresh_of_those_further_down() -> None:
    terminal, server = all_loaded()
    assert server.rows["2"].status == "resolved"
    server.change("2", status="open")
    terminal.press("g", seconds=31.0)
    assert terminal.names[0] == name(2)
    assert thorough_or_not(server) == [False]


def test_a_refresh_by_hand_requests_the_open_thread_and_the_list() -> None:
    terminal = Terminal(server := Server(30))
    terminal.press("j", "enter", seconds=1.0)
    server.asked.clear()
    terminal.press("ctrl+r", seconds=0.0)
    assert {FetchHead, FetchThread} <= {type(request) for request in server.asked}
    (thread,) = (request for request in server.asked if isinstance(request, FetchThread))
    assert thread.conversation.id == "1"
