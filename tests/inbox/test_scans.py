"""Orders and filters that are made here: progress, and completeness at the end.

The server has 260 open conversations; the longer a customer waits, the further down they are.
"""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.errors import BadResponse, InboxError, Unauthorised, Unreachable
from frontdesk.inbox import navigating, words
from frontdesk.inbox.chips import chip
from frontdesk.wire import PhoneRef
from tests.inbox.memory import PAGE, Server, Terminal
from tests.inbox.waiting import (
    CONVERSATIONS,
    LONGEST,
    further_pages,
    held,
    holds_pages,
    outcomes_of,
    phone,
    waiting,
    waiting_elsewhere,
)

BY_WAIT, UNREAD = "is:open sort:waiting", "is:open unread"
PAUSE = Unreachable("The server asks for a pause", retry_after=30.0)
AWAY = Unreachable("The server does not answer")
GARBLED = BadResponse("The server sent a web page")


def all_loaded(server: Server) -> Terminal:
    """A terminal that has all rows of the server's list."""
    terminal = Terminal(server)
    terminal.press("G", seconds=5.0)
    assert held(terminal) == len(server.rows)
    return terminal


def test_the_longest_wait_of_the_whole_filter_is_at_the_top_and_open() -> None:
    terminal = all_loaded(waiting_elsewhere())
    terminal.press("k", "k")
    terminal.query(BY_WAIT, seconds=2.0)
    assert terminal.ids[0] == LONGEST
    assert len(terminal.listed) == CONVERSATIONS
    assert terminal.thread == LONGEST
    assert terminal.loaded == CONVERSATIONS


def test_the_next_start_in_an_order_of_this_computer_is_at_its_top() -> None:
    terminal = all_loaded(waiting_elsewhere(600))
    terminal.query("is:open sort:oldest", seconds=2.0)
    terminal.press("enter")
    assert terminal.thread == LONGEST
    again = Terminal(terminal.server, cache=terminal.cache)
    again.wait(2.0)
    assert len(again.listed) == 600
    assert again.window.cursor == 0
    assert again.thread == LONGEST


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (BY_WAIT, "~sorted {here} of 260, last: load more"),
        (UNREAD, "~{found} found in {here} of 260, last: load more"),
    ],
    ids=["order", "filter"],
)
def test_rows_are_loaded_by_a_key_alone_a_page_at_a_time(query: str, said: str) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.asked.clear()
    terminal.query(query, seconds=60.0)
    assert further_pages(server) == 0
    for pages in range(1, 4):
        terminal.press("G", seconds=2.0)
        assert further_pages(server) == pages
        scan = terminal.inbox.view.scan
        assert scan is not None
        here, found = held(terminal), scan.matches
        assert said.format(here=here, found=found) in terminal.status
    while held(terminal) < CONVERSATIONS:
        terminal.press("G", seconds=2.0)
    assert "shown of 260 loaded" in terminal.status or terminal.loaded == 260


def test_the_title_says_of_how_many_rows_those_are_that_are_filtered_here() -> None:
    terminal = Terminal(waiting_elsewhere())
    terminal.query(UNREAD, seconds=2.0)
    here = held(terminal)
    assert words.title(terminal.inbox) == f"Your filter {len(terminal.ids)} of {here} loaded"
    complete = all_loaded(waiting_elsewhere())
    complete.query(UNREAD, seconds=2.0)
    assert words.title(complete.inbox) == "Your filter 5"


def test_what_is_unread_is_asked_for_and_loaded_as_the_reader_goes_down() -> None:
    server = waiting()
    for id, row in server.rows.items():
        server.rows[id] = row.model_copy(update={"unread_count": 1})
    terminal = Terminal(server)
    terminal.query(UNREAD, seconds=2.0)
    loaded = held(terminal)
    terminal.press("M", seconds=1.0)
    terminal.press(*"j" * loaded, seconds=2.0)
    assert held(terminal) > loaded
    terminal.press("G", seconds=10.0)
    assert held(terminal) == CONVERSATIONS


@pytest.mark.parametrize("query", [BY_WAIT, UNREAD], ids=["order", "filter"])
def test_a_page_that_brings_nothing_is_asked_for_once_by_a_key(query: str) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.repeats = True
    terminal.query(query)
    for _ in range(3):
        server.asked.clear()
        terminal.press("G", seconds=2.0)
        assert further_pages(server) == 1


