"""A crowd is filled in as if each of its events had been applied, and as large as it was asked."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.sample.bulk import (
    HOUR,
    ActivityCalendar,
    Size,
    ZipfChoice,
    bulk_events,
    compress,
    thread_lengths,
)
from frontdesk.sample.bulk_rows import ACCOUNT, fill
from frontdesk.sample.catalogue import large_catalogue
from frontdesk.store import message_search
from frontdesk.store.connect import open_database
from frontdesk.store.contacts import contact_page
from frontdesk.store.database import Connection, Database
from frontdesk.store.sqlite import SQLiteDatabase
from tests.stores import PostgresServer

UNTIL = int(datetime(2026, 3, 14, tzinfo=UTC).timestamp() * 1000)
SIZE = Size(conversations=1_200, messages=7_000, seed=5, until=UNTIL)
# Ordered by what every row of it is known by.
TABLES = {
    "channel": "id",
    "app_user": "id",
    "team_channel": "team_id, channel_id",
    "label": "id",
    "contact": "id",
    "conversation": "id",
    "entry": "conversation_id, label_id",
    "cell": "label_id, channel_id, state, assignee_id, awaiting, unread",
    "message": "id",
    "reaction": "channel_id, target_wamid, person",
    "note": "id",
    "conversation_event": "id",
    "metric_event": "id",
    "rollup": "grain, bucket, channel_id, name, author",
    "conversation_rollup": "user_id, channel_id, bucket, conversation_id",
    "user_rollup": "bucket, user_id, channel_id, name",
    "duration_rollup": "bucket, channel_id, name, step",
    "user_duration_rollup": "bucket, channel_id, user_id, name, step",
    "label_rollup": "name, label_id, bucket, channel_id",
    "pricing_rollup": "grain, bucket, channel_id, author, category, type",
    "last_id": "kind",
}


def quiet(value: object) -> None:
    """Progress that nobody follows."""


def rows(database: Database, table: str) -> list[dict[str, Any]]:
    def read(connection: Connection) -> list[dict[str, Any]]:
        ordered = f"SELECT * FROM {table} ORDER BY {TABLES[table]}"
        return [dict(row) for row in connection.rows(ordered)]

    return database.read(read)


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """What the events of the same crowd leave when they are applied as any others are."""
    path = tmp_path_factory.mktemp("applied") / "inbox.db"
    with closing(SQLiteDatabase(path, create=True, durable=False)) as database:
        for events in ([*large_catalogue(UNTIL)], *bulk_events(SIZE)):
            database.write(
                lambda connection, events=events: apply_events(
                    connection, ACCOUNT, events, now=UNTIL
                )
            )
        yield database


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def target(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where a crowd was filled in, on each engine."""
    if request.param == "sqlite":
        path = str(tmp_path_factory.mktemp("filled") / "inbox.db")
        fill(path, SIZE, quiet, quiet)
        yield path
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    with server.database() as address:
        fill(address, SIZE, quiet, quiet)
        yield address


@pytest.fixture
def filled(target: str) -> Iterator[Database]:
    with closing(open_database(target)) as database:
        yield database


@pytest.mark.parametrize("table", TABLES)
def test_every_row_is_as_if_the_events_had_been_applied(
    filled: Database, applied: Database, table: str
) -> None:
    made = rows(filled, table)
    assert made
    assert made == rows(applied, table)


def test_everything_adds_up(filled: Database) -> None:
    assert filled.read(lambda connection: [*differences(connection, ACCOUNT)]) == []


def test_there_is_as_much_as_was_asked_for(filled: Database) -> None:
    assert len(rows(filled, "conversation")) == SIZE.conversations
    messages = rows(filled, "message")
    assert len(messages) == SIZE.messages
    assert max(message["created_at"] for message in messages) < UNTIL


def test_nobody_waits_for_a_person_who_has_just_answered(filled: Database) -> None:
    waiting = [row for row in rows(filled, "conversation") if row["awaiting_human"]]
    authors = {json.loads(row["last_message_json"])["author"] for row in waiting}
    assert "contact" in authors
    assert not authors & {"user", "phone"}


