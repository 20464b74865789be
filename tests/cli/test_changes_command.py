"""`frontdesk changes`: lines with positions that another run goes on from."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Interrupted, Terminal, output_of, run_command, run_on
from tests.fake_service import Query, Reply, fake_service

from frontdesk.cli.commands.changes import ChangeLine, as_json, as_text, changes_of
from frontdesk.cli.exit_codes import ERROR, INTERRUPTED
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, LabelUpsert, MessageUpsert, Person
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.wire import Changes, Conversation

POSITION = re.compile(r"[0-9a-f]{8}-[0-9]+")


@pytest.fixture
def inbox(path: Path) -> Iterator[SQLiteDatabase]:
    database = SQLiteDatabase(path, durable=False)
    yield database
    database.close()


@pytest.fixture
def write(inbox: SQLiteDatabase) -> Callable[..., None]:
    """Brings messages of customers, one for each number."""

    count = itertools.count()

    def bring(*numbers: int) -> None:
        events = [
            MessageUpsert(
                "108200000000011", Person(f"+447700900{number:03}"), f"c{next(count)}",
                1_774_200_000_000 + number, False, Author("contact"), "text", "webhook", text="Hi",
            )
            for number in numbers
        ]  # fmt: skip
        inbox.write(lambda connection: apply_events(connection, 1, events, now=1))

    return bring


def conversation(id: str) -> Conversation:
    return Conversation.model_validate(
        {
            "id": id, "status": "open", "channel": {"id": "1", "name": "Dock"},
            "contact": {"id": "3", "name": "Mia\u0007 Roe", "phone": "+4477009007"},
            "last_activity_at": "2026-03-14T09:26:53.000Z",
        }
    )  # fmt: skip


def test_every_line_but_the_last_has_the_position_before_all() -> None:
    rows = (conversation("5"), conversation("4"))
    changes = Changes(data=rows, gone=("7",), names=True, next="a-9")
    assert changes_of(changes, "a-2") == [
        ChangeLine("a-2", "conversation", "5", rows[0]),
        ChangeLine("a-2", "conversation", "4", rows[1]),
        ChangeLine("a-2", "gone", "7"),
        ChangeLine("a-9", "names"),
    ]
    assert changes_of(Changes(data=(), reset=True, next="b-1"), "a-2") == [
        ChangeLine("b-1", "reset")
    ]
    assert changes_of(Changes(data=(), next="a-2"), "a-2") == []
    assert changes_of(Changes(data=(), next="a-2"), None) == [ChangeLine("a-2", "position")]


def test_a_line_of_text_has_the_position_first_and_no_control_characters() -> None:
    row = ChangeLine("a-9", "conversation", "5", conversation("5"))
    words = as_text(row, None)
    assert words.startswith("a-9  conversation  open  2026-03-14")
    assert words.endswith('  5  Dock  "Mia\ufffd Roe"')
    assert as_text(row, 12) == "a-9  conver…"
    assert as_text(ChangeLine("a-9", "gone", "7"), None) == "a-9  gone  7"
    assert as_text(ChangeLine("a-9", "names"), None) == "a-9  names"


def test_a_line_of_json_has_the_same_members_for_every_kind() -> None:
    line = ChangeLine("a-9", "conversation", "5", conversation("5"))
    some = json.loads(as_json(line))
    none = json.loads(as_json(ChangeLine("a-9", "gone", "7")))
    assert none == {"position": "a-9", "kind": "gone", "id": "7", "conversation": None}
    assert some.keys() == none.keys()
    assert some["conversation"]["contact"]["name"] == "Mia\u0007 Roe"
    fields = ("position", "conversation.status")
    assert json.loads(as_json(line, fields)) == {
        "position": "a-9",
        "conversation.status": "open",
    }


def test_a_run_goes_on_where_the_last_one_ended(path: Path, write: Callable[..., None]) -> None:
    position, kind = output_of(path, "changes").split()
    assert (POSITION.fullmatch(position) is not None, kind) == (True, "position")
    assert output_of(path, "changes", "--after", position) == ""
    write(*range(99))
    # More than a page of them, and some once more.
    write(99, *range(100, 110))
    write(3)
    printed = output_of(path, "changes", "--after", position, "--format", "jsonl")
    lines = [json.loads(line) for line in printed.splitlines()]
    rows = [line["conversation"] for line in lines if line["kind"] == "conversation"]
    phones = [row["contact"]["phone"] for row in rows]
    assert phones[-1] == "+447700900003"
    assert {*phones} == {f"+447700900{number:03}" for number in range(110)}
    assert output_of(path, "changes", "--after", lines[-1]["position"]) == ""


def test_the_position_of_any_line_loses_none_after_it(
    path: Path, inbox: SQLiteDatabase, write: Callable[..., None]
) -> None:
    write(0)
    position = output_of(path, "changes").split()[0]
    write(1, 2, 3)
    label = [LabelUpsert("on fire", 0)]
    inbox.write(lambda connection: apply_events(connection, 1, label, now=1))

    def after(position: str) -> list[dict[str, Any]]:
        printed = output_of(path, "changes", "--after", position, "--format", "jsonl")
        return [json.loads(line) for line in printed.splitlines()]

    lines = after(position)
    assert [line["kind"] for line in lines] == [*["conversation"] * 3, "names"]
    for at, line in enumerate(lines):
        later = [(one["kind"], one["id"]) for one in after(line["position"])]
        assert {(one["kind"], one["id"]) for one in lines[at + 1 :]} <= {*later}


def test_a_position_of_another_database_is_said(path: Path) -> None:
    first, kind = output_of(path, "changes", "--after", "00000000-1").split()
    assert kind == "reset"
    assert output_of(path, "changes", "--after", first) == ""


def test_a_database_is_followed_until_it_is_interrupted_quietly(
    path: Path, write: Callable[..., None]
) -> None:
    out = Interrupted(lambda: write(5), lambda: write(6))
    # The first message of a channel is of its name too.
    write(1)
    ended = run_on(path, "changes", "--follow", "--json", "kind,conversation.contact", stdout=out)
    assert (ended.exit_code, ended.stderr) == (INTERRUPTED, "\n")
    first, *lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert first == {"kind": "position", "conversation.contact": None}
    assert [line["kind"] for line in lines] == ["conversation"] * 2
    phones = [line["conversation.contact"]["phone"] for line in lines]
    assert phones == ["+447700900005", "+447700900006"]


def test_a_line_fits_a_terminal(
    path: Path, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(1)
    position = output_of(path, "changes").split()[0]
    write(5)
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    run_on(path, "changes", "--after", position, stdout=out)
    assert [len(line) for line in out.getvalue().splitlines()] == [40]


def test_a_server_that_does_not_say_what_changed_is_refused() -> None:
    def answer(path: str, query: Query) -> object:
        return Reply(404, {})

    with fake_service(answer) as there:
        done = run_command("changes", "--url", there.url, FRONTDESK_API_KEY="k")
    assert (done.exit_code, done.stdout) == (ERROR, "")
    assert "does not" in done.stderr
