"""Report periods and granularities: named periods, adjacent periods, buckets.

Days are dates in the report's time zone; callers convert times to dates.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from types import MappingProxyType

from frontdesk.text.dates import HOW_TO, day_of
from frontdesk.text.times import short_date, time_of_day
from frontdesk.wire.queries import ReportQuery
from frontdesk.wire.reports import Bucket

LONGEST_DAYS = 366
DEFAULT = "7 days"
CUSTOM = "custom"
LARGEST_HOURLY, LARGEST_DAILY, LARGEST_WEEKLY = 2, 45, 190
MOST_HOURLY_DAYS = 40

_BETWEEN = re.compile(r"\s*(?:\.\.+|–|—|\bto\b|\buntil\b)\s*|\s+-\s+", re.IGNORECASE)
_TWO_ISO = re.compile(r"(\d{4}-\d\d-\d\d)\s+(\d{4}-\d\d-\d\d)", re.ASCII)
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of days: from `first` up to but excluding `end`; None is now."""

    first: date
    end: date | None

    def days(self, today: date) -> int:
        """Number of days, including a partial last one."""
        return max(1, ((self.end or today + _ONE_DAY) - self.first).days)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _month(day: date, months: int = 0) -> date:
    """First day of the month `months` later."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)


def _last(days: int) -> Callable[[date], Span]:
    return lambda today: Span(today - timedelta(days=days - 1), None)


PERIODS: Mapping[str, Callable[[date], Span]] = {
    "today": _last(1),
    "yesterday": lambda today: Span(today - _ONE_DAY, today),
    "7 days": _last(7),
    "30 days": _last(30),
    "90 days": _last(90),
    "12 weeks": _last(84),
    "this week": lambda today: Span(_monday(today), None),
    "last week": lambda today: Span(_monday(today) - timedelta(days=7), _monday(today)),
    "this month": lambda today: Span(_month(today), None),
    "last month": lambda today: Span(_month(today, -1), _month(today)),
}


def comparison(name: str, span: Span, today: date) -> str | None:
    """Distance to the previous period: week, month or year; None for as many days.

    name: of the period, in PERIODS or not. Dates that make up a month are compared by month.
    """
    if name in PERIODS:
        unit = name.rpartition(" ")[2]
        return unit if unit in ("week", "month") else None
    if span.first == today:
        return None
    if _is_this_week(span, today):
        return "week"
    return {1: "month", 12: "year"}.get(_months_in(span, today))


# Names as they are typed in a shell: 7d, 12w, last-week.
SPANS = MappingProxyType(
    {name.replace(" days", "d").replace(" weeks", "w").replace(" ", "-"): name for name in PERIODS}
)


def placed(query: ReportQuery, period: str, zone: str, today: date) -> ReportQuery:
    """Return a query for a period in the calendar of a zone.

    period: one of SPANS, or days as of `typed_span`. Raises: ValueError: as that.
    """
    span = PERIODS[SPANS[period]](today) if period in SPANS else typed_span(period, today)
    return query.model_copy(
        update={
            "from_": span.first.isoformat(),
            "to": span.end.isoformat() if span.end else None,
            "timezone": zone,
            "compare": query.compare or comparison(SPANS.get(period, CUSTOM), span, today),
        }
    )


def beside(span: Span, step: int, today: date) -> Span | None:
    """Next (1) or previous (-1) period: whole months by months, others by their length.

    None if it would begin after today.
    """
    months, days = _months_in(span, today), span.days(today)
    if months:
        first = _month(span.first, months * step)
        end = _month(first, months)
    else:
        length = timedelta(days=7 if _is_this_week(span, today) else days)
        first = span.first + length * step
        end = first + length
    if first > today:
        return None
    return Span(first, None if end > today else end)


def _months_in(span: Span, today: date) -> int:
    """Length in whole months, counting the unfinished current month; 0 for other periods."""
    if span.first.day != 1:
        return 0
    if span.end is None:
        return 1 if span.first == _month(today) else 0
    if span.end.day != 1:
        return 0
    return (span.end.year - span.first.year) * 12 + span.end.month - span.first.month


def _is_this_week(span: Span, today: date) -> bool:
    return span.end is None and span.first == _monday(today) != today


def typed_span(text: str, today: date) -> Span:
    """Parse one date or a range of two dates, both inclusive.

    Raises: ValueError: a sentence that says what was wrong and what is allowed.
    """
    two = _TWO_ISO.fullmatch(text.strip())
    days = [day_of(part, today) for part in (two.groups() if two else _BETWEEN.split(text.strip()))]
    first, last = days[0], days[-1]
    if first is None or last is None or len(days) > 2:
        raise ValueError(f"Two days with .. between, or one; {HOW_TO}")
    if first > last:
        raise ValueError("The first day comes after the last")
    if first > today:
        raise ValueError(f"The first day is in the future; today is {today}")
    if (last - first).days >= LONGEST_DAYS:
        raise ValueError(f"That is more than {LONGEST_DAYS} days")
    return Span(first, last + _ONE_DAY if last < today else None)


def granularity_for(days: int) -> str:
    """Default granularity of a period with this many days."""
    if days <= LARGEST_HOURLY:
        return "hour"
    if days <= LARGEST_DAILY:
        return "day"
    return "week" if days <= LARGEST_WEEKLY else "month"


def next_granularity(current: str, days: int) -> str:
    """Next coarser granularity that suits the period; after the coarsest, the finest."""
    possible = [
        name
        for name, least, most in (
            ("hour", 1, MOST_HOURLY_DAYS),
            ("day", 2, LONGEST_DAYS),
            ("week", 8, LONGEST_DAYS),
            ("month", 32, LONGEST_DAYS),
        )
        if least <= days <= most
    ]
    at = possible.index(current) + 1 if current in possible else 0
    return possible[at % len(possible)]


def unfinished(bucket: Bucket, granularity: str, zone: tzinfo, now: datetime) -> bool:
    """True if a bucket is partial: cut by the period, or not over at `now`."""
    start, end = bucket.start_time, bucket.end_time
    if start is None or end is None:
        return False
    begins, ends = (moment.astimezone(zone).replace(tzinfo=None) for moment in (start, end))
    return end > now or not (_is_edge(begins, granularity) and _is_edge(ends, granularity))


def _is_edge(moment: datetime, granularity: str) -> bool:
    """True for a local time at which an hour, day, week or month begins."""
    if granularity == "hour":
        return moment.minute == moment.second == 0
    if moment.hour or moment.minute or moment.second:
        return False
    if granularity == "week":
        return moment.weekday() == 0
    return granularity == "day" or moment.day == 1


def bucket_label(bucket: Bucket, granularity: str, zone: tzinfo, count: int) -> str:
    """Axis label of a bucket in a plot with `count` buckets."""
    start = bucket.start_time
    if start is None:
        return "?"
    local = start.astimezone(zone)
    match granularity:
        case "hour":
            return f"{local:%H}"
        case "day":
            return f"{local:%a}"[:2] if count <= 14 else str(local.day)
        case "week":
            return short_date(local)
    return f"{local:%b}"


def bucket_words(bucket: Bucket, granularity: str, zone: tzinfo) -> str:
    """Time of a bucket: Tue 10 Mar 14:00, Tue 10 Mar, week of 9 Mar, March 2026."""
    start = bucket.start_time
    if start is None:
        return "?"
    local = start.astimezone(zone)
    match granularity:
        case "hour":
            return f"{local:%a} {short_date(local)} {time_of_day(local)}"
        case "day":
            return f"{local:%a} {short_date(local)}"
        case "week":
            return f"week of {short_date(local)}"
    return f"{local:%B %Y}"


def next_midnight(moment: datetime) -> datetime:
    """The end of the day of an exclusive end."""
    whole = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment if whole == moment else whole + _ONE_DAY
