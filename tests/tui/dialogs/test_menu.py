"""Menus: entries are selected by letter, cursor or click."""

import re
from typing import Any

import pytest
from textual.app import App

from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.dialogs.picker import Menu, MenuList
from tests.tui.conftest import Viewer, chosen_line, settle, shown
from tests.tui.views import Dressed

ENTRIES = tuple(
    MenuEntry(letter, f"value {letter}", f"words of {letter}") for letter in "abcdefghijkl"
)


class MenuApp(Dressed):
    """Asks by a menu at once, and keeps the answer."""

    def __init__(self, current: str | None = None) -> None:
        super().__init__()
        self._current = current
        self.answers: list[str | None] = []

    def on_mount(self) -> None:
        self.push_screen(Menu("Choose", ENTRIES, current=self._current), self.answers.append)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["c"], "value c"),
        (["enter"], "value a"),
        (["down", "down", "enter"], "value c"),
        (["up", "enter"], "value l"),
        (["escape"], None),
        (["q"], None),
    ],
)
async def test_a_letter_or_the_cursor_answers(keys: list[str], answer: str | None) -> None:
    app = MenuApp()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        assert app.answers == [answer]


async def test_a_menu_is_as_wide_as_its_longest_entry() -> None:
    app = Dressed()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(
            Menu("Choose", (MenuEntry("a", "a", "words of an entry, and as many more"),))
        )
        await settle(pilot)
        assert "words of an entry, and as many more" in shown(app)


async def test_the_cursor_begins_on_what_is_so_now() -> None:
    app = MenuApp("value d")
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        assert "d  words of d" in chosen_line(app)
        await pilot.press("enter")
        assert app.answers == ["value d"]


async def test_current_menu_choices_have_a_check_mark(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 30)) as pilot:
        await settle(pilot)
        for keys, title, checked in (
            (["S"], "Sort", ["newest activity"]),
            (["w", "S"], "Sort", ["longest waiting"]),
            (["escape", "f"], "Filter by", ["status", "open"]),
            (["n", "f"], "Filter by", ["status", "assignee", "open", "unassigned"]),
            (["u", "f"], "Filter by", ["status", "assignee", "open", "unassigned", "unread"]),
            (["escape", "3", "f"], "Show", ["all"]),
            (["p", "f"], "Show", ["people only"]),
        ):
            for key in keys:
                await pilot.press(key)
                await settle(pilot)
            assert title in shown(app)
            assert re.findall(r"│ +\w  ([^│✓]+?) +✓ ", shown(app)) == checked


async def test_the_longest_entry_has_room_for_its_check_mark() -> None:
    app = Dressed()
    async with app.run_test(size=(80, 24)) as pilot:
        words = "words of an entry, and as many more"
        app.push_screen(Menu("Choose", (MenuEntry("a", "a", words),), current="a"))
        await settle(pilot)
        assert f"{words} ✓" in shown(app)


async def test_one_click_takes_an_entry_and_one_beside_leaves() -> None:
    app = MenuApp()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.click(MenuList, offset=(5, 4))
        await pilot.pause()
        assert app.answers == ["value e"]
    app = MenuApp()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        assert app.answers == [None]


async def test_menu_entries_that_do_not_fit_are_reached_with_the_cursor() -> None:
    app: App[Any] = MenuApp()
    async with app.run_test(size=(40, 10)) as pilot:
        await settle(pilot)
        assert "words of l" not in shown(app)
        assert "↵ choose   esc back" in shown(app)
        await pilot.press("up")
        await pilot.pause()
        assert "words of l" in shown(app)


@pytest.mark.parametrize(("words", "width"), [("w" * 23, 36), ("w" * 24, 37), ("w" * 30, 43)])
async def test_a_menu_has_room_for_its_entries_and_is_not_too_narrow(
    words: str, width: int
) -> None:
    app = Dressed()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Menu("Choose", [MenuEntry("a", 1, words), MenuEntry("b", 2, "b")]))
        await settle(pilot)
        assert app.screen.query_one("#menu").outer_size == (width, 6)
        assert app.screen.query_one(MenuList).size.height == 2
