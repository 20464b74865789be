"""Requests for the list: by hand at once, and by itself as often as the server allows."""

import re

import pytest

from frontdesk.errors import Unreachable
from frontdesk.inbox.requests import FetchCounts, FetchHead
from frontdesk.inbox.state import EVERY
from tests.inbox.memory import Server, Terminal


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


def test_a_thread_that_comes_ends_the_wait_for_the_list_once_for_each_countdown() -> None:
    terminal = Terminal(server := Server(30))
    fails_list = Unreachable("Bad Gateway")
    server.error = fails_list
    terminal.press("ctrl+r", seconds=0.0)
    assert seconds_left(terminal) == 5
    server.error = None
    server.fails = lambda request: fails_list if isinstance(request, FetchHead) else None
    server.asked.clear()
    for _ in range(3):
        terminal.press("j", "enter", seconds=0.1)
    assert sum(isinstance(request, FetchHead) for request in server.asked) == 1
    server.fails = lambda request: None
    terminal.wait(12.0)
    assert "live" in terminal.status
    server.error = fails_list
    terminal.press("ctrl+r", seconds=0.0)
    server.error = None
    terminal.press("j", "enter", seconds=0.1)
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


@pytest.mark.parametrize(("unchanged", "wait"), [("absent", 20), ("available", 10)])
def test_the_viewer_asks_a_server_half_as_often_that_sends_everything_each_time(
    unchanged: str, wait: int
) -> None:
    terminal = Terminal(server := Server(30))
    terminal.cache.states["unchanged"] = unchanged
    terminal.press("ctrl+r", seconds=wait / 2)
    server.asked.clear()
    terminal.wait(3.0 * wait)
    assert sum(isinstance(request, FetchHead) for request in server.asked) == 3
