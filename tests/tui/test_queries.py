"""Filters as text and views as tabs, as somebody uses them who answers customers all day."""

from textual.widgets import Input

from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.dialogs.filter_line import FilterLine
from tests.tui.conftest import Viewer, lines, settle
from tests.tui.inbox_state import queue, screen_of
from tests.tui.views import press


def query_of(app: FrontdeskApp) -> str:
    return str(screen_of(app).queue.list_query)


async def test_open_mine_a_label_and_a_channel_take_at_most_twelve_keys(viewer: Viewer) -> None:
    app = viewer()
    keys = ("5", "F", *"#v", "tab", *"in:l", "tab", "enter")
    assert len(keys) <= 12
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "r", "S", "w", "enter")
        assert screen_of(app).panes.at == "thread"
        await press(pilot, *keys)
        query = screen_of(app).queue.list_query
        assert (query.value("is"), query.value("assignee")) == ("open", "me")
        assert query.value("label") == "vip"
        assert query.value("in") == "London"
        assert all("vip" in row.labels and row.status == "open" for row in queue(app))


async def test_the_menu_and_the_line_edit_the_same_query(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "u", "f", "n")
        await press(pilot, "F")
        assert isinstance(app.screen, FilterLine)
        field = app.screen.query_one(Input)
        assert field.value == "is:open @unassigned unread "
        await press(pilot, *"waiting:>1h", "enter")
        assert query_of(app) == "is:open @unassigned unread waiting:>1h"
        assert "is:open" in lines(app)[0]
        assert "waiting:>1h" in lines(app)[0]
        await press(pilot, "backspace", "backspace")
        assert query_of(app) == "is:open @unassigned"
