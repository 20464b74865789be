"""Message search finds the same rows as a scan, page by page."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stores import Engine

from frontdesk.errors import UnusableFile
from frontdesk.ingest import erase
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    IdentityChange,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
)
from frontdesk.sample.bulk import Size, bulk_events
from frontdesk.sample.catalogue import large_catalogue
from frontdesk.store import message_search
from frontdesk.store.contacts import search_words
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.database import Connection, Database
from frontdesk.store.message_search import Limits, match_page, text_of
from frontdesk.text.search import Terms

pytestmark = pytest.mark.both_engines

CHANNEL = "106540352242922"
# Few letters, so that words meet; and all that a pattern, a trigram or folding could trip over.
TEXTS = st.lists(
    st.sampled_from(
        (
            "ana",
            "ANÁ",
            "banana",
            "nan",
            "ab%_\\'\"",
            "退款申请",
            "C++ ışık",
            "b’n",
            "n\0n",
            "ﬁn!",
            "ß",
        )
    ),
    max_size=4,
).map(" ".join) | st.text("anÁb %_\\'\"*退款ﬁ👍🏽\n", max_size=12)
WORDS = st.lists(
    st.sampled_from(
        (
            "ana",
            "nan",
            "aná",
            "ab%",
            "款申请",
            "fin",
            "an",
            "ss",
            "%_",
            "'\"b",
            "退款",
            "c++",
            "isik",
            "b'n",
            "a",
        )
    ),
    min_size=1,
    max_size=3,
).map(" ".join)
PHONES = tuple(f"+1650555000{n}" for n in range(4))
PEOPLE = st.builds(
    Person,
    phone=st.none() | st.sampled_from(PHONES),
    wa_user_id=st.sampled_from([f"US.{n}" for n in range(4)]),
)
NUMBERS = st.integers(0, 7)
SECONDS = st.integers(0, 9)
LIMITS = (Limits(2, 4, 0, 2), Limits(3, 9, 3, 4), Limits(2, 2, 9, 9), Limits())
ACCOUNTS = count(1)
EVERYTHING = ConversationSelection(states_of(range(3)))
UNTIL = 1_773_446_400_000


@pytest.fixture(scope="module")
def database(engine: Engine) -> Iterator[Database]:
    """One indexed store for all examples: each has an account of its own."""
    with engine.fresh() as database:
        yield database


def message(number: int, person: Person, second: int, text: str) -> MessageUpsert:
    content, media = None, None
    if number % 3 == 1:
        content, text = {"kind": "buttons", "id": "b1", "options": [{"title": text}]}, ""
    elif number % 3 == 2:
        media = {"id": "42", "filename": text}
    return MessageUpsert(
        CHANNEL, person, f"wamid.{number}", second * 1000 + number, False, Author("contact"),
        "text", "webhook", text, content=content, media=media,
    )  # fmt: skip


CHANGES = st.one_of(
    st.builds(message, NUMBERS, PEOPLE, SECONDS, TEXTS),
    st.builds(message, NUMBERS, PEOPLE, SECONDS, TEXTS),
    st.builds(
        MessageEdit, st.just(CHANNEL), NUMBERS.map("wamid.{}".format), st.just(10**6),
        st.just("text"), TEXTS,
    ),
    st.builds(
        MessageRevoke, st.just(CHANNEL), NUMBERS.map("wamid.{}".format), st.just(10**6)
    ),
    st.builds(IdentityChange, PEOPLE, PEOPLE, st.just(10**6)),
    st.sampled_from(PHONES),
)  # fmt: skip


@given(
    batches=st.lists(st.lists(CHANGES, max_size=6), max_size=4),
    text=WORDS,
    count=st.integers(1, 3),
    limits=st.sampled_from(LIMITS),
    states=st.sampled_from((range(3), (0,))),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_pages_of_a_search_are_a_scan_of_all_messages(
    database, batches, text, count, limits, states
):
    account_id = next(ACCOUNTS)
    for changes in batches:
        store_events(database, account_id, changes)
    assert [*database.read(lambda c: list(differences(c, account_id)))] == []
    terms = Terms.of(text)
    if not terms.spellings:
        return
    selection = ConversationSelection(states_of(states))
    newest = scan(database, account_id, terms, states)
    matches, total = walk(database, account_id, selection, terms, count, limits)
    seconds = {match["conversation_id"]: match["created_at"] // 1000 for match in matches}
    assert len(seconds) == len(matches)
    assert seconds == newest
    assert list(seconds.values()) == sorted(newest.values(), reverse=True)
    assert total is None or total == len(newest)


def test_500_words_and_parts_of_words_of_an_inbox_find_what_a_scan_finds(engine):
    random = Random(500)
    with engine.fresh() as database:
        for events in (large_catalogue(UNTIL), *bulk_events(Size(60, 400, 5, UNTIL))):
            store_events(database, 1, [*events])
        said = [
            (row["conversation_id"], row["created_at"] // 1000, text_of(row))
            for row in database.read(lambda c: c.rows("SELECT * FROM message ORDER BY created_at"))
        ]
        words = sorted({word for _, _, text in said for word in search_words(text)})
        parts: set[str] = set()
        while len(parts) < 500:
            word = random.choice(words)
            start = random.randrange(len(word))
            part = word[start : start + random.randint(1, 9)]
            parts.add(part)
        for part in sorted(parts):
            # A number is found without its separators too.
            digits = "".join(letter for letter in part if letter not in "+-()./")
            spellings = {part, digits if digits.isdecimal() else part}
            newest = {
                id: second
                for id, second, text in said
                if any(spelling in text for spelling in spellings)
            }
            matches, total = walk(database, 1, EVERYTHING, Terms.of(part), 40, Limits())
            found = {one["conversation_id"]: one["created_at"] // 1000 for one in matches}
            assert (found, total) == (newest, len(newest)), part


def store_events(database: Database, account_id: int, changes: list) -> None:
    """Apply events in one batch; a phone number is a person to be erased."""
    events = [one for one in changes if not isinstance(one, str)]
    with suppress(KeyError):
        database.write(lambda c: apply_events(c, account_id, events, now=10**7))
    for phone in changes:
        if isinstance(phone, str):
            erase.erase(database, account_id, phone, lambda more: None)


def scan(database: Database, account_id: int, terms: Terms, states) -> dict[int, int]:
    """The second of the newest message with every term, by conversation."""
    rows = database.read(
        lambda c: c.rows(
            """
            SELECT m.*, c.status FROM message AS m
            JOIN conversation AS c ON c.account_id = m.account_id AND c.id = m.conversation_id
            WHERE m.account_id = :id ORDER BY m.created_at
            """,
            {"id": account_id},
        )
    )
    return {
        row["conversation_id"]: row["created_at"] // 1000
        for row in rows
        if row["status"] in states and terms.match_text(text_of(row))
    }


def walk(database: Database, account_id: int, selection, terms, count, limits):
    """All matches of a search, and its exact total, if it is known."""
    matches, after, total = [], None, None
    while True:
        page = database.read(
            lambda c, after=after: match_page(c, account_id, selection, terms, after, count, limits)
        )
        assert len(page.matches) <= count
        if after is None and not page.capped:
            total = page.total
        matches += page.matches
        after = page.next_number
        if after is None:
            return matches, total


def test_of_many_messages_of_one_second_some_are_removed_and_others_come(engine):
    person = Person(phone=PHONES[0])
    said = [replace(message(3 * n, person, n, f"amber {n}"), at=UNTIL) for n in range(9)]
    with engine.fresh() as database:
        store_events(database, 1, said[:5])
        gone = [MessageRevoke(CHANNEL, said[n].wamid, UNTIL + 1) for n in (0, 3, 4)]
        store_events(database, 1, [*gone, *said[5:]])
        assert [*database.read(lambda c: list(differences(c, 1)))] == []
        database.write(message_search.check_index)
        texts = "SELECT text FROM message_text ORDER BY number"
        shown = [row["text"] for row in database.read(lambda c: c.rows(texts))]
        assert shown == [f"amber {n}" for n in (1, 2, 5, 6, 7, 8)]


def test_an_index_built_later_is_the_same(engine):
    with engine.fresh() as database:
        database.write(message_search.drop)
        people = [Person(phone=phone) for phone in PHONES]
        store_events(
            database, 1, [message(n, people[n % 4], n, f"Año {n} ¡Mañana!") for n in range(8)]
        )
        message_search.build(database, lambda more: None)
        store_events(database, 1, [message(8, people[0], 20, "mañana"), PHONES[1]])
        assert [*database.read(lambda c: list(differences(c, 1)))] == []
        for limits in LIMITS:
            matches, total = walk(database, 1, EVERYTHING, Terms.of("mañana"), 2, limits)
            assert [match["created_at"] for match in matches] == [20_008, 7_007, 6_006]
            assert total in (3, None)


class Watched:
    """A connection that keeps the statements that read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.dialect = connection.dialect
        self.read: list[str] = []

    def rows(self, sql, parameters=None):
        self.read.append(sql)
        return self._connection.rows(sql, parameters)

    def row(self, sql, parameters=None):
        return self._connection.row(sql, parameters)

    def run(self, sql, parameters=None):
        return self._connection.run(sql, parameters)

    def run_many(self, sql, rows):
        self._connection.run_many(sql, rows)


