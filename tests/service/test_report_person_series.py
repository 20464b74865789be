"""Figures of persons in each part of a period, against reports of these parts alone."""

from typing import Any

import httpx
import pytest
from tests.service.report_events import REPORT
from tests.service.test_report_bodies import body, fill
from tests.stores import Engine

from frontdesk.store.database import Connection
from frontdesk.wire.reports import Report

pytestmark = pytest.mark.both_engines

DAYS = {"from": "2026-03-06", "to": "2026-03-12", "granularity": "day"}
ZONES = ("UTC", "Asia/Kathmandu")


def report(connection: Connection, **query: str) -> Report:
    return Report.model_validate_json(body(connection, query))


def figures(row: Any) -> dict[str, Any]:
    members: dict[str, Any] = row.model_dump(exclude={"reopened_in_7_days_count"})
    return members


@pytest.mark.parametrize("more", [{}, {"clock": "business"}, {"user": "1"}, {"team": "1"}], ids=str)
def test_a_day_of_a_person_is_as_in_a_report_of_that_day(
    engine: Engine, more: dict[str, str]
) -> None:
    with engine.fresh() as database:
        database.write(fill)
        parts = "users" if {"user", "team"} & {*more} else "users,teams"
        for zone in ZONES:
            place = {**more, "timezone": zone}
            whole = database.read(
                lambda connection, place=place: report(
                    connection, **DAYS, **place, include=f"{parts},person_series"
                )
            )
            assert whole.everyone
            assert whole.everyone.series
            assert whole.series
            assert len(whole.everyone.series) == 6
            for at, part in enumerate(whole.series):
                when = {"from": part.start, "to": part.end}
                alone = database.read(
                    lambda connection, place=place, when=when: report(
                        connection, **when, **place, include=parts
                    )
                )
                assert alone.everyone
                rows = [(whole.everyone, alone.everyone)]
                for name in parts.split(","):
                    ours = {getattr(row, name[:-1]): row for row in getattr(whole, name)}
                    theirs = {getattr(row, name[:-1]): row for row in getattr(alone, name)}
                    assert {*theirs} <= {*ours}
                    rows += [(ours[key], theirs[key]) for key in theirs]
                for row, other in rows:
                    assert row.series[at].start == part.start
                    assert figures(row.series[at].metrics) == figures(other.current)


def test_messages_sent_of_the_days_add_up_to_those_of_the_period(engine: Engine) -> None:
    with engine.fresh() as database:
        database.write(fill)
        whole = database.read(
            lambda connection: report(connection, **DAYS, include="users,person_series")
        )
    assert whole.users
    assert any(row.current.outgoing_messages_count for row in whole.users)
    for row in whole.users:
        days = [day.metrics for day in row.series or ()]
        for field in ("outgoing_messages_count", "resolutions_count"):
            assert sum(getattr(day, field) for day in days) == getattr(row.current, field)


def test_without_a_granularity_there_is_no_series(engine: Engine) -> None:
    with engine.fresh() as database:
        database.write(fill)
        answer = database.read(
            lambda connection: body(connection, {"include": "users,person_series"})
        )
    assert '"series":[' not in answer


async def test_more_than_a_hundred_parts_by_person_are_refused(client: httpx.AsyncClient) -> None:
    query = {"from": "2025-12-01", "to": "2026-03-12", "granularity": "day"}
    assert (await client.get(REPORT, params=query)).status_code == 200
    more = {"include": "users,person_series"}
    answer = await client.get(REPORT, params={**query, **more})
    assert "the period has more than 100 parts of this length" in answer.text
