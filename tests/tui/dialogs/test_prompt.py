"""Prompts: valid text is the answer; other text is named as such, and can be corrected."""

import pytest

from frontdesk.tui.dialogs.prompt import Prompt
from tests.tui.conftest import lines, settle, shown
from tests.tui.views import Dressed

KEYS = "↵ ok   esc back"


class PromptApp(Dressed):
    """Asks for a number at once, and keeps the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[str | None] = []

    def on_mount(self) -> None:
        prompt = Prompt("number ", check=lambda text: None if text.isdigit() else "write digits")
        self.push_screen(prompt, self.answers.append)


async def test_a_problem_takes_the_place_of_the_keys_until_the_text_changes() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert KEYS in shown(app)
        await pilot.press("x", "enter")
        await settle(pilot)
        assert "write digits" in shown(app)
        assert KEYS not in shown(app)
        assert not app.answers
        await pilot.press("backspace", "7")
        await settle(pilot)
        assert KEYS in shown(app)
        await pilot.press("enter")
        assert app.answers == ["7"]


@pytest.mark.parametrize("typed", [[], ["7"], ["x", "enter"]])
async def test_escape_leaves_whatever_was_typed(typed: list[str]) -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*typed, "escape")
        assert app.answers == [None]


async def test_the_keys_can_be_clicked() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        line = shown(app).splitlines()[-1]
        await pilot.click(offset=(line.index("ok"), 23))
        await settle(pilot)
        assert app.answers == ["7"]


@pytest.mark.parametrize("width", [40, 79])
async def test_a_narrow_terminal_leaves_the_line_to_the_text(width: int) -> None:
    app = PromptApp()
    async with app.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        assert "number" in shown(app)
        assert KEYS not in shown(app)
        await pilot.press("x", "enter")
        await settle(pilot)
        assert "x" in lines(app)[-1]
        assert "write digits" in lines(app)[-1]
