"""Own commands and the pipe in the viewer."""

import asyncio
import os
import sys
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.program_output import OutputLines, ProgramOutput
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.preferences import Preferences
from tests.conftest import NOW
from tests.tui.conftest import idle_until, notifications, settle, shown

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs programs of POSIX")

Make = Callable[..., FrontdeskApp]


@pytest.fixture
def make(client: InboxClient, cache: Cache) -> Make:
    """Makes a viewer with commands."""

    def make(*commands: OwnCommand, profile: str | None = None) -> FrontdeskApp:
        mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
        preferences = Preferences(commands=commands, profile=profile)
        clock = Clock(UTC, lambda: NOW)
        return FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)

    return make


async def type_line(pilot: Pilot[Any], line: str) -> None:
    await pilot.press("vertical_line")
    pilot.app.screen.query_one(Input).value = line
    await pilot.press("enter")


async def ended(pilot: Pilot[Any]) -> str:
    """Wait until the shown program has ended; returns the screen."""
    await idle_until(pilot, lambda: isinstance(pilot.app.screen, ProgramOutput))
    await settle(pilot)
    return shown(pilot.app)


def inbox_of(app: FrontdeskApp) -> InboxScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, InboxScreen))


def name_of(app: FrontdeskApp) -> str:
    conversation = inbox_of(app).thread.conversation
    assert conversation is not None
    return conversation.contact.name or conversation.contact.phone or ""


async def test_a_pipe_gives_the_thread_to_a_program_and_shows_its_output(make: Make) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await type_line(pilot, "head -1; exit 3")
        screen = await ended(pilot)
        assert f"# {name_of(app)}" in screen
        assert "exit code 3" in screen
        await pilot.press("escape")
        assert isinstance(app.screen, InboxScreen)


async def test_a_pipe_gives_the_marked_threads_to_a_program(make: Make) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("space", "j", "space")
        await type_line(pilot, "grep -c '^# '")
        screen = await ended(pilot)
        assert app.screen.query_one(OutputLines).rows[0] == "2"
        assert "exit code 0" in screen


async def test_a_report_is_piped_as_csv(make: Make) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("v", "r")
        await settle(pilot)
        await type_line(pilot, "head -1 | tr -cd ,")
        await ended(pilot)
        assert set(app.screen.query_one(OutputLines).rows[0]) == {","}


async def test_the_pipe_remembers_lines_except_those_after_a_blank(make: Make) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for line in ("wc -l", " echo secret", "wc -w"):
            await type_line(pilot, line)
            await ended(pilot)
            await pilot.press("escape")
        await pilot.press("vertical_line")
        seen = []
        for _ in range(3):
            await pilot.press("up")
            seen.append(app.screen.query_one(Input).value)
        assert seen == ["wc -w", "wc -l", "wc -l"]
        await pilot.press("down", "down")
        assert app.screen.query_one(Input).value == ""


async def test_escape_cancels_a_program_and_a_second_one_closes_its_output(make: Make) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await type_line(pilot, "echo begun; exec sleep 60")
        await idle_until(pilot, lambda: isinstance(app.screen, ProgramOutput))
        await idle_until(pilot, lambda: "begun" in shown(app))
        await pilot.press("escape")
        assert "cancelled" in await ended(pilot)
        await pilot.press("r")
        await idle_until(pilot, lambda: "running" in shown(app))
        await pilot.press("ctrl+c")
        assert "cancelled" in await ended(pilot)
        await pilot.press("escape")
        assert isinstance(app.screen, InboxScreen)


async def test_output_is_followed_found_and_saved(make: Make, tmp_path: Path) -> None:
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await type_line(pilot, "seq 1000")
        assert "1000" in await ended(pilot)
        lines = app.screen.query_one(OutputLines)
        await pilot.press("slash", *"777", "enter")
        assert lines.row == "777"
        await pilot.press("E")
        saved = tmp_path / "out.txt"
        app.screen.query_one(Input).value = str(saved)
        await pilot.press("enter")
        await settle(pilot)
        assert saved.read_text().split() == [str(number) for number in range(1, 1001)]
        assert saved.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("output", ["pane", "notice"])
