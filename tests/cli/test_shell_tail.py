"""`frontdesk tail`: each new message once, also from an unreliable server."""

import io
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.commands import Interrupted, Terminal, output_of, run_command, run_on
from tests.conftest import NOW, NOW_MILLISECONDS

from frontdesk.cache import Cache
from frontdesk.cli.commands.tail import LATE, Activity, NewMessages, as_json, line
from frontdesk.cli.exit_codes import DONE, INTERRUPTED, USAGE
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, NotFound, Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.mailbox import Mailbox
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.system.environment import config_file
from frontdesk.text.times import in_zone
from frontdesk.wire import Conversation, ConversationFilter, Message, MessagePreview, Page

EVERYTHING = ConversationFilter()
CHANNEL = "108200000000011"
SECOND = 1000

Write = Callable[..., None]


@pytest.fixture
def write(sample_database: SQLiteDatabase) -> Write:
    """Brings a message into the inbox, `seconds` after NOW."""
    number = iter(range(1, 1000))

    def bring(text: str, *, seconds: float = 1, phone: str = "+447700900991") -> None:
        message = MessageUpsert(
            channel=CHANNEL,
            person=Person(phone=phone, wa_id=phone[1:]),
            wamid=f"wamid.{next(number)}",
            at=NOW_MILLISECONDS + int(seconds * SECOND),
            outbound=False,
            author=Author("contact"),
            type="text",
            source="webhook",
            text=text,
        )
        sample_database.write(
            lambda connection: apply_events(connection, 1, [message], now=NOW_MILLISECONDS)
        )

    return bring


async def mailbox_of(client: "InboxClient | Faulty", cache: Cache) -> Mailbox:
    mailbox = Mailbox(lambda: client, cache)  # type: ignore[arg-type, return-value]
    await mailbox.connect()
    return mailbox


@pytest.fixture
async def mailbox(client: InboxClient, cache: Cache) -> Mailbox:
    return await mailbox_of(client, cache)


def texts(activities: Sequence[Activity]) -> list[str | None]:
    return [row.message.text if row.message else None for row in activities]


async def test_new_messages_are_returned_once_and_in_order(mailbox: Mailbox, write: Write):
    messages = NewMessages(mailbox, EVERYTHING, NOW)
    await messages.latest(10)
    assert await messages.poll() == []
    write("second", seconds=2)
    write("first", seconds=1, phone="+447700900992")
    write("third", seconds=3)
    assert texts(await messages.poll()) == ["first", "second", "third"]
    assert await messages.poll() == []
    write("fourth", seconds=4)
    assert texts(await messages.poll()) == ["fourth"]


def test_a_tail_that_goes_on_prints_what_comes(
    sample_database: SQLiteDatabase, tmp_path: Path, write: Write
) -> None:
    out = Interrupted(lambda: write("Are you there?"), lambda: write("Hello?", seconds=2))
    ended = run_on(tmp_path / "inbox.db", "tail", "--lines", "1", stdout=out)
    assert (ended.exit_code, ended.stderr.strip()) == (INTERRUPTED, "")
    said = [text.rpartition(": ")[2] for text in out.getvalue().splitlines()]
    assert said[1:] == ["Are you there?", "Hello?"]


async def test_all_messages_of_one_moment_are_returned(mailbox: Mailbox, write: Write):
    messages = NewMessages(mailbox, EVERYTHING, NOW)
    await messages.latest(0)
    write("a")
    assert texts(await messages.poll()) == ["a"]
    write("b")
    write("c", seconds=2)
    assert texts(await messages.poll()) == ["b", "c"]


async def test_many_messages_of_many_conversations_between_two_polls(
    mailbox: Mailbox, write: Write
):
    messages = NewMessages(mailbox, EVERYTHING, NOW)
    await messages.latest(1)
    for number in range(60):
        write(str(number), seconds=number + 1, phone=f"+4477009010{number % 30:02}")
    assert texts(await messages.poll()) == [str(number) for number in range(60)]


async def test_a_late_message_is_returned_too(mailbox: Mailbox, write: Write):
    messages = NewMessages(mailbox, EVERYTHING, NOW)
    await messages.latest(1)
    write("prompt", seconds=100)
    assert texts(await messages.poll()) == ["prompt"]
    write("late", seconds=100 - LATE.total_seconds() + 1, phone="+447700900993")
    assert texts(await messages.poll()) == ["late"]


