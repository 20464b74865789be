"""`frontdesk import events`: imports what is readable, and reports the rest."""

import gzip
import json
import os
import stat
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_command, stored
from tests.ingest.webhook_bodies import text_body
from tests.stores import PostgresServer

from frontdesk.cli.commands.import_ import files, import_group
from frontdesk.cli.commands.init import init_command
from frontdesk.cli.exit_codes import ERROR, exit_code
from frontdesk.errors import BadSettings, InboxError, UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.archive import importer
from frontdesk.ingest.archive import reader as archives
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.store.sqlite import SQLiteDatabase

# A moment long past: what was said then is silent for more than a week.
MOMENT = 1_700_000_000


def body(number: int, *, echo: bool = False, moment: int = MOMENT) -> dict[str, Any]:
    """One text between a business number and one of two people."""
    person, text = f"1650555000{number % 2}", f"Message {number} 👋"
    return text_body(f"wamid.{number}", person, moment + number, text, echo=echo)


def lines(bodies: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in bodies)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "events.ndjson"
    path.write_bytes(lines([body(number, echo=number % 3 == 0) for number in range(10)]))
    return path


def run(tmp_path: Path, *arguments: str | Path) -> Result:
    database = ("--database", str(tmp_path / "inbox.db"))
    return CliRunner().invoke(import_group, ["events", *map(str, arguments), *database])


def test_everything_goes_in_and_is_counted(tmp_path: Path, archive: Path) -> None:
    result = run(tmp_path, archive)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "10 lines of 1 file read",
        "messages: 10 new, 0 already known",
        "statuses: 0 new, 0 already known",
        "conversations: 2 new",
        "contacts: 2 new",
        "channels: 1 new",
        "rejected: 0 lines",
    ]
    assert result.stderr == ""
    assert stored(tmp_path, "SELECT count(*) FROM message") == [(10,)]


def test_a_second_time_changes_nothing(tmp_path: Path, archive: Path) -> None:
    run(tmp_path, archive)
    before = stored(tmp_path, "SELECT * FROM conversation, account")
    result = run(tmp_path, archive)
    assert "messages: 0 new, 10 already known" in result.stdout
    assert stored(tmp_path, "SELECT * FROM conversation, account") == before


def test_gzip_is_read_too(tmp_path: Path, archive: Path) -> None:
    packed = tmp_path / "events.gz"
    packed.write_bytes(gzip.compress(archive.read_bytes()))
    assert "messages: 10 new" in run(tmp_path, packed).stdout


def test_standard_input_is_read_too(tmp_path: Path, archive: Path) -> None:
    done = run_command(
        *("import", "events", "-", archive, "--database", tmp_path / "inbox.db"),
        stdin=gzip.compress(lines([body(number) for number in range(10, 13)])),
    )
    assert done.stdout.splitlines()[:2] == [
        "13 lines of 2 files read",
        "messages: 13 new, 0 already known",
    ]
    assert done.stderr == ""


def test_a_line_that_cannot_be_read_is_reported_and_the_rest_goes_in(tmp_path: Path) -> None:
    path = tmp_path / "mixed.ndjson"
    path.write_bytes(lines([body(1)]) + b"\n{nonsense\n[]\n" + lines([body(2)]))
    result = run(tmp_path, path)
    assert result.exit_code == 0
    assert "messages: 2 new" in result.stdout
    assert "rejected: 2 lines" in result.stdout
    assert [line.removeprefix(f"{path}, ") for line in result.stderr.splitlines()] == [
        "line 3: it is not JSON from character 2 on",
        "line 4: it is not a JSON object",
        f"rejected lines are in {path}.rejects.ndjson",
    ]


