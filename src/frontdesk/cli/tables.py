"""Plain-text tables with aligned columns."""

import shutil
import unicodedata
from collections.abc import Collection, Sequence
from typing import TextIO

from frontdesk.text import clean, one_line, steady
from frontdesk.wire import timestamp

_GAP = "  "
_ELLIPSIS = "…"
# Columns are not narrowed below this width.
_LEAST_WIDTH = 8
_NO_CELL = ("Mn", "Me", "Cf")


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    rigid: Collection[int] = (),
) -> str:
    """Format aligned columns, headings first; control characters are removed from cells.

    width: maximum line width in terminal cells; the widest columns are truncated first, `rigid`
    ones last.
    """
    lines = [tuple(headings), *(tuple(plain(cell) for cell in row) for row in rows)]
    widths = [max(cells(line[column]) for line in lines) for column in range(len(headings))]
    if width is not None:
        widths = _narrowed(widths, width, rigid)
    return "\n".join(
        _GAP.join(_fitted(cell, room) for cell, room in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def plain(text: str) -> str:
    """Make a text safe for terminals: one line, no control characters, stable width."""
    return text if text.isalnum() and text.isascii() else steady(one_line(clean(text)))


def cells(text: str) -> int:
    """Return the width of a plain text in terminal cells."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(one) in _NO_CELL
        else 2
        if unicodedata.east_asian_width(one) in "WF"
        else 1
        for one in text
    )


def cut(text: str, width: int) -> str:
    """Truncate a plain text to `width` cells, with an ellipsis."""
    if cells(text) <= width:
        return text
    room, kept = width - 1, ""
    for one in text:
        room -= cells(one)
        if room < 0:
            break
        kept += one
    return kept.rstrip() + _ELLIPSIS


def terminal_width(out: TextIO) -> int | None:
    """Return the terminal's width, None if `out` is no terminal."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def moment(milliseconds: int | None) -> str:
    """Format epoch milliseconds to the minute in UTC; "-" for None."""
    if milliseconds is None:
        return "-"
    return timestamp(milliseconds)[:16].replace("T", " ") + "Z"


def _fitted(text: str, width: int) -> str:
    text = cut(text, width)
    return text + " " * (width - cells(text))


def _narrowed(widths: Sequence[int], room: int, rigid: Collection[int]) -> list[int]:
    """Return column widths that fit a line, reducing the widest first."""
    widths = list(widths)
    columns = range(len(widths))
    for some in ([one for one in columns if one not in rigid], columns):
        while sum(widths) + len(_GAP) * (len(widths) - 1) > room:
            widest = max(some, key=widths.__getitem__, default=None)
            if widest is None or widths[widest] <= _LEAST_WIDTH:
                break
            widths[widest] -= 1
    return widths
