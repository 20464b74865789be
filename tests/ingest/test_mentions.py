"""Whether an account knows of a number: by a contact, or by a body that mentions it."""

import json

import pytest
from tests.ingest import webhooks

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.erase import erase, is_mentioned
from frontdesk.ingest.events import PROFILE_NAME, ContactUpsert, Person
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store import raw_events
from frontdesk.store.database import Database
from frontdesk.store.raw_events import ReceivedBody

ANA, BOB, NOBODY = "16505551234", "16505555678", "16505559999"


def of(number: str) -> dict[str, object]:
    return webhooks.body(
        webhooks.value(messages=[{**webhooks.text("w1", 1), "from": number}]),
    )


@pytest.mark.parametrize(
    ("number", "is_known"),
    [
        (ANA, True),
        # Only a body that is stored has this one.
        (BOB, True),
        (NOBODY, False),
        # The channel's own.
        (webhooks.NUMBERS["101"], False),
    ],
)
def test_a_number_is_known_by_a_contact_or_by_a_stored_body(
    database: Database, number: str, is_known: bool
) -> None:
    events = normalise(of(ANA), live=True).events
    database.write(lambda connection: apply_events(connection, 1, events, now=1))
    for at, other in enumerate(("1", BOB, "2")):
        stored = ReceivedBody(1, json.dumps(of(other)).encode(), at)
        database.write(lambda connection, stored=stored: raw_events.keep(connection, stored))
    assert is_mentioned(database, 1, f"+{number}") is is_known
    assert not is_mentioned(database, 2, f"+{number}")


def test_whoever_is_erased_is_erased_from_bodies_that_have_only_another_id(
    database: Database,
) -> None:
    person = Person(f"+{ANA}", ANA, "US.13491")
    database.write(
        lambda c: apply_events(c, 1, [ContactUpsert(person, 1, "Ana", PROFILE_NAME)], now=1)
    )
    hidden = {**webhooks.text("w1", 1), "from_user_id": "US.13491"}
    bodies = [webhooks.body(webhooks.value(messages=[hidden])), of(BOB)]
    for at, each in enumerate(bodies):
        stored = ReceivedBody(1, json.dumps(each).encode(), at)
        database.write(lambda connection, stored=stored: raw_events.keep(connection, stored))
    steps: list[int] = []
    result = erase(database, 1, f"+{ANA}", steps.append)
    assert (result.rows["contact"], sum(steps)) == (1, 2)
    left = database.read(lambda c: raw_events.waiting(c, 1, 9, 1_000_000))
    assert [json.loads(bytes(row["body"])) for row in left] == bodies[1:]
    assert not is_mentioned(database, 1, f"+{ANA}")