def test_nothing_matches_in_the_loaded_rows_until_a_key_loads_more() -> None:
    server = waiting()
    server.lacks |= {"query"}
    ruiz = PhoneRef(id="200", name="Zoë Ruiz", phone="+16505550200")
    server.rows["200"] = server.rows["200"].model_copy(update={"contact": ruiz})
    terminal = Terminal(server)
    terminal.query("is:open ruiz", seconds=2.0)
    here = held(terminal)
    assert f"No match in the first {here} of 260.  last: load more" in words.empty(terminal.inbox)
    while not terminal.ids:
        terminal.press("G", seconds=2.0)
        assert held(terminal) > here
        here = held(terminal)
    assert terminal.ids == ["200"]
    assert terminal.thread == "200"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AWAY, "retrying in"),
        (PAUSE, "retrying in"),
        (Unauthorised("The server refused the key"), "The server refused the key"),
    ],
    ids=["away", "pause", "key"],
)
def test_a_page_that_fails_keeps_the_rows_and_is_loaded_by_the_next_key(
    error: InboxError, said: str
) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    terminal.query(UNREAD, seconds=2.0)
    found, here = terminal.ids, held(terminal)
    server.fails = outcomes_of([error])
    terminal.press("G", seconds=1.0)
    assert said in f"{terminal.status} {terminal.said}"
    assert re.search(rf"~\d found in {here} of 260, paused", terminal.status)
    assert (terminal.ids, held(terminal)) == (found, here)
    if isinstance(error, Unreachable):
        terminal.wait(60.0)
        terminal.press("G", seconds=2.0)
        assert held(terminal) == here + PAGE


@settings(max_examples=30, deadline=None)
@given(
    outcomes=st.lists(st.sampled_from([None, None, PAUSE, AWAY, GARBLED]), max_size=8),
    keys=st.lists(
        st.sampled_from(["ctrl+r", "G", "j", "escape", "u", "arrival", "bump"]), max_size=6
    ),
    query=st.sampled_from([BY_WAIT, UNREAD, "is:open hi"]),
)
def test_nothing_that_was_found_is_lost_whatever_the_server_answers(
    outcomes: list[InboxError | None], keys: list[str], query: str
) -> None:
    terminal = Terminal(server := waiting_elsewhere(120))
    server.fails = outcomes_of(left := [*outcomes])
    terminal.query(query)
    found = set(terminal.ids)
    for number, key in enumerate(keys):
        if key == "arrival":
            id = str(1000 + number)
            server.rows[id] = server.rows["60"].model_copy(update={"id": id})
            server.change(id, unread_count=1)
        elif key == "bump":
            server.change("60", unread_count=1)
        else:
            terminal.press(key)
        now = set(terminal.ids)
        assert found <= now or key == "ctrl+r"
        assert len(terminal.ids) == len(now)
        found = now
    left.clear()
    terminal.wait(1.0)
    terminal.press("ctrl+r", seconds=1.0)
    while held(terminal) < len(server.rows):
        terminal.press("G", seconds=1.0)
    assert "shown of" in terminal.status or terminal.loaded is not None
    assert not re.search("~|…|load more", terminal.status)
    if query == BY_WAIT:
        assert len(terminal.ids) == len(server.rows)
        waits = [row.waiting_since or "" for row in terminal.listed]
        assert waits == sorted(waits)


def test_without_a_server_all_that_is_held_is_sorted() -> None:
    terminal = Terminal(server := waiting(900))
    holds_pages(server)
    terminal.press("G")
    while held(terminal) < 700:
        terminal.wait(1.0)
    assert held(terminal) == 700
    server.error = AWAY
    again = Terminal(server, cache=terminal.cache)
    again.query(BY_WAIT)
    assert len(again.listed) == 700
    assert again.ids[0] == str(900 - 700 + 1)
    assert "~sorted 700" in again.status
    assert "offline" in again.status


