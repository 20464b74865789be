"""The picker of filter values: space marks several, of which one has to match."""

import re
from collections.abc import Sequence

import pytest
from textual.events import Key
from textual.widgets import Input

from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import FilterPicker
from tests.tui.conftest import Viewer, settle, shown
from tests.tui.views import Dressed

CHOICES = [Choice("", "any label"), *(Choice(word, word) for word in ("billing", "refund", "vip"))]


class PickerApp(Dressed):
    """Asks for labels at once, and keeps the answers."""

    def __init__(self, current: Sequence[str]) -> None:
        super().__init__()
        self.current, self.answers = current, list[object]()

    def on_mount(self) -> None:
        picker = FilterPicker("Labels", CHOICES, current=self.current, remark="")
        self.push_screen(picker, self.answers.append)


@pytest.mark.parametrize(
    ("current", "keys", "answer"),
    [
        (("",), ["down", "enter"], ("billing",)),
        (("billing",), ["down", "enter"], ("refund",)),
        (("",), ["down", "space", "down", "down", "space", "enter"], ("billing", "vip")),
        (("",), [*"vi", "space", *"ref", "space", "enter"], ("vip", "refund")),
        (("billing", "vip"), ["enter"], ("billing", "vip")),
        (("billing", "vip"), ["space", "enter"], ("vip",)),
        (("billing",), ["down", "space", "enter"], ("billing", "refund")),
        (("billing",), ["space", "down", "space", "enter"], ("billing", "refund")),
        (("billing",), ["j", "space", "enter"], ("billing",)),
        (("billing", "vip"), ["up", "space", "enter"], ("",)),
        (("billing", "vip"), ["down", "space", "enter"], ("billing", "vip", "refund")),
    ],
)
async def test_space_marks_several_values(
    current: tuple[str, ...], keys: list[str], answer: tuple[str, ...]
) -> None:
    app = PickerApp(current)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in keys:
            app.post_message(Key(key, " " if key == "space" else key if len(key) == 1 else None))
        await settle(pilot)
        assert app.answers == [answer]


async def test_marks_are_shown_and_the_typed_text_goes_with_one() -> None:
    app = PickerApp(("",))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("r", "space", "b", "space")
        await settle(pilot)
        assert app.screen.query_one(Input).value == ""
        assert shown(app).count("✓") == 2
        assert "space mark several" in shown(app)


async def test_several_labels_are_one_filter_of_the_viewer(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "l", *"complaint", "space", *"refund", "space", "enter")
        await settle(pilot)
        assert "#complaint,refund" in shown(app)
        await pilot.press("f", "s", *"open", "space", *"snoozed", "space", "enter")
        await settle(pilot)
        assert "is:open,snoozed   #complaint,refund" in shown(app)
        await pilot.press("f", "l")
        await settle(pilot)
        assert re.findall(r"#(\w+) ✓", shown(app)) == ["complaint"]
