"""Dates as people type them."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.dates import day_of, parse_moment, period_of

TODAY = date(2026, 3, 14)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-01", date(2026, 3, 1)),
        ("14 mar", date(2026, 3, 14)),
        ("15 Mar", date(2025, 3, 15)),
        ("Mar 2, 2024", date(2024, 3, 2)),
        ("1.2.", date(2026, 2, 1)),
        ("1.2.24", date(2024, 2, 1)),
        ("13/2", date(2026, 2, 13)),
        ("2/13", date(2026, 2, 13)),
        ("2/12", None),
        ("12/2", None),
        ("1/2", None),
        ("1 january", date(2026, 1, 1)),
        ("15 mar", date(2025, 3, 15)),
        ("15 mar 26", date(2026, 3, 15)),
        ("today", TODAY),
        ("yesterday", date(2026, 3, 13)),
        ("3d", date(2026, 3, 11)),
        ("3 days ago", date(2026, 3, 11)),
        ("14", TODAY),
        ("13", date(2026, 3, 13)),
        ("05", date(2026, 3, 5)),
        ("15", date(2026, 2, 15)),
        ("31", date(2026, 1, 31)),
        ("0", None),
        ("32", None),
        ("365", None),
        ("sat", TODAY),
        ("Friday", date(2026, 3, 13)),
        ("3/4", None),
        ("3/3", date(2026, 3, 3)),
        ("12/12", date(2025, 12, 12)),
        ("12/1", None),
        ("3.4.", date(2025, 4, 3)),
        ("3-2", date(2026, 2, 3)),
        ("2026/3/1", date(2026, 3, 1)),
        ("2026-03", date(2026, 3, 1)),
        ("1.2.1999", date(1999, 2, 1)),
        ("1.2.123", date(123, 2, 1)),
        ("13.13.", None),
        ("1/2-24", None),
        ("march 14", TODAY),
        ("14. march 2025", date(2025, 3, 14)),
        ("14 march 25", date(2025, 3, 14)),
        ("1 2 march 2025", None),
        ("march", None),
        ("mar apr 3", None),
        ("0d", TODAY),
        ("-3d", date(2026, 3, 11)),
        ("99999d", date(1752, 5, 30)),
        ("100000d", None),
        ("sun", date(2026, 3, 8)),
        ("31 feb", None),
        ("soon", None),
        ("", None),
    ],
)
def test_days_are_read_as_people_write_them(text: str, day: date | None) -> None:
    assert day_of(text, TODAY) == day


@pytest.mark.parametrize(
    ("today", "text", "day"),
    [
        (date(2026, 11, 25), "24", date(2026, 11, 24)),
        (date(2026, 11, 25), "28", date(2026, 10, 28)),
        (date(2026, 1, 5), "6", date(2025, 12, 6)),
        (date(2026, 3, 29), "30", date(2026, 1, 30)),
        (date(2026, 7, 30), "31", date(2026, 5, 31)),
    ],
)
def test_a_number_is_the_latest_day_of_a_month_that_has_it(
    today: date, text: str, day: date
) -> None:
    assert day_of(text, today) == day


@given(st.text())
def test_no_text_breaks_the_reading_of_days(text: str) -> None:
    assert day_of(text, TODAY) is None or isinstance(day_of(text, TODAY), date)


@given(st.dates(max_value=TODAY))
def test_iso_days_are_read_as_they_are(day: date) -> None:
    assert day_of(day.isoformat(), TODAY) == day


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2026-11-05", date(2026, 11, 5), date(2026, 11, 6)),
        ("2026-11-30", date(2026, 11, 30), date(2026, 12, 1)),
        ("2026-11", date(2026, 11, 1), date(2026, 12, 1)),
        ("2026-12", date(2026, 12, 1), date(2027, 1, 1)),
        ("2026-01", date(2026, 1, 1), date(2026, 2, 1)),
        ("2026", date(2026, 1, 1), date(2027, 1, 1)),
    ],
)
def test_a_day_month_or_year_has_a_first_day_and_an_end(text: str, first: date, end: date) -> None:
    assert period_of(text) == (first, end)


@pytest.mark.parametrize("text", ["", "26", "2026-1", "2026-11-5", "20261105", "2026-11-05 ", "x"])
def test_another_form_is_no_period(text: str) -> None:
    assert period_of(text) is None


@pytest.mark.parametrize("text", ["2026-13", "2026-00", "2026-02-30", "0000", "9999", "9999-12"])
def test_a_day_that_does_not_exist_is_a_mistake(text: str) -> None:
    with pytest.raises(ValueError, match=f"There is no day {text}"):
        period_of(text)


NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2h", datetime(2026, 3, 14, 8, 0, tzinfo=UTC)),
        ("30m", datetime(2026, 3, 14, 9, 30, tzinfo=UTC)),
        ("1d", datetime(2026, 3, 13, 10, 0, tzinfo=UTC)),
        ("90s", datetime(2026, 3, 14, 9, 58, 30, tzinfo=UTC)),
        ("2026-03-14", datetime(2026, 3, 13, 23, 0, tzinfo=UTC)),
        ("2026-03-14T09:30", datetime(2026, 3, 14, 8, 30, tzinfo=UTC)),
        ("2026-03-14T09:30-03:00", datetime(2026, 3, 14, 12, 30, tzinfo=UTC)),
    ],
)
def test_a_moment_is_a_day_a_time_or_an_age(text: str, moment: datetime) -> None:
    found = parse_moment(text, NOW, ZoneInfo("Europe/Madrid"))
    assert (found, found.tzinfo) == (moment, UTC)


@pytest.mark.parametrize("text", ["1w", "soon", "2026-13-01", "", "x" * 41])
def test_what_is_no_moment_is_answered_by_examples(text: str) -> None:
    with pytest.raises(ValueError, match="use a day or a time such as 2026-03-14 or ") as refused:
        parse_moment(text, NOW, ZoneInfo("Europe/Madrid"))
    assert len(str(refused.value)) < 140
