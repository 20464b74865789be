"""`conversations view` and `contacts view`: a transcript, and a contact by any number format."""

import csv
import io
import json
import re
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from tests.client import inbox_rows
from tests.commands import output_of, run_on

from frontdesk.cli.exit_codes import NOT_FOUND
from frontdesk.cli.output import Output
from frontdesk.cli.threads import ShownThread, print_threads, report_failures
from frontdesk.errors import NotFound
from frontdesk.exports import brief
from frontdesk.text.phones import format_phone
from frontdesk.wire import Contact, Conversation, Message


@pytest.fixture
def noted(inbox: Path) -> str:
    """The id of a conversation that has notes."""
    for id in map(str, range(1, 40)):
        if output_of(inbox, "show", id, "--notes", "--format", "jsonl"):
            return id
    raise AssertionError("The sample has no notes")


def test_a_transcript_has_messages_and_notes_oldest_first(inbox: Path, noted: str):
    entries = json.loads(output_of(inbox, "show", noted, "--format", "json"))
    times = [entry["created_at"] for entry in entries]
    assert times == sorted(times)
    notes = [entry for entry in entries if "direction" not in entry]
    assert notes
    assert len(notes) < len(entries)
    text = output_of(inbox, "show", noted)
    assert text.count("NOTE · ") == len(notes)
    assert all(line in text for note in notes for line in note["text"].splitlines())


@pytest.mark.parametrize("status", ["open", "snoozed", "resolved"])
def test_a_transcript_begins_with_what_the_list_says_of_the_conversation(inbox: Path, status: str):
    options = ("--status", status, "--all", "--format", "jsonl")
    listed = output_of(inbox, "list", "conversations", *options)
    row = json.loads(listed.splitlines()[-1])
    for style in ("text", "markdown"):
        told = output_of(inbox, "show", row["id"], "--last", "1", "--format", style)
        facts = " ".join(told.replace("\\", "").splitlines()[:8])
        begin = re.sub(r"\s+", " ", facts)
        for fact in (f"Conversation: {row['id']}", row["contact"]["phone"], row["channel"]["name"]):
            assert fact in begin, style
        assert f"Status: {status}" in begin
        assert "Times: UTC" in begin


def test_parts_of_a_transcript(inbox: Path, noted: str):
    every = json.loads(output_of(inbox, "show", noted, "--format", "json"))
    notes = json.loads(output_of(inbox, "show", noted, "--notes", "--format", "json"))
    people = json.loads(output_of(inbox, "show", noted, "--people", "--format", "json"))
    assert notes == [entry for entry in every if "direction" not in entry]
    assert people == [entry for entry in every if entry["author"] in ("contact", "user", "phone")]
    assert (
        json.loads(output_of(inbox, "show", noted, "--last", "2", "--format", "json")) == every[-2:]
    )
    last = output_of(inbox, "show", noted, "--people", "--last", "1", "--format", "json")
    assert json.loads(last) == people[-1:]


def test_a_transcript_as_csv_has_a_row_for_each_entry(inbox: Path, noted: str):
    entries = json.loads(output_of(inbox, "show", noted, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(output_of(inbox, "show", noted, "--format", "csv"))))
    assert [row["id"] for row in rows] == [entry["id"] for entry in entries]
    kinds = ["message" if "direction" in entry else "note" for entry in entries]
    assert [row["kind"] for row in rows] == kinds


def test_no_such_conversation_is_an_error(inbox: Path):
    result = run_on(inbox, "show", "999999")
    assert (result.exit_code, result.stdout) == (NOT_FOUND, "")
    assert "There is no conversation 999999 in this inbox" in result.stderr


def test_people_and_notes_do_not_go_together(inbox: Path):
    assert run_on(inbox, "show", "1", "--people", "--notes").exit_code == 2


