"""Parts of contacts: merged by a change of number, and split again."""

from contextlib import suppress

import pytest
from tests.ingest.event_helpers import CHANNEL, NOW, apply, inbound, only, outbound, revision, rows
from tests.ingest.inbox_state import state
from tests.ingest.test_contact_merging import adds_up, by_phone
from tests.ingest.test_export import exported, put_in
from tests.stores import Engine, sqlite_store

from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    NoteUpsert,
    Person,
)
from frontdesk.store import message_search
from frontdesk.store.contacts import contact_page
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.database import Database
from frontdesk.text.search import Terms

ANA, NUMBER = Person("+34600000001", "34600000001"), Person("+34600000002", "34600000002")
BRUNO = Person("+34600000003", "34600000003")
MOVED = IdentityChange(ANA, NUMBER, NOW - 8000)


def talks(database: Database) -> list[tuple[str, str, str]]:
    """The number that each message's person is called by, its text and its channel."""
    found = rows(
        database,
        """
        SELECT contact.phone, message.text, phone_number_id FROM message
        JOIN (SELECT id, contact_id FROM conversation) c ON c.id = conversation_id
        JOIN contact ON contact.id = contact_id
        JOIN (SELECT id, phone_number_id FROM channel) channel ON channel.id = channel_id
        ORDER BY message.created_at
        """,
    )
    return [(row["phone"], row["text"], row["phone_number_id"]) for row in found]


def joined(database: Database) -> None:
    """Ana wrote with both numbers on one channel, with the new one on another, and more."""
    apply(
        database,
        inbound(NOW - 9000, person=ANA, text="first"),
        MOVED,
        inbound(NOW - 7000, person=NUMBER, text="second"),
        inbound(NOW - 6900, person=NUMBER, text="third", channel="2"),
        ContactUpsert(ANA, NOW - 9000, "Ana", PROFILE_NAME, "Ana"),
        ContactUpsert(NUMBER, NOW - 7000, "Now", PROFILE_NAME, "Now"),
        NoteUpsert(CHANNEL, NUMBER, "n", NOW - 6800, "A note", Author("user", user="ana")),
        ConversationEvent(CHANNEL, NUMBER, "e", NOW - 6700, "labelled", {"title": "vip"}),
    )


def names(database: Database, word: str) -> list[str]:
    found = database.read(lambda connection: contact_page(connection, 1, [word], None, 5))
    return [row["name"] for row in found]


def test_an_older_message_from_the_number_takes_two_people_apart(database: Database) -> None:
    joined(database)
    assert only(database, "contact")["name"] == "Now"
    apply(database, outbound(NOW - 9500, "old", person=NUMBER, text="before", channel="2"))
    assert talks(database) == [
        (NUMBER.phone, "before", "2"),
        (ANA.phone, "first", CHANNEL),
        (NUMBER.phone, "second", CHANNEL),
        (NUMBER.phone, "third", "2"),
    ]
    assert adds_up(database)
    assert names(database, "ana") == ["Ana"]
    assert names(database, "now") == ["Now"]
    assert by_phone(database, str(ANA.phone)) != by_phone(database, str(NUMBER.phone))
    assert rows(database, "SELECT * FROM contact_alias") == []


def test_notes_events_and_labels_move_with_the_number(database: Database) -> None:
    joined(database)
    apply(database, inbound(NOW - 9500, person=NUMBER))
    sql = """
        SELECT c.id FROM conversation c JOIN contact ON contact.id = contact_id
        JOIN channel ON channel.id = channel_id
        WHERE contact.phone = '+34600000002' AND phone_number_id = '106540352242922'
        """
    (conversation,) = rows(database, sql)
    assert only(database, "note")["conversation_id"] == conversation["id"]
    assert only(database, "conversation_event")["conversation_id"] == conversation["id"]
    (entry,) = rows(database, "SELECT * FROM entry WHERE label_id > 0")
    assert entry["conversation_id"] == conversation["id"]


def test_search_finds_messages_where_the_number_took_them(database: Database) -> None:
    joined(database)
    apply(database, inbound(NOW - 9500, person=NUMBER, text="before"))
    everything = ConversationSelection(states_of(range(3)))
    places = {
        row["text"]: row["conversation_id"] for row in rows(database, "SELECT * FROM message")
    }
    for text, place in places.items():
        page = database.read(
            lambda c, text=text: message_search.match_page(
                c, 1, everything, Terms.of(text), None, 9
            )
        )
        assert [match["conversation_id"] for match in page.matches] == [place], text
    assert places["first"] != places["second"]


