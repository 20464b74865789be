"""Timestamps of the wire: formatting and parsing."""

from datetime import UTC, datetime
from functools import lru_cache


def timestamp(milliseconds: int) -> str:
    """ISO 8601 in UTC with exactly three decimals, so that text order is time order.

    >>> timestamp(1773480413000)
    '2026-03-14T09:26:53.000Z'
    """
    hour, rest = divmod(milliseconds, 3_600_000)
    return f"{_hour(hour)}{rest // 60_000:02d}:{rest // 1000 % 60:02d}.{rest % 1000:03d}Z"


def instant(text: str | None) -> datetime | None:
    """The moment that a timestamp names, in UTC; None where there is none or it cannot be read."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# A format of the library's costs ten times as much.
@lru_cache(maxsize=1_024)
def _hour(number: int) -> str:
    """The beginning of every timestamp within an hour since 1970."""
    return datetime.fromtimestamp(3600 * number, UTC).isoformat()[:14]
