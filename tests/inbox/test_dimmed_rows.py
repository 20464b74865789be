"""Rows that are dimmed where a filter is applied here."""

from frontdesk.wire.queries import EXTENSIONS
from tests.inbox.memory import Server, Terminal


def test_a_row_that_was_resolved_stays_dimmed_when_it_is_marked_as_unread() -> None:
    server = Server(30, lacks=EXTENSIONS)
    terminal = Terminal(server)
    terminal.query("is:open unread", seconds=3.0)
    terminal.press("g", seconds=0.5)
    here = terminal.window.selected_id or ""
    server.change(here, status="resolved")
    terminal.wait(12.0)
    assert terminal.window.selected_id == here
    assert here in terminal.window.dimmed
    terminal.press("m")
    assert here in terminal.window.dimmed
    server.change(here, status="open")
    terminal.wait(12.0)
    assert here not in terminal.window.dimmed


def test_a_row_that_was_read_here_matches_again_when_it_is_marked_as_unread() -> None:
    terminal = Terminal(Server(30, lacks=EXTENSIONS))
    terminal.query("is:open unread", seconds=3.0)
    terminal.press("g", seconds=4.0)
    here = terminal.window.selected_id
    assert terminal.window.dimmed == {here}
    terminal.press("m")
    assert terminal.window.dimmed == set()