async def test_a_conversation_dated_in_the_future_silences_no_other_and_not_itself(
    mailbox: Mailbox, write: Write
):
    year, ahead, other = 365 * 86_400, "+447700900994", "+447700900995"
    write("from the future", seconds=year, phone=ahead)
    messages = NewMessages(mailbox, EVERYTHING, NOW, lambda: NOW)
    assert texts(await messages.latest(1)) == ["from the future"]
    assert await messages.poll() == []
    write("elsewhere", seconds=1, phone=other)
    write("in time", seconds=2, phone=ahead)
    assert texts(await messages.poll()) == ["elsewhere", "in time"]
    assert await messages.poll() == []
    write("late", seconds=1.5, phone=other)
    write("in the future too", seconds=year + 1, phone=other)
    assert texts(await messages.poll()) == ["late", "in the future too"]
    write("again", seconds=3, phone=other)
    assert texts(await messages.poll()) == ["again"]
    assert await messages.poll() == []


async def test_below_a_conversation_dated_in_the_future_all_that_is_new_is_read(
    mailbox: Mailbox, write: Write
):
    ahead = "+447700900994"
    write("from the future", seconds=365 * 86_400, phone=ahead)
    messages = NewMessages(mailbox, EVERYTHING, NOW, lambda: NOW)
    await messages.latest(1)
    for number in range(60):
        write(f"elsewhere {number}", seconds=number, phone=f"+4477009010{number:02}")
    for number in range(60):
        write(f"in time {number}", seconds=60 + number, phone=ahead)
    expected = [f"{place} {number}" for place in ("elsewhere", "in time") for number in range(60)]
    assert texts(await messages.poll()) == expected
    assert await messages.poll() == []


async def test_what_another_program_has_loaded_into_the_cache_is_new_here(
    mailbox: Mailbox, write: Write
):
    messages = NewMessages(mailbox, EVERYTHING, NOW)
    await messages.latest(1)
    write("a")
    await mailbox.refresh_conversations(EVERYTHING)
    newest = mailbox.conversations(EVERYTHING)[0]
    await mailbox.refresh_thread(newest.id)
    assert texts(await messages.poll()) == ["a"]
    await mailbox.refresh_thread(newest.id)
    assert await messages.poll() == []


async def test_the_latest_are_the_newest_of_each_conversation(
    client: InboxClient, mailbox: Mailbox
):
    page = await client.conversation_page(EVERYTHING, limit=4)
    latest = await NewMessages(mailbox, EVERYTHING, NOW).latest(4)
    assert [one.conversation.id for one in latest] == [row.id for row in page.data][::-1]
    assert texts(latest) == [one.last_message and one.last_message.text for one in page.data][::-1]
    assert await NewMessages(mailbox, EVERYTHING, NOW).latest(0) == []


async def test_the_latest_name_the_person_who_wrote(mailbox: Mailbox):
    latest = await NewMessages(mailbox, EVERYTHING, NOW).latest(100)
    written = [one for one in latest if one.message and one.message.author == "user"]
    assert written
    for one in written:
        assert isinstance(one.message, Message)
        assert one.message.author_ref
        assert f" ← {one.message.author_ref.name}: " in line(one, None)


async def test_every_message_since_a_moment_is_returned(client: InboxClient, mailbox: Mailbox):
    since = NOW - timedelta(hours=3)
    activities = await NewMessages(mailbox, EVERYTHING, since).poll()
    expected = set()
    async for conversation in client.conversations():
        if conversation.last_activity_at < since.isoformat():
            break
        async for message in client.messages(conversation.id):
            if datetime.fromisoformat(message.created_at) >= since:
                expected.add(message.id)
    assert len(activities) > 10
    assert {one.message.id for one in activities if one.message} == expected
    assert [one.at for one in activities] == sorted(one.at for one in activities if one.at)


async def test_only_what_the_filter_has(mailbox: Mailbox, write: Write):
    other = ConversationFilter(channel="108200000000013")
    messages = NewMessages(mailbox, other, NOW)
    await messages.latest(1)
    write("elsewhere")
    assert await messages.poll() == []


class Faulty:
    """A client whose messages fail with the given errors."""

    def __init__(self, client: InboxClient, *failures: Exception | None) -> None:
        self._client = client
        self._failures = iter(failures)
        self.threads: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def message_page(self, id: str, *, cursor: str | None = None) -> Page[Message]:
        self.threads.append(id)
        failure = next(self._failures, None)
        if failure is not None:
            raise failure
        return await self._client.message_page(id, cursor=cursor)


