"""What lists look like on a terminal: columns as wide as their widest cell."""

import shutil
import unicodedata
from collections.abc import Collection, Sequence
from typing import TextIO

from frontdesk.text import clean, one_line, steady
from frontdesk.wire import timestamp

_GAP = "  "
_ELLIPSIS = "…"
# Columns are not made narrower than this to fit a terminal.
_LEAST_WIDTH = 8
_NO_CELL = ("Mn", "Me", "Cf")


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    rigid: Collection[int] = (),
) -> str:
    """Lines of aligned columns, the headings first; nothing in a cell is obeyed by a terminal.

    width: cells that a line may have; the widest columns are cut to fit, the `rigid` ones last.
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
    """A text on one line that takes the same room on every terminal and is obeyed by none."""
    return text if text.isalnum() and text.isascii() else steady(one_line(clean(text)))


def cells(text: str) -> int:
    """How many cells of a terminal a plain text takes."""
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
    """A plain text in at most `width` cells; an ellipsis tells that some is missing."""
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
    """How many cells a line may have; None where no terminal reads."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def moment(milliseconds: int | None) -> str:
    """A moment to the minute, in UTC; "-" where there is none."""
    if milliseconds is None:
        return "-"
    return timestamp(milliseconds)[:16].replace("T", " ") + "Z"


def _fitted(text: str, width: int) -> str:
    text = cut(text, width)
    return text + " " * (width - cells(text))


def _narrowed(widths: Sequence[int], room: int, rigid: Collection[int]) -> list[int]:
    """Widths of columns that fit a line, taken from the widest ones."""
    widths = list(widths)
    columns = range(len(widths))
    for some in ([one for one in columns if one not in rigid], columns):
        while sum(widths) + len(_GAP) * (len(widths) - 1) > room:
            widest = max(some, key=widths.__getitem__, default=None)
            if widest is None or widths[widest] <= _LEAST_WIDTH:
                break
            widths[widest] -= 1
    return widths
