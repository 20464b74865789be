"""Contacts that turn out to be one person: changed numbers, user ids, aliases."""

from typing import Any

import pytest
from tests.ingest.event_helpers import CHANNEL, NOW, apply, inbound, only, outbound, rows

from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    PROFILE_NAME,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    IdentityChange,
    NoteUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.store.contacts import contact_by_phone, contact_page
from frontdesk.store.database import Database

OLD, NEW = Person("+34600000001", "34600000001"), Person("+34600000002", "34600000002")
HIDDEN = Person(wa_user_id="US.1")
SHOWN = Person("+34600000001", "34600000001", "US.1")


def adds_up(database: Database) -> bool:
    return database.read(lambda connection: [*differences(connection, 1)]) == []


def by_phone(database: Database, phone: str) -> Any:
    found = database.read(lambda connection: contact_by_phone(connection, 1, phone))
    return None if found is None else found["id"]


def test_a_new_number_is_the_contact_s_and_the_old_one_still_leads_there(
    database: Database,
) -> None:
    apply(database, inbound(NOW - 9000, person=OLD))
    apply(database, IdentityChange(OLD, NEW, NOW - 8000))
    apply(database, inbound(NOW - 7000, person=NEW), inbound(NOW - 6000, "late", person=OLD))
    contact = only(database, "contact")
    assert (contact["phone"], contact["wa_id"]) == (OLD.phone, OLD.wa_id)
    apply(database, inbound(NOW - 5000, person=NEW))
    assert only(database, "contact")["phone"] == NEW.phone
    assert len(rows(database, "SELECT id FROM conversation")) == 1
    assert by_phone(database, "+34600000001") == by_phone(database, "+34600000002") == 1


def test_delivery_steps_to_the_old_number_do_not_bring_it_back(database: Database) -> None:
    apply(database, inbound(NOW - 9000, person=OLD), outbound(NOW - 8500, "o", person=OLD))
    apply(database, IdentityChange(OLD, NEW, NOW - 8000))
    apply(database, StatusUpdate(CHANNEL, OLD, "o", NOW - 7000, "read"))
    apply(database, StatusUpdate(CHANNEL, OLD, "unknown", NOW - 7000, "read"))
    assert only(database, "contact")["phone"] == NEW.phone


def test_a_number_that_was_somebody_else_s_stays_theirs(database: Database) -> None:
    apply(database, inbound(NOW - 9000, person=OLD), inbound(NOW - 8500, person=NEW))
    apply(database, IdentityChange(OLD, NEW, NOW - 8000))
    phones = [row["phone"] for row in rows(database, "SELECT phone FROM contact ORDER BY id")]
    assert phones == [OLD.phone, NEW.phone]


def test_a_message_from_the_new_number_may_come_before_the_news(database: Database) -> None:
    apply(database, inbound(NOW - 9000, person=OLD))
    apply(database, inbound(NOW - 7000, person=NEW))
    apply(database, IdentityChange(OLD, NEW, NOW - 8000))
    assert only(database, "contact")["phone"] == NEW.phone
    assert len(rows(database, "SELECT id FROM message")) == 2
    assert adds_up(database)


def test_who_shows_the_number_goes_into_the_contact_of_that_number(database: Database) -> None:
    apply(
        database,
        inbound(NOW - 9000, person=OLD),
        ContactUpsert(OLD, NOW - 9000, "Sheena", ADDRESS_BOOK_NAME),
    )
    apply(
        database,
        inbound(NOW - 8000, person=HIDDEN),
        ContactUpsert(HIDDEN, NOW - 8000, "She", PROFILE_NAME, "She", "sheena_n"),
        NoteUpsert(CHANNEL, HIDDEN, "n", NOW - 7900, "A note", inbound(NOW).author),
        ConversationEvent(CHANNEL, HIDDEN, "e", NOW - 7800, "labelled", {"title": "vip"}),
    )
    assert len(rows(database, "SELECT id FROM contact")) == 2
    apply(database, inbound(NOW - 7000, person=SHOWN))
    contact = only(database, "contact")
    assert (contact["id"], contact["phone"], contact["wa_user_id"]) == (1, OLD.phone, "US.1")
    assert (contact["name"], contact["username"]) == ("Sheena", "sheena_n")
    conversation = only(database, "conversation")
    assert conversation["id"] == 1
    assert conversation["last_activity_at"] == NOW - 7000
    assert {row["conversation_id"] for row in rows(database, "SELECT * FROM message")} == {1}
    assert only(database, "note")["conversation_id"] == 1
    assert len(rows(database, "SELECT * FROM entry WHERE label_id > 0")) == 1
    assert adds_up(database)
    found = database.read(lambda connection: contact_page(connection, 1, ["sheena"], None, 5))
    assert [row["id"] for row in found] == [1]


