"""Decodes and validates messages from a page to its viewer (JSON over WebSocket)."""

import json
from typing import NamedTuple

MOST_CELLS = 1000
# Maximum size of a message, such as a paste; a larger one closes the connection.
MOST_BYTES = 2**20
_LONGEST_PING = 64


class Typed(NamedTuple):
    """Keys, mouse events or a paste in terminal encoding; never empty."""

    keys: bytes


class Resized(NamedTuple):
    """New size in cells, each from 1 to MOST_CELLS."""

    columns: int
    lines: int


class Pinged(NamedTuple):
    """Text to be echoed, which measures latency."""

    text: str


class Focused(NamedTuple):
    """Focus change of the page."""

    focused: bool


Message = Typed | Resized | Pinged | Focused


def decode(text: str) -> Message | None:
    """Decode [kind, value]; None if the kind or the value is invalid."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, list) or not message:
        return None
    value = message[1] if len(message) > 1 else None
    match message[0]:
        case "stdin" if isinstance(value, str):
            # An empty packet stops the viewer's driver.
            keys = value.encode("utf-8", "ignore")
            return Typed(keys) if keys else None
        case "ping" if isinstance(value, str) and len(value) <= _LONGEST_PING:
            return Pinged(value)
        case "resize" if isinstance(value, dict):
            return _resized(value.get("width"), value.get("height"))
        case "focus" | "blur":
            return Focused(message[0] == "focus")
    return None


def bounded(cells: int) -> int:
    """Clamp a number of columns or lines to 1 … MOST_CELLS."""
    return min(max(cells, 1), MOST_CELLS)


def _resized(columns: object, lines: object) -> Resized | None:
    if not isinstance(columns, int) or not isinstance(lines, int):
        return None
    return Resized(bounded(columns), bounded(lines))