def test_a_contact_is_found_by_any_spelling_of_the_number(inbox: Path):
    contacts = output_of(inbox, "list", "contacts", "--all", "--format", "jsonl").splitlines()
    known = next(one for one in map(Contact.model_validate_json, contacts) if one.phone)
    assert known.phone is not None
    digits = known.phone[1:]
    for spelling in (
        known.phone,
        digits,
        f"00{digits}",
        f"+{digits[:2]} ({digits[2:5]}) {digits[5:]}",
    ):
        found = output_of(inbox, "contact", spelling, "--format", "json")
        assert Contact.model_validate_json(found) == known
    spaced = f"+{digits[:2]} {digits[2:]}".split()
    assert format_phone(known.phone) in output_of(inbox, "contact", *spaced)


def test_custom_fields_have_their_names(inbox: Path):
    contacts = output_of(inbox, "list", "contacts", "--all", "--format", "jsonl").splitlines()
    known = next(
        one for one in map(Contact.model_validate_json, contacts) if one.phone and one.custom_fields
    )
    fields = json.loads(output_of(inbox, "list", "custom-fields", "--format", "json"))
    table = output_of(inbox, "contact", str(known.phone))
    assert all(field["name"] in table for field in fields)


@pytest.mark.parametrize("number", ["0171 5551234", "+1" * 20, "#!"])
def test_a_number_without_a_country_is_an_error_before_any_request(inbox: Path, number: str):
    result = run_on(inbox, "contact", number)
    assert (result.exit_code, result.stdout) == (2, "")


# Printed threads, of rows that are at hand


def shown_thread(id: str, *numbers: int, known: bool = True) -> ShownThread:
    row = Conversation.model_validate({**inbox_rows.conversation(6), "id": id}) if known else None
    entries = [Message.model_validate(inbox_rows.message(number)) for number in numbers]
    return ShownThread(id, row, entries)


def printed(
    threads: list[ShownThread],
    style: str,
    most: int | None = None,
    *,
    as_objects: bool = False,
) -> str:
    with redirect_stdout(io.StringIO()) as out:
        print_threads(threads, Output(style, bom=False), most, as_objects=as_objects)
    return out.getvalue()


def test_threads_are_objects_or_their_entries_one_after_the_other() -> None:
    threads = [shown_thread("1", 1, 2), shown_thread("2", 3, known=False)]
    entries = [json.loads(line)["id"] for line in printed(threads, "jsonl").splitlines()]
    assert entries == ["5001", "5002", "5003"]
    first, second = map(json.loads, printed(threads, "jsonl", as_objects=True).splitlines())
    assert (first["id"], first["conversation"]["id"], second["conversation"]) == ("1", "1", None)
    assert [one["id"] for one in first["entries"]] == ["5001", "5002"]
    assert json.loads(printed(threads, "json", as_objects=True)) == [first, second]
    lines = printed(threads, "csv", as_objects=True).splitlines()
    assert lines[0] == (
        "created_at,kind,id,direction,author,author_name,type,delivery_status,text,conversation_id"
    )
    assert lines[2] == (
        "2026-03-14T09:22:53.000Z,message,5002,outbound,user,Ana Souza,text,delivered,Message 2,"
        "1006"
    )
    assert len(lines) == 4


def test_texts_of_threads_are_separated_by_a_blank_line() -> None:
    threads = [shown_thread("1", 1), shown_thread("2", known=False)]
    first, second = (printed([one], "text") for one in threads)
    assert printed(threads, "text") == f"{first}\n{second}"
    assert first.startswith("Conversation: 1\n")
    brief_text = printed(threads, "brief")
    assert brief_text.split("\n")[1] == brief.DATA
    assert brief_text.endswith("\n| Message 1\n\n#2\n(no messages)\n")


