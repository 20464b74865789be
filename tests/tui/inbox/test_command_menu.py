"""What own commands are run on, what they read, and what stays."""

import json
import sys
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.program_output import ProgramOutput
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.preferences import Preferences, Switch
from frontdesk.tui.widgets.message_list import Thread
from tests.conftest import NOW
from tests.tui.conftest import idle_until, notifications, settle, shown
from tests.tui.faulty_sources import Offline
from tests.tui.inbox_state import open_conversation, queue_names
from tests.tui.views import press

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs programs of POSIX")

Make = Callable[..., FrontdeskApp]
SIZE = (100, 30)
# Writes its arguments, and what it reads, to the file that is its first argument.
RECORD = (
    sys.executable,
    "-c",
    "import json, os, sys; n = sys.argv[1]; open(n + '.new', 'w').write(json.dumps("
    "[sys.argv[2:], sys.stdin.read(), dict(os.environ)])); os.rename(n + '.new', n)",
)


@pytest.fixture
def make(client: InboxClient, cache: Cache) -> Make:
    """Makes a viewer with commands."""

    def make(*commands: OwnCommand) -> FrontdeskApp:
        mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
        preferences = Preferences(commands=commands)
        clock = Clock(UTC, lambda: NOW)
        return FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)

    return make


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., OwnCommand]:
    """A command that records its arguments and what it reads."""

    def record(*arguments: str, name: str = "Record", **members: object) -> OwnCommand:
        run = (*RECORD, str(tmp_path / "recorded"), "--", *arguments)
        return OwnCommand(name, run, output="notice", **members)

    return record


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[], list[object]]:
    """What was recorded: the arguments after --, the text, and the environment."""
    path = tmp_path / "recorded"

    def recorded() -> list[object]:
        arguments, text, environment = json.loads(path.read_text())
        return [arguments[1:], text, environment]

    recorded.exists = path.exists  # type: ignore[attr-defined]
    return recorded


