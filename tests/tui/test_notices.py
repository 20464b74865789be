"""Messages in the status line: once, until another view, and as they are."""

from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.dialogs.picker import Menu
from frontdesk.tui.widgets.bar import StatusBar
from tests.tui.conftest import notifications, settle
from tests.tui.screen_text import shown
from tests.tui.views import Dressed
from tests.tui.widgets.test_partial_repaints import OneWidgetApp, one_line_high


async def test_a_notice_that_is_still_shown_is_not_repeated() -> None:
    app = OneWidgetApp(one_line_high(StatusBar()))
    async with app.run_test(size=(40, 4)) as pilot:
        app.notify_once("Copied [b]")
        app.notify_once("Copied [b]")
        await settle(pilot)
        assert notifications(app) == ["Copied [b]"]
        assert "Copied [b]" in shown(app)
        app.notify_once("Saved")
        app.notify_once("Copied [b]")
        assert notifications(app) == ["Copied [b]", "Saved", "Copied [b]"]
        app.end_notice()
        await settle(pilot)
        assert "Copied" not in shown(app)
        app.notify_once("Copied [b]")
        assert len(notifications(app)) == 4


async def test_messages_about_a_view_end_with_it_and_others_stay() -> None:
    app = OneWidgetApp(one_line_high(StatusBar()))
    async with app.run_test(size=(40, 4)) as pilot:
        for show, words, stays in (
            (app.notify_of_view, "Not answered", False),
            (app.notify_once, "Copied", False),
            (app.notify, "Saved", True),
        ):
            show(words)
            await settle(pilot)
            assert words in shown(app)
            app.end_view_notices()
            await settle(pilot)
            assert (words in shown(app)) == stays
        app.clear_notifications()
        await settle(pilot)
        assert "Saved" not in shown(app)


async def test_changed_keys_do_what_the_usual_ones_did() -> None:
    app = Dressed()
    answers: list[int | None] = []
    async with app.run_test(size=(60, 12)) as pilot:
        app.use_keys({"menu.take": "f9"})
        app.push_screen(Menu("Choose", [MenuEntry("a", 1, "one")]), answers.append)
        await settle(pilot)
        await pilot.press("enter")
        assert answers == []
        await pilot.press("f9")
        assert answers == [1]
