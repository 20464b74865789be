"""Business hours: the weekly spans and holidays of a zone, and the time within them (pure).

A moment is within business hours if its local time is within a span of its local weekday, and its
local date is no holiday: an hour that clocks repeat counts twice, one that they skip not at all.
Moments are epoch milliseconds, UTC.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from frontdesk.public_holidays import public_holidays

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MEMBERS = ("timezone", *WEEKDAYS, "holidays", "regions")
_SPAN = re.compile(r"([01]\d|2[0-3]):([0-5]\d)\s*[-–]\s*(?:([01]\d|2[0-3]):([0-5]\d)|(24):(00))")
_MINUTE, _DAY = 60_000, 24 * 60 * 60_000
_EPOCH = date(1970, 1, 1)


MOST_SPANS, MOST_HOLIDAYS, MOST_REGIONS = 12, 1_000, 4
# Years before and after this one, of which a region's holidays are kept: durations that are
# measured began five years ago at most.
_YEARS = (-6, 10)


class OpenSpan(NamedTuple):
    """Half-open part of a day, in minutes since its local midnight."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BusinessCalendar:
    """Weekly spans (from Monday) in a zone's local time, and dates without any.

    regions: public holidays by the code of a country or region, as of when the hours were set.
    """

    zone: ZoneInfo
    week: tuple[tuple[OpenSpan, ...], ...]
    holidays: frozenset[date] = frozenset()
    regions: Mapping[str, frozenset[date]] = field(default_factory=dict)

    def spans(self, day: date) -> tuple[OpenSpan, ...]:
        closed = day in self.holidays or any(day in days for days in self.regions.values())
        return () if closed else self.week[day.weekday()]

    @property
    def closed(self) -> frozenset[date]:
        """All dates without hours."""
        return self.holidays.union(*self.regions.values()) if self.regions else self.holidays


@dataclass(frozen=True, slots=True)
class BusinessHours:
    """Calendars of an account: the one of all channels, None if they have none; and of some."""

    calendar: BusinessCalendar | None = None
    channels: Mapping[str, BusinessCalendar] = field(default_factory=dict)

    def of(self, channel: str) -> BusinessCalendar | None:
        """Return the calendar of a channel, by its phone number id."""
        return self.channels.get(channel, self.calendar)

    def __bool__(self) -> bool:
        return self.calendar is not None or bool(self.channels)


class BusinessClock:
    """Measures business time between moments of a range; beyond its ends nothing is open."""

    def __init__(self, calendar: BusinessCalendar, start: int, end: int) -> None:
        self._opens: list[int] = []
        self._closes: list[int] = []
        self._before: list[int] = []
        elapsed = 0
        for opens, closes in _open_intervals(calendar, start, end):
            self._opens.append(opens)
            self._closes.append(closes)
            self._before.append(elapsed)
            elapsed += closes - opens
        self._total = elapsed

    def between(self, start: int, end: int) -> int:
        """Return the milliseconds of business hours from `start` until `end`."""
        return max(0, self._elapsed(end) - self._elapsed(start))

    def before(self, end: int, milliseconds: int) -> int | None:
        """Return the last moment since which so much business time has passed at `end`.

        None if that was before the range.
        """
        wanted = self._elapsed(end) - milliseconds
        if wanted < 0:
            return None
        at = bisect_right(self._before, wanted) - 1
        if at < 0:
            return None
        return min(self._opens[at] + wanted - self._before[at], self._closes[at])

    def _elapsed(self, moment: int) -> int:
        at = bisect_right(self._opens, moment) - 1
        if at < 0:
            return 0
        return self._before[at] + min(moment, self._closes[at]) - self._opens[at]


