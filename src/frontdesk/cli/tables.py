"""What lists look like on a terminal: columns as wide as their widest cell."""

import unicodedata
from collections.abc import Sequence

from frontdesk.text import clean, one_line
from frontdesk.wire import timestamp

_GAP = "  "


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of aligned columns, the headings first; nothing in a cell is obeyed by a terminal."""
    lines = [tuple(headings), *(tuple(one_line(clean(cell)) for cell in row) for row in rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        _GAP.join(
            cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def moment(milliseconds: int | None) -> str:
    """A moment to the minute, in UTC; "-" where there is none."""
    if milliseconds is None:
        return "-"
    return timestamp(milliseconds)[:16].replace("T", " ") + "Z"


def _width(text: str) -> int:
    """How many cells a text takes."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )
