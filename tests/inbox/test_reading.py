"""What is read, and what becomes of it in the rows and in the counts."""

from typing import Any

import pytest

from frontdesk.inbox import words
from frontdesk.inbox.counting import count_of
from frontdesk.inbox.sentences import NOTHING_UNREAD_ABOVE
from frontdesk.query import parse
from frontdesk.settings import ReadAfter
from tests.inbox.asked import Description, FetchThread
from tests.inbox.memory import Server, Terminal, basic, name

UNREAD = "is:open unread"


def slow_threads(request: Description) -> float | None:
    """A thread takes a minute."""
    return 60.0 if isinstance(request, FetchThread) else None


def test_a_conversation_is_read_after_three_seconds_and_not_in_passing() -> None:
    terminal = Terminal(Server(15))
    # The next poll is not due before all this: each answer of a thread begins the seconds anew.
    terminal.press("g", seconds=10.0)
    before = terminal.unread
    terminal.press("j", seconds=2.5)
    terminal.press("j", "j", seconds=2.5)
    assert terminal.unread == before > {name(1), terminal.selected}
    terminal.wait(1.0)
    assert terminal.unread == before - {terminal.selected}


def test_the_conversation_of_the_start_is_not_read_before_a_key() -> None:
    terminal = Terminal(Server(90))
    terminal.server.change("0", unread_count=2)
    terminal.wait(60.0)
    assert terminal.selected == name(0)
    assert name(0) in terminal.unread
    terminal.press("g", seconds=4.0)
    assert name(0) not in terminal.unread


def test_enter_reads_at_once() -> None:
    terminal = Terminal(Server(15))
    terminal.press("u", seconds=0.3)
    here = terminal.selected
    assert here in terminal.unread
    terminal.press("enter", seconds=0.3)
    assert here not in terminal.unread


def test_m_makes_unread_until_the_conversation_is_opened_again() -> None:
    terminal = Terminal(Server(15))
    terminal.press("g", "j", seconds=5.0)
    here = terminal.selected
    assert here not in terminal.unread
    terminal.press("m", seconds=30.0)
    assert here in terminal.unread
    terminal.press("j", "k", seconds=30.0)
    assert here in terminal.unread
    terminal.press("enter", seconds=0.3)
    assert here not in terminal.unread


def test_m_reads_an_unread_conversation_without_opening_it() -> None:
    terminal = Terminal(Server(15), read_after="never")
    terminal.press("j", seconds=0.3)
    here, before = terminal.selected, terminal.unread
    assert here in before
    terminal.press("m")
    assert terminal.unread == before - {here}
    assert terminal.pane == "list"
    terminal.press("m", "m", "m")
    assert terminal.unread == before


def test_capital_m_reads_what_is_here_and_above_until_that_is_undone() -> None:
    terminal = Terminal(Server(15))
    terminal.press(*"jjjjj", seconds=0.3)
    before, above = terminal.unread, set(terminal.names[:6])
    assert len(above & before) > 1
    assert before - above
    terminal.press("M", seconds=0.3)
    assert terminal.unread == before - above
    terminal.press("undo", seconds=0.3)
    assert terminal.unread == before


def test_capital_m_above_which_all_is_read_says_so_and_changes_nothing() -> None:
    terminal = Terminal(Server(15))
    terminal.press("M", seconds=0.1)
    before = terminal.unread
    terminal.press("M", seconds=0.1)
    assert terminal.said == [NOTHING_UNREAD_ABOVE]
    assert terminal.unread == before


def test_what_capital_m_read_stays_dimmed_in_the_unread_view() -> None:
    terminal = Terminal(Server(15))
    terminal.query(UNREAD, seconds=2.0)
    rows = terminal.names
    terminal.press(*"jj", "M", seconds=0.2)
    assert terminal.names == rows
    assert len(terminal.window.dimmed) == 3
    assert terminal.status.endswith(" · 3 no longer match")
    terminal.press("undo", seconds=0.2)
    assert not terminal.window.dimmed


def test_the_status_line_counts_the_rows_that_no_longer_match() -> None:
    terminal = Terminal(Server(15))
    # What was read in another view is no row of this one.
    terminal.press("g", "u", "enter", seconds=1.0)
    terminal.press("escape", seconds=0.0)
    terminal.query(UNREAD, seconds=2.0)
    assert "no longer" not in terminal.status
    rows = len(terminal.names)
    terminal.press("enter", seconds=1.0)
    terminal.press("escape", seconds=1.0)
    assert len(terminal.names) == rows
    assert words.title(terminal.inbox) == f"Your filter {rows - 1}"
    assert terminal.status.endswith(" · 1 no longer matches")
    terminal.press("ctrl+r", seconds=2.0)
    assert "no longer" not in terminal.status
    assert len(terminal.names) == rows - 1


