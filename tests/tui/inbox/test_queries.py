"""Filters as text and views as tabs."""

import re
from datetime import UTC

from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.query import SavedView, parse
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.filter_line import FilterLine
from frontdesk.tui.dialogs.picker import ChoiceList
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import User
from tests.conftest import NOW
from tests.tui.conftest import Viewer, lines, notifications, settle, shown, until
from tests.tui.inbox_state import queue, screen_of
from tests.tui.views import press, type_ahead


def query_of(app: FrontdeskApp) -> str:
    return str(screen_of(app).queue.inbox.view.query)


async def test_open_mine_a_label_and_a_channel_take_at_most_twelve_keys(viewer: Viewer) -> None:
    app = viewer()
    keys = ("5", "F", *"#v", "tab", *"in:l", "tab", "enter")
    assert len(keys) <= 12
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "r", "S", "w", "enter")
        assert screen_of(app).panes.at == "thread"
        await press(pilot, *keys)
        query = screen_of(app).queue.inbox.view.query
        assert (query.value("is"), query.value("assignee")) == ("open", "me")
        assert query.value("label") == "vip"
        assert query.value("in") == "London"
        assert all("vip" in row.labels and row.status == "open" for row in queue(app))


async def test_the_menu_and_the_line_edit_the_same_query(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "u", "f", "n")
        await press(pilot, "f", "f")
        assert isinstance(app.screen, FilterLine)
        await press(pilot, "escape", "F")
        assert isinstance(app.screen, FilterLine)
        field = app.screen.query_one(Input)
        assert field.value == "is:open @unassigned unread "
        await press(pilot, *"waiting:>1h", "enter")
        assert query_of(app) == "is:open @unassigned unread waiting:>1h"
        assert "is:open" in lines(app)[0]
        assert "waiting over 1 h" in lines(app)[0]
        await press(pilot, "backspace", "backspace")
        assert query_of(app) == "is:open @unassigned"


async def test_a_mistake_is_underlined_said_with_what_is_allowed_and_escape_restores(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "6", "F", *"is:done in:paris", "enter")
        assert isinstance(app.screen, FilterLine)
        assert "is: takes open, snoozed, resolved or followup." in shown(app)
        strip = app.screen.query_one(Input).render_line(0)
        under = [segment.text for segment in strip if segment.style and segment.style.underline]
        assert under == ["is:done", "in:paris"]
        await press(pilot, "escape")
        assert query_of(app) == "is:open @unassigned"


async def test_tab_goes_through_the_completions_and_up_through_earlier_queries(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "F", *"#re", "tab")
        assert isinstance(app.screen, FilterLine)
        assert app.screen.query_one(Input).value == "is:open #refund "
        await press(pilot, "tab", "shift+tab", "enter")
        assert query_of(app) == "is:open #refund"
        await press(pilot, "F", "up")
        await press(pilot, "escape", "9", "F", "up", "enter")
        assert query_of(app) == "is:open #refund"


async def test_tab_completes_the_term_at_the_cursor_as_a_click_does(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "F", "ctrl+u", *"#re unread", *["left"] * len(" unread"), "tab")
        assert app.screen.query_one(Input).value == "#refund  unread"
        await press(pilot, "escape", "F", "home", "@", "tab")
        field = app.screen.query_one(Input)
        assert field.value == "@me is:open "
        await pilot.click(ChoiceList, offset=(2, 2), times=2)
        await settle(pilot)
        assert field.value == f"{app.screen.query_one(ChoiceList).rows[2].value} is:open "
        # Typed ahead, it completes what is before it.
        await press(pilot, "escape", "F", "ctrl+u")
        type_ahead(app, *"in:l", "tab", *"@m", "tab", "enter")
        await until(pilot, lambda: not isinstance(app.screen, FilterLine))
        assert query_of(app) == "@me in:London"


async def test_back_and_forward_lead_through_views_with_their_selection(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j")
        selected = screen_of(app).queue.list.selected_id
        await press(pilot, "6", "ctrl+k", *"#refu", "enter")
        assert query_of(app) == "#refund"
        await press(pilot, "H", "H")
        assert query_of(app) == "is:open"
        assert screen_of(app).queue.list.selected_id == selected
        await press(pilot, "L", "L")
        assert query_of(app) == "#refund"
        await press(pilot, "L")
        assert notifications(app)[-1] == "No next view"


async def test_tabs_count_what_they_show(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in "56789":
            await press(pilot, key)
            tabs = re.split(" {2,}", lines(app)[1].strip())
            (tab,) = (tab for tab in tabs if tab.startswith(f"{key} "))
            assert tab.endswith(f" ({len(queue(app))})")


async def test_views_of_the_configuration_have_their_keys_and_those_without_are_in_the_menu(
    client: InboxClient, cache: Cache
) -> None:
    views = (
        SavedView("Refunds", parse("is:open #refund sort:waiting"), "8"),
        SavedView("Press", parse("#press")),
    )
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    app = FrontdeskApp(
        mailbox,
        title="sample",
        clock=Clock(UTC, lambda: NOW),
        preferences=Preferences(views=views),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "8 Refunds" in lines(app)[1]
        await press(pilot, "8")
        assert query_of(app) == "is:open #refund sort:waiting"
        await press(pilot, "v", "a")
        assert query_of(app) == "#press"


async def test_the_count_of_unread_conversations_stands_over_those_that_it_counts(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        for status in ("is:open", "is:snoozed", "is:resolved"):
            assert status in lines(app)[0]
            assert ("unread in the whole inbox" in lines(app)[0]) == (status == "is:open")
            await pilot.press("]")
            await settle(pilot)
        await pilot.press("f", "x", "backspace")
        await settle(pilot)
        assert "unread in the whole inbox" not in lines(app)[0]


async def test_the_count_of_unread_conversations_leads_to_those_that_it_counts(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "c", *"mad", "enter")
        await settle(pilot)
        count = re.search(r"(\d+) unread in the whole inbox", lines(app)[0])
        assert count
        await pilot.click("#header", offset=(count.start() + 1, 0))
        await settle(pilot)
        assert query_of(app) == "is:open unread"
        assert f"{count[1]} unread in the whole inbox" in lines(app)[0]
        assert len(queue(app)) == int(count[1])
        await pilot.press("j", "enter")
        await settle(pilot)
        await until(pilot, lambda: f"{int(count[1]) - 1} unread in the whole" in lines(app)[0])
        await pilot.click("#header", offset=(lines(app)[0].index("unread in the") + 1, 0))
        await settle(pilot)
        assert query_of(app) == "is:open"


async def test_a_start_in_what_is_not_mine_leaves_out_mine(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    mailbox.set_setting("inbox.query", "is:open -@me")
    app = FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, lambda: NOW))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        owners = {row.assignee and row.assignee.name for row in queue(app)}
        assert len(owners) > 1
        assert "Grace Okafor" not in owners


async def test_the_own_user_is_you_in_a_view_that_is_the_first_of_all(
    client: InboxClient, cache: Cache
) -> None:
    users = (await client.catalogue_page(User)).data
    me = next(user.id for user in users if user.name == "Grace Okafor")
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW, me=me)
    app = FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, lambda: NOW))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("9")
        await settle(pilot)
        rows = [line[:50] for line in lines(app)]
        assert any("! you" in row for row in rows)
        assert not any("Grace" in row for row in rows)
