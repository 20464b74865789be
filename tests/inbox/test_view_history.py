"""Back and forward through the views that were shown."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.inbox.rows import Place
from frontdesk.inbox.view import ViewHistory, ViewPlace, VisitedView
from frontdesk.query import parse
from tests.inbox.memory import Server, Terminal

QUERIES = [parse(text) for text in ("is:open", "is:snoozed", "#vip", "")]
# A number shows that query, a letter goes back or forward.
STEPS = st.lists(st.one_of(st.integers(0, len(QUERIES) - 1), st.sampled_from("HL")), max_size=30)


def at(row: str) -> ViewPlace:
    """Where a view is left, with the cursor on a row."""
    return ViewPlace(row, Place(row, 0, row), False, (row,), ())


@given(STEPS)
def test_back_and_forward_lead_through_the_views_as_in_a_browser(steps: list[int | str]) -> None:
    history = ViewHistory()
    visits, here = [VisitedView(QUERIES[0], at("first"))], 0
    for number, step in enumerate(steps):
        # The place is of the moment at which a view is left.
        shown = visits[here] = visits[here]._replace(place=at(str(number)))
        assert history.has_before == (here > 0)
        if isinstance(step, int):
            history.leave(*shown)
            visits, here = [*visits[: here + 1], VisitedView(QUERIES[step], at("new"))], here + 1
            continue
        there = here + (-1 if step == "H" else 1)
        expected = visits[there] if 0 <= there < len(visits) else None
        assert history.step(there - here, *shown) == expected
        here = here if expected is None else there


def test_where_there_is_no_view_to_go_to_it_is_said() -> None:
    terminal = Terminal(Server(30))
    terminal.press("H")
    assert terminal.said == ["No previous view"]
    terminal.query("is:snoozed")
    terminal.press("L")
    assert terminal.said == ["No next view"]
    terminal.press("H")
    assert terminal.said == []


def test_each_saved_view_is_where_it_was_left_with_its_marks() -> None:
    terminal = Terminal(Server(60))
    terminal.press("9", *"jjjjjjjjjj", "space", *"jjjjjjjjjjjj")
    window, seen = terminal.window, terminal.window.keys_in_view()
    selected, marked = window.selected_id, list(window.marked)
    assert len(marked) == 1
    terminal.press("5")
    assert window.marked == []
    terminal.press("space", "j", "space", "9")
    assert (window.selected_id, window.marked) == (selected, marked)
    assert window.keys_in_view() == seen
    terminal.press("5")
    assert len(window.marked) == 2


def test_a_view_that_was_left_at_its_top_shows_what_has_come_above() -> None:
    server = Server(60)
    terminal = Terminal(server)
    terminal.press("9")
    newest = terminal.window.rows[9].id
    terminal.press("5")
    server.change(newest)
    terminal.press("9")
    terminal.wait(60.0)
    assert terminal.window.rows.find(f"conversation {newest}") == 0
    assert terminal.window.at_start
    terminal.press("5", "9")
    assert terminal.window.at_start


def test_a_view_whose_row_has_left_is_at_the_row_that_followed() -> None:
    server = Server(60)
    terminal = Terminal(server)
    terminal.press("9", *"jjjjjjjj")
    window = terminal.window
    id, after = window.selected_id, window.rows[window.cursor + 1].id
    terminal.press("5")
    assert id is not None
    server.change(id, status="resolved")
    terminal.press("9")
    terminal.wait(60.0)
    terminal.press("5", "9")
    assert window.selected_id in (id, after)
