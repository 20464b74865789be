"""Business time between two moments, also where clocks change, against a count of minutes."""

import json
import tomllib
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.business_hours import (
    MOST_HOLIDAYS,
    MOST_SPANS,
    BusinessCalendar,
    BusinessClock,
    BusinessHours,
    dumps,
    loads,
    parse_hours,
    toml_text,
    written,
)

MINUTE = 60_000
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE
MADRID = {
    "timezone": "Europe/Madrid",
    **{day: ["09:00-13:00", "15:00-18:00"] for day in ("monday", "tuesday", "wednesday")},
    "friday": ["09:00-13:00"],
    "holidays": ["2026-03-10"],
}
NIGHT = {"timezone": "Europe/Madrid", "saturday": ["22:00-24:00"], "sunday": ["00:00-04:00"]}


def calendar(contents: dict[str, Any]) -> BusinessCalendar:
    found = parse_hours(contents).calendar
    assert found is not None
    return found


def at(text: str, zone: str = "Europe/Madrid") -> int:
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
    return round(moment.timestamp() * 1000)


def between(contents: dict[str, Any], start: str, end: str) -> int:
    """Minutes of business hours."""
    first, last = at(start), at(end)
    return BusinessClock(calendar(contents), first - DAY, last + DAY).between(first, last) // MINUTE


@pytest.mark.parametrize(
    ("start", "end", "minutes"),
    [
        # 9 March 2026 is a Monday; the 10th is a holiday.
        ("2026-03-09T10:00", "2026-03-09T10:30", 30),
        ("2026-03-09T08:00", "2026-03-09T09:10", 10),
        ("2026-03-09T12:30", "2026-03-09T15:30", 60),
        ("2026-03-09T13:10", "2026-03-09T14:50", 0),
        ("2026-03-09T17:30", "2026-03-11T09:30", 60),
        # A week-end, and a day without hours.
        ("2026-03-11T17:00", "2026-03-13T09:20", 80),
        ("2026-03-13T12:59", "2026-03-16T09:01", 2),
        ("2026-03-16T10:00", "2026-03-16T10:00", 0),
    ],
)
def test_only_time_within_the_spans_counts(start: str, end: str, minutes: int) -> None:
    assert between(MADRID, start, end) == minutes


@pytest.mark.parametrize(
    ("start", "end", "minutes"),
    [
        # On 29 March 2026, 02:00 is followed by 03:00: the night has five hours.
        ("2026-03-28T20:00", "2026-03-29T12:00", 5 * 60),
        ("2026-03-29T01:30", "2026-03-29T03:30", 60),
        # On 25 October 2026, 03:00 is followed by 02:00 again: it has seven.
        ("2026-10-24T20:00", "2026-10-25T12:00", 7 * 60),
        ("2026-10-25T01:30+02:00", "2026-10-25T02:30+01:00", 2 * 60),
    ],
)
def test_an_hour_that_is_skipped_does_not_count_and_one_that_is_repeated_counts_twice(
    start: str, end: str, minutes: int
) -> None:
    assert between(NIGHT, start, end) == minutes


