"""Filters that a server has or lacks: it answers, rows are tested here, or the lack is said."""

import pytest

from frontdesk.inbox import words
from tests.inbox.memory import Server, Terminal, basic


def test_several_values_are_the_servers_answer_and_none_is_tested_here() -> None:
    terminal = Terminal(Server(120))
    terminal.query("is:open,snoozed -#refund", seconds=2.0)
    view = terminal.inbox.view
    assert view.wanted.exact
    assert view.scan is None
    assert {row.status for row in terminal.listed} <= {"open", "snoozed"}
    assert terminal.listed


def test_a_server_that_lacks_them_has_its_rows_tested_here() -> None:
    wanted, found = Terminal(Server(120)), Terminal(basic(120))
    for terminal in (wanted, found):
        terminal.query("is:open,snoozed -#refund", seconds=4.0)
    assert found.inbox.view.scan is not None
    first = [row.id for row in found.listed]
    assert first
    assert [row.id for row in wanted.listed][: len(first)] == first


@pytest.mark.parametrize("text", ["is:open by:me", "field:plan=gold", "-ad:summer"])
def test_what_rows_do_not_show_has_no_rows_and_a_sentence_where_the_server_lacks_it(
    text: str,
) -> None:
    terminal = Terminal(basic(120))
    terminal.query(text, seconds=4.0)
    assert terminal.listed == []
    term = text.rpartition(" ")[2]
    assert words.empty(terminal.inbox).startswith(f"This server cannot filter by {term}. ")
    assert "no match" in terminal.status
