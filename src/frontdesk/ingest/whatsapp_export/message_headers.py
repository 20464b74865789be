"""Parses message headers of exported chats (date, time, sender) in any language (pure)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frontdesk.ingest.whatsapp_export.phrases import PHRASES
from frontdesk.text.clean import plain

# Maximum length of a header in characters.
_LONGEST = 90

# Full-width punctuation of East Asian keyboards.
_PUNCTUATION = str.maketrans("：，／．－［］", ":,/.-[]")
# First of the twelve hours that each day period selects.
_FIRST_HOURS = {"morning": 0, "noon": 8, "afternoon": 12, "night": 18}
_PERIODS: Mapping[str, int] = {
    word.casefold(): hour for period, hour in _FIRST_HOURS.items() for word in PHRASES[period]
}
# Year before the first year of each era.
_ERAS: Mapping[str, int] = {"r": 2018, "h": 1988, "令和": 2018, "平成": 1988}
_BUDDHIST = 543

_SEPARATOR = r"\s?[./\-\s年月년월]\s?"
_PERIOD = "|".join(re.escape(word) for word in sorted(_PERIODS, key=len, reverse=True))
_ERA = "|".join(_ERAS)
# If the year comes last, its era precedes it.
_DATE = (
    rf"(?P<era>{_ERA})?(?P<a>\d{{1,4}}){_SEPARATOR}(?P<b>\d{{1,2}}){_SEPARATOR}"
    rf"(?P<last_era>{_ERA})?(?P<c>\d{{1,4}})(?:[.日일]|\s?г\.?)?(?P<be>\s?(?:BE|B\.E\.|พ\.ศ\.))?"
)
# Words between the numbers of a time, and after them: 9 h 15, 9시 15분, 9:15 ч.
_TIME = (
    rf"(?:(?P<before>{_PERIOD})\s?)?(?P<hour>\d{{1,2}})(?:[:.](?=\d\d)|\s?[h시時时点]\s?)"
    r"(?P<minute>\d{1,2})(?:(?:[:.](?=\d\d)|\s?(?:min|[분分])\s?)(?P<second>\d{1,2}))?"
    rf"(?:\s?(?:min|[분分초秒]))?(?:\s?(?:uhr|น|ч)\.?)?(?:\s?(?P<after>{_PERIOD}))?"
)
_BETWEEN = r"(?:\s?[,،]\s?|\s)(?:[^\W\d_]{1,5}\.?\s){0,2}?"
_HYPHEN = r"\s?[-–—]\s"
_WRITTEN = rf"(?:{_ERA})?\d{{1,4}}{_SEPARATOR}\d{{1,2}}{_SEPARATOR}(?:{_ERA})?\d{{1,4}}(?!\d)"
_CLOCK = r"\d{1,2}[:.]\d{2}"
_MONTH = r"(?:\d{1,2}\.?\s[^\W\d_]{3,12}\.?|[^\W\d_]{3,12}\.?\s\d{1,2}\.?)(?:,?\s\d{4})?,?"
# Loose match of a date and a time in either order, before a message.
_ALIKE = re.compile(
    rf"\[?\s?{_WRITTEN}.{{1,24}}?{_CLOCK}.{{0,24}}?(?:\]|\s?[-–—]\s|\s[-–—]$|:\s)"
    rf"|\[\s?.{{0,12}}?{_CLOCK}.{{0,24}}?[,،\s]\s?{_WRITTEN}.{{0,8}}?\]"
    rf"|{_CLOCK}.{{0,12}}?[,،\s]\s?{_WRITTEN}.{{0,8}}?\s[-–—](?:\s|$)"
    rf"|\[?{_MONTH}\s.{{0,12}}?{_CLOCK}.{{0,24}}?(?:\]|\s[-–—])\s[^:]{{1,60}}:\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HeaderFormat:
    """`ios`: exports that put a mark before what WhatsApp itself writes."""

    name: str
    pattern: re.Pattern[str]

    @property
    def ios(self) -> bool:
        return self.name.startswith("iOS")


def _family(name: str, pattern: str) -> HeaderFormat:
    return HeaderFormat(name, re.compile(pattern, re.IGNORECASE))


FAMILIES = (
    _family("Android", rf"{_DATE}{_BETWEEN}{_TIME}{_HYPHEN}"),
    _family("Android (time first)", rf"{_TIME}{_BETWEEN}{_DATE}{_HYPHEN}"),
    _family("iOS", rf"\[\s?{_DATE}{_BETWEEN}{_TIME}\s?\]\s?"),
    _family("iOS (time first)", rf"\[\s?{_TIME}{_BETWEEN}{_DATE}\s?\]\s?"),
    _family("iOS (no brackets)", rf"{_DATE}{_BETWEEN}{_TIME}:\s"),
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Date and time as written. parts: numbers of the date in order; date: its text.

    year_first, year_last: the year must be there. calendar: offset added to the year. exact: with
    seconds.
    """

    parts: tuple[int, int, int]
    year_first: bool
    year_last: bool
    calendar: int
    hour: int
    minute: int
    second: int
    exact: bool
    date: str


