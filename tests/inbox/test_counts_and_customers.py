"""Counts of views, and the conversations of one customer."""

from datetime import timedelta

from frontdesk.errors import InboxError, NotFound
from frontdesk.inbox import navigating, words
from frontdesk.inbox.chips import chips
from frontdesk.inbox.counting import UnreadCount, count_of, unread_count
from frontdesk.inbox.limits import MOST_MARKS_COUNTED
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.values import timestamp
from tests.inbox.asked import Description, FindContact
from tests.inbox.memory import DOWN, PAGE, START, VIEWS, Cache, Server, Terminal, basic, name

MINE, WAITING, ALL_OPEN = VIEWS[0].query, VIEWS[3].query, VIEWS[4].query


def header(terminal: Terminal) -> list[str]:
    """The terms of the query as the header says them; ~ marks those applied to a part."""
    inbox = terminal.inbox
    partial = inbox.partial_terms
    pairs = chips(inbox.view.query, inbox.planning.names, inbox.clock.server_now())
    return [f"~{label}" if term in partial else label for term, label in pairs]


def test_counts_stand_on_a_tab_only_where_they_count_its_rows() -> None:
    terminal = Terminal(Server(30))
    terminal.wait(3.0)
    assert count_of(terminal.inbox, ALL_OPEN) == 20
    assert words.title(terminal.inbox) == "All open 20"


def test_the_title_of_the_list_counts_as_its_tab_does() -> None:
    terminal = Terminal(Server(120))
    terminal.press("8", seconds=3.0)
    rows = len(terminal.names)
    assert rows
    assert count_of(terminal.inbox, WAITING) == rows
    assert words.title(terminal.inbox) == f"Waiting >1h {rows}"
    assert terminal.loaded == rows


def test_a_tab_does_not_count_rows_that_the_server_has_more_of_by_now() -> None:
    server, long_ago = basic(15), timestamp(round((START - timedelta(hours=2)).timestamp() * 1000))
    for id in ("0", "1", "3"):
        server.change(id, waiting_since=long_ago)
    terminal = Terminal(server)
    terminal.press("9", seconds=3.0)
    assert count_of(terminal.inbox, WAITING) == 3
    terminal.press("6")
    server.change("2", status="open", waiting_since=long_ago)
    terminal.wait(60.0)
    assert count_of(terminal.inbox, WAITING) is None
    terminal.press("9", seconds=3.0)
    assert count_of(terminal.inbox, WAITING) == 4


class IgnoresLabels(Cache):
    """The server's counts of a label are those of all conversations."""

    def counts(self, filter: ConversationFilter) -> Counts | None:
        return self.counted.get(ConversationFilter())


def test_counts_of_all_conversations_are_not_taken_for_those_of_a_label() -> None:
    server = Server(30)
    terminal = Terminal(server, cache=IgnoresLabels(server))
    terminal.query("is:open #refund", seconds=3.0)
    assert len(terminal.names) == 5
    assert words.title(terminal.inbox) == "Your filter 5"


def test_the_view_of_a_channel_has_its_name() -> None:
    terminal = Terminal(Server(30))
    for query in ("in:London", "is:open in:London"):
        terminal.query(query, seconds=3.0)
        assert words.title(terminal.inbox).startswith("London ")
    for query in ("-in:London", "in:London,Madrid", "in:London #refund"):
        terminal.query(query, seconds=3.0)
        assert words.title(terminal.inbox).startswith("Your filter")


def test_a_customer_with_further_filters_shows_what_the_header_says() -> None:
    terminal = Terminal(server := Server(60))
    terminal.do(navigating.show_customer, terminal.inbox, server.rows["14"].contact)
    terminal.wait(3.0)
    customer = f'from:"{name(14)}" +44 7700 900014'
    assert terminal.names == [name(14)]
    assert header(terminal) == [customer]
    assert words.title(terminal.inbox) == f"{name(14)} 1"
    for kind, value in (("is", "resolved"), ("in", "Madrid")):
        query = terminal.inbox.view.query.with_value(kind, value)
        terminal.do(navigating.show, terminal.inbox, query)
        terminal.wait(3.0)
    assert header(terminal) == ["is:resolved", "in:Madrid", customer]
    assert not terminal.names


def test_offline_a_number_leads_to_its_customer_without_a_scan() -> None:
    terminal = Terminal(server := Server(400))
    server.error = DOWN
    terminal.press("ctrl+r", seconds=1.0)
    terminal.query(f"from:{server.rows['7'].contact.phone}", seconds=1.0)
    assert terminal.names == [name(7)]
    assert header(terminal) == [f'~from:"{name(7)}" +44 7700 900007']
    assert "~1 on this computer" in terminal.status


