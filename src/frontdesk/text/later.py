"""Moments to come that people type or choose: in 1h, 15:00, tomorrow, mon 9:00, next week."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from frontdesk.text.dates import DAYS, MONTHS
from frontdesk.text.times import in_zone, long_date, short_date, time_of_day

HOW_TO = "write in 1h, 15:00, tomorrow, mon 9:00, next week, 1 dec or 2026-12-01 9:00"
# Of a day without a time.
MORNING, EVENING = time(9), time(18)
_FURTHEST = timedelta(days=1000)

_SPAN = re.compile(
    r"(?:in +)?([0-9]{1,5}) *(?:(m)(?:in|ins|inutes?)?|(h)(?:ours?)?|(d)(?:ays?)?|(w)(?:eeks?)?)"
)
_TIME = re.compile(r"(?:at +)?([0-9]{1,2})(?:[:.]([0-9]{2}))?(?: *([ap])\.?m\.?)?")
_DAY_AND_TIME = re.compile(r"(.+?)[ t]+((?:at +)?[0-9]{1,2}(?:[:.][0-9]{2}| *[ap]\.?m|$).*)")


# Letter for a moment that is typed.
OWN_WORDS = "."


class UsualMoment(NamedTuple):
    """Moment that is chosen by a letter. text: as it is typed."""

    letter: str
    words: str
    text: str


_USUAL = (
    UsualMoment("h", "in two hours", "2h"),
    UsualMoment("e", "this evening", f"today {EVENING:%H:%M}"),
    UsualMoment("t", "tomorrow", "tomorrow"),
    UsualMoment("m", "Monday", "mon"),
    UsualMoment("w", "in a week", "1w"),
)


def usual_moments(now: datetime, zone: tzinfo | None = None) -> list[UsualMoment]:
    """Return the moments that are chosen by a letter; the evening until it has come."""
    has_come = in_zone(now, zone).time() >= EVENING
    return [one for one in _USUAL if not (has_come and one.letter == "e")]


def moment_of(text: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """Parse a moment after `now`, in UTC. A day without a time is its morning.

    zone: of days and times, None for the system's.

    Raises: ValueError: with a sentence.

    >>> moment_of("mon 9:00", datetime(2026, 11, 27, 8, tzinfo=UTC), UTC).isoformat()
    '2026-11-30T09:00:00+00:00'
    """
    written = " ".join(text.casefold().replace(",", " ").split())
    try:
        moment = _moment(written, in_zone(now, zone), zone)
    except (ValueError, OverflowError, OSError):
        moment = None
    if moment is None:
        raise ValueError(f"{HOW_TO[0].upper()}{HOW_TO[1:]}")
    if moment <= now:
        raise ValueError("That is not in the future")
    if moment > now + _FURTHEST:
        raise ValueError(f"At most {_FURTHEST.days} days ahead")
    return moment


def _moment(text: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    span = _SPAN.fullmatch(text)
    if span:
        return _after(now, int(span[1]), next(unit for unit in span.groups()[1:] if unit), zone)
    at = _time(text)
    if at is not None:
        today = _at(now.date(), at, zone)
        return today if today > now else _at(now.date() + timedelta(days=1), at, zone)
    with suppress(ValueError):
        return _at(_day(text, now.date()), MORNING, zone)
    parts = _DAY_AND_TIME.fullmatch(text)
    at = _time(parts[2]) if parts else None
    return None if parts is None or at is None else _at(_day(parts[1], now.date()), at, zone)


def _after(now: datetime, number: int, unit: str, zone: tzinfo | None) -> datetime:
    """A span after now; days and weeks keep the time of day."""
    if unit in "mh":
        return now.astimezone(UTC) + timedelta(minutes=number * (60 if unit == "h" else 1))
    return _at(now.date() + timedelta(days=number * (7 if unit == "w" else 1)), now.time(), zone)


def _at(day: date, at: time, zone: tzinfo | None) -> datetime:
    local = datetime.combine(day, at)
    return (local.replace(tzinfo=zone) if zone is not None else local).astimezone(UTC)


def _time(text: str) -> time | None:
    """15:00, 9.30, 9, 3pm, at 3:30 pm; None for anything else.

    Raises: ValueError: there is no such time.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hour = int(match[1])
    if match[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[3] == "p" else 0)
    return time(hour, int(match[2] or 0))


def _day(text: str, today: date) -> date:
    """today, tom, next week (its Monday), a day of the week or month to come, a date.

    Raises: ValueError.
    """
    if text == "next week":
        text = "mon"
    text = text.removeprefix("on ").removeprefix("next ")
    if text in ("today", "tomorrow", "tom"):
        return today + timedelta(days=text != "today")
    if text[:3] in DAYS and text.isalpha():
        ahead = (DAYS.index(text[:3]) - today.weekday()) % 7
        return today + timedelta(days=ahead or 7)
    words = [word.rstrip(".") for word in text.split()]
    months = [word for word in words if word[:3] in MONTHS and word.isalpha()]
    if len(words) == 2 and len(months) == 1:
        number = next(word for word in words if word not in months)
        this = date(today.year, MONTHS.index(months[0][:3]) + 1, int(number))
        return this if this >= today else this.replace(year=today.year + 1)
    return date.fromisoformat(text)


def coming(moment: datetime, now: datetime) -> str:
    """A moment within short: 15:00, Mon 9:00, 1 Dec 9:00. Both in one zone."""
    at, days = time_of_day(moment), (moment.date() - now.date()).days
    if days <= 0:
        return at
    return f"{moment:%a} {at}" if days < 7 else f"{short_date(moment)} {at}"


def coming_in_full(moment: datetime) -> str:
    """Monday 30 November 2026, 09:00."""
    return f"{long_date(moment)}, {time_of_day(moment)}"
