"""Report periods by name and by dates, and their neighbours."""

from contextlib import suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.reports.periods import (
    PERIODS,
    SPANS,
    Span,
    beside,
    bucket_label,
    bucket_words,
    comparison,
    granularity_for,
    next_granularity,
    next_midnight,
    placed,
    typed_span,
    unfinished,
)
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Bucket, Metrics

SATURDAY = date(2026, 3, 14)
DAYS = st.dates(date(2000, 1, 1), date(2100, 1, 1))


@pytest.mark.parametrize(
    ("name", "first", "end"),
    [
        ("today", date(2026, 3, 14), None),
        ("yesterday", date(2026, 3, 13), date(2026, 3, 14)),
        ("7 days", date(2026, 3, 8), None),
        ("30 days", date(2026, 2, 13), None),
        ("90 days", date(2025, 12, 15), None),
        ("12 weeks", date(2025, 12, 21), None),
        ("this week", date(2026, 3, 9), None),
        ("last week", date(2026, 3, 2), date(2026, 3, 9)),
        ("this month", date(2026, 3, 1), None),
        ("last month", date(2026, 2, 1), date(2026, 3, 1)),
    ],
)
def test_named_periods_are_days_of_the_calendar(name: str, first: date, end: date | None) -> None:
    assert PERIODS[name](SATURDAY) == Span(first, end)


@given(DAYS, st.sampled_from(sorted(PERIODS)))
def test_every_period_has_a_day_and_none_in_the_future(today: date, name: str) -> None:
    span = PERIODS[name](today)
    assert span.first <= today
    assert 1 <= span.days(today) <= 92
    assert span.end is None or span.first < span.end <= today


@given(DAYS, st.sampled_from(sorted(PERIODS)), st.integers(1, 6))
def test_going_back_never_leaves_a_gap(today: date, name: str, times: int) -> None:
    span = PERIODS[name](today)
    for _ in range(times):
        before = beside(span, -1, today)
        assert before is not None
        assert before.end == span.first
        span = before


@given(DAYS, st.sampled_from(sorted(PERIODS)))
def test_forward_from_the_period_before_covers_today_again(today: date, name: str) -> None:
    span = PERIODS[name](today)
    before = beside(span, -1, today)
    assert before is not None
    again = beside(before, 1, today)
    assert again is not None
    assert again.first == span.first
    after = beside(again, 1, today)
    assert after is None or (span.end is not None and after.first == span.end)


def test_months_follow_months_whatever_their_length() -> None:
    march = Span(date(2026, 3, 1), None)
    assert beside(march, -1, SATURDAY) == Span(date(2026, 2, 1), date(2026, 3, 1))
    assert beside(march, 1, SATURDAY) is None