def test_an_element_that_cannot_be_read_is_rejected_with_its_line_and_comes_in_once_mended(
    tmp_path: Path,
) -> None:
    path = tmp_path / "batch.ndjson"
    batch = body(2)
    messages = batch["entry"][0]["changes"][0]["value"]["messages"]
    messages += [{**messages[0], "id": "wamid.9", "timestamp": "soon"}]
    wrapped = {"received_at": "2026-03-14T09:26:53Z", "headers": {}, "body": batch}
    path.write_bytes(lines([body(1), wrapped]))
    rejects = tmp_path / "batch.ndjson.rejects.ndjson"
    result = run(tmp_path, path)
    assert "messages: 2 new" in result.stdout
    assert "rejected: 1 line, 1 of them in part" in result.stdout
    place = "entry[0].changes[0].value.messages[1].timestamp"
    assert result.stderr.splitlines() == [
        f"{path}, line 2: 1 of its elements: {place} is not a time in Unix seconds",
        f"rejected lines are in {rejects}",
    ]
    assert result.exit_code == 0
    assert run(tmp_path, path, "--strict").exit_code == 1
    rejects.write_text(rejects.read_text().replace("soon", str(MOMENT + 9)))
    assert "messages: 1 new, 1 already known" in run(tmp_path, rejects, "--strict").stdout
    assert stored(tmp_path, "SELECT wamid FROM message ORDER BY wamid") == [
        ("wamid.1",),
        ("wamid.2",),
        ("wamid.9",),
    ]


def test_only_so_many_rejected_lines_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "broken.ndjson"
    path.write_bytes(b"nonsense\n" * 50)
    result = run(tmp_path, path)
    shown = result.stderr.splitlines()
    assert len(shown) == files.REJECTED_SHOWN + 2
    assert shown[-1] == f"rejected lines are in {path}.rejects.ndjson"
    assert shown[-2] == "… and 30 more"


def test_unsupported_webhook_fields_are_counted_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.ndjson"
    alert = {"field": "account_alerts", "value": {"alert_severity": "INFORMATIONAL"}}
    path.write_bytes(
        lines([{"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [alert]}]}])
    )
    assert "ignored: 1 field account_alerts" in run(tmp_path, path).stdout


@pytest.mark.parametrize(("choice", "status"), [("auto", 2), ("open", 0), ("resolved", 2)])
def test_silent_conversations_start_as_asked(
    tmp_path: Path, archive: Path, choice: str, status: int
) -> None:
    run(tmp_path, archive, "--initial-status", choice)
    assert set(stored(tmp_path, "SELECT status FROM conversation")) == {(status,)}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "it is a directory"),
    ],
    ids=["missing", "directory"],
)
def test_a_file_that_cannot_be_opened_ends_it_before_anything_is_touched(
    tmp_path: Path, archive: Path, make: Callable[[Path], object], sentence: str
) -> None:
    path = tmp_path / "other.ndjson"
    make(path)
    error = run(tmp_path, archive, path).exception
    assert isinstance(error, UnusableFile)
    assert str(error) == f"Cannot read {path}: {sentence}"
    assert exit_code(error) == 2
    assert not (tmp_path / "inbox.db").exists()


def test_a_database_that_is_not_ours_stays_as_it_is(tmp_path: Path, archive: Path) -> None:
    database = tmp_path / "inbox.db"
    database.write_bytes(b"my novel")
    error = run(tmp_path, archive).exception
    assert isinstance(error, UnusableFile)
    assert database.read_bytes() == b"my novel"


def test_a_database_that_is_made_is_for_its_owner_alone(archive: Path) -> None:
    assert run(archive.parent / "nowhere", archive).exit_code == 0
    made = archive.parent / "nowhere" / "inbox.db"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def test_a_database_where_none_can_be_made_is_refused(archive: Path) -> None:
    error = run(archive, archive).exception
    assert isinstance(error, InboxError)
    assert exit_code(error) == 2


def test_the_next_import_reopens_conversations_whose_snooze_has_expired(
    tmp_path: Path, archive: Path
) -> None:
    run(tmp_path, archive)
    who = Person(phone="+16505550001", wa_id="16505550001")
    over = MOMENT * 1000 + 999_000
    snooze = ConversationEvent("106540352242922", who, "s", over - 1, "snoozed", {"until": over})
    database = SQLiteDatabase(tmp_path / "inbox.db")
    database.write(lambda connection: apply_events(connection, 1, [snooze], now=over - 1))
    database.close()
    sql = "SELECT status FROM conversation ORDER BY status"
    assert stored(tmp_path, sql) == [(1,), (2,)]
    run(tmp_path, archive)
    assert stored(tmp_path, sql) == [(0,), (2,)]


