"""Contact search finds the same rows in the same order as a scan, page by page."""

import sqlite3
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import ADDRESS_BOOK_NAME, PROFILE_NAME, ContactUpsert, Person
from frontdesk.store import contacts
from frontdesk.store.contacts import contact_page, folded
from frontdesk.store.database import Database
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.phones import phone_pattern
from frontdesk.text.search import contact_words

pytestmark = pytest.mark.both_engines

# Few letters, so that words meet; and all that a pattern, a trigram or folding could trip over.
LETTERS = "abéÉßİǂ%_\\'\"*-+() 12５\n👍🏽王伟ŉ"
SOME = st.text(LETTERS, max_size=9)
PHONES = st.from_regex(r"\+[1-9][12]{6,8}", fullmatch=True)
ACCOUNTS = count(1)


@pytest.fixture(scope="module")
def database(engine: Engine) -> Iterator[Database]:
    """One store for all examples: each has an account of its own."""
    with engine.fresh() as database:
        yield database


@st.composite
def people(draw: st.DrawFn) -> ContactUpsert:
    number = draw(st.integers(1, 9))
    hidden = draw(st.booleans())
    return ContactUpsert(
        Person(wa_user_id=f"US.{number}", phone=None if hidden else draw(PHONES)),
        draw(st.integers(1, 99)),
        draw(st.none() | SOME),
        draw(st.sampled_from((PROFILE_NAME, ADDRESS_BOOK_NAME))),
        profile_name=draw(st.none() | SOME),
        username=draw(st.none() | SOME),
        email=draw(st.none() | SOME),
    )


@given(
    batches=st.lists(st.lists(people(), max_size=8), max_size=3),
    text=SOME
    | PHONES
    | PHONES.map(lambda phone: f"{phone[:3]} {phone[3:]}")
    | PHONES.map(lambda phone: phone[:3]),
    limit=st.integers(1, 4),
    few=st.sampled_from((0, 2, 1000)),
    near=st.sampled_from((1, 3, 10_000)),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_pages_of_a_search_are_a_scan_of_all_contacts(database, batches, text, limit, few, near):
    account_id = next(ACCOUNTS)
    for events in batches:
        database.write(lambda c, events=events: apply_events(c, account_id, events, now=0))
    words = contact_words(text)
    everyone = database.read(
        lambda c: c.rows("SELECT * FROM contact WHERE account_id = :id", {"id": account_id})
    )
    former = database.read(
        lambda c: c.rows("SELECT * FROM contact_alias WHERE account_id = :id", {"id": account_id})
    )
    owners = {alias["phone"]: alias["contact_id"] for alias in former}
    owners |= {contact["phone"]: contact["id"] for contact in everyone}
    number = phone_pattern(words[0]) if len(words) == 1 else None
    owner = next((owners[phone] for phone in number.whole if phone in owners), 0) if number else 0
    expected = sorted(
        (not contact["name_key"], contact["name_key"], contact["id"])
        for contact in everyone
        if contact["id"] == (owner or contact["id"])
        and (owner or all(has(contact, word) for word in words))
    )
    assert walk(database, account_id, words, limit, few, near) == expected


def has(contact, word: str) -> bool:
    """What it means that a contact has a folded word."""
    if number := phone_pattern(word):
        return number.matches(contact["phone"])
    texts = [contact[name] or "" for name in ("name", "profile_name", "username", "email")]
    words = [one for text in texts for one in folded(text).split()]
    letters = [letter for letter in word if letter.isalnum() or ord(letter) > 127]
    return any(word in one if len(letters) >= 3 else one.startswith(word) for one in words)


def walk(
    database: Database, account_id: int, words, limit: int, few: int, near: int = 9
) -> list[tuple]:
    """The keys of a search, page by page."""
    keys: list[tuple] = []
    while True:
        after = keys[-1] if keys else None
        page = database.read(
            lambda c, after=after: contact_page(
                c, account_id, words, after, limit, few=few, near=near
            )
        )
        keys += [(bool(row["nameless"]), row["name_key"], row["id"]) for row in page]
        if len(page) < limit:
            return keys


def test_the_index_is_what_is_stored_however_often_it_changed(tmp_path):
    database = SQLiteDatabase(tmp_path / "inbox.db", create=True, durable=False)
    for at, name in enumerate(("Ana", "", "Zoë", "Zoë")):
        for account_id in (1, 2):
            person = Person(phone="+16505551234")
            event = ContactUpsert(person, at, name, ADDRESS_BOOK_NAME)
            database.write(lambda c, e=event, a=account_id: apply_events(c, a, [e], now=0))
            check(database)
    database.write(contacts.rebuild_index)
    check(database)
    assert walk(database, 2, ["zoe"], 9, 9) == [(False, "zoe", 1)]
    database.close()


def check(database: Database) -> None:
    """The engine's own check; it raises."""
    database.write(
        lambda c: c.run("INSERT INTO contact_words(contact_words) VALUES ('integrity-check')")
    )


def test_a_contact_that_nothing_is_known_of_is_found_once_something_is(database):
    account_id = next(ACCOUNTS)
    person = Person(wa_user_id="US.1")
    for event in (ContactUpsert(person, 1), ContactUpsert(person, 2, "Zoë", PROFILE_NAME)):
        database.write(lambda c, event=event: apply_events(c, account_id, [event], now=0))
    assert walk(database, account_id, ["zoe"], 9, 9) == [(False, "zoe", 1)]


def test_whoever_has_a_whole_number_is_found_on_the_first_page_alone(database):
    account_id = next(ACCOUNTS)
    event = ContactUpsert(Person(phone="+16505559876"), 1, "Zoë", PROFILE_NAME)
    database.write(lambda c: apply_events(c, account_id, [event], now=0))
    pages = [
        database.read(
            lambda c, after=after: contact_page(c, account_id, ["+16505559876"], after, 1)
        )
        for after in (None, (0, "zoe", 1))
    ]
    assert [[row["id"] for row in page] for page in pages] == [[1], []]


def test_the_place_in_the_index_survives_a_vacuum(tmp_path):
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True, durable=False)
    names = ("Ana", "Bo", "Zoë")
    events = [
        ContactUpsert(Person(phone=f"+1650555000{n}"), 1, name, PROFILE_NAME)
        for n, name in enumerate(names)
    ]
    database.write(lambda c: apply_events(c, 1, events, now=0))
    database.write(lambda c: c.run("DELETE FROM contact WHERE id = 1"))
    database.close()
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")
    connection.close()
    database = SQLiteDatabase(path, durable=False)
    assert walk(database, 1, ["zoe"], 9, 9) == [(False, "zoe", 3)]
    database.close()
