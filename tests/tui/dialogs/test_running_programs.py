"""Programs without a dialog: how many at once, how they end, and leaving while they run."""

import os
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from frontdesk.own_commands.command import OwnCommand
from frontdesk.own_commands.runner import Job
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.program_output import OutputLines, ProgramOutput
from frontdesk.tui.dialogs.running_programs import (
    RunningProgram,
    RunningPrograms,
    leave,
    programs_of,
)
from tests.tui.conftest import idle_until, notifications, settle, shown
from tests.tui.views import Dressed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs programs of POSIX")

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
LONG = ["sleep", "60"]


class ProgramApp(Dressed):
    """Runs programs; `left` counts how often it was left."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 0

    @property
    def running(self) -> RunningPrograms:
        return programs_of(self, Clock(UTC, lambda: NOW))

    def start(self, name: str, *arguments: str, id: str = "", output: str = "notice") -> None:
        command = OwnCommand(name, tuple(arguments), output=output)
        environment = dict(os.environ)
        job = Job(arguments, environment=environment, detached=output == "none",
                  keeps_errors=output == "notice")  # fmt: skip
        self.running.run(command, job, id, f"the customer of {id}")

    def leave(self) -> None:
        def exit() -> None:
            self.left += 1

        leave(self, exit)


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[Any]]:
    app = ProgramApp()
    async with app.run_test(size=(80, 24)) as pilot:
        yield pilot
        await pilot.pause()
        for one in app.running.cancellable:
            one.cancel()
        await settle(pilot)


def app_of(pilot: Pilot[Any]) -> ProgramApp:
    assert isinstance(pilot.app, ProgramApp)
    return pilot.app


async def said(pilot: Pilot[Any]) -> str:
    """Wait for a message, and take it."""
    await idle_until(pilot, lambda: bool(notifications(pilot.app)))
    words = notifications(pilot.app)[-1]
    pilot.app.clear_notifications()
    return words


async def test_four_programs_run_at_once_and_one_of_each_for_a_conversation(
    pilot: Pilot[Any],
) -> None:
    app = app_of(pilot)
    app.start("A", *LONG, id="1")
    app.start("A", *LONG, id="2")
    app.start("A", *LONG, id="1")
    assert await said(pilot) == "A is still running for this conversation"
    app.start("B", *LONG)
    assert not notifications(app)
    app.start("C", *LONG)
    assert not notifications(app)
    app.start("D", *LONG)
    assert (await said(pilot)).startswith("4 programs are running")
    names = [(one.name, one.of) for one in app.running.cancellable]
    assert names == [
        ("A", "the customer of 1"),
        ("A", "the customer of 2"),
        ("B", "the customer of "),
        ("C", "the customer of "),
    ]
    await pilot.pause()
    app.running.cancellable[1].cancel()
    assert await said(pilot) == "A: cancelled"
    assert [one.of for one in app.running.cancellable][:1] == ["the customer of 1"]
    app.start("D", *LONG)
    assert [one.name for one in app.running.cancellable] == ["A", "B", "C", "D"]
    await pilot.pause()


async def test_a_program_that_goes_on_by_itself_is_not_cancelled(pilot: Pilot[Any]) -> None:
    app = app_of(pilot)
    app.start("A", "sh", "-c", "read line; exit 0", output="none")
    assert app.running.cancellable == []
    app.leave()
    assert app.left == 1


@pytest.mark.parametrize(
    ("script", "output", "words"),
    [
        ("echo one; echo two", "notice", "A: two"),
        ("true", "notice", "A: done"),
        ("echo out; echo no >&2; exit 3", "notice", "A: exit code 3: no"),
        ("exit 3", "notice", "A: exit code 3"),
        ("echo no >&2; exit 3", "clipboard", "A: exit code 3: no"),
        ("echo out; echo no >&2; exit 3", "clipboard", "A: exit code 3: out"),
        (f"printf {'x' * 200}", "notice", f"A: {'x' * 200}"),
        (f"printf {'x' * 201}", "notice", f"A: {'x' * 199}…"),
    ],
)
async def test_the_last_line_of_a_program_is_said_at_its_end(
    pilot: Pilot[Any], script: str, output: str, words: str
) -> None:
    app = app_of(pilot)
    app.start("A", "sh", "-c", script, output=output)
    assert await said(pilot) == words
    assert app.running.cancellable == []


@pytest.mark.parametrize(("count", "is_copied"), [(1_048_576, True), (1_048_577, False)])
async def test_a_megabyte_of_output_is_copied_at_most(
    pilot: Pilot[Any], count: int, is_copied: bool
) -> None:
    app = app_of(pilot)
    app.start("A", "sh", "-c", f"head -c {count} /dev/zero | tr '\\0' x", output="clipboard")
    words = await said(pilot)
    assert (app.clipboard == "x" * count) == is_copied
    assert (words == "A: 1.0 MB are too much for the clipboard") != is_copied


async def test_leaving_asks_first_while_programs_run(pilot: Pilot[Any]) -> None:
    app = app_of(pilot)
    app.leave()
    assert app.left == 1
    app.start("Sync", *LONG)
    for key, left in (("enter", 1), ("escape", 1), ("down enter", 2)):
        app.leave()
        await settle_screens(pilot)
        assert isinstance(app.screen, Picker)
        assert "1 program " in shown(app)
        assert "Yes, leave and end Sync" in shown(app)
        await pilot.press(*key.split())
        await settle_screens(pilot)
        assert not isinstance(app.screen, Picker)
        assert app.left == left


async def settle_screens(pilot: Pilot[Any]) -> None:
    """Wait for screens, but not for the programs, which are workers."""
    for _ in range(3):
        await pilot.pause()


@pytest.mark.parametrize(
    ("of", "passed", "words"),
    [
        ("", timedelta(0), "cancel Sync (0 s)"),
        ("Ana Ruiz", timedelta(seconds=59.9), "cancel Sync, Ana Ruiz (59 s)"),
        ("Ana Ruiz", timedelta(seconds=60), "cancel Sync, Ana Ruiz (1m)"),
        ("", timedelta(hours=2), "cancel Sync (2h)"),
    ],
)
def test_a_program_is_listed_with_what_it_runs_on_and_for_how_long(
    of: str, passed: timedelta, words: str
) -> None:
    cancel: Callable[[], object] = lambda: None  # noqa: E731
    assert RunningProgram("Sync", of, NOW, False, cancel).words(NOW + passed) == words


async def test_the_pane_of_a_program_says_its_size_and_how_it_ended(pilot: Pilot[Any]) -> None:
    app = app_of(pilot)
    app.start("Size", "sh", "-c", "echo $COLUMNS $LINES; exit 4", output="pane")
    await idle_until(pilot, lambda: isinstance(app.screen, ProgramOutput))
    await settle(pilot)
    pane = app.screen.query_one(OutputLines)
    assert pane.rows[0] == f"{pane.size.width - 1} {pane.size.height}"
    count = len(pane.rows[0]) + 1
    assert f"exit code 4 · {count} B" in shown(app)
    await pilot.press("y")
    assert app.clipboard == pane.rows[0]
    await pilot.press("r")
    await settle(pilot)
    assert f"exit code 4 · {count} B" in shown(app)
    await pilot.press("slash", *"none", "enter")
    await settle(pilot)
    assert "none" in notifications(app)[-1]
    await pilot.press("Y")
    assert app.clipboard == f"{pane.rows[0]}\n"
    await pilot.press("escape")
    await settle(pilot)
    assert not isinstance(app.screen, ProgramOutput)


async def test_words_are_looked_for_in_the_lines_of_a_program(pilot: Pilot[Any]) -> None:
    app = app_of(pilot)
    app.start("Lines", "printf", "one\\ntwo\\none more\\n", output="pane")
    await idle_until(pilot, lambda: isinstance(app.screen, ProgramOutput))
    await settle(pilot)
    pane = app.screen.query_one(OutputLines)
    await pilot.press("g", "n")
    assert pane.cursor == 0
    seen = []
    for keys in (["slash", *"ONE", "enter"], ["n"], ["n"], ["N"]):
        await pilot.press(*keys)
        await settle_screens(pilot)
        seen.append(pane.cursor)
    assert seen == [2, 0, 2, 0]
    assert notifications(app) == []
    await pilot.press("escape")
    app.start("Nothing", "true", output="pane")
    await idle_until(pilot, lambda: isinstance(app.screen, ProgramOutput))
    await settle(pilot)
    await pilot.press("slash", *"one", "enter")
    await settle_screens(pilot)
    assert notifications(app) == []


async def test_output_is_shown_as_it_comes_and_leaving_asks_meanwhile(
    pilot: Pilot[Any], tmp_path: Path
) -> None:
    app, may_end = app_of(pilot), tmp_path / "may end"
    script = f"echo one; until [ -e '{may_end}' ]; do sleep 0.01; done; echo two"
    app.start("Two [parts]", "sh", "-c", script, output="pane")
    await idle_until(pilot, lambda: "one" in shown(app))
    assert "running 0 s · 4 B" in shown(app)
    assert "Two [parts]" in shown(app)
    app.leave()
    await settle_screens(pilot)
    assert "Yes, leave and end Two [parts]" in shown(app)
    await pilot.press("escape")
    await settle_screens(pilot)
    may_end.touch()
    await settle(pilot)
    pane = app.screen.query_one(OutputLines)
    assert [pane.rows[at] for at in range(len(pane.rows))] == ["one", "two"]
    assert "exit code 0 · 8 B" in shown(app)
    app.leave()
    assert app.left == 1
