"""Values of own commands, and what the program gets of them."""

import os
import sys
from typing import Any

import pytest

from frontdesk.own_commands.command import (
    MOST_BYTES,
    MOST_ENVIRONMENT,
    OwnCommand,
    values_of,
    variables,
)
from frontdesk.own_commands.runner import ProgramRun
from frontdesk.wire import Contact, Conversation, Message, Note

MOMENT = "2026-03-14T10:00:00Z"
ROW = Conversation.model_validate(
    {
        "id": "27",
        "status": "open",
        "channel": {"id": "3", "name": "London"},
        "contact": {"id": "8", "name": "Theo Kim", "phone": "+16505551234"},
        "last_activity_at": MOMENT,
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
)
HOSTILE = "$(touch owned) `id`; \x1b[31m'\"\n--help"


def test_values_of_custom_fields_are_texts() -> None:
    fields = {"plan": "gold", "vip": True, "Seats-left": 12, "tags": ["a", "b"], "note": None}
    values = values_of(ROW, contact=Contact(id="8", email="t@example.com", custom_fields=fields))
    assert {name: value for name, value in values.items() if "FIELDS" in name} == {
        "CONTACT_FIELDS_PLAN": "gold",
        "CONTACT_FIELDS_VIP": "true",
        "CONTACT_FIELDS_SEATS_LEFT": "12",
        "CONTACT_FIELDS_TAGS": "a, b",
        "CONTACT_FIELDS_NOTE": "",
    }
    assert values["CONTACT_EMAIL"] == "t@example.com"


def test_a_row_has_all_its_values() -> None:
    row = ROW.model_copy(update={"labels": ("vip", "spam"), "waiting_since": MOMENT})
    assert values_of(row, query="is:open") == {
        "QUERY": "is:open",
        "CONVERSATION_ID": "27",
        "CONVERSATION_STATUS": "open",
        "CONVERSATION_WAITING_SINCE": MOMENT,
        "CONTACT_ID": "8",
        "CONTACT_NAME": "Theo Kim",
        "CONTACT_PHONE": "+16505551234",
        "CHANNEL_ID": "3",
        "CHANNEL_NAME": "London",
        "CHANNEL_PHONE": "",
        "ASSIGNEE_NAME": "",
        "LABELS": "vip, spam",
    }


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ({"name": "Theo", "profile_name": "Theo K."}, "Theo"),
        ({"profile_name": "Theo K."}, "Theo K."),
        ({}, ""),
    ],
)
def test_what_the_row_does_not_say_is_the_contacts(names: dict[str, str], name: str) -> None:
    bare = Conversation.model_validate(
        {
            **ROW.model_dump(mode="json"),
            "contact": {"id": "8"},
            "assignee": {"id": "1", "name": "A"},
        }
    )
    contact = Contact(id="8", phone="+16505559999", **names)
    values = values_of(bare, contact=contact)
    assert (values["CONTACT_NAME"], values["CONTACT_PHONE"]) == (name, "+16505559999")
    assert values["ASSIGNEE_NAME"] == "A"
    kept = values_of(ROW, contact=contact)
    assert (kept["CONTACT_NAME"], kept["CONTACT_PHONE"]) == ("Theo Kim", "+16505551234")


def test_an_entry_has_its_text_and_kind() -> None:
    message = Message.model_validate(
        {
            **{"id": "5", "type": "image", "author": "contact", "direction": "inbound"},
            "created_at": MOMENT,
        }
    )
    note = Note.model_validate(
        {"id": "6", "text": "Called", "author": "user", "created_at": MOMENT}
    )
    shown = [
        [values_of(ROW, entry)[f"MESSAGE_{name}"] for name in ("ID", "TEXT", "TYPE", "AUTHOR")]
        for entry in (message, note)
    ]
    assert shown == [["5", "", "image", "contact"], ["6", "Called", "note", "user"]]


def test_variables_have_one_clean_line_except_the_text_of_a_message() -> None:
    written = variables({"CONTACT_NAME": HOSTILE, "MESSAGE_TEXT": HOSTILE})
    assert "\n" not in written["FRONTDESK_CONTACT_NAME"]
    assert "\n" in written["FRONTDESK_MESSAGE_TEXT"]
    for text in written.values():
        assert "\x1b" not in text
        assert "$(touch owned) `id`;" in text


def test_a_long_variable_is_cut_and_too_many_are_left_out() -> None:
    written = variables({f"V{at}": "é" * MOST_BYTES for at in range(9)})
    assert {len(text.encode()) for text in written.values()} == {MOST_BYTES}
    assert len(written) == MOST_ENVIRONMENT // MOST_BYTES
    assert variables({"V": "a" + "é" * MOST_BYTES})["FRONTDESK_V"].endswith("é")


@pytest.mark.skipif(sys.platform == "win32", reason="runs a program of POSIX")
async def test_a_hostile_value_is_data_for_a_line_of_the_shell() -> None:
    command = OwnCommand("A", 'printf %s "$FRONTDESK_CONTACT_NAME"')
    run = ProgramRun(command.job({"CONTACT_NAME": HOSTILE}, None))
    await run.run()
    assert run.output.text() == variables({"A": HOSTILE})["FRONTDESK_A"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ({}, (600.0, True, False)),
        ({"output": "terminal"}, (None, False, False)),
        ({"output": "notice"}, (600.0, True, False)),
        ({"output": "under"}, (600.0, False, False)),
        ({"output": "clipboard"}, (600.0, False, False)),
        ({"output": "none"}, (600.0, False, True)),
    ],
)
def test_the_output_of_a_command_says_how_long_it_may_run_and_what_is_kept(
    command: dict[str, Any], expected: tuple[object, ...]
) -> None:
    job = OwnCommand("A", ("a", "x"), **command).job({}, None, "in")
    assert (job.timeout_seconds, job.keeps_errors, job.detached) == expected
    assert (job.arguments, job.stdin) == (("a", "x"), b"in")
    assert job.environment is not None
    assert (job.environment.get("PAGER") == "cat") == (command.get("output") != "terminal")


def test_a_text_is_a_line_of_the_shell() -> None:
    assert OwnCommand("A", "less -R").arguments == ("sh", "-c", "less -R")


def test_a_program_knows_what_it_was_run_on_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("FRONTDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FRONTDESK_API_KEY", "secret")
    job = OwnCommand("A", ("a",)).job({"QUERY": "x", "CONTACT_NAME": "Theo\nKim"}, "work")
    assert job.environment is not None
    mine = {name: text for name, text in job.environment.items() if name.startswith("FRONTDESK_")}
    assert mine == {
        "FRONTDESK_COMMAND": "A",
        "FRONTDESK_QUERY": "x",
        "FRONTDESK_CONTACT_NAME": "Theo Kim",
        "FRONTDESK_PROFILE": "work",
    }
