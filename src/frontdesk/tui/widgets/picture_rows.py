"""Pictures as rows of a thread: what layout sees of them, and the segments that are drawn.

Layout works on pieces of text. A row of a picture is a piece of blanks, whose part names the
picture; `DrawnPictures` has the segments in its place once the picture is decoded.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from frontdesk.tui.widgets.text_layout import PICTURE, Piece, wrap
from frontdesk.tui.widgets.text_layout import fit as fit_text
from frontdesk.wire import Media, Message

if TYPE_CHECKING:
    from frontdesk.pictures.cells import Colour, Drawing, PictureCell

# Width and height of a cell where the terminal does not say them, in pixels.
CELL = (10, 20)
# Under this width nothing can be seen.
_LEAST_COLUMNS = 8
_MOST_COLUMNS = 48
# Shape of a picture whose size is not known.
_USUAL_SIZE = (1600, 1200)
_KEPT = 64
_STYLES = 16_384


class PictureSize(NamedTuple):
    """Size of a picture in cells."""

    columns: int
    lines: int


class PictureRow(NamedTuple):
    """A row of a picture, counted from 0."""

    key: str
    size: PictureSize
    row: int

    @property
    def piece(self) -> Piece:
        """The row as layout sees it."""
        columns, lines = self.size
        return f"{PICTURE}{columns} {lines} {self.row} {self.key}", " " * columns

    @classmethod
    def of(cls, part: str) -> "PictureRow":
        """The row that the part of such a piece names."""
        columns, lines, row, key = part.removeprefix(PICTURE).split(" ", 3)
        return cls(key, PictureSize(int(columns), int(lines)), int(row))


class ShownPicture(NamedTuple):
    """The picture of a message, at a size."""

    key: str
    size: PictureSize

    @classmethod
    def of(cls, message: Message, media: Media, room: int, *, lines: int) -> "ShownPicture | None":
        """In at most `room` columns and `lines` lines; None: there is none, or too little room."""
        key, size = picture_key(message, media), size_of(media, room, lines=lines)
        return cls(key, size) if key is not None and size is not None else None

    @property
    def rows(self) -> list[Piece]:
        """The rows as layout sees them, from top to bottom."""
        return [PictureRow(self.key, self.size, row).piece for row in range(self.size.lines)]


def fit(
    width: int, height: int, *, columns: int, lines: int, cell: tuple[int, int] = CELL
) -> tuple[int, int]:
    """Columns and lines, at least 1 and at most those given, for a picture of a size in pixels.

    A picture is never drawn larger than it is.
    """
    cell_width, cell_height = cell
    scale = min(columns * cell_width / width, lines * cell_height / height, 1.0)
    return (
        max(1, min(columns, round(width * scale / cell_width))),
        max(1, min(lines, round(height * scale / cell_height))),
    )


def picture_key(message: Message, media: Media) -> str | None:
    """Key of the picture that a message shows; None if it has none."""
    may_come = media.status in (None, "available", "pending")
    return media.key if may_come and is_picture(message, media) else None


def is_picture(message: Message, media: Media) -> bool:
    """True for photos and stickers, and documents that are pictures."""
    return message.type in ("image", "sticker") or (media.mime_type or "").startswith("image/")


def size_of(
    media: Media, room: int, *, lines: int, cell: tuple[int, int] = CELL
) -> PictureSize | None:
    """Size in at most `room` columns and `lines` lines; None if that is too little."""
    columns = min(room, _MOST_COLUMNS)
    if columns < _LEAST_COLUMNS or lines < 1:
        return None
    return PictureSize(*fit(*usual_size(media), columns=columns, lines=lines, cell=cell))


def usual_size(media: Media) -> tuple[int, int]:
    """Width and height of a picture in pixels; that of most photos if it is not known."""
    return (media.width, media.height) if media.width and media.height else _USUAL_SIZE


@lru_cache(maxsize=_STYLES)
def _style(ink: "Colour", ground: "Colour | None") -> Style:
    return Style.from_color(Color.from_rgb(*ink), Color.from_rgb(*ground) if ground else None)


def segments_of(row: "Sequence[PictureCell]") -> list[Segment]:
    """A row of cells as segments; neighbours of the same colours are one."""
    segments: list[Segment] = []
    letters, colours = "", None
    for letter, ink, ground in row:
        if (ink, ground) != colours:
            if colours is not None:
                segments.append(Segment(letters, _style(*colours)))
            letters, colours = "", (ink, ground)
        letters += letter
    return [*segments, Segment(letters, _style(*colours))] if colours is not None else segments


class _Kept(NamedTuple):
    drawing: "Drawing"
    rows: list[list[Segment]]


class DrawnPictures:
    """Decoded pictures by key and size, and words for those that are not there.

    At most `_KEPT` pictures are kept; one that was dropped is wanted again when it is drawn.
    hidden: boxes are blank for now.
    """

    def __init__(self) -> None:
        self.hidden = False
        self._kept: OrderedDict[tuple[str, PictureSize], _Kept] = OrderedDict()
        self._words: dict[str, str] = {}
        self._missing: set[str] = set()

    def put(self, key: str, size: tuple[int, int], drawing: "Drawing") -> "list[Drawing]":
        """Keep a drawing; return those that are kept no more."""
        place = key, PictureSize(*size)
        replaced = self._kept.pop(place, None)
        dropped = [replaced.drawing] if replaced else []
        self._kept[place] = _Kept(drawing, [segments_of(row) for row in drawing.rows])
        self._words.pop(key, None)
        while len(self._kept) > _KEPT:
            dropped.append(self._kept.popitem(last=False)[1].drawing)
        return dropped

    def clear(self) -> "list[Drawing]":
        """Drop all drawings, and return them; those in view are wanted again."""
        dropped = [kept.drawing for kept in self._kept.values()]
        self._kept.clear()
        return dropped

    def expect(self, key: str) -> None:
        """Say that a picture is being loaded."""
        self._words[key] = "loading"

    def say(self, key: str, words: str, *, lasting: bool) -> None:
        """Say in place of a picture why it is not there. lasting: it is wanted no more."""
        self._words[key] = words
        if lasting:
            self._missing.add(key)

    def is_wanted(self, shown: ShownPicture) -> bool:
        """True for a picture that is not there, and may come."""
        return shown not in self._kept and shown.key not in self._missing

    def state(self, shown: ShownPicture) -> str | bool:
        """Changes when what is drawn of a picture does: True if it is there, else its words."""
        is_drawn = shown in self._kept and not self.hidden
        return is_drawn or self._words.get(shown.key, "")

    def row(self, part: str) -> list[Segment] | None:
        """Segments of the row that a part names; None if the picture is not there."""
        row = PictureRow.of(part)
        kept = self._kept.get((row.key, row.size))
        if kept is None or self.hidden:
            return None
        self._kept.move_to_end((row.key, row.size))
        return kept.rows[row.row]

    def blank(self, part: str) -> Piece:
        """The row of an empty box, in whose middle it says why it is empty."""
        key, (columns, height), at = PictureRow.of(part)
        lines = wrap(self._words.get(key, ""), max(1, columns - 2))[:height]
        line = at - (height - len(lines)) // 2
        words = lines[line] if 0 <= line < len(lines) else ""
        return "dim@card", fit_text(words.center(columns), columns)
