"""Contacts that turn out to be one person: changed numbers, user ids, aliases."""

from typing import Any

import pytest
from tests.ingest.event_helpers import CHANNEL, NOW, apply, inbound, only, outbound, rows

from frontdesk.ingest.apply.contact_merging import BatchContact, ContactIndex, facts_of
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
from frontdesk.store.rows import blank

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


def test_people_are_counted_once_however_many_numbers_a_batch_names(database: Database) -> None:
    result = apply(
        database,
        inbound(NOW - 9000, "a", person=OLD),
        inbound(NOW - 7000, "b", person=NEW),
        inbound(NOW - 7000, "c", person=Person("+34600000003", "34600000003")),
        IdentityChange(OLD, NEW, NOW - 8000),
    )
    assert (result.contacts.new, result.conversations.new) == (2, 2)
    newest = Person("+34600000004", "34600000004")
    again = apply(
        database,
        inbound(NOW - 5000, "d", person=newest),
        IdentityChange(NEW, newest, NOW - 6000),
    )
    assert (again.contacts.new, again.conversations.new) == (0, 0)


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


def blank_contact(id: int = 1, **members: Any) -> BatchContact:
    columns = {**blank("contact"), "id": id, "name_rank": 0, "name_key": "", "custom_json": "{}"}
    return BatchContact({**columns, "created_at": 50, **members}, {})  # type: ignore[typeddict-item]


def test_a_fact_that_is_not_newer_changes_nothing_and_one_that_says_the_same_no_column() -> None:
    contact = blank_contact()
    assert contact.apply({"email": "a@b.example"}, 10) is True
    assert contact.apply({"email": "c@d.example"}, 9) is None
    assert contact.apply({"email": "a@b.example"}, 10) is None
    assert contact.apply({"email": "a@b.example"}, 11) is False
    assert contact.facts == {"email": [11, "a@b.example"]}
    assert contact.apply({"email": "b@b.example"}, 11) is True
    assert contact.apply({"email": "a@b.example"}, 11) is None
    assert contact.row["email"] == "b@b.example"


def test_the_name_is_that_of_the_best_source() -> None:
    contact = blank_contact()
    assert contact.apply({"name.0": "Nobody"}, 10)
    for rank, name in ((1, "Ana"), (2, "Ana S."), (3, "Ána Souza")):
        contact.apply({f"name.{rank}": name}, 10 - rank)
        assert (contact.row["name"], contact.row["name_rank"]) == (name, rank)
    assert contact.row["name_key"] == "ana souza"
    assert contact.apply({"name.3": None}, 11)
    assert (contact.row["name"], contact.row["name_rank"]) == ("Ana S.", 2)
    assert not contact.apply({"name.1": "Other"}, 20)
    bare = blank_contact()
    bare.apply({"email": "a@b.example"}, 1)
    assert (bare.row["name"], bare.row["name_rank"], bare.row["name_key"]) == (None, 0, "")


def test_custom_fields_are_kept_by_their_names() -> None:
    contact = blank_contact()
    contact.apply({"custom.b": 1, "custom.a": "é"}, 10)
    assert contact.row["custom_json"] == '{"a": "é", "b": 1}'
    assert contact.apply({"custom.b": 1}, 11) is False
    # Equal in Python, but not in JSON.
    assert contact.apply({"custom.b": True}, 12) is True
    assert contact.row["custom_json"] == '{"a": "é", "b": true}'


@pytest.mark.parametrize(
    ("own", "other", "active"),
    [(None, None, None), (5, None, 5), (None, 5, 5), (4, 5, 5), (6, 5, 6)],
)
def test_a_merged_contact_is_as_old_as_the_older_and_as_active_as_the_more_active(
    own: int | None, other: int | None, active: int | None
) -> None:
    contact = blank_contact(created_at=50, last_activity_at=own)
    second = blank_contact(2, created_at=40, last_activity_at=other)
    contact.apply({"email": "a@b.example", "username": "a"}, 10)
    second.apply({"email": "c@d.example"}, 11)
    second.apply({"username": "c"}, 9)
    contact.merge(second)
    assert (contact.row["created_at"], contact.row["last_activity_at"]) == (40, active)
    assert (contact.row["email"], contact.row["username"]) == ("c@d.example", "a")
    contact.merge(blank_contact(3, created_at=45))
    assert contact.row["created_at"] == 40


def test_facts_are_what_an_event_says() -> None:
    event = ContactUpsert(OLD, 10, "Ana", 2, "An", "ana", "a@b.example", False, None, {"plan": 0})
    assert facts_of(event) == {
        "name.2": "Ana",
        "profile_name": "An",
        "username": "ana",
        "email": "a@b.example",
        "blocked": 0,
        "custom.plan": 0,
    }
    assert facts_of(ContactUpsert(OLD, 10, custom_fields={"plan": None})) == {}
    for opt_out, at in ((True, 10), (False, None)):
        assert facts_of(ContactUpsert(OLD, 10, marketing_opt_out=opt_out)) == {
            "marketing_opt_out_at": at
        }


def test_a_contact_is_found_by_any_of_its_identifiers() -> None:
    index = ContactIndex()
    contact = blank_contact(phone="+34600000001", wa_id="34600000009", wa_user_id="US.1")
    index.add(contact)
    for person in (
        Person("+34600000001"),
        Person(wa_id="34600000009"),
        Person(wa_user_id="US.1"),
        Person("+34600000001", "34600000009", "US.1"),
    ):
        assert {found.id for found in index.contacts_of(person)} == {1}
    assert list(index.contacts_of(Person("+34600000002", "34600000002", "US.2"))) == []
    assert index.named("+34600000001") is index.named("US.1") is contact
    assert index.named("US.2") is None
    index.add(contact)
    assert index.doubles == []
    other = blank_contact(2, phone="+34600000001")
    index.add(other)
    assert index.doubles == [(contact, other)]


def test_an_alias_leads_to_a_contact_once() -> None:
    index, contact = ContactIndex(), blank_contact()
    assert index.add_alias("+34600000002", contact)
    assert not index.add_alias("+34600000002", contact)
    assert index.named("+34600000002") is contact
    assert index.drop_alias("+34600000002")
    assert not index.drop_alias("+34600000002")
    assert index.named("+34600000002") is None


def test_a_contact_has_the_aliases_that_lead_to_it() -> None:
    index, contact, other = ContactIndex(), blank_contact(1), blank_contact(2)
    index.add_alias("+34600000002", contact)
    index.add_alias("+34600000003", contact)
    index.add_alias("+34600000004", other)
    assert index.aliases_of(contact) == {"+34600000002", "+34600000003"}
    assert index.aliases_of(other) == {"+34600000004"}
    index.repoint(contact, other)
    assert index.aliases_of(contact) == set()
    assert len(index.aliases_of(other)) == 3
