"""Parts of the report that are included on request: a day by hand, and a plain recount."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
    DAY,
    NOON,
    OTHER,
    REPORT,
    answers,
    asks,
    happens,
    message,
)
from tests.stores import Engine

from frontdesk.client.decode import value_of
from frontdesk.client.response import Response
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    StatusUpdate,
    TeamUpsert,
    UserUpsert,
)
from frontdesk.service.calendar_buckets import moment_of
from frontdesk.store import report_parts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.report_parts import Grouping, PartSelection, durations
from frontdesk.store.rollups import BOUNDS, limits_of, step_of
from frontdesk.wire import instant, timestamp
from frontdesk.wire.reports import Metrics, PersonFigures, Report, WaitAges

AddEvents = Callable[..., None]
ANA, BO = "ana@example.com", "bo@example.com"
PARTS = "users,teams,labels,hours,spread,waits"
TARGET = 3600
NOTHING = {
    "outgoing_messages_count": 0,
    "answered_conversations_count": 0,
    "avg_first_response_time": None,
    "avg_reply_time": None,
    "resolutions_count": 0,
    "avg_resolution_time": None,
    "samples": {"avg_first_response_time": 0, "avg_reply_time": 0, "avg_resolution_time": 0},
}
LASTED = {"reopened_in_7_days_count": 0}
FIRST, REPLY = (
    {"samples": {**NOTHING["samples"], mean: 1}}
    for mean in ("avg_first_response_time", "avg_reply_time")
)
NO_WAITS = {"under_1h": 0, "under_4h": 0, "under_1d": 0, "over_1d": 0}
NOBODY_NOW = {
    **{"open": 0, "waiting": 0, "longest_waiting_since": None, "unread": 0},
    "waits": NO_WAITS,
}


def catalogue(at: int, channels: tuple[str, str]) -> list[DomainEvent]:
    """Ana and Bo, by day on the first channel; Bo, by night on both."""
    return [
        UserUpsert(ANA, "Ana", at, availability="online"),
        UserUpsert(BO, "Bo", at),
        TeamUpsert("Day", at, channels=channels[:1], members=(ANA, BO), distribution="off"),
        TeamUpsert("Night", at, channels=channels, members=(BO,), distribution="off"),
        LabelUpsert("billing", at),
        LabelUpsert("vip", at),
    ]


def writes(at: float, user: str) -> MessageUpsert:
    return replace(message(at, f"user-{user}"), author=Author("user", user))


async def included(client: httpx.AsyncClient, **query: str) -> dict[str, Any]:
    response = await client.get(REPORT, params={"timezone": "UTC", **query})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    assert Report.model_validate(body).model_dump(mode="json", exclude_unset=True) == body
    return body


@pytest.fixture
def day(add_events: AddEvents) -> None:
    """Two customers, from noon on; what follows from it is written out in the tests."""
    add_events(catalogue(NOON - DAY, (CHANNEL, OTHER)))
    add_events(
        [
            # Ana answers after 5 minutes, Bo after 30, and has the conversation when it ends.
            asks(0),
            writes(5, ANA),
            asks(10),
            happens(20, "assigned", user=BO),
            writes(40, BO),
            writes(41, BO),
            happens(60, "resolved"),
            happens(61, "labelled", title="vip", on=True),
            # The phone answers after 2 minutes. Since then a customer waits whom nobody has.
            asks(0, channel=OTHER, person=BOB),
            answers(2, channel=OTHER, person=BOB),
            asks(30, channel=OTHER, person=BOB),
        ]
    )


@pytest.mark.usefixtures("day")
async def test_users_have_what_they_wrote_and_resolved_and_nobody_the_rest(
    client: httpx.AsyncClient,
) -> None:
    users = (await included(client, include="users"))["users"]
    assert [row["user"] and row["user"]["name"] for row in users] == ["Ana", "Bo", None]
    assert [row["current"] for row in users] == [
        {
            **NOTHING,
            **LASTED,
            "outgoing_messages_count": 1,
            "answered_conversations_count": 1,
            "avg_first_response_time": 300.0,
            **FIRST,
        },
        {
            **NOTHING,
            **LASTED,
            "outgoing_messages_count": 2,
            "answered_conversations_count": 1,
            "avg_reply_time": 1800.0,
            "resolutions_count": 1,
            "avg_resolution_time": 3600.0,
            "samples": {**REPLY["samples"], "avg_resolution_time": 1},
        },
        {
            **NOTHING,
            **LASTED,
            "outgoing_messages_count": 1,
            "answered_conversations_count": 1,
            "avg_first_response_time": 120.0,
            **FIRST,
        },
    ]
    assert [row["previous"] for row in users] == [NOTHING] * 3
    assert [row["now"] for row in users] == [
        {"availability": "online", **NOBODY_NOW},
        {"availability": None, **NOBODY_NOW},
        {
            "availability": None,
            "open": 1,
            "waiting": 1,
            "longest_waiting_since": "2026-03-10T12:30:00.000Z",
            "unread": users[-1]["now"]["unread"],
            "waits": {**NO_WAITS, "over_1d": 1},
        },
    ]


@pytest.mark.usefixtures("day")
async def test_a_team_has_what_its_members_did_on_its_channels(client: httpx.AsyncClient) -> None:
    teams = (await included(client, include="teams"))["teams"]
    assert [row["team"]["name"] for row in teams] == ["Day", "Night"]
    assert [row["current"]["outgoing_messages_count"] for row in teams] == [3, 2]
    # Ana and Bo answered the same one.
    assert [row["current"]["answered_conversations_count"] for row in teams] == [1, 1]
    assert [row["current"]["avg_first_response_time"] for row in teams] == [300.0, None]
    assert [row["current"]["resolutions_count"] for row in teams] == [1, 1]


@pytest.mark.usefixtures("day")
async def test_a_label_has_what_happened_in_the_conversations_that_carry_it(
    client: httpx.AsyncClient,
) -> None:
    body = await included(client, include="labels")
    billing, vip = body["labels"]
    assert (billing["label"]["name"], vip["label"]["name"]) == ("billing", "vip")
    samples = billing["current"].pop("samples")
    assert {*billing["current"].values(), *samples.values()} == {0, None}
    own = await included(client, channel=CHANNEL)
    assert vip["current"] == own["metrics"]
    assert vip["current"]["outgoing_messages_count"] == 3


@pytest.mark.usefixtures("day")
async def test_hours_are_those_of_the_zone(client: httpx.AsyncClient) -> None:
    hours = (await included(client, include="hours", timezone="Asia/Kathmandu"))["hours"]
    # 10 March 2026 is a Tuesday; noon in London is a quarter to six there.
    cells = {
        (weekday, hour): n
        for weekday, day in enumerate(hours["received"])
        for hour, n in enumerate(day)
        if n
    }
    assert cells == {(1, 17): 3, (1, 18): 1}
    assert hours["avg_first_response_time"][1][17] == 210.0
    assert [len(day) for day in hours["previous"]["received"]] == [24] * 7


def received(report: dict[str, Any]) -> dict[tuple[int, int], int]:
    """What was received, by weekday and hour."""
    days = enumerate(report["hours"]["received"])
    return {(day, hour): n for day, hours in days for hour, n in enumerate(hours) if n}


async def test_hours_of_a_week_are_those_of_the_clock_before_and_after_it_changes(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    """In New York, summer time began on 8 March 2026."""
    add_events([asks(-7 * 24 * 60), asks(0)])
    period = {"from": "2026-03-01", "to": "2026-03-12", "timezone": "America/New_York"}
    assert received(await included(client, include="hours", **period)) == {(1, 7): 1, (1, 8): 1}


@pytest.mark.parametrize(
    ("start", "end", "cells"),
    [
        ("12:07", "12:10", {}),
        ("12:00", "12:07", {(1, 12): 1}),
        ("12:05", "12:45", {(1, 12): 2}),
        ("12:10", "13:20", {(1, 12): 2, (1, 13): 1}),
        ("12:15", "13:15", {(1, 12): 1}),
    ],
)
async def test_hours_of_a_period_begin_and_end_with_it(
    client: httpx.AsyncClient,
    add_events: AddEvents,
    start: str,
    end: str,
    cells: dict[tuple[int, int], int],
) -> None:
    add_events([asks(0), asks(10), asks(40), asks(75)])
    period = {"from": f"2026-03-10T{start}Z", "to": f"2026-03-10T{end}Z"}
    assert received(await included(client, include="hours", **period)) == cells


@pytest.mark.usefixtures("day")
async def test_spread_and_targets_stand_beside_each_mean(client: httpx.AsyncClient) -> None:
    query = {"target_first_response": "120", "target_reply": "1799"}
    body = await included(client, include="spread,users", **query)
    exact = {"approximate": False}
    assert body["metrics"]["spread"] == {
        "avg_first_response_time": {"p50": 120.0, "p90": 300.0, **exact},
        "avg_resolution_time": {"p50": 3600.0, "p90": 3600.0, **exact},
        "avg_reply_time": {"p50": 1800.0, "p90": 1800.0, **exact},
    }
    assert body["metrics"]["targets"] == {
        "first_response": {"target_seconds": 120, "within": 1, "samples": 2, **exact},
        "reply": {"target_seconds": 1799, "within": 0, "samples": 1, **exact},
    }
    assert body["previous"]["spread"]["avg_reply_time"] == {"p50": None, "p90": None, **exact}
    assert body["channels"][0]["metrics"]["targets"]["first_response"]["samples"] == 1
    assert body["users"][0]["current"]["spread"]["avg_first_response_time"]["p90"] == 300.0
    # Bob waits since the answer of the phone.
    assert (body["live"]["over_first_response"], body["live"]["over_reply"]) == (0, 1)


@pytest.mark.usefixtures("day")
async def test_in_a_period_of_many_durations_those_of_who_has_few_are_exact(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"include": "spread,users,teams", "target_first_response": "301"}
    exact = await included(client, **query)
    most = report_parts.MOST_READ_OF_GROUP
    monkeypatch.setattr(report_parts, "MOST_READ_OF_GROUP", 0)
    assert await included(client, **query) == exact
    monkeypatch.setattr(report_parts, "MOST_READ_OF_GROUP", most)
    monkeypatch.setattr(report_parts, "MOST_READ_ONE_BY_ONE", 0)
    assert await included(client, **query) == exact
    monkeypatch.setattr(report_parts, "MOST_READ_OF_GROUP", 1)
    rough = await included(client, **query)
    assert rough["metrics"]["targets"]["first_response"]["approximate"]
    assert rough["metrics"]["targets"]["first_response"]["samples"] == 2
    ana = rough["users"][0]["current"]["targets"]["first_response"]
    assert ana["samples"] == 1
    assert ana == exact["users"][0]["current"]["targets"]["first_response"]


@pytest.mark.usefixtures("day")
async def test_without_include_a_report_has_no_further_members(client: httpx.AsyncClient) -> None:
    body = await included(client)
    assert not {"users", "teams", "labels", "hours"} & body.keys()
    assert not {"spread", "targets"} & body["metrics"].keys()
    assert "over_reply" not in body["live"]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("include", "people", "not_allowed"),
        ("include", "users,", "empty"),
        ("target_reply", "0", "malformed"),
        ("target_reply", "1h", "malformed"),
        ("target_first_response", "99999999999", "malformed"),
    ],
)
async def test_invalid_include_and_target_parameters_are_refused_with_a_reason(
    client: httpx.AsyncClient,
    is_problem: Callable[[httpx.Response, int, str], dict[str, Any]],
    name: str,
    value: str,
    reason: str,
) -> None:
    problem = is_problem(await client.get(REPORT, params={name: value}), 400, "invalid_period")
    (fault,) = problem["errors"]
    assert (fault["parameter"], fault["reason"]) == (name, reason)


def stretched(moment: int) -> int:
    """A moment of the four days of plain reports as one of 32 days, which have whole weeks."""
    return sums.START + 8 * (moment - sums.START)


@st.composite
def facts(draw: st.DrawFn) -> DomainEvent:
    """Those of plain reports, of users where these write, with assignments and labels."""
    fact = draw(sums.facts())
    assert isinstance(fact, MessageUpsert | ConversationEvent | StatusUpdate)
    fact = replace(fact, at=stretched(fact.at))
    if isinstance(fact, MessageUpsert) and fact.author.kind == "user":
        return replace(fact, author=Author("user", draw(st.sampled_from((ANA, BO, None)))))
    if isinstance(fact, ConversationEvent) and fact.name == "snoozed":
        if draw(st.booleans()):
            return replace(fact, name="labelled", value={"title": "vip", "on": True})
        user = draw(st.sampled_from((ANA, BO, None)))
        return replace(fact, name="assigned", value={"user": user})
    return fact


@st.composite
def queries(draw: st.DrawFn) -> dict[str, str]:
    start, end = sorted((draw(sums.MOMENTS), draw(sums.MOMENTS)))
    period = {"from": timestamp(stretched(start)), "to": timestamp(stretched(end) + 1)}
    return {**draw(sums.queries()), **period, "granularity": "month"}


class Plain(sums.Plain):
    """Everything that is stored, with who did it, one by one."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.users = {row["key"]: row["id"] for row in connection.rows("SELECT * FROM app_user")}
        self.labelled = connection.rows("SELECT * FROM entry WHERE label_id <> 0")
        self.open = connection.rows("SELECT * FROM conversation WHERE status = 0")
        self._events = connection.rows(
            "SELECT * FROM conversation_event WHERE name = 'assigned'"
            " ORDER BY created_at, external_id, id"
        )

    def measures(self, start: str, end: str, channel: str | None) -> list[Row]:
        """Metric events with `user`, 0 for nobody."""
        rows = self._within(self._measures, "ended_at", start, end, channel)
        return [{**row, "user": self._doer(row)} for row in rows]

    def written(self, start: str, end: str, channel: str | None) -> list[Row]:
        rows = self.said(start, end, channel)
        return [{**row, "user": self._writer(row)} for row in rows if self._by_person(row)]

    def _doer(self, measure: Row) -> int:
        same = [
            row
            for row in (self._events if measure["name"] == "resolved" else self._messages)
            if row["conversation_id"] == measure["conversation_id"]
        ]
        if measure["name"] == "resolved":
            if self._by_bot(measure):
                return 0
            last = [row for row in same if row["created_at"] <= measure["ended_at"]][-1:]
            return self.users.get(json.loads(last[0]["value_json"])["user"], 0) if last else 0
        written = [row for row in same if row["created_at"] == measure["ended_at"]]
        written = sorted(
            filter(self._by_person, written), key=lambda row: (row["wamid"], row["id"])
        )
        return self._writer(written[0]) if written else 0

    def _by_bot(self, measure: Row) -> bool:
        same = ("conversation_id", "started_at", "ended_at")
        return any(
            row["name"] == "bot_resolved" and all(row[name] == measure[name] for name in same)
            for row in self._measures
        )

    def reopened(self, measures: Sequence[Row]) -> int:
        """How many resolutions were followed by an opening within seven days."""
        return sum(map(self._did_not_last, measures))

    def _did_not_last(self, measure: Row) -> bool:
        def place(row: Row) -> tuple[int, int]:
            return row["ended_at"], row["id"]

        openings = [
            row["ended_at"]
            for row in sorted(self._measures, key=place)
            if row["conversation_id"] == measure["conversation_id"]
            and row["name"] == "episode_opened"
            and place(row) > place(measure)
        ]
        within = bool(openings) and openings[0] - measure["ended_at"] <= 7 * DAY
        return measure["name"] == "resolved" and within

    @staticmethod
    def _by_person(row: Row) -> bool:
        human = row["direction"] == 1 and row["author"] in ("user", "phone")
        return human and row["type"] not in ("system", "reaction")

    @staticmethod
    def _writer(row: Row) -> int:
        return int(row["author_id"] or 0) if row["author"] == "user" else 0


