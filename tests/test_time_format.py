"""Ages, durations and dates for people."""

import locale
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from frontdesk.text.times import (
    ago,
    ahead_or_behind,
    duration,
    in_zone,
    long_date,
    long_duration,
    milliseconds,
    parse_duration,
    range_words,
    short_date,
    time_of_day,
    zone_name,
    zone_words,
)

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "shown"),
    [
        (timedelta(seconds=-90), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=1), "1m"),
        (timedelta(minutes=59, seconds=59), "59m"),
        (timedelta(hours=1), "1h"),
        (timedelta(hours=23, minutes=59), "23h"),
        (timedelta(days=1), "Fri"),
        (timedelta(days=5, hours=23), "Sun"),
        (timedelta(days=6), "8 Mar"),
        (timedelta(days=72), "1 Jan"),
        (timedelta(days=73), "2025"),
    ],
)
def test_ages_are_short(passed: timedelta, shown: str) -> None:
    assert ago(NOW - passed, NOW) == shown


@pytest.mark.parametrize(
    ("length", "short", "long"),
    [
        (timedelta(minutes=-5), "0m", "0m"),
        (timedelta(seconds=59), "0m", "0m"),
        (timedelta(minutes=59, seconds=59), "59m", "59m"),
        (timedelta(hours=1), "1h", "1h 0m"),
        (timedelta(hours=23, minutes=59), "23h", "23h 59m"),
        (timedelta(days=1), "1d", "1d 0h"),
        (timedelta(days=3, hours=2, minutes=59), "3d", "3d 2h"),
        (timedelta(days=999, hours=23), "999d", "999d 23h"),
        (timedelta(days=1000), "2y", "1000d 0h"),
        (timedelta(days=3650), "10y", "3650d 0h"),
    ],
)
def test_durations_name_their_units(length: timedelta, short: str, long: str) -> None:
    assert (duration(length), long_duration(length)) == (short, long)


@pytest.mark.parametrize(
    ("skew", "words"),
    [
        (None, "the server sends no time"),
        (timedelta(), "the same as here"),
        (timedelta(seconds=1.4), "1 second ahead of this machine"),
        (timedelta(seconds=-1), "1 second behind this machine"),
        (timedelta(seconds=90), "90 seconds ahead of this machine"),
        (timedelta(seconds=-90), "90 seconds behind this machine"),
    ],
)
def test_a_clock_is_ahead_or_behind_by_seconds(skew: timedelta | None, words: str) -> None:
    assert ahead_or_behind(skew) == words


def test_latencies_are_in_whole_milliseconds() -> None:
    assert milliseconds(None) == "unknown"
    assert milliseconds(timedelta(microseconds=83_600)) == "84 ms"


@pytest.mark.parametrize(
    ("text", "units", "length"),
    [
        ("30d", "hdw", timedelta(days=30)),
        ("90s", "s", timedelta(seconds=90)),
        ("99999w", "w", timedelta(weeks=99_999)),
        ("0m", "m", timedelta()),
        ("30m", "hdw", None),
        ("100000w", "w", None),
        ("30", "d", None),
        (" 30d", "d", None),
        ("٣d", "d", None),
    ],
)
def test_a_duration_is_a_number_and_one_of_the_units(
    text: str, units: str, length: timedelta | None
) -> None:
    assert parse_duration(text, units) == length


@pytest.mark.parametrize(
    ("limit", "hours"),
    [(datetime.min.replace(tzinfo=UTC), -11), (datetime.max.replace(tzinfo=UTC), 14)],
)
def test_the_limits_of_the_calendar_stay_in_utc(limit: datetime, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    assert in_zone(limit, zone).tzinfo is UTC
    assert in_zone(NOW, zone).tzinfo is zone


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
    assert range_words(at(1, 1) - timedelta(hours=10), at(1, 3)) == "31 Dec 2025 14:00 – 2 Jan 2026"
    assert range_words(at(2, 8), at(3, 3), year=False) == "8 Feb – 2 Mar"


@pytest.mark.parametrize(
    ("zone", "months", "words", "name"),
    [
        (ZoneInfo("Europe/Madrid"), (1,), "Europe/Madrid", "CET"),
        (ZoneInfo("Europe/Madrid"), (1, 7), "Europe/Madrid", "CET/CEST"),
        (ZoneInfo("America/Sao_Paulo"), (1, 7), "America/Sao_Paulo", "UTC-03:00"),
        (UTC, (1, 7), "UTC", "UTC"),
        (timezone(timedelta(hours=3)), (1,), "UTC+03:00", "UTC+03:00"),
        (timezone(timedelta(hours=-3, minutes=-30)), (1,), "UTC-03:30", "UTC-03:30"),
        (timezone(timedelta(hours=1), "CET"), (1,), "CET (UTC+01:00)", "CET"),
        (timezone(timedelta(hours=1), "+01"), (1,), "UTC+01:00", "UTC+01:00"),
    ],
)
def test_a_zone_has_its_name_or_its_offset(
    zone: ZoneInfo | timezone, months: tuple[int, ...], words: str, name: str
) -> None:
    moments = [datetime(2026, month, 1, tzinfo=zone) for month in months]
    assert (zone_words(moments), zone_name(moments)) == (words, name)
