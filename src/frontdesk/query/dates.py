"""Days in queries: 2026-11-01, 2026-11, 2026, today, yesterday, ranges with .. and comparisons."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from frontdesk.text.dates import period_of

HOW_TO = (
    "a day such as 2026-11-01, 2026-11, 2026, today or yesterday, a range such as"
    " 2026-11-01..2026-11-15, or >, >=, < or <= and a day"
)

_ONE_DAY = timedelta(days=1)
_SOME_DAY = date(2000, 6, 15)
RELATIVE = {"today": 0, "yesterday": 1}
_COMPARED = re.compile(r"(>=|<=|>|<)(.+)")
RANGE = ".."
_INSTANT = r"(\d{4}-\d\d-\d\d[tT]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[zZ]|[+-]\d\d:\d\d))?"
# As programs write what a reader's days are: the first instant is in it, the last is not.
_INSTANTS = re.compile(_INSTANT + r"\.\." + _INSTANT)


class Days(NamedTuple):
    """Half-open range of days; None: no end on that side."""

    first: date | None
    end: date | None


def parse_days(text: str, today: date) -> Days:
    """Parse the value of a term. Both ends of a range are included, rounded outwards.

    Raises: ValueError: with a sentence on what is wrong.

    >>> parse_days("2026-11..", date(2026, 12, 1)).first
    datetime.date(2026, 11, 1)
    """
    if RANGE in text:
        begin, _, last = text.partition(RANGE)
        return _range(begin, last, today)
    if compared := _COMPARED.fullmatch(text):
        first, end = _day(compared[2], today)
        return {
            ">=": Days(first, None),
            ">": Days(end, None),
            "<": Days(None, first),
            "<=": Days(None, end),
        }[compared[1]]
    return Days(*_day(text, today))


def _range(begin: str, last: str, today: date) -> Days:
    if not begin and not last:
        raise ValueError("One side of .. has to be a day")
    first = _day(begin, today)[0] if begin else None
    end = _day(last, today)[1] if last else None
    if first is not None and end is not None and first >= end:
        raise ValueError(f"{begin} comes after {last}")
    return Days(first, end)


def _day(text: str, today: date) -> tuple[date, date]:
    """First day of a day, month or year, and the day after its last."""
    if text in RELATIVE:
        day = today - _ONE_DAY * RELATIVE[text]
        return day, day + _ONE_DAY
    period = period_of(text)
    if period is None:
        raise ValueError(f"{text or 'Nothing'} is no day")
    return period


def absolute(text: str, today: date) -> str:
    """The day that a word such as today means; any other text as it is."""
    ago = RELATIVE.get(text.casefold())
    return text if ago is None else (today - _ONE_DAY * ago).isoformat()


def instants(text: str) -> tuple[datetime | None, datetime | None] | None:
    """Both ends of a range of instants; None if the text is none.

    Raises: ValueError: there is no such time.
    """
    match = _INSTANTS.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return None
    first, end = (datetime.fromisoformat(one.upper()) if one else None for one in match.groups())
    return first, end


def before(text: str) -> str:
    """Range of the days before a day, month, year or word."""
    if text in RELATIVE:
        return f"<{text}"
    period = period_of(text)
    assert period is not None
    return f"{RANGE}{(period[0] - _ONE_DAY).isoformat()}"


def problem(text: str) -> str:
    """What is wrong with the value of a term on whatever day it is used; "" if nothing is."""
    try:
        if instants(text) is not None:
            return ""
    except ValueError:
        return f"{text} is no time"
    days = (_SOME_DAY, *(_SOME_DAY.replace(year=year) for year in (1, 9998)))
    problems = []
    for today in days:
        try:
            parse_days(text, today)
        except (ValueError, OverflowError) as error:
            problems.append(str(error))
    # A range with “today” in it is only wrong if it is so on every day.
    return problems[0] if len(problems) == len(days) else ""


def moments(text: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Beginning and end of the days of a term, in the zone of `now`.

    An offset that is no zone stands for the local zone, of which the offset may change. A range
    that is empty today, such as tomorrow's date until today, has its end at its beginning.
    """
    if (ends := instants(text)) is not None:
        return ends
    try:
        days = parse_days(text, now.date())
    except ValueError:
        days = Days(now.date(), now.date())
    return _midnight(days.first, now), _midnight(days.end, now)


def _midnight(day: date | None, now: datetime) -> datetime | None:
    if day is None:
        return None
    naive = datetime.combine(day, time())
    if isinstance(now.tzinfo, ZoneInfo) or now.tzinfo is UTC:
        return naive.replace(tzinfo=now.tzinfo)
    try:
        return naive.astimezone()
    except (OverflowError, OSError):
        return naive.replace(tzinfo=UTC)
