"""Clicks on hints, tabs, counts, labels and chips do what their keys do."""

from typing import Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.pilot import Pilot

from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.dialogs.filter_line import FilterLine
from frontdesk.tui.dialogs.picker import Menu
from frontdesk.tui.widgets.bar import Hint, StatusBar
from frontdesk.tui.widgets.line_widget import PARTS
from tests.tui.conftest import Viewer, chosen_line, lines, settle, shown
from tests.tui.views import Dressed

HINTS = (Hint((("↵", "list.open"),), "open"), Hint((("f", "inbox.filter"),), "filter"))
HELP = Hint((("?", "inbox.help"),), "help")


async def click(pilot: Pilot[Any], words: str) -> None:
    """Click the first occurrence of these words on the screen."""
    for y, line in enumerate(lines(pilot.app)):
        if words in line:
            await pilot.click(offset=(cell_len(line[: line.index(words)]) + 1, y))
            await settle(pilot)
            return
    raise AssertionError(f"{words} is not on the screen")


async def test_a_hint_does_what_its_key_does(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await click(pilot, "f filters")
        assert isinstance(app.screen, Menu)
        assert " in:" not in lines(app)[0]
        await pilot.press("escape")
        await click(pilot, "f filter   /")
        assert isinstance(app.screen, Menu)
        await pilot.press("escape")
        before = chosen_line(app)
        await click(pilot, "u next")
        assert chosen_line(app) != before
        await click(pilot, "F edit")
        assert isinstance(app.screen, FilterLine)


async def test_a_hint_of_a_dialog_does_what_its_key_does(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, words, expected in (
            (("S", "down"), "↵ choose", "sort:"),
            (("f", "l", "down"), "↵ choose", "is:open   #"),
            (("f", "l"), "esc back", "is:open"),
            (("s",), "esc back", "is:open"),
            (("F",), "↵ apply", "is:open"),
            (("w",), "esc back", "is:open"),
        ):
            await pilot.press("9", *keys)
            await settle(pilot)
            dialog = app.screen
            await click(pilot, words)
            assert app.screen is not dialog
            assert expected in shown(app)
            await pilot.press("escape", "escape")
            await settle(pilot)


async def test_of_two_keys_in_one_hint_each_does_its_own_and_tabs_show_their_sections(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("v", "d")
        await settle(pilot)
        status = lines(app)[-1]
        for key in "][":
            await pilot.click(offset=(cell_len(status[: status.index(f"{key} ")]), 39))
            await settle(pilot)
            assert ("teams" if key == "]" else "users") in lines(app)[0]
        await click(pilot, "4 Labels")
        assert "labels" in lines(app)[0], shown(app)


class BarScreen(SizedScreen[None]):
    """A status bar alone."""

    COMPONENT_CLASSES = PARTS

    def compose(self) -> ComposeResult:
        yield StatusBar()


class BarApp(Dressed):
    """Shows a status bar."""

    def get_default_screen(self) -> BarScreen:
        return BarScreen()


async def test_the_hints_of_a_place_are_the_same_whatever_the_connection_says() -> None:
    app = BarApp()
    async with app.run_test(size=(80, 3)) as pilot:
        bar = app.screen.query_one(StatusBar)
        for width in (80, 60, 52, 30):
            await pilot.resize_terminal(width, 3)
            await settle(pilot)
            shown_hints = set()
            for state in ("live · 60 loaded", "loading…", "live · 50 of 412 loaded"):
                bar.show_hints(HINTS, HELP, [("dim", state)])
                shown_hints.add(bar.words.replace(state, "").strip())
            assert len(shown_hints) == 1
            assert "? help" in shown_hints.pop()


async def test_no_part_of_a_hint_touches_a_long_state() -> None:
    app = BarApp()
    async with app.run_test(size=(44, 3)) as pilot:
        bar = app.screen.query_one(StatusBar)
        for length in range(30, 43):
            state = "x" * length
            bar.show_hints(HINTS, HELP, [("dim", state)])
            await settle(pilot)
            line = next(line for line in lines(app) if state in line)
            assert line.removesuffix(state)[-1] == " "


async def test_the_hint_that_leads_back_stays_the_longest() -> None:
    app = BarApp()
    async with app.run_test(size=(44, 3)) as pilot:
        await settle(pilot)
        bar = app.screen.query_one(StatusBar)
        others = [Hint((("/", "inbox.find"),), "find"), Hint((("y", "inbox.copy"),), "copy")]
        back = Hint((("esc", "inbox.back"),), "back")
        for state, hints in (
            ("live · 60 loaded ", "esc back   ? help"),
            ("live · 12 min ago · 60 loaded", "esc back"),
            ("no answer · retrying in 12 s", "esc back"),
        ):
            bar.show_hints([back, *others], HELP, [("dim", state)], first_stays=True)
            assert bar.words.removesuffix(state.strip()).strip() == hints


async def test_edit_and_the_count_of_unread_can_be_clicked(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await click(pilot, " unread")
        assert "is:open   unread" in lines(app)[0]
        await click(pilot, "unread")
        assert "is:open   unread" not in lines(app)[0]
        await click(pilot, "edit")
        assert isinstance(app.screen, FilterLine)


async def test_more_below_leads_to_the_newest_message(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await click(pilot, "more below")
        assert "more below" not in shown(app)
        assert "the spring collection is here" in shown(app)


async def test_channels_and_labels_filter_where_they_are_clicked_and_again_not(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await click(pilot, "complaint ")
        assert "#complaint" in lines(app)[0]
        await click(pilot, "#complaint")
        assert "#complaint" not in lines(app)[0]
        await click(pilot, "Madrid")
        assert "in:Madrid" in lines(app)[0]
        await click(pilot, "All ")
        assert "in:" not in lines(app)[0]
        # In panes of their own, too.
        await pilot.resize_terminal(200, 50)
        await settle(pilot)
        await click(pilot, "Wholesale")
        assert "in:Wholesale" in lines(app)[0]
        await click(pilot, "All ")
        assert "in:" not in lines(app)[0]
        await click(pilot, "complaint ")
        assert "#complaint" in lines(app)[0]
        y = next(at for at, line in enumerate(lines(app)) if "labels    " in line)
        await pilot.click(offset=(cell_len(lines(app)[y].rpartition("complaint")[0]), y))
        await settle(pilot)
        assert "#complaint" not in lines(app)[0]


async def test_the_heading_of_a_column_sorts_by_it(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        await pilot.press("plus")
        for column, term in (("Waits", "sort:waiting"), ("Last", "")):
            await pilot.press("S", "o")
            await settle(pilot)
            assert "sort:oldest" in lines(app)[0]
            heads = enumerate(lines(app))
            y = next(at for at, line in heads if "Waits" in line and "Assignee" in line)
            await pilot.click(offset=(lines(app)[y].rindex(column), y))
            await settle(pilot)
            assert "sort:oldest" not in lines(app)[0]
            assert term in lines(app)[0]
            assert f"{column} ▾" in lines(app)[y]
