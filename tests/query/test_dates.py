"""Days in queries: what they cover, in which zone, and where a list by activity may end."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.query import Matcher, QueryError, QueryNames, parse, plan
from frontdesk.query.dates import Days, moments, parse_days, problem
from frontdesk.wire import Conversation
from frontdesk.wire.values import timestamp
from tests.client import inbox_rows

TODAY = date(2026, 11, 26)
NOW = datetime(2026, 11, 26, 18, 48, tzinfo=UTC)
ZONES = sorted(available_timezones())


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2026-11-01", "2026-11-01", "2026-11-02"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("today", "2026-11-26", "2026-11-27"),
        ("yesterday", "2026-11-25", "2026-11-26"),
        ("2026-11-01..2026-11-15", "2026-11-01", "2026-11-16"),
        ("2026-10..2026-11", "2026-10-01", "2026-12-01"),
        ("2026-11-01..", "2026-11-01", None),
        ("..2026-10", None, "2026-11-01"),
        (">2026-11", "2026-12-01", None),
        (">=2026-11", "2026-11-01", None),
        ("<2026-11-01", None, "2026-11-01"),
        ("<=2026-11-01", None, "2026-11-02"),
        ("2026-11-20..today", "2026-11-20", "2026-11-27"),
    ],
)
def test_days_cover_all_of_what_is_written(text: str, first: str | None, end: str | None) -> None:
    days = Days(first and date.fromisoformat(first), end and date.fromisoformat(end))  # type: ignore[arg-type]
    assert parse_days(text, TODAY) == days
    assert problem(text) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-02-30", "There is no day 2026-02-30"),
        ("2026-13", "There is no day 2026-13"),
        ("0000", "There is no day 0000"),
        ("9999", "There is no day 9999"),
        ("..", "One side of .. has to be a day"),
        ("2026-11-30..2026-11-01", "comes after"),
        ("monday", "monday is no day"),
        ("2026-11-1", "is no day"),
        ("<2", "2 is no day"),
        (">=", "is no day"),
    ],
)
def test_what_is_no_day_is_said(text: str, words: str) -> None:
    assert words in problem(text)
    with pytest.raises(QueryError, match="created: takes a day such as"):
        parse(f"created:{text}")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("since:2026-11-04", "sent:2026-11-04.."),
        ("after:2026-11", "sent:2026-11.."),
        ("until:today", "sent:..today"),
        ("before:2026-11", "sent:..2026-10-31"),
        ("before:today", "sent:<today"),
        ("-before:2026", "-sent:..2025-12-31"),
        ("before:2026-11-05 after:2026-11-02", "sent:2026-11-02..2026-11-04"),
    ],
)
def test_prefixes_of_other_programs_are_days_of_messages(text: str, days: str) -> None:
    assert str(parse(text)) == days
    assert str(parse(days)) == days


def test_a_number_with_a_unit_is_an_age_and_the_rest_a_day() -> None:
    assert str(parse("active:<02d waiting:>1h active:<2026-11-01")) == (
        "waiting:>1h active:<2d active:<2026-11-01"
    )
    with pytest.raises(QueryError, match="window: takes < or > and a time"):
        parse("window:2026")


@given(st.sampled_from(ZONES), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_the_days_of_a_zone_follow_each_other_without_a_gap(name: str, day: date) -> None:
    now = datetime(2026, 6, 1, tzinfo=ZoneInfo(name))
    after = day + timedelta(days=1)
    begin, end = moments(day.isoformat(), now)
    assert end == moments(after.isoformat(), now)[0]
    assert begin is not None
    assert end is not None
    assert begin.astimezone(UTC) <= end.astimezone(UTC)


def test_today_is_the_day_of_the_readers_zone() -> None:
    late = datetime(2026, 11, 26, 23, 30, tzinfo=UTC)
    tokyo = late.astimezone(ZoneInfo("Asia/Tokyo"))
    assert moments("today", tokyo)[0] == datetime(2026, 11, 26, 15, tzinfo=UTC)
    assert moments("today", late)[0] == datetime(2026, 11, 26, tzinfo=UTC)
    here = moments("2026-11-26", late.astimezone(timezone(timedelta(hours=1))))[0]
    assert here == datetime(2026, 11, 26).astimezone()


def row_of(**members: Any) -> Conversation:
    return Conversation.model_validate({**inbox_rows.conversation(0), **members})


@pytest.mark.parametrize(
    ("text", "member"),
    [("active", "last_activity_at"), ("created", "created_at"), ("waiting", "waiting_since")],
)
def test_a_row_is_found_by_its_time(text: str, member: str) -> None:
    keep = Matcher(parse(f"{text}:2026-11-01..2026-11-02").filters, QueryNames(), NOW)
    times = ("2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00.000Z", "2026-11-02T23:59:59.000Z")
    after = "2026-11-03T00:00:00.000Z"
    assert [keep(row_of(**{member: time})) for time in (*times, after)] == [
        False,
        True,
        True,
        False,
    ]


def test_a_row_without_the_time_is_never_found() -> None:
    row = row_of(waiting_since=None)
    for text in ("waiting:2026..", "waiting:..2030"):
        assert not Matcher(parse(text).filters, QueryNames(), NOW)(row)


_MOMENTS = st.integers(1_760_000_000_000, 1_800_000_000_000)


@given(st.lists(st.tuples(_MOMENTS, st.integers(0, 10**10)), max_size=20))
@pytest.mark.parametrize("text", ["active:2026-11..", "created:2026-11-10..2026-11", "active:2026"])
def test_a_list_by_activity_is_left_where_nothing_can_match(
    text: str, times: list[tuple[int, int]]
) -> None:
    rows = [
        row_of(last_activity_at=timestamp(active), created_at=timestamp(active - age))
        for active, age in sorted(times, reverse=True)
    ]
    answer = plan(parse(text), QueryNames())
    keep = Matcher(answer.rest, QueryNames(), NOW)
    ended = next((at for at, row in enumerate(rows) if answer.is_beyond(row, NOW)), len(rows))
    assert not any(map(keep, rows[ended:]))
    assert answer.limits


def test_a_range_until_today_that_has_not_begun_is_empty() -> None:
    keep = Matcher(parse("created:2999..today").filters, QueryNames(), NOW)
    assert not keep(row_of(created_at="2999-01-01T00:00:00.000Z"))