def person(measures: Sequence[Row], written: Sequence[Row]) -> PersonFigures:
    def timed(name: str) -> list[int]:
        return [
            row["ended_at"] - row["started_at"]
            for row in measures
            if row["name"] == name and row["started_at"] is not None
        ]

    def mean(name: str) -> float | None:
        times = timed(name)
        return round(sum(times) / len(times) / 1000, 1) if times else None

    return PersonFigures(
        outgoing_messages_count=len(written),
        answered_conversations_count=len({row["conversation_id"] for row in written}),
        avg_first_response_time=mean("first_response"),
        avg_reply_time=mean("reply"),
        resolutions_count=sum(row["name"] == "resolved" for row in measures),
        avg_resolution_time=mean("resolved"),
        samples={
            "avg_first_response_time": len(timed("first_response")),
            "avg_reply_time": len(timed("reply")),
            "avg_resolution_time": len(timed("resolved")),
        },
    )


def check(connection: Connection, query: dict[str, str]) -> None:
    plain = Plain(connection)
    channel = query.get("channel")
    if channel not in {None, *plain.channels}:
        return
    targets = {f"target_{name}": str(TARGET) for name in ("first_response", "reply")}
    report = sums.asked(connection, {**query, "include": PARTS, **targets})
    assert report.previous_period is not None
    period = (report.period.from_, report.period.to)
    before = (report.previous_period.from_, report.previous_period.to)
    check_people(report, plain, period, before, channel)
    check_spread(report.metrics, plain.measures(*period, channel))
    assert report.previous is not None
    check_spread(report.previous, plain.measures(*before, channel))
    check_hours(report, plain, period, channel)
    start, end = (moment_of(instant(text)) for text in period)
    selection = PartSelection(
        1, ReportFilter(None if channel is None else plain.channels[channel]), start, end
    )
    groupings: tuple[Grouping, ...] = ("channels", "users", "teams", "everyone")
    for grouping in groupings:
        each, rolled = (Counter[tuple[int, str, int]](), Counter[tuple[int, str, int]]())
        for row in durations(connection, grouping, selection, exact=True):
            each[row["key"], row["name"], step_of(row["step"])] += row["n"]
        for row in durations(connection, grouping, selection, exact=False):
            rolled[row["key"], row["name"], row["step"]] += row["n"]
        assert each == rolled
    for label in report.labels or ():
        own = {row["conversation_id"] for row in plain.labelled}
        ours = own if label.label.name == "vip" else set()
        said = [row for row in plain.said(*period, channel) if row["conversation_id"] in ours]
        assert label.current.outgoing_messages_count == sum(row["direction"] for row in said)
        resolved = [row for row in plain.measures(*period, channel) if row["name"] == "resolved"]
        resolved = [row for row in resolved if row["conversation_id"] in ours]
        assert label.current.resolutions_count == len(resolved)


