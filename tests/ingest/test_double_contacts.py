"""Numbers that have two forms: whoever has one is one contact, with one conversation."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.event_helpers import CHANNEL, NOW, apply, inbound, only, outbound, rows
from tests.ingest.test_any_numbers import VIEWS, moved, said
from tests.ingest.test_webhook_any_bodies import inbox
from tests.ingest.webhooks import body, text, value
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.archive import sent_messages
from frontdesk.ingest.audit import differences
from frontdesk.ingest.double_contacts import merge_doubles
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    PROFILE_NAME,
    Author,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    NoteUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store import writes
from frontdesk.store.contacts import contact_by_phone, contact_page
from frontdesk.store.database import Connection, Database


class Line(NamedTuple):
    """A telephone line, by the forms in which its number is written."""

    one: str
    other: str


ARGENTINA = Line("+5491123456789", "+541123456789")
BRAZIL = Line("+5511987654321", "+551187654321")
MEXICO = Line("+5215512345678", "+525512345678")
LINES = (ARGENTINA, BRAZIL, MEXICO)
# As like one of the lines as numbers of others are.
STRANGERS = (
    "+5491123456780",
    "+541123456780",
    "+5491223456789",
    "+5511977654321",
    "+551177654321",
    "+5521987654321",
    "+525512345670",
    "+523312345678",
    "+16505551234",
)


def person(form: str) -> Person:
    """Who wrote from a number."""
    return Person(form, form.removeprefix("+"))


def addressed(form: str) -> Person:
    """Whom the business wrote to."""
    return Person.of_phone(form)


def wrote(second: int, form: str, **members: Any) -> DomainEvent:
    return said(second, person(form), **members)


def answered(second: int, form: str) -> DomainEvent:
    return said(second, addressed(form), outbound=True, author=Author("phone"), source="echo")


@st.composite
def fact(draw: st.DrawFn, second: int, forms: tuple[str, ...]) -> DomainEvent:
    """Something about one of the numbers."""
    form, at = draw(st.sampled_from(forms)), 1_780_000_000_000 + 1000 * second
    channel = draw(st.sampled_from(("101", "102")))
    facts: tuple[DomainEvent, ...] = (
        wrote(second, form, channel=channel),
        wrote(second, form, live=False, source="history"),
        answered(second, form),
        StatusUpdate(channel, addressed(form), f"s{second}", at, "delivered"),
        ContactUpsert(person(form), at, f"p{second}", PROFILE_NAME, f"p{second}"),
        ContactUpsert(addressed(form), at, f"b{second}", ADDRESS_BOOK_NAME),
        NoteUpsert(channel, addressed(form), f"n{second}", at, "A note", Author("user", "ana")),
        ConversationEvent(channel, person(form), f"e{second}", at, "resolved"),
    )
    return draw(st.sampled_from(facts))


@st.composite
def facts(draw: st.DrawFn, *forms: str, least: int = 2) -> list[DomainEvent]:
    seconds = draw(st.lists(st.integers(1, 40), unique=True, min_size=least, max_size=10))
    return [draw(fact(second, forms)) for second in sorted(seconds)]


def batches(data: st.DataObject, events: list[DomainEvent]) -> list[list[list[DomainEvent]]]:
    """Events in any order, with repetitions, cut into transactions."""
    again = data.draw(st.lists(st.sampled_from(events), max_size=3))
    shuffled = data.draw(st.permutations(events + again))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=6)))
    bounds = [0, *cuts, len(shuffled)]
    return [[list(shuffled[start:end])] for start, end in pairwise(bounds)]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("turned", [False, True])
def test_whoever_writes_in_one_form_and_is_answered_in_the_other_is_one(
    database: Database, line: Line, turned: bool
) -> None:
    forms = line[::-1] if turned else line
    apply(database, inbound(NOW - 9000, person=person(forms[0])))
    apply(database, outbound(NOW - 8000, person=addressed(forms[1])))
    contact = only(database, "contact")
    assert (contact["phone"], contact["wa_id"]) == (forms[0], forms[0].removeprefix("+"))
    assert only(database, "conversation")["waiting_since"] is None
    for form in line:
        found = database.read(lambda c, form=form: contact_by_phone(c, 1, form))
        assert found is not None
        words = form.removeprefix("+")
        page = database.read(lambda c, words=words: contact_page(c, 1, [words], None, 5))
        assert [row["id"] for row in page] == [contact["id"]]


@pytest.mark.parametrize("line", LINES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_both_forms_in_any_order_make_one_contact_with_one_conversation_a_channel(
    engine: Engine, line: Line, data: st.DataObject
) -> None:
    events = data.draw(facts(*line))
    expected = inbox(engine, [[events]], VIEWS)
    assert len(expected["contacts"]) == 1
    assert len(expected["conversations"]) <= 2
    assert inbox(engine, batches(data, events), VIEWS) == expected


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_both_forms_of_changed_numbers_make_the_same_people_in_any_order(
    engine: Engine, data: st.DataObject
) -> None:
    forms = (*ARGENTINA, *MEXICO, STRANGERS[-1])
    events = data.draw(facts(*forms))
    seconds = data.draw(st.lists(st.integers(41, 60), unique=True, min_size=1, max_size=3))
    for second in seconds:
        old, new = data.draw(st.permutations(forms))[:2]
        events.append(moved(second, addressed(old), addressed(new)))
    assert inbox(engine, batches(data, events), VIEWS) == inbox(engine, [[events]], VIEWS)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_two_different_people_are_never_merged(engine: Engine, data: st.DataObject) -> None:
    forms = (*ARGENTINA, *BRAZIL, *MEXICO, *STRANGERS)
    events = data.draw(facts(*forms, least=5))
    lines = [*map(set, LINES), *({stranger} for stranger in STRANGERS[2:])]
    # The mobile 9 of Argentina.
    lines.append(set(STRANGERS[:2]))
    with engine.fresh() as database:
        for batch in batches(data, events):
            apply(database, *batch[0])
        owners: dict[str, set[int]] = {}
        for form in forms:
            found = database.read(lambda c, form=form: contact_by_phone(c, 1, form))
            if found is not None:
                owners.setdefault(found["phone"], set()).add(found["id"])
        named = {event.person.phone for event in events if hasattr(event, "person")}
        assert len(rows(database, "SELECT id FROM contact")) == sum(
            not named.isdisjoint(line) for line in lines
        )
        assert all(len(ids) == 1 for ids in owners.values())


def stored_apart(database: Database, events: Iterable[DomainEvent], line: Line) -> None:
    """Apply events as a program would that knows no forms: a contact for each of them."""
    strangers = dict(zip(line, ("+34600000001", "+34600000002"), strict=True))
    forms = {stranger: form for form, stranger in strangers.items()}

    def rewrite(connection: Connection) -> None:
        apply_events(connection, 1, [*map(disguised, events)], now=NOW)
        for row in connection.rows("SELECT * FROM contact"):
            form = forms[row["phone"]]
            digits = row["wa_id"] and form.removeprefix("+")
            contact: Any = {**row, "phone": form, "wa_id": digits}
            writes.save_contacts(connection, 1, [contact])

    def disguised(event: Any) -> DomainEvent:
        stranger = strangers[event.person.phone]
        number = event.person.wa_id and stranger.removeprefix("+")
        event = replace(event, person=Person(stranger, number))
        return event

    database.write(rewrite)


def contents(database: Database) -> dict[str, list[str]]:
    def read(connection: Connection) -> dict[str, list[str]]:
        assert [*differences(connection, 1)] == []
        return {
            name: sorted(repr(without_ids(row)) for row in connection.rows(sql))
            for name, sql in VIEWS.items()
        }

    return database.read(read)


def without_ids(row: Any) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "last_message_json"}


@pytest.mark.both_engines
@pytest.mark.parametrize("line", LINES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_contacts_that_are_two_already_become_what_they_would_have_been(
    engine: Engine, line: Line, data: st.DataObject
) -> None:
    events = data.draw(facts(*line))
    with engine.fresh() as database:
        apply(database, *events, now=NOW)
        expected = contents(database)
    with engine.fresh() as database:
        stored_apart(database, events, line)
        before = len(rows(database, "SELECT id FROM contact"))
        assert merge_doubles(database, now=NOW) == before - 1
        assert contents(database) == expected
        assert merge_doubles(database, now=NOW) == 0


def test_contacts_that_are_two_become_one_with_what_comes_next(database: Database) -> None:
    stored_apart(database, [wrote(1, MEXICO.one), answered(2, MEXICO.other)], MEXICO)
    assert len(rows(database, "SELECT id FROM contact")) == 2
    apply(database, wrote(3, MEXICO.one))
    assert only(database, "contact")["phone"] == MEXICO.one
    assert only(database, "conversation")["waiting_since"] is not None
    assert len(rows(database, "SELECT id FROM message")) == 3


def test_a_former_number_in_its_other_form_leads_to_its_owner(database: Database) -> None:
    later, earlier = "+34600000001", MEXICO.one
    for at, phone in ((9000, earlier), (8000, later)):
        named = replace(person(phone), wa_user_id="MX.1")
        apply(database, inbound(NOW - at, person=named))
    apply(database, outbound(NOW - 7000, person=addressed(MEXICO.other)))
    assert only(database, "contact")["phone"] == later
    assert only(database, "conversation")
    found = database.read(lambda c: contact_by_phone(c, 1, earlier))
    assert found is not None


def test_nothing_of_a_person_stays_who_is_erased_by_the_other_form(database: Database) -> None:
    apply(database, inbound(NOW - 9000, person=person(BRAZIL.one)))
    apply(database, outbound(NOW - 8000, person=addressed(BRAZIL.other)))
    erase(database, 1, BRAZIL.other, lambda more: None)
    for table in ("contact", "contact_alias", "conversation", "message"):
        assert rows(database, f"SELECT * FROM {table}") == []


def echo(to: str) -> dict[str, Any]:
    payload = text("e1", 20, **{"to": to, "from": "1"})
    return body(value(message_echoes=[payload]), "smb_message_echoes")


def test_only_whatsapp_says_what_the_id_of_a_number_with_two_forms_is() -> None:
    events = normalise(echo("541123456789"), live=True).events
    assert [event.person for event in events if hasattr(event, "person")] == [
        Person("+541123456789")
    ]
    events = normalise(echo("34600000001"), live=True).events
    assert [event.person.wa_id for event in events if hasattr(event, "person")] == ["34600000001"]
    record = {
        "at": "2026-08-29T10:00:00Z",
        "phone_number_id": CHANNEL,
        "request": {"to": "525512345678", "type": "text", "text": {"body": "Hola"}},
        "response": {"contacts": [{"wa_id": "5215512345678"}], "messages": [{"id": "m1"}]},
    }
    (message,) = sent_messages.convert(record, None)
    assert getattr(message, "person", None) == Person("+525512345678", "5215512345678")
