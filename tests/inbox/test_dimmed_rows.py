"""Rows that are dimmed: a filter is applied here, or another view has told of them."""

from datetime import timedelta

from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import timestamp
from tests.inbox.memory import DOWN, Server, Terminal


def test_a_row_that_was_resolved_stays_dimmed_when_it_is_marked_as_unread() -> None:
    server = Server(30, lacks=EXTENSIONS)
    terminal = Terminal(server)
    terminal.query("is:open unread", seconds=3.0)
    terminal.press("g", seconds=0.5)
    here = terminal.window.selected_id or ""
    server.change(here, status="resolved")
    terminal.wait(32.0)
    assert terminal.window.selected_id == here
    assert here in terminal.window.dimmed
    terminal.press("m")
    assert here in terminal.window.dimmed
    server.change(here, status="open")
    terminal.wait(32.0)
    assert here not in terminal.window.dimmed


def test_a_row_that_was_read_here_matches_again_when_it_is_marked_as_unread() -> None:
    terminal = Terminal(Server(30, lacks=EXTENSIONS))
    terminal.query("is:open unread", seconds=3.0)
    terminal.press("g", seconds=4.0)
    here = terminal.window.selected_id
    assert terminal.window.dimmed == {here}
    terminal.press("m")
    assert terminal.window.dimmed == set()


def test_a_row_that_was_marked_as_unread_no_longer_matches_where_those_are_left_out() -> None:
    terminal = Terminal(Server(30, lacks=EXTENSIONS))
    terminal.query("is:open -unread", seconds=3.0)
    terminal.press("g", seconds=0.5)
    here = terminal.window.selected_id
    terminal.press("m")
    assert terminal.window.dimmed == {here}
    assert terminal.status.endswith(", 1 no longer matches")
    terminal.press("m")
    assert terminal.window.dimmed == set()


def test_offline_a_row_is_dimmed_that_another_view_has_shown_to_be_resolved() -> None:
    terminal = Terminal(server := Server(30))
    terminal.query("is:open", seconds=3.0)
    here = terminal.listed[2].id
    # No activity: its place is the same.
    updated = timestamp(round((server.now + timedelta(seconds=1)).timestamp() * 1000))
    resolved = {"status": "resolved", "updated_at": updated}
    server.rows[here] = server.rows[here].model_copy(update=resolved)
    terminal.query("is:resolved", seconds=3.0)
    server.error = DOWN
    terminal.query("is:open", seconds=1.0)
    left = [row.id for row in terminal.listed if terminal.inbox.view.has_left(row)]
    assert left == [here]
    server.error = None
    terminal.press("ctrl+r", seconds=2.0)
    assert here not in {row.id for row in terminal.listed}
