"""Pickers: typing narrows the choices, the cursor stays visible at any size."""

import pytest
from textual.events import Key
from textual.widgets import Input

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.picker import (
    ChoiceList,
    MenuList,
    Picker,
    containing,
    has_whole_words,
    match_rank,
    matching,
)
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import chosen_line, settle, shown
from tests.tui.views import Dressed

CHOICES = [Choice(str(number), f"choice number {number:02}") for number in range(30)]


class PickerApp(Dressed):
    """Asks by a picker at once."""

    def on_mount(self) -> None:
        self.push_screen(Picker("Choose", CHOICES, current=None))


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (80, 24), (120, 40)])
async def test_the_cursor_is_in_view_and_so_are_the_keys(size: tuple[int, int]) -> None:
    app = PickerApp()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for number in range(1, 15):
            await pilot.press("down")
            await pilot.pause()
            assert f"choice number {number:02}" in chosen_line(app)
        assert "↵ choose   esc back" in shown(app)


async def test_page_keys_scroll_the_choices() -> None:
    app = PickerApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("pagedown")
        await settle(pilot)
        assert "choice number 12" in chosen_line(app)
        await pilot.press("pageup")
        await settle(pilot)
        assert "choice number 00" in chosen_line(app)


async def test_keys_that_edit_run_in_the_order_in_which_they_are_typed() -> None:
    app = PickerApp()
    async with app.run_test() as pilot:
        await settle(pilot)
        for letter in "wrong":
            app.post_message(Key(letter, letter))
        app.post_message(Key("ctrl+u", None))
        for letter in "number  27":
            app.post_message(Key("space" if letter == " " else letter, letter))
        for key in ("left", "left", "backspace", "end"):
            app.post_message(Key(key, None))
        await settle(pilot)
        assert app.screen.query_one(Input).value == "number 27"


async def test_a_burst_of_typed_keys_narrows_the_picker_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_for: list[str] = []
    narrow = Picker.narrow

    def narrowed(picker: Picker, typed: str) -> None:
        looked_for.append(typed)
        narrow(picker, typed)

    monkeypatch.setattr(Picker, "narrow", narrowed)
    app = PickerApp()
    async with app.run_test() as pilot:
        await settle(pilot)
        for letter in "number27":
            app.post_message(Key(letter, letter))
        await settle(pilot)
        assert looked_for == ["number27"]
        assert "choice number 27" in chosen_line(app)


COMMANDS = [
    Choice(words, words, synonyms=synonyms)
    for words, synonyms in (
        ("Next unread conversation", "new"),
        ("Mark as read", "unread"),
        ("Export report…", "save csv"),
        ("E-mail: a.b+c", ""),
        ("Unassigned", ""),
        ("Sort: newest", ""),
    )
]


@pytest.mark.parametrize(
    ("words", "typed", "rank"),
    [
        ("Next unread conversation", "next un", 0),
        ("Next unread conversation", "unread", 1),
        ("Next unread conversation", "unread next", 1),
        ("Next unread conversation", "new", 2),
        ("Next unread conversation", "nread", 3),
        ("Next unread conversation", "next nread", 3),
        ("Next unread conversation", "next nothing", 4),
        ("E-mail: a.b+c", "a.b", 1),
        ("E-mail: a.b+c", "b+c", 1),
    ],
)
def test_a_match_ranks_by_where_it_is(words: str, typed: str, rank: int) -> None:
    choice = next(each for each in COMMANDS if each.words == words)
    assert match_rank(choice, typed) == rank


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", [each.words for each in COMMANDS]),
        ("unread", ["Next unread conversation", "Mark as read"]),
        ("un", ["Unassigned", "Next unread conversation", "Mark as read"]),
        ("re", ["Mark as read", "Export report…", "Next unread conversation"]),
        ("nu", ["Next unread conversation"]),
        ("nextunread", ["Next unread conversation"]),
        ("unrd", ["Next unread conversation"]),
        ("rdun", []),
        ("mr", ["Mark as read"]),
        ("mar", ["Mark as read"]),
        ("xport", ["Export report…"]),
        ("nothing", []),
    ],
)
def test_typing_keeps_matches_the_best_first_and_then_what_it_is_short_for(
    typed: str, found: list[str]
) -> None:
    assert [choice.words for choice in matching(COMMANDS, typed)] == found
    exact = [choice.words for choice in containing(COMMANDS, typed)] if typed else found
    assert found[: len(exact)] == exact


def test_a_heading_stands_above_its_group_until_something_is_typed() -> None:
    choices = [Choice("a", "apple", heading="Fruit"), Choice("b", "bean")]
    assert matching(choices, " ") == choices
    assert [choice.heading for choice in matching(choices, "a")] == ["", ""]


def test_whole_words_are_told_from_their_beginnings() -> None:
    assert has_whole_words("Next unread conversation", "Unread next")
    assert not has_whole_words("Next unread conversation", "next unr")


def test_choices_and_menu_entries_give_up_what_there_is_no_room_for(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    choices = [
        Choice("a", "apple", "a fruit", heading="Fruit", checked=True),
        Choice("b", "a bean of many words", "a vegetable of many words", heading="Others"),
        Choice("c", "a b c", spans=((0, 1), (4, 5))),
    ]
    listed = ChoiceList()
    listed.rows = FixedRows([(choice.value, choice) for choice in choices])
    for width in (8, 20, 34, 60):
        drawing.add(
            f"choices, {width} cells", [line for at in range(3) for line in listed.draw(at, width)]
        )
    assert [listed.height_of(at) for at in range(3)] == [2, 3, 1]
    entries = [
        MenuEntry("a", "a", "open"),
        MenuEntry("b", "b", "checked", checked=True),
        MenuEntry("c", "c", "not available", available=False),
    ]
    menu = MenuList()
    menu.rows = FixedRows([(entry.letter, entry) for entry in entries])
    for width in (8, 30):
        drawing.add(
            f"menu, {width} cells", [line for at in range(3) for line in menu.draw(at, width)]
        )
    drawing.compare(pytestconfig, "choices")


@pytest.mark.parametrize(("count", "lines"), [(0, 3), (3, 3), (4, 4), (12, 12), (13, 12)])
async def test_a_picker_is_as_high_as_its_choices_up_to_twelve(count: int, lines: int) -> None:
    app = Dressed()
    async with app.run_test(size=(80, 40)) as pilot:
        app.push_screen(Picker("Choose", CHOICES[:count], current=None))
        await settle(pilot)
        assert app.screen.query_one(ChoiceList).size.height == lines


async def test_two_clicks_take_a_choice_and_one_selects_it() -> None:
    app = Dressed()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Choose", CHOICES, current="3"), answers.append)
        await settle(pilot)
        assert "choice number 03" in chosen_line(app)
        await pilot.click(ChoiceList, offset=(3, 2))
        await settle(pilot)
        assert "choice number 02" in chosen_line(app)
        assert answers == []
        await pilot.click(ChoiceList, offset=(3, 5), times=2)
        await settle(pilot)
        assert answers == ["5"]