@settings(max_examples=60)
@given(
    zone=st.sampled_from(("Europe/Madrid", "America/St_Johns", "Australia/Lord_Howe", "UTC")),
    start=st.integers(at("2026-03-20", "UTC") // MINUTE, at("2026-04-12", "UTC") // MINUTE),
    length=st.integers(0, 5 * 24 * 60),
)
def test_business_time_is_the_number_of_minutes_whose_local_time_is_open(
    zone: str, start: int, length: int
) -> None:
    own = calendar({**MADRID, "timezone": zone, "sunday": ["00:30-03:30"]})
    first, last = start * MINUTE, (start + length) * MINUTE

    def is_open(moment: int) -> bool:
        local = datetime.fromtimestamp(moment / 1000, UTC).astimezone(ZoneInfo(zone))
        minute = local.hour * 60 + local.minute
        return any(span.start <= minute < span.end for span in own.spans(local.date()))

    counted = sum(is_open(moment) for moment in range(first, last, MINUTE))
    clock = BusinessClock(own, first - DAY, last + DAY)
    assert clock.between(first, last) == counted * MINUTE


@given(st.integers(0, 4 * DAY), st.integers(1, 20 * HOUR))
def test_the_moment_before_is_the_last_since_which_so_much_time_has_passed(
    offset: int, length: int
) -> None:
    start = at("2026-03-02T00:00")
    end = start + 10 * DAY + offset
    clock = BusinessClock(calendar(MADRID), start, end)
    moment = clock.before(end, length)
    if moment is None:
        assert clock.between(start, end) < length
    else:
        assert clock.between(moment, end) >= length
        assert clock.between(moment + 1, end) < length


def test_a_channel_has_its_own_hours_or_those_of_the_account() -> None:
    hours = parse_hours({**MADRID, "channels": {"101": NIGHT}})
    assert hours.of("101") == calendar(NIGHT)
    assert hours.of("102") == calendar(MADRID)
    assert loads(dumps(hours)) == hours
    assert dumps(BusinessHours()) is None
    assert not loads(None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"timezone": "Spain"}, "timezone: it is an IANA name such as Europe/Madrid, not 'Spain'"),
        ({"monday": "09:00-13:00"}, "monday: it is a list of up to 12 spans"),
        ({"monday": ["9-13"]}, "monday: '9-13' is no span such as 09:00-13:00"),
        ({"monday": ["13:00-09:00"]}, "monday: '13:00-09:00' ends before it begins"),
        ({"monday": ["09:00-13:00", "12:00-14:00"]}, "begins in another span"),
        ({"holidays": ["25.12.2026"]}, "holidays: '25.12.2026' is no date"),
        ({"lunch": "12:00"}, "lunch: there is timezone, monday"),
        ({"channels": {"1": {"timezone": "UTC"}}}, "channels.1.monday: some weekday needs hours"),
    ],
)
def test_hours_that_are_none_say_what_is_wrong_and_where(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        parse_hours({**MADRID, **change})


@pytest.mark.parametrize(
    ("spans", "minutes"),
    [
        (["00:00-24:00"], [(0, 1440)]),
        (["00:00-00:01"], [(0, 1)]),
        ([" 09:05 – 23:59 "], [(545, 1439)]),
        # One may begin when another ends.
        (["09:00-13:00", "13:00-14:00"], [(540, 780), (780, 840)]),
        ([f"{hour:02}:00-{hour:02}:30" for hour in range(MOST_SPANS)], None),
        ([], []),
    ],
)
def test_the_spans_of_a_day_are_minutes_since_its_midnight(
    spans: list[str], minutes: list[tuple[int, int]] | None
) -> None:
    found = calendar({**MADRID, "thursday": spans}).week[3]
    assert len(found) == len(spans)
    assert minutes is None or [*found] == minutes


@pytest.mark.parametrize(
    "spans",
    [
        ["09:00-09:00"],
        ["09:00-13:00", "12:59-14:00"],
        ["24:00-24:00"],
        ["09:00-24:01"],
        ["09:60-10:00"],
        ["9:00-10:00"],
        [900],
        [f"{hour:02}:00-{hour:02}:30" for hour in range(MOST_SPANS + 1)],
        None,
        "09:00-13:00",
    ],
)
def test_what_is_no_spans_of_a_day_is_refused(spans: object) -> None:
    with pytest.raises(ValueError, match="thursday: "):
        parse_hours({**MADRID, "thursday": spans})


def test_holidays_are_dates_or_their_texts_and_not_too_many() -> None:
    days = [date.fromordinal(date(2026, 1, 1).toordinal() + number) for number in range(1_001)]
    assert calendar({**MADRID, "holidays": [days[0], "2026-01-02"]}).holidays == {*days[:2]}
    assert len(calendar({**MADRID, "holidays": days[:MOST_HOLIDAYS]}).holidays) == MOST_HOLIDAYS
    for wrong in (days, "2026-01-01", [datetime(2026, 1, 1, tzinfo=UTC)], [1.5]):
        with pytest.raises(ValueError, match="holidays: "):
            parse_hours({**MADRID, "holidays": wrong})


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ([], "^it is a table of a time zone and weekdays$"),
        ({"channels": []}, "^channels: it is a table of channels by their ids$"),
        ({"channels": {"1": 7}}, r"^channels\.1\.: it is a table of a time zone"),
        ({**MADRID, "timezone": None}, "^timezone: it is an IANA name .*, not None$"),
        ({**MADRID, "timezone": ""}, "^timezone: it is an IANA name .*, not ''$"),
        ({"timezone": "UTC", "monday": []}, "^monday: some weekday needs hours"),
    ],
)
def test_what_is_no_table_of_hours_is_refused(contents: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_hours(contents)


def test_an_account_may_have_hours_for_some_channels_only() -> None:
    assert parse_hours({}) == BusinessHours()
    hours = parse_hours({"channels": {"101": NIGHT}})
    assert hours
    assert (hours.calendar, hours.of("102")) == (None, None)
    assert loads(dumps(hours)) == hours


NIGHT_TABLE = {**NIGHT, "holidays": []}


def test_hours_are_stored_as_they_are_written_by_channel_and_without_days_that_are_closed() -> None:
    assert written(calendar(NIGHT)) == NIGHT_TABLE
    assert written(calendar(MADRID)) == MADRID
    hours = parse_hours({**MADRID, "channels": {"102": NIGHT, "101": NIGHT}})
    channels = {"101": NIGHT_TABLE, "102": NIGHT_TABLE}
    assert dumps(hours) == json.dumps({**MADRID, "channels": channels})
    assert dumps(parse_hours({"channels": channels})) == json.dumps({"channels": channels})


def test_hours_as_toml_are_read_again() -> None:
    hours = parse_hours({**MADRID, "channels": {"102": NIGHT, "101": MADRID}})
    text = toml_text(hours)
    assert (
        text.split("\n\n")[2]
        == """\
[business_hours.channels."102"]
timezone = "Europe/Madrid"
saturday = ["22:00-24:00"]
sunday = ["00:00-04:00"]
holidays = []"""
    )
    assert "\nholidays = [2026-03-10]\n\n[business_hours.channels" in text
    assert parse_hours(tomllib.loads(text)["business_hours"]) == hours
    assert toml_text(BusinessHours()) == ""


def test_beyond_the_ends_of_its_range_nothing_is_open() -> None:
    start, end = at("2026-03-09T10:00"), at("2026-03-09T12:00")
    clock = BusinessClock(calendar(MADRID), start, end)
    assert clock.between(start - DAY, end + DAY) == 2 * HOUR
    assert clock.between(end, start) == 0
    assert clock.between(start, start + 1) == 1
    assert clock.before(end, 2 * HOUR) == start
    assert clock.before(end, 2 * HOUR + 1) is None
    assert clock.before(end, 0) == end
    assert BusinessClock(calendar(MADRID), start, start).before(start, 0) is None


@pytest.mark.parametrize(
    ("milliseconds", "moment"),
    [
        (0, "2026-03-11T10:00"),
        (1 * HOUR, "2026-03-11T09:00"),
        # Tuesday is a holiday: the evening of Monday.
        (1 * HOUR + MINUTE, "2026-03-09T17:59"),
        (4 * HOUR, "2026-03-09T15:00"),
        (4 * HOUR + MINUTE, "2026-03-09T12:59"),
    ],
)
def test_so_much_business_time_ago_was(milliseconds: int, moment: str) -> None:
    end = at("2026-03-11T10:00")
    clock = BusinessClock(calendar(MADRID), end - 7 * DAY, end)
    assert clock.before(end, milliseconds) == at(moment)
