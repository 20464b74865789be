"""The start of a line of an exported chat: when something was said, in any language; pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

# A header is found in so many characters, or there is none.
_LONGEST = 90

_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_SPACES = "\u00a0\u202f\u2009\u2007"
# What is said of the time of day, by what it means: the hours before noon, or those after it.
_MORNING = (
    *("am", "a.m.", "a. m.", "a m", "in the morning", "de la mañana", "da manhã", "vorm."),
    *("ص", "π.μ.", "πμ", "पूर्वाह्न", "sa", "pg", "上午", "午前", "오전", "de.", "öö"),
)
_AFTERNOON = (
    *("pm", "p.m.", "p. m.", "p m", "in the afternoon", "in the evening", "at night"),
    *("de la tarde", "de la noche", "da tarde", "da noite", "nachm."),
    *("م", "μ.μ.", "μμ", "अपराह्न", "ch", "ptg", "下午", "午後", "오후", "du.", "ös"),
)
_HALVES: Mapping[str, int] = MappingProxyType(
    {**dict.fromkeys(_MORNING, 0), **dict.fromkeys(_AFTERNOON, 12)}
)
# The first year of an era is the year after this one.
_ERAS = MappingProxyType({"R": 2018, "H": 1988})
_BUDDHIST = 543

_SEPARATOR = r"\s?[./\-\s]\s?"
_HALF = "|".join(re.escape(half) for half in sorted(_HALVES, key=len, reverse=True))
_DATE = (
    rf"(?P<era>[RH])?(?P<a>\d{{1,4}}){_SEPARATOR}(?P<b>\d{{1,2}}){_SEPARATOR}(?P<c>\d{{1,4}})"
    r"\.?(?P<be>\s?(?:BE|B\.E\.|พ\.ศ\.))?"
)
_TIME = (
    rf"(?:(?P<before>{_HALF})\s?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})"
    rf"(?:[:.](?P<second>\d{{2}}))?(?:\s?(?P<after>{_HALF}))?"
)
_BETWEEN = r"(?:\s?[,،]\s?|\s)(?:[^\W\d_]{1,5}\.?\s){0,2}?"


@dataclass(frozen=True, slots=True)
class Family:
    """A way in which headers are written."""

    name: str
    pattern: re.Pattern[str]


def _family(name: str, pattern: str) -> Family:
    return Family(name, re.compile(pattern, re.IGNORECASE))


FAMILIES = (
    _family("Android", rf"{_DATE}{_BETWEEN}{_TIME}\s?[-–]\s"),
    _family("iOS", rf"\[\s?{_DATE}{_BETWEEN}{_TIME}\s?\]\s?"),
    _family("iOS, time first", rf"\[\s?{_TIME}\s?[,،]\s?{_DATE}\s?\]\s?"),
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date and a time as they are written. parts: the numbers of the date in their order.

    year_first, year_last: where the year must be. calendar: what is added to the year.
    exact: the seconds are told.
    """

    parts: tuple[int, int, int]
    year_first: bool
    year_last: bool
    calendar: int
    hour: int
    minute: int
    second: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Header:
    """The start of a line, and where what is said begins in it."""

    stamp: Stamp
    end: int


def plain(text: str) -> str:
    """A text without marks of direction, with ordinary spaces and ASCII digits."""
    return "".join(_plain(character) for character in text)


def family_of(lines: Iterable[str]) -> Family | None:
    """How the headers of a file are written: in the way in which most of its lines are."""
    counts = [0] * len(FAMILIES)
    for line in lines:
        start = plain(line[:_LONGEST])
        for number, family in enumerate(FAMILIES):
            counts[number] += family.pattern.match(start) is not None
    most = max(counts)
    return FAMILIES[counts.index(most)] if most else None


def header(line: str, family: Family) -> Header | None:
    """The header that a line starts with, if it does."""
    start, places = _placed(line[:_LONGEST])
    found = family.pattern.match(start)
    stamp = None if found is None else _stamp(found)
    if found is None or stamp is None:
        return None
    end = places[found.end()] if found.end() < len(places) else min(len(line), _LONGEST)
    return Header(stamp, end)


def _placed(text: str) -> tuple[str, list[int]]:
    """The plain text, and where each of its characters stands in the other."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if shown := _plain(character):
            kept.append(shown)
            places.append(place)
    return "".join(kept), places


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if character in _MARKS:
        return ""
    if character in _SPACES:
        return " "
    return str(int(character)) if character.isdecimal() else character


def _stamp(found: re.Match[str]) -> Stamp | None:
    """What a header says; None if there is no such time."""
    half = found["before"] or found["after"]
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + _HALVES[half.lower()]
    if hour > 23 or minute > 59 or second > 59:
        return None
    era = found["era"]
    a, b, c = int(found["a"]), int(found["b"]), int(found["c"])
    calendar = _ERAS[era.upper()] if era else 0
    if found["be"] or max(a, c) > 2400:
        calendar = -_BUDDHIST
    return Stamp(
        parts=(a, b, c),
        year_first=era is not None or len(found["a"]) > 2,
        year_last=len(found["c"]) > 2,
        calendar=calendar,
        hour=hour,
        minute=minute,
        second=second,
        exact=found["second"] is not None,
    )
