"""Switching between views: the menu, function keys, and leaving."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import VIEWS
from frontdesk.tui.reports.panes import ReportPanes
from frontdesk.tui.reports.screen import ReportScreen
from frontdesk.tui.views.catalogue_screen import (
    CatalogueEntry,
    CatalogueList,
    CatalogueScreen,
    Details,
    entry_line,
    fact,
    heading,
    paragraph,
    title,
)
from tests.conftest import NOW
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import Viewer, lines, notifications, settle, shown, until
from tests.tui.views import ViewApp, press, view_app
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

TITLES = {
    "contacts": "CONTACTS sample",
    "reports": "REPORTS sample",
    "templates": "12 templates",
    "replies": "8 quick replies",
    "directory": "DIRECTORY sample",
    "server": "SERVER sample",
}


@pytest.fixture
def app(client: InboxClient, cache: Cache) -> ViewApp:
    """The app with the directory open."""
    return view_app("directory", client, cache, Clock(UTC, lambda: NOW))


def test_every_view_has_a_letter_of_its_own() -> None:
    letters = [view.letter for view in VIEWS]
    assert len(set(letters)) == len(letters)
    assert {view.name for view in VIEWS} == {"inbox", *TITLES}


async def test_v_and_a_letter_go_to_a_view(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "v")
        for view in VIEWS:
            assert f"{view.letter}  {view.title}" in shown(app)
        await press(pilot, "escape")
        assert TITLES["directory"] in lines(app)[0]
        for view in VIEWS:
            if view.name in TITLES:
                # The contacts take letters for their search.
                await press(pilot, "tab", "v", view.letter)
                assert TITLES[view.name] in lines(app)[0]
                assert len(app.screen_stack) == 2
        await press(pilot, "escape", "escape")
        assert len(app.screen_stack) == 1


async def test_letters_may_be_typed_ahead_of_the_menu_and_beyond_it(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        # What a view shows at once is what was read before.
        await press(pilot, "v", "r", "v", "d")
        assert app.view.view_name == "directory"
        left = app.view.list
        for key in "vrjj":
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: TITLES["reports"] in lines(app)[0])
        assert len(app.screen_stack) == 2
        # What is typed after the letter is for the view that it opens.
        report = app.view
        assert isinstance(report, ReportScreen)
        await until(pilot, lambda: report.query_one(ReportPanes).metrics.cursor == 2)
        assert left.cursor == 0


@pytest.mark.parametrize("letter", ["d", "r"])
async def test_a_key_right_after_the_letter_is_for_the_view(app: ViewApp, letter: str) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "v", "r" if letter == "d" else "d")
        left = app.view
        for key in ("v", letter, "q"):
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: len(app.screen_stack) == 1 and not left.is_attached)


async def test_keys_typed_after_a_menu_letter_go_to_the_prompt_it_opens(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in "ftree":
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        field = app.focused
        await until(pilot, lambda: field.value == "ree")
        assert not notifications(app)


async def test_a_key_that_comes_twice_leaves_once(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("enter", "enter", "enter"):
            app.post_message(events.Key(key, None))
        await settle(pilot)
        assert len(app.chosen) == 1
        assert len(app.screen_stack) == 1


async def test_keys_typed_far_ahead_break_nothing(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in "vtvqvrvdvt":
            app.post_message(events.Key(key, key))
        await settle(pilot)
        for _ in range(4):
            await press(pilot, "escape")
        assert len(app.screen_stack) == 1


async def test_n_without_a_search_says_how_to_begin_one(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for letter in "dts":
            app.clear_notifications()
            await press(pilot, "v", letter, "n")
            assert notifications(app) == ["Nothing to find again. /: find in this list"]


async def test_nothing_is_requested_for_a_view_that_was_left(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j")
        left = app.view
        assert isinstance(left, CatalogueScreen)
        left.dismiss(None)
        # As the timer does of a cursor that rested a moment before.
        left.count_behind()
        await settle(pilot)
        assert len(app.screen_stack) == 1


async def test_the_inbox_is_below_all_views(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "v", "i")
        assert app.chosen == [None]
        assert len(app.screen_stack) == 1


async def test_f4_goes_to_the_report_and_a_choice_there_reaches_the_inbox(app: ViewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        assert TITLES["reports"] in lines(app)[0]
        await press(pilot, "3", "enter")
        assert app.chosen[0] is None
        assert app.chosen[1] is not None
        assert app.chosen[1].startswith("in:")
        assert len(app.screen_stack) == 1


def test_entries_and_details_are_drawn_in_the_room_that_there_is(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    entries = [
        CatalogueEntry("1", "Support EU", aside="+34 600", count="12", hint="blocked"),
        CatalogueEntry("2", "A channel with quite a long name", aside="a long text beside it"),
        CatalogueEntry("3", "vip", swatch="#00ff00", count="3", hint="new", hint_part="good"),
    ]
    listed = CatalogueList()
    listed.put(entries)
    for width in (12, 24, 40, 44, 70):
        lines = [line for at in range(len(entries)) for line in listed.draw(at, width)]
        drawing.add(f"entries, {width} cells", lines)
    blocks = [
        title("Support EU", ("dim", "  a channel")),
        heading("Details"),
        fact("name", "a value of some words that needs more than one line"),
        fact("a very long name of a value", ""),
        fact("colour", "#00ff00", swatch="#00ff00"),
        paragraph("A sentence that needs more than one line where there is little room.", "dim"),
        entry_line([("text", "left")], [("dim", "right")]),
    ]
    for width in (14, 30, 36, 60):
        drawing.add(f"details, {width} cells", [line for block in blocks for line in block(width)])
    drawing.compare(pytestconfig, "catalogue-entries")


def entry(name: str, **members: Any) -> CatalogueEntry:
    return CatalogueEntry(name, name, **members)


async def test_a_list_keeps_its_entry_when_it_is_read_again_and_shows_the_first_of_a_search() -> (
    None
):
    listed = CatalogueList()
    app = OneWidgetApp(listed)
    names = [f"e{number:02}" for number in range(30)]
    async with app.run_test(size=(40, 10)) as pilot:

        def put(names: Sequence[str], *, new_search: bool = False) -> str | None:
            listed.put([entry(name) for name in names], new_search=new_search)
            assert listed.cursor in listed.in_view() or not names
            return listed.row.id if listed.row else None

        listed.focus()
        assert put(names) == "e00"
        # The user has not moved it: a new search goes to its first match.
        assert put(names[3:], new_search=True) == "e03"
        await pilot.press(*["j"] * 15)
        assert put(names) == "e18"
        # The entry matches too.
        assert put(names[10:], new_search=True) == "e18"
        # It is gone: the cursor stays where it was.
        assert put(names[10:18] + names[20:]) == "e20"
        await pilot.press("j")
        assert put(names[:10], new_search=True) == "e00"
        assert put([]) is None


def test_names_stand_in_a_column_as_wide_as_the_longest_of_the_list_now() -> None:
    listed = CatalogueList()
    for names, column in ((("ab", "abcdef"), 6), (("ab",), 2), (("ab", "abcd"), 4)):
        listed.put([entry(name, aside="beside") for name in names])
        (line,) = listed.draw(0, 40)
        assert "".join(text for _, text in line).index("beside") == column + 2


def test_an_entry_is_found_by_its_name_and_what_is_beside_it_and_other_words() -> None:
    listed = CatalogueList()
    listed.put([entry("London", aside="+44 20", words="Veldrano", hint="GREEN", count="3")])
    assert listed.words_at(0) == "London +44 20 Veldrano"


async def test_details_are_found_as_they_are_drawn_and_keep_their_place() -> None:
    details = Details()
    app = OneWidgetApp(details)
    blocks = [title("Support EU"), heading("Details"), *(fact(f"f{n}", f"v{n}") for n in range(20))]
    async with app.run_test(size=(40, 8)) as pilot:
        details.put(blocks, keep_place=False)
        details.focus()
        assert [" ".join(details.words_at(at).split()) for at in range(3)] == [
            *("Support EU", "Details", "f0 v0")
        ]
        details.put([lambda width: [[("text", "x" * width)]]], keep_place=False)
        assert details.words_at(0) == "x" * 38
        details.put(blocks, keep_place=False)
        await pilot.press(*["j"] * 9)
        details.put(blocks, keep_place=True)
        assert details.cursor == 9
        details.put(blocks, keep_place=False)
        assert details.cursor == 0
