"""Reports of one user, team or label: a day by hand, and a plain recount of every fact."""

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service import test_report_sums as sums
from tests.service.report_events import REPORT
from tests.service.test_report_parts import (
    ANA,
    BO,
    Plain,
    asked_of_any_facts,
    bare,
    day,
    included,
    person,
)
from tests.stores import Engine

from frontdesk.store import report_parts
from frontdesk.store.database import Connection, Row
from frontdesk.wire.reports import Metrics, Report

__all__ = ["day"]

NOT_BY_PERSONS = {
    "conversations_count": None,
    "reopened_count": None,
    "incoming_messages_count": None,
    "bot_handoffs_count": None,
    "bot_resolutions_count": None,
}


async def ids(client: httpx.AsyncClient, what: str) -> dict[str, str]:
    rows = (await client.get(f"/v1/{what}")).json()["data"]
    return {row["name"]: row["id"] for row in rows}


@pytest.mark.usefixtures("day")
async def test_a_report_of_a_user_is_what_that_user_did(client: httpx.AsyncClient) -> None:
    bo = (await ids(client, "users"))["Bo"]
    body = await included(client, user=bo, granularity="day", include="spread")
    assert body["user"] == {"id": bo, "name": "Bo"}
    spread = body["metrics"].pop("spread")
    assert body["metrics"] == {
        **NOT_BY_PERSONS,
        "outgoing_messages_count": 2,
        "resolutions_count": 1,
        "avg_first_response_time": None,
        "avg_reply_time": 1800.0,
        "avg_resolution_time": 3600.0,
        "answered_conversations_count": 1,
        "samples": {
            "avg_first_response_time": 0,
            "avg_reply_time": 1,
            "avg_resolution_time": 1,
        },
    }
    assert spread["avg_reply_time"]["p90"] == 1800.0
    assert body["outgoing_by_author"] == {"user": 2}
    daily = [part["metrics"]["outgoing_messages_count"] for part in body["series"]]
    assert daily == [0, 0, 2, 0, 0, 0, 0]
    assert [row["metrics"]["resolutions_count"] for row in body["channels"]] == [1, 0]
    assert body["live"]["open"] == 0


@pytest.mark.usefixtures("day")
async def test_a_report_of_a_label_is_of_the_conversations_that_carry_it(
    client: httpx.AsyncClient,
) -> None:
    body = await included(client, label="VIP", include="hours")
    whole = await included(client, channel=body["channels"][0]["channel"]["id"], include="hours")
    assert body["label"] == "vip"
    assert body["metrics"] == whole["metrics"]
    assert body["outgoing_by_author"] == whole["outgoing_by_author"]
    assert body["hours"] == whole["hours"]


@pytest.mark.usefixtures("day")
async def test_everyone_is_a_row_that_counts_a_conversation_once(client: httpx.AsyncClient) -> None:
    body = await included(client, include="users")
    assert body["everyone"]["current"] == {
        "outgoing_messages_count": 4,
        # Of three persons, two answered the same one.
        "answered_conversations_count": 2,
        "avg_first_response_time": body["metrics"]["avg_first_response_time"],
        "avg_reply_time": body["metrics"]["avg_reply_time"],
        "resolutions_count": body["metrics"]["resolutions_count"],
        "avg_resolution_time": body["metrics"]["avg_resolution_time"],
        "reopened_in_7_days_count": 0,
        "samples": body["metrics"]["samples"],
    }
    assert body["everyone"]["now"]["waiting"] == 1


@pytest.mark.parametrize(
    ("query", "parameter", "reason"),
    [
        ({"user": "77"}, "user", "unknown_value"),
        ({"user": "ana"}, "user", "unknown_value"),
        ({"team": "77"}, "team", "unknown_value"),
        ({"team": ""}, "team", "empty"),
        ({"label": "nothing"}, "label", "unknown_value"),
        ({"user": "1", "label": "vip"}, "label", "not_together"),
    ],
)
@pytest.mark.usefixtures("day")
async def test_a_filter_that_names_nothing_or_goes_with_none_is_refused(
    client: httpx.AsyncClient,
    is_problem: Callable[[httpx.Response, int, str], dict[str, Any]],
    query: dict[str, str],
    parameter: str,
    reason: str,
) -> None:
    problem = is_problem(await client.get(REPORT, params=query), 400, "invalid_filter")
    (fault,) = problem["errors"]
    assert (fault["parameter"], fault["reason"]) == (parameter, reason)