@pytest.mark.parametrize("style", ["jsonl", "text", "markdown", "brief", "csv"])
def test_the_newest_entries_that_fit_are_printed_and_the_others_are_counted(
    style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = range(1, 10)
    whole = shown_thread("1", *numbers)
    # The time and the remark above all threads do not count.
    spare = len(printed([], style)) if style == "brief" else 0
    for count in (1, 4, 9):
        most = len(printed([whole.newest(count)], style)) - spare
        assert printed([whole], style, most) == printed([whole.newest(count)], style)
        if count < 9:
            words = f"1: the {9 - count} oldest of 9 entries are left out"
            assert capsys.readouterr().err == f"frontdesk: {words}\n"
        if count > 1:
            assert printed([whole], style, most - 1) == printed([whole.newest(count - 1)], style)
            capsys.readouterr()


def test_one_entry_that_is_too_long_is_cut_in_a_text_and_whole_in_json() -> None:
    thread = shown_thread("1", 1, 2)
    text = printed([thread], "text", 100)
    assert text.startswith("Conversation: 1\n")
    assert re.search(r" \[…[0-9]+ more characters\]\n$", text)
    assert printed([thread], "jsonl", 5) == printed([thread.newest(1)], "jsonl")


def test_what_one_thread_does_not_need_is_left_to_the_next() -> None:
    small, large = shown_thread("1", 1), shown_thread("2", *range(1, 10))
    need = [len(printed([one], "jsonl")) for one in (small, large)]
    assert printed([small, large], "jsonl", sum(need)) == printed([small, large], "jsonl")
    shared = printed([large, large], "jsonl", need[1])
    assert shared == printed([large.newest(4), large.newest(5)], "jsonl")


def test_failures_are_said_beside_what_was_found_and_alone_the_last_is_raised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failures = {"1": NotFound("no 1"), "2": NotFound("no 2")}
    report_failures(failures, alone=False)
    assert capsys.readouterr().err == "frontdesk: no 1\nfrontdesk: no 2\n"
    with pytest.raises(NotFound, match="no 2"):
        report_failures(failures, alone=True)
    assert capsys.readouterr().err == "frontdesk: no 1\n"
    report_failures({}, alone=True)
    assert capsys.readouterr().err == ""


def test_the_shell_prints_a_customer_as_one_thread(
    inbox_with_several: tuple[Path, str],
) -> None:
    inbox, phone = inbox_with_several
    view = ("contacts", "view", phone, "--thread")
    entries = json.loads(output_of(inbox, *view, "--format", "json"))
    assert [one["created_at"] for one in entries] == sorted(one["created_at"] for one in entries)
    assert len({one["conversation_id"] for one in entries}) > 1
    text = output_of(inbox, *view)
    for id in {one["conversation_id"] for one in entries}:
        assert f"Conversation: {id} · " in text
    parts = [line for line in text.splitlines() if line.startswith("-- ")]
    assert len(parts) >= 2
    # A day stands above the conversations of it.
    headed = [
        line for line in text.splitlines() if line.startswith("-- ") or re.search(r"day \d", line)
    ]
    assert not headed[0].startswith("-- ")
    markdown = output_of(inbox, *view, "--format", "markdown").splitlines()
    levels = [line.split(" ")[0] for line in markdown if line.startswith("#")]
    assert levels[:3] == ["#", "##", "###"]
    newest = json.loads(output_of(inbox, *view, "--last", "2", "--format", "json"))
    assert newest == entries[-len(newest) :]
    assert sum("direction" in one for one in newest) == 2


@pytest.fixture
def inbox_with_several(inbox: Path) -> tuple[Path, str]:
    rows = map(
        json.loads,
        output_of(inbox, "list", "conversations", "--all", "--format", "jsonl").splitlines(),
    )
    phones = Counter(row["contact"]["phone"] for row in rows)
    return inbox, next(phone for phone, count in phones.items() if phone and count > 1)


def test_last_goes_with_thread(inbox: Path) -> None:
    result = run_on(inbox, "contacts", "view", "+16505551234", "--last", "3")
    assert result.exit_code == 2
    assert "--last goes with --thread" in result.stderr
