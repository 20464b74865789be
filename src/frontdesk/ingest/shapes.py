"""Reads members of foreign JSON: what has another shape than it must is refused with a reason."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

# Seconds since 1970 beyond this (the year 2100) are no time of a message.
LAST_SECOND = 4_102_444_800

# An id may have so many bytes of UTF-8; no provider's has a quarter of it, and indexes have limits.
_LONGEST_ID = 512


class Malformed(ValueError):
    """A body that cannot be read. `str()` says what is wrong with it, for the operator."""


class Part:
    """A JSON object inside a body. `where` names it in reasons, as in `messages[0].text`."""

    __slots__ = ("_above", "_name", "members")

    def __init__(
        self, members: Mapping[str, Any], where: str = "", above: "Part | None" = None
    ) -> None:
        self.members = members
        self._name = where
        self._above = above

    @property
    def where(self) -> str:
        """How reasons name it; put together only for them."""
        return self._name if self._above is None else self._above.at(self._name)

    def __contains__(self, name: str) -> bool:
        return self.members.get(name) is not None

    def text(self, name: str) -> str:
        """A string that must be there and say something; a whole number is taken as its digits."""
        text = self.optional_text(name)
        if not text:
            raise Malformed(f"{self.at(name)} is missing")
        return text

    def optional_text(self, name: str) -> str | None:
        """A string, if it is there."""
        value = self.members.get(name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise Malformed(f"{self.at(name)} is not a string")

    def id(self, name: str) -> str:
        """A string by which something is found, and which must be there."""
        found = self.optional_id(name)
        if found is None:
            raise Malformed(f"{self.at(name)} is missing")
        return found

    def optional_id(self, name: str) -> str | None:
        """A string by which something is found, if it is there and says anything."""
        value = self.optional_text(name)
        if value and len(value) > _LONGEST_ID // 4 and len(value.encode()) > _LONGEST_ID:
            raise Malformed(f"{self.at(name)} is too long")
        return value or None

    def flag(self, name: str) -> bool | None:
        """A boolean, if it is there."""
        value = self.members.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise Malformed(f"{self.at(name)} is not true or false")

    def part(self, name: str) -> "Part":
        """An object that must be there."""
        part = self.optional_part(name)
        if part is None:
            raise Malformed(f"{self.at(name)} is missing")
        return part

    def optional_part(self, name: str) -> "Part | None":
        """An object, if it is there."""
        value = self.members.get(name)
        if value is None:
            return None
        if not _is_object(value):
            raise Malformed(f"{self.at(name)} is not an object")
        return Part(value, name, self)

    def parts(self, name: str) -> list["Part"]:
        """The objects of an array; none if it is not there."""
        if name not in self.members:
            return []
        found = []
        for element in self.elements(name):
            if isinstance(element, Malformed):
                raise element
            found.append(element)
        return found

    def moment(self, name: str) -> int:
        """Unix seconds, as Meta writes them, in milliseconds; some times are in those already."""
        text = self.text(name)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 14 else 0
        moment = number if len(text) == 13 else number * 1000
        if not 0 < moment < LAST_SECOND * 1000:
            raise Malformed(f"{self.at(name)} is not a time in Unix seconds")
        return moment

    def measure(self, name: str) -> int | float:
        """A number of any kind that must be there; also one written as text."""
        value = self.members.get(name)
        if isinstance(value, str):
            value = _number(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        raise Malformed(f"{self.at(name)} is not a number")

    def elements(self, name: str) -> Iterator["Part | Malformed"]:
        """The objects of an array, and in the place of anything else why it is none."""
        values = self.members.get(name)
        if values is not None and not isinstance(values, list):
            raise Malformed(f"{self.at(name)} is not an array")
        for position, value in enumerate(values or ()):
            if _is_object(value):
                yield Part(value, f"{name}[{position}]", self)
            else:
                yield Malformed(f"{self.at(name)}[{position}] is not an object")

    def number(self, name: str) -> int:
        """A whole number, 0 if it is not there."""
        text = self.optional_text(name) or "0"
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise Malformed(f"{self.at(name)} is not a whole number")
        return int(text)

    def at(self, name: str) -> str:
        """How reasons name a member."""
        return f"{self.where}.{name}" if self.where else name


def _is_object(value: object) -> bool:
    # Almost always a dict, and asking that is many times as fast.
    return isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
