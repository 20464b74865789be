"""Parses timestamps of other servers into the `/v1` format."""

import re
from datetime import UTC, datetime

from frontdesk.wire import timestamp

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
    found = _ISO.fullmatch(text)
    if found is None:
        return f"({text})" if text else ""
    day, minute, second, fraction, zone = found.groups()
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
