"""Periods and their parts as calendars have them: clocks that change, midnights that are not."""

from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontdesk.service.calendar_buckets import (
    DAY,
    HOUR,
    Interval,
    local_date,
    midnight,
    moment_of,
    shift_for,
    split_interval,
    split_previous,
    zone_of,
)

MADRID = ZoneInfo("Europe/Madrid")
ZONES = (
    "UTC",
    "Europe/Madrid",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "America/Havana",
    "Pacific/Apia",
    "Africa/Monrovia",
)
MOMENTS = st.integers(-10 * DAY, 25_000 * DAY)


def at(text: str) -> int:
    return moment_of(datetime.fromisoformat(text))


def shown(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="minutes")


@pytest.mark.parametrize(
    ("zone", "day", "begins"),
    [
        ("UTC", date(2026, 3, 14), "2026-03-14T00:00+00:00"),
        ("Europe/Madrid", date(2026, 3, 29), "2026-03-29T00:00+01:00"),
        ("Europe/Madrid", date(2026, 3, 30), "2026-03-30T00:00+02:00"),
        ("Asia/Kathmandu", date(2026, 3, 14), "2026-03-14T00:00+05:45"),
        # There was no midnight: the clocks went from 23:59:59 to 01:00.
        ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T01:00-02:00"),
        # Two midnights, an hour apart.
        ("America/Havana", date(2025, 11, 2), "2025-11-02T00:00-04:00"),
        # A day that the islands went over, so that it begins where the next one does.
        ("Pacific/Apia", date(2011, 12, 30), "2011-12-31T00:00+14:00"),
        # From 23:30 to 00:30.
        ("America/Toronto", date(1919, 3, 31), "1919-03-31T00:30-04:00"),
    ],
)
def test_a_day_begins_at_its_first_moment(zone: str, day: date, begins: str) -> None:
    assert shown(midnight(day, ZoneInfo(zone))) == shown(at(begins))


def test_a_week_with_a_change_of_clocks_follows_a_whole_week() -> None:
    week = Interval(midnight(date(2026, 3, 23), MADRID), midnight(date(2026, 3, 30), MADRID))
    assert week.end - week.start == 7 * DAY - HOUR
    before = shift_for(week, "days", MADRID).interval(week)
    assert before == Interval(midnight(date(2026, 3, 16), MADRID), week.start)
    assert before.end - before.start == 7 * DAY


@pytest.mark.parametrize(
    ("compare", "start", "end", "before"),
    [
        ("days", "2026-03-14T00:00", "2026-03-14T12:36", "2026-03-13T00:00 2026-03-13T12:36"),
        ("days", "2026-03-08T00:00", "2026-03-14T09:30", "2026-03-01T00:00 2026-03-07T09:30"),
        ("days", "2026-03-10T12:00", "2026-03-10T13:00", "2026-03-09T12:00 2026-03-09T13:00"),
        ("days", "2026-03-10T20:00", "2026-03-12T21:00", "2026-03-07T20:00 2026-03-09T21:00"),
        ("week", "2026-03-09T00:00", "2026-03-14T12:36", "2026-03-02T00:00 2026-03-07T12:36"),
        ("month", "2026-11-01T00:00", "2026-11-22T12:36", "2026-10-01T00:00 2026-10-22T12:36"),
        ("month", "2026-03-01T00:00", "2026-04-01T00:00", "2026-02-01T00:00 2026-03-01T00:00"),
        ("month", "2026-01-01T00:00", "2026-01-31T08:00", "2025-12-01T00:00 2025-12-31T08:00"),
        # February has no such days; what is left of them is as long as they are.
        ("month", "2026-03-01T00:00", "2026-03-31T08:00", "2026-02-01T00:00 2026-02-28T08:00"),
        ("month", "2026-03-30T00:00", "2026-03-31T00:00", "2026-02-28T00:00 2026-03-01T00:00"),
        ("year", "2024-02-29T00:00", "2024-03-01T00:00", "2023-02-28T00:00 2023-03-01T00:00"),
        # Clocks change on 29 March: until the same time of the day, whatever hours lie between.
        ("days", "2026-03-29T00:00", "2026-03-29T12:00", "2026-03-28T00:00 2026-03-28T12:00"),
        ("days", "2026-03-30T02:10", "2026-03-30T02:20", "2026-03-29T03:00 2026-03-29T03:10"),
    ],
)
def test_the_previous_period_is_the_same_stretch_of_the_calendar(
    compare: str, start: str, end: str, before: str
) -> None:
    def there(text: str) -> int:
        return moment_of(datetime.fromisoformat(text).replace(tzinfo=MADRID))

    interval = Interval(there(start), there(end))
    earlier, until = before.split()
    found = shift_for(interval, compare, MADRID).interval(interval)
    assert found == Interval(there(earlier), there(until))


@given(st.sampled_from(ZONES), MOMENTS, st.integers(1, 366 * DAY))
def test_a_previous_period_of_days_is_never_empty_and_never_overlaps(
    zone_name: str, start: int, length: int
) -> None:
    interval = Interval(start, start + length)
    before = shift_for(interval, "days", ZoneInfo(zone_name)).interval(interval)
    assert before.start < before.end <= interval.start


@given(
    st.sampled_from(ZONES),
    MOMENTS,
    st.integers(1, 92 * DAY),
    st.sampled_from(["hour", "day", "week", "month"]),
    st.sampled_from(["days", "week", "month", "year"]),
)
def test_buckets_of_the_previous_period_follow_each_other_from_end_to_end(
    zone_name: str, start: int, length: int, granularity: str, compare: str
) -> None:
    zone = ZoneInfo(zone_name)
    interval = Interval(start, start + length)
    shift = shift_for(interval, compare, zone)
    before = shift.interval(interval)
    parts = split_previous(
        list(split_interval(interval, granularity, zone)), before, granularity, shift
    )
    assert (parts[0].start, parts[-1].end) == (before.start, before.end)
    assert all(part.start < part.end for part in parts)
    assert all(one.end == other.start for one, other in pairwise(parts))