@pytest.mark.parametrize(
    ("filter", "parts"), [("user", "labels"), ("team", "hours"), ("label", "users")]
)
@pytest.mark.usefixtures("day")
async def test_a_part_that_a_filtered_report_has_not_is_refused(
    client: httpx.AsyncClient,
    is_problem: Callable[[httpx.Response, int, str], dict[str, Any]],
    filter: str,
    parts: str,
) -> None:
    value = "vip" if filter == "label" else "1"
    params = {filter: value, "include": f"spread,{parts}"}
    problem = is_problem(await client.get(REPORT, params=params), 400, "invalid_period")
    (fault,) = problem["errors"]
    assert (fault["parameter"], fault["reason"]) == ("include", "not_together")
    assert f"{parts} does not go with {filter}" in fault["detail"]


class Narrowed(Plain):
    """What is stored of some users on some channels, or of some conversations."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.prices = connection.rows("SELECT * FROM message WHERE priced_at IS NOT NULL")

    def measures(self, start: str, end: str, channel: str | None) -> list[Row]:
        """Metric events with `user`, which `check` recounts, 0 for nobody."""
        rows = self._within(self._measures, "ended_at", start, end, channel)
        return [{**row, "user": row["user_id"]} for row in rows]

    def within(self, rows: Sequence[Row], start: str, end: str, channel: str | None) -> list[Row]:
        return self._within(rows, "created_at", start, end, channel)

    def of_persons(self, rows: Sequence[Row], users: set[int], channels: set[int]) -> list[Row]:
        return [row for row in rows if row["user"] in users and row["channel_id"] in channels]


def check(connection: Connection, query: dict[str, str]) -> None:
    plain = Narrowed(connection)
    channel = query.get("channel")
    if channel not in {None, *plain.channels}:
        return
    every = set(plain.channels.values())
    day_team = {plain.channels[number] for number in ("101",) if number in plain.channels}
    people = {plain.users[ANA], plain.users[BO]}
    for filter, users, channels in (
        ({"user": str(plain.users[ANA])}, {plain.users[ANA]}, every),
        ({"user": str(plain.users[BO])}, {plain.users[BO]}, every),
        ({"team": str(team(connection, "Day"))}, people, day_team),
        ({"team": str(team(connection, "Night"))}, {plain.users[BO]}, every),
    ):
        report = sums.asked(connection, {**query, **filter, "include": "users,spread"})
        check_persons(report, plain, users, channels, channel)
    check_label(sums.asked(connection, {**query, "label": "vip"}), plain, channel)
    report = sums.asked(connection, {**query, "include": "users"})
    period = (report.period.from_, report.period.to)
    assert report.everyone is not None
    assert bare(report.everyone.current) == person(
        plain.measures(*period, channel), plain.written(*period, channel)
    )


def team(connection: Connection, name: str) -> int:
    row = connection.row("SELECT id FROM team WHERE name = :name", {"name": name})
    assert row is not None
    return int(row["id"])


def check_persons(
    report: Report, plain: Narrowed, users: set[int], channels: set[int], channel: str | None
) -> None:
    assert report.previous is not None
    assert report.previous_period is not None
    spans = [(report.period, report.metrics), (report.previous_period, report.previous)]
    for period, metrics in spans:
        measures = plain.measures(period.from_, period.to, channel)
        written = plain.written(period.from_, period.to, channel)
        own = plain.of_persons(measures, users, channels)
        said = plain.of_persons(written, users, channels)
        check_figures(metrics, own, said)
        for row in report.channels if period is report.period else ():
            place = {plain.channels[row.channel.id or ""]}
            check_figures(
                row.metrics,
                plain.of_persons(measures, users, channels & place),
                plain.of_persons(written, users, channels & place),
            )
        if period is report.period:
            assert report.outgoing_by_author == ({"user": len(said)} if said else {})
            priced = {row["id"] for row in plain.prices}
            counted = sum(row["id"] in priced for row in said)
            assert sum(row.count for row in report.pricing) == counted
            assert sum(row.current.outgoing_messages_count for row in report.users or ()) == len(
                said
            )
    series = [bucket.metrics.outgoing_messages_count for bucket in report.series or ()]
    assert sum(series) == report.metrics.outgoing_messages_count
    open_now = [row for row in plain.open if row["assignee_id"] in users]
    open_now = [row for row in open_now if row["channel_id"] in channels]
    open_now = [row for row in open_now if channel in (None, number(plain, row))]
    assert report.live is not None
    assert report.live.open == len(open_now)
    assert report.live.unattended == sum(
        row["first_reply_at"] is None or row["waiting_since"] is not None for row in open_now
    )


def number(plain: Plain, row: Row) -> str:
    return next(number for number, id_ in plain.channels.items() if id_ == row["channel_id"])


def check_figures(metrics: Metrics, measures: Sequence[Row], written: Sequence[Row]) -> None:
    expected = person(measures, written)
    for name in (
        *("outgoing_messages_count", "avg_first_response_time", "avg_reply_time"),
        "resolutions_count",
    ):
        assert getattr(metrics, name) == getattr(expected, name), name
    if "answered_conversations_count" in metrics.model_fields_set:
        assert metrics.answered_conversations_count == expected.answered_conversations_count
    assert {name: getattr(metrics, name) for name in NOT_BY_PERSONS} == NOT_BY_PERSONS


def check_label(report: Report, plain: Narrowed, channel: str | None) -> None:
    ours = {row["conversation_id"] for row in plain.labelled}

    def own(rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if row["conversation_id"] in ours]

    period = (report.period.from_, report.period.to)
    said = own(plain.said(*period, channel))
    measures = own(plain.measures(*period, channel))
    figures = report.metrics
    assert figures.incoming_messages_count == sum(not row["direction"] for row in said)
    assert figures.outgoing_messages_count == sum(row["direction"] for row in said)
    assert sum(report.outgoing_by_author.values()) == figures.outgoing_messages_count
    for field, name in (
        *(("resolutions_count", "resolved"), ("reopened_count", "episode_opened")),
        ("bot_resolutions_count", "bot_resolved"),
    ):
        assert getattr(figures, field) == sum(row["name"] == name for row in measures)
    handed = {row["conversation_id"] for row in measures if row["name"] == "bot_handoff"}
    assert figures.bot_handoffs_count == len(handed)
    assert figures.avg_first_response_time == person(measures, []).avg_first_response_time
    priced = own(plain.within(plain.prices, *period, channel))
    assert sum(row.count for row in report.pricing) == len(priced)
    assert sum(each.metrics.resolutions_count for each in report.channels) == (
        figures.resolutions_count
    )


@pytest.mark.both_engines
@settings(max_examples=15)
@given(data=st.data())
def test_any_filtered_report_is_what_its_facts_add_up_to(engine: Engine, data: Any) -> None:
    for database, query in asked_of_any_facts(engine, data):
        database.read(lambda connection, query=query: check(connection, query))


@pytest.mark.usefixtures("day")
async def test_percentiles_of_a_user_from_sums_are_near_the_exact_ones(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    bo = (await ids(client, "users"))["Bo"]
    monkeypatch.setattr(report_parts, "MOST_READ_OF_GROUP", 0)
    exact = (await included(client, user=bo, include="spread"))["metrics"]["spread"]
    assert not exact["avg_reply_time"]["approximate"]
    monkeypatch.setattr(report_parts, "MOST_READ_ONE_BY_ONE", 0)
    rough = (await included(client, user=bo, include="spread"))["metrics"]["spread"]
    assert rough["avg_reply_time"]["approximate"]
    assert rough["avg_reply_time"]["p50"] == pytest.approx(exact["avg_reply_time"]["p50"], rel=0.05)
