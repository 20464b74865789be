"""What the server answers as a query: one request with the number of all, and rows that stay."""

import pytest

from frontdesk.errors import Unreachable
from frontdesk.inbox import words
from frontdesk.inbox.counting import count_of
from frontdesk.query import parse
from frontdesk.text.clean import AtLeast
from frontdesk.wire import ConversationFilter
from tests.inbox.asked import FetchCounts, FetchHead, FetchOlder, FindMe
from tests.inbox.memory import Server, Terminal, basic, name

VIEW_8 = "is:open waiting:>1h sort:waiting"


def requests_for_rows(server: Server) -> tuple[int, int]:
    """Requests for first pages, and for those that are loaded ahead."""
    return sum(isinstance(one, FetchHead) for one in server.asked), sum(
        isinstance(one, FetchOlder) for one in server.asked
    )


QUERIES = (VIEW_8, 'from:"Customer 0"', "factura", "has:voice waiting:<9h -@me #billing,refund")


@pytest.mark.parametrize("holds", [False, True], ids=["polled", "followed"])
@pytest.mark.parametrize("text", QUERIES)
def test_one_request_answers_with_the_number_of_all(text: str, holds: bool) -> None:
    server = Server(2_000, holds=holds)
    server.said = {id: ("factura", "has:voice") for id in ("7", "400", "1900")}
    terminal = Terminal(server)
    terminal.press("G", "G", "G", "G", "g", seconds=2.0)
    server.asked.clear()
    terminal.query(text, seconds=3.0)
    view = terminal.inbox.view
    assert view.scan is None
    first, ahead = requests_for_rows(server)
    assert first == 1
    assert ahead <= 1
    matching = {row.id for row in server.matching(view.wanted.filter)}
    assert {row.id for row in terminal.listed} <= matching
    assert count_of(terminal.inbox, parse(text)) == len(matching)


@pytest.mark.parametrize("text", QUERIES)
def test_no_other_answer_is_awaited_before_the_first_page_of_a_query(text: str) -> None:
    terminal = Terminal(server := Server(2_000))
    terminal.wait(5.0)
    server.asked.clear()
    terminal.query(text, seconds=3.0)
    wanted = terminal.inbox.view.wanted.filter
    of_list = [one for one in server.asked if isinstance(one, FetchCounts | FetchHead | FindMe)]
    assert of_list[0] == FetchHead(wanted)
    assert FetchCounts(ConversationFilter()) in of_list


def test_tabs_of_queries_have_their_number_before_they_are_shown() -> None:
    terminal = Terminal(server := Server(400))
    # A row that is not as near to an hour as the seconds that pass here.
    server.rows.pop("59")
    terminal.wait(5.0)
    waits = server.matching(terminal.inbox.planning.plan_of(parse(VIEW_8)).filter)
    assert waits
    assert count_of(terminal.inbox, parse(VIEW_8)) == len(waits)


def test_where_counting_ended_early_the_loaded_rows_are_counted() -> None:
    server = Server(200, counts_to=10)
    server.said = {str(number): ("factura",) for number in range(60)}
    terminal = Terminal(server)
    terminal.query("factura", seconds=3.0)
    view = terminal.inbox.view
    while not view.list.complete:
        number = count_of(terminal.inbox, parse("factura"))
        assert isinstance(number, AtLeast)
        assert number >= len(view.list)
        terminal.press("G", seconds=3.0)
    number = count_of(terminal.inbox, parse("factura"))
    assert (number, isinstance(number, AtLeast)) == (60, False)
    assert words.title(terminal.inbox) == "Your filter 60"


def test_a_conversation_found_by_what_its_row_does_not_show_is_no_row_that_left() -> None:
    server = Server(60)
    server.said = {"7": ("factura",)}
    terminal = Terminal(server)
    terminal.query("factura", seconds=3.0)
    assert terminal.names == [name(7)]
    server.change("7", labels=["refund"])
    terminal.press("ctrl+r", seconds=3.0)
    assert terminal.names == [name(7)]
    assert not terminal.window.dimmed


def test_the_selected_row_is_not_added_to_what_the_server_found() -> None:
    terminal = Terminal(Server(60))
    terminal.press("j", "j", seconds=3.0)
    terminal.query("factura", seconds=3.0)
    assert terminal.names == []
    assert words.empty(terminal.inbox).startswith("No conversation matches factura")


def test_a_server_without_queries_has_its_loaded_rows_tested() -> None:
    terminal = Terminal(basic(60))
    terminal.query("refund -#billing", seconds=5.0)
    assert terminal.inbox.view.scan is not None
    assert terminal.names == []
    terminal.query("refund", seconds=5.0)
    assert {label for row in terminal.listed for label in row.labels} >= {"refund"}


def test_words_of_follow_ups_are_looked_for_here() -> None:
    terminal = Terminal(Server(60))
    terminal.wait(3.0)
    plan = terminal.inbox.planning.plan_of(parse("is:followup factura has:image"))
    assert plan.filter.query == "has:image"
    assert [str(term) for term in plan.rest] == ["is:followup", "factura"]


@pytest.mark.parametrize("query", ["factura", "is:open factura", "factura waiting:>1m"])
def test_offline_words_are_looked_for_in_the_messages_that_were_opened_here(query: str) -> None:
    terminal = Terminal(server := Server(30))
    (row, *_) = [row for row in terminal.listed if row.waiting_since and row.status == "open"]
    terminal.cache.said = {"factura": {row.id}}
    server.error = Unreachable("The server does not answer")
    terminal.query(query, seconds=2.0)
    assert terminal.ids == [row.id]
    assert "offline" in terminal.status
    terminal.query("nowhere", seconds=2.0)
    assert terminal.ids == []
