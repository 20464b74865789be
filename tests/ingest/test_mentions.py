"""Whether an account knows of a number: by a contact, or by a body that mentions it."""

import json

import pytest
from tests.ingest import webhooks

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.erase import is_mentioned
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
