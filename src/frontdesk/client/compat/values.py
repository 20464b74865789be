"""Converters from values and timestamps of other servers to the types and formats of `/v1`.

A converter returns ABSENT for a value it cannot use; the next candidate is tried then.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from frontdesk.client.compat.aliases import (
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
from frontdesk.client.compat.envelopes import ABSENT, at, values_at
from frontdesk.wire import timestamp
from frontdesk.wire.values import AUTHORS as KNOWN_AUTHORS
from frontdesk.wire.values import PHONE_DIGITS, STATUSES

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
    r"\s*(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
# Numbers below the first limit are seconds, below the second milliseconds, else microseconds.
_SECONDS, _MILLISECONDS = 10**11, 10**14
_NUMBER = re.compile(r"\d{9,17}(?:\.\d+)?", re.ASCII)


def moment(value: object) -> str | None:
    """A timestamp as "2026-03-14T09:26:53.000Z"; None for values other than text and numbers.

    A time without a zone is UTC. Unparsable text is returned in parentheses, which sort before
    every timestamp.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            return _written(text)
        value = float(text) if "." in text else int(text)
    try:
        return timestamp(_milliseconds(value))
    except (ValueError, OverflowError, OSError):
        return f"({value})"


def _milliseconds(number: int | float) -> int:
    if abs(number) < _SECONDS:
        return int(number * 1000)
    return int(number) if abs(number) < _MILLISECONDS else int(number // 1000)


def _written(text: str) -> str:
    match = _ISO.fullmatch(text)
    if match is None:
        return f"({text})" if text else ""
    day, minute, second, fraction, zone = match.groups()
    milliseconds = (fraction or "0")[:3].ljust(3, "0")
    try:
        time = datetime.fromisoformat(f"{day}T{minute or '00:00'}:{second or '00'}{_offset(zone)}")
        return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds}Z".rjust(24, "0")
    except (ValueError, OverflowError):
        return f"({text})"


def _offset(zone: str | None) -> str:
    """+02, +0200 and +02:00 as +02:00; +00:00 if there is none."""
    if zone is None or zone in ("Z", "z", "UTC"):
        return "+00:00"
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return f"{zone[0]}{digits[:2]}:{digits[2:]}"


Reader: TypeAlias = Callable[[Any], Any]

_PHONE_MARKS = re.compile(r"[\s().\-]")
_DIGITS = re.compile(rf"\+?{PHONE_DIGITS}")
_COLOR = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", re.ASCII)
_LONGEST_NUMBER = 10**18


def text(value: Any) -> Any:
    """Text, or a number as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if abs(value) < _LONGEST_NUMBER else f"{value:g}"
    return ABSENT


def identifier(value: Any) -> Any:
    """An id as text."""
    value = _within(value, IDS)
    if isinstance(value, int) and not isinstance(value, bool):
        # `str` raises ValueError for integers of more than 4300 digits.
        return str(value) if abs(value) < 10**80 else ABSENT
    return value if isinstance(value, str) and value else ABSENT


def time(value: Any) -> Any:
    """A timestamp in the `/v1` format."""
    written = moment(_within(value, TIMES))
    return ABSENT if written is None else written


def flag(value: Any) -> Any:
    """A boolean, or its form as text or number."""
    if isinstance(value, str):
        return {"true": True, "false": False, "1": True, "0": False}.get(value.lower(), ABSENT)
    return bool(value) if isinstance(value, int) else ABSENT


def whole(value: Any) -> Any:
    """An integer, or a number as text; fractions are truncated."""
    number = decimal(value)
    return ABSENT if number is ABSENT else int(number)


def decimal(value: Any) -> Any:
    """A number, or its form as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return ABSENT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ABSENT
    # Excludes NaN and infinity.
    return value if abs(value) < _LONGEST_NUMBER else ABSENT


def mapping(value: Any) -> Any:
    return value if isinstance(value, dict) else ABSENT


