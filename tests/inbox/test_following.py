"""News: what changes is shown as soon as the server says so, else at an interval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.errors import Forbidden, Unreachable
from frontdesk.inbox import following
from frontdesk.wire import ConversationFilter
from tests.inbox.asked import Description, FetchCounts, FetchHead, FetchNews, FetchThread
from tests.inbox.memory import Server, Terminal, name


def asked(server: Server, kind: type[Description]) -> int:
    return sum(isinstance(request, kind) for request in server.asked)


def followed(size: int = 30) -> Terminal:
    """A viewer whose server holds requests, and that has asked for the list since it follows."""
    terminal = Terminal(Server(size, holds=True))
    terminal.wait(30.0)
    terminal.server.asked.clear()
    return terminal


def test_a_new_row_is_there_within_a_second_and_the_selection_where_it_was() -> None:
    terminal = followed()
    terminal.press("j", "j", seconds=0.5)
    selected = terminal.selected
    terminal.server.change("7", status="open")
    terminal.wait(1.0)
    assert name(7) in terminal.names[:1]
    assert terminal.selected == selected
    assert "live" in terminal.status


def test_a_change_of_the_open_thread_asks_for_it_and_others_do_not() -> None:
    terminal = followed()
    terminal.press("j", "enter", seconds=5.0)
    opened = terminal.inbox.selection.id
    assert opened is not None
    terminal.server.asked.clear()
    terminal.server.change("9")
    terminal.wait(1.0)
    assert (asked(terminal.server, FetchHead), asked(terminal.server, FetchThread)) == (0, 0)
    terminal.server.change(opened)
    terminal.wait(1.0)
    assert (asked(terminal.server, FetchHead), asked(terminal.server, FetchThread)) == (0, 1)


def test_counts_are_asked_for_every_two_seconds_at_most_and_in_the_end() -> None:
    terminal = followed()
    for number in range(20):
        terminal.server.change(str(number), status="open")
        terminal.wait(0.5)
    counted = [one.filter for one in terminal.server.asked if isinstance(one, FetchCounts)]
    assert 4 <= counted.count(ConversationFilter()) <= 6
    terminal.wait(2.5)
    counts = terminal.cache.counted[ConversationFilter()]
    assert counts.open == sum(row.status == "open" for row in terminal.server.rows.values())


@pytest.mark.parametrize(
    ("query", "lists"),
    [
        ("is:open", 1),
        ("is:open,snoozed @me,unassigned -#refund", 1),
        ("is:open waiting:>1h", 12),
        ("is:open,snoozed sort:window", 12),
    ],
)
def test_an_untouched_viewer_asks_for_its_list_by_the_hour_or_as_rows_age(
    query: str, lists: int
) -> None:
    terminal = followed()
    terminal.query(query, seconds=10.0)
    terminal.server.asked.clear()
    terminal.wait(3_660.0)
    assert asked(terminal.server, FetchHead) == lists
    assert terminal.status.startswith("live")


def test_a_list_of_an_earlier_start_is_gone_over_once_and_followed_from_then_on() -> None:
    terminal = Terminal(server := Server(300, holds=True))
    server.takes = lambda request: 60.0 if isinstance(request, FetchNews) else None
    terminal.press("G", seconds=5.0)
    terminal.press("g", seconds=5.0)
    server.change("201", status="resolved")
    server.news.clear()
    server.asked.clear()
    terminal.wait(120.0)
    asked_for = [request.thorough for request in server.asked if isinstance(request, FetchHead)]
    assert sum(asked_for) == 1
    assert terminal.inbox.view.list.position("201") is None
    server.asked.clear()
    server.takes = lambda request: None
    server.change("202", status="resolved")
    terminal.wait(61.0)
    assert terminal.inbox.view.list.position("202") is None
    assert not asked(server, FetchHead)


def test_a_row_that_leaves_the_view_further_down_does_so_at_once() -> None:
    terminal = Terminal(server := Server(300, holds=True))
    terminal.wait(5.0)
    terminal.press("G", seconds=5.0)
    terminal.press("g", seconds=5.0)
    assert terminal.inbox.view.list.position("201") is not None
    server.change("201", status="resolved")
    terminal.wait(1.0)
    assert terminal.inbox.view.list.position("201") is None


def test_what_changed_before_the_first_position_comes_with_the_next_list() -> None:
    server = Server(30, holds=True)
    server.takes = lambda request: 5.0 if isinstance(request, FetchNews) else None
    terminal = Terminal(server)
    terminal.wait(1.0)
    server.change("11", status="open")
    terminal.wait(8.0)
    assert terminal.names[0] == name(0)
    terminal.wait(31.0)
    assert terminal.names[0] == name(11)


def test_a_server_that_does_not_say_what_changes_is_asked_once_and_then_for_the_list() -> None:
    terminal = Terminal(server := Server(30))
    terminal.wait(70.0)
    assert asked(server, FetchNews) == 1
    assert asked(server, FetchHead) > 1


def test_a_key_that_may_not_ask_for_news_asks_for_the_list() -> None:
    server = Server(30, holds=True)
    server.fails = lambda request: Forbidden("No") if isinstance(request, FetchNews) else None
    terminal = Terminal(server)
    terminal.wait(70.0)
    assert asked(server, FetchHead) > 1
    assert not terminal.warned


def test_a_held_request_that_is_cut_off_is_made_again_and_nothing_is_lost() -> None:
    terminal = followed()
    server = terminal.server
    server.fails = lambda request: Unreachable("Reset") if isinstance(request, FetchNews) else None
    terminal.release()
    terminal.wait(1.0)
    # The list is asked for at once, and says whether the server is there.
    assert asked(server, FetchHead) == 1
    server.fails = lambda request: None
    server.change("5")
    terminal.wait(15.0)
    assert terminal.names[0] == name(5)
    server.change("6")
    terminal.wait(1.0)
    assert terminal.names[0] == name(6)


@pytest.mark.parametrize("seconds", [0.5, 40.0, 400.0])
def test_a_server_that_was_away_is_followed_again_once_it_answers(seconds: float) -> None:
    terminal = followed()
    server = terminal.server
    server.error = Unreachable("Down")
    terminal.release()
    terminal.wait(seconds)
    assert "offline" in terminal.status
    server.error = None
    terminal.wait(61.0)
    server.change("4", status="open")
    terminal.wait(1.0)
    assert terminal.names[0] == name(4)


@pytest.mark.parametrize("kind", [FetchThread, FetchCounts])
def test_what_failed_beside_the_list_is_asked_for_again_soon(kind: type[Description]) -> None:
    terminal = followed()
    server = terminal.server
    terminal.press("j", "enter", seconds=5.0)
    opened = terminal.inbox.selection.id
    assert opened is not None
    server.fails = lambda request: Forbidden("No") if isinstance(request, kind) else None
    server.change(opened)
    terminal.wait(5.0)
    server.fails = lambda request: None
    server.asked.clear()
    terminal.wait(31.0)
    assert asked(server, kind) >= 1
    server.asked.clear()
    terminal.wait(600.0)
    assert asked(server, kind) == 0


def test_nothing_is_held_without_the_focus_where_that_is_wished() -> None:
    terminal = followed()
    terminal.inbox.connection.link = terminal.inbox.connection.link._replace(quiet_unfocused=True)
    terminal.do(following.note_focus, terminal.inbox, False)
    terminal.server.change("3")
    terminal.wait(600.0)
    assert not terminal.server.asked
    terminal.do(following.note_focus, terminal.inbox, True)
    terminal.wait(12.0)
    assert terminal.names[0] == name(3)


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["change", "down", "up", "cut", "key", "refresh", "wait"]),
            st.integers(0, 29),
        ),
        max_size=20,
    )
)
def test_whatever_happens_meanwhile_the_newest_row_is_first_in_the_end(
    steps: list[tuple[str, int]],
) -> None:
    terminal = Terminal(server := Server(30, holds=True, seconds=0.3))
    last = None
    for step, number in steps:
        match step:
            case "change":
                last = str(number)
                server.change(last, status="open")
            case "down" | "up":
                server.error = Unreachable("Down") if step == "down" else None
            case "cut":
                terminal.release()
            case "key":
                terminal.press("j")
            case "refresh":
                terminal.press("ctrl+r")
        terminal.wait(number / 4)
    server.error = None
    terminal.wait(400.0)
    assert last is None or terminal.ids[0] == last
    rows, _ = server.page(terminal.inbox.view.shown.filter, None)
    assert terminal.ids[: len(rows)] == [row.id for row in rows]