async def test_nothing_runs_if_a_question_is_left(make: Make, record, recorded) -> None:
    app = make(record(confirm="Now?"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "x", "1", "escape")
        assert isinstance(app.screen, InboxScreen)
        assert not recorded.exists()


async def test_the_selected_rows_are_read_as_lines_of_json(make: Make, record, recorded) -> None:
    app = make(record(stdin="rows", key="ctrl+g"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        ids = queue_names(app)[:2]
        await press(pilot, "space", "j", "space", "ctrl+g")
        await idle_until(pilot, recorded.exists)
        rows = [json.loads(line) for line in str(recorded()[1]).splitlines()]
        assert [row["conversation"]["id"] for row in rows] == ids
        assert all(row["entries"] for row in rows)
        assert "FRONTDESK_CONVERSATION_ID" not in recorded()[2]


async def test_without_a_selection_the_row_is_that_under_the_cursor(
    make: Make, record, recorded
) -> None:
    app = make(record(stdin="rows"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "j", "x", "1")
        await idle_until(pilot, recorded.exists)
        assert json.loads(str(recorded()[1]))["conversation"]["id"] == queue_names(app)[1]


async def test_a_command_of_conversations_is_run_on_one_of_selected_rows(
    make: Make, record, recorded
) -> None:
    app = make(record())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "space", "j", "space", "x", "1")
        assert any("alone, not on the 2 selected" in words for words in notifications(app))
        await idle_until(pilot, recorded.exists)
        assert recorded()[2]["FRONTDESK_CONVERSATION_ID"] == queue_names(app)[1]


async def test_a_program_knows_the_contact(make: Make, record, recorded) -> None:
    app = make(record("hello"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        conversation = open_conversation(app)
        await press(pilot, "x", "1")
        await idle_until(pilot, recorded.exists)
        [arguments, _, environment] = recorded()
        assert arguments == ["hello"]
        assert environment["FRONTDESK_CONTACT_ID"] == conversation.contact.id
        assert environment["FRONTDESK_CONTACT_NAME"] == conversation.contact.name


@pytest.mark.parametrize("place", ["file", "file:audio", "link"])
async def test_a_command_for_files_or_links_needs_a_message_with_one(
    make: Make, record, recorded, place: str
) -> None:
    app = make(record(places=(place,), key="ctrl+g"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "3", "ctrl+g")
        thing = place.partition(":")[0]
        assert notifications(app)[-1] == f"Record needs a {thing}: go to one in the thread"
        assert not recorded.exists()


async def test_a_result_stays_under_its_message_until_it_is_removed(make: Make) -> None:
    message = {"places": ("message",), "stdin": "message", "output": "under"}
    shout = OwnCommand("Shout", "tr a-z A-Z", **message)
    app = make(shout, OwnCommand("Summary", "echo short", output="under"))
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "k")
        text = app.screen.query_one(Thread).copied()
        await press(pilot, "x", "1")
        await idle_until(pilot, lambda: "Shout  a program's" in shown(app))
        await press(pilot, "x", "2")
        await idle_until(pilot, lambda: "Summary  a program's" in shown(app))
        before = shown(app)
        assert before.index("Shout  a program's") < before.index("Summary  a program's")
        assert app.screen.query_one(Thread).copied() == text
        await press(pilot, "2", "j")
        assert "Summary  a program's" not in shown(app)
        await press(pilot, "k", "3")
        await press(pilot, "x")
        assert "remove the result of Summary" in shown(app)
        await press(pilot, "3")
        assert "Summary  a program's" not in shown(app)
        assert "Shout  a program's" in shown(app)


async def test_a_key_runs_a_command_and_a_key_of_the_screen_stays(
    make: Make, record, recorded
) -> None:
    app = make(record(key="ctrl+g"), record(name="Other", key="f"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f")
        assert "Filter by" in shown(app)
        await press(pilot, "ctrl+g")
        assert not recorded.exists()
        await press(pilot, "escape", "ctrl+g")
        await idle_until(pilot, recorded.exists)


async def test_programs_that_run_are_listed_and_cancelled_under_x(make: Make) -> None:
    app = make(OwnCommand("Sleep", ("sleep", "60"), output="notice"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        await pilot.press("x", "1")
        await pilot.pause()
        assert "Sleep is still running for this conversation" in notifications(app)
        await pilot.press("x")
        await idle_until(pilot, lambda: "cancel Sleep, " in shown(app))
        await pilot.press("2")
        await settle(pilot)
        assert notifications(app)[-1] == "Sleep: cancelled"


@pytest.mark.parametrize("output", ["notice", "pane"])
async def test_leaving_asks_while_a_program_runs(make: Make, output: str) -> None:
    app = make(OwnCommand("Sleep", ("sleep", "60"), output=output))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        if output == "pane":
            await idle_until(pilot, lambda: isinstance(app.screen, ProgramOutput))
        await idle_until(pilot, lambda: output == "notice" or "running 0 s" in shown(app))
        await pilot.press("ctrl+q")
        await idle_until(pilot, lambda: "1 program running" in shown(app))
        await pilot.press("enter")
        await pilot.pause()
        assert app.is_running
        await pilot.press("ctrl+q", *"yes", "enter")
        await idle_until(pilot, lambda: not app.is_running)


async def test_a_report_is_read_as_csv(make: Make, record, recorded) -> None:
    inbox = record(name="Inbox", key="ctrl+g", confirm="?")
    app = make(inbox, record(places=("report",), stdin="rows", key="ctrl+g"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+g")
        assert "Yes, run Inbox" in shown(app)
        await press(pilot, "escape", "v", "r", "ctrl+g")
        await idle_until(pilot, recorded.exists)
        assert "," in str(recorded()[1])


async def test_other_views_have_no_commands(make: Make, record) -> None:
    app = make(record(key="ctrl+g"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "v", "s", "ctrl+g")
        assert notifications(app)[-1] == "Record is not for what is shown here"


async def test_a_pane_of_output_is_resized_below_what_the_viewer_needs(make: Make) -> None:
    app = make(OwnCommand("Size", ("sh", "-c", "echo $COLUMNS; sleep 60")))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        await idle_until(pilot, lambda: "running" in shown(app))
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        await pilot.resize_terminal(*SIZE)
        await idle_until(pilot, lambda: "running" in shown(app))
        await pilot.press("escape")
        await settle(pilot)
        assert "cancelled" in shown(app)
        await pilot.press("ctrl+c")
        assert isinstance(app.screen, ProgramOutput)


async def test_without_a_connection_the_cached_part_is_read_and_that_is_said(
    client: InboxClient, cache: Cache, record, recorded
) -> None:
    source = Offline(client)
    mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)
    preferences = Preferences(commands=(record(stdin="rows"),))
    clock = Clock(UTC, lambda: NOW)
    app = FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        cached = len(mailbox.thread(open_conversation(app).id))
        source.is_away = True
        await press(pilot, "space", "x", "1")
        await idle_until(pilot, recorded.exists)
        assert any(words.startswith("Offline: only") for words in notifications(app))
        assert len(json.loads(str(recorded()[1]))["entries"]) == cached > 0


@pytest.mark.parametrize(("kib", "copied"), [(8, True), (1025, False)])
async def test_output_that_is_too_long_is_not_copied_in_part(
    make: Make, kib: int, copied: bool
) -> None:
    script = f"head -c {kib * 1024} /dev/zero | tr '\\0' x"
    app = make(OwnCommand("Copy", ("sh", "-c", script), output="clipboard"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "x", "1")
        await idle_until(pilot, lambda: bool(notifications(app)))
        assert (len(app.clipboard) == kib * 1024) is copied
        assert notifications(app)[-1].startswith("Copied" if copied else "Copy: 1.0 MB are too")


async def test_another_profile_is_opened_only_after_yes_while_a_program_runs(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    preferences = Preferences(
        commands=(OwnCommand("Sleep", ("sleep", "60"), output="notice"),),
        profiles={"one": "here", "two": "there"},
        profile="one",
    )
    app = FrontdeskApp(mailbox, title="s", clock=Clock(UTC, lambda: NOW), preferences=preferences)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x", "1")
        await pilot.press("ctrl+o", *"two", "enter")
        await idle_until(pilot, lambda: "1 program running" in shown(app))
        await pilot.press("enter")
        await pilot.pause()
        assert app.is_running
        await pilot.press("ctrl+o", *"two", "enter", *"yes", "enter")
        await idle_until(pilot, lambda: not app.is_running)
    assert app.return_value == Switch("two")
