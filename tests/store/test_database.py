"""Databases on both engines: transactions, snapshots, deadlines."""

import threading
from collections.abc import Callable

import pytest
from tests.patience import HANG_SECONDS
from tests.stores import Engine

from frontdesk.errors import QueryTimeout
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.store.accounts import account, add_account
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection, Database

pytestmark = pytest.mark.both_engines

ENDLESS = """
  WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000000)
  SELECT COUNT(*) AS n FROM number
"""


def add(slug: str) -> Callable[[Connection], int]:
    return lambda connection: add_account(connection, slug, slug, 0)


def slugs(database: Database) -> list[str]:
    rows = database.read(lambda connection: connection.rows("SELECT slug FROM account ORDER BY id"))
    return [row["slug"] for row in rows]


def together(*works: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_new_database_has_one_account(database: Database):
    assert slugs(database) == ["default"]


def test_work_that_fails_leaves_nothing_behind(database: Database):
    def work(connection):
        add_account(connection, "half", "half", 0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write(work)
    assert slugs(database) == ["default"]
    database.write(add("next"))
    assert slugs(database) == ["default", "next"]


def test_a_reader_sees_one_moment_while_others_write(database: Database):
    def read(connection):
        before = account(connection, 2)
        together(lambda: database.write(add("other")))
        return before, account(connection, 2)

    assert database.read(read) == (None, None)
    assert slugs(database) == ["default", "other"]


def test_threads_read_at_the_same_time(database: Database):
    meeting = threading.Barrier(3, timeout=HANG_SECONDS)
    found: list[list[object]] = []

    def read(connection):
        meeting.wait()
        return connection.rows("SELECT slug FROM account")

    together(*[lambda: found.append(database.read(read))] * 3)
    assert len(found) == 3


def test_writers_of_one_process_take_turns(database: Database):
    together(*(lambda number=number: database.write(add(f"a{number}")) for number in range(8)))
    assert len(slugs(database)) == 9


def test_writers_of_one_account_never_lose_or_mix_anything(database: Database):
    """Four writers, the same conversations and cells, in different orders."""

    def message(number: int) -> MessageUpsert:
        person = Person(phone=f"+1650555000{number % 5}")
        return MessageUpsert(
            "101", person, f"w{number}", number, False, Author("contact"), "text", "webhook"
        )

    def write(start: int) -> None:
        for number in range(start, 40, 4):
            events = [message(number), message((number * 7) % 40)]
            database.write(lambda c, events=events: apply_events(c, 1, events, now=1000))

    together(*(lambda start=start: write(start) for start in range(4)))
    found = database.read(
        lambda c: c.row(
            """
            SELECT (SELECT COUNT(*) FROM message) AS messages,
              (SELECT COUNT(*) FROM conversation) AS conversations,
              (SELECT COUNT(*) FROM contact) AS contacts
            """
        )
    )
    assert dict(found) == {"messages": 40, "conversations": 5, "contacts": 5}
    assert database.read(lambda c: counters(c, 1) == recount(c, 1))
    assert not database.read(lambda c: misplaced_entries(c, 1))


def test_a_read_beyond_its_deadline_is_ended_and_the_next_is_not(engine: Engine):
    with engine.fresh(statement_seconds=0.3) as database:
        with pytest.raises(QueryTimeout) as ended:
            database.read(lambda connection: connection.row(ENDLESS))
        assert ended.value.retry_after == 5
        assert "0.3 seconds" in str(ended.value)
        assert slugs(database) == ["default"]


def test_a_write_beyond_its_deadline_leaves_nothing(engine: Engine):
    def work(connection):
        add_account(connection, "late", "late", 0)
        connection.run(f"UPDATE account SET created_at = ({ENDLESS})")

    with engine.fresh(statement_seconds=0.3) as database:
        with pytest.raises(QueryTimeout):
            database.write(work)
        assert slugs(database) == ["default"]
        database.write(add("next"))
        assert slugs(database) == ["default", "next"]


def test_texts_are_compared_by_their_bytes(database: Database):
    """As the keys of names are made: no engine's own idea of words or case."""
    for number, name in enumerate(["b", "B", "a", "ä", "_", "z", "Z", "é", "👍", "a b", "ab"]):
        database.write(lambda c, n=number, name=name: add_account(c, f"{name}{n}", name, 0))
    rows = database.read(lambda c: c.rows("SELECT name FROM account WHERE id > 1 ORDER BY name"))
    names = [row["name"] for row in rows]
    assert names == sorted(names, key=str.encode)
    above = database.read(lambda c: c.rows("SELECT name FROM account WHERE name > 'Z' AND id > 1"))
    assert {row["name"] for row in above} == set(names[names.index("Z") + 1 :])


def test_values_come_back_as_they_went(database: Database):
    row = database.read(
        lambda c: c.row(
            """
            SELECT SUM(id) AS whole, AVG(created_at * 0 + id) AS mean, :flag AS flag,
              '100% :not ''a'' name' AS literal, CAST(:number AS TEXT) AS text
            FROM account WHERE name LIKE 'Inb%'
            """,
            {"flag": True, "number": 7},
        )
    )
    assert type(row["whole"]) is int
    assert {name: row[name] for name in ("whole", "mean", "literal", "text")} == {
        "whole": 1,
        "mean": 1,
        "literal": "100% :not 'a' name",
        "text": "7",
    }
    assert int(row["flag"]) == 1
