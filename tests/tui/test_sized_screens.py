"""From which size on a screen has which layout."""

import pytest
from textual.geometry import Size

from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.views.base import ViewScreen


class Inbox(SizedScreen[None]):
    HORIZONTAL_BREAKPOINTS = InboxScreen.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = InboxScreen.VERTICAL_BREAKPOINTS


class View(SizedScreen[None]):
    HORIZONTAL_BREAKPOINTS = ViewScreen.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ViewScreen.VERTICAL_BREAKPOINTS


@pytest.mark.parametrize(
    ("size", "inbox", "view"),
    [
        ((0, 0), "-tiny -flat", "-tiny -flat"),
        ((39, 9), "-tiny -flat", "-tiny -flat"),
        ((40, 10), "-single -short", "-narrow -short"),
        ((79, 19), "-single -short", "-narrow -short"),
        ((80, 20), "-double -short", "-medium -middle"),
        ((99, 31), "-double -short", "-medium -middle"),
        ((100, 32), "-triple -middle", "-wide -tall"),
        ((149, 49), "-triple -middle", "-wide -tall"),
        ((179, 49), "-trio -middle", "-wide -tall"),
        ((180, 50), "-quad -tall", "-wide -tall"),
    ],
)
def test_a_screen_is_laid_out_by_its_columns_and_lines(
    size: tuple[int, int], inbox: str, view: str
) -> None:
    for screen, layout in ((Inbox(), inbox), (View(), view)):
        for before in ((400, 200), (1, 1)):
            screen.take_classes(Size(*before), update=False)
            screen.take_classes(Size(*size), update=False)
            assert screen.classes == {*layout.split()}
