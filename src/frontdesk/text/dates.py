"""Dates that people type: 2026-03-14, 14 Mar, 14, Mon, yesterday, 3d."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo

from frontdesk.text.clean import shortened
from frontdesk.text.times import parse_duration

HOW_TO = "write 2026-03-14, 14 Mar, 14, Mon, yesterday or 3d"

# First letters of months and days of the week, in English.
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = re.compile(r"(\d{1,4})([./-])(\d{1,2})(?:\2(\d{1,4}))?\.?")
_AGO = re.compile(r"-?(\d{1,5})\s*d(?:ays? ago)?")
_DAY_OF_MONTH = re.compile(r"\d{1,2}")


def parse_moment(text: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """Parse a day, which begins in `zone`, an ISO 8601 time or an age such as 2h; result in UTC.

    zone: of what has no offset, None for the local one.

    Raises: ValueError: with a sentence.
    """
    if (age := parse_duration(text, "smhd")) is not None:
        return now - age
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None and zone is not None:
            moment = moment.replace(tzinfo=zone)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"use a day or a time such as 2026-03-14 or 2026-03-14T09:30, or 30m, 2h or 1d; got"
            f" {shortened(text, 40)!r}"
        ) from None


_PERIOD = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


def period_of(text: str) -> tuple[date, date] | None:
    """First day of a day, month or year such as 2026-11, and the day after its last.

    None if the text has another form. Raises: ValueError: there is no such day.
    """
    match = _PERIOD.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    try:
        if day is not None and month is not None:
            first = date(year, month, day)
            return first, first + timedelta(days=1)
        if month is not None:
            return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
        return date(year, 1, 1), date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        raise ValueError(f"There is no day {text}") from None


def day_of(text: str, today: date) -> date | None:
    """Parse a date; without a year or a month, the latest until today. None if it is invalid.

    The day precedes the month, except in ISO order and where only the other order is valid.
    Ambiguous dates with slashes, such as 3/4, are rejected.

    >>> day_of("14 mar", date(2026, 11, 21)), day_of("yesterday", date(2026, 11, 21))
    (datetime.date(2026, 3, 14), datetime.date(2026, 11, 20))
    """
    text = " ".join(text.casefold().replace(",", " ").split())
    if text in ("today", "yesterday"):
        return today - timedelta(days=text == "yesterday")
    if text[:3] in DAYS and text.isalpha():
        return today - timedelta(days=(today.weekday() - DAYS.index(text[:3])) % 7)
    ago = _AGO.fullmatch(text)
    if ago:
        return _valid(lambda: today - timedelta(days=int(ago[1])))
    if _DAY_OF_MONTH.fullmatch(text):
        return _latest_with(int(text), today)
    numbers = _NUMBERS.fullmatch(text)
    return _of_numbers(numbers, today) if numbers else _of_words(text.split(), today)


def _latest_with(day: int, today: date) -> date | None:
    """The latest date until today with this day of the month; two months back at most."""
    dates = (today - timedelta(days=ago) for ago in range(62))
    return next((date for date in dates if date.day == day), None)


def _of_numbers(match: re.Match[str], today: date) -> date | None:
    first, separator, second, third = match.groups()
    if len(first) == 4:
        return _valid(lambda: date(int(first), int(second), int(third or 1)))
    day, month = int(first), int(second)
    if separator == "/" and day <= 12 and month <= 12 and day != month:
        return None
    if month > 12:
        day, month = month, day
    return _of(day, month, third, today)


def _of_words(words: list[str], today: date) -> date | None:
    """14 mar, mar 14, 14 march 2025."""
    months = [word for word in words if word[:3] in MONTHS and word.isalpha()]
    numbers = [word.rstrip(".") for word in words if word not in months]
    if len(months) != 1 or not 1 <= len(numbers) <= 2 or not all(n.isdecimal() for n in numbers):
        return None
    month = MONTHS.index(months[0][:3]) + 1
    return _of(int(numbers[0]), month, numbers[1] if len(numbers) > 1 else None, today)


def _of(day: int, month: int, year: str | None, today: date) -> date | None:
    if year is not None:
        number = int(year) + (2000 if len(year) <= 2 else 0)
        return _valid(lambda: date(number, month, day))
    this_year = _valid(lambda: date(today.year, month, day))
    if this_year is None or this_year <= today:
        return this_year
    return _valid(lambda: date(today.year - 1, month, day))


def _valid(make: Callable[[], date]) -> date | None:
    try:
        return make()
    except (ValueError, OverflowError):
        return None
