"""Values of other servers as the contract writes them: one reader for each kind of value.

A reader gives ABSENT for what it cannot use: then the next spelling is tried.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from frontdesk.client.members import ABSENT, at, found
from frontdesk.client.moments import moment
from frontdesk.client.tolerance import (
    AUTHORS,
    DELIVERIES,
    DIRECTIONS,
    FIELD_NAMES,
    IDS,
    LISTS,
    TEXTS,
    TIMES,
    WORDS,
)
from frontdesk.wire.words import AUTHORS as KNOWN_AUTHORS
from frontdesk.wire.words import PHONE_DIGITS, STATUSES

Reader: TypeAlias = Callable[[Any], Any]

_PHONE_MARKS = re.compile(r"[\s().\-]")
_DIGITS = re.compile(rf"\+?{PHONE_DIGITS}")
_COLOR = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", re.ASCII)
_LONGEST_NUMBER = 10**18


def text(value: Any) -> Any:
    """Text, also where a number was given."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if abs(value) < _LONGEST_NUMBER else f"{value:g}"
    return ABSENT


def identifier(value: Any) -> Any:
    """An id as text."""
    value = _within(value, IDS)
    if isinstance(value, int) and not isinstance(value, bool):
        # Python refuses to write numbers of over 4300 digits.
        return str(value) if abs(value) < 10**80 else ABSENT
    return value if isinstance(value, str) and value else ABSENT


def time(value: Any) -> Any:
    """A time as the contract writes it."""
    written = moment(_within(value, TIMES))
    return ABSENT if written is None else written


def flag(value: Any) -> Any:
    """True or false, also as a word or a number."""
    if isinstance(value, str):
        return {"true": True, "false": False, "1": True, "0": False}.get(value.lower(), ABSENT)
    return bool(value) if isinstance(value, int) else ABSENT


def whole(value: Any) -> Any:
    """A whole number, also as text."""
    number = decimal(value)
    return ABSENT if number is ABSENT else int(number)


def decimal(value: Any) -> Any:
    """A number, also as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return ABSENT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ABSENT
    # Neither NaN nor without end.
    return value if abs(value) < _LONGEST_NUMBER else ABSENT


def mapping(value: Any) -> Any:
    """An object as it is."""
    return value if isinstance(value, dict) else ABSENT


def anything(value: Any) -> Any:
    """As it is."""
    return value


def strings(value: Any) -> Any:
    """A list of texts: of the texts, ids or titles in it, or of the names that are true."""
    value = listed(value)
    if isinstance(value, dict) and value and all(isinstance(on, bool) for on in value.values()):
        return [name for name, on in value.items() if on]
    if not isinstance(value, list):
        return ABSENT
    read = (text(_title(member)) for member in value)
    return [member for member in read if member is not ABSENT]


def listed(value: Any) -> Any:
    """A list that stands in an object of its own; anything else as it is."""
    if not isinstance(value, dict):
        return value
    return next((inner for _, inner in found(value, LISTS) if isinstance(inner, list)), value)


def labels(value: Any) -> Any:
    """Titles of labels, also as text with commas."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return strings(value)


def phone(value: Any) -> Any:
    """An E.164 number where one can be made out, else the text."""
    written = text(value)
    if not isinstance(written, str):
        return ABSENT
    digits = _PHONE_MARKS.sub("", written.removeprefix("whatsapp:"))
    if _DIGITS.fullmatch(digits):
        return f"+{digits.removeprefix('+')}"
    return written or ABSENT


def color(value: Any) -> Any:
    """#rrggbb; other colours are not known."""
    match = _COLOR.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return ABSENT
    digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
    return f"#{digits.lower()}"


def direction(value: Any) -> Any:
    """inbound or outbound."""
    value = _within(value, WORDS)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ABSENT
    return DIRECTIONS.get(value.lower() if isinstance(value, str) else value, ABSENT)


def author(value: Any) -> Any:
    """Who wrote: a word, or the kind of the person who is named."""
    if isinstance(value, dict):
        value = next((word for _, word in found(value, ("type", "kind", "role"))), ABSENT)
    if not isinstance(value, str) or not value:
        return ABSENT
    return AUTHORS.get(value.lower(), value.lower() if value.lower() in KNOWN_AUTHORS else value)


def status(value: Any) -> Any:
    """The status of a conversation; the three that we know in small letters."""
    value = _within(value, WORDS)
    return value.lower() if isinstance(value, str) and value.lower() in STATUSES else text(value)


def delivery(value: Any) -> Any:
    """A step of a delivery in small letters, also by its number."""
    value = _within(value, WORDS)
    if isinstance(value, str):
        return value.lower() or ABSENT
    if isinstance(value, bool) or not isinstance(value, int):
        return ABSENT
    return DELIVERIES.get(value, ABSENT)


def kind(value: Any) -> Any:
    """The type of a message; numbers say something else."""
    value = _within(value, WORDS)
    return value if isinstance(value, str) and value and value not in DIRECTIONS else ABSENT


def words(value: Any) -> Any:
    """A text, also one in an object or in the parts of a list; numbers say something else."""
    if isinstance(value, list):
        parts = [words(part) for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str)) or ABSENT
    # An object of a kind is what a message holds beside its text.
    if isinstance(value, dict) and "kind" not in value:
        value = next((text for _, text in found(value, TEXTS) if isinstance(text, str)), ABSENT)
    return value if isinstance(value, str) else ABSENT


def custom_fields(value: Any) -> Any:
    """Values by the key of their field, also from a list of pairs."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return ABSENT
    fields: dict[str, Any] = {}
    for member in value:
        names = [text(name) for _, name in found(member, FIELD_NAMES)]
        if names and isinstance(names[0], str):
            fields[names[0]] = at(member, "value") if "value" in member else None
    return fields


def components(value: Any) -> Any:
    """The parts of a template; a text is its body."""
    if isinstance(value, str):
        return [{"type": "BODY", "text": value}]
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else ABSENT


def _title(member: Any) -> Any:
    if not isinstance(member, Mapping):
        return member
    title = next((name for _, name in found(member, ("title", "name", "label", "id"))), ABSENT)
    return _title(title) if isinstance(title, dict) else title


def _within(value: Any, spots: tuple[str, ...]) -> Any:
    """What stands for a value in an object that comes in the place of it."""
    if not isinstance(value, dict):
        return value
    return next((inner for _, inner in found(value, spots) if isinstance(inner, str | int)), ABSENT)
