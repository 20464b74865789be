"""Contacts and catalogue rows from events: matched, completed, never blanked."""

import json
from dataclasses import replace

from tests.ingest.event_helpers import (
    ANA,
    CHANNEL,
    DAY,
    NOW,
    SHEENA,
    apply,
    inbound,
    only,
    outbound,
)

from frontdesk.ingest.apply.batch import Tally
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    PROFILE_NAME,
    CannedResponseUpsert,
    ChannelUpsert,
    ContactUpsert,
    CustomFieldUpsert,
    LabelUpsert,
    Person,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store.database import Database


def test_the_better_name_wins_and_among_equals_the_later(database: Database) -> None:
    def named(name: str, rank: int, at: int) -> ContactUpsert:
        return ContactUpsert(SHEENA, at, name=name, name_rank=rank)

    apply(database, named("Sheena B.", PROFILE_NAME, NOW - 10))
    apply(database, named("Sheena A.", PROFILE_NAME, NOW - 20))
    assert only(database, "contact")["name"] == "Sheena B."
    apply(database, named("Ångström, Sheena", ADDRESS_BOOK_NAME, NOW - 90))
    apply(database, named("She", PROFILE_NAME, NOW))
    contact = only(database, "contact")
    assert (contact["name"], contact["name_key"]) == ("Ångström, Sheena", "angstrom, sheena")


def test_a_person_is_one_contact_by_user_id_phone_or_wa_id(database: Database) -> None:
    hidden = Person(wa_user_id="US.1")
    apply(database, inbound(NOW - 5, person=hidden))
    apply(database, inbound(NOW - 4, person=replace(SHEENA, wa_user_id="US.1")))
    apply(database, inbound(NOW - 3))
    apply(database, inbound(NOW - 2, person=Person(wa_id="16505551234")))
    contact = only(database, "contact")
    assert (contact["phone"], contact["wa_user_id"]) == ("+16505551234", "US.1")
    assert only(database, "conversation")["contact_id"] == contact["id"]


def test_details_of_a_contact_are_filled_in_and_never_blanked(database: Database) -> None:
    payload = ContactUpsert(SHEENA, NOW - 9, email="s@example.com", custom_fields={"plan": "gold"})
    apply(database, payload)
    apply(database, ContactUpsert(SHEENA, NOW - 8, blocked=True, custom_fields={"seats": 12}))
    apply(database, ContactUpsert(SHEENA, NOW - 99, email="old@example.com", username="sheena"))
    contact = only(database, "contact")
    assert (contact["email"], contact["blocked"], contact["username"]) == (
        "s@example.com",
        1,
        "sheena",
    )
    assert json.loads(contact["custom_json"]) == {"plan": "gold", "seats": 12}


def test_the_catalogues_are_kept_by_their_keys(database: Database) -> None:
    events = (
        ChannelUpsert(CHANNEL, NOW, alias="Support EU", details={"quality_rating": "GREEN"}),
        UserUpsert("ana@example.com", "Ana Souza", NOW, availability="online"),
        LabelUpsert("vip", NOW, color="#ff0000"),
        TeamUpsert("night shift", NOW, channels=(CHANNEL,), members=("ana@example.com",)),
        CustomFieldUpsert("plan", "Plan", NOW, type="list", options=("free", "gold")),
        CannedResponseUpsert("hours", "We are open", NOW),
        TemplateUpsert("168", "hello", "en", NOW, components=({"type": "BODY"},)),
    )
    assert apply(database, *events).catalogue == Tally(new=6)
    assert apply(database, *events).catalogue == Tally(known=6)
    assert apply(database, replace(events[2], at=NOW + 1, color="#00ff00")).catalogue == Tally(
        changed=1
    )
    channel = only(database, "channel")
    assert (channel["name"], channel["quality_rating"]) == ("Support EU", "GREEN")
    assert only(database, "label")["color"] == "#00ff00"
    assert only(database, "team_channel")["channel_id"] == channel["id"]
    assert only(database, "team_member")["user_id"] == only(database, "app_user")["id"]
    assert json.loads(only(database, "custom_field")["options_json"]) == ["free", "gold"]


def test_a_user_first_named_by_a_message_is_filled_in_later(database: Database) -> None:
    apply(database, outbound(NOW, author=ANA))
    apply(database, UserUpsert("ana@example.com", "Ana Souza", NOW - DAY))
    assert only(database, "app_user")["name"] == "Ana Souza"
    assert only(database, "message")["author_id"] == "1"


def test_a_name_without_end_is_kept_whole(database: Database) -> None:
    name = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(9_999))
    for _ in range(2):
        apply(database, ContactUpsert(SHEENA, NOW, name, PROFILE_NAME))
    contact = only(database, "contact")
    assert contact["name"] == name
    assert name.startswith(contact["name_key"])