def anything(value: Any) -> Any:
    """Any value, unchanged."""
    return value


def strings(value: Any) -> Any:
    """A list of texts, of the titles or ids of its objects, or of the keys of true flags."""
    value = listed(value)
    if isinstance(value, dict) and value and all(isinstance(on, bool) for on in value.values()):
        return [name for name, on in value.items() if on]
    if not isinstance(value, list):
        return ABSENT
    read = (text(_title(member)) for member in value)
    return [member for member in read if member is not ABSENT]


def listed(value: Any) -> Any:
    """The list nested in an object; other values unchanged."""
    if not isinstance(value, dict):
        return value
    return next((inner for _, inner in values_at(value, LISTS) if isinstance(inner, list)), value)


def labels(value: Any) -> Any:
    """Titles of labels; a text is split at commas."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return strings(value)


def phone(value: Any) -> Any:
    """An E.164 number if the text is one, otherwise the text."""
    written = text(value)
    if not isinstance(written, str):
        return ABSENT
    digits = _PHONE_MARKS.sub("", written.removeprefix("whatsapp:"))
    if _DIGITS.fullmatch(digits):
        return f"+{digits.removeprefix('+')}"
    return written or ABSENT


def color(value: Any) -> Any:
    """A colour as #rrggbb, from three or six hex digits."""
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
    """Kind of author: a word, or the type of an object that describes the person."""
    if isinstance(value, dict):
        value = next((word for _, word in values_at(value, ("type", "kind", "role"))), ABSENT)
    if not isinstance(value, str) or not value:
        return ABSENT
    return AUTHORS.get(value.lower(), value.lower() if value.lower() in KNOWN_AUTHORS else value)


def status(value: Any) -> Any:
    """Status of a conversation; known ones in lower case."""
    value = _within(value, WORDS)
    return value.lower() if isinstance(value, str) and value.lower() in STATUSES else text(value)


def delivery(value: Any) -> Any:
    """Delivery status in lower case; numbers are translated by DELIVERIES."""
    value = _within(value, WORDS)
    if isinstance(value, str):
        return value.lower() or ABSENT
    if isinstance(value, bool) or not isinstance(value, int):
        return ABSENT
    return DELIVERIES.get(value, ABSENT)


def kind(value: Any) -> Any:
    """Type of a message; not a number, and not a direction."""
    value = _within(value, WORDS)
    return value if isinstance(value, str) and value and value not in DIRECTIONS else ABSENT


def words(value: Any) -> Any:
    """A text, or one nested in an object or in the objects of a list; not a number."""
    if isinstance(value, list):
        parts = [words(part) for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str)) or ABSENT
    # An object with "kind" is structured content of a message, not its text.
    if isinstance(value, dict) and "kind" not in value:
        value = next((text for _, text in values_at(value, TEXTS) if isinstance(text, str)), ABSENT)
    return value if isinstance(value, str) else ABSENT


def custom_fields(value: Any) -> Any:
    """Custom fields by key, also from a list of key-value objects."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return ABSENT
    fields: dict[str, Any] = {}
    for member in value:
        names = [text(name) for _, name in values_at(member, FIELD_NAMES)]
        if names and isinstance(names[0], str):
            fields[names[0]] = at(member, "value") if "value" in member else None
    return fields


def components(value: Any) -> Any:
    """Components of a template; a plain text becomes its body."""
    if isinstance(value, str):
        return [{"type": "BODY", "text": value}]
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else ABSENT


def _title(member: Any) -> Any:
    if not isinstance(member, Mapping):
        return member
    title = next((name for _, name in values_at(member, ("title", "name", "label", "id"))), ABSENT)
    return _title(title) if isinstance(title, dict) else title


def _within(value: Any, paths: tuple[str, ...]) -> Any:
    """The scalar at the first of these paths in an object; other values unchanged."""
    if not isinstance(value, dict):
        return value
    return next(
        (inner for _, inner in values_at(value, paths) if isinstance(inner, str | int)), ABSENT
    )
