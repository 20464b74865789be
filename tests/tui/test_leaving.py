"""Screens are dismissed once, however fast keys come, and are released."""

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from frontdesk.client import InboxClient
from frontdesk.tui.dialogs.base import DismissOnce
from frontdesk.tui.setup_form import ConnectApp
from tests.tui.conftest import Viewer, notifications, settle, shown
from tests.tui.faulty_sources import Lasting
from tests.tui.test_setup_form import Servers

# From the list of the inbox: the keys that open a screen over it.
OPENED = {
    "menu": ("f",),
    "picker": ("f", "c"),
    "prompt": ("t",),
    "save": ("E",),
    "switcher": ("f3",),
    "search": ("s",),
    "help": ("question_mark",),
    "received": ("w",),
    "view": ("v", "s"),
    "explanation": ("v", "r", "w"),
    "palette": ("colon",),
}


async def at_once(pilot: Pilot[object], *keys: str) -> None:
    """Press keys before any of them has had its effect, and wait for all of that."""
    for key in keys:
        pilot.app.post_message(events.Key(key, None))
    await settle(pilot)


def standing(app: App[object]) -> int:
    return len(app.screen_stack)


async def test_several_ways_out_at_once_leave_one_screen(
    viewer: Viewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # "enter" in the prompt for a name exports the list.
    monkeypatch.chdir(tmp_path)
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys in OPENED.values():
            for key in keys:
                before = standing(app)
                await pilot.press(key)
                await settle(pilot)
            await at_once(pilot, "enter", "escape", "escape", "enter", "escape")
            assert standing(app) <= before
            await back_to_list(pilot)
        assert app.is_running


async def back_to_list(pilot: Pilot[object]) -> None:
    while standing(pilot.app) > 1:
        await pilot.press("escape")
        await settle(pilot)
    await pilot.press("2")
    await settle(pilot)


@pytest.mark.parametrize(
    "key", ["s", "f4", *(pytest.param(key, marks=pytest.mark.slow) for key in ("f3", "F", "f1"))]
)
async def test_the_viewer_may_be_quit_while_a_screen_opens(
    viewer: Viewer, client: InboxClient, key: str
) -> None:
    for turns in range(3, 10):
        app = viewer(Lasting(client))
        async with app.run_test(size=(60, 20)) as pilot:
            await pilot.pause()
            app.post_message(events.Key(key, None))
            for _ in range(turns):
                await asyncio.sleep(0)
            app.exit()


async def test_the_first_start_is_left_once() -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await at_once(pilot, "f2", "f2", "escape", "escape")


async def test_keys_that_come_before_the_commands_break_nothing(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for size in ((120, 40), (60, 3)):
            await pilot.resize_terminal(*size)
            for key in ("pageup", "pagedown", "home", "end", "up", "down"):
                await at_once(pilot, "colon", *[key] * 3)
                assert standing(app) == 2
                await pilot.press("z", "q", "x", key, key)
                await settle(pilot)
                assert app.is_running
                await back_to_list(pilot)


@pytest.mark.parametrize("name", ["picker", "search", "explanation"])
async def test_it_can_be_left_while_a_screen_opens(viewer: Viewer, name: str) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await at_once(pilot, *OPENED[name], "ctrl+q", "up")
    assert app.return_code == 0


async def test_ctrl_c_says_how_to_quit(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+c")
        assert notifications(app) == ["Press q twice in the list to quit, or ^q anywhere"]


async def test_pasted_control_characters_are_made_visible(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for name in ("prompt", "picker", "search", "palette"):
            for key in OPENED[name]:
                await pilot.press(key)
                await settle(pilot)
            app.post_message(events.Paste("a\x1b]0;PWNED\x07\u202eb\x9bc"))
            await settle(pilot)
            assert "a�]0;PWNED�<RLO>b�c" in shown(app)
            await back_to_list(pilot)


async def test_a_paste_outside_an_input_is_not_forwarded_endlessly(viewer: Viewer) -> None:
    met: list[events.Paste] = []
    app = viewer()

    def watch(message: Message) -> None:
        if isinstance(message, events.Paste):
            met.append(message)

    async with app.run_test(size=(120, 40), message_hook=watch) as pilot:
        await settle(pilot)
        for pane in "23":
            await pilot.press(pane)
            app.post_message(events.Paste("yesterday"))
            await settle(pilot)
            await settle(pilot)
    assert len(met) < 20


class Departing(Static):
    """Notes whether its screen counts as composed when it comes and when it goes."""

    noted: list[bool]

    def on_mount(self) -> None:
        self.noted = [self.of.composed]

    def on_unmount(self) -> None:
        self.noted.append(self.of.composed)

    @property
    def of(self) -> DismissOnce[None]:
        assert isinstance(self.parent, DismissOnce)
        return self.parent


async def test_a_screen_is_not_composed_once_the_first_of_its_widgets_goes() -> None:
    widgets = [Departing(), Departing()]

    class Pair(DismissOnce[None]):
        def compose(self) -> ComposeResult:
            yield from widgets

    app, screen = App[None](), Pair()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        assert screen.composed
    # The terminal or the page was closed: the screen itself was not left.
    assert not screen.left
    assert [widget.noted for widget in widgets] == [[True, False], [True, False]]
