"""Admission: any number or known channels only; with placeholders or without."""

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.test_any_order import NOW, unnumbered
from tests.ingest.test_webhook_any_bodies import MORE_VIEWS, facts
from tests.ingest.webhooks import SECONDS, body, status, text, value
from tests.stores import Engine

from frontdesk.ingest.admission import ANYTHING, Admission
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import ChannelUpsert, DomainEvent, TeamUpsert
from frontdesk.ingest.webhooks import processor as intake_module
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.store import raw_events
from frontdesk.store.database import Connection, Database
from frontdesk.store.raw_events import ReceivedBody

LISTED_ONLY = Admission(create_channels=False)
NO_PLACEHOLDERS = Admission(placeholders=False)
ANA, BRUNO = "16505550001", "16505550002"
RECEIVED = (SECONDS + 60) * 1000
LISTING = (ChannelUpsert("101", RECEIVED - 90_000, alias="Support"),)
UNKNOWN_101, UNKNOWN_102 = "ignored_unknown_channel 101", "ignored_unknown_channel 102"


def said(wamid: str, channel: str = "101", sender: str = ANA) -> dict[str, Any]:
    incoming = text(wamid, int(wamid[1:]) % 50, **{"from": sender})
    contacts = [{"wa_id": sender, "profile": {"name": f"N{sender[-1]}"}}]
    return body(value(channel, messages=[incoming], contacts=contacts))


def several(channel: str, *wamids: str) -> dict[str, Any]:
    incoming = [text(wamid, int(wamid[1:]) % 50, **{"from": ANA}) for wamid in wamids]
    return body(value(channel, messages=incoming))


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, "entry": [*one["entry"], *other["entry"]]}


def arrive(database: Database, *bodies: dict[str, Any]) -> None:
    def keep(connection: Connection) -> None:
        for one in bodies:
            raw_events.keep(connection, ReceivedBody(1, json.dumps(one).encode(), RECEIVED))

    database.write(keep)


def store_events(database: Database, events: "tuple[DomainEvent, ...]" = LISTING) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))


def drain(database: Database, admission: Admission = LISTED_ONLY) -> tuple[Counter[str], ...]:
    """Step until nothing moves; what was settled how, and what was passed over."""
    intake = WebhookProcessor(database, lambda: NOW, admission=admission)
    settled, passed_over = Counter[str](), Counter[str]()
    while (step := intake.step(1)).moved:
        settled, passed_over = settled + step.settled, passed_over + step.passed_over
    return settled, passed_over


def ignored(database: Database) -> Counter[str]:
    found = Counter[str]()
    for row in database.read(lambda connection: raw_events.ignored(connection, 1)):
        found.update({kind: n * row["n"] for kind, n in json.loads(row["ignored_json"]).items()})
    return found


def contents(connection: Connection) -> dict[str, list[str]]:
    assert [*differences(connection, 1)] == []
    return {
        name: sorted(repr(unnumbered(row)) for row in connection.rows(sql))
        for name, sql in MORE_VIEWS.items()
    }


def wamids(database: Database) -> set[str]:
    rows = database.read(lambda connection: connection.rows("SELECT wamid FROM message"))
    return {row["wamid"] for row in rows}


def test_webhooks_for_an_unknown_channel_are_counted_as_ignored_and_change_nothing(
    database: Database,
) -> None:
    before = database.read(contents)
    contact = {"full_name": "Ana", "phone_number": ANA}
    moment = {"timestamp": str(SECONDS)}
    book = {"type": "contact", "contact": contact, "action": "add", "metadata": moment}
    moved = {"type": "system", "system": {"type": "user_changed_number", "wa_id": BRUNO}}
    reaction = {"type": "reaction", "reaction": {"message_id": "m1", "emoji": "👍"}}
    elements = [
        text(f"m{n}", n, **{"from": ANA}, **more) for n, more in enumerate((moved, reaction))
    ]
    arrive(database, said("m5"), body(value(state_sync=[book])), body(value(messages=elements)))
    assert drain(database) == (Counter(ignored=3), Counter({UNKNOWN_101: 4}))
    assert database.read(contents) == before
    assert ignored(database) == {UNKNOWN_101: 4}
    assert drain(database) == (Counter(), Counter())


def test_once_the_number_is_listed_what_came_for_it_goes_in(database: Database) -> None:
    arrive(database, said("m1"), said("m2", "102"))
    drain(database)
    store_events(database)
    assert drain(database) == (Counter(applied=1), Counter())
    assert wamids(database) == {"m1"}
    assert ignored(database) == {UNKNOWN_102: 1}
    store_events(database, (TeamUpsert("Days", NOW, channels=("102",)),))
    drain(database)
    assert wamids(database) == {"m1", "m2"}
    assert ignored(database) == Counter()