@pytest.mark.parametrize(
    ("typed", "first", "end"),
    [
        ("2026-03-01 2026-03-05", date(2026, 3, 1), date(2026, 3, 6)),
        ("2026-03-01 .. 2026-03-14", date(2026, 3, 1), None),
        ("2026-03-05", date(2026, 3, 5), date(2026, 3, 6)),
        ("1 mar to 5 mar", date(2026, 3, 1), date(2026, 3, 6)),
        ("1 .. 13", date(2026, 3, 1), date(2026, 3, 14)),
        ("1 Mar – yesterday", date(2026, 3, 1), date(2026, 3, 14)),
    ],
)
def test_dates_can_be_typed_in_several_ways(typed: str, first: date, end: date | None) -> None:
    assert typed_span(typed, SATURDAY) == Span(first, end)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("soon", "2026-03-14"),
        ("", "2026-03-14"),
        ("2026-02-30", "2026-03-14"),
        ("2026-03-05 2026-03-01", "after the last"),
        ("2026-03-01 .. 2026-03-02 .. 2026-03-03", "Two days"),
        ("2026-12-01 2026-12-02", "future"),
        ("2024-01-01 2026-01-01", "366"),
    ],
)
def test_dates_that_cannot_be_meant_are_explained(typed: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        typed_span(typed, SATURDAY)


@given(st.text(max_size=40))
def test_nothing_that_is_typed_breaks_it(typed: str) -> None:
    with suppress(ValueError):
        assert typed_span(typed, SATURDAY).first <= SATURDAY


def test_parts_fit_the_period_and_can_be_others() -> None:
    assert [granularity_for(days) for days in (1, 2, 7, 30, 90, 366)] == [
        "hour", "hour", "day", "day", "week", "month",
    ]  # fmt: skip
    assert next_granularity("day", 7) == "hour"
    assert next_granularity("hour", 7) == "day"
    assert next_granularity("week", 90) == "month"
    assert next_granularity("hour", 1) == "hour"
    assert next_granularity("month", 366) == "day"


def bucket(start: str, end: str) -> Bucket:
    return Bucket(start=start, end=end, metrics=Metrics())


def test_a_part_that_is_cut_off_or_not_over_is_unfinished() -> None:
    now = datetime(2026, 3, 14, 10, tzinfo=UTC)
    whole = bucket("2026-03-13T00:00:00.000Z", "2026-03-14T00:00:00.000Z")
    today = bucket("2026-03-14T00:00:00.000Z", "2026-03-14T10:00:00.000Z")
    week = bucket("2026-03-04T00:00:00.000Z", "2026-03-09T00:00:00.000Z")
    assert not unfinished(whole, "day", UTC, now)
    assert unfinished(today, "day", UTC, now)
    assert unfinished(week, "week", UTC, now)
    assert not unfinished(bucket("2026-03-14T09:00:00Z", "2026-03-14T10:00:00Z"), "hour", UTC, now)
    for start, end in (("?", "?"), ("?", today.end), (today.start, "?")):
        assert not unfinished(bucket(start, end), "day", UTC, now)


@pytest.mark.parametrize(
    ("granularity", "start", "end", "cut"),
    [
        ("hour", "03-13T09:00:00", "03-13T10:00:00", False),
        ("hour", "03-13T09:30:00", "03-13T10:00:00", True),
        ("hour", "03-13T09:00:00", "03-13T09:59:30", True),
        ("day", "03-12T00:00:00", "03-13T00:00:00", False),
        ("day", "03-12T05:00:00", "03-13T00:00:00", True),
        ("day", "03-12T00:30:00", "03-13T00:00:00", True),
        ("day", "03-12T00:00:00", "03-12T00:00:30", True),
        ("week", "03-02T00:00:00", "03-09T00:00:00", False),
        ("week", "03-01T00:00:00", "03-09T00:00:00", True),
        ("week", "03-02T00:00:00", "03-07T00:00:00", True),
        ("month", "02-01T00:00:00", "03-01T00:00:00", False),
        # A Monday.
        ("month", "02-02T00:00:00", "03-01T00:00:00", True),
        ("month", "02-01T00:00:00", "02-09T00:00:00", True),
    ],
)
def test_a_part_is_cut_off_that_begins_or_ends_inside_its_hour_day_week_or_month(
    granularity: str, start: str, end: str, cut: bool
) -> None:
    part = bucket(f"2026-{start}.000Z", f"2026-{end}.000Z")
    assert unfinished(part, granularity, UTC, datetime(2026, 3, 14, tzinfo=UTC)) == cut


def test_a_part_is_whole_by_the_clock_of_the_report() -> None:
    madrid, now = ZoneInfo("Europe/Madrid"), datetime(2026, 3, 14, tzinfo=UTC)
    day = bucket("2026-03-11T23:00:00.000Z", "2026-03-12T23:00:00.000Z")
    assert not unfinished(day, "day", madrid, now)
    assert unfinished(day, "day", UTC, now)


def test_parts_have_short_and_long_names() -> None:
    one = bucket("2026-03-10T14:00:00.000Z", "2026-03-10T15:00:00.000Z")
    assert [bucket_label(one, parts, UTC, 7) for parts in ("hour", "day", "week", "month")] == [
        "14", "Tu", "10 Mar", "Mar",
    ]  # fmt: skip
    assert bucket_label(one, "day", UTC, 30) == "10"
    assert bucket_words(one, "hour", UTC) == "Tue 10 Mar 14:00"
    assert bucket_words(one, "week", UTC) == "week of 10 Mar"
    assert bucket_words(one, "month", UTC) == "March 2026"
    assert bucket_label(bucket("?", "?"), "day", UTC, 7) == "?"


def test_stored_report_options_are_restored_and_invalid_ones_become_defaults() -> None:
    asked = ReportOptions("last week", channel="c", zone="Europe/Lisbon", granularity="hour")
    assert ReportOptions.stored(asked.to_store()) == asked
    dates = asked.with_span(Span(date(2026, 3, 1), date(2026, 3, 5)))
    assert ReportOptions.stored(dates.to_store()) == dates
    for text in (
        None,
        "",
        "{",
        "[]",
        '{"period": "ever"}',
        '{"period": "custom"}',
        '{"period": 3}',
    ):
        assert ReportOptions.stored(text) == ReportOptions()


def test_a_query_has_the_days_of_the_period_its_parts_and_what_it_is_compared_with() -> None:
    query = ReportOptions("7 days", channel="c").query(SATURDAY)
    assert (query.from_, query.to, query.granularity) == ("2026-03-08", None, "day")
    assert (query.channel, query.compare) == ("c", None)


FIRST = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("name", "span", "today", "with_"),
    [
        *((name, None, SATURDAY, None) for name in ("today", "yesterday", "7 days", "90 days")),
        ("this week", None, SATURDAY, "week"),
        ("last week", None, SATURDAY, "week"),
        ("this month", None, SATURDAY, "month"),
        ("last month", None, SATURDAY, "month"),
        # A Monday and the first of a month: the name decides.
        ("today", None, FIRST, None),
        ("this week", None, FIRST, "week"),
        ("this month", None, FIRST, "month"),
        ("custom", Span(FIRST, None), FIRST, None),
        ("custom", Span(date(2026, 2, 1), date(2026, 3, 1)), SATURDAY, "month"),
        ("custom", Span(date(2025, 1, 1), date(2026, 1, 1)), SATURDAY, "year"),
        ("custom", Span(date(2026, 3, 9), None), SATURDAY, "week"),
        ("custom", Span(date(2026, 3, 3), date(2026, 3, 9)), SATURDAY, None),
    ],
)
def test_a_period_is_compared_with_the_one_that_fits_it(
    name: str, span: Span | None, today: date, with_: str | None
) -> None:
    assert comparison(name, span or PERIODS[name](today), today) == with_


