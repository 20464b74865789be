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
from frontdesk.inbox import view as inbox_view
from frontdesk.inbox.chips import chip
from frontdesk.inbox.requests import FetchOlder, Kind
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


def test_the_longest_wait_of_the_whole_filter_is_at_the_top_and_open() -> None:
    terminal = Terminal(waiting_elsewhere())
    terminal.press("j", "j")
    terminal.query(BY_WAIT, seconds=2.0)
    assert terminal.ids[0] == LONGEST
    assert len(terminal.listed) == CONVERSATIONS
    assert terminal.thread == LONGEST
    assert terminal.status.endswith(f"{CONVERSATIONS} loaded")


def test_the_next_start_in_an_order_of_this_computer_is_at_its_top() -> None:
    terminal = Terminal(waiting_elsewhere(600))
    terminal.query("is:open sort:oldest", seconds=2.0)
    terminal.press("enter")
    assert terminal.thread == LONGEST
    again = Terminal(terminal.server, cache=terminal.cache)
    again.wait(2.0)
    assert len(again.listed) == 600
    assert again.window.cursor == 0
    assert again.thread == LONGEST


def test_while_rows_are_missing_it_is_said_how_many_are_sorted() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server)
    terminal.query(BY_WAIT)
    here = held(terminal)
    assert len(terminal.listed) == here
    assert f"sorting {here} of {CONVERSATIONS}…" in terminal.status
    terminal.wait(1.0)
    assert f"sorting {here + PAGE} of 260…" in terminal.status
    assert terminal.window.cursor == 0
    server.takes = lambda request: None
    terminal.wait(5.0)
    assert "sorting" not in terminal.status
    assert len(terminal.listed) == CONVERSATIONS


def test_a_reader_who_went_down_the_list_stays_on_their_row_while_others_come() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server)
    terminal.query(BY_WAIT)
    assert "sorting" in terminal.status
    terminal.press("j", seconds=0.0)
    here = terminal.ids[1]
    terminal.wait(30.0)
    assert len(terminal.listed) == CONVERSATIONS
    terminal.press("enter")
    assert terminal.thread == here


@pytest.mark.parametrize("query", [BY_WAIT, UNREAD], ids=["order", "filter"])
def test_escape_stops_and_last_goes_on_where_it_was(query: str) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server)
    terminal.query(query, seconds=2.5)
    assert Kind.SCAN in terminal.inbox.tasks
    found, here = set(terminal.ids), held(terminal)
    terminal.press("escape")
    assert "last: keep looking" in terminal.status
    assert "…" not in terminal.status
    assert found <= set(terminal.ids)
    terminal.press("ctrl+r", seconds=5.0)
    assert "last: keep looking" in terminal.status
    assert held(terminal) == here
    server.takes = lambda request: None
    server.asked.clear()
    terminal.press("G", seconds=2.0)
    assert re.search("shown of 260 loaded|260 loaded", terminal.status)
    assert further_pages(server) == -((here - CONVERSATIONS) // PAGE)


def test_last_goes_on_where_nothing_was_found_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox_view, "MOST_ROWS_SCANNED", 100)
    server = waiting()
    server.lacks |= {"query"}
    ruiz = PhoneRef(id="3", name="Zoë Ruiz", phone="+16505550003")
    server.rows["3"] = server.rows["3"].model_copy(update={"contact": ruiz})
    terminal = Terminal(server)
    terminal.query("is:open ruiz", seconds=2.0)
    assert terminal.ids == []
    looked_at = re.search(r"No match in the first (\d+) of 260", words.empty(terminal.inbox))
    assert looked_at
    assert 100 <= int(looked_at[1]) < 250
    terminal.press("G", seconds=2.0)
    terminal.press("G", seconds=2.0)
    assert terminal.ids == ["3"]
    assert terminal.thread == "3"


@pytest.mark.parametrize("query", [BY_WAIT, UNREAD], ids=["order", "filter"])
def test_a_page_that_brings_nothing_is_asked_for_once_by_a_key(query: str) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.repeats = True
    terminal.query(query)
    for _ in range(3):
        server.asked.clear()
        terminal.press("G", seconds=2.0)
        assert further_pages(server) == 1


PAUSE = Unreachable("The server asks for a pause", retry_after=30.0)
AWAY = Unreachable("The server does not answer")
GARBLED = BadResponse("The server sent a web page")


def _fail_with(server: Server, error: InboxError) -> None:
    server.error = error