def test_with_the_switch_back_a_replay_takes_everything_in(database: Database) -> None:
    arrive(database, said("m1"), said("m2", "102"))
    drain(database)
    places = database.read(lambda connection: raw_events.positions_after(connection, 1, None, 9))
    digests = [place.digest for place in places]
    database.write(lambda connection: raw_events.wait_again(connection, 1, digests))
    assert drain(database, ANYTHING) == (Counter(applied=2), Counter())
    assert wamids(database) == {"m1", "m2"}


def test_of_a_body_for_two_numbers_that_of_the_channel_goes_in(database: Database) -> None:
    store_events(database)
    arrive(database, both(said("m1"), said("m2", "102")))
    assert drain(database) == (Counter(applied=1), Counter({UNKNOWN_102: 1}))
    assert wamids(database) == {"m1"}


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_a_number_may_be_listed_in_the_middle_of_a_long_body(
    database: Database, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(intake_module, "EVENTS_AT_ONCE", 2)
    names = [f"m{number}" for number in range(6)]
    arrive(database, both(several("101", *names[:3]), several("102", *names[3:])))
    intake = WebhookProcessor(database, lambda: NOW, admission=LISTED_ONLY)
    for _ in range(steps):
        intake.step(1)
    store_events(database, (*LISTING, ChannelUpsert("102", NOW)))
    drain(database)
    assert wamids(database) == set(names)
    assert ignored(database) == Counter()


def test_a_long_body_is_counted_whole(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake_module, "EVENTS_AT_ONCE", 2)
    arrive(database, several("101", *(f"m{number}" for number in range(7))))
    assert drain(database) == (Counter(ignored=1), Counter({UNKNOWN_101: 7}))
    assert ignored(database) == {UNKNOWN_101: 7}


BODIES = (
    said("m1"),
    said("m2", sender=BRUNO),
    said("m3", "102"),
    both(said("m4"), said("m5", "102", BRUNO)),
    several("101", "m6", "m7", "m8"),
    body(value(statuses=[status("m9", 9, "read", recipient_id=ANA)])),
    body(value("102", statuses=[status("m9", 9, "sent", recipient_id=BRUNO)])),
)


@settings(max_examples=10, deadline=None)
@given(
    order=st.permutations([*range(len(BODIES)), "list", "drain", "drain"]),
    again=st.lists(st.sampled_from([*range(len(BODIES)), "list"]), max_size=3),
    placeholders=st.booleans(),
)
def test_when_a_number_is_listed_makes_no_difference(
    engine: Engine, order: list[Any], again: list[Any], placeholders: bool
) -> None:
    admission = Admission(create_channels=False, placeholders=placeholders)

    def inbox(steps: list[Any]) -> dict[str, list[str]]:
        with engine.fresh() as database:
            for step in steps:
                if step == "list":
                    store_events(database)
                elif step == "drain":
                    drain(database, admission)
                else:
                    arrive(database, BODIES[step])
            drain(database, admission)
            assert all(kind == UNKNOWN_102 for kind in ignored(database))
            return database.read(contents)

    assert inbox([*order, *again]) == inbox(["list", *range(len(BODIES))])


def test_without_placeholders_nothing_stands_for_a_message_and_its_delivery_waits(
    database: Database,
) -> None:
    arrive(database, body(value(statuses=[status("m9", 9, "read", recipient_id=ANA)])))
    drain(database, NO_PLACEHOLDERS)
    rows = "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM contact) AS n"
    assert database.read(lambda connection: connection.row(rows))["n"] == 0
    echo = text("m9", 5, **{"from": "15550783881", "to": ANA})
    arrive(database, body(value(message_echoes=[echo]), "smb_message_echoes"))
    drain(database, NO_PLACEHOLDERS)
    found = database.read(lambda connection: connection.row("SELECT * FROM message"))
    assert (found["delivery_status"], found["read_at"]) == ("read", (SECONDS + 9) * 1000)


@settings(max_examples=8, deadline=None)
@given(incoming=facts(), data=st.data())
def test_without_placeholders_too_any_order_makes_the_same_inbox(
    engine: Engine, incoming: list[list[DomainEvent]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(incoming))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=4)))
    bounds = [0, *cuts, len(shuffled)]

    def inbox(batches: list[list[list[DomainEvent]]]) -> dict[str, list[str]]:
        with engine.fresh() as database:
            for batch in batches:
                events = [event for facts in batch for event in facts]
                database.write(
                    lambda connection, events=events: apply_events(
                        connection, 1, events, now=NOW, placeholders=False
                    )
                )
            return database.read(contents)

    assert inbox([list(shuffled[start:end]) for start, end in pairwise(bounds)]) == inbox(
        [incoming]
    )
