"""Values of own commands, and what the program gets of them."""

import os
from datetime import timedelta
from typing import Any

import pytest

from frontdesk.errors import BadSettings
from frontdesk.own_commands.command import OwnCommand, contact_values, facts, values_of
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
THEO = Contact(
    id="8",
    name="Theo Kim",
    email="theo@example.com",
    custom_fields={"plan": "gold", "vip": True, "seats": 12, "tags": ["a", "b"], "note": None},
)


def test_values_of_custom_fields_are_texts() -> None:
    values = contact_values(THEO)
    fields = {name: values[f"contact.fields.{name}"] for name in THEO.custom_fields}
    assert fields == {"plan": "gold", "vip": "true", "seats": "12", "tags": "a, b", "note": ""}


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ({"name": "Theo", "profile_name": "Theo K."}, "Theo"),
        ({"name": "Theo"}, "Theo"),
        ({"profile_name": "Theo K."}, "Theo K."),
        ({}, ""),
    ],
)
def test_the_name_of_a_contact_is_their_own_where_nobody_gave_one(
    names: dict[str, str], name: str
) -> None:
    values = contact_values(Contact(id="8", phone="+16505551234", **names))
    assert (values["contact.name"], values["contact.phone"]) == (name, "+16505551234")


def test_the_contact_and_the_address_of_the_web_inbox_are_filled_in() -> None:
    run = ("crm", "https://a.example/?e={contact.email|url}", "{contact.id}", "{web_inbox}")
    values = values_of(ROW, contact=THEO, web_inbox="https://inbox.example.com/{id}")
    arguments = OwnCommand("Crm", run).arguments(values)
    assert arguments == [
        *("crm", "https://a.example/?e=theo%40example.com", "8"),
        "https://inbox.example.com/27",
    ]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("{contact.email}", "no e-mail address here"),
        ("{contact.fields.plan}", "no value of plan here"),
        ("{web_inbox}", "no address of a web inbox here"),
        ("{media.file}", "no file here"),
    ],
)
def test_a_value_that_is_not_there_is_named(place: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        OwnCommand("Crm", ("crm", place)).arguments(values_of(ROW))


def test_a_place_begins_with_its_values() -> None:
    command = OwnCommand("A", ("a", "x $FRONTDESK_CONTACT_FIELDS_PLAN", "{message.id}"))
    assert command.uses("contact.fields.")
    assert not command.uses("media.")


def test_a_row_has_all_its_values() -> None:
    row = ROW.model_copy(update={"labels": ("vip", "spam"), "waiting_since": MOMENT})
    assert values_of(row, query="is:open") == {
        "query": "is:open",
        "conversation.id": "27",
        "conversation.status": "open",
        "conversation.waiting_since": MOMENT,
        "contact.id": "8",
        "contact.name": "Theo Kim",
        "contact.phone": "+16505551234",
        "channel.id": "3",
        "channel.name": "London",
        "channel.phone": "",
        "assignee.name": "",
        "labels": "vip, spam",
        "web_inbox": "",
    }
    assert values_of(None) == {"query": ""}


def test_what_the_row_does_not_say_is_the_contacts() -> None:
    bare = Conversation.model_validate(
        {
            **ROW.model_dump(mode="json"),
            "contact": {"id": "8"},
            "assignee": {"id": "1", "name": "A"},
        }
    )
    contact = Contact(id="8", name="Theo", phone="+16505559999")
    values = values_of(bare, contact=contact)
    assert (values["contact.name"], values["contact.phone"]) == ("Theo", "+16505559999")
    assert values["assignee.name"] == "A"
    kept = values_of(ROW, contact=contact)
    assert (kept["contact.name"], kept["contact.phone"]) == ("Theo Kim", "+16505551234")


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
        [values_of(None, entry)[f"message.{name}"] for name in ("id", "text", "type", "author")]
        for entry in (message, note)
    ]
    assert shown == [["5", "", "image", "contact"], ["6", "Called", "note", "user"]]


def test_the_id_of_a_conversation_is_quoted_in_an_address() -> None:
    row = ROW.model_copy(update={"id": "a/b c"})
    values = values_of(row, web_inbox="https://inbox.example.com/{id}?x={id}")
    assert values["web_inbox"] == "https://inbox.example.com/a%2Fb%20c?x=a%2Fb%20c"


@pytest.mark.parametrize(
    ("command", "profile", "platform", "is_offered"),
    [
        ({}, None, "linux", True),
        ({"profiles": ("work",)}, "work", "linux", True),
        ({"profiles": ("work",)}, "home", "linux", False),
        ({"profiles": ("work",)}, None, "linux", False),
        ({"platforms": ("macos",)}, None, "darwin", True),
        ({"platforms": ("macos", "linux")}, None, "linux2", True),
        ({"platforms": ("macos", "windows")}, None, "linux", False),
        ({"platforms": ("linux",), "profiles": ("work",)}, "home", "linux", False),
    ],
)
def test_a_command_is_offered_in_its_profiles_on_its_platforms(
    command: dict[str, Any], profile: str | None, platform: str, is_offered: bool
) -> None:
    assert OwnCommand("A", ("a",), **command).is_offered(profile, platform) == is_offered


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ({}, (600.0, True, False)),
        ({"output": "pane"}, (600.0, True, False)),
        ({"output": "terminal"}, (None, False, False)),
        ({"output": "notify"}, (30.0, True, False)),
        ({"output": "clipboard"}, (30.0, False, False)),
        ({"output": "none"}, (30.0, False, True)),
        ({"timeout": timedelta(seconds=90)}, (90.0, True, False)),
    ],
)
def test_the_output_of_a_command_says_how_long_it_may_run_and_what_is_kept(
    command: dict[str, Any], expected: tuple[object, ...]
) -> None:
    job = OwnCommand("A", ("a", "{contact.id}"), **command).job({"contact.id": "x"}, None, b"in")
    assert (job.timeout_seconds, job.keeps_errors, job.detached) == expected
    assert (job.arguments, job.stdin, job.directory, job.holds) == (["a", "x"], b"in", None, None)
    is_plain = command.get("output") != "terminal"
    assert job.environment is not None
    assert (job.environment.get("PAGER") == "cat") == is_plain


def test_a_program_knows_what_it_was_run_on_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("FRONTDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FRONTDESK_API_KEY", "secret")
    command = OwnCommand(
        "A", ("a",), directory="/tmp", environment={"X": "1"}, confirm="{query}?", holds=True
    )
    job = command.job({"query": "x", "contact.name": "Theo\nKim"}, "work", b"")
    assert job.environment is not None
    mine = {name: text for name, text in job.environment.items() if name.startswith("FRONTDESK_")}
    assert mine == {
        "FRONTDESK_COMMAND": "A",
        "FRONTDESK_QUERY": "x",
        "FRONTDESK_CONTACT_NAME": "Theo Kim",
        "FRONTDESK_PROFILE": "work",
    }
    assert (job.environment["X"], job.directory, job.holds) == ("1", "/tmp", True)
    assert command.question({"query": "x"}) == "x?"
    with pytest.raises(BadSettings):
        command.question({})
    blank = {"FRONTDESK_CONTACT_NAME": "", "FRONTDESK_MESSAGE_ID": "5"}
    assert facts({"contact.name": " ", "message.id": "5"}, None) == blank
