"""Back and forward through the views that were shown."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.inbox.view import ViewHistory, VisitedView
from frontdesk.query import parse
from tests.inbox.memory import Server, Terminal

QUERIES = [parse(text) for text in ("is:open", "is:snoozed", "#vip", "")]
# A number shows that query, a letter goes back or forward.
STEPS = st.lists(st.one_of(st.integers(0, len(QUERIES) - 1), st.sampled_from("HL")), max_size=30)


@given(STEPS)
def test_back_and_forward_lead_through_the_views_as_in_a_browser(steps: list[int | str]) -> None:
    history = ViewHistory()
    visits, here = [VisitedView(QUERIES[0], None)], 0
    for number, step in enumerate(steps):
        # The selection is of the moment at which a view is left.
        shown = visits[here] = visits[here]._replace(selected=str(number))
        assert history.has_before == (here > 0)
        if isinstance(step, int):
            history.leave(*shown)
            visits, here = [*visits[: here + 1], VisitedView(QUERIES[step], None)], here + 1
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
