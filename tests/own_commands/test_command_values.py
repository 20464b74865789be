"""Values of own commands, and what the program gets of them."""

import pytest

from frontdesk.own_commands.command import OwnCommand, contact_values, values_of
from frontdesk.wire import Contact, Conversation

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
    run = ("crm", "{contact.email}", "{contact.fields.plan}", "{web_inbox}")
    values = values_of(ROW, contact=THEO, web_inbox="https://inbox.example.com/{id}")
    arguments = OwnCommand("Crm", run).arguments(values)
    assert arguments == ["crm", "theo@example.com", "gold", "https://inbox.example.com/27"]


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
    command = OwnCommand("A", ("a", "{contact.fields.plan}", "x{ask.tone}"))
    assert command.uses("contact.fields.")
    assert not command.uses("media.")
