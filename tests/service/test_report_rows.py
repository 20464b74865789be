"""A row for each conversation: the sums of all rows are the figures of the report."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service import test_report_sums as sums
from tests.service.report_events import DAY, NOON, report
from tests.service.test_report_ads import arrivals
from tests.service.test_report_parts import (
    asked_of_any_facts,
    day,
)
from tests.stores import Engine

from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.database import Connection, Database
from frontdesk.wire import Page
from frontdesk.wire.reports import ConversationReport, Metrics

__all__ = ["arrivals", "day"]

PATH = "/v1/reports/conversations"
ENDPOINT = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "conversation_reports")


def walked(connection: Connection, query: dict[str, str]) -> list[ConversationReport]:
    """All rows, in pages of two."""
    found: list[ConversationReport] = []
    cursor: dict[str, str] = {}
    while True:
        text = urlencode({**query, **cursor, "limit": "2"}).encode()
        parameters = Parameters(text, ENDPOINT.parameters)
        grant = KeyGrant("", 1, frozenset(SCOPES))
        request = EndpointRequest(connection, grant, ENDPOINT, "", parameters, sums.NOW)
        page = ENDPOINT.handler(request)
        assert isinstance(page, Page)
        found += page.data
        if page.next_cursor is None:
            return found
        cursor = {"cursor": page.next_cursor}


def metrics_of(rows: list[ConversationReport]) -> Metrics:
    """The figures that rows add up to."""

    def mean(seconds: str, count: str) -> float | None:
        total = sum(round(1000 * (getattr(row, seconds) or 0)) for row in rows)
        number = sum(getattr(row, count) for row in rows)
        return round(total / number / 1000, 1) if number else None

    return Metrics(
        conversations_count=sum(row.began for row in rows),
        reopened_count=sum(row.reopened_count for row in rows),
        incoming_messages_count=sum(row.incoming_messages_count for row in rows),
        outgoing_messages_count=sum(row.outgoing_messages_count for row in rows),
        resolutions_count=sum(row.resolutions_count for row in rows),
        avg_first_response_time=mean("first_response_seconds", "first_responses_count"),
        avg_resolution_time=mean("resolution_seconds", "timed_resolutions_count"),
        avg_reply_time=mean("reply_seconds", "replies_count"),
        bot_handoffs_count=sum(row.handed_to_human for row in rows),
        bot_resolutions_count=sum(row.bot_resolutions_count for row in rows),
        samples={
            "avg_first_response_time": sum(row.first_responses_count for row in rows),
            "avg_resolution_time": sum(row.timed_resolutions_count for row in rows),
            "avg_reply_time": sum(row.replies_count for row in rows),
        },
    )


def check(connection: Connection, query: dict[str, str]) -> None:
    whole = sums.asked(connection, {**query, "target_first_response": "3600"})
    period = {"from": whole.period.from_, "to": whole.period.to}
    shared = {name: query[name] for name in ("channel", "label") if name in query}
    rows = walked(connection, {**period, **shared, "target_first_response": "3600"})
    assert [row.id for row in rows] == sorted((row.id for row in rows), key=int)
    assert metrics_of(rows) == Metrics(**whole.metrics.model_dump(exclude={"spread", "targets"}))
    authors: Counter[str] = Counter()
    for row in rows:
        authors.update(row.outgoing_by_author)
    assert authors == whole.outgoing_by_author
    in_time = whole.metrics.targets["first_response"]
    assert sum(row.first_responses_in_time or 0 for row in rows) == in_time.within
    assert sum(row.first_responses_count for row in rows) == in_time.samples


@pytest.mark.both_engines
@settings(max_examples=15)
@given(data=st.data())
def test_rows_of_any_period_add_up_to_the_report(engine: Engine, data: Any) -> None:
    for database, query in asked_of_any_facts(engine, data):
        query.pop("channel", None)
        for narrowed in (query, {**query, "label": "vip"}):
            database.read(lambda connection, query=narrowed: check(connection, query))


@pytest.mark.usefixtures("day")
async def test_a_row_says_whose_it_is_what_happened_and_who_wrote(
    client: httpx.AsyncClient,
) -> None:
    response = await client.get(PATH, params={"from": "2026-03-10", "to": "2026-03-11"})
    first, second = response.json()["data"]
    assert first["contact"]["phone"] == "+16505551234"
    assert first["labels"] == ["vip"]
    assert first["began"]
    assert (first["first_responses_count"], first["first_response_seconds"]) == (1, 300.0)
    assert (first["replies_count"], first["reply_seconds"]) == (1, 1800.0)
    assert (first["resolutions_count"], first["resolution_seconds"]) == (1, 3600.0)
    assert [(each["user"]["name"], each["count"]) for each in first["agents"]] == [
        ("Bo", 2),
        ("Ana", 1),
    ]
    assert second["outgoing_by_author"] == {"phone": 1}
    assert second["agents"] == []
    assert "first_responses_in_time" not in second


@pytest.mark.usefixtures("day")
async def test_without_the_scope_for_contacts_there_is_nothing_of_the_customer(
    clients: Any,
) -> None:
    client = await clients.client(("reports:read",))
    row = (await client.get(PATH)).json()["data"][0]
    assert not {"contact", "custom_fields"} & row.keys()


@pytest.mark.usefixtures("arrivals")
async def test_a_row_has_the_last_ad_of_the_period(client: httpx.AsyncClient) -> None:
    rows = (await client.get(PATH)).json()["data"]
    ids = [row["ad"]["id"] if row["ad"] else "" for row in rows]
    assert sorted(ids) == ["", "120210", "120210", "77"]


@pytest.mark.usefixtures("day")
async def test_a_cursor_belongs_to_its_period(client: httpx.AsyncClient) -> None:
    period = {"from": "2026-03-10", "to": "2026-03-11", "limit": "1"}
    cursor = (await client.get(PATH, params=period)).json()["next_cursor"]
    other = {**period, "to": "2026-03-12", "cursor": cursor}
    assert (await client.get(PATH, params=other)).json()["code"] == "cursor_mismatch"
    own = (await client.get(PATH, params={**period, "cursor": cursor})).json()
    assert len(own["data"]) == 1


@pytest.mark.usefixtures("day")
async def test_three_sums_of_rows_are_what_statements_count(
    client: httpx.AsyncClient, database: Database
) -> None:
    rows = (await client.get(PATH)).json()["data"]
    within = {"start": NOON - 4 * DAY, "end": NOON + 4 * DAY}

    def number(sql: str) -> int:
        row = database.read(lambda connection: connection.row(sql, within))
        assert row is not None
        return int(row["n"])

    period = "created_at >= :start AND created_at < :end"
    assert sum(row["incoming_messages_count"] for row in rows) == number(
        f"SELECT COUNT(*) AS n FROM message WHERE direction = 0 AND {period}"
    )
    for name, member in (("reply", "reply_seconds"), ("resolved", "resolution_seconds")):
        assert sum(1000 * (row[member] or 0) for row in rows) == number(
            f"SELECT SUM(ended_at - started_at) AS n FROM metric_event WHERE name = '{name}'"
        )
    assert (await report(client))["metrics"]["conversations_count"] == len(rows)
