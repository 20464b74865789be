"""Reports in business hours: a night in which clocks change by hand, and a plain recount."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service import test_report_sums as sums
from tests.service.report_events import (
    BOB,
    CHANNEL,
    NOON,
    OTHER,
    REPORT,
    answers,
    asks,
    happens,
    report,
)
from tests.service.test_report_parts import (
    ANA,
    BO,
    Plain,
    catalogue,
    facts,
    queries,
    stretched,
)
from tests.stores import Engine

from frontdesk.business_hours import BusinessClock, BusinessHours, parse_hours
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.service.calendar_buckets import moment_of
from frontdesk.store.business_hours import set_hours
from frontdesk.store.database import Connection, Database, Row
from frontdesk.wire import instant
from frontdesk.wire.reports import Metrics, Report, WaitAges

AddEvents = Callable[..., None]
HOUR = 60 * sums.MINUTE
# 8 March 2026, 05:00 UTC is midnight in New York; at 07:00 UTC, 02:00 is followed by 03:00.
NIGHT = 1_772_946_000_000
NEW_YORK = {"timezone": "America/New_York", "sunday": ["00:00-06:00"], "monday": ["09:00-17:00"]}
ROUND = {
    "timezone": "Europe/Madrid",
    **{
        day: ["08:00-13:00", "14:30-24:00"]
        for day in ("monday", "tuesday", "thursday", "saturday", "sunday")
    },
    "holidays": ["2026-04-06"],
    "channels": {
        "102": {"timezone": "Asia/Kathmandu", "monday": ["00:00-24:00"], "friday": ["06:15-07:00"]}
    },
}


def hours(database: Database, contents: dict[str, Any]) -> None:
    database.write(lambda connection: set_hours(connection, 1, parse_hours(contents)))


def minutes(text: str) -> float:
    """Minutes from noon, of which the events are, to a moment."""
    moment = instant(text)
    assert moment is not None
    return (moment_of(moment) - NOON) / sums.MINUTE


@pytest.fixture
def night(add_events: AddEvents, database: Database) -> None:
    """From Saturday evening to Monday in New York, where the night between has five hours."""
    hours(database, NEW_YORK)
    add_events(
        [
            # Asked on Saturday at 22:00, answered on Sunday at noon: the five hours of the night.
            asks(minutes("2026-03-08T03:00:00Z")),
            answers(minutes("2026-03-08T16:00:00Z")),
            # Asked at 01:30, answered at 03:30, an hour later.
            asks(minutes("2026-03-09T13:00:00Z")),
            happens(minutes("2026-03-09T14:00:00Z"), "resolved"),
            asks(minutes("2026-03-08T06:30:00Z"), channel=OTHER, person=BOB),
            answers(minutes("2026-03-08T07:30:00Z"), channel=OTHER, person=BOB),
            asks(minutes("2026-03-09T20:00:00Z"), channel=OTHER, person=BOB),
        ]
    )


@pytest.mark.both_engines
@pytest.mark.usefixtures("night")
async def test_a_night_in_which_clocks_go_forward_has_an_hour_less(
    client: httpx.AsyncClient,
) -> None:
    query = {"from": "2026-03-07", "to": "2026-03-10", "granularity": "day", "include": "spread"}
    body = await report(client, **query, clock="business")
    assert body["clock"] == "business"
    # Five hours, and one.
    assert body["metrics"]["avg_first_response_time"] == 3 * 3600
    assert body["metrics"]["spread"]["avg_first_response_time"]["p90"] == 5 * 3600
    by_channel = {row["channel"]["id"]: row["metrics"] for row in body["channels"]}
    assert by_channel[CHANNEL]["avg_first_response_time"] == 5 * 3600
    assert by_channel[OTHER]["avg_first_response_time"] == 3600
    # Five hours of the night, and on Monday the first hour, from nine on.
    assert body["metrics"]["avg_resolution_time"] == 6 * 3600
    daily = [part["metrics"]["avg_first_response_time"] for part in body["series"]]
    assert daily == [None, 3 * 3600, None]
    plain = await report(client, **query)
    assert "clock" not in plain
    assert plain["metrics"]["avg_first_response_time"] == 7 * 3600


@pytest.mark.usefixtures("night")
async def test_waits_of_now_are_in_business_hours_too(client: httpx.AsyncClient) -> None:
    # Bob waits since Monday at 16:00: an hour of business until now, on Saturday.
    query = {"include": "waits,users", "target_reply": "3599"}
    body = await report(client, **query, clock="business")
    assert body["live"]["waits"] == {"under_1h": 0, "under_4h": 1, "under_1d": 0, "over_1d": 0}
    assert body["live"]["over_reply"] == 1
    assert body["users"][-1]["now"]["over_reply"] == 1
    query["target_reply"] = "3600"
    body = await report(client, **query, clock="business")
    assert body["live"]["over_reply"] == 0
    assert (await report(client, include="waits"))["live"]["waits"]["over_1d"] == 1


@pytest.mark.usefixtures("night")
async def test_rows_of_conversations_have_both_times(client: httpx.AsyncClient) -> None:
    query = {"from": "2026-03-07", "to": "2026-03-10", "clock": "business"}
    query["target_first_response"] = "18000"
    rows = (await client.get("/v1/reports/conversations", params=query)).json()["data"]
    own = next(row for row in rows if row["channel"]["id"] == CHANNEL)
    assert own["first_response_seconds"] == 13 * 3600
    assert own["first_response_business_seconds"] == 5 * 3600
    assert own["first_responses_in_time"] == 1
    assert own["resolution_business_seconds"] == 6 * 3600
    del query["clock"]
    rows = (await client.get("/v1/reports/conversations", params=query)).json()["data"]
    assert "first_response_business_seconds" not in rows[0]


@pytest.mark.parametrize(
    ("contents", "query", "parameter", "reason"),
    [
        ({}, {"clock": "business"}, "clock", "unavailable"),
        (NEW_YORK, {"clock": "lunch"}, "clock", "not_allowed"),
        (NEW_YORK, {"clock": "business", "include": "ads"}, "include", "not_together"),
    ],
)
async def test_business_hours_that_cannot_be_are_refused_with_a_reason(
    client: httpx.AsyncClient,
    database: Database,
    is_problem: Callable[[httpx.Response, int, str], dict[str, Any]],
    contents: dict[str, Any],
    query: dict[str, str],
    parameter: str,
    reason: str,
) -> None:
    if contents:
        hours(database, contents)
    problem = is_problem(await client.get(REPORT, params=query), 400, "invalid_period")
    (fault,) = problem["errors"]
    assert (fault["parameter"], fault["reason"]) == (parameter, reason)


class Measured(Plain):
    """What is stored, with durations in business hours."""

    def __init__(self, connection: Connection, own: BusinessHours) -> None:
        super().__init__(connection)
        numbers = {id_: number for number, id_ in self.channels.items()}
        start, end = sums.START - 40 * sums.DAY, sums.NOW + 60 * sums.DAY
        self._clocks = {}
        for id_, number in numbers.items():
            calendar = own.of(number)
            assert calendar is not None
            self._clocks[id_] = BusinessClock(calendar, start, end)

    def between(self, row: Row, start: int, end: int) -> int:
        return self._clocks[row["channel_id"]].between(start, end)

    def timed(self, period: Any, channel: str | None) -> list[Row]:
        rows = self._within(self._measures, "ended_at", period.from_, period.to, channel)
        return [
            {**row, "length": self.between(row, row["started_at"], row["ended_at"])}
            for row in rows
            if row["started_at"] is not None
        ]


MEANS = {
    "avg_first_response_time": "first_response",
    "avg_reply_time": "reply",
    "avg_resolution_time": "resolved",
}


def check_means(figures: Any, rows: Iterable[Row]) -> None:
    lengths = defaultdict[str, list[int]](list)
    for row in rows:
        lengths[row["name"]].append(row["length"])
    for mean, name in MEANS.items():
        if mean in type(figures).model_fields:
            own = lengths[name]
            assert getattr(figures, mean) == (
                round(sum(own) / len(own) / 1000, 1) if own else None
            ), mean


def check_hours(report: Report, rows: Sequence[Row]) -> None:
    zone = ZoneInfo(report.period.timezone or "UTC")
    lengths = defaultdict[tuple[int, int], list[int]](list)
    for row in rows:
        if row["name"] == "first_response":
            local = datetime.fromtimestamp(row["ended_at"] / 1000, UTC).astimezone(zone)
            lengths[local.weekday(), local.hour].append(row["length"])
    assert report.hours is not None
    for weekday, day in enumerate(report.hours.avg_first_response_time):
        for hour, mean in enumerate(day):
            own = lengths[weekday, hour]
            assert mean == (round(sum(own) / len(own) / 1000, 1) if own else None)


def check(connection: Connection, query: dict[str, str]) -> None:
    plain = Measured(connection, parse_hours(ROUND))
    channel = query.get("channel")
    if channel not in {None, *plain.channels}:
        return
    parts = {"include": "users,teams,labels,hours,waits,spread", "target_reply": "7200"}
    report = sums.asked(connection, {**query, **parts, "clock": "business"})
    rows = plain.timed(report.period, channel)
    check_means(report.metrics, rows)
    check_means(report.previous, plain.timed(report.previous_period, channel))
    replies = [row["length"] for row in rows if row["name"] == "reply"]
    in_time = report.metrics.targets["reply"]
    assert in_time.samples == len(replies)
    assert in_time.within == sum(length <= 7_200_000 for length in replies)
    for each in report.channels:
        own = plain.channels[each.channel.id or ""]
        check_means(each.metrics, [row for row in rows if row["channel_id"] == own])
    for bucket in report.series or ():
        start, end = (sums.moment(text) for text in (bucket.start, bucket.end))
        check_means(bucket.metrics, [row for row in rows if start <= row["ended_at"] < end])
    check_persons(report, plain, rows)
    labelled = {row["conversation_id"] for row in plain.labelled}
    for label in report.labels or ():
        ours = labelled if label.label.name == "vip" else set[int]()
        check_means(label.current, [row for row in rows if row["conversation_id"] in ours])
    check_waits(report, plain, channel)
    check_hours(report, rows)
    calendar = sums.asked(connection, {**query, **parts})
    counts = [name for name in Metrics.model_fields if name.endswith("_count")]
    assert all(getattr(report.metrics, n) == getattr(calendar.metrics, n) for n in counts)


def check_persons(report: Report, plain: Measured, rows: Sequence[Row]) -> None:
    people = {"Ana": plain.users[ANA], "Bo": plain.users[BO], None: 0}
    for user in report.users or ():
        id_ = people[user.user.name if user.user else None]
        check_means(user.current, [row for row in rows if row["user_id"] == id_])
    for team in report.teams or ():
        is_day = team.team.name == "Day"
        members = {plain.users[ANA], plain.users[BO]} if is_day else {plain.users[BO]}
        numbers = ("101",) if is_day else ("101", "102")
        places = {plain.channels[number] for number in numbers if number in plain.channels}
        own = [row for row in rows if row["user_id"] in members and row["channel_id"] in places]
        check_means(team.current, own)


def check_waits(report: Report, plain: Measured, channel: str | None) -> None:
    numbers = {id_: number for number, id_ in plain.channels.items()}
    waits = [
        plain.between(row, row["waiting_since"], sums.NOW)
        for row in plain.open
        if row["waiting_since"] and channel in (None, numbers[row["channel_id"]])
    ]
    assert report.live is not None
    assert report.live.waits == WaitAges(
        under_1h=sum(wait < HOUR for wait in waits),
        under_4h=sum(HOUR <= wait < 4 * HOUR for wait in waits),
        under_1d=sum(4 * HOUR <= wait < 24 * HOUR for wait in waits),
        over_1d=sum(wait >= 24 * HOUR for wait in waits),
    )


@pytest.mark.both_engines
@settings(max_examples=15)
@given(data=st.data())
def test_any_report_in_business_hours_is_what_its_facts_add_up_to(
    engine: Engine, data: Any
) -> None:
    events = [
        *catalogue(sums.START, (sums.CHANNELS[0], sums.CHANNELS[1])),
        *data.draw(st.lists(facts(), min_size=10, max_size=40)),
    ]
    asking = data.draw(st.lists(queries(), min_size=1, max_size=2))
    with engine.fresh() as database:
        database.write(
            lambda connection: apply_events(connection, 1, events, now=stretched(sums.NOW))
        )
        hours(database, ROUND)
        assert database.read(lambda connection: [*differences(connection, 1)]) == []
        for query in asking:
            database.read(lambda connection, query=query: check(connection, query))
