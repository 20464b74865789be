"""Typed accessors for untrusted JSON: members by type, phone numbers, channel ids and times.

A wrong type raises an error with the member's path.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from frontdesk.text.limits import LONGEST_ID, is_too_long
from frontdesk.wire.values import CHANNEL_ID, PHONE_DIGITS

T = TypeVar("T")

# Unix seconds beyond this (the year 2100) are not valid message times.
LAST_SECOND = 4_102_444_800

_DIGITS_OF_A_PHONE = re.compile(PHONE_DIGITS)
_CHANNEL_ID = re.compile(CHANNEL_ID)
# Numbers have at most 15 digits; this leaves room for formatting.
_LONGEST_SHOWN_NUMBER = 40
_NO_DIGITS = re.compile(r"[^0-9]")


class Malformed(ValueError):
    """Unreadable JSON; the message explains the problem to the operator."""


class JsonObject:
    """JSON object inside a body. `where` is its path in errors, such as `messages[0].text`."""

    __slots__ = ("_above", "_name", "members")

    def __init__(
        self, members: Mapping[str, Any], where: str = "", above: "JsonObject | None" = None
    ) -> None:
        self.members = members
        self._name = where
        self._above = above

    @property
    def where(self) -> str:
        """Path used in errors; built only when needed."""
        return self._name if self._above is None else self._above.at(self._name)

    def __contains__(self, name: str) -> bool:
        return self.members.get(name) is not None

    def text(self, name: str) -> str:
        """Return a required, non-empty string; integers are converted."""
        return self._required(name, self.optional_text(name) or None)

    def optional_text(self, name: str) -> str | None:
        """Return an optional string; integers are converted."""
        value = self.members.get(name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise Malformed(f"{self.at(name)} is not a string")

    def optional_texts(self, *names: str) -> dict[str, str | None]:
        """Return optional strings by name."""
        return {name: self.optional_text(name) for name in names}

    def id(self, name: str) -> str:
        """Return a required identifier, limited in length."""
        return self._required(name, self.optional_id(name))

    def optional_id(self, name: str) -> str | None:
        """Return an optional identifier, limited in length; None for ""."""
        value = self.optional_text(name)
        return checked_id(value, self.at(name)) if value else None

    def flag(self, name: str) -> bool | None:
        value = self.members.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise Malformed(f"{self.at(name)} is not true or false")

    def part(self, name: str) -> "JsonObject":
        return self._required(name, self.optional_part(name))

    def optional_part(self, name: str) -> "JsonObject | None":
        value = self.members.get(name)
        if value is None:
            return None
        if not _is_object(value):
            raise Malformed(f"{self.at(name)} is not an object")
        return JsonObject(value, name, self)

    def part_or_empty(self, name: str) -> "JsonObject":
        """Return an object, an empty one if absent."""
        return self.optional_part(name) or JsonObject({}, name, self)

    def parts(self, name: str) -> list["JsonObject"]:
        """Return the objects of an array, [] if absent."""
        elements = []
        for element in self.elements(name):
            if isinstance(element, Malformed):
                raise element
            elements.append(element)
        return elements

    def moment(self, name: str) -> int:
        """Return a required time in epoch milliseconds, given in Unix seconds or milliseconds."""
        text = self.text(name)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 14 else 0
        moment = number if len(text) == 13 else number * 1000
        if not 0 < moment < LAST_SECOND * 1000:
            raise Malformed(f"{self.at(name)} is not a time in Unix seconds")
        return moment

    def measure(self, name: str) -> int | float:
        """Return a required number, which may be given as text."""
        value = self.members.get(name)
        if isinstance(value, str):
            value = _number(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        raise Malformed(f"{self.at(name)} is not a number")

    def elements(self, name: str) -> Iterator["JsonObject | Malformed"]:
        """Yield the objects of an array, and an error in place of any other element."""
        values = self.members.get(name)
        if values is not None and not isinstance(values, list):
            raise Malformed(f"{self.at(name)} is not an array")
        for position, value in enumerate(values or ()):
            if _is_object(value):
                yield JsonObject(value, f"{name}[{position}]", self)
            else:
                yield Malformed(f"{self.at(name)}[{position}] is not an object")

    def number(self, name: str) -> int:
        """Return an integer, 0 if absent."""
        text = self.optional_text(name) or "0"
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise Malformed(f"{self.at(name)} is not a whole number")
        return int(text)

    def _required(self, name: str, value: T | None) -> T:
        if value is None:
            raise Malformed(f"{self.at(name)} is missing")
        return value

    def at(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name


def checked_id(value: str, where: str) -> str:
    """Validate the length of an id or key; `where` is its path in errors. Raises: Malformed."""
    if len(value) > LONGEST_ID // 4 and is_too_long(value):
        raise Malformed(f"{where} is too long: it may have {LONGEST_ID} bytes")
    return value


def _is_object(value: object) -> bool:
    # dict is by far the most frequent type, and much faster to check.
    return isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def is_phone(digits: str) -> bool:
    """Check for the digits of an international number."""
    return _DIGITS_OF_A_PHONE.fullmatch(digits) is not None


def channel_id(part: JsonObject, name: str) -> str:
    """Return a required phone_number_id. Raises: Malformed."""
    return checked_channel_id(part.id(name), part.at(name))


def checked_channel_id(value: str, where: str) -> str:
    """Validate a phone_number_id; `where` is its path in errors. Raises: Malformed."""
    if not _CHANNEL_ID.fullmatch(value):
        raise Malformed(f"{where} is no phone_number_id, which has 1 to 20 digits and nothing else")
    return value


def shown_number(part: JsonObject) -> str | None:
    """Return the optional display_phone_number. Raises: Malformed."""
    number = part.optional_text("display_phone_number")
    if number is not None and len(number) > _LONGEST_SHOWN_NUMBER:
        where = part.at("display_phone_number")
        raise Malformed(f"{where} has more than {_LONGEST_SHOWN_NUMBER} characters")
    return number


def digits_of(number: str | None) -> str:
    return _NO_DIGITS.sub("", number or "")


def phone_of(number: str | None) -> str | None:
    """Normalise a phone number in any format to E.164; None if it is not one."""
    digits = digits_of(number)
    return f"+{digits}" if is_phone(digits) else None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def instant(text: object) -> int:
    """Parse an ISO 8601 time with an offset to epoch milliseconds.

    Raises: Malformed.
    """
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment is not None and moment.tzinfo is not None:
            return (moment - _EPOCH) // _MILLISECOND
    except (ValueError, OverflowError):
        pass
    raise Malformed("is not a time such as 2026-03-14T09:26:53.000Z")
