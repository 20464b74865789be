"""Words for the times in a query: created in Nov 2025, last active before 1 Nov, waiting over 1 h.

Days are those of the reader; where they begin and end at other moments in the zone of the account,
the words say in which zone they are meant.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from frontdesk.query.dates import RANGE, RELATIVE, Days, moments, parse_days
from frontdesk.query.language import Term, is_duration
from frontdesk.query.terms import ACTIVE, CREATED, SENT, WAITING, WINDOW
from frontdesk.text.times import in_zone, range_words, short_date, zone_name

_ONE_DAY = timedelta(days=1)
_UNITS: Mapping[str, str] = MappingProxyType(
    {"s": "s", "m": "min", "h": "h", "d": "day", "w": "week"}
)
# Before the words of an age, by kind and sign, and behind them.
_AGES: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {
        (WAITING, ">"): ("waiting over", ""),
        (WAITING, "<"): ("waiting under", ""),
        (ACTIVE, ">"): ("last active over", " ago"),
        (ACTIVE, "<"): ("last active under", " ago"),
        (WINDOW, ">"): ("reply window over", ""),
        (WINDOW, "<"): ("reply window under", ""),
    }
)
_VERBS: Mapping[str, str] = MappingProxyType(
    {WAITING: "waiting since", ACTIVE: "last active", CREATED: "created", SENT: "a message"}
)


def time_words(term: Term, now: datetime, zone: str) -> str:
    """Words for an age, or for days, of a term.

    now: in the reader's zone. zone: IANA name of the account's zone, or "" if it is not known.

    >>> noon = datetime(2026, 11, 27, 12, tzinfo=UTC)
    >>> time_words(Term(ACTIVE, "..2026-10"), noon, "UTC")
    'last active before 1 Nov'
    """
    words = _age(term) if is_duration(term.value) else _days(term, now, zone)
    return f"not {words}" if term.negated else words


def _age(term: Term) -> str:
    before, behind = _AGES[term.kind, term.value[0]]
    number, unit = int(term.value[1:-1]), _UNITS[term.value[-1]]
    plural = "s" if number != 1 and unit in ("day", "week") else ""
    return f"{before} {number} {unit}{plural}{behind}"


def _days(term: Term, now: datetime, zone: str) -> str:
    days = _days_of(term.value, now.date())
    words = _span(days, _DayNames(term.value, now.date()), is_wait=term.kind == WAITING)
    meant = _zone(term.value, now, zone)
    return f"{_VERBS[term.kind]} {words}{f' ({meant})' if meant else ''}"


def _days_of(text: str, today: date) -> Days:
    """Range of days, also of one that ends before it begins, as today's end may."""
    try:
        return parse_days(text, today)
    except ValueError:
        begin, _, last = text.partition(RANGE)
        return Days(parse_days(begin, today).first, parse_days(last, today).end)


class _DayNames:
    """Names of days: today and the days beside it, if the text has such words; else dates."""

    def __init__(self, text: str, today: date) -> None:
        self._today = today
        self._near: Mapping[date, str] = {}
        if any(word in text for word in RELATIVE):
            near = enumerate(("yesterday", "today", "tomorrow"), -1)
            self._near = {today + _ONE_DAY * ahead: name for ahead, name in near}

    def named(self, day: date) -> str:
        """Name of a day near today; "" of any other."""
        return self._near.get(day, "")

    def of(self, day: date) -> str:
        """Name or date, with the year if that is not the present one."""
        year = "" if day.year == self._today.year else f" {day.year}"
        return self.named(day) or f"{short_date(day)}{year}"

    def range(self, days: Days) -> str:
        """First and last day of a range that has both."""
        assert days.first is not None
        assert days.end is not None
        last = days.end - _ONE_DAY
        if self.named(days.first) or self.named(last) or days.first > last:
            return f"{self.of(days.first)} – {self.of(last)}"
        start, end = (datetime.combine(day, time()) for day in (days.first, days.end))
        years = {days.first.year, last.year}
        return range_words(start, end, year=years != {self._today.year})

    def periods(self, days: Days) -> list[str]:
        """First and last of the years or months that are exactly the range; [] if none are."""
        assert days.first is not None
        assert days.end is not None
        if (days.first.day, days.end.day) != (1, 1):
            return []
        last = days.end - _ONE_DAY
        if (days.first.month, last.month) == (1, 12):
            ends = [str(day.year) for day in (days.first, last)]
        else:
            is_here = days.first.year == last.year == self._today.year
            ends = [f"{day:%b}{'' if is_here else f' {day.year}'}" for day in (days.first, last)]
        return list(dict.fromkeys(ends))


def _span(days: Days, names: _DayNames, *, is_wait: bool) -> str:
    """Words for a range. is_wait: behind "waiting since", where one day stands without "on"."""
    first, end = days
    if first is None:
        assert end is not None
        return f"before {names.of(end)}"
    if end is None:
        return f"{names.of(first)} or later" if is_wait else f"from {names.of(first)} on"
    if end - first == _ONE_DAY:
        return names.of(first) if is_wait or names.named(first) else f"on {names.of(first)}"
    periods = names.periods(days)
    if len(periods) == 1:
        return periods[0] if is_wait else f"in {periods[0]}"
    return " – ".join(periods) or names.range(days)


def _zone(text: str, now: datetime, zone: str) -> str:
    """Name of the reader's zone if the days are others in the account's; else ""."""
    try:
        there = now.astimezone(ZoneInfo(zone)) if zone else now
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ""
    here = [moment for moment in moments(text, now) if moment is not None]
    same = [moment for moment in moments(text, there) if moment is not None]
    if [in_zone(moment, UTC) for moment in here] == [in_zone(moment, UTC) for moment in same]:
        return ""
    return zone_name(here)