def test_a_number_that_nobody_has_is_not_searched_in_all_conversations() -> None:
    def is_unknown(request: Description) -> InboxError | None:
        return NotFound("No contact has this number") if isinstance(request, FindContact) else None

    terminal = Terminal(server := Server(300, fails=is_unknown))
    terminal.wait(2.0)
    pages = server.pages
    terminal.query("from:+447700900290", seconds=3.0)
    assert "No customer fits +447700900290." in words.empty(terminal.inbox)
    assert terminal.status.endswith("no match")
    terminal.wait(60.0)
    # Some are loaded until that is known; of 300 there are 15.
    assert server.pages <= pages + 3
    server.fails = lambda request: None
    terminal.press("ctrl+r", seconds=2.0)
    assert terminal.names == [name(290)]


def test_who_is_me_is_known_before_a_list_of_mine_was_opened() -> None:
    server = Server(15)
    for id in ("3", "9"):
        server.change(id, assignee={"id": "2", "name": "Ana Souza"})
    rows = [row for row in server.rows.values() if row.status == "open" and row.assignee]
    mine = {row.contact.name or "" for row in rows if row.assignee and row.assignee.id == "1"}
    terminal = Terminal(server)
    terminal.press("g", seconds=2.0)
    assert terminal.cache.me == "1"
    server.error = DOWN
    terminal.press("ctrl+r", seconds=1.0)
    terminal.press("5", seconds=1.0)
    assert "from the open list" in terminal.status
    assert set(terminal.names) == mine
    terminal.query("is:open -@me", seconds=1.0)
    assert terminal.names
    assert not mine & set(terminal.names)


def test_a_row_that_has_left_since_does_not_end_the_list_of_those_after_it() -> None:
    server = Server(400)
    terminal = Terminal(server)
    terminal.query(str(WAITING), seconds=2.0)
    first = terminal.ids[0]
    # As another list, or a thread, has it by now.
    server.change(first, status="resolved")
    terminal.cache.rows[first] = server.rows[first]
    server.error = DOWN
    terminal.query("is:resolved")
    assert count_of(terminal.inbox, WAITING) != 0
    terminal.query(str(WAITING), seconds=2.0)
    assert len(terminal.ids) >= PAGE - 1


def test_the_servers_number_of_unread_falls_as_one_reads() -> None:
    server = Server(200, counts_by=True)
    terminal = Terminal(server)
    terminal.wait(3.0)
    assert not terminal.inbox.view.complete
    opened = [row for row in server.rows.values() if row.status == "open"]
    of_server = sum(bool(row.unread_count) for row in opened)
    assert unread_count(terminal.inbox) == UnreadCount(of_server)
    for read in (1, 2, 3):
        terminal.press("g" if read == 1 else "j", "u", seconds=4.0)
        assert unread_count(terminal.inbox).number == of_server - read
    terminal.press("m")
    assert unread_count(terminal.inbox).number == of_server - 2
    # What the server forgets by itself is not taken from its number twice.
    selected = terminal.window.selected_id
    assert selected is not None
    terminal.press("m")
    server.change(selected, unread_count=0)
    terminal.press("ctrl+r", seconds=4.0)
    assert unread_count(terminal.inbox).number == of_server - 3


def test_too_many_marks_leave_the_servers_number_as_it_is() -> None:
    terminal = Terminal(Server(200, counts_by=True))
    terminal.wait(3.0)
    number = unread_count(terminal.inbox).number
    for id in range(MOST_MARKS_COUNTED + 1):
        terminal.cache.marks.mark_unread(f"of another day {id}")
    terminal.press("ctrl+r", seconds=4.0)
    assert unread_count(terminal.inbox) == UnreadCount(number, of_server=True)
    terminal.query("-unread", seconds=2.0)
    assert words.title(terminal.inbox) == "Your filter"
    assert terminal.status.endswith(f"{len(terminal.ids)} loaded, more below")


def test_once_all_open_conversations_are_loaded_the_unread_ones_are_those_unread_here() -> None:
    terminal = Terminal(server := Server(90))
    terminal.wait(3.0)
    # A part of the list is not counted.
    assert not terminal.inbox.view.complete
    assert unread_count(terminal.inbox).number is None
    terminal.press("G", seconds=3.0)
    opened = [row for row in server.rows.values() if row.status == "open"]
    unread = {row.id for row in opened if row.unread_count}
    assert unread_count(terminal.inbox).number == len(unread)
    terminal.press("g", "u", seconds=4.0)
    assert terminal.window.selected_id in unread
    assert unread_count(terminal.inbox).number == len(unread) - 1
    terminal.press("m")
    assert unread_count(terminal.inbox).number == len(unread)
