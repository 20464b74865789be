"""Times as people read and type them: ages, durations, dates and times of day in the locale.

Timestamps of the wire are in `wire/values.py`, the current time and its zone in `tui/clock.py`.
"""

import locale
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo


def ago(then: datetime, now: datetime) -> str:
    """Age in at most six cells: now, 12m, 3h, Tue, 9 Mar, 2024. Never negative."""
    passed = max(now - then, timedelta())
    if passed < timedelta(minutes=1):
        return "now"
    if passed < timedelta(hours=1):
        return f"{passed // timedelta(minutes=1)}m"
    if passed < timedelta(days=1):
        return f"{passed // timedelta(hours=1)}h"
    if passed < timedelta(days=6):
        return f"{then:%a}"
    return short_date(then) if then.year == now.year else str(then.year)


def mail_time(then: datetime, now: datetime) -> str:
    """When something was, as mail programs write it: 14:39, Mon, 5 Jan, 2025."""
    days = (now.date() - then.date()).days
    if days == 0:
        return time_of_day(then)
    if 0 < days < 6:
        return f"{then:%a}"
    return short_date(then) if then.year == now.year else str(then.year)


def duration(length: timedelta) -> str:
    """Duration in at most four cells: 12m, 3h, 245d, 3y; 0m below a minute. Never negative.

    Without weeks, which would have smaller numbers than fewer days in the same column.
    """
    minutes = max(0, length // timedelta(minutes=1))
    if minutes < 60:
        return f"{minutes}m"
    if minutes < 24 * 60:
        return f"{minutes // 60}h"
    days = minutes // (24 * 60)
    return f"{days}d" if days < 1000 else f"{days // 365}y"


def long_duration(length: timedelta) -> str:
    """Duration in its two largest units: 21h 40m, 3d 2h, 5m."""
    minutes = max(0, length // timedelta(minutes=1))
    days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
    if days:
        return f"{days}d {hours}h"
    return f"{hours}h {rest}m" if hours else f"{rest}m"


def milliseconds(length: timedelta | None) -> str:
    """Latency in milliseconds: 84 ms."""
    return "unknown" if length is None else f"{length / timedelta(milliseconds=1):.0f} ms"


def ahead_or_behind(skew: timedelta | None) -> str:
    """Description of a clock skew; positive if the other clock is ahead."""
    if skew is None:
        return "the server sends no time"
    if not skew:
        return "the same as here"
    seconds = abs(skew) / timedelta(seconds=1)
    noun = "second" if round(seconds) == 1 else "seconds"
    return f"{seconds:.0f} {noun} {'ahead of' if skew > timedelta() else 'behind'} this machine"


def short_date(day: date) -> str:
    """9 Mar, or Mar 9 in locales that put the month first."""
    return f"{day:%b} {day.day}" if month_first() else f"{day.day} {day:%b}"


def long_date(day: date) -> str:
    """Friday 13 March 2026, or Friday, March 13, 2026 in locales that put the month first."""
    if month_first():
        return f"{day:%A}, {day:%B} {day.day}, {day.year}"
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def time_of_day(moment: datetime) -> str:
    """14:05, or 2:05 PM in locales with a 12-hour clock."""
    if "%p" in _locale_format("T_FMT") or "%r" in _locale_format("T_FMT"):
        return f"{moment:%I:%M %p}".removeprefix("0")
    return f"{moment:%H:%M}"


def range_words(start: datetime, end: datetime, *, year: bool = True) -> str:
    """Half-open range as dates, with times only at ends that are not midnight.

    8 – 14 Mar 2026, 1 Mar 14:00 – 7 Mar 2026, 14 Mar 2026 until 10:00.
    """
    whole = end.time() == time()
    last = end - timedelta(seconds=1) if whole else end
    from_words = "" if start.time() == time() else f" {time_of_day(start)}"
    until = "" if whole else f" {time_of_day(end)}"
    suffix = f" {last.year}" if year else ""
    if start.date() == last.date():
        times = f"{from_words} –{until or ' 24:00'}" if from_words else until and f" until{until}"
        return f"{short_date(start)}{suffix}{times}"
    same_month = (start.year, start.month) == (last.year, last.month)
    same_month = same_month and not from_words and not month_first()
    first = str(start.day) if same_month else short_date(start) + from_words
    if year and start.year != last.year:
        first = f"{short_date(start)} {start.year}{from_words}"
    return f"{first} – {short_date(last)}{suffix}{until and ' until' + until}"


def zone_words(moments: Sequence[datetime]) -> str:
    """Zone of local times: Europe/Madrid, or CET (UTC+01:00), twice if the clocks change.

    moments: aware, in one zone; not empty.
    """
    zone = moments[0].tzinfo
    if isinstance(zone, ZoneInfo) and zone.key:
        return zone.key
    return " and ".join(dict.fromkeys(map(_offset_words, moments)))


def zone_name(moments: Sequence[datetime]) -> str:
    """Zone of local times in short: CET, UTC-03:00, or CET/CEST if the clocks change.

    moments: aware, in one zone; not empty.
    """
    return "/".join(dict.fromkeys(map(_short_offset, moments)))


def _short_offset(moment: datetime) -> str:
    name = moment.tzname() or ""
    return name if name.isalpha() else _offset_words(moment)


def _offset_words(moment: datetime) -> str:
    """Name and offset of a time's zone: CET (UTC+01:00), UTC+03:00, UTC."""
    name, offset = moment.tzname() or "", f"{moment:%z}"
    words = f"UTC{offset[:3]}:{offset[3:5]}" if moment.utcoffset() else "UTC"
    named = name and name[0].isalpha() and not name.startswith("UTC") and name != words
    return f"{name} ({words})" if named else words


def month_first() -> bool:
    """True if the process's locale puts the month before the day."""
    return _locale_format("D_FMT").startswith(("%m", "%b", "%D"))


def _locale_format(name: str) -> str:
    """Date or time format of the locale; empty for the C locale, or if not available."""
    item = getattr(locale, name, None)
    plain = locale.setlocale(locale.LC_TIME).partition(".")[0] in ("C", "POSIX")
    return "" if plain or item is None else locale.nl_langinfo(item)


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([smhdw])")


def parse_duration(text: str, units: str) -> timedelta | None:
    """Parse a duration in one of the `units`, at most 99999w; None if invalid.

    >>> parse_duration("30d", "hdw"), parse_duration("30m", "hdw")
    (datetime.timedelta(days=30), None)
    """
    match = _LENGTH.fullmatch(text)
    if match is None or match[2] not in units:
        return None
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def in_zone(moment: datetime, zone: tzinfo | None = None) -> datetime:
    """Convert to a zone; UTC at the limits of the calendar."""
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return moment.astimezone(UTC)
