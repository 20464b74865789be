"""Dates as people type them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.dates import day_of

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
