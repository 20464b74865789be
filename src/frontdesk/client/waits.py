"""Parses Retry-After and rate limit headers."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from frontdesk.client.pacing import LONGEST_PAUSE_SECONDS

# The current header is RateLimit: "default";r=571;t=3; older ones have a header per number.
_LEFT = re.compile(r";\s*r=(\d{1,10})")
_RESET = re.compile(r";\s*t=(\d{1,10})")
_OLDER = ("ratelimit", "x-ratelimit")
# Larger numbers are Unix timestamps, not seconds from now.
_EPOCH = 1_000_000_000


def wait_told(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from 0 to 300; None if the headers do not say.

    Dates are compared with the server's Date header if present.
    """
    told = retry_after(headers.get("retry-after"), date_of(headers) or now)
    return limit_reset(headers, now) if told is None else told


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds from a Retry-After header, which holds a number or a date."""
    text = (header or "").strip()
    if text.isdecimal() and text.isascii():
        # More digits than any sensible number of seconds.
        return min(float(text[:10]), LONGEST_PAUSE_SECONDS)
    moment = _date(text)
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_PAUSE_SECONDS)


def limit_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until the rate limit resets; None while requests remain."""
    current = headers.get("ratelimit", "")
    left, reset = _LEFT.search(current), _RESET.search(current)
    if left and reset:
        return _seconds(reset[1], now) if int(left[1]) == 0 else None
    for prefix in _OLDER:
        remaining = headers.get(f"{prefix}-remaining", "").strip()
        if remaining.isdecimal() and int(remaining[:10]) == 0:
            return _seconds(headers.get(f"{prefix}-reset", "").strip(), now)
    return None


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """Time of the Date header."""
    return _date(headers.get("date", "").strip())


def _seconds(text: str, now: datetime) -> float | None:
    if not (text.isdecimal() and text.isascii()):
        return None
    number = float(text[:16])
    seconds = number - now.timestamp() if number > _EPOCH else number
    return min(max(seconds, 0.0), LONGEST_PAUSE_SECONDS)


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