async def test_after_a_failure_half_way_the_rest_is_loaded_and_nothing_is_lost(
    client: InboxClient, cache: Cache, write: Write
):
    faulty = Faulty(client, None, Unreachable("gone"), None, Unreachable("gone"))
    messages = NewMessages(await mailbox_of(faulty, cache), EVERYTHING, NOW)
    await messages.latest(0)
    for number, seconds in enumerate((3600, 1800, 1)):
        write(str(number), seconds=seconds, phone=f"+44770090099{number}")
    for _ in range(2):
        with pytest.raises(Unreachable):
            await messages.poll()
    assert texts(await messages.poll()) == ["2", "1", "0"]
    first, second, third = dict.fromkeys(faulty.threads)
    assert faulty.threads == [first, second, second, third, third]
    assert await messages.poll() == []


async def test_a_message_that_arrives_while_the_latest_are_read_is_not_lost(
    client: InboxClient, cache: Cache, write: Write
):
    class Busy(Faulty):
        requests = 0

        async def conversation_page(self, *values: Any, **options: Any) -> Page[Conversation]:
            self.requests += 1
            write(f"request {self.requests}", seconds=self.requests)
            return await client.conversation_page(*values, **options)

    busy = Busy(client)
    messages = NewMessages(await mailbox_of(busy, cache), EVERYTHING, NOW)
    printed = texts(await messages.latest(1))
    assert printed == [f"request {busy.requests}"]
    assert texts(await messages.poll()) == [f"request {busy.requests}"]


async def test_of_a_conversation_that_was_deleted_meanwhile_nothing_is_returned(
    client: InboxClient, cache: Cache, write: Write
):
    messages = NewMessages(
        await mailbox_of(Faulty(client, NotFound("gone")), cache), EVERYTHING, NOW
    )
    await messages.latest(0)
    write("read first, and gone", seconds=2)
    write("still there", phone="+447700900992")
    assert texts(await messages.poll()) == ["still there"]
    write("later", seconds=3, phone="+447700900992")
    assert texts(await messages.poll()) == ["later"]


async def test_a_key_that_may_read_no_messages_hears_of_activity(
    client: InboxClient, cache: Cache, write: Write
):
    faulty = Faulty(client, Forbidden("no"), AssertionError("it was returned already"))
    messages = NewMessages(await mailbox_of(faulty, cache), EVERYTHING, NOW)
    await messages.latest(1)
    write("one")
    write("two", phone="+447700900992")
    assert len(await messages.poll()) == 2
    write("three", seconds=2)
    assert len(await messages.poll()) == 1


def activity(text: str, **members: object) -> Activity:
    conversation = Conversation.model_validate(
        {
            "id": "7",
            "status": "open",
            "channel": {"id": "1", "name": "Sup\x1bport"},
            "contact": {"id": "2", "name": "Sam\x07", "phone": "+441"},
            "last_activity_at": "2026-03-14T09:26:53.000Z",
        }
    )
    base = {"id": "9", "direction": "inbound", "author": "contact", "text": text}
    made = {**base, "created_at": "2026-03-14T09:26:53.000Z", **members}
    return Activity(conversation, Message.model_validate(made))


def test_a_line_is_one_line_and_nothing_in_it_is_obeyed():
    shown = line(activity("a\nb\x1b[2J"), None)
    assert shown.endswith('  7  Sup\ufffdport  "Sam\ufffd": a b\ufffd[2J')
    assert len(line(activity("x" * 500), 80)) == 80
    outbound = activity("yes", direction="outbound", author="user", author_ref={"name": "Ana"})
    assert line(outbound, None).endswith('"Sam\ufffd" ← Ana: yes')


def test_as_json_a_message_has_its_conversation():
    read = json.loads(as_json(activity("hello")))
    assert (read["conversation"]["id"], read["message"]["text"]) == ("7", "hello")
    without = SimpleNamespace(conversation=activity("").conversation, message=None)
    assert json.loads(as_json(without))["message"] is None  # type: ignore[arg-type]


def test_an_activity_is_of_its_message_or_of_the_conversation():
    told = activity("hello")
    assert (told.key, told.at) == ("7 9", datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC))
    row = told.conversation.model_copy(update={"last_activity_at": "2026-03-14T10:00:00.000Z"})
    heard = Activity(row, None)
    assert heard.key == "7 2026-03-14T10:00:00.000Z"
    assert heard.at == datetime(2026, 3, 14, 10, tzinfo=UTC)
    start = f"{in_zone(heard.at):%Y-%m-%d %H:%M:%S}"
    assert line(heard, None) == f'{start}  7  Sup\ufffdport  "Sam\ufffd"'
    unknown = Activity(row.model_copy(update={"last_activity_at": "?"}), None)
    assert line(unknown, None).startswith("-  7  ")