def test_what_a_new_index_does_not_have_is_not_looked_for_in_it(engine):
    people = [Person(phone=phone) for phone in PHONES]

    def built(connection: Connection) -> list[str]:
        watched = Watched(connection)
        message_search.fill(watched)
        return [sql for sql in watched.read if "t.message_id" in sql]

    with engine.fresh() as database:
        store_events(database, 1, [message(n, people[n % 4], n, f"word {n}") for n in range(8)])
        database.write(message_search.drop)
        database.write(message_search.create)
        assert database.write(built) == []
        database.write(message_search.build_again)
        changed = "UPDATE message_text SET text = 'other' WHERE message_id = 1"
        database.write(lambda c: c.run(changed))
        assert len(database.write(built)) == 1
        database.write(message_search.finish)


def test_a_build_that_ended_early_goes_on(engine, monkeypatch):
    monkeypatch.setattr(message_search, "CHUNK", 3)
    with engine.fresh() as database:
        database.write(message_search.drop)
        people = [Person(phone=phone) for phone in PHONES]
        store_events(database, 1, [message(n, people[n % 4], n, f"hello {n}") for n in range(7)])
        database.write(message_search.create)
        assert database.write(message_search.fill) == 3
        assert not database.read(lambda c: message_search.is_ready(c, 1))
        store_events(
            database, 1, [message(2, people[0], 1, "earlier"), message(9, people[0], 9, "hello")]
        )
        batches: list[int] = []
        message_search.build(database, batches.append)
        assert sum(batches) == 5
        assert [*database.read(lambda c: list(differences(c, 1)))] == []
        assert len(walk(database, 1, EVERYTHING, Terms.of("hello"), 9, Limits())[0]) == 4


