"""Text measured in terminal cells: cut, fit, wrap, and pieces of a line side by side."""

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from textual.content import Content

# A piece of a line: which part it is (its colour), and its text.
Piece = tuple[str, str]

ELLIPSIS = "…"

# Terminals disagree about the width of emoji that are made of several characters: skin tones, what
# a joiner joins, presentation selectors, the tags of flags. Only their first character is drawn.
_EMOJI_TAIL = re.compile(
    "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
    "|\u200d[\u2190-\u2bff\U0001f000-\U0001faff]"
)


def steady(text: str) -> str:
    """`text` as every terminal measures it; what is copied elsewhere keeps all of it."""
    return text if text.isascii() else _EMOJI_TAIL.sub("", text)


def cut(text: str, width: int) -> str:
    """`text` on one line in at most `width` cells; an ellipsis tells that some is missing."""
    text = steady(text).replace("\n", " ").replace("\t", " ")
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS if width > 0 else ""


def fit(text: str, width: int) -> str:
    """`text` on one line in exactly `width` cells."""
    text = cut(text, width)
    return text + " " * (width - cell_len(text))


def wrap(text: str, width: int) -> list[str]:
    """`text` as lines of at most `width` cells, broken between words where possible."""
    text = steady(text).replace("\t", "    ")
    if len(text) <= width and text.isascii() and "\n" not in text:
        return [text]
    return [line.plain.rstrip() for line in Content(text).wrap(max(1, width))] or [""]


def width_of(pieces: Iterable[Piece]) -> int:
    """The cells that the pieces take."""
    return sum(cell_len(text) for _, text in pieces)


def spread(
    left: Sequence[Piece], right: Sequence[Piece], width: int, *, blank: str = "text"
) -> list[Piece]:
    """`left` and `right` at the two ends of a line of exactly `width` cells.

    Where both do not fit, the right side stays and the left is cut.
    """
    room = max(0, width - width_of(right))
    kept: list[Piece] = []
    for part, text in left:
        text = cut(text, room)
        room -= cell_len(text)
        kept.append((part, text))
    line = [*kept, (blank, " " * room), *right]
    return line if width_of(right) <= width else [(part, cut(text, width)) for part, text in right]
