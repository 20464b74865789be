"""Values of custom fields as texts that can be compared: index entries, and what filters look for.

A number sorts as a number, a day as a day. An entry begins with a letter for its kind.
"""

import re
import struct
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from frontdesk.text.clean import folded, one_line
from frontdesk.text.dates import period_of
from frontdesk.wire.queries import MOST_FIELD_CHARACTERS

# Kinds of entries: yes or no, day, object, long text, number, text.
_FLAG, _DAY, _OBJECT, _LONG, _NUMBER, _TEXT = "bdolnt"
_BEHIND = chr(0x7F)
_FLAGS = {"true": "1", "yes": "1", "false": "0", "no": "0"}
_IS_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def entries(value: object) -> Iterator[str]:
    """Index entries of a value of JSON; none of what is null or blank. A list has those of each.

    A text of more than `MOST_FIELD_CHARACTERS` has an entry that no filter for a value finds.
    """
    match value:
        case bool():
            yield f"{_FLAG}{int(value)}"
        case int() | float():
            yield from _number_entry(str(value))
        case str():
            yield from _text_entries(value)
        case list():
            for element in value:
                yield from entries(element)
        case dict():
            yield _OBJECT


def _text_entries(value: str) -> Iterator[str]:
    text = _comparable(value)
    if not text:
        return
    if len(text) > MOST_FIELD_CHARACTERS:
        yield f"{_LONG}{text[:MOST_FIELD_CHARACTERS]}"
        return
    yield f"{_TEXT}{text}"
    yield from _number_entry(text)
    if len(text) == len("2026-11-01") and (period := _period(text)) is not None:
        yield f"{_DAY}{period[0].isoformat()}"


def _comparable(text: str) -> str:
    return folded(one_line(text.replace("\0", " "))).strip()


def _number_entry(text: str) -> Iterator[str]:
    if _IS_NUMBER.fullmatch(text):
        yield f"{_NUMBER}{_ordered(float(text)):016x}"


def _ordered(number: float) -> int:
    """Bits of a number, in the order of numbers."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    return int(bits ^ (2**64 - 1)) if bits >> 63 else int(bits | 1 << 63)


class EntryRange(NamedTuple):
    """Half-open range of entries."""

    first: str
    end: str


class EntryTest(NamedTuple):
    """Entries that a filter looks for: one of `equal`, or one in a range."""

    equal: tuple[str, ...] = ()
    ranges: tuple[EntryRange, ...] = ()


def equal_to(value: str) -> EntryTest:
    """Entries of a value that somebody wrote; a month or year has all of its days."""
    text = _comparable(value)
    equal = [*_text_entries(value)] if len(text) <= MOST_FIELD_CHARACTERS else []
    if text in _FLAGS:
        equal.append(f"{_FLAG}{_FLAGS[text]}")
    period = _period(text)
    ranges = () if period is None else (_days(*period),)
    return EntryTest(tuple(equal), ranges)


def compared(sign: str, value: str) -> EntryTest | None:
    """Entries that are `>`, `>=`, `<` or `<=` a number or a day, month or year; None for others."""
    text, ranges = _comparable(value), []
    if _IS_NUMBER.fullmatch(text):
        at = _ordered(float(text))
        ranges.append(_beside(sign, _NUMBER, f"{at:016x}", f"{at + 1:016x}"))
    if (period := _period(text)) is not None:
        first, end = period
        ranges.append(_beside(sign, _DAY, first.isoformat(), end.isoformat()))
    return EntryTest((), tuple(ranges)) if ranges else None


def _beside(sign: str, kind: str, first: str, end: str) -> EntryRange:
    """Range of the entries of a kind before or behind those from `first` to `end`."""
    return {
        ">": EntryRange(f"{kind}{end}", f"{kind}{_BEHIND}"),
        ">=": EntryRange(f"{kind}{first}", f"{kind}{_BEHIND}"),
        "<": EntryRange(kind, f"{kind}{first}"),
        "<=": EntryRange(kind, f"{kind}{end}"),
    }[sign]


def _days(first: date, end: date) -> EntryRange:
    return EntryRange(f"{_DAY}{first.isoformat()}", f"{_DAY}{end.isoformat()}")


def _period(text: str) -> tuple[date, date] | None:
    try:
        return period_of(text)
    except ValueError:
        return None
