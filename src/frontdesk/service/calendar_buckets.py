"""Calendar arithmetic for reports: where days and buckets begin in a time zone (pure).

Also the previous period to compare with. Moments are epoch milliseconds, UTC. The periods that a
user chooses by name are in `reports/periods.py`.
"""

from bisect import bisect_left
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, pairwise
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR = 60 * 60 * 1000
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Directories and files of zoneinfo that duplicate zones or are none; some have leap seconds.
_NOT_ZONES = ("posix", "right", "Factory", "localtime", "posixrules")


@dataclass(frozen=True, slots=True)
class Interval:
    """Half-open interval: start <= moment < end."""

    start: int
    end: int


def zone_of(name: str) -> ZoneInfo | None:
    """Look up an IANA zone name; None if unknown."""
    if name.split("/")[0] in _NOT_ZONES:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def moment_of(when: datetime) -> int:
    """Convert an aware datetime; truncates to whole milliseconds."""
    return (when - _EPOCH) // timedelta(milliseconds=1)


def local_date(moment: int, zone: ZoneInfo) -> date:
    return _local(moment, zone).date()


def midnight(day: date, zone: ZoneInfo) -> int:
    """Return the start of a day: the earlier of two midnights, or the end of a gap without one."""
    return _first_moment(datetime.combine(day, time.min), zone)


def _first_moment(local: datetime, zone: ZoneInfo) -> int:
    """Return the moment of a local time: the earlier of two, or the end of a gap without one."""
    at = local.replace(tzinfo=zone, fold=0)
    begins = moment_of(at)
    if _local(begins, zone).replace(tzinfo=None) == at.replace(tzinfo=None):
        return begins
    # The two folds of a time in a gap lie on either side of the clock change.
    before = moment_of(at.replace(fold=1)) // 1000
    seconds = range(before, begins // 1000 + 1)
    changed = _local(begins, zone).utcoffset()
    position = bisect_left(
        seconds, True, key=lambda second: _local(second * 1000, zone).utcoffset() == changed
    )
    return seconds[position] * 1000


def days_between(interval: Interval, zone: ZoneInfo) -> int | None:
    """Count the days between two midnights of the zone; None if an end is not a midnight."""
    first, last = local_date(interval.start, zone), local_date(interval.end, zone)
    if (midnight(first, zone), midnight(last, zone)) != (interval.start, interval.end):
        return None
    return (last - first).days


@dataclass(frozen=True, slots=True)
class Shift:
    """Move back by whole days, then by whole months, on the zone's calendar."""

    zone: ZoneInfo
    days: int = 0
    months: int = 0

    def moment(self, moment: int) -> int:
        """Keep the local time; a day that the month lacks becomes the month's last.

        The start of a day stays one, also where a clock change moved it away from midnight.
        """
        local = _local(moment, self.zone).replace(tzinfo=None)
        if midnight(local.date(), self.zone) == moment:
            local = datetime.combine(local.date(), time.min)
        local -= timedelta(days=self.days)
        year, month = divmod(local.year * 12 + local.month - 1 - self.months, 12)
        day = min(local.day, monthrange(year, month + 1)[1])
        return _first_moment(local.replace(year=year, month=month + 1, day=day), self.zone)

    def interval(self, interval: Interval) -> Interval:
        """Move both ends; the length stays where the calendar would leave nothing between them."""
        start, end = self.moment(interval.start), self.moment(interval.end)
        return Interval(start, end if start < end else start + interval.end - interval.start)


def shift_for(interval: Interval, compare: str, zone: ZoneInfo) -> Shift:
    """Return the shift to the previous period.

    compare: week, month, year, or days: the fewest whole days that avoid an overlap.
    """
    match compare:
        case "week":
            return Shift(zone, days=7)
        case "month":
            return Shift(zone, months=1)
        case "year":
            return Shift(zone, months=12)
    least = (local_date(interval.end, zone) - local_date(interval.start, zone)).days
    shifts = (Shift(zone, days) for days in count(max(1, least)))
    return next(shift for shift in shifts if shift.interval(interval).end <= interval.start)


def split_previous(
    parts: Sequence[Interval], previous: Interval, granularity: str, shift: Shift
) -> list[Interval]:
    """Split the previous period so that each bucket corresponds to one of the period.

    Hours and days are its own; weeks and months begin where those of `parts` are moved to.
    """
    if granularity in ("hour", "day"):
        return list(split_interval(previous, granularity, shift.zone))
    moved = {shift.moment(part.start) for part in parts[1:]}
    inner = sorted(edge for edge in moved if previous.start < edge < previous.end)
    edges = [previous.start, *inner, previous.end]
    return [Interval(start, end) for start, end in pairwise(edges)]


def split_interval(interval: Interval, granularity: str, zone: ZoneInfo) -> Iterator[Interval]:
    """Split a period at the zone's hours, days, ISO weeks or months."""
    start = interval.start
    while start < interval.end:
        end = min(_NEXT[granularity](start, zone), interval.end)
        yield Interval(start, end)
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
    """Return the start of the next calendar unit, skipping dates that the zone skips."""
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