async def test_a_command_gets_values_and_the_thread_without_keys(
    make: Make, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.setenv("FRONTDESK_API_KEY", "secret")
    names = ("CONVERSATION_ID", "PROFILE", "CONTACT_NAME", "API_KEY")
    values = "|".join(f"$FRONTDESK_{name}" for name in names)
    script = f'n=$(wc -l); echo "{values}|$n"'
    command = OwnCommand("Show", script, letter="s", stdin="thread", output=output)
    app = make(command, profile="work")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        name, conversation = name_of(app), inbox_of(app).thread.conversation
        assert conversation is not None
        await pilot.press("x", "s")
        if output == "pane":
            said = await ended(pilot)
        else:
            await idle_until(pilot, lambda: any("Show" in one for one in notifications(app)))
            said = next(one for one in notifications(app) if "Show" in one)
        assert f"{conversation.id}|work|{name}||" in said


async def test_a_failure_of_a_command_without_a_pane_is_said_without_markup(make: Make) -> None:
    command = OwnCommand("Fail", ("sh", "-c", "echo '[red]no' >&2; exit 2"), output="clipboard")
    app = make(command)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        await idle_until(pilot, lambda: bool(notifications(app)))
        assert notifications(app) == ["Fail: exit code 2: [red]no"]


async def test_output_goes_to_the_clipboard_without_its_last_line_feed(make: Make) -> None:
    app = make(OwnCommand("Copy", 'echo "$FRONTDESK_CONVERSATION_ID"', output="clipboard"))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        conversation = inbox_of(app).thread.conversation
        assert conversation is not None
        await pilot.press("x", "1")
        await idle_until(pilot, lambda: bool(notifications(app)))
        assert app.clipboard == conversation.id


async def test_a_command_that_asks_runs_only_after_yes(make: Make, tmp_path: Path) -> None:
    made = tmp_path / "made"
    confirm = "Touch the file?"
    command = OwnCommand("Touch", ("touch", str(made)), output="notice", confirm=confirm)
    app = make(command)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        await settle(pilot)
        assert confirm in shown(app)
        await pilot.press("enter")
        await settle(pilot)
        assert not made.exists()
        await pilot.press("x", "1", *"yes", "enter")
        await idle_until(pilot, made.exists)


async def test_a_command_of_messages_is_offered_in_the_thread_only(make: Make) -> None:
    run = ("sh", "-c", 'echo "text:$FRONTDESK_MESSAGE_TEXT"')
    app = make(OwnCommand("Echo", run, places=("message",), output="pane"))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("x")
        assert "There are no own commands" in notifications(app)[-1]
        await pilot.press("3", "x", "1")
        assert "text:" in await ended(pilot)


async def test_the_palette_and_the_help_have_own_commands(make: Make) -> None:
    app = make(OwnCommand("Look up", "true"), OwnCommand("Other", "true", places=("alert",)))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        titles = [command.title for command in app.commands()]
        assert "Run: Look up" in titles
        assert "Run: Other" not in titles
        assert {"Pipe to a program…", "Own commands…"} <= set(titles)


async def test_leaving_the_viewer_ends_what_runs(make: Make, tmp_path: Path) -> None:
    number = tmp_path / "pid"
    app = make()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await type_line(pilot, f"echo $$ > {number}.new; mv {number}.new {number}; sleep 60; true")
        await idle_until(pilot, number.exists)
        app.exit()
        await pilot.pause()
    group = int(number.read_text())
    while _exists(group):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def test_a_page_has_neither_the_pipe_nor_commands(client: InboxClient, cache: Cache) -> None:
    class OnPage(FrontdeskApp):
        is_web = True

    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    preferences = Preferences(commands=(OwnCommand("Look up", ("true",)),))
    clock = Clock(UTC, lambda: NOW)
    app = OnPage(mailbox, title="sample", clock=clock, preferences=preferences)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("vertical_line", "x")
        assert isinstance(app.screen, InboxScreen)
        assert not notifications(app)
        titles = [command.title for command in app.commands()]
        assert not {"Pipe to a program…", "Own commands…", "Run: Look up"} & set(titles)
