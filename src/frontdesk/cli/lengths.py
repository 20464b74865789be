"""Lengths of time as people type them: 30s, 15m, 12h, 90d, 8w."""

import re
from datetime import timedelta

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([smhdw])")


def length(text: str, units: str) -> timedelta | None:
    """The length of time that was typed, in one of the `units` that mean something to a command.

    None for anything else. The longest before this year, 99999w, is a year that Python knows.

    >>> length("30d", "hdw"), length("30m", "hdw")
    (datetime.timedelta(days=30), None)
    """
    found = _LENGTH.fullmatch(text)
    if found is None or found[2] not in units:
        return None
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