def test_who_stays_has_the_times_of_what_is_theirs(database: Database) -> None:
    joined(database)
    apply(database, inbound(NOW - 9500, person=NUMBER))
    sql = (
        "SELECT c.* FROM conversation c JOIN contact ON contact.id = contact_id WHERE phone = '%s'"
    )
    (left,) = rows(database, sql % ANA.phone)
    assert left["created_at"] == left["last_activity_at"] == left["last_inbound_at"] == NOW - 9000


def test_of_those_who_take_one_number_the_first_has_it(database: Database) -> None:
    later = IdentityChange(BRUNO, NUMBER, NOW - 7000)
    apply(database, inbound(NOW - 9000, person=ANA), inbound(NOW - 9000, "b", person=BRUNO))
    apply(database, later)
    assert by_phone(database, str(NUMBER.phone)) == by_phone(database, str(BRUNO.phone))
    apply(database, MOVED)
    assert by_phone(database, str(NUMBER.phone)) == by_phone(database, str(ANA.phone))
    assert by_phone(database, str(BRUNO.phone)) != by_phone(database, str(ANA.phone))


def test_who_goes_back_is_called_by_the_number_of_the_latest_news(database: Database) -> None:
    apply(database, IdentityChange(NUMBER, ANA, NOW - 7000))
    apply(database, MOVED)
    assert only(database, "contact")["phone"] == ANA.phone
    assert by_phone(database, str(NUMBER.phone)) == by_phone(database, str(ANA.phone))


def test_news_of_a_number_changes_nothing_twice(database: Database) -> None:
    joined(database)
    before = revision(database), only(database, "contact")
    joined(database)
    assert (revision(database), only(database, "contact")) == before


def test_whoever_is_erased_takes_the_news_of_the_number_along(database: Database) -> None:
    joined(database)
    erase(database, 1, str(NUMBER.phone), lambda more: None)
    for table in ("contact", "contact_part", "identity_change", "contact_alias", "message"):
        assert rows(database, f"SELECT * FROM {table}") == []
    apply(database, inbound(NOW - 5000, person=NUMBER), inbound(NOW - 5000, "a", person=ANA))
    assert len(rows(database, "SELECT id FROM contact")) == 2


def test_who_is_known_by_user_id_is_found_by_an_earlier_number(database: Database) -> None:
    one, other = (Person(person.phone, person.wa_id, "US.1") for person in (ANA, NUMBER))
    for at, person in ((9000, one), (8000, other), (7000, ANA)):
        apply(database, inbound(NOW - at, person=person))
    assert only(database, "contact")["phone"] == ANA.phone
    assert [row["phone"] for row in rows(database, "SELECT * FROM contact_alias")] == [NUMBER.phone]
    assert len(rows(database, "SELECT * FROM message")) == 3
    assert only(database, "conversation")


def test_an_erasure_is_a_new_revision_of_the_inbox(database: Database) -> None:
    joined(database)
    before = revision(database)
    erase(database, 1, str(NUMBER.phone), lambda more: None)
    assert revision(database) > before
    before = revision(database)
    with suppress(KeyError):
        erase(database, 1, str(NUMBER.phone), lambda more: None)
    assert revision(database) == before


def test_nothing_of_the_number_stays_where_its_owner_is_erased(database: Database) -> None:
    joined(database)
    apply(database, inbound(NOW - 9500, person=NUMBER))
    erase(database, 1, str(NUMBER.phone), lambda more: None)
    assert rows(database, "SELECT * FROM identity_change") == []
    assert [row["phone"] for row in rows(database, "SELECT phone FROM contact")] == [ANA.phone]
    parts = rows(database, "SELECT row_json FROM contact_part")
    assert not any("34600000002" in row["row_json"] for row in parts)


@pytest.mark.parametrize("late", [(), (inbound(NOW - 9500, person=NUMBER, text="before"),)])
def test_an_export_can_be_taken_apart_as_well(
    engine: Engine, late: tuple[DomainEvent, ...]
) -> None:
    with sqlite_store() as first, engine.fresh() as second:
        joined(first)
        apply(first, *late)
        put_in(second, exported(first))
        assert state(second) == state(first)
        apply(second, inbound(NOW - 9600, person=NUMBER, text="oldest"))
        assert adds_up(second)
        assert len(rows(second, "SELECT id FROM contact")) == 2
