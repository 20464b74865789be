"""Parameters of a report: what is asked for, what is remembered, and the period of the answer."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.reports.periods import CUSTOM, PERIODS, Span
from frontdesk.settings import TargetSettings
from frontdesk.tui.clock import Clock
from frontdesk.tui.reports.query import ReportOptions, created_in, moments_of, zone_of
from frontdesk.wire.reports import Metrics, Report, ZonedPeriod

START, END = "2026-03-13T00:00:00.000Z", "2026-03-14T00:00:00.000Z"
TODAY = date(2026, 3, 14)
MADRID, TOKYO = ZoneInfo("Europe/Madrid"), ZoneInfo("Asia/Tokyo")


def report(start: str, end: str, timezone: str = "UTC") -> Report:
    members = {"from": start, "to": end, "timezone": timezone}
    return Report(period=ZonedPeriod.model_validate(members), metrics=Metrics())


@pytest.mark.parametrize(
    ("start", "end", "known"),
    [(START, END, True), (START, "?", False), ("?", END, False), ("?", "?", False)],
)
def test_a_period_has_both_ends_or_none(start: str, end: str, known: bool) -> None:
    shown = report(start, end)
    moments = moments_of(shown)
    assert (moments == (shown.period.from_time, shown.period.to_time)) == known
    assert (moments is None) != known


def asked(options: ReportOptions, part: str = "", **targets: timedelta) -> dict[str, Any]:
    """The parameters of a query."""
    query = options.query(TODAY, TargetSettings(**targets), part)
    return query.model_dump(by_alias=True, exclude_none=True)


def test_a_report_is_of_seven_days_of_all_in_the_accounts_zone() -> None:
    assert asked(ReportOptions()) == {
        "from": "2026-03-08",
        "granularity": "day",
    }


@pytest.mark.parametrize(
    ("options", "part", "members"),
    [
        ({"channel": "5", "zone": "Asia/Tokyo"}, "", {"channel": "5", "timezone": "Asia/Tokyo"}),
        ({"subject": "user:7"}, "", {"user": "7"}),
        ({"subject": "label:a:b"}, "", {"label": "a:b"}),
        ({"business": True}, "", {"clock": "business"}),
        ({"granularity": "week"}, "", {"granularity": "week"}),
        ({}, "users", {"include": "users"}),
        ({"spread": True}, "", {"include": "spread"}),
        ({"spread": True}, "users", {"include": "users,spread"}),
        ({"spread": True}, "waits", {"include": "waits,backlog"}),
        ({"period": CUSTOM, "first": "2026-03-01", "end": "2026-03-03"}, "",
         {"from": "2026-03-01", "to": "2026-03-03"}),
        ({"period": CUSTOM, "first": "2026-03-14"}, "",
         {"from": "2026-03-14", "granularity": "hour"}),
        ({"period": "last month"}, "", {"from": "2026-02-01", "to": "2026-03-01"}),
    ],
)  # fmt: skip
def test_each_option_is_a_parameter(
    options: dict[str, Any], part: str, members: dict[str, str]
) -> None:
    assert members.items() <= asked(ReportOptions(**options), part).items()


def test_targets_are_asked_for_in_seconds() -> None:
    minutes = {"first_response": timedelta(minutes=15), "reply": timedelta(hours=1)}
    parameters = asked(ReportOptions(), **minutes)
    assert (parameters["target_first_response"], parameters["target_reply"]) == (900, 3600)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({}, ["waits"]),
        ({"breakdown": "users"}, ["users", "waits"]),
        ({"breakdown": "labels", "hours": True}, ["labels", "hours", "waits"]),
        ({"hours": True, "business": True}, ["hours", "waits"]),
        ({"breakdown": "labels", "subject": "user:7", "hours": True}, ["waits"]),
        ({"breakdown": "users", "subject": "team:7"}, ["users", "waits"]),
    ],
)
def test_parts_are_asked_for_as_far_as_they_are_shown_and_can_be_had(
    options: dict[str, Any], parts: list[str]
) -> None:
    breakdown = options.get("breakdown", "channels")
    assert ReportOptions(**options).included(breakdown) == parts


def test_every_report_has_channels_and_one_of_business_hours_no_hours() -> None:
    for subject in ("", "user:7", "team:7", "label:vip"):
        assert ReportOptions(subject=subject).has_part("channels")
    assert ReportOptions().has_part("hours")
    assert ReportOptions(business=True).has_part("hours")
    assert ReportOptions(business=True).has_part("users")
    assert not ReportOptions(subject="user:7").has_part("labels")


@pytest.mark.parametrize(
    "options",
    [
        ReportOptions(),
        ReportOptions("last week", channel="5", zone="Asia/Tokyo", business=True, hours=True),
        ReportOptions(subject="user:7", breakdown="teams", spread=True, pane="plot", row="x"),
        ReportOptions().with_span(Span(date(2026, 3, 1), date(2026, 3, 3))),
        ReportOptions().with_span(Span(date(2026, 3, 1), None)),
    ],
)
def test_parameters_are_remembered(options: ReportOptions) -> None:
    assert ReportOptions.stored(options.to_store()) == options


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "{", "7", "[]", "null", '{"period": "some days"}', '{"period": "custom"}'),
        *('{"breakdown": "planets"}', '{"subject": "planet:7"}', '{"first": 7, "period": 7}'),
        '{"period": "custom", "first": "2026-03-01", "end": "soon"}',
    ],
)
def test_what_cannot_be_used_any_more_is_forgotten(text: str | None) -> None:
    assert ReportOptions.stored(text) == ReportOptions()


def test_members_of_a_later_version_are_left_out() -> None:
    assert ReportOptions.stored('{"channel": "5", "colour": "red"}') == ReportOptions(channel="5")


def test_a_custom_period_has_its_days() -> None:
    span = Span(date(2026, 3, 1), date(2026, 3, 3))
    options = ReportOptions().with_span(span)
    assert options.period == CUSTOM
    assert options.span(TODAY) == span
    assert ReportOptions("7 days").span(TODAY) == PERIODS["7 days"](TODAY)
    with pytest.raises(ValueError, match="isoformat"):
        ReportOptions(CUSTOM).span(TODAY)


@pytest.mark.parametrize(
    ("start", "end", "running", "term"),
    [
        ("2026-03-08T00:00:00Z", "2026-03-14T10:00:00Z", True, "created:2026-03-08.."),
        ("2026-03-08T00:00:00Z", "2026-03-11T00:00:00Z", False, "created:2026-03-08..2026-03-10"),
        ("2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", False, "created:2026-03-08"),
        ("2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", True, "created:2026-03-08.."),
        # The report's days are none here.
        ("2026-03-08T00:00:00Z", "2026-03-11T10:00:00Z", False, ""),
        ("2026-03-08T05:00:00Z", "2026-03-11T00:00:00Z", False, ""),
        ("2026-03-08T05:00:00Z", "2026-03-11T00:00:00Z", True, ""),
        ("?", "2026-03-11T00:00:00Z", True, ""),
        ("2026-03-08T00:00:00Z", "?", True, ""),
    ],
)
def test_new_conversations_of_a_report_are_those_that_began_on_its_days(
    start: str, end: str, running: bool, term: str
) -> None:
    assert created_in(report(start, end), Clock(UTC), running=running) == term


def test_the_zone_is_the_chosen_one_or_that_of_the_account_or_the_local_one() -> None:
    clock = Clock(MADRID, lambda: datetime(2026, 3, 14, tzinfo=UTC))
    there = report(START, END, "Asia/Tokyo")
    assert zone_of(ReportOptions(zone="Europe/Madrid"), there, clock) == MADRID
    assert zone_of(ReportOptions(), there, clock) == TOKYO
    for nothing in (None, report(START, END, ""), report(START, END, "Mars/Base")):
        assert zone_of(ReportOptions(), nothing, clock) == clock.now().tzinfo