def check_people(
    report: Report,
    plain: Plain,
    period: tuple[str, str],
    before: tuple[str, str],
    channel: str | None,
) -> None:
    ids = {row.user.name if row.user else None: row for row in report.users or ()}
    people = {"Ana": plain.users[ANA], "Bo": plain.users[BO], None: 0}
    assert ids.keys() == people.keys()
    for name, user_id in people.items():
        for span, figures in ((period, ids[name].current), (before, ids[name].previous)):
            measures = [row for row in plain.measures(*span, channel) if row["user"] == user_id]
            written = [row for row in plain.written(*span, channel) if row["user"] == user_id]
            assert bare(figures) == person(measures, written)
            if span is period:
                assert figures.reopened_in_7_days_count == plain.reopened(measures)
        own = [row for row in plain.open if row["assignee_id"] == user_id]
        own = [row for row in own if channel in (None, number_of(plain, row["channel_id"]))]
        now = ids[name].now
        assert now is not None
        waiting = [row["waiting_since"] for row in own if row["waiting_since"]]
        assert (now.open, now.waiting) == (len(own), len(waiting))
        assert (now.longest_waiting_since is None) == (not waiting)
        assert (now.waits, now.over_first_response, now.over_reply) == waits_of(own)
    everyone = [row for row in plain.open if channel in (None, number_of(plain, row["channel_id"]))]
    assert report.live is not None
    live = report.live
    assert (live.waits, live.over_first_response, live.over_reply) == waits_of(everyone)
    for team in report.teams or ():
        members = (
            {plain.users[ANA], plain.users[BO]} if team.team.name == "Day" else {plain.users[BO]}
        )
        places = plain.channels.get("101"), plain.channels.get("102")
        places = places[:1] if team.team.name == "Day" else places

        def of(rows: Sequence[Row], members: set[int] = members, places: Any = places) -> list[Row]:
            return [row for row in rows if row["user"] in members and row["channel_id"] in places]

        expected = person(of(plain.measures(*period, channel)), of(plain.written(*period, channel)))
        assert bare(team.current) == expected
        reopened = plain.reopened(of(plain.measures(*period, channel)))
        assert team.current.reopened_in_7_days_count == reopened


