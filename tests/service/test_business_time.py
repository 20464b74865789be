"""Business time in reports, by calendars of channels, of the account, or of none."""

from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.business_hours import BusinessHours, parse_hours
from frontdesk.service.business_time import NEVER, BusinessTime
from frontdesk.service.moments import InvalidMoment, parse_instant
from frontdesk.service.routes.reports import depends_on_minute

MINUTE, HOUR = 60_000, 3_600_000
DAY = 24 * HOUR
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
OFFICE: dict[str, Any] = {"timezone": "UTC", **{day: ["09:00-17:00"] for day in WEEKDAYS}}
LATE: dict[str, Any] = {"timezone": "UTC", **{day: ["12:00-20:00"] for day in WEEKDAYS}}
NUMBERS = {1: "101", 2: "102"}


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


# A Tuesday.
NOW = at("2026-03-10T12:00")


def time(hours: BusinessHours, *, until: int = NOW) -> BusinessTime:
    return BusinessTime(hours, NUMBERS, NOW, until)


OF_ALL = parse_hours(OFFICE)
OF_EACH = parse_hours({**OFFICE, "channels": {"102": LATE}})
OF_NONE = BusinessHours()


NOON = 1_773_489_600_000  # 14 March 2026, 12:00 UTC


@pytest.mark.parametrize(
    ("hours", "is_uniform"), [(OF_ALL, True), (OF_EACH, False), (OF_NONE, True)]
)
def test_channels_may_have_one_clock_or_several(hours: BusinessHours, is_uniform: bool) -> None:
    found = time(hours)
    assert found.channels == (1, 2)
    assert found.is_uniform is is_uniform


def test_a_duration_is_measured_by_the_clock_of_its_channel() -> None:
    found = time(OF_EACH)
    start, end = at("2026-03-10T08:00"), at("2026-03-10T13:00")
    assert found.between(1, start, end) == 4 * HOUR
    assert found.between(2, start, end) == HOUR
    assert found.between(3, start, end) == 5 * HOUR
    assert time(OF_NONE).between(1, start, end) == 5 * HOUR


def test_a_wait_is_so_long_since_as_much_business_time_before_now() -> None:
    found = time(OF_EACH)
    assert found.before(1, 3 * HOUR) == at("2026-03-10T09:00")
    assert found.before(1, 4 * HOUR) == at("2026-03-09T16:00")
    assert found.before(3, 4 * HOUR) == NOW - 4 * HOUR
    assert found.before(1, 6 * 366 * DAY) == NEVER == -1


def test_durations_before_a_period_are_measured_for_five_years() -> None:
    start = NOW - 5 * 366 * DAY + DAY
    assert time(OF_ALL).between(1, start, start + 7 * DAY) == 40 * HOUR


@pytest.mark.parametrize(("until", "days"), [(NOW - 9 * DAY, 1), (NOW, 1), (NOW + 3 * DAY, 4)])
def test_durations_are_measured_up_to_a_day_after_the_end(until: int, days: int) -> None:
    found = time(OF_ALL, until=until)
    assert found.between(1, NOW, NOW + days * DAY) == sum(
        found.between(1, NOW + day * DAY, NOW + (day + 1) * DAY) for day in range(days)
    )
    assert found.between(1, NOW, NOW + DAY) == 8 * HOUR


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("2026-03-10T12:00Z", 0),
        ("2026-03-10t12:00:00z", 0),
        ("2026-03-10 12:00:00.5Z", 500),
        ("2026-03-10T12:00:00,0019Z", 1),
        ("2026-03-10T13:30:00.123456789+01:30", 123),
        ("2026-03-10T13:00 01:00", 0),
        ("2026-03-10T11:00-0100", 0),
    ],
)
def test_a_time_has_any_offset_and_is_cut_to_milliseconds(text: str, milliseconds: int) -> None:
    when, moment = parse_instant(text)
    assert moment == NOW + milliseconds
    assert when == datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-03-10T12:00", "no_offset"),
        ("2026-03-10", "malformed"),
        ("2026-03-10T12Z", "malformed"),
        ("2026-03-10T12:00:00.1234567890Z", "malformed"),
        ("soon", "malformed"),
    ],
)
def test_a_time_without_an_offset_is_none(text: str, reason: str) -> None:
    with pytest.raises(InvalidMoment) as refused:
        parse_instant(text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("query", "depends"),
    [
        (b"", True),
        (b"from=2026-03-01", True),
        (b"to=2026-03-01", False),
        (b"from=x&to=2026-03-01", False),
        (b"xto=2026-03-01", True),
        (b"to=2026-03-01&target_reply=5", True),
        (b"to=2026-03-01&include=labels,users", True),
        (b"to=2026-03-01&include=waits", True),
        (b"to=2026-03-01&include=teams", True),
        (b"to=2026-03-01&include=labels,hours", False),
        (b"to=2026-03-01&include=labels&label=users", False),
    ],
)
def test_a_report_depends_on_the_minute_without_an_end_or_with_ages_of_waits(
    query: bytes, depends: bool
) -> None:
    assert depends_on_minute(query, NOON) is depends


@pytest.mark.parametrize(
    ("end", "depends"),
    [("2026-03-12", False), ("2026-03-13", True), ("2026-03-14", True), ("2027-01-01", True)],
)
def test_a_report_until_today_in_any_zone_depends_on_the_minute(end: str, depends: bool) -> None:
    assert depends_on_minute(f"from=2026-03-01&to={end}".encode(), NOON) is depends
