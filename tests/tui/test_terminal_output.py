"""Output to the terminal: complete, and without repetition."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from frontdesk.client import InboxClient
from frontdesk.tui.setup_form import ConnectApp
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.message_list import Thread
from tests.soak.sandbox import send
from tests.tui.conftest import Viewer, idle_until, lines, settle
from tests.tui.drawn_terminal import SIZE, Terminal, drawn_anew
from tests.tui.faulty_sources import Lasting
from tests.tui.memory_inbox import MemoryInbox, memory_inbox_viewer, virtual_time
from tests.tui.test_setup_form import Servers

# From the list of the inbox. Of two columns and a cross, a terminal gets another size; "behind"
# moves the cursor of the list behind a dialog, at once with the key that follows it.
JOURNEYS = (
    "j pagedown k G g 3 k J tab z 4 escape f escape f c L o escape f n backspace",
    "question_mark behind u behind i escape f theme:textual-light behind escape v q escape",
    "f behind 80x24 behind ctrl+l escape 200x60 j 60x14 l 39x9 120x40",
)
FURTHER_JOURNEYS = (
    "3 k pageup g J K tab tab shift+tab z z 4 4 escape o w o n 5 6 7 8 9 ctrl+r ctrl+l",
    "t escape slash h enter n N question_mark q u i t escape w j escape ctrl+p escape",
    "s h e l l o escape space j space E escape v r j 2 3 escape v r f4 v d j escape",
    "v s escape v t j escape v q escape v c a n escape escape",
    "v r 200x60 escape 80x24 f 200x60 escape 3 80x24 4 120x40 v d 80x24 v r 160x50 escape j",
    "f behind l behind escape s h behind e behind l behind backspace escape",
    "slash behind h behind enter ctrl+p behind h behind escape s theme:ansi-dark behind h escape",
    "f question_mark behind escape behind escape",
)


async def press(pilot: Pilot[Any], key: str) -> None:
    if key == "behind":
        pilot.app.screen_stack[0].query_one(ConversationList).action_move(1)
        return
    if key.startswith("theme:"):
        pilot.app.theme = key.partition(":")[2]
    elif "x" in key[1:] and key.replace("x", "").isdecimal():
        columns, rows = map(int, key.split("x"))
        await pilot.resize_terminal(columns, rows)
    else:
        await pilot.press(key)
    await settle(pilot)


@pytest.mark.parametrize(
    "keys", [*JOURNEYS, *(pytest.param(keys, marks=pytest.mark.slow) for keys in FURTHER_JOURNEYS)]
)
async def test_the_terminal_shows_what_there_is_to_see(
    viewer: Viewer, terminal: Terminal, keys: str
) -> None:
    app = viewer()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        for key in keys.split():
            await press(pilot, key)
            if key != "behind":
                # What is behind a dialog is drawn by a timer.
                await idle_until(pilot, lambda: terminal.lines == lines(app))
        assert terminal.cells == drawn_anew(app).cells


def check_frames(frames: Sequence[int], whole: int) -> None:
    """There are a few frames, none much longer than the whole screen.

    Behind a dialog every update sends the whole screen.
    """
    assert 0 < max(frames, default=whole) < 1.4 * whole
    assert len(frames) < 6


# In virtual time: on a slow machine, timers would fire more often.


def test_a_dialog_and_what_it_covered_are_drawn_a_few_times_at_most(
    tmp_path: Path, terminal: Terminal
) -> None:
    async def live() -> None:
        async with memory_inbox_viewer(MemoryInbox(15), tmp_path / "cache.db", SIZE) as app:
            await asyncio.sleep(5.0)
            whole = sum(drawn_anew(app).frames)

            async def frames_after(change: Callable[[], object]) -> list[int]:
                terminal.frames.clear()
                change()
                await asyncio.sleep(1.0)
                return list(terminal.frames)

            for key in ("f", "question_mark", "c"):
                for pressed in (key, "escape"):
                    assert sum(await frames_after(partial(send, app, pressed))) < 5.5 * whole
                await frames_after(partial(send, app, key))
                # A row of the list would change the whole thread with it.
                behind = app.screen_stack[0].query_one(Thread)
                check_frames(await frames_after(partial(behind.action_move, -1)), whole)
                assert terminal.cells == drawn_anew(app).cells
                await frames_after(partial(send, app, "escape"))

    with virtual_time(0) as runner:
        runner.run(live())


async def test_another_size_is_drawn_as_a_start_at_that_size_is(
    viewer: Viewer, client: InboxClient
) -> None:
    # The first start loads rows ahead, so that the others have the same. The thread of the second
    # row fits every size: a longer one keeps its place, which another size moves.
    # Its pane is entered and left, so that it is opened without a timer.
    second_row, started = ("g", "j", "3", "2"), []
    sizes = ((200, 60), (80, 24), (60, 14))
    for size in (sizes[0], *sizes):
        app = viewer(Lasting(client))
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await pilot.press(*second_row)
            await settle(pilot)
            started.append(lines(app))
    other = viewer()
    async with other.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press(*second_row)
        await settle(pilot)
        for size, expected in zip(sizes, started[1:], strict=True):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert lines(other) == expected


def test_a_start_from_what_is_kept_is_drawn_a_few_times_at_most(
    tmp_path: Path, terminal: Terminal
) -> None:
    async def live() -> None:
        for _ in range(2):
            terminal.frames.clear()
            async with memory_inbox_viewer(MemoryInbox(15), tmp_path / "cache.db", SIZE) as app:
                await asyncio.sleep(0.0)
                drawn, whole = sum(terminal.frames), sum(drawn_anew(app).frames)
        # Textual paints again after the first layout and for the breakpoints of the size.
        assert whole <= drawn < 3.3 * whole

    with virtual_time(0) as runner:
        runner.run(live())


async def test_the_first_question_is_drawn_whole_at_any_size(terminal: Terminal) -> None:
    sizes = ((40, 10), (60, 14), (80, 24))
    started = []
    for size in sizes:
        app = ConnectApp(Servers())
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            started.append(lines(app))
            assert terminal.lines == started[-1]
    other = ConnectApp(Servers())
    async with other.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for size, expected in zip(sizes, started, strict=True):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert terminal.lines == lines(other) == expected
