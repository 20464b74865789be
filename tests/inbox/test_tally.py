"""Numbers of the values of a picker: those of the server, else of rows that are all loaded."""

from collections import Counter
from collections.abc import Mapping

import pytest

from frontdesk.inbox.counting import count_of, count_with, total
from frontdesk.query import Term, parse
from frontdesk.wire import Conversation
from tests.inbox.asked import FetchCounts
from tests.inbox.memory import CHANNELS, LABELS, Cache, Server, Terminal

SMALL = 15
# Values as pickers have them, with the terms that they stand for.
VALUES: Mapping[str, Mapping[str, Term]] = {
    "is": {one: Term("is", one) for one in ("open", "snoozed", "resolved")},
    "assignee": {
        **{word: Term("assignee", word) for word in ("me", "unassigned", "assigned")},
        "1": Term("assignee", "id:1"),
    },
    "in": {id: Term("in", f"id:{id}") for id in CHANNELS},
    "label": {title: Term("label", title) for title in LABELS},
}


def tally(terminal: Terminal, kind: str) -> Mapping[str, int] | None:
    return terminal.inbox.view.tallies.get(kind)


def with_names(server: Server) -> Terminal:
    """An inbox that has the catalogues, and knows who is "me"."""
    cache = Cache(server)
    cache.has_names, cache.me = True, "1"
    return Terminal(server, cache=cache)


def owners(rows: list[Conversation]) -> Counter[str]:
    return Counter(row.assignee.id if row.assignee else "" for row in rows)


def test_values_are_counted_whatever_of_their_kind_the_view_has() -> None:
    terminal = Terminal(Server(SMALL))
    opened = [row for row in terminal.server.rows.values() if row.status == "open"]
    labels = Counter(label for row in opened for label in row.labels)
    assert tally(terminal, "assignee") == owners(opened)
    assert tally(terminal, "label") == labels
    terminal.query("is:open #billing")
    assert tally(terminal, "label") == labels


def test_terms_that_are_applied_here_narrow_the_numbers() -> None:
    terminal = Terminal(Server(SMALL))
    terminal.query("is:open -needs:human")
    rows = [
        row
        for row in terminal.server.rows.values()
        if row.status == "open" and not row.awaiting_human
    ]
    assert tally(terminal, "label") == Counter(label for row in rows for label in row.labels)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "is:open",
        "is:open,snoozed",
        "is:open @grace",
        "is:open @me",
        "is:resolved #refund",
        "is:open,resolved @unassigned,grace",
        "is:open,snoozed @assigned #billing",
        "is:open in:london,madrid @grace",
        "@grace in:london #billing",
        "is:open needs:human",
        "is:open -needs:human",
        "-is:resolved -@grace -in:madrid",
        "is:open,snoozed needs:human @unassigned",
        "is:open sort:waiting",
    ],
)
def test_each_value_has_the_number_of_the_rows_that_it_would_lead_to(text: str) -> None:
    terminal = with_names(server := Server(400, counts_by=True))
    terminal.query(text, seconds=3.0)
    inbox, query = terminal.inbox, parse(text)
    for kind, values in VALUES.items():
        rest = [term for term in query.terms if term.kind != kind]
        for value, term in values.items():
            matches = inbox.planning.test([*rest, term])
            rows = [row for row in server.rows.values() if matches(row)]
            assert count_with(inbox, kind, value) == len(rows), (kind, value)
    matches = inbox.planning.test(query.terms)
    assert total(inbox) == sum(map(matches, server.rows.values()))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        # The server does not know what was read here, and one conversation may have both labels.
        ("is:open unread", VALUES),
        ("is:open #billing,refund", ("is", "assignee", "in")),
        ("is:open -#refund", VALUES),
        ("created:2026..", VALUES),
        ("is:open hello", VALUES),
    ],
)
def test_what_the_server_does_not_count_has_no_numbers(text: str, kinds: list[str]) -> None:
    terminal = Terminal(Server(400, counts_by=True))
    terminal.query(text, seconds=3.0)
    for kind in kinds:
        assert tally(terminal, kind) is None
        assert {count_with(terminal.inbox, kind, value) for value in VALUES[kind]} == {None}


def test_a_server_that_does_not_count_by_value_is_not_asked_for_the_numbers_of_pickers() -> None:
    for counts_by, requests in ((True, 3), (False, 1)):
        terminal = with_names(server := Server(400, counts_by=counts_by))
        server.asked.clear()
        terminal.query("is:open @grace in:london", seconds=3.0)
        counted = [one.filter for one in server.asked if isinstance(one, FetchCounts)]
        narrower = {repr(filter) for filter in counted if filter.query is None}
        assert len(narrower) - 1 == requests


def test_several_states_and_users_are_tabs_with_their_number() -> None:
    terminal = with_names(server := Server(400, counts_by=True))
    terminal.query("is:open,snoozed @unassigned,grace", seconds=3.0)
    rows = [row for row in server.rows.values() if row.status != "resolved"]
    assert count_of(terminal.inbox, parse("is:open,snoozed @unassigned,grace")) == len(rows)


def test_the_numbers_are_those_of_the_last_refresh() -> None:
    terminal = Terminal(server := Server(400, counts_by=True))
    before = tally(terminal, "label") or {}
    row = next(row for row in server.rows.values() if row.status == "open" and row.labels)
    server.change(row.id, status="resolved")
    terminal.wait(60.0)
    after = tally(terminal, "label") or {}
    assert {label: before[label] - after[label] for label in before} == {
        label: int(label in row.labels) for label in before
    }


def test_a_view_of_a_user_has_the_number_of_the_server() -> None:
    terminal = Terminal(server := Server(400, counts_by=True))
    terminal.query("is:open @grace", seconds=3.0)
    rows = [row for row in server.rows.values() if row.status == "open" and row.assignee]
    assert len(terminal.names) < len(rows)
    assert total(terminal.inbox) == len(rows)


def test_a_part_of_a_list_is_not_counted() -> None:
    terminal = Terminal(Server(400))
    assert tally(terminal, "assignee") is None


def test_a_hidden_conversation_is_not_counted() -> None:
    terminal = Terminal(Server(SMALL))
    before = tally(terminal, "label") or {}
    row = terminal.window.row
    assert row is not None
    terminal.press("z")
    after = tally(terminal, "label") or {}
    assert sum(before.values()) - sum(after.values()) == len(row.labels)
