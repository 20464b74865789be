"""Changed numbers: events in any order give the same contacts and conversations."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.test_any_order import HAPPENINGS
from tests.ingest.test_webhook_any_bodies import MORE_VIEWS, inbox
from tests.stores import Engine

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    PROFILE_NAME,
    Author,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    MessageUpsert,
    NoteUpsert,
    Person,
    StatusUpdate,
)

START = 1_780_000_000_000
CHANNELS = ("101", "102")
NUMBERS = tuple(Person(f"+3460000000{last}", f"3460000000{last}") for last in range(4))
# One hides the number, others show one and the id; so they are one person.
HIDDEN, SHOWN = Person(wa_user_id="US.1"), Person(NUMBERS[0].phone, NUMBERS[0].wa_id, "US.1")
SHOWN_LATER = Person(NUMBERS[3].phone, NUMBERS[3].wa_id, "US.1")
PEOPLE = (*NUMBERS, *NUMBERS[:3], HIDDEN, SHOWN, SHOWN_LATER)


def moment(second: int) -> int:
    return START + 1000 * second


def said(second: int, person: Person, **members: Any) -> MessageUpsert:
    batch: dict[str, Any] = {
        "channel": CHANNELS[0],
        "wamid": f"m{second}",
        "outbound": False,
        "author": Author("contact"),
        "type": "text",
        "source": "webhook",
        "text": f"said at {second}",
    }
    return MessageUpsert(at=moment(second), person=person, **(batch | members))


def moved(second: int, old: Person, new: Person) -> IdentityChange:
    return IdentityChange(old, new, moment(second))


@st.composite
def talk(draw: st.DrawFn, second: int) -> DomainEvent:
    """Something said, by whichever side and whichever door."""
    more: dict[str, Any] = draw(
        st.sampled_from(
            (
                {},
                {},
                {"outbound": True, "author": Author("phone"), "source": "echo"},
                {"live": False, "source": "history"},
                {"wamid": None, "source": "chat_export"},
            )
        )
    )
    person, channel = draw(st.sampled_from(PEOPLE)), draw(st.sampled_from(CHANNELS))
    return said(second, person, channel=channel, **more)


@st.composite
def asides(draw: st.DrawFn, second: int) -> DomainEvent:
    """Further events about a person."""
    person, channel = draw(st.sampled_from(PEOPLE)), draw(st.sampled_from(CHANNELS))
    name, value = draw(st.sampled_from(HAPPENINGS))
    at, word = moment(second), f"p{second}"
    batch: list[DomainEvent] = [
        StatusUpdate(channel, person, f"s{second}", at, "delivered"),
        ContactUpsert(person, at, word, PROFILE_NAME, word, username=word),
        ContactUpsert(person, at, f"B{second}", ADDRESS_BOOK_NAME),
        ContactRemove(person, at),
        NoteUpsert(channel, person, f"n{second}", at, "A note", Author("user", "ana")),
        ConversationEvent(channel, person, f"e{second}", at, name, value),
    ]
    return draw(st.sampled_from(batch))


@st.composite
def moves(draw: st.DrawFn, second: int) -> DomainEvent:
    old, new = draw(st.permutations((*NUMBERS, *NUMBERS[:2], HIDDEN)).map(lambda some: some[:2]))
    return moved(second, old, new)


@st.composite
def facts(draw: st.DrawFn) -> list[DomainEvent]:
    """Events of all kinds, each with its own time."""
    seconds = draw(st.lists(st.integers(1, 40), unique=True, min_size=2, max_size=12))
    kinds = (talk, asides, moves)
    return [draw(draw(st.sampled_from(kinds))(second)) for second in sorted(seconds)]


VIEWS = MORE_VIEWS | {
    "notes": """
        SELECT note.external_id, contact.phone, contact.wa_user_id, phone_number_id FROM note
        JOIN (SELECT id, contact_id, channel_id FROM conversation) c ON c.id = conversation_id
        JOIN contact ON contact.id = contact_id JOIN channel ON channel.id = channel_id
        """,
    "happenings": """
        SELECT external_id, phone, wa_user_id FROM conversation_event happening
        JOIN conversation ON conversation.id = conversation_id
        JOIN contact ON contact.id = contact_id
        """,
    "activity": "SELECT phone, wa_user_id, last_activity_at FROM contact",
    "changes": "SELECT old, new, at FROM identity_change",
}


ANA, TAKEN, BRUNO, LATER = NUMBERS
# News, then older messages; two who take one number; one who goes on, and one who goes back.
HARD: tuple[tuple[DomainEvent, ...], ...] = (
    (moved(10, ANA, TAKEN), said(9, TAKEN)),
    (moved(10, ANA, TAKEN), said(11, TAKEN), said(2, ANA), said(9, TAKEN), said(12, ANA)),
    (moved(10, ANA, TAKEN), said(11, HIDDEN), said(12, TAKEN), said(9, TAKEN), said(1, SHOWN)),
    (moved(20, BRUNO, TAKEN), said(1, BRUNO), said(2, ANA), moved(10, ANA, TAKEN)),
    (said(25, TAKEN), moved(20, BRUNO, TAKEN), moved(10, ANA, TAKEN), said(1, BRUNO)),
    (moved(30, TAKEN, LATER), moved(20, ANA, TAKEN), said(31, LATER), said(19, TAKEN)),
    (moved(30, TAKEN, ANA), moved(20, ANA, TAKEN), said(31, ANA), said(29, TAKEN), said(19, ANA)),
    (
        *(said(9, HIDDEN), said(33, LATER), moved(3, LATER, ANA)),
        *(ContactUpsert(SHOWN, moment(37)), said(2, ANA)),
    ),
    (said(40, TAKEN, channel="102"), moved(27, ANA, LATER), moved(25, TAKEN, LATER)),
)


@pytest.mark.parametrize("batch", HARD)
def test_whatever_comes_first_the_people_are_the_same(
    engine: Engine, batch: tuple[DomainEvent, ...]
) -> None:
    one_by_one = [[[event]] for event in batch]
    expected = inbox(engine, [[list(batch)]], VIEWS)
    assert inbox(engine, one_by_one, VIEWS) == expected
    assert inbox(engine, one_by_one[::-1], VIEWS) == expected


@settings(max_examples=20, deadline=None)
@given(batch=facts(), data=st.data())
def test_any_order_any_repetition_and_any_batches_make_the_same_people(
    engine: Engine, batch: list[DomainEvent], data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(batch), max_size=3))
    shuffled = data.draw(st.permutations(batch + again))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=8)))
    bounds = [0, *cuts, len(shuffled)]
    batches = [[list(shuffled[start:end])] for start, end in pairwise(bounds)]
    assert inbox(engine, batches, VIEWS) == inbox(engine, [[batch]], VIEWS)