@pytest.mark.parametrize(
    ("days", "granularity"),
    [
        (1, "hour"),
        (2, "hour"),
        (3, "day"),
        (45, "day"),
        (46, "week"),
        (190, "week"),
        (191, "month"),
    ],
)
def test_a_long_period_has_long_parts(days: int, granularity: str) -> None:
    assert granularity_for(days) == granularity


@pytest.mark.parametrize(
    ("days", "granularities"),
    [
        (1, ["hour"]),
        (2, ["hour", "day"]),
        (7, ["hour", "day"]),
        (8, ["hour", "day", "week"]),
        (31, ["hour", "day", "week"]),
        (32, ["hour", "day", "week", "month"]),
        (40, ["hour", "day", "week", "month"]),
        (41, ["day", "week", "month"]),
        (366, ["day", "week", "month"]),
    ],
)
def test_the_parts_that_suit_a_period_come_one_after_the_other(
    days: int, granularities: list[str]
) -> None:
    current, found = "year", []
    for _ in range(len(granularities) + 1):
        current = next_granularity(current, days)
        found.append(current)
    assert found == [*granularities, granularities[0]]


@pytest.mark.parametrize(
    ("end", "days"),
    [(date(2026, 3, 10), 1), (date(2026, 3, 12), 3), (None, 6), (date(2026, 3, 9), 1)],
)
def test_a_period_has_its_days_with_the_unfinished_one(end: date | None, days: int) -> None:
    assert Span(date(2026, 3, 9), end).days(SATURDAY) == days


@pytest.mark.parametrize(
    ("span", "step", "neighbour"),
    [
        # Some days are followed by as many.
        ((date(2026, 3, 1), date(2026, 3, 4)), 1, (date(2026, 3, 4), date(2026, 3, 7))),
        ((date(2026, 3, 1), date(2026, 3, 4)), -1, (date(2026, 2, 26), date(2026, 3, 1))),
        # Up to today, and not behind it.
        ((date(2026, 3, 10), date(2026, 3, 14)), 1, (date(2026, 3, 14), None)),
        ((date(2026, 3, 7), date(2026, 3, 10)), 1, (date(2026, 3, 10), date(2026, 3, 13))),
        ((date(2026, 3, 7), date(2026, 3, 15)), 1, None),
        # This week has seven days before it, whatever the day.
        ((date(2026, 3, 9), None), -1, (date(2026, 3, 2), date(2026, 3, 9))),
        # Months, also over the end of a year, and several at once.
        ((date(2026, 1, 1), date(2026, 2, 1)), -1, (date(2025, 12, 1), date(2026, 1, 1))),
        ((date(2025, 12, 1), date(2026, 1, 1)), 1, (date(2026, 1, 1), date(2026, 2, 1))),
        ((date(2025, 1, 1), date(2026, 1, 1)), -1, (date(2024, 1, 1), date(2025, 1, 1))),
        ((date(2025, 10, 1), date(2026, 1, 1)), 1, (date(2026, 1, 1), None)),
        # The first of a month to no first of a month is some days.
        ((date(2026, 2, 1), date(2026, 2, 3)), -1, (date(2026, 1, 30), date(2026, 2, 1))),
        ((date(2026, 2, 1), None), -1, (date(2025, 12, 21), date(2026, 2, 1))),
    ],
)
def test_the_neighbour_of_a_period_is_as_long(
    span: tuple[date, date | None], step: int, neighbour: tuple[date, date | None] | None
) -> None:
    assert beside(Span(*span), step, SATURDAY) == (neighbour and Span(*neighbour))