@pytest.mark.parametrize("granularity", ["day", "week"])
def test_each_bucket_stands_beside_the_one_as_many_days_before(granularity: str) -> None:
    interval = Interval(at("2026-08-25T00:00+02:00"), at("2026-11-22T12:36+01:00"))
    shift = shift_for(interval, "days", MADRID)
    parts = list(split_interval(interval, granularity, MADRID))
    before = split_previous(parts, shift.interval(interval), granularity, shift)
    assert len(before) == len(parts)
    days = {
        (local_date(one.start, MADRID) - local_date(other.start, MADRID)).days
        for one, other in zip(parts, before, strict=True)
    }
    assert days == {90}


def test_a_longer_month_has_its_own_last_days() -> None:
    february = Interval(midnight(date(2026, 2, 1), MADRID), midnight(date(2026, 3, 1), MADRID))
    shift = shift_for(february, "month", MADRID)
    parts = list(split_interval(february, "day", MADRID))
    before = split_previous(parts, shift.interval(february), "day", shift)
    assert [local_date(part.start, MADRID).day for part in before] == list(range(1, 32))


def test_days_are_cut_at_local_midnights() -> None:
    interval = Interval(at("2026-03-28T22:00+01:00"), at("2026-03-30T01:00+02:00"))
    assert [shown(part.start) for part in split_interval(interval, "day", MADRID)] == [
        "2026-03-28T21:00+00:00",
        "2026-03-28T23:00+00:00",
        "2026-03-29T22:00+00:00",
    ]


def test_a_day_with_25_hours_has_25_parts() -> None:
    day = Interval(midnight(date(2026, 10, 25), MADRID), midnight(date(2026, 10, 26), MADRID))
    parts = list(split_interval(day, "hour", MADRID))
    assert len(parts) == 25
    assert {part.end - part.start for part in parts} == {HOUR}


def test_hours_are_those_of_the_clock_on_the_wall() -> None:
    kathmandu = ZoneInfo("Asia/Kathmandu")
    interval = Interval(at("2026-03-14T00:00Z"), at("2026-03-14T02:00Z"))
    assert [shown(part.start) for part in split_interval(interval, "hour", kathmandu)] == [
        "2026-03-14T00:00+00:00",
        "2026-03-14T00:15+00:00",
        "2026-03-14T01:15+00:00",
    ]


def test_weeks_begin_on_mondays_and_months_on_their_first() -> None:
    interval = Interval(at("2026-02-26T12:00Z"), at("2026-04-02T00:00Z"))
    weeks = [shown(part.start)[:10] for part in split_interval(interval, "week", ZoneInfo("UTC"))]
    months = [shown(part.start)[:10] for part in split_interval(interval, "month", ZoneInfo("UTC"))]
    assert weeks == [
        "2026-02-26",
        "2026-03-02",
        "2026-03-09",
        "2026-03-16",
        "2026-03-23",
        "2026-03-30",
    ]
    assert months == ["2026-02-26", "2026-03-01", "2026-04-01"]


def test_a_day_that_a_zone_goes_over_has_no_part() -> None:
    apia = ZoneInfo("Pacific/Apia")
    interval = Interval(midnight(date(2011, 12, 29), apia), midnight(date(2012, 1, 1), apia))
    days = [str(local_date(part.start, apia)) for part in split_interval(interval, "day", apia)]
    assert days == ["2011-12-29", "2011-12-31"]


@given(
    st.sampled_from(ZONES),
    st.sampled_from(("hour", "day", "week", "month")),
    MOMENTS,
    st.integers(1, 40 * DAY),
)
def test_parts_follow_each_other_and_begin_where_the_calendar_turns(
    zone_name: str, granularity: str, start: int, length: int
) -> None:
    zone = ZoneInfo(zone_name)
    interval = Interval(start, start + length)
    parts = list(split_interval(interval, granularity, zone))
    assert (parts[0].start, parts[-1].end) == (interval.start, interval.end)
    assert all(part.start < part.end for part in parts)
    assert all(one.end == other.start for one, other in pairwise(parts))
    if granularity != "hour":
        for part in parts[1:]:
            assert part.start == midnight(local_date(part.start, zone), zone)
            longest = {"day": 1, "week": 7, "month": 31}[granularity]
            assert part.end - part.start <= (longest + 1) * DAY


# Midnight of 27 April 1975 was skipped in Havana.
@example("America/Havana", 56, 60)
@given(st.sampled_from(ZONES), st.integers(0, 20_000), st.integers(1, 60))
def test_before_days_are_as_many_days(zone_name: str, first: int, days: int) -> None:
    zone = ZoneInfo(zone_name)
    start = date.fromordinal(date(1975, 1, 1).toordinal() + first)
    end = date.fromordinal(start.toordinal() + days)
    interval = Interval(midnight(start, zone), midnight(end, zone))
    before = shift_for(interval, "days", zone).interval(interval)
    # A midnight that was skipped is that of the day after.
    counted = (local_date(before.end, zone) - local_date(before.start, zone)).days
    assert before.end == midnight(start, zone)
    assert abs(counted - days) <= (zone_name == "Pacific/Apia")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Europe",
        "Europe/Atlantis",
        "europe/madrid/",
        "/etc/localtime",
        "../UTC",
        "right/UTC",
        "posix/UTC",
        "localtime",
        "tzdata.zi",
        "é",
        "x" * 500,
    ],
)
def test_an_unknown_time_zone_is_none(name: str) -> None:
    assert zone_of(name) is None
