"""Contacts and catalogue rows from events: matched, completed, never blanked."""

import json
from dataclasses import replace

import pytest
from tests.ingest.event_helpers import (
    ANA,
    CHANNEL,
    DAY,
    NOW,
    SHEENA,
    apply,
    conversation_event,
    inbound,
    only,
    outbound,
    revision,
    rows,
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


def test_a_name_without_end_is_cut_and_found_by_its_beginning(database: Database) -> None:
    name = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(9_999))
    for _ in range(2):
        apply(database, ContactUpsert(SHEENA, NOW, name, PROFILE_NAME))
    contact = only(database, "contact")
    assert contact["name"] == name[:255] + "…"
    assert name.startswith(contact["name_key"])


def test_a_channel_is_called_by_its_alias_else_its_verified_name_else_its_number(
    database: Database,
) -> None:
    for event, name in (
        (ChannelUpsert(CHANNEL, 1), CHANNEL),
        (ChannelUpsert(CHANNEL, 2, phone="+15550783881"), "+15550783881"),
        (ChannelUpsert(CHANNEL, 3, details={"verified_name": "Lucky Shrub"}), "Lucky Shrub"),
        (ChannelUpsert(CHANNEL, 4, alias="Support"), "Support"),
        (ChannelUpsert(CHANNEL, 5, alias=""), "Lucky Shrub"),
    ):
        apply(database, event)
        assert only(database, "channel")["name"] == name


@pytest.mark.parametrize("first", [True, False])
def test_of_two_values_of_one_time_the_same_holds_in_both_orders(
    database: Database, first: bool
) -> None:
    events = [LabelUpsert("vip", NOW, description=text) for text in ("a", "b")]
    for event in events if first else reversed(events):
        apply(database, event)
    assert only(database, "label")["description"] == "b"


def test_a_row_is_as_old_as_its_first_mention_and_was_changed_at_its_last_change(
    database: Database,
) -> None:
    def times() -> tuple[int, int]:
        row = only(database, "label")
        return row["created_at"], row["updated_at"]

    apply(database, LabelUpsert("vip", NOW - 50, color="#ff0000"))
    assert times() == (NOW - 50, NOW - 50)
    before = revision(database)
    apply(database, LabelUpsert("vip", NOW - 40, color="#ff0000"))
    assert times() == (NOW - 50, NOW - 50)
    assert revision(database) == before
    apply(database, LabelUpsert("vip", NOW - 60))
    assert times() == (NOW - 60, NOW - 50)
    apply(database, LabelUpsert("vip", NOW - 30, color="#00ff00"))
    assert times() == (NOW - 60, NOW - 30)
    apply(database, LabelUpsert("vip", NOW - 35, color="#0000ff"))
    assert only(database, "label")["color"] == "#00ff00"
    assert times() == (NOW - 60, NOW - 30)
    apply(database, LabelUpsert("vip", NOW - 70, description="Late"))
    assert times() == (NOW - 70, NOW - 30)
    assert only(database, "label")["description"] == "Late"


def test_a_team_is_linked_as_was_reported_last(database: Database) -> None:
    def links() -> tuple[int, int]:
        channels, members = (
            rows(database, f"SELECT * FROM {table}") for table in ("team_channel", "team_member")
        )
        return len(channels), len(members)

    apply(database, TeamUpsert("Night", NOW - 9, channels=("1", "2"), members=("ana",)))
    assert links() == (2, 1)
    before = revision(database)
    apply(database, TeamUpsert("Night", NOW - 8, channels=("2", "1"), members=("ana",)))
    assert revision(database) == before
    apply(database, TeamUpsert("Night", NOW - 10, channels=("1",), members=()))
    assert links() == (2, 1)
    apply(database, TeamUpsert("Night", NOW - 7, channels=("1",), members=("ana", "bo")))
    assert links() == (1, 2)
    assert revision(database) > before


def test_a_label_that_is_only_mentioned_has_one_spelling_in_any_order(database: Database) -> None:
    for title in ("VIP", "vip", "Vip"):
        apply(database, conversation_event(NOW, "labelled", title=title))
        apply(database, conversation_event(NOW + 1, f"x{title}", title=title))
    assert only(database, "label")["title"] == "vip"
    apply(database, LabelUpsert("VIP", NOW))
    apply(database, conversation_event(NOW + 2, "labelled", title="vip"))
    assert only(database, "label")["title"] == "VIP"


def test_what_is_not_said_of_a_user_keeps_its_default(database: Database) -> None:
    apply(database, UserUpsert("ana", "Ana", NOW))
    user = only(database, "app_user")
    assert (user["active"], user["role"], user["availability"]) == (1, "agent", None)
    apply(database, UserUpsert("ana", "Ana", NOW + 1, active=False, availability="busy"))
    apply(database, UserUpsert("ana", "Ana", NOW + 2, availability=""))
    user = only(database, "app_user")
    assert (user["active"], user["availability"]) == (0, None)


def test_a_name_that_draws_nothing_is_none_and_replaces_none(database: Database) -> None:
    apply(database, ContactUpsert(SHEENA, NOW - 9, "Ida", PROFILE_NAME, "Ida"))
    apply(database, ContactUpsert(SHEENA, NOW - 8, "\u2800\u3164", ADDRESS_BOOK_NAME, "\u200f"))
    contact = only(database, "contact")
    assert (contact["name"], contact["profile_name"]) == ("Ida", "Ida")