def test_a_database_on_a_server_takes_the_same(postgres: PostgresServer, archive: Path) -> None:
    with postgres.database() as address:
        arguments = ["events", str(archive), "--database", address]
        assert CliRunner().invoke(init_command, ["--database", address]).exit_code == 0
        for _ in range(2):
            rehearsed = CliRunner().invoke(import_group, [*arguments, "--dry-run"])
            assert "messages: 10 new" in rehearsed.stdout
        assert CliRunner().invoke(import_group, arguments).exit_code == 0
        result = CliRunner().invoke(import_group, arguments)
        assert "messages: 0 new, 10 already known" in result.stdout


def test_sent_messages_that_name_no_channel_are_those_of_the_channel_that_is_given(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sent.ndjson"
    sent = {
        "kind": "cloud_api_send",
        "at": "2026-03-14T09:26:53Z",
        "request": {"to": "16505550001", "type": "text", "text": {"body": "Hello"}},
        "response": {"messages": [{"id": "wamid.1"}]},
    }
    path.write_bytes(lines([sent]))
    assert "--channel gives it" in run(tmp_path, path).stderr
    assert "messages: 1 new" in run(tmp_path, path, "--channel", "106540352242922").stdout
    assert stored(tmp_path, "SELECT phone_number_id FROM channel") == [("106540352242922",)]
    assert run(tmp_path, path, "--channel", "Support").exit_code == 2


def test_an_unknown_account_is_refused(tmp_path: Path, archive: Path) -> None:
    assert isinstance(run(tmp_path, archive, "--account", "other").exception, BadSettings)


def interrupt_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Have imports interrupted when they have read so many lines; three go into a transaction."""
    read = archives.read

    def interrupted(*arguments: Any, **options: Any) -> Iterator[Any]:
        for line in read(*arguments, **options):
            if line.number > count:
                raise KeyboardInterrupt
            yield line

    monkeypatch.setattr(importer, "LINES_AT_ONCE", 3)
    monkeypatch.setattr(archives, "read", interrupted)


def test_an_interruption_keeps_whole_transactions(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_after(monkeypatch, 8)
    result = run(tmp_path, archive)
    assert result.exit_code == 130
    assert "6 lines of 1 file read" in result.stdout
    assert stored(tmp_path, "SELECT count(*) FROM message") == [(6,)]


@pytest.mark.parametrize("packed", [False, True])
def test_an_interrupted_import_resumes_where_it_stopped(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    if packed:
        archive.write_bytes(gzip.compress(archive.read_bytes()))
    with monkeypatch.context() as interrupted:
        interrupt_after(interrupted, 8)
        run(tmp_path, archive)
    result = run(tmp_path, archive)
    assert result.stdout.splitlines()[:3] == [
        f"{archive}: gone on behind line 6, where it was interrupted",
        "4 lines of 1 file read",
        "messages: 4 new, 0 already known",
    ]
    assert "10 lines of 1 file read" in run(tmp_path, archive).stdout
    assert stored(tmp_path, "SELECT * FROM checkpoint") == []


def test_a_file_that_changed_is_read_from_its_first_line(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as interrupted:
        interrupt_after(interrupted, 8)
        run(tmp_path, archive)
    archive.write_bytes(archive.read_bytes() + lines([body(11)]))
    assert "messages: 5 new, 6 already known" in run(tmp_path, archive).stdout


def test_a_dry_run_says_what_would_be_and_changes_nothing(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 3)
    result = run(tmp_path, archive, "--dry-run")
    assert result.stdout.splitlines()[:2] == [
        "10 lines of 1 file would be read",
        "messages: 10 new, 0 already known",
    ]
    assert not (tmp_path / "inbox.db").exists()
    run(tmp_path, archive)
    before = stored(tmp_path, "SELECT * FROM account, conversation")
    archive.write_bytes(lines([body(20)]) + b"nonsense\n")
    assert "messages: 1 new" in run(tmp_path, archive, "--dry-run").stdout
    assert stored(tmp_path, "SELECT * FROM account, conversation") == before
    assert not list(tmp_path.glob("*.rejects.ndjson"))


def test_rejected_lines_are_kept_beside_the_file_and_can_be_imported_once_mended(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mixed.ndjson"
    good = lines([body(1)]).decode().strip()
    path.write_bytes(f"{good}\n{good[:-1]}\n".encode())
    result = run(tmp_path, path)
    rejects = tmp_path / "mixed.ndjson.rejects.ndjson"
    assert f"rejected lines are in {rejects}" in result.stderr
    (rejected,) = map(json.loads, rejects.read_text().splitlines())
    assert (rejected["line"], rejected["body"]) == (2, good[:-1])
    assert rejected["reason"].startswith("it is not JSON")
    assert stat.S_IMODE(rejects.stat().st_mode) == 0o600
    rejects.write_text(json.dumps({**rejected, "body": good[:-1] + "}"}))
    assert "messages: 0 new, 1 already known" in run(tmp_path, rejects).stdout


def test_strict_ends_with_an_error_if_a_line_was_rejected(tmp_path: Path, archive: Path) -> None:
    assert run(tmp_path, archive, "--strict").exit_code == 0
    archive.write_bytes(archive.read_bytes() + b"nonsense\n")
    assert run(tmp_path, archive).exit_code == 0
    assert run(tmp_path, archive, "--strict").exit_code == 1


LAYOUTS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "an array": json.dumps,
    "a spread array": lambda bodies: json.dumps(bodies, indent=2),
    "spread objects": lambda bodies: "\n".join(json.dumps(one, indent=2) for one in bodies),
    "arrays in lines": lambda bodies: "\n".join(json.dumps([one]) for one in bodies),
    "a byte order mark": lambda bodies: "\ufeff\n" + json.dumps(bodies, indent="\t"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_json_need_not_be_one_value_a_line(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "events.json"
    path.write_text(LAYOUTS[layout]([body(number) for number in range(5)]))
    result = run(tmp_path, path, "--strict")
    assert result.exit_code == 0
    assert "messages: 5 new" in result.stdout
    assert "messages: 0 new, 5 already known" in run(tmp_path, path).stdout


def test_of_an_array_what_cannot_be_read_is_named_and_the_rest_goes_in(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(json.dumps([body(1), {"a": 1}, 7, {"kind": "nothing"}, body(2)], indent=1))
    result = run(tmp_path, path)
    assert "messages: 2 new" in result.stdout
    shown = [
        line.removeprefix(f"{path}, ").partition(":")[0] for line in result.stderr.splitlines()
    ]
    assert [line.partition(",")[0] for line in shown[:3]] == ["value 2", "value 3", "value 4"]
    rejects = tmp_path / "events.json.rejects.ndjson"
    rejected = [json.loads(one) for one in rejects.read_text().splitlines()]
    assert [json.loads(one["body"]) for one in rejected] == [{"a": 1}, 7, {"kind": "nothing"}]


def test_rejects_name_the_line_of_the_file_where_a_value_of_an_array_starts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "events.json"
    path.write_text(f'[\n{json.dumps(body(1))},\n\n{{\n"a": 1}},\n7]')
    assert "value 2, in line 4" in run(tmp_path, path).stderr
    rejects = tmp_path / "events.json.rejects.ndjson"
    assert [json.loads(one)["line"] for one in rejects.read_text().splitlines()] == [4, 6]


def test_an_interrupted_array_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.json"
    path.write_text(json.dumps([body(number) for number in range(10)]))
    with monkeypatch.context() as interrupted:
        interrupt_after(interrupted, 8)
        run(tmp_path, path)
    assert "messages: 4 new, 0 already known" in run(tmp_path, path).stdout


def test_a_first_line_that_was_cut_off_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "cut.ndjson"
    good = lines([body(1)])
    path.write_bytes(good[: good.index(b"[") + 1] + b"\n" + lines([body(2), body(3)]))
    result = run(tmp_path, path)
    assert "messages: 2 new" in result.stdout
    assert "rejected: 1 line" in result.stdout


FOREIGN = {
    "UTF-16": (json.dumps(body(1)).encode("utf-16"), "it is text in UTF-16"),
    "UTF-16 without a mark": (json.dumps(body(1)).encode("utf-16-le"), "it is text in UTF-16"),
    "zip": (b"PK\x03\x04\x14\x00\x00\x00", "it is a zip archive"),
    "SQLite": (b"SQLite format 3\x00\x10\x00", "it is an SQLite database"),
    "bzip2": (b"BZh91AY&SY", "it is compressed with bzip2"),
    "HTML": (b"<!DOCTYPE html>\n<html>", "it is HTML or XML"),
    "binary": (bytes(range(256)) * 20, "it is binary data"),
    "binary with many zeros": (b"\x7fELF" + bytes(400) + b"\x01\x02", "it is binary data"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(400), "it is a picture"),
    "a packed zip": (gzip.compress(b"PK\x03\x04\x14\x00\x00\x00"), "it is a zip archive"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_that_is_no_json_at_all_is_named_before_anything_is_touched(
    tmp_path: Path, archive: Path, kind: str
) -> None:
    contents, what = FOREIGN[kind]
    path = tmp_path / "foreign"
    path.write_bytes(contents)
    error = run(tmp_path, archive, path).exception
    assert isinstance(error, InboxError)
    assert str(error).startswith(f"Cannot read {path}: {what}")
    assert "\n" not in str(error)
    assert exit_code(error) == 1
    assert not (tmp_path / "inbox.db").exists()


def test_a_stream_that_is_no_json_is_named_and_the_other_files_go_in(
    tmp_path: Path, archive: Path
) -> None:
    done = run_command(
        *("import", "events", "-", archive, "--database", tmp_path / "inbox.db"),
        stdin=json.dumps(body(20)).encode("utf-16"),
    )
    assert done.exit_code == ERROR
    assert "messages: 10 new" in done.stdout
    assert done.stderr.startswith("frontdesk: Cannot read standard input: it is text in UTF-16")


@pytest.mark.parametrize("contents", [b"nonsense\n" * 3, b"{", b"[1, 2]", b'{"a": 1}'])
def test_where_nothing_could_be_read_the_exit_code_says_so(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "broken.ndjson"
    path.write_bytes(contents)
    error = run(tmp_path, path).exception
    assert isinstance(error, InboxError)
    assert "it has no webhook body" in str(error)
    assert exit_code(error) == 1


def test_a_file_in_which_nothing_is_has_nothing_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "empty.ndjson"
    path.write_bytes(b"\n\n")
    assert run(tmp_path, path).exit_code == 0


def test_a_stream_that_is_no_file_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as threads:
        threads.submit(pipe.write_bytes, lines([body(number) for number in range(3)]))
        result = run(tmp_path, pipe)
    assert "messages: 3 new" in result.stdout


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    sizes = []
    for count in (500, 2_000):
        path = tmp_path / f"{count}.ndjson"
        label = {"kind": "label", "title": "vip", "created_at": "2026-03-14T09:26:53Z"}
        path.write_bytes(lines([label]) * count)
        tracemalloc.start()
        run(tmp_path, path)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] < 1.5 * sizes[0]


def test_memory_does_not_grow_with_an_array(tmp_path: Path) -> None:
    sizes = []
    for count in (500, 2_000):
        path = tmp_path / f"{count}.json"
        label = {"kind": "label", "title": "vip", "created_at": "2026-03-14T09:26:53Z"}
        path.write_text(json.dumps([label] * count))
        tracemalloc.start()
        run(tmp_path, path)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] < 1.5 * sizes[0]