def test_the_longest_period_is_a_leap_year_and_ends_today_at_the_latest() -> None:
    assert typed_span("2025-03-14 .. 2026-03-14", SATURDAY).days(SATURDAY) == 366
    with pytest.raises(ValueError, match="more than 366 days"):
        typed_span("2025-03-13 .. 2026-03-14", SATURDAY)
    assert typed_span("2026-03-13 .. 2026-03-20", SATURDAY) == Span(date(2026, 3, 13), None)
    assert typed_span("2026-03-14", SATURDAY) == Span(SATURDAY, None)
    with pytest.raises(ValueError, match="in the future; today is 2026-03-14"):
        typed_span("2026-03-15", SATURDAY)


def test_periods_have_short_names_in_a_shell() -> None:
    assert list(SPANS) == [
        *("today", "yesterday", "7d", "30d", "90d", "12w"),
        *("this-week", "last-week", "this-month", "last-month"),
    ]


def test_a_query_is_placed_in_the_calendar_of_a_zone() -> None:
    query = placed(ReportQuery(channel="c"), "last-month", "Europe/Madrid", SATURDAY)
    assert (query.from_, query.to, query.timezone) == ("2026-02-01", "2026-03-01", "Europe/Madrid")
    assert (query.channel, query.compare) == ("c", "month")
    open_ended = placed(ReportQuery(compare="year"), "7d", "UTC", SATURDAY)
    assert (open_ended.from_, open_ended.to, open_ended.compare) == ("2026-03-08", None, "year")


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        ("2026-03-13T00:00:00", "2026-03-13"),
        ("2026-03-13T00:00:00.000001", "2026-03-14"),
        ("2026-03-13T00:00:01", "2026-03-14"),
        ("2026-03-13T00:01:00", "2026-03-14"),
        ("2026-03-13T23:00:00", "2026-03-14"),
    ],
)
def test_a_day_that_has_begun_ends_at_the_next_midnight(moment: str, end: str) -> None:
    assert next_midnight(datetime.fromisoformat(moment)) == datetime.fromisoformat(end)


def test_days_of_a_fortnight_are_named_and_those_of_more_are_numbered() -> None:
    one = bucket("2026-03-10T23:30:00.000Z", "2026-03-11T23:30:00.000Z")
    madrid = ZoneInfo("Europe/Madrid")
    assert [bucket_label(one, "day", madrid, count) for count in (14, 15)] == ["We", "11"]
    assert bucket_words(one, "day", madrid) == "Wed 11 Mar"
    assert bucket_words(bucket("?", "?"), "day", UTC) == "?"


@pytest.mark.parametrize(
    ("now", "is_unfinished"), [("2026-03-14T09:59:59", True), ("2026-03-14T10:00:00", False)]
)
def test_an_hour_is_over_when_the_next_begins(now: str, is_unfinished: bool) -> None:
    hour = bucket("2026-03-14T09:00:00Z", "2026-03-14T10:00:00Z")
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert unfinished(hour, "hour", UTC, moment) == is_unfinished


@pytest.mark.parametrize(
    ("span", "with_"),
    [
        ((date(2026, 3, 14), None), None),
        ((date(2026, 1, 1), date(2026, 3, 1)), None),
        ((date(2025, 2, 1), date(2026, 2, 1)), "year"),
        ((date(2026, 3, 1), None), "month"),
        ((date(2026, 2, 1), None), None),
        ((date(2026, 3, 2), None), None),
        ((date(2026, 2, 2), date(2026, 3, 1)), None),
        ((date(2026, 2, 1), date(2026, 3, 2)), None),
    ],
)
def test_dates_are_compared_as_a_week_a_month_or_a_year_if_they_are_one(
    span: tuple[date, date | None], with_: str | None
) -> None:
    assert comparison("custom", Span(*span), SATURDAY) == with_