@dataclass(frozen=True, slots=True)
class Header:
    """Parsed header, and the offset where the message begins."""

    stamp: Stamp
    end: int


def family_of(lines: Iterable[str]) -> HeaderFormat | None:
    """Return the header format that most lines match, None if no line matches any."""
    counts = [0] * len(FAMILIES)
    for line in lines:
        start, _ = _placed(line[:_LONGEST])
        for number, family in enumerate(FAMILIES):
            counts[number] += family.pattern.match(start) is not None
    most = max(counts)
    return FAMILIES[counts.index(most)] if most else None


def header(line: str, family: HeaderFormat) -> Header | None:
    """Parse the header at the start of a line, None without one."""
    start, places = _placed(line[:_LONGEST])
    match = family.pattern.match(start)
    stamp = None if match is None else _stamp(match)
    if match is None or stamp is None:
        return None
    end = places[match.end()] if match.end() < len(places) else min(len(line), _LONGEST)
    return Header(stamp, end)


def looks_like_header(line: str) -> bool:
    """Check if a line starts like a header, even one with an invalid time."""
    return _ALIKE.match(_placed(line[:_LONGEST])[0]) is not None


def _placed(text: str) -> tuple[str, list[int]]:
    """Return the normalised text, and the original offset of each of its characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if shown := plain(character):
            characters.append(shown)
            places.append(place)
    return "".join(characters).translate(_PUNCTUATION), places


def _stamp(match: re.Match[str]) -> Stamp | None:
    """Convert a match to a stamp; None for an invalid time."""
    period = match["before"] or match["after"]
    hour = _hour(int(match["hour"]), None if period is None else _PERIODS[period.casefold()])
    minute, second = int(match["minute"]), int(match["second"] or 0)
    if hour is None or minute > 59 or second > 59:
        return None
    era = match["era"] or match["last_era"]
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    calendar = _ERAS[era.casefold()] if era else 0
    if era is None and (match["be"] or max(a, c) > 2400):
        calendar = -_BUDDHIST
    return Stamp(
        parts=(a, b, c),
        year_first=match["era"] is not None or len(match["a"]) > 2,
        year_last=match["last_era"] is not None or len(match["c"]) > 2,
        calendar=calendar,
        hour=hour,
        minute=minute,
        second=second,
        exact=match["second"] is not None,
        date=match.string[match.start(_first(match)) : match.end("c")],
    )


def _hour(hour: int, first: int | None) -> int | None:
    """Return the hour of the day, None if invalid.

    first: first of the twelve hours selected by the day period. Clocks that count these from 0
    write 0:24 PM for 12:24 PM; some phones write PM with a 24-hour time.
    """
    if hour > 23:
        return None
    if first is None:
        return hour
    if hour > 12:
        return hour if (hour - first) % 24 < 12 else None
    return (first + (hour - first) % 12) % 24


def _first(match: re.Match[str]) -> str:
    """Return the group at which the date starts."""
    return "a" if match["era"] is None else "era"