def test_a_conversation_without_a_counterpart_moves_as_it_is(database: Database) -> None:
    apply(
        database, inbound(NOW - 9000, person=OLD), inbound(NOW - 8000, channel="2", person=HIDDEN)
    )
    apply(database, ContactUpsert(SHOWN, NOW - 7000))
    found = rows(database, "SELECT id, contact_id FROM conversation ORDER BY id")
    assert [(row["id"], row["contact_id"]) for row in found] == [(1, 1), (2, 1)]
    assert adds_up(database)


def test_copies_of_one_message_show_that_two_names_are_one_person(database: Database) -> None:
    apply(database, inbound(NOW - 9000, "m", person=HIDDEN))
    apply(database, inbound(NOW - 9000, "m", person=OLD, live=False))
    contact = only(database, "contact")
    assert (contact["id"], contact["phone"], contact["wa_user_id"]) == (1, OLD.phone, "US.1")


def test_no_two_numbers_become_one_person_because_a_message_has_both(database: Database) -> None:
    apply(database, inbound(NOW - 9000, "m", person=OLD))
    apply(database, inbound(NOW - 9000, "m", person=NEW))
    assert len(rows(database, "SELECT id FROM contact")) == 2


def test_a_changed_user_id_is_the_same_contact(database: Database) -> None:
    later = Person(wa_user_id="US.2")
    apply(database, inbound(NOW - 9000, person=HIDDEN))
    apply(database, IdentityChange(HIDDEN, later, NOW - 8000))
    apply(database, inbound(NOW - 7000, person=later))
    assert only(database, "contact")["wa_user_id"] == "US.2"


def test_a_name_taken_out_of_the_address_book_uncovers_the_next_best(database: Database) -> None:
    apply(
        database,
        ContactUpsert(OLD, NOW - 9000, "She", PROFILE_NAME, "She"),
        ContactUpsert(OLD, NOW - 8000, "Sheena Nelson", ADDRESS_BOOK_NAME),
    )
    apply(database, ContactRemove(OLD, NOW - 7000))
    assert only(database, "contact")["name"] == "She"
    apply(database, ContactUpsert(OLD, NOW - 7500, "Late", ADDRESS_BOOK_NAME))
    assert only(database, "contact")["name"] == "She"
    apply(database, ContactUpsert(OLD, NOW - 6000, "Again", ADDRESS_BOOK_NAME))
    assert only(database, "contact")["name"] == "Again"


def test_the_latest_value_of_each_field_wins(database: Database) -> None:
    apply(database, ContactUpsert(OLD, NOW - 5, profile_name="First", custom_fields={"plan": "a"}))
    apply(database, ContactUpsert(OLD, NOW - 3, username="she", custom_fields={"seats": 2}))
    apply(database, ContactUpsert(OLD, NOW - 4, profile_name="Second", custom_fields={"plan": "b"}))
    contact = only(database, "contact")
    assert (contact["profile_name"], contact["username"]) == ("Second", "she")
    assert contact["custom_json"] == '{"plan": "b", "seats": 2}'


@pytest.mark.parametrize("first", [True, False])
def test_an_unanswered_wait_of_either_thread_is_one_of_the_whole(
    database: Database, first: bool
) -> None:
    events = [
        inbound(NOW - 9000, person=HIDDEN),
        outbound(NOW - 8000, person=OLD),
        inbound(NOW - 7000, person=OLD),
    ]
    link = ContactUpsert(SHOWN, NOW - 6000)
    for event in [link, *events] if first else [*events, link]:
        apply(database, event)
    conversation = only(database, "conversation")
    assert conversation["waiting_since"] == NOW - 7000
    assert conversation["created_at"] == NOW - 9000