def parse_hours(contents: Mapping[str, Any]) -> BusinessHours:
    """Parse a table of business hours, as it is written in files.

    timezone, the weekdays with lists of spans such as "09:00-13:00", holidays as dates and codes of
    regions such as "ES-MD"; and under `channels`, by phone number id, tables of the same. Raises:
    ValueError: what is wrong, with its path.
    """
    if not isinstance(contents, Mapping):
        raise ValueError("it is a table of a time zone and weekdays")
    named = contents.get("channels", {})
    if not isinstance(named, Mapping):
        raise ValueError("channels: it is a table of channels by their ids")
    channels = {str(id): parse_calendar(table, f"channels.{id}.") for id, table in named.items()}
    own = {name: value for name, value in contents.items() if name != "channels"}
    return BusinessHours(parse_calendar(own, "") if own else None, MappingProxyType(channels))


def loads(text: str | None) -> BusinessHours:
    """Read business hours as they are stored; none for None."""
    return parse_hours(json.loads(text)) if text else BusinessHours()


def dumps(hours: BusinessHours) -> str | None:
    """Write business hours as they are stored, and as files have them; None for none."""
    if not hours:
        return None
    contents = written(hours.calendar) if hours.calendar else {}
    if hours.channels:
        contents["channels"] = {id: written(each) for id, each in sorted(hours.channels.items())}
    return json.dumps(contents, ensure_ascii=False)


def toml_text(hours: BusinessHours) -> str:
    """Write business hours as the table of a TOML file."""
    calendars = {"business_hours": hours.calendar} if hours.calendar else {}
    for id, calendar in sorted(hours.channels.items()):
        calendars[f"business_hours.channels.{json.dumps(id)}"] = calendar
    tables = []
    for name, calendar in calendars.items():
        named = sorted(calendar.regions)
        table = {**written(calendar), "holidays": [*named, *sorted(calendar.holidays)]}
        table.pop("regions", None)
        members = (f"{key} = {_toml_value(value)}" for key, value in table.items())
        tables.append("\n".join((f"[{name}]", *members)))
    return "\n\n".join(tables)


def _toml_value(value: object) -> str:
    """Write a text, or a list of texts or dates."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return value.isoformat() if isinstance(value, date) else json.dumps(value, ensure_ascii=False)


def written(calendar: BusinessCalendar) -> dict[str, Any]:
    """Return a calendar as the table that `parse_calendar` takes, without empty days."""
    table = {**plainly(calendar), "holidays": _dates(calendar.holidays)}
    if calendar.regions:
        table["regions"] = {code: _dates(days) for code, days in sorted(calendar.regions.items())}
    return table


def plainly(calendar: BusinessCalendar) -> dict[str, Any]:
    """Return a calendar as such a table without regions: their holidays are dates like others."""
    days = {
        name: [f"{_clock(span.start)}-{_clock(span.end)}" for span in spans]
        for name, spans in zip(WEEKDAYS, calendar.week, strict=True)
        if spans
    }
    return {"timezone": calendar.zone.key, **days, "holidays": _dates(calendar.closed)}


def _dates(days: Iterable[date]) -> list[str]:
    return [day.isoformat() for day in sorted(days)]


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def parse_calendar(table: object, path: str = "") -> BusinessCalendar:
    """Parse the table of one calendar. path: begins the names in messages. Raises: ValueError."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{path or 'business_hours'}: it is a table of a time zone and weekdays")
    for name in table:
        if name not in _MEMBERS:
            raise ValueError(f"{path}{name}: there is {', '.join(_MEMBERS[:-1])}")
    week = tuple(_parse_spans(table.get(name, []), f"{path}{name}") for name in WEEKDAYS)
    if not any(week):
        raise ValueError(f"{path}monday: some weekday needs hours, such as 09:00-13:00")
    holidays, regions = _parse_holidays(table.get("holidays", []), f"{path}holidays")
    regions |= _parse_regions(table.get("regions", {}), f"{path}regions")
    if len(regions) > MOST_REGIONS:
        raise ValueError(f"{path}holidays: there are at most {MOST_REGIONS} regions")
    zone = _parse_zone(table.get("timezone"), path)
    return BusinessCalendar(zone, week, holidays, regions)


