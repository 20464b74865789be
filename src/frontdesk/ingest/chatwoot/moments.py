"""Parses Chatwoot timestamps: Unix seconds or ISO 8601 (pure)."""

from frontdesk.ingest.copies import instant
from frontdesk.ingest.shapes import LAST_SECOND, Malformed
from frontdesk.wire import timestamp


def milliseconds(value: object) -> int | None:
    """Return epoch milliseconds; None if absent or unreadable (Chatwoot also writes 0)."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value * 1000) if 0 < value < LAST_SECOND else None
    try:
        return instant(value)
    except Malformed:
        return None


def shown(value: object) -> str | None:
    """Return the timestamp in the format of native lines."""
    at = milliseconds(value)
    return None if at is None else timestamp(at)
