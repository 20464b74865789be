"""Queries by what is unread: the server's numbers, put right by what was read here."""

from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.inbox import words
from frontdesk.inbox.counting import count_of
from frontdesk.query import parse
from frontdesk.query.terms import UNREAD
from frontdesk.wire.queries import EXTENSIONS
from tests.inbox.asked import FetchCounts
from tests.inbox.memory import HEIGHT, PAGE, Server, Terminal
from tests.inbox.waiting import further_pages

OPEN_READ = "is:open -unread"


def matching(terminal: Terminal, text: str) -> set[str]:
    """Ids of the server's conversations that a query matches on this computer."""
    planning = terminal.inbox.planning
    rows = terminal.server.rows.values()
    unread = terminal.cache.marks.unread_among(rows)
    matches = planning.test(parse(text).terms, is_unread=lambda row: row.id in unread)
    return {row.id for row in rows if matches(row)}


@settings(max_examples=60, deadline=None)
@given(
    unread=st.sampled_from(["unread", "-unread"]),
    others=st.lists(
        st.sampled_from(["is:open", "#billing", "-#refund", "in:London", "needs:human", "@me"]),
        unique=True,
        max_size=3,
    ),
    order=st.sampled_from(["", "sort:oldest"]),
    read=st.sets(st.integers(0, 199), max_size=12),
    marked=st.sets(st.integers(0, 199), max_size=6),
)
def test_a_query_by_what_is_unread_has_its_number_before_its_rows(
    unread: str, others: list[str], order: str, read: set[int], marked: set[int]
) -> None:
    server = Server(200, counts_by=True)
    terminal = Terminal(server, read_after="never")
    terminal.press("G", seconds=2.0)
    known = sorted(terminal.cache.rows, key=int)
    for at in read:
        terminal.cache.marks.mark_read(known[at % len(known)])
    for at in marked:
        terminal.cache.marks.mark_unread(known[at % len(known)])
    text = " ".join([*others, unread, order])
    terminal.query(text, seconds=2.0)
    expected = matching(terminal, text)
    assert count_of(terminal.inbox, parse(text)) == len(expected)
    for _ in range(len(server.rows) // PAGE):
        terminal.press("G", seconds=1.0)
    assert set(terminal.ids) == expected
    assert words.title(terminal.inbox).endswith(f" {len(expected)}")
    assert "~" not in terminal.status


def test_what_was_read_comes_in_pages_as_any_list_does() -> None:
    terminal = Terminal(server := Server(200, counts_by=True))
    terminal.wait(3.0)
    server.asked.clear()
    terminal.query(OPEN_READ, seconds=60.0)
    number, pages = len(matching(terminal, OPEN_READ)), further_pages(server)
    # The first rows fill the pane.
    assert HEIGHT <= len(terminal.ids) < number
    assert terminal.status.endswith(f"{len(terminal.ids)} of {number} loaded")
    assert not terminal.inbox.partial_terms
    terminal.press("G", seconds=1.0)
    assert further_pages(server) > pages
    assert terminal.window.cursor == len(terminal.ids) - 1


def test_pages_with_little_of_what_was_read_come_by_a_key_alone() -> None:
    server = Server(200, counts_by=True)
    for id in list(server.rows)[20:]:
        server.change(id, unread_count=2)
    terminal = Terminal(server)
    terminal.wait(3.0)
    server.asked.clear()
    terminal.query(OPEN_READ, seconds=60.0)
    assert not further_pages(server)
    assert [term.kind for term in terminal.inbox.partial_terms] == [UNREAD]
    assert terminal.status.endswith("last: load more")
    number = len(matching(terminal, OPEN_READ))
    assert len(terminal.ids) < number
    assert words.title(terminal.inbox).endswith(f"filter {number}")
    terminal.press("G", seconds=2.0)
    assert further_pages(server) == 1


def test_a_server_without_queries_is_asked_for_no_number_by_a_query() -> None:
    terminal = Terminal(server := Server(200, lacks=EXTENSIONS, counts_by=True))
    terminal.wait(3.0)
    terminal.query(OPEN_READ, seconds=3.0)
    assert count_of(terminal.inbox, parse(OPEN_READ)) is None
    assert not [
        request
        for request in server.asked
        if isinstance(request, FetchCounts) and "unread" in (request.filter.query or "")
    ]


def test_a_number_that_ended_early_is_no_less_than_the_rows_that_are_loaded() -> None:
    terminal = Terminal(Server(200, counts_to=10), read_after="never")
    terminal.query("-waiting:>100w -unread", seconds=2.0)
    held = len(terminal.ids)
    assert 10 < held < len(matching(terminal, "-waiting:>100w -unread"))
    assert words.title(terminal.inbox).endswith(f" {held}+")
    assert terminal.status.endswith(f"{held} of {held}+ loaded")
