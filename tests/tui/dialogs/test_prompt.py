"""Prompts: valid text is the answer; other text is named as such, and can be corrected."""

from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.dialogs.save_prompt import directory_words, save_prompt
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


class SaveApp(Dressed):
    """Asks at once for the name of a file."""

    def on_mount(self) -> None:
        self.push_screen(save_prompt(self, "queue.csv", ("csv", "json", "md", "txt")))


async def test_a_problem_is_shown_above_the_text_in_place_of_the_keys_until_it_changes() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert KEYS in shown(app)
        await pilot.press("x", "enter")
        await settle(pilot)
        assert "write digits" in lines(app)[-2]
        assert "number x" in lines(app)[-1]
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
        assert "write digits" in lines(app)[-2]


@pytest.mark.parametrize(("size", "height"), [((80, 24), 1), ((40, 24), 2)])
async def test_a_long_problem_and_the_text_are_both_readable(
    size: tuple[int, int], height: int
) -> None:
    app = SaveApp()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+u", *"queue-of-monday-morning", "enter")
        await settle(pilot)
        assert "queue-of-monday-morning" in lines(app)[-1]
        problem = " ".join(line.strip() for line in lines(app)[-1 - height : -1])
        assert problem == "The name must end in one of .csv, .json, .md, .txt"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("thread.md", "~/work"),
        ("../thread.md", "~"),
        ("/srv/shared/thread.md", "/srv/shared"),
        (f"/srv/{'clients/' * 9}harry/thread.md", "…s/clients/clients/clients/clients/harry"),
    ],
)
def test_the_directory_of_a_file_is_short(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "work")
    assert directory_words(Path(name)) == words


@pytest.mark.parametrize(("value", "text"), [("", "78"), ("12", "78")])
async def test_keys_typed_before_the_prompt_is_there_are_typed_into_it(
    value: str, text: str
) -> None:
    prompt = Prompt("number ", value=value)
    for key in "78":
        await prompt.buffer_key(Key(key, key))
    app = Dressed()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(prompt, answers.append)
        await settle(pilot)
        # The text that was there is replaced, as one that is selected is.
        assert prompt.query_one(Input).value == text
        await pilot.press("9", "enter")
        assert answers == [f"{text}9"]


async def test_a_blank_text_is_no_answer_unless_it_may_be_blank() -> None:
    for options, answer in (({}, None), ({"may_be_blank": True}, "")):
        app = Dressed()
        answers: list[str | None] = []
        async with app.run_test(size=(80, 24)) as pilot:
            prompt = Prompt("name ", check=lambda _: "no", **options)
            app.push_screen(prompt, answers.append)
            await settle(pilot)
            await pilot.press("space", "enter")
            assert answers == [answer]


async def test_a_prompt_says_what_its_text_means_and_begins_with_a_problem() -> None:
    app = Dressed()
    async with app.run_test(size=(80, 24)) as pilot:
        prompt = Prompt(
            "day ", value="1", problem="[taken]", preview=lambda text: f"means <{text}> [b]"
        )
        app.push_screen(prompt)
        await settle(pilot)
        assert "[taken]" in shown(app)
        assert "means <1> [b]" in shown(app)
        await pilot.press("end", "2")
        await settle(pilot)
        assert "means <12> [b]" in shown(app)
        assert "[taken]" not in shown(app)
