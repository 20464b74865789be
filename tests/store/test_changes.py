"""What a transaction says that it changed."""

from dataclasses import replace

import pytest

from frontdesk.ingest.apply.batch import apply_events, wake
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    LabelUpsert,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.store import expiry, media, writes
from frontdesk.store.accounts import revision
from frontdesk.store.changes import NAMES, ChangePosition, changes, mark, renew_mark, revisions
from frontdesk.store.database import Database
from frontdesk.store.media import MediaRequest

pytestmark = pytest.mark.both_engines

NOW = 1_774_100_000_000
SHOP, DEPOT = "106540352242931", "106540352242932"
MIRA, OTTO = Person("+34600000101"), Person("+34600000102")
AGENT = Author("user", user="lin@example.com")


def says(person: Person, wamid: str, channel: str = SHOP, at: int = NOW) -> MessageUpsert:
    return MessageUpsert(
        channel, person, wamid, at, False, Author("contact"), "text", "webhook", text="Hi"
    )


@pytest.fixture
def inbox(database: Database) -> Database:
    """Conversations 1 (Mira, shop), 2 (Otto, shop) and 3 (Mira, depot)."""
    apply(database, says(MIRA, "m1"))
    apply(database, says(OTTO, "o1"))
    apply(database, says(MIRA, "m2", DEPOT))
    return database


def apply(database: Database, *events: DomainEvent) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW + 50))


def changed_by(database: Database, *events: DomainEvent) -> list[int]:
    before = position(database)
    apply(database, *events)
    return since(database, before)


def position(database: Database) -> ChangePosition:
    return ChangePosition(database.read(lambda c: revision(c, 1)))


def since(database: Database, after: ChangePosition) -> list[int]:
    rows = database.read(lambda c: changes(c, 1, after, 99))
    return [row["conversation_id"] for row in rows]


def test_a_message_changes_its_conversation(inbox: Database) -> None:
    assert changed_by(inbox, says(OTTO, "o2", at=NOW + 1)) == [2]


def test_what_is_known_already_changes_nothing(inbox: Database) -> None:
    assert changed_by(inbox, says(OTTO, "o1")) == []


@pytest.mark.parametrize(
    "event",
    [
        StatusUpdate(SHOP, OTTO, "out", NOW + 2, "read"),
        ReactionSet(SHOP, "o1", "lin", "👍", NOW + 2, True, "user"),
        NoteUpsert(SHOP, OTTO, "n1", NOW + 2, "Calls back.", AGENT),
        ConversationEvent(SHOP, OTTO, "e1", NOW + 2, "resolved"),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_status_or_reaction_of_an_old_message_changes_its_conversation(
    inbox: Database, event: DomainEvent
) -> None:
    apply(inbox, replace(says(OTTO, "out"), outbound=True, author=AGENT))
    assert changed_by(inbox, event) == [2]


def test_a_customer_who_is_renamed_changes_all_conversations_with_them(inbox: Database) -> None:
    named = ContactUpsert(MIRA, NOW + 3, "Mira Holm", PROFILE_NAME, profile_name="Mira Holm")
    assert changed_by(inbox, named) == [1, 3]


def test_a_label_that_is_renamed_changes_names(inbox: Database) -> None:
    apply(inbox, LabelUpsert("parts", NOW))
    assert changed_by(inbox, LabelUpsert("parts", NOW + 1, color="#112233")) == [NAMES]


def test_changes_are_in_the_order_of_their_transactions_and_each_conversation_is_one(
    inbox: Database,
) -> None:
    before = position(inbox)
    for person, wamid in ((MIRA, "m3"), (OTTO, "o3"), (MIRA, "m4")):
        apply(inbox, says(person, wamid, at=NOW + 9))
    assert since(inbox, before) == [2, 1]
    assert since(inbox, position(inbox)) == []


def test_changes_of_one_transaction_are_in_the_order_of_conversations(inbox: Database) -> None:
    before = position(inbox)
    apply(inbox, says(MIRA, "d5", DEPOT, NOW + 9), says(OTTO, "o5", at=NOW + 9))
    assert since(inbox, before) == [2, 3]
    assert since(inbox, ChangePosition(position(inbox).revision, 2)) == [3]


def test_conversations_that_become_one_are_both_changed(inbox: Database) -> None:
    # Otto's number becomes another one, under which nobody had written before.
    other = Person("+34600000103")
    apply(inbox, says(other, "x1", at=NOW + 20))
    assert changed_by(inbox, IdentityChange(OTTO, other, NOW + 10)) == [2, 4]
    rows = inbox.read(lambda c: c.rows("SELECT id FROM conversation ORDER BY id"))
    assert [row["id"] for row in rows] == [1, 2, 3]


def test_an_erased_customer_changes_their_conversations_and_names(inbox: Database) -> None:
    before = position(inbox)
    erase(inbox, 1, "+34600000101", lambda count: None)
    assert since(inbox, before) == [NAMES, 1, 3]


def test_messages_that_expire_change_their_conversations(inbox: Database) -> None:
    apply(inbox, NoteUpsert(DEPOT, MIRA, "n2", NOW, "Rear door.", AGENT))
    apply(inbox, says(OTTO, "late", at=NOW + 5_000))
    before = position(inbox)
    inbox.write(lambda c: expiry.expire(c, 1, NOW + 1_000, NOW + 9_000, 50))
    assert since(inbox, before) == [1, 2, 3]


def test_the_end_of_a_snooze_changes_its_conversation(inbox: Database) -> None:
    apply(inbox, ConversationEvent(SHOP, OTTO, "z", NOW + 5, "snoozed", {"until": NOW + 99}))
    before = position(inbox)
    inbox.write(lambda c: wake(c, 1, NOW + 100))
    assert since(inbox, before) == [2]


def test_files_are_those_of_the_conversations_of_their_messages(inbox: Database) -> None:
    id = inbox.read(lambda c: c.rows("SELECT id FROM message WHERE conversation_id = 3"))[0]["id"]
    request = MediaRequest("k", id, 1, "image", media.WHATSAPP, "7", NOW)
    inbox.write(lambda c: media.add(c, 1, [request]))
    assert inbox.write(lambda c: media.expire(c, 1, NOW + 1)) == {id}
    assert inbox.read(lambda c: media.conversations_with(c, 1, [id, 9_999])) == {3}


def test_what_belongs_to_no_conversation_changes_names(inbox: Database) -> None:
    before = position(inbox)
    inbox.write(lambda c: writes.bump_revision(c, 1))
    assert since(inbox, before) == [NAMES]


def test_revisions_are_those_of_the_accounts_that_there_are(inbox: Database) -> None:
    newest = position(inbox).revision
    assert inbox.read(lambda c: revisions(c, [1, 77])) == {1: newest}
    assert inbox.read(lambda c: revisions(c, [])) == {}


def test_a_mark_stays_until_it_is_renewed(database: Database) -> None:
    first = database.read(mark)
    assert database.read(mark) == first
    database.write(renew_mark)
    assert database.read(mark) != first