def test_an_index_that_is_not_that_of_the_texts_is_reported(tmp_path, engine):
    with engine.fresh() as database:
        store_events(database, 1, [message(1, Person(phone=PHONES[0]), 1, "hello")])
        database.write(message_search.check_index)
        database.write(lambda c: c.run("UPDATE message_text SET text = 'other'"))
        lines = database.read(lambda c: list(differences(c, 1)))
        assert lines == ["message 1: not found by its words alone"]
        database.write(lambda c: c.run("UPDATE message_text SET message_id = 2"))
        assert database.read(lambda c: list(differences(c, 1))) == [
            "message 1: not found by its words alone",
            "texts in the index of messages that do not exist: 1",
        ]
        if engine.name == "sqlite":
            with pytest.raises(UnusableFile):
                database.write(message_search.check_index)
        database.write(message_search.drop)
        assert "`frontdesk db upgrade`" in (database.read(message_search.lack) or "")
        message_search.build(database, lambda more: None)
        assert database.read(message_search.lack) is None
        assert database.read(lambda c: list(differences(c, 1))) == []


def test_messages_of_32767_accounts_are_searched(database):
    words = "messages are searched in the first 32,767 accounts of a database"
    for account_id, lack in ((1, None), (32_767, None), (32_768, words)):
        assert database.read(lambda c, id=account_id: message_search.lack(c, id)) == lack
        assert database.read(lambda c, id=account_id: message_search.is_ready(c, id)) is (
            lack is None
        )


STORED = {
    "text": "Hello",
    "content_json": None,
    "media_json": '{"filename": "An\u00e1.pdf"}',
    "referral_json": None,
    "deleted_at": None,
    "created_at": 5,
    "direction": 0,
    "author": "contact",
    "type": "document",
    "source": "webhook",
    "delivery_status": None,
}


def test_a_deleted_message_has_no_words():
    assert "hello" in text_of(STORED)
    assert "ana.pdf" in text_of(STORED)
    assert {"Hello", "[document · Aná.pdf]"} < {*message_search.shown_pieces(STORED)}
    deleted = {**STORED, "deleted_at": 7}
    assert (text_of(deleted), message_search.shown_pieces(deleted)) == ("", ())


@pytest.mark.parametrize(
    ("changes", "is_reworded"),
    [
        ({}, False),
        ({"delivery_status": "read"}, False),
        ({"author": "user"}, False),
        ({"text": "Bye"}, True),
        ({"media_json": None}, True),
        ({"content_json": "{}"}, True),
        ({"referral_json": "{}"}, True),
        ({"deleted_at": 7}, True),
        ({"created_at": 6}, True),
    ],
)
def test_what_changes_the_words_or_the_time_of_a_message_is_indexed_again(changes, is_reworded):
    assert message_search.is_reworded({**STORED, **changes}, STORED) is is_reworded


def test_messages_dated_beyond_2106_are_found(engine):
    with engine.fresh() as database:
        times = {"last": 2**32 * 1000 - 1, "beyond": 2**32 * 1000 + 5_000}
        for number, (word, at) in enumerate(times.items()):
            said = MessageUpsert(
                CHANNEL, Person(phone=PHONES[number]), f"w{number}", at, False, Author("contact"),
                "text", "webhook", word,
            )  # fmt: skip
            store_events(database, 1, [said])
        for word, at in times.items():
            matches, total = walk(database, 1, EVERYTHING, Terms.of(word), 9, Limits())
            assert ([match["created_at"] for match in matches], total) == ([at], 1)
        assert [*database.read(lambda c: list(differences(c, 1)))] == []
