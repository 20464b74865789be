"""How much is loaded, looked at and counted at most, at each limit and one beyond it."""

import pytest

from frontdesk.inbox.counting import count_of, count_with
from frontdesk.inbox.view import ViewHistory, ViewPlace
from frontdesk.query import parse
from tests.inbox.asked import FetchHead
from tests.inbox.memory import Server, Terminal, basic, name


def loaded(server: Server) -> Terminal:
    """An inbox with all conversations of a server that filters nothing."""
    terminal = Terminal(server, read_after="never")
    terminal.query("unread", seconds=1.0)
    terminal.query("")
    terminal.press("G", seconds=5.0)
    terminal.press("ctrl+r", seconds=5.0)
    assert len(terminal.inbox.window.rows) == len(server.rows)
    terminal.press("g", seconds=0.0)
    return terminal


def unread_at(position: int, server: Server) -> Server:
    """The server with only the row at a position unread."""
    for id, row in server.rows.items():
        unread = int(int(id) == position)
        server.rows[id] = row.model_copy(update={"unread_count": unread})
    return server


@pytest.mark.parametrize(("size", "number"), [(500, 100), (501, None)])
def test_views_of_at_most_500_rows_are_counted(size: int, number: int | None) -> None:
    assert count_of(loaded(basic(size)).inbox, parse("needs:human")) == number


@pytest.mark.parametrize(("size", "number"), [(200, 133), (201, None)])
def test_labels_of_at_most_200_rows_are_counted(size: int, number: int | None) -> None:
    assert count_with(loaded(basic(size)).inbox, "label", "billing") == number


def test_the_next_unread_is_looked_for_among_1000_rows() -> None:
    terminal = loaded(unread_at(1001, basic(1010)))
    terminal.press("u", seconds=0.0)
    assert terminal.window.cursor == 0
    terminal.press("j", "u", seconds=0.0)
    assert terminal.window.cursor == 1001


@pytest.mark.parametrize(("position", "selected"), [(439, 439), (440, 0)])
def test_a_key_loads_20_pages_to_find_the_next_unread(position: int, selected: int) -> None:
    terminal = Terminal(unread_at(position, basic(900)))
    terminal.query("")
    # The page in view, and the one below it.
    assert len(terminal.inbox.window.rows) == 40
    terminal.press("u", seconds=5.0)
    assert terminal.window.cursor == selected


def test_1000_rows_above_are_read_at_once() -> None:
    server = unread_at(0, basic(1001))
    server.rows["1"] = server.rows["1"].model_copy(update={"unread_count": 1})
    terminal = loaded(server)
    terminal.window.go_to(1000)
    terminal.press("M", seconds=0.0)
    assert terminal.unread == {name(0)}


def test_the_customers_of_the_first_200_rows_are_offered() -> None:
    terminal = loaded(basic(210))
    contacts = terminal.inbox.planning.names_for(terminal.inbox.view).contacts
    assert [contact.id for contact in contacts] == [f"c{number}" for number in range(200)]


def test_the_last_100_views_can_be_gone_back_to() -> None:
    history, query = ViewHistory(), parse("")
    places = [ViewPlace(str(number), None, True, (), ()) for number in range(101)]
    for place in places:
        history.leave(query, place)
    visits = [history.step(-1, query, places[0]) for _ in range(100)]
    assert [visit and visit.place.selected for visit in visits] == [
        str(at) for at in range(100, 0, -1)
    ]
    assert not history.has_before


@pytest.mark.parametrize(("size", "rung"), [(50, 1), (51, 0)])
def test_new_activity_rings_among_the_first_50_rows(size: int, rung: int) -> None:
    terminal = Terminal(server := Server(size))
    terminal.query("sort:oldest", seconds=2.0)
    terminal.press("G", "g", seconds=2.0)
    assert len(terminal.listed) == size
    # It moves to the end of the list.
    server.change("30", unread_count=3)
    terminal.press("ctrl+r", seconds=2.0)
    assert terminal.ids[-1] == "30"
    assert terminal.told.count("ring") == rung


def test_a_list_is_gone_over_every_three_minutes_where_the_server_says_no_news() -> None:
    terminal = Terminal(server := Server(30))
    terminal.wait(600.0)
    asked = [request.thorough for request in server.asked if isinstance(request, FetchHead)]
    assert [at for at, thorough in enumerate(asked) if thorough] == [6, 12, 18]
    assert len(asked) == 21