@pytest.mark.parametrize("error", [PAUSE, AWAY], ids=["pause", "away"])
def test_an_interrupted_local_filter_keeps_its_rows_and_resumes_by_itself(
    error: InboxError,
) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.fails = outcomes_of([None, error], lambda error: _fail_with(server, error))
    terminal.query(UNREAD)
    found = terminal.ids
    assert found[0] == "250"
    assert "retrying in" in terminal.status
    assert re.search(rf"~{len(found)} found in \d+ of 260, paused", terminal.status)
    terminal.press("ctrl+r", "ctrl+r")
    assert terminal.ids == found
    asked, here = further_pages(server), held(terminal)
    # The next answer of the server, whoever asked for it, sets it going again.
    server.error = None
    terminal.wait(0.6)
    terminal.press("ctrl+r")
    assert terminal.ids == ["250", "200", "150", "100", "50"]
    assert "shown of 260 loaded" in terminal.status
    assert further_pages(server) - asked == -((here - CONVERSATIONS) // PAGE)


@pytest.mark.parametrize(
    "goes_on",
    [lambda terminal: terminal.press("ctrl+r", seconds=0.0), lambda terminal: terminal.wait(6.0)],
    ids=["by hand", "after the countdown"],
)
def test_a_scan_that_failed_goes_on_although_the_client_may_pause(
    goes_on: Callable[[Terminal], None],
) -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.fails = lambda request: AWAY if isinstance(request, FetchOlder) else None
    terminal.query(UNREAD)
    assert "retrying in" in terminal.status
    server.fails = lambda request: None
    holds_pages(server, 1000.0)
    goes_on(terminal)
    scans = [asked for asked in terminal.awaited if asked.kind is Kind.SCAN]
    assert [asked.urgent for asked in scans] == [True]


def test_a_scan_of_a_server_that_answers_waits_with_the_client() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server, 1000.0)
    terminal.query(UNREAD)
    scans = [asked for asked in terminal.awaited if asked.kind is Kind.SCAN]
    assert [asked.urgent for asked in scans] == [False]


def test_with_a_refused_key_nobody_is_told_to_keep_looking() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    server.fails = outcomes_of([None, Unauthorised("The server refused the key")])
    terminal.query(UNREAD)
    assert any("The server refused the key" in said for said in terminal.said)
    said = words.loaded(terminal.inbox, in_list=True)
    assert re.fullmatch(r"~\d+ found in \d+ of 260, paused", said)
    assert "keep looking" not in terminal.status
    terminal.query("is:open nobody")
    assert "No match in the first" in words.empty(terminal.inbox)
    assert "keep looking" not in words.empty(terminal.inbox)


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
    terminal.press("G", seconds=1.0)
    assert re.search("shown of|loaded", terminal.status)
    assert not re.search("~|…|keep looking", terminal.status)
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
    terminal = Terminal(server := waiting_elsewhere())
    terminal.query(BY_WAIT, seconds=2.0)
    # The first seventeen rows of each page were in view once, this one never was.
    before = terminal.ids
    server.change("159", status="resolved")
    terminal.wait(75.0)
    assert terminal.ids == before
    assert terminal.window.dimmed == {"159"}
    assert "259 loaded, 1 no longer matches" in terminal.status
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


def test_a_server_without_the_filter_is_looked_through() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server, 1.0)
    show_customer(terminal, 1)
    here = held(terminal)
    assert f"No match in the first {here} of 260" in words.empty(terminal.inbox)
    assert "loading…" in terminal.status
    terminal.wait(30.0)
    assert terminal.ids == [LONGEST]
    assert terminal.thread == LONGEST
    assert terminal.status.endswith("1 shown of 260 loaded")


def test_looking_for_a_customers_conversations_is_stopped_by_escape() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server, 1.0)
    show_customer(terminal, 1)
    here = held(terminal)
    assert "loading…" in terminal.status
    terminal.press("escape", seconds=5.0)
    assert "loading…" not in terminal.status
    assert f"No match in the first {here} of 260" in words.empty(terminal.inbox)
    assert "last: keep looking" in terminal.status
    server.takes = lambda request: None
    terminal.press("G")
    assert terminal.ids == [LONGEST]


def test_a_customer_who_was_seen_is_there_at_once_within_the_other_filters() -> None:
    terminal = Terminal(server := waiting_elsewhere())
    holds_pages(server, 1.0)
    show_customer(terminal, 255)
    assert "loading…" in terminal.status
    assert terminal.ids == ["255"]
    server.takes = lambda request: None
    terminal.query(f"{terminal.inbox.view.query} is:resolved", seconds=5.0)
    assert terminal.ids == []


def test_the_way_back_leads_to_the_selected_row_wherever_it_was_found() -> None:
    terminal = Terminal(waiting_elsewhere())
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
