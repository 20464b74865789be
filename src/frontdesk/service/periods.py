"""Periods and their parts as a time zone's calendar has them; pure (reports 6.4).

Moments are epoch milliseconds, UTC.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR = 60 * 60 * 1000
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Copies of the same zones under other names, some of them with leap seconds.
_NOT_ZONES = ("posix", "right", "Factory", "localtime", "posixrules")


@dataclass(frozen=True, slots=True)
class Stretch:
    """start <= moment < end."""

    start: int
    end: int


def zone_of(name: str) -> ZoneInfo | None:
    """The zone of an IANA name."""
    if name.split("/")[0] in _NOT_ZONES:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def moment_of(when: datetime) -> int:
    """The moment of a time with a zone or an offset; what is less than a millisecond is cut off."""
    return (when - _EPOCH) // timedelta(milliseconds=1)


def local_date(moment: int, zone: ZoneInfo) -> date:
    """What the calendar says at a moment."""
    return _local(moment, zone).date()


def midnight(day: date, zone: ZoneInfo) -> int:
    """Where a day begins: the earlier midnight of two; without one, the end of the gap."""
    at = datetime(day.year, day.month, day.day, tzinfo=zone)
    begins = moment_of(at)
    if _local(begins, zone).replace(tzinfo=None) == at.replace(tzinfo=None):
        return begins
    # Both readings of a time in a gap are beside it: one before the clocks change, one after.
    before = moment_of(at.replace(fold=1)) // 1000
    seconds = range(before, begins // 1000 + 1)
    changed = _local(begins, zone).utcoffset()
    found = bisect_left(
        seconds, True, key=lambda second: _local(second * 1000, zone).utcoffset() == changed
    )
    return seconds[found] * 1000


def days_between(stretch: Stretch, zone: ZoneInfo) -> int | None:
    """How many days a stretch from midnight to midnight has; None if it is none."""
    first, last = local_date(stretch.start, zone), local_date(stretch.end, zone)
    if (midnight(first, zone), midnight(last, zone)) != (stretch.start, stretch.end):
        return None
    return (last - first).days


def stretch_before(stretch: Stretch, zone: ZoneInfo) -> Stretch:
    """The stretch of the same length that ends where this one starts.

    Between midnights the length is in days, so that a week with 23 hours in one of its days
    follows a whole week.
    """
    days = days_between(stretch, zone)
    if days is None:
        return Stretch(2 * stretch.start - stretch.end, stretch.start)
    first = local_date(stretch.start, zone) - timedelta(days=days)
    return Stretch(midnight(first, zone), stretch.start)


def parts_of(stretch: Stretch, granularity: str, zone: ZoneInfo) -> Iterator[Stretch]:
    """The stretch cut where the hours, days, weeks or months of the zone begin."""
    start = stretch.start
    while start < stretch.end:
        end = min(_NEXT[granularity](start, zone), stretch.end)
        yield Stretch(start, end)
        start = end


def _local(moment: int, zone: ZoneInfo) -> datetime:
    return (_EPOCH + timedelta(milliseconds=moment)).astimezone(zone)


def _next_hour(moment: int, zone: ZoneInfo) -> int:
    local = _local(moment, zone)
    past = timedelta(
        minutes=local.minute, seconds=local.second, microseconds=local.microsecond
    ) // timedelta(milliseconds=1)
    return moment + HOUR - past


def _next_date(moment: int, zone: ZoneInfo, following: Callable[[date], date]) -> int:
    """Where the date begins that follows; a date that the zone skips begins with the next."""
    day = following(local_date(moment, zone))
    while (begins := midnight(day, zone)) <= moment:
        day = following(day)
    return begins


def _next_day(day: date) -> date:
    return day + timedelta(days=1)


def _next_monday(day: date) -> date:
    return day + timedelta(days=7 - day.weekday())


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


_NEXT: Mapping[str, Callable[[int, ZoneInfo], int]] = MappingProxyType(
    {
        "hour": _next_hour,
        "day": lambda moment, zone: _next_date(moment, zone, _next_day),
        "week": lambda moment, zone: _next_date(moment, zone, _next_monday),
        "month": lambda moment, zone: _next_date(moment, zone, _next_month),
    }
)
