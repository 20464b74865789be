"""Conversations that are hidden until a time on this computer, and come back unread."""

from datetime import timedelta

from frontdesk.inbox import follow_ups, words
from frontdesk.inbox.counting import count_of, count_with
from frontdesk.query import parse
from tests.inbox.memory import START, VIEWS, Server, Terminal, basic

HOUR = 3600.0


def test_a_hidden_conversation_leaves_the_list_and_the_next_one_is_selected() -> None:
    terminal = Terminal(Server(30))
    terminal.press("j")
    before, selected = terminal.names, terminal.selected
    terminal.press("z")
    assert terminal.names == [name for name in before if name != selected]
    assert terminal.selected == before[2]
    assert "1 hidden" in terminal.status
    assert selected not in terminal.unread


def test_all_tabs_and_titles_count_a_hidden_conversation_alike() -> None:
    # Some are counted by the server, some from the rows that are loaded.
    for server in (Server(300, counts_by=True), Server(300), Server(30, counts_by=True)):
        terminal = Terminal(server)
        terminal.wait(3.0)
        before = {view: count_of(terminal.inbox, view.query) for view in VIEWS}
        row = terminal.inbox.selected
        assert row is not None
        terminal.hide(HOUR)
        terminal.wait(3.0)
        for view, number in before.items():
            has_it = terminal.inbox.planning.test(view.query.terms)(row)
            now = count_of(terminal.inbox, view.query)
            assert number is None or now == number - has_it, view.name
        assert words.title(terminal.inbox).split()[-1] == str(
            count_of(terminal.inbox, terminal.inbox.view.query)
        )
        terminal.query("is:followup")
        assert len(terminal.names) == 1


def test_a_row_that_came_under_the_cursor_by_itself_is_not_read() -> None:
    terminal = Terminal(Server(30))
    terminal.press("j", "z", seconds=10.0)
    assert f"looked at/{terminal.inbox.selection.id}" not in terminal.cache.settings


def test_it_comes_back_unread_when_its_time_has_come() -> None:
    terminal = Terminal(Server(30))
    terminal.press("j")
    name, before = terminal.selected, terminal.names
    terminal.press("m", "z", seconds=20.0)
    assert name not in terminal.names
    terminal.wait(20.0)
    assert terminal.names == before
    assert name in terminal.unread
    assert terminal.warned == [f"To follow up: {name}"]


def test_reading_it_ends_the_follow_up() -> None:
    terminal = Terminal(Server(30))
    terminal.press("z", seconds=40.0)
    terminal.query("is:followup")
    assert len(terminal.names) == 1
    terminal.press("enter")
    terminal.query("is:open")
    terminal.query("is:followup")
    assert terminal.names == []


def test_it_comes_back_at_once_when_its_customer_writes() -> None:
    server = Server(30)
    terminal = Terminal(server)
    id, name = terminal.inbox.selection.id or "", terminal.selected
    terminal.hide(5 * HOUR)
    terminal.wait(30.0)
    assert name not in terminal.names
    server.change(id, labels=["billing"])
    terminal.wait(30.0)
    assert name not in terminal.names
    server.change(id, last_inbound_at=(START + timedelta(minutes=1)).isoformat())
    terminal.wait(30.0)
    assert name in terminal.unread


def test_follow_ups_are_listed_without_a_look_at_the_whole_inbox() -> None:
    server = Server(3000)
    terminal = Terminal(server)
    terminal.press("z", "J", "z")
    hidden = set(terminal.cache.follow_ups.hidden())
    pages = server.pages
    terminal.query("is:followup", seconds=3.0)
    assert set(terminal.ids) == hidden
    assert len(hidden) == 2
    assert server.pages <= pages + 2
    assert terminal.inbox.view.complete


def test_a_customer_leads_to_a_hidden_conversation() -> None:
    terminal = Terminal(Server(30))
    phone, id = terminal.listed[0].contact.phone, terminal.ids[0]
    terminal.press("z")
    terminal.query(f"from:{phone}", seconds=2.0)
    assert terminal.ids == [id]


