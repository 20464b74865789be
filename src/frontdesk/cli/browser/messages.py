"""Messages of a page to its viewer (JSON over the WebSocket), checked and bounded."""

import json
from typing import NamedTuple

MOST_CELLS = 1000
# What may be pasted at once. A longer message closes the connection.
MOST_BYTES = 2**20
_LONGEST_PING = 64


class Typed(NamedTuple):
    """Keys, the mouse, or what was pasted, as a terminal sends them; never empty."""

    keys: bytes


class Resized(NamedTuple):
    """A new size in cells, each from 1 to MOST_CELLS."""

    columns: int
    lines: int


class Pinged(NamedTuple):
    """A text that the page wants back, to measure how long that takes."""

    text: str


class Focused(NamedTuple):
    """The page got or lost the focus."""

    focused: bool


Message = Typed | Resized | Pinged | Focused


def decode(text: str) -> Message | None:
    """A message, as [kind, value]; None for one that is of no known kind or shape."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, list) or not message:
        return None
    value = message[1] if len(message) > 1 else None
    match message[0]:
        case "stdin" if isinstance(value, str):
            # The viewer's driver stops reading at an empty packet.
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
    """A number of columns or lines that a viewer can draw."""
    return min(max(cells, 1), MOST_CELLS)


def _resized(columns: object, lines: object) -> Resized | None:
    if not isinstance(columns, int) or not isinstance(lines, int):
        return None
    return Resized(bounded(columns), bounded(lines))
