"""Pickers: typing narrows the choices, the cursor stays visible at any size."""

import pytest
from textual.events import Key
from textual.widgets import Input

from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import Picker
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
