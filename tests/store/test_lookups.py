"""Lookups of a batch use indexes, however large the account is."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.ingest.event_helpers import (
    ACCOUNT,
    ANA,
    CHANNEL,
    NOW,
    conversation_event,
    delivery,
    inbound,
    outbound,
)

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import ContactUpsert, DomainEvent, NoteUpsert, Person, ReactionSet
from frontdesk.store.database import Connection, Dialect, Row
from frontdesk.store.sqlite import SQLiteDatabase

PEOPLE = [Person(f"+3460000{n:04}", f"3460000{n:04}") for n in range(100)]
# What each account has few of, and what has no key but the account.
SMALL = ("channel", "last_id", "orphan", "account", "cell", "raw_event")


class Explaining:
    """A connection that keeps the plan of every statement that reads."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.plans: list[str] = []

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        parameters = parameters or {}
        steps = self._connection.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        self.plans += [f"{step['detail']} [{sql}]" for step in steps]
        return self._connection.rows(sql, parameters)

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return next(iter(self.rows(sql, parameters)), None)

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        return self._connection.run(sql, parameters or {})

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        self._connection.run_many(sql, parameters)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SQLiteDatabase]:
    opened = SQLiteDatabase(tmp_path / "inbox.db", create=True, durable=False)
    yield opened
    opened.close()


def events_with(person: Person) -> Iterator[DomainEvent]:
    """Some facts of every kind of a conversation."""
    name = person.wa_id
    yield ContactUpsert(person, NOW - 9, name=f"Customer {name}", name_rank=1)
    yield inbound(NOW - 8, f"in-{name}", person=person)
    yield outbound(NOW - 7, f"out-{name}", person=person, author=ANA)
    yield replace(delivery(f"out-{name}", "read", NOW - 6), person=person)
    yield ReactionSet(CHANNEL, f"out-{name}", "contact", "👍", NOW - 5, False, "contact")
    yield NoteUpsert(CHANNEL, person, f"note-{name}", NOW - 4, "Called back", ANA)
    yield replace(
        conversation_event(NOW - 3, "resolved"), person=person, external_id=f"event-{name}"
    )


@pytest.mark.parametrize("analyzed", [False, True], ids=["no-statistics", "old-statistics"])
def test_known_events_are_looked_up_without_scanning_the_account(
    database: SQLiteDatabase, analyzed: bool
) -> None:
    def value(connection: Connection, people: list[Person]) -> None:
        events = [event for person in people for event in events_with(person)]
        apply_events(connection, ACCOUNT, events, now=NOW)

    database.write(lambda connection: value(connection, PEOPLE[:20]))
    if analyzed:
        database.write(lambda connection: connection.run("ANALYZE"))
    database.write(lambda connection: value(connection, PEOPLE))
    connections: list[Explaining] = []

    def again(connection: Connection) -> None:
        connections.append(Explaining(connection))
        value(connections[0], PEOPLE)

    database.write(again)
    plans = connections[0].plans
    assert any("message_wamid (account_id=? AND channel_id=? AND wamid=?)" in p for p in plans)
    assert [plan for plan in plans if reads_an_account(plan)] == []


def reads_an_account(plan: str) -> bool:
    step, _, sql = plan.partition(" [")
    whole = step.startswith("SCAN") and not step.startswith("SCAN k ")
    return (whole or "(account_id=?)" in step) and not any(f" {name} " in sql for name in SMALL)
