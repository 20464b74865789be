"""`conversations view` and `contacts view`: a transcript, and a contact by any number format."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from tests.commands import output_of, run_on

from frontdesk.cli.exit_codes import NOT_FOUND
from frontdesk.text.phones import format_phone
from frontdesk.wire import Contact


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


@pytest.mark.parametrize("number", ["12", "call me", "0171 5551234", "+1" * 20])
def test_a_number_without_a_country_is_an_error_before_any_request(inbox: Path, number: str):
    result = run_on(inbox, "contact", number)
    assert (result.exit_code, result.stdout) == (2, "")
