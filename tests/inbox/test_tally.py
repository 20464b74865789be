"""Numbers of the values of a picker, of a view whose rows are all loaded."""

from collections import Counter
from collections.abc import Mapping

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
