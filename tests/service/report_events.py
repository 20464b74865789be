"""What happened in an inbox, minute by minute, and the report of it."""

from collections.abc import Callable
from typing import Any

import httpx

from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    MessageUpsert,
    Person,
)
from frontdesk.wire.reports import Report

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
# 10 March 2026, 12:00 UTC: four days before now, so in the period that is the default.
NOON = 1_773_144_000_000
CHANNEL, OTHER = "106540352242922", "106540352242923"
SHEENA, BOB = Person(phone="+16505551234"), Person(phone="+16505551235")
REPORT = "/v1/reports/inbox"

AddEvents = Callable[..., None]


def message(
    at: float, author: str, channel: str = CHANNEL, person: Person = SHEENA, **members: Any
) -> MessageUpsert:
    """A message so many minutes after noon."""
    moment = NOON + round(at * MINUTE)
    return MessageUpsert(
        channel=channel,
        person=person,
        wamid=f"{channel}-{person.phone}-{author}-{moment}",
        at=moment,
        outbound=author != "contact",
        author=Author(author),
        **{"type": "text", "source": "webhook", "text": "…", **members},
    )


def asks(at: float, **members: Any) -> MessageUpsert:
    return message(at, "contact", **members)


def answers(at: float, author: str = "phone", **members: Any) -> MessageUpsert:
    return message(at, author, **members)


def happens(at: float, name: str, person: Person = SHEENA, **value: Any) -> ConversationEvent:
    moment = NOON + round(at * MINUTE)
    key = f"{name}-{person.phone}-{moment}"
    return ConversationEvent(CHANNEL, person, key, moment, name, value)


async def report(client: httpx.AsyncClient, **query: str) -> dict[str, Any]:
    response = await client.get(REPORT, params=query)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    assert Report.model_validate(body).model_dump(mode="json", exclude_unset=True) == body
    return body
