"""A scan returns each row once for any chunk size, messages newest first."""

from collections.abc import Iterator
from itertools import chain, count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, NoteUpsert, Person
from frontdesk.store.database import Database, Row
from frontdesk.store.text_scan import chunks, row_count

pytestmark = pytest.mark.both_engines

KINDS = ("message", "note", "conversation", "contact")
ACCOUNTS = count(1)


@pytest.fixture(scope="module")
def database(engine: Engine) -> Iterator[Database]:
    """One store for all examples: each has an account of its own."""
    with engine.fresh() as database:
        yield database


def person(number: int) -> Person:
    return Person(phone=f"+1650555123{number}")


@st.composite
def events(draw: st.DrawFn) -> MessageUpsert | NoteUpsert:
    """Few people and few moments, so that both meet."""
    who, at = person(draw(st.integers(1, 3))), draw(st.integers(1, 4))
    key = draw(st.uuids()).hex
    if draw(st.booleans()):
        return NoteUpsert("1", who, key, at, "a note", Author("user"))
    author = Author("contact")
    return MessageUpsert("1", who, key, at, False, author, "text", "webhook", text="a message")


@given(facts=st.lists(events(), max_size=25), size=st.integers(1, 8))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_chunks_of_any_size_give_every_row_once(database: Database, facts, size):
    account_id = next(ACCOUNTS)
    database.write(lambda c: apply_events(c, account_id, facts, now=0))

    def rows(kind: str, conversation_id: int | None = None) -> list[Row]:
        read = chunks(database, account_id, kind, conversation_id=conversation_id, size=size)
        pages = list(read)
        assert all(len(page) == size for page in pages[:-1])
        found = list(chain.from_iterable(pages))
        assert len(found) == database.read(
            lambda c: row_count(c, account_id, kind, conversation_id)
        )
        return found

    for kind in KINDS:
        stored = database.read(
            lambda c, kind=kind: c.rows(
                f"SELECT id FROM {kind} WHERE account_id = :id", {"id": account_id}
            )
        )
        assert sorted(row["id"] for row in rows(kind)) == sorted(row["id"] for row in stored)
    moments = [row["created_at"] for row in rows("message")]
    assert moments == sorted(moments, reverse=True)
    threads = [row["id"] for row in rows("conversation")]
    for kind in ("message", "note"):
        inside = [row["id"] for thread in threads for row in rows(kind, thread)]
        assert sorted(inside) == sorted(row["id"] for row in rows(kind))


def test_writes_between_chunks_neither_repeat_nor_hide_messages(
    database: Database,
):
    account_id = next(ACCOUNTS)

    def add(*moments: int) -> None:
        facts = [
            MessageUpsert(
                "1", person(1), f"w{at}", at, False, Author("contact"), "text", "webhook", text="x"
            )
            for at in moments
        ]
        database.write(lambda c: apply_events(c, account_id, facts, now=0))

    add(10, 20, 30, 40)
    read = chunks(database, account_id, "message", size=2)
    first = next(read)
    add(50, 35)
    rest = list(chain.from_iterable(read))
    assert [row["created_at"] for row in (*first, *rest)] == [40, 30, 20, 10]