def test_of_a_preview_the_kind_of_the_author_is_told():
    members = {"id": "9", "created_at": "2026-03-14T09:26:53.000Z", "text": "hi"}
    for author, direction, end in (
        ("ai_agent", "outbound", " ← AI agent: hi"),
        ("contact", "inbound", ": hi"),
    ):
        preview = MessagePreview.model_validate(
            {**members, "author": author, "direction": direction}
        )
        assert line(Activity(activity("").conversation, preview), None).endswith(f'Sam\ufffd"{end}')


def test_of_json_the_members_that_are_asked_for_are_written():
    fields = ("message.text", "message.delivery_status", "conversation.id")
    assert json.loads(as_json(activity("hello"), fields)) == {
        "message.text": "hello",
        "message.delivery_status": None,
        "conversation.id": "7",
    }


def test_once_ends_by_itself(inbox: Path):
    assert len(output_of(inbox, "tail", "--once", "--lines", "3").splitlines()) == 3
    lines = output_of(
        inbox, "tail", "--once", "--since", "2026-03-14T08:00:00Z", "--format", "jsonl"
    )
    times = [json.loads(text)["message"]["created_at"] for text in lines.splitlines()]
    assert times
    assert times == sorted(times)
    assert min(times) >= "2026-03-14T08:00:00.000Z"
    assert output_of(inbox, "tail", "--once", "--since", "30m") == ""


def test_alerts_are_printed_once_and_the_program_is_run(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    refused = run_on(inbox, "tail", "--alerts")
    assert refused.exit_code == USAGE
    assert "frontdesk config edit" in refused.stderr
    ran, file = tmp_path / "ran", config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    command = f"[[commands]]\nname = 'Note'\nfor = ['alert']\nrun = 'cat >> {ran}'\n"
    file.write_text(f'{command}stdin = "message"\n[alerts]\nwaiting = "15m"\n')
    printed = output_of(inbox, "tail", "--alerts", "--once", "--format", "jsonl")
    alerts = [json.loads(text) for text in printed.splitlines()]
    assert alerts
    assert {(one["kind"], one["conversation"]["assignee"]) for one in alerts} == {("waiting", None)}
    assert ran.read_text().startswith("Waiting for")
    assert output_of(inbox, "tail", "--alerts", "--once") == ""


@pytest.mark.parametrize(
    ("chosen", "stderr", "notified"),
    [
        ("true", Terminal, True),
        ("false", Terminal, False),
        # A file is no terminal.
        ("true", io.StringIO, False),
    ],
)
def test_an_alert_is_a_notification_of_the_terminal_that_is_chosen(
    inbox: Path, chosen: str, stderr: Callable[[], io.StringIO], notified: bool
):
    file = config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[alerts]\nwaiting = "15m"\nterminal = {chosen}\n')
    shown = stderr()
    command = ("tail", "--alerts", "--once", "--database", inbox)
    ended = run_command(*command, stderr=shown, TERM="foot", TMUX=None)
    assert (ended.exit_code, bool(ended.stdout)) == (0, True)
    assert ("\x1b]777;notify;frontdesk;Waiting for" in shown.getvalue()) == notified
    # No line of its own: it is not seen.
    assert "\n" not in shown.getvalue()
    assert bool(shown.getvalue()) == notified


def test_an_alert_is_announced_although_nobody_reads_the_output(inbox: Path, tmp_path: Path):
    ran, file = tmp_path / "ran", config_file()
    file.parent.mkdir(parents=True, exist_ok=True)

    def tail_into_a_closed_pipe(configuration: str) -> int:
        file.write_text(configuration)
        reader, writer = os.pipe()
        os.close(reader)
        # What it could not write is still there when it is closed.
        with suppress(BrokenPipeError), open(writer, "w") as closed:
            ended = run_on(inbox, "tail", "--alerts", "--once", stdout=closed)
        return ended.exit_code

    alone = '[alerts]\nwaiting = "15m"\n'
    assert tail_into_a_closed_pipe(alone) == DONE
    command = f"[[commands]]\nname = 'Note'\nfor = ['alert']\nrun = 'echo >> {ran}'\n"
    assert tail_into_a_closed_pipe(f"{alone}{command}") == DONE
    announced = ran.read_text()
    assert announced
    assert output_of(inbox, "tail", "--alerts", "--once") == ""
    assert ran.read_text() == announced


@pytest.mark.parametrize("since", ["soon", "5", "2026-13-01", "-5m", "999999d"])
def test_an_unreadable_time_is_reported(inbox: Path, since: str):
    result = run_on(inbox, "tail", "--once", f"--since={since}")
    assert (result.exit_code, result.stdout) == (2, "")
