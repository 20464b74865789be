"""Parser of times in query parameters: ISO 8601 with an offset."""

import re
from datetime import datetime

from frontdesk.service.calendar_buckets import moment_of

# A plus that was not encoded arrives as a space.
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?([Zz]|[-+ ]\d\d:?\d\d)?",
    re.ASCII,
)


class InvalidMoment(Exception):
    """Unusable time, with a machine-readable reason and a hint."""

    def __init__(self, reason: str, hint: str) -> None:
        self.reason = reason
        self.hint = hint


def parse_instant(text: str) -> tuple[datetime, int]:
    """Parse a time; return it to the second, and in milliseconds.

    Raises: InvalidMoment, and ValueError or OverflowError if there is no such time.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise InvalidMoment("malformed", "write a time such as 2026-11-01T09:30Z (ISO 8601)")
    day, time, fraction, offset = match.groups()
    if offset is None:
        raise InvalidMoment("no_offset", "a time needs an offset, such as Z or +02:00")
    when = datetime.fromisoformat(f"{day}T{time}{offset.upper().replace(' ', '+')}")
    return when, moment_of(when) + int((fraction or "")[:3].ljust(3, "0"))
