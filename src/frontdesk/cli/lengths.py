"""Parses durations such as 30s, 15m, 12h, 90d and 8w."""

import re
from datetime import timedelta

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([smhdw])")


def length(text: str, units: str) -> timedelta | None:
    """Parse a duration in one of the `units`, at most 99999w; None if invalid.

    >>> length("30d", "hdw"), length("30m", "hdw")
    (datetime.timedelta(days=30), None)
    """
    found = _LENGTH.fullmatch(text)
    if found is None or found[2] not in units:
        return None
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