def test_its_contacts_are_found_by_words(filled: Database) -> None:
    someone = next(row for row in rows(filled, "contact") if row["name"] and row["phone"])
    for word in (someone["name"].split()[-1].casefold(), someone["phone"][-7:]):
        found = filled.read(
            lambda connection, word=word: contact_page(connection, ACCOUNT, [word], None, 1_000)
        )
        assert someone["id"] in {row["id"] for row in found}


def test_its_indexes_are_those_of_any_other(filled: Database, tmp_path: Path) -> None:
    sql = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    if isinstance(filled, SQLiteDatabase):
        with closing(SQLiteDatabase(tmp_path / "other.db", create=True, durable=False)) as other:
            names = other.read(
                lambda connection: [tuple(row.values()) for row in connection.rows(sql)]
            )
        assert (
            filled.read(lambda connection: [tuple(row.values()) for row in connection.rows(sql)])
            == names
        )


def test_a_fill_has_the_index_of_messages(filled: Database) -> None:
    assert filled.read(lambda c: message_search.is_ready(c, ACCOUNT))


def test_filling_a_database_that_already_has_an_inbox_is_refused(target: str) -> None:
    with pytest.raises(BadSettings, match="already: name"):
        fill(target, SIZE, quiet, quiet)


def test_the_same_seed_makes_the_same_and_another_does_not() -> None:
    small = Size(40, 200, 3, UNTIL)
    once, again = list(bulk_events(small)), list(bulk_events(small))
    assert once == again
    assert once != list(bulk_events(Size(40, 200, 4, UNTIL)))


def test_the_crowd_is_that_of_the_benchmarks() -> None:
    """Whoever changes it on purpose measures again."""
    events = list(bulk_events(SIZE))
    assert hashlib.sha256(repr(events).encode()).hexdigest()[:16] == "77a790fbdcb8fcf9"


def test_an_interrupted_fill_leaves_no_file(tmp_path: Path) -> None:
    def interrupt(more: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(str(tmp_path / "inbox.db"), SIZE, interrupt, quiet)
    assert not list(tmp_path.iterdir())


def test_a_partial_file_of_another_process_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "inbox.db.partial"
    other.write_bytes(b"of another process")
    with pytest.raises(BadSettings, match="is in the way"):
        fill(str(tmp_path / "inbox.db"), SIZE, quiet, quiet)
    assert other.read_bytes() == b"of another process"


def test_a_file_that_is_filled_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    fill(str(path), Size(1, 1, 1, UNTIL), quiet, quiet)
    assert path.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(path)) as session:
        assert session.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.postgres
def test_an_interrupted_fill_leaves_no_rows(postgres: PostgresServer) -> None:
    def interrupt(more: int) -> None:
        raise KeyboardInterrupt

    with postgres.database() as address:
        with pytest.raises(KeyboardInterrupt):
            fill(address, SIZE, interrupt, quiet)
        with closing(open_database(address)) as database:
            assert not [table for table in TABLES if rows(database, table)]


@settings(max_examples=15)
@given(st.integers(1, 3_000), st.integers(0, 20_000), st.integers())
def test_threads_have_exactly_so_many_messages_together(
    conversations: int, more: int, seed: int
) -> None:
    found = thread_lengths(Size(conversations, conversations + more, seed, UNTIL), Random(seed))
    assert len(found) == conversations
    assert min(found) >= 1
    assert sum(found) == conversations + more


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=2))
def test_later_places_are_later_moments(places: list[float]) -> None:
    calendar = ActivityCalendar(UNTIL)
    moments = [calendar.time(place) for place in sorted(places)]
    assert moments == sorted(moments)
    assert calendar.start <= moments[0]
    assert moments[-1] < UNTIL


@given(
    st.lists(st.integers(0, 50 * HOUR), min_size=1),
    st.integers(UNTIL - 20 * HOUR, UNTIL - 2),
)
def test_moments_fit_and_keep_their_order(gaps: list[int], first: int) -> None:
    times = [first]
    for gap in gaps:
        times.append(times[-1] + gap)
    found = compress(times, UNTIL)
    assert found[0] == first
    assert found == sorted(found)
    assert found[-1] < UNTIL


def test_the_first_is_picked_most_and_none_is_left_out() -> None:
    choice = ZipfChoice("abc")
    picked = [choice.pick(number / 1_000) for number in range(1_000)]
    assert picked.count("a") > picked.count("b") > picked.count("c") > 0