def _parse_zone(name: object, path: str) -> ZoneInfo:
    try:
        if isinstance(name, str) and name:
            return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        pass
    raise ValueError(f"{path}timezone: it is an IANA name such as Europe/Madrid, not {name!r}")


def _parse_spans(texts: object, path: str) -> tuple[OpenSpan, ...]:
    """Parse the spans of a day, which follow each other."""
    if not isinstance(texts, list) or len(texts) > MOST_SPANS:
        raise ValueError(f"{path}: it is a list of up to {MOST_SPANS} spans such as 09:00-13:00")
    spans: list[OpenSpan] = []
    for text in texts:
        match = _SPAN.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"{path}: {text!r} is no span such as 09:00-13:00")
        numbers = [int(part) for part in match.groups() if part is not None]
        span = OpenSpan(numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3])
        if span.start >= span.end or (spans and span.start < spans[-1].end):
            raise ValueError(f"{path}: {text!r} ends before it begins, or begins in another span")
        spans.append(span)
    return tuple(spans)


def _parse_holidays(dates: object, path: str) -> tuple[frozenset[date], dict[str, frozenset[date]]]:
    """Parse dates and codes of regions, of which there may be one without a list."""
    dates = [dates] if isinstance(dates, str) and dates[:1].isalpha() else dates
    if not isinstance(dates, list) or len(dates) > MOST_HOLIDAYS:
        raise ValueError(f"{path}: it is a list of up to {MOST_HOLIDAYS} dates")
    found: set[date] = set()
    regions: dict[str, frozenset[date]] = {}
    for each in dates:
        if isinstance(each, str) and each[:1].isalpha():
            code = each.strip().upper()
            try:
                regions[code] = public_holidays(code, _years())
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
        else:
            found.add(_parse_date(each, path))
    return frozenset(found), regions


def _parse_date(value: object, path: str) -> date:
    # TOML has dates of its own.
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{path}: {value!r} is no date such as 2026-12-25") from None


def _parse_regions(table: object, path: str) -> dict[str, frozenset[date]]:
    """Parse dates by region as they are stored: what reads them needs no library."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{path}: it is a table of dates by region")
    regions: dict[str, frozenset[date]] = {}
    for code, dates in table.items():
        if not isinstance(dates, list) or len(dates) > MOST_HOLIDAYS:
            raise ValueError(f"{path}.{code}: it is a list of up to {MOST_HOLIDAYS} dates")
        regions[str(code)] = frozenset(_parse_date(each, f"{path}.{code}") for each in dates)
    return regions


def _years() -> range:
    this = datetime.now(UTC).year
    return range(this + _YEARS[0], this + _YEARS[1] + 1)


def _open_intervals(calendar: BusinessCalendar, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the open intervals of a range of moments, in order and apart from each other."""
    for begins, ends, offset in _same_offset(calendar.zone, start, end):
        day = (begins + offset) // _DAY
        while day * _DAY - offset < ends:
            for span in calendar.spans(_EPOCH + timedelta(days=day)):
                opens = max(begins, day * _DAY + span.start * _MINUTE - offset)
                closes = min(ends, day * _DAY + span.end * _MINUTE - offset)
                if opens < closes:
                    yield opens, closes
            day += 1


def _same_offset(zone: ZoneInfo, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Split a range where the zone's offset (milliseconds) changes: (start, end, offset)."""
    begins, offset = start, _offset(zone, start)
    at = start
    while at < end:
        following = min(at + _DAY, end)
        changed = _offset(zone, following)
        if changed != offset:
            low, high = at, following
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(zone, middle) == offset else (low, middle)
            yield begins, high, offset
            begins, offset = high, changed
        at = following
    if begins < end:
        yield begins, end, offset


def _offset(zone: ZoneInfo, moment: int) -> int:
    local = datetime.fromtimestamp(moment / 1000, UTC).astimezone(zone)
    offset = local.utcoffset() or timedelta()
    return offset // timedelta(milliseconds=1)