@pytest.mark.parametrize("server", [Server, basic])
def test_conversations_marked_unread_locally_are_in_the_unread_view_and_its_count(
    server: Any,
) -> None:
    terminal = Terminal(server(15))
    terminal.query(UNREAD, seconds=2.0)
    terminal.press("9", "g", seconds=2.0)
    read = [row for row in terminal.names if row not in terminal.unread]
    here = read[len(read) // 2]
    while terminal.selected != here:
        terminal.press("j", seconds=0.2)
    before = terminal.names
    terminal.press("m", seconds=0.0)
    terminal.query(UNREAD, seconds=5.0)
    assert here in terminal.names
    shown = len(terminal.names)
    assert count_of(terminal.inbox, parse(UNREAD)) == shown
    terminal.press("9", seconds=5.0)
    assert terminal.names == before
    assert count_of(terminal.inbox, parse(UNREAD)) in (shown, None)
    terminal.query(UNREAD, seconds=1.0)
    while terminal.selected != here:
        terminal.press("j", seconds=0.2)
    terminal.press("enter", seconds=0.5)
    terminal.press("escape", "ctrl+r", seconds=2.0)
    assert here not in terminal.names


def test_resting_on_a_cached_thread_reads_it_once_its_new_messages_have_come() -> None:
    terminal = Terminal(server := Server(15))
    terminal.press("j", seconds=5.0)
    here = terminal.selected
    assert here == name(1)
    terminal.press("j", seconds=5.0)
    assert here not in terminal.unread
    server.change("1", unread_count=3)
    server.takes = slow_threads
    terminal.press("ctrl+r", seconds=2.0)
    assert here in terminal.unread
    terminal.press("g", seconds=30.0)
    assert terminal.selected == here
    assert terminal.shows_end
    assert here in terminal.unread
    terminal.wait(120.0)
    assert here not in terminal.unread


def test_a_prefetched_thread_is_read_before_its_refresh_comes() -> None:
    terminal = Terminal(server := Server(15))
    terminal.cache.threads["1"] = server.rows["1"].last_activity_at
    server.takes = slow_threads
    terminal.press("j", seconds=2.0)
    assert terminal.selected == name(1)
    assert name(1) in terminal.unread
    terminal.wait(2.0)
    assert name(1) not in terminal.unread


@pytest.mark.parametrize(("after", "rested", "opened"), [("open", 0, 1), ("never", 0, 0)])
def test_marking_as_read_is_configurable(after: ReadAfter, rested: int, opened: int) -> None:
    terminal = Terminal(Server(15), read_after=after)
    terminal.press("u", seconds=0.3)
    before = terminal.unread
    terminal.wait(60.0)
    assert len(before - terminal.unread) == rested
    terminal.press("enter", seconds=10.0)
    assert len(before - terminal.unread) == opened


def test_unread_stays_dimmed_where_it_was_read() -> None:
    terminal = Terminal(Server(15))
    terminal.query(UNREAD, seconds=2.0)
    rows = terminal.names
    terminal.press("g", seconds=4.0)
    terminal.press(*"jjj", seconds=20.0)
    assert terminal.names == rows
    assert len(terminal.window.dimmed) == 2
    terminal.press("ctrl+r", seconds=2.0)
    assert terminal.names == [row for row in rows if row in terminal.unread] != rows


def test_the_count_of_unread_ones_follows_reading_and_m_at_once() -> None:
    terminal = Terminal(Server(15))
    terminal.query(UNREAD, seconds=1.0)

    def count() -> int:
        return int(words.title(terminal.inbox).removeprefix("Your filter "))

    before = count()
    terminal.press("enter", seconds=0.2)
    assert count() == before - 1
    terminal.press("m", seconds=0.2)
    assert count() == before
    terminal.wait(60.0)
    assert count() == before


def test_rows_that_come_by_themselves_are_not_read_by_resting() -> None:
    terminal = Terminal(Server(20, seconds=1.0), settle=0.5)
    terminal.query(UNREAD, seconds=30.0)
    shown = terminal.unread
    assert shown == set(terminal.in_view)
    # Its thread comes late, and is displayed for some seconds then.
    terminal.press("j", seconds=4.0)
    assert terminal.unread == shown
    terminal.wait(30.0)
    assert len(shown - terminal.unread) == 1


def test_a_cached_thread_is_there_with_the_first_key() -> None:
    terminal = Terminal(Server(15))
    terminal.press("j", seconds=5.0)
    terminal.press("k", seconds=5.0)
    terminal.cache.threads["3"] = terminal.server.rows["3"].last_activity_at
    terminal.press("j", seconds=0.05)
    assert terminal.shows_end
    # Not while the cursor moves on.
    terminal.press("j", seconds=0.05)
    assert terminal.selected == name(3)
    assert not terminal.shows_end
    terminal.wait(0.15)
    assert terminal.shows_end


def test_what_is_new_is_shown_before_going_on_in_the_thread_reads_it() -> None:
    terminal = Terminal(Server(30))
    terminal.press("g", "enter", seconds=2.0)
    before = terminal.unread
    terminal.press("u", seconds=0.5)
    here = terminal.window.selected_id or ""
    assert terminal.selected in before - terminal.unread
    assert terminal.new_when_opened[here] > 0
