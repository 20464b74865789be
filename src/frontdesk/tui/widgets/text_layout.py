"""Text layout in terminal cells: truncates, pads, wraps and aligns pieces of a line."""

import os
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from textual.content import Content, Span

from frontdesk.text import clean as texts

# Name of a part (see `Painted.part`) and text.
Piece = tuple[str, str]

# Beginning of the name of a part that is a row of a picture (`picture_rows.py`).
PICTURE = "picture "

ELLIPSIS = "…"

# Older versions of Rich count the parts of a sequence.
_WHOLE = texts.draws_sequences(os.environ) and cell_len("👩🏽\u200d🦽") == 2


def width_safe(text: str) -> str:
    """`text` in characters whose width this terminal and Rich agree on."""
    return texts.width_safe(text, whole=_WHOLE)


def cut(text: str, width: int) -> str:
    """`text` on one line in at most `width` cells; a truncated text ends with an ellipsis."""
    return _cut(_flat(text), width)


def _cut(flat: str, width: int) -> str:
    if cell_len(flat) <= width:
        return flat
    return set_cell_size(flat, width - 1).rstrip() + ELLIPSIS if width > 0 else ""


def _flat(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return width_safe(text).replace("\n", " ").replace("\t", " ")


def fit(text: str, width: int) -> str:
    """`text` on one line in exactly `width` cells."""
    text = cut(text, width)
    return text + " " * (width - cell_len(text))


def wrap(text: str, width: int) -> list[str]:
    """`text` as lines of at most `width` cells, broken between words where possible."""
    text = width_safe(text).replace("\t", "    ")
    if len(text) <= width and text.isascii() and "\n" not in text:
        return [text]
    return [line.plain.rstrip() for line in Content(text).wrap(max(1, width))] or [""]


def wrap_pieces(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Wrap a sequence of pieces to lines of at most `width` cells."""
    pieces = [(part, width_safe(text).replace("\t", "    ")) for part, text in pieces]
    spans, end = [], 0
    for part, text in pieces:
        spans.append(Span(end, end + len(text), part))
        end += len(text)
    content = Content("".join(text for _, text in pieces), spans=spans)
    return [_pieces_of(line) for line in content.wrap(max(1, width))] or [[("text", "")]]


def _pieces_of(line: Content) -> list[Piece]:
    text = line.plain.rstrip()
    spans = sorted(line.spans, key=lambda span: span.start)
    return [(str(span.style), text[span.start : span.end]) for span in spans]


def width_of(pieces: Iterable[Piece]) -> int:
    """Width of the pieces in cells, as they are drawn on one line."""
    return sum(cell_len(_flat(text)) for _, text in pieces)


def spread(
    left: Sequence[Piece], right: Sequence[Piece], width: int, *, blank: str = "text"
) -> list[Piece]:
    """`left` and `right` at the two ends of a line of exactly `width` cells.

    If both do not fit, the left side is truncated.
    """
    left, gap, right = fitted(left, right, width)
    return [*left, (blank, " " * gap), *right]


def fitted(
    left: Sequence[Piece], right: Sequence[Piece], width: int
) -> tuple[list[Piece], int, list[Piece]]:
    """`left` and `right` as far as they fit, and the number of cells between them."""
    right, room = _laid(right, width)
    left, gap = _laid(left, room)
    return left, gap, right


def _laid(pieces: Sequence[Piece], room: int) -> tuple[list[Piece], int]:
    """Pieces as far as they fit into `room` cells, the last one truncated; and the cells left."""
    laid: list[Piece] = []
    for part, text in pieces:
        flat = _flat(text)
        width = cell_len(flat)
        if width > room:
            head = _cut(flat, room)
            laid.append((part, head))
            room -= cell_len(head)
            break
        laid.append((part, flat))
        room -= width
    return laid, room
