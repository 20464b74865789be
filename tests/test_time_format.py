"""Ages, durations and dates for people."""

import locale
from datetime import UTC, datetime, timedelta

import pytest

from frontdesk.text.times import (
    ago,
    duration,
    long_date,
    long_duration,
    range_words,
    short_date,
    time_of_day,
)

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "shown"),
    [
        (timedelta(seconds=-90), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=12), "12m"),
        (timedelta(hours=3), "3h"),
        (timedelta(days=2), "Thu"),
        (timedelta(days=20), "22 Feb"),
        (timedelta(days=400), "2025"),
    ],
)
def test_ages_are_short(passed: timedelta, shown: str) -> None:
    assert ago(NOW - passed, NOW) == shown


def test_durations_name_their_units() -> None:
    assert [duration(timedelta(minutes=m)) for m in (-5, 12, 125, 3000)] == [
        "0m",
        "12m",
        "2h",
        "2d",
    ]
    days = (99, 100, 999, 1000, 3650)
    assert [duration(timedelta(days=d)) for d in days] == ["99d", "100d", "999d", "2y", "10y"]
    assert long_duration(timedelta(hours=21, minutes=40)) == "21h 40m"
    assert long_duration(timedelta(days=3, hours=2)) == "3d 2h"
    assert long_duration(timedelta(minutes=5)) == "5m"


LOCALES = {
    "american": {locale.D_FMT: "%m/%d/%Y", locale.T_FMT: "%r"},
    "british": {locale.D_FMT: "%d/%m/%y", locale.T_FMT: "%T"},
}


@pytest.mark.parametrize(
    ("formats", "short", "long", "time"),
    [
        ("american", "Mar 9", "Monday, March 9, 2026", "2:05 PM"),
        ("british", "9 Mar", "Monday 9 March 2026", "14:05"),
    ],
)
def test_days_and_times_follow_the_locale(
    monkeypatch: pytest.MonkeyPatch, formats: str, short: str, long: str, time: str
) -> None:
    monkeypatch.setattr(locale, "setlocale", lambda category: "xx_XX.UTF-8")
    monkeypatch.setattr(locale, "nl_langinfo", LOCALES[formats].__getitem__)
    moment = datetime(2026, 3, 9, 14, 5, tzinfo=UTC)
    assert (short_date(moment), long_date(moment), time_of_day(moment)) == (short, long, time)


def test_the_plain_locale_has_days_first_and_twenty_four_hours() -> None:
    moment = datetime(2026, 3, 9, 0, 5, tzinfo=UTC)
    assert (short_date(moment), time_of_day(moment)) == ("9 Mar", "00:05")


def test_ranges_report_times_only_where_they_are_not_midnight() -> None:
    def at(month: int, day: int, hour: int = 0) -> datetime:
        return datetime(2026, month, day, hour, tzinfo=UTC)

    assert range_words(at(3, 8), at(3, 15)) == "8 – 14 Mar 2026"
    assert range_words(at(3, 8), at(3, 14, 10)) == "8 – 14 Mar 2026 until 10:00"
    assert range_words(at(3, 1, 14), at(3, 8), year=False) == "1 Mar 14:00 – 7 Mar"
    assert range_words(at(3, 14), at(3, 14, 10)) == "14 Mar 2026 until 10:00"
    assert range_words(at(3, 13), at(3, 14)) == "13 Mar 2026"
    assert range_words(at(3, 13, 14), at(3, 14)) == "13 Mar 2026 14:00 – 24:00"
    assert range_words(at(2, 28) - timedelta(days=60), at(3, 1)) == "30 Dec 2025 – 28 Feb 2026"