def test_a_hidden_conversation_is_not_counted_here() -> None:
    terminal = Terminal(basic(9))
    query = parse("is:open unread")
    terminal.query("is:open unread", seconds=2.0)
    number = count_of(terminal.inbox, query)
    terminal.press("z", seconds=2.0)
    assert number is not None
    assert count_of(terminal.inbox, query) == number - 1 == len(terminal.names)


def test_hiding_is_undone_with_the_time_of_before() -> None:
    terminal = Terminal(Server(30))
    before = terminal.names
    terminal.hide(HOUR)
    first = terminal.cache.follow_ups.hidden()
    terminal.query("is:followup")
    terminal.hide(2 * HOUR)
    terminal.press("undo z")
    assert terminal.cache.follow_ups.hidden() == first
    terminal.query("is:open")
    terminal.hide(HOUR)
    terminal.press("undo z")
    assert terminal.names == before[1:]


def test_a_restart_brings_back_what_is_due() -> None:
    server = Server(30)
    terminal = Terminal(server)
    name = terminal.selected
    terminal.hide(HOUR)
    server.now += timedelta(hours=2)
    again = Terminal(server, cache=terminal.cache)
    assert name in again.unread
    assert again.warned == [f"To follow up: {name}"]


def test_a_clock_that_is_set_ahead_brings_it_back_within_a_minute() -> None:
    terminal = Terminal(Server(30))
    name = terminal.selected
    terminal.hide(5 * HOUR)
    terminal.clock.ahead = 6 * HOUR
    terminal.wait(61.0)
    assert name in terminal.names


def test_a_clock_that_is_set_back_hides_nothing_again() -> None:
    terminal = Terminal(Server(30))
    name = terminal.selected
    terminal.hide(30.0)
    terminal.wait(40.0)
    terminal.clock.ahead = -2 * HOUR
    terminal.wait(120.0)
    assert name in terminal.names


def test_of_many_that_come_back_at_once_three_are_named() -> None:
    server = Server(60)
    terminal = Terminal(server)
    for _ in range(5):
        terminal.hide(HOUR)
    server.now += timedelta(hours=2)
    again = Terminal(server, cache=terminal.cache)
    [words] = again.warned
    assert words.count("Customer") == 3
    assert words.endswith("and 2 more")
    assert again.told.count("ring") == 1


def test_three_that_come_back_are_all_named() -> None:
    server = Server(60)
    terminal = Terminal(server)
    for _ in range(3):
        terminal.hide(HOUR)
    server.now += timedelta(hours=2)
    [words] = Terminal(server, cache=terminal.cache).warned
    assert words.count("Customer") == 3
    assert "more" not in words


def test_those_whose_rows_are_not_here_are_counted() -> None:
    terminal = Terminal(Server(60))
    for id in ("900", "901"):
        terminal.cache.set_setting(f"hidden until/{id}", START.isoformat())
    terminal.do(follow_ups.bring_back_due, terminal.inbox)
    assert terminal.warned == ["To follow up: 2 conversations"]


def test_the_numbers_follow_what_is_hidden_and_what_is_shown_again() -> None:
    terminal = Terminal(basic(9))
    terminal.query("", seconds=2.0)
    label = terminal.listed[0].labels or ["billing"]
    terminal.query(f"#{label[0]}", seconds=2.0)
    number = count_with(terminal.inbox, "label", label[0])
    assert number == len(terminal.names) > 1
    terminal.press("z", seconds=0.0)
    assert count_with(terminal.inbox, "label", label[0]) == number - 1
    terminal.press("undo z", seconds=0.0)
    assert count_with(terminal.inbox, "label", label[0]) == number


def test_a_view_that_is_filtered_here_shows_at_once_what_is_hidden_and_what_is_not() -> None:
    terminal = Terminal(basic(30))
    terminal.query("unread", seconds=2.0)
    before = terminal.names
    terminal.press("z", seconds=0.0)
    assert terminal.names == before[1:]
    terminal.press("undo z", seconds=0.0)
    assert terminal.names == before
