"""Reports from roll-ups say what a plain recomputation of every fact says, to the millisecond."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores import Engine

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
from frontdesk.service.calendar_buckets import moment_of
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.database import Connection, Row
from frontdesk.wire import instant, timestamp
from frontdesk.wire.queries import COMPARISONS
from frontdesk.wire.reports import Metrics, Report

pytestmark = pytest.mark.both_engines

MINUTE = 60_000
QUARTER, HOUR, DAY = 15 * MINUTE, 60 * MINUTE, 24 * 60 * MINUTE
# 27 March 2026, 00:00 UTC; the clocks of Madrid change two days later.
START = 1_774_569_600_000
LENGTH = 4 * DAY
NOW = START + LENGTH
ENDPOINT = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "inbox_report")
CHANNELS = ("101", "102")
PEOPLE = tuple(Person(phone=f"+1650555123{number}") for number in range(3))
AUTHORS = ("contact", "contact", "user", "phone", "ai_agent", "campaign", "api")
HAPPENINGS = ("opened", "resolved", "resolved", "bot_handoff", "bot_handoff", "snoozed")
ZONES = ("UTC", "Europe/Madrid", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe")

# Most things happen beside a bucket's edge, where a sum goes wrong first.
MOMENTS = st.one_of(
    st.integers(0, LENGTH - 1),
    st.builds(
        lambda quarter, beside: max(0, quarter * QUARTER + beside),
        st.integers(0, LENGTH // QUARTER - 1),
        st.integers(-1, 1),
    ),
).map(lambda offset: START + offset)


@st.composite
def facts(draw: st.DrawFn) -> DomainEvent:
    at = draw(MOMENTS)
    channel, person = draw(st.sampled_from(CHANNELS)), draw(st.sampled_from(PEOPLE))
    kind = draw(st.sampled_from(("message", "message", "message", "happening", "delivery")))
    wamid = f"{channel}-{person.phone}-{draw(st.integers(0, 3))}"
    if kind == "happening":
        name = draw(st.sampled_from(HAPPENINGS))
        return ConversationEvent(channel, person, f"{name}-{wamid}-{at}", at, name)
    if kind == "delivery":
        return StatusUpdate(
            channel,
            person,
            wamid,
            at,
            "sent",
            category=draw(st.sampled_from((None, "marketing", "service"))),
            billable=draw(st.sampled_from((None, True, False))),
            pricing_type=draw(st.sampled_from((None, "regular"))),
        )
    author = draw(st.sampled_from(AUTHORS))
    return MessageUpsert(
        channel=channel,
        person=person,
        wamid=wamid,
        at=at,
        outbound=author != "contact",
        author=Author(author),
        type=draw(st.sampled_from(("text", "text", "text", "system", "reaction"))),
        source="webhook",
        live=draw(st.booleans()),
    )


@st.composite
def queries(draw: st.DrawFn) -> dict[str, str]:
    """A period that the facts lie in, or beside, or on its edges."""
    start, end = sorted((draw(MOMENTS), draw(MOMENTS)))
    query = {"from": timestamp(start), "to": timestamp(end + 1)}
    if draw(st.booleans()):
        query = {"from": "2026-03-28", "to": draw(st.sampled_from(("2026-03-29", "2026-03-30")))}
    query["timezone"] = draw(st.sampled_from(ZONES))
    if draw(st.booleans()):
        query["channel"] = draw(st.sampled_from(CHANNELS))
    if granularity := draw(st.sampled_from((None, "hour", "day", "week", "month"))):
        query["granularity"] = granularity
    if compare := draw(st.sampled_from((None, *COMPARISONS))):
        query["compare"] = compare
    return query


def asked(connection: Connection, query: dict[str, str]) -> Report:
    parameters = Parameters(urlencode(query).encode(), ENDPOINT.parameters)
    grant = KeyGrant("", 1, frozenset(SCOPES))
    answer = ENDPOINT.handler(EndpointRequest(connection, grant, ENDPOINT, "", parameters, NOW))
    assert isinstance(answer, Report)
    return answer


class Plain:
    """Everything that is stored, counted one by one."""

    def __init__(self, connection: Connection) -> None:
        self._messages = connection.rows("SELECT * FROM message")
        self._measures = connection.rows("SELECT * FROM metric_event")
        self._conversations = connection.rows("SELECT * FROM conversation")
        channels = connection.rows("SELECT id, phone_number_id FROM channel")
        self.channels = {row["phone_number_id"]: row["id"] for row in channels}

    def metrics(self, start: str, end: str, channel: str | None) -> Metrics:
        def of(name: str) -> list[Row]:
            measures = self._within(self._measures, "ended_at", start, end, channel)
            return [row for row in measures if row["name"] == name]

        def mean(name: str) -> float | None:
            times = [
                row["ended_at"] - row["started_at"]
                for row in of(name)
                if row["started_at"] is not None
            ]
            return round(sum(times) / len(times) / 1000, 1) if times else None

        said = Counter(row["direction"] for row in self.said(start, end, channel))
        started = self._within(self._conversations, "created_at", start, end, channel)
        return Metrics(
            conversations_count=len(started),
            reopened_count=len(of("episode_opened")),
            incoming_messages_count=said[0],
            outgoing_messages_count=said[1],
            resolutions_count=len(of("resolved")),
            avg_first_response_time=mean("first_response"),
            avg_resolution_time=mean("resolved"),
            avg_reply_time=mean("reply"),
            bot_handoffs_count=len({row["conversation_id"] for row in of("bot_handoff")}),
            bot_resolutions_count=len(of("bot_resolved")),
            samples=self.samples(start, end, channel),
        )

    def said(self, start: str, end: str, channel: str | None) -> list[Row]:
        messages = self._within(self._messages, "created_at", start, end, channel)
        return [row for row in messages if row["type"] not in ("system", "reaction")]

    def priced(self, start: str, end: str, channel: str | None) -> Counter[tuple[Any, ...]]:
        """How many messages, and billable ones, by channel, author, category and type."""
        numbers = {id_: number for number, id_ in self.channels.items()}
        counts: Counter[tuple[Any, ...]] = Counter()
        for row in self._within(self._messages, "created_at", start, end, channel):
            pricing = (row["category"], row["pricing_type"], row["billable"])
            if pricing != (None, None, None):
                alike = (numbers[row["channel_id"]], row["author"], *pricing[:2])
                counts[*alike, "count"] += 1
                counts[*alike, "billable_count"] += row["billable"] or 0
        return counts

    def samples(self, start: str, end: str, channel: str | None) -> dict[str, int]:
        names = {"avg_first_response_time": "first_response", "avg_reply_time": "reply"}
        names["avg_resolution_time"] = "resolved"
        rows = self._within(self._measures, "ended_at", start, end, channel)
        timed = Counter(row["name"] for row in rows if row["started_at"] is not None)
        return {mean: timed[name] for mean, name in names.items()}

    def _within(
        self, rows: Sequence[Row], column: str, start: str, end: str, channel: str | None
    ) -> list[Row]:
        channel_id = None if channel is None else self.channels[channel]
        return [
            row
            for row in rows
            if moment(start) <= row[column] < moment(end)
            and channel_id in (None, row["channel_id"])
        ]


def moment(text: str) -> int:
    when = instant(text)
    assert when is not None
    return moment_of(when)


def check(connection: Connection, query: dict[str, str]) -> None:
    plain = Plain(connection)
    if query.get("channel") not in {None, *plain.channels}:
        return
    report = asked(connection, query)
    assert report.previous_period is not None
    period = (report.period.from_, report.period.to)
    before = (report.previous_period.from_, report.previous_period.to)
    channel = query.get("channel")
    assert report.metrics == plain.metrics(*period, channel)
    assert report.previous == plain.metrics(*before, channel)
    out = Counter(row["author"] for row in plain.said(*period, channel) if row["direction"])
    assert report.outgoing_by_author == out
    assert len(report.channels) == (1 if channel else len(plain.channels))
    for one in report.channels:
        assert one.metrics == plain.metrics(*period, one.channel.id)
        assert one.previous == plain.metrics(*before, one.channel.id)
    check_pricing(report, plain, channel)
    check_series(report, plain, channel, granularity=query.get("granularity"))


def check_pricing(report: Report, plain: Plain, channel: str | None) -> None:
    assert report.previous_period is not None
    for prefix, period in (("", report.period), ("previous_", report.previous_period)):
        counts = {
            (one.channel.id, one.author, one.category, one.type, name): n
            for one in report.pricing
            for name in ("count", "billable_count")
            if (n := getattr(one, f"{prefix}{name}"))
        }
        assert counts == +plain.priced(period.from_, period.to, channel)
    assert all(one.count or one.previous_count for one in report.pricing)


def check_series(
    report: Report, plain: Plain, channel: str | None, granularity: str | None
) -> None:
    if granularity is None:
        assert report.series is None is report.previous_series
        return
    assert report.previous_period is not None
    for series, period in (
        (report.series, report.period),
        (report.previous_series, report.previous_period),
    ):
        assert series
        assert (series[0].start, series[-1].end) == (period.from_, period.to)
        assert all(one.end == other.start for one, other in pairwise(series))
    for bucket in (*(report.series or ()), *(report.previous_series or ())):
        assert bucket.metrics == plain.metrics(bucket.start, bucket.end, channel)
        assert bucket.samples == plain.samples(bucket.start, bucket.end, channel)


@settings(max_examples=15)
@given(data=st.data())
def test_any_report_is_what_its_facts_add_up_to(engine: Engine, data: Any) -> None:
    events = data.draw(st.lists(facts(), min_size=10, max_size=40))
    cut = data.draw(st.integers(0, len(events)))
    asking = data.draw(st.lists(queries(), min_size=1, max_size=4))
    with engine.fresh() as database:
        for batch in (events[:cut], events[cut:]):
            database.write(
                lambda connection, batch=batch: apply_events(connection, 1, batch, now=NOW)
            )
        for query in asking:
            database.read(lambda connection, query=query: check(connection, query))