def waits_of(rows: Sequence[Row]) -> tuple[WaitAges, int, int]:
    """Ages of the waits of open conversations, and those over the targets."""
    hour = 60 * sums.MINUTE
    ages = [
        (sums.NOW - row["waiting_since"], row["first_reply_at"])
        for row in rows
        if row["waiting_since"]
    ]
    over = [replied for age, replied in ages if age > 1000 * TARGET]
    return (
        WaitAges(
            under_1h=sum(age < hour for age, _ in ages),
            under_4h=sum(hour <= age < 4 * hour for age, _ in ages),
            under_1d=sum(4 * hour <= age < 24 * hour for age, _ in ages),
            over_1d=sum(age >= 24 * hour for age, _ in ages),
        ),
        sum(replied is None for replied in over),
        sum(replied is not None for replied in over),
    )


def bare(figures: PersonFigures | None) -> PersonFigures:
    assert figures is not None
    return PersonFigures(
        **figures.model_dump(exclude={"spread", "targets", "reopened_in_7_days_count"})
    )


def number_of(plain: Plain, channel_id: int) -> str:
    return next(number for number, id_ in plain.channels.items() if id_ == channel_id)


def check_spread(metrics: Metrics, measures: Sequence[Row]) -> None:
    for mean, name in (("avg_first_response_time", "first_response"), ("avg_reply_time", "reply")):
        times = sorted(
            row["ended_at"] - row["started_at"] for row in measures if row["name"] == name
        )
        spread = metrics.spread[mean]
        if not times:
            assert (spread.p50, spread.p90) == (None, None)
            continue
        for share, value in ((0.5, spread.p50), (0.9, spread.p90)):
            assert value is not None
            # No fewer than the share are as long, and with any shorter one there would be.
            limit = next(time for time in times if round(time / 1000, 1) == value)
            assert sum(time <= limit for time in times) >= share * len(times)
            assert sum(time < limit for time in times) < share * len(times)