def test_the_longest_wait_of_a_part_of_the_rows_is_called_so() -> None:
    terminal = Terminal(waiting_elsewhere())
    terminal.press("W")
    assert re.search(r"of the first \d+ rows. order: sort all of them", " ".join(terminal.said))
    terminal = all_loaded(terminal.server)
    terminal.query(BY_WAIT, seconds=2.0)
    terminal.press("W")
    assert not terminal.said


def test_the_longest_wait_is_not_that_of_an_earlier_start() -> None:
    server = waiting()
    every, server.rows = server.rows, {id: server.rows[id] for id in map(str, range(241, 261))}
    cache = Terminal(server).cache
    server.rows = every
    terminal = Terminal(server, cache=cache, connects=False)
    assert len(terminal.ids) == 20
    terminal.press("W")
    assert terminal.selected is not None
    assert not terminal.said
    terminal.connect()
    terminal.wait(1.0)
    assert terminal.thread == LONGEST


def test_a_row_out_of_view_that_left_stays_where_it_was_until_a_refresh() -> None:
    terminal = all_loaded(server := waiting_elsewhere())
    terminal.query(BY_WAIT, seconds=2.0)
    # The first seventeen rows of each page were in view once, this one never was.
    before = terminal.ids
    server.change("159", status="resolved")
    terminal.wait(75.0)
    assert terminal.ids == before
    assert terminal.window.dimmed == {"159"}
    assert "1 no longer matches" in terminal.status
    terminal.press("ctrl+r", seconds=2.0)
    assert terminal.ids == [id for id in before if id != "159"]
    assert not terminal.window.dimmed


# A customer's conversations


def show_customer(terminal: Terminal, number: int) -> None:
    contact = PhoneRef(id=f"c{number}", name="Sheena Nelson", phone=phone(number))
    terminal.do(navigating.show_customer, terminal.inbox, contact)
    terminal.wait(0.6)


def test_a_customer_found_by_number_leads_to_conversations_never_seen_here() -> None:
    terminal = Terminal(server := waiting())
    assert LONGEST not in terminal.ids
    holds_pages(server, 1000.0)
    show_customer(terminal, 1)
    assert terminal.ids == [LONGEST]
    assert terminal.thread == LONGEST
    (term,) = terminal.inbox.view.query.terms
    inbox = terminal.inbox
    assert 'from:"Sheena Nelson"' in chip(term, inbox.planning.names, inbox.clock.server_now())


@pytest.mark.parametrize("make", [waiting, waiting_elsewhere], ids=["filter", "scan"])
def test_a_conversation_is_shown_among_those_of_its_customer(make: Callable[[], Server]) -> None:
    server = make()
    contact = server.rows["259"].contact
    server.rows["257"] = server.rows["257"].model_copy(update={"contact": contact})
    terminal = Terminal(server)
    terminal.do(navigating.show_conversation, terminal.inbox, "257")
    terminal.wait(2.0)
    assert terminal.ids == ["259", "257"]
    assert terminal.inbox.selection.id == "257"
    assert terminal.thread == "257"


def test_a_conversation_that_is_not_on_this_computer_changes_nothing() -> None:
    terminal = Terminal(waiting())
    before = terminal.ids
    terminal.do(navigating.show_conversation, terminal.inbox, "elsewhere")
    assert terminal.said == ["This conversation is no longer on this computer"]
    assert terminal.ids == before


def test_a_customer_who_was_seen_is_there_at_once_within_the_other_filters() -> None:
    terminal = Terminal(waiting_elsewhere())
    show_customer(terminal, 255)
    assert terminal.ids == ["255"]
    terminal.query(f"{terminal.inbox.view.query} is:resolved", seconds=5.0)
    assert terminal.ids == []


def test_the_way_back_leads_to_the_selected_row_wherever_it_was_found() -> None:
    terminal = all_loaded(waiting_elsewhere())
    # Who waits long is far down the server's list.
    terminal.query(BY_WAIT, seconds=2.0)
    terminal.press("j", "j")
    left = terminal.thread
    assert left is not None
    terminal.query("is:open")
    terminal.press("g")
    assert terminal.thread != left
    terminal.press("H", seconds=0.0)
    assert terminal.inbox.selection.id == left
    terminal.wait(2.0)
    assert terminal.thread == left
    assert len(terminal.listed) == CONVERSATIONS
