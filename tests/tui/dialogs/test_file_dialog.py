"""The dialog of a file says what it is, of when, and which of how many."""

from datetime import UTC, datetime
from typing import Any

import pytest
from rich.segment import Segment
from textual.pilot import Pilot

from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.file import FileChoice, FileDialog, PictureCanvas
from frontdesk.wire import Message
from tests.tui.conftest import frame_shown, lines, settle
from tests.tui.drawn_messages import message
from tests.tui.views import Dressed
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


def with_file(name: str, **media: Any) -> Message:
    return message(
        type="document", media={"mime_type": "application/pdf", "filename": name, **media}
    )


class FileApp(Dressed):
    """Shows files at once, and keeps what was chosen."""

    def __init__(self, messages: list[Message], at: int) -> None:
        super().__init__()
        self._messages, self._at = messages, at
        self.chosen: list[FileChoice | None] = []

    def on_mount(self) -> None:
        dialog = FileDialog(self._messages, self._at, Clock(UTC, lambda: NOW), None)
        self.push_screen(dialog, self.chosen.append)


async def title(pilot: Pilot[None]) -> str:
    await settle(pilot)
    await frame_shown(pilot)
    return next(line for line in lines(pilot.app) if ".pdf" in line).strip("│ ")


@pytest.mark.parametrize(
    ("count", "at", "which"),
    [(1, 0, ""), (2, 0, " · 1 of 2"), (2, 1, " · 2 of 2"), (3, 1, " · 2 of 3")],
)
async def test_the_title_says_which_of_several_files_it_is(count: int, at: int, which: str) -> None:
    app = FileApp([with_file(f"{number}.pdf") for number in range(count)], at)
    async with app.run_test(size=(90, 24)) as pilot:
        shown = await title(pilot)
        assert shown == f"document · {at}.pdf · Saturday 14 March 2026 09:26{which}"


async def test_the_keys_step_through_the_files_and_stop_at_both_ends() -> None:
    app = FileApp([with_file("a.pdf"), with_file("b.pdf")], 0)
    async with app.run_test(size=(90, 24)) as pilot:
        assert "a.pdf" in await title(pilot)
        for key, name in (("k", "a"), ("j", "b"), ("j", "b"), ("k", "a")):
            await pilot.press(key)
            assert f"{name}.pdf" in await title(pilot)
        await pilot.press("j", "o")
        await settle(pilot)
    assert app.chosen == [FileChoice("open", with_file("b.pdf"))]


async def test_a_size_in_pixels_is_said_only_where_both_sides_are_known() -> None:
    for sides, words in (({"width": 3, "height": 4}, "3×4 · "), ({"width": 3}, "")):
        app = FileApp([with_file("a.pdf", **sides)], 0)
        async with app.run_test(size=(90, 24)) as pilot:
            assert (await title(pilot)).startswith(f"document · {words}a.pdf")


@pytest.mark.parametrize(
    ("size", "rows", "shown"),
    [
        ((8, 5), ["abcd", "efgh"], ["", "  abcd", "  efgh", "", ""]),
        ((9, 4), ["abcd", "efgh"], ["", "  abcd", "  efgh", ""]),
        ((4, 2), ["abcd", "efgh"], ["abcd", "efgh"]),
        ((3, 1), ["abcd", "efgh"], ["abc"]),
        ((8, 2), [], ["", ""]),
    ],
)
async def test_a_picture_stands_in_the_middle_and_is_cut_where_it_has_no_room(
    size: tuple[int, int], rows: list[str], shown: list[str]
) -> None:
    canvas = PictureCanvas()
    app = OneWidgetApp(canvas)
    async with app.run_test(size=size):
        canvas.say("loading")
        canvas.show([[Segment(row[:2]), Segment(row[2:])] for row in rows])
        drawn = [canvas.line(y) for y in range(size[1])]
        assert [line.text.rstrip() for line in drawn] == shown
        assert {line.cell_length for line in drawn} == {size[0]}


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((11, 5), ["", "", "  loading", "", ""]),
        ((11, 4), ["", "", "  loading", ""]),
        ((7, 1), ["loading"]),
        ((6, 1), ["loadi…"]),
    ],
)
async def test_words_stand_in_the_middle_in_place_of_a_picture(
    size: tuple[int, int], shown: list[str]
) -> None:
    canvas = PictureCanvas()
    app = OneWidgetApp(canvas)
    async with app.run_test(size=size):
        canvas.show([[Segment("abcd")]] * 9)
        canvas.say("loading")
        drawn = [canvas.line(y) for y in range(size[1])]
        assert [line.text.rstrip() for line in drawn] == shown
        assert {line.cell_length for line in drawn} == {size[0]}