def check_hours(report: Report, plain: Plain, period: tuple[str, str], channel: str | None) -> None:
    zone = ZoneInfo(report.period.timezone or "UTC")

    def cell(at: int) -> tuple[int, int]:
        local = datetime.fromtimestamp(at / 1000, UTC).astimezone(zone)
        return local.weekday(), local.hour

    said = plain.said(*period, channel)
    received = Counter(cell(row["created_at"]) for row in said if not row["direction"])
    times: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in plain.measures(*period, channel):
        if row["name"] == "first_response":
            times[cell(row["ended_at"])].append(row["ended_at"] - row["started_at"])
    assert report.hours is not None
    for weekday in range(7):
        for hour in range(24):
            own = times[weekday, hour]
            mean = round(sum(own) / len(own) / 1000, 1) if own else None
            assert report.hours.received[weekday][hour] == received[weekday, hour]
            assert report.hours.avg_first_response_time[weekday][hour] == mean


@given(st.integers(0, 10**12))
def test_a_step_has_its_durations_and_is_at_most_a_tenth_longer_than_it_is_short(duration: int):
    shortest, longest = limits_of(step_of(duration))
    if 1000 <= duration < BOUNDS[-1]:
        assert shortest <= duration <= longest < shortest * 1.1


def asked_of_any_facts(engine: Engine, data: Any) -> Iterator[tuple[Database, dict[str, str]]]:
    """Yield a database of drawn facts, which came in two batches, with each of some queries."""
    events = [
        *catalogue(sums.START, (sums.CHANNELS[0], sums.CHANNELS[1])),
        *data.draw(st.lists(facts(), min_size=10, max_size=40)),
    ]
    cut = data.draw(st.integers(6, len(events)))
    asking = data.draw(st.lists(queries(), min_size=1, max_size=3))
    with engine.fresh() as database:
        for batch in (events[:cut], events[cut:]):
            database.write(
                lambda connection, batch=batch: apply_events(
                    connection, 1, batch, now=stretched(sums.NOW)
                )
            )
        for query in asking:
            yield database, query


@pytest.mark.both_engines
@settings(max_examples=15)
@given(data=st.data())
def test_any_part_is_what_its_facts_add_up_to(engine: Engine, data: Any) -> None:
    for database, query in asked_of_any_facts(engine, data):
        assert database.read(lambda connection: [*differences(connection, 1)]) == []
        database.read(lambda connection, query=query: check(connection, query))


@pytest.mark.usefixtures("day")
@pytest.mark.parametrize("part", ["users", "teams", "labels", "hours"])
async def test_the_client_reads_the_part_that_it_asks_for(client: httpx.AsyncClient, part: str):
    response = await client.get(REPORT, params={"include": part})
    answer = Response(response.status_code, response.headers, response.content)
    assert getattr(value_of(answer, Report, pytest.fail), part) is not None
