"""Bodies of `/v1/reports/inbox`, byte for byte as they are stored in report_bodies.json."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.service.report_events import BOB, CHANNEL, DAY, HOUR, MINUTE, NOON, OTHER, SHEENA
from tests.service.test_report_parts import ANA, BO, catalogue
from tests.stores import Engine

from frontdesk.business_hours import parse_hours
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.business_hours import set_hours
from frontdesk.store.database import Connection
from frontdesk.wire.reports import Report

STORED = Path(__file__).with_name("report_bodies.json")
ENDPOINT = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "inbox_report")
# 14 March 2026, 09:30 UTC.
NOW = NOON + 4 * DAY - 150 * MINUTE
PEOPLE = (SHEENA, BOB, *(Person(phone=f"+1650555400{number}") for number in range(7)))
HOURS = {
    "timezone": "Europe/Madrid",
    "monday": ["09:00-14:00", "16:00-19:00"],
    "wednesday": ["09:00-19:00"],
    "friday": ["08:00-12:00"],
    "holidays": ["2026-03-06"],
    "channels": {OTHER: {"timezone": "Asia/Kathmandu", "sunday": ["00:00-24:00"]}},
}
REQUESTS = {
    "default": {},
    "days until now": {"granularity": "day"},
    "persons": {"from": "2026-03-01", "to": "2026-03-12", "include": "users,teams,spread"},
    "labels and ads": {"from": "2026-02-20", "include": "labels,ads", "compare": "month"},
    "hours of a zone": {
        **{"from": "2026-03-10", "to": "2026-03-12", "include": "hours"},
        **{"granularity": "hour", "timezone": "Asia/Kathmandu"},
    },
    "targets": {
        **{"include": "users,waits", "target_first_response": "900", "target_reply": "3600"},
    },
    "business hours": {
        **{"clock": "business", "granularity": "week", "include": "users,labels,spread,hours"},
        **{"from": "2026-03-02T00:07:01Z", "to": "2026-03-13T13:00:09Z", "target_reply": "600"},
    },
    "a user": {"user": "1", "include": "users,spread", "granularity": "day"},
    "a label": {"label": "vip", "include": "hours,spread,waits", "granularity": "month"},
    "a team at odd moments": {
        **{"team": "1", "include": "users", "from": "2026-03-03T10:11:12.345Z"},
        "to": "2026-03-11T01:02:03.004Z",
    },
    "a channel and the year before": {
        **{"channel": CHANNEL, "compare": "year", "granularity": "month"},
        **{"from": "2026-01-01", "to": "2026-03-01"},
    },
}


def events() -> Iterator[DomainEvent]:
    """Some weeks of an inbox with all that a report counts, the same in each run."""
    chance = random.Random(31)
    for number in range(450):
        at = NOW - chance.randrange(30 * DAY // MINUTE) * MINUTE - chance.randrange(3) * 1_001
        channel, person = chance.choice((CHANNEL, OTHER)), chance.choice(PEOPLE)
        kind = chance.choice(("in", "in", "in", "out", "out", "out", "event", "event"))
        if kind == "event":
            name = chance.choice(("resolved", "resolved", "opened", "bot_handoff", "assigned"))
            value = {"user": chance.choice((ANA, BO))} if name == "assigned" else {}
            yield ConversationEvent(channel, person, f"{name}-{number}", at, name, value)
            continue
        author, user = ("contact", None)
        if kind == "out":
            author = chance.choice(("user", "user", "phone", "ai_agent", "campaign", "kiosk"))
            user = chance.choice((ANA, BO)) if author == "user" else None
        ad = {"source_type": "ad", "source_id": str(chance.choice((77, 8080)))}
        yield MessageUpsert(
            channel=channel,
            person=person,
            wamid=f"w-{number}",
            at=at,
            outbound=kind == "out",
            author=Author(author, user),
            type=chance.choice(("text", "text", "text", "image", "reaction")),
            source="webhook",
            referral=ad if kind == "in" and chance.random() < 0.1 else None,
        )
        if kind == "out" and chance.random() < 0.4:
            category = chance.choice(("marketing", "service", None))
            priced = {"category": category, "billable": chance.random() < 0.5}
            yield StatusUpdate(channel, person, f"w-{number}", at + 1_000, "sent", **priced)
    for person, title in zip(PEOPLE, ("vip", "vip", "billing"), strict=False):
        at = NOW - HOUR
        value = {"title": title, "on": True}
        yield ConversationEvent(CHANNEL, person, f"label-{person.phone}", at, "labelled", value)


def fill(connection: Connection) -> None:
    apply_events(connection, 1, catalogue(NOW - 40 * DAY, (CHANNEL, OTHER)), now=NOW)
    apply_events(connection, 1, [*events()], now=NOW)
    set_hours(connection, 1, parse_hours(HOURS))


def body(connection: Connection, query: dict[str, str]) -> str:
    parameters = Parameters(urlencode(query).encode(), ENDPOINT.parameters)
    grant = KeyGrant("", 1, frozenset(SCOPES))
    answer = ENDPOINT.handler(EndpointRequest(connection, grant, ENDPOINT, "", parameters, NOW))
    assert isinstance(answer, Report)
    return answer.model_dump_json(exclude_unset=True)


@pytest.mark.both_engines
def test_a_body_has_not_changed_by_a_byte(engine: Engine, pytestconfig: pytest.Config) -> None:
    with engine.fresh() as database:
        database.write(fill)
        bodies = {
            name: database.read(lambda connection, query=query: body(connection, query))
            for name, query in REQUESTS.items()
        }
    if pytestconfig.getoption("--update-documents"):
        lines = (f"{json.dumps(name)}: {text}" for name, text in bodies.items())
        STORED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
    stored = STORED.read_text("utf-8")
    for name, text in bodies.items():
        assert f"{json.dumps(name)}: {text}" in stored, name
