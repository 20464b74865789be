"""Numbers of the values of a picker, of a view whose rows are all loaded."""

from collections import Counter
from collections.abc import Mapping

import pytest

from frontdesk.inbox.counting import total
from tests.inbox.memory import Server, Terminal

SMALL = 15


def tally(terminal: Terminal, kind: str) -> Mapping[str, int] | None:
    return terminal.inbox.view.tallies.get(kind)


def test_values_are_counted_whatever_of_their_kind_the_view_has() -> None:
    terminal = Terminal(Server(SMALL))
    opened = [row for row in terminal.server.rows.values() if row.status == "open"]
    owners = Counter(row.assignee.id for row in opened if row.assignee)
    labels = Counter(label for row in opened for label in row.labels)
    assert tally(terminal, "assignee") == owners
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


@pytest.mark.parametrize("text", ["is:open", "is:resolved #refund", "is:open @grace", ""])
def test_the_server_counts_the_values_of_a_list_of_which_a_part_is_loaded(text: str) -> None:
    terminal = Terminal(server := Server(400, counts_by=True))
    terminal.query(text, seconds=3.0)
    status = terminal.inbox.view.shown.filter.status
    rows = [row for row in server.rows.values() if status in (None, row.status)]
    owners = Counter(row.assignee.id if row.assignee else "" for row in rows)
    labels = Counter(label for row in rows for label in row.labels)
    if "#" not in text:
        assert tally(terminal, "assignee") == owners
    if "@" not in text:
        assert tally(terminal, "label") == labels


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("is:open #refund", "assignee"),
        ("is:open @grace", "label"),
        ("is:open unread", "label"),
        ("is:open,snoozed", "label"),
        ("is:open -needs:human", "label"),
    ],
)
def test_what_the_server_does_not_count_has_no_numbers(text: str, kind: str) -> None:
    terminal = Terminal(Server(400, counts_by=True))
    terminal.query(text, seconds=3.0)
    assert tally(terminal, kind) is None


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
