"""Base of widgets that draw lines themselves, with styles from the stylesheet.

Text layout in terminal cells: truncate, pad, wrap, align pieces of a line.

Strip cache of a list: reuses unchanged lines of the previous frame.

Textual renders every line of a widget when any of them changes, and caches the terminal output with
each strip.
"""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.content import Content, Span
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.text import steady
from frontdesk.tui.theme import legible, tint
from frontdesk.tui.widgets.glyphs import PlainCharacters

# Name of a part (see `Painted.part`) and text.
Piece = tuple[str, str]

ELLIPSIS = "…"


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
    return steady(text).replace("\n", " ").replace("\t", " ")


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


def wrap_pieces(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Wrap a sequence of pieces to lines of at most `width` cells."""
    pieces = [(part, steady(text).replace("\t", "    ")) for part, text in pieces]
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
    """Width of the pieces in cells."""
    return sum(cell_len(text) for _, text in pieces)


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
    right = _laid(right, width)
    left = _laid(left, width - width_of(right))
    return left, width - width_of(left) - width_of(right), right


def _laid(pieces: Sequence[Piece], room: int) -> list[Piece]:
    """Pieces as far as they fit into `room` cells; the last one is truncated."""
    laid: list[Piece] = []
    for part, text in pieces:
        flat = _flat(text)
        kept = _cut(flat, room)
        room -= cell_len(kept)
        laid.append((part, kept))
        if kept != flat:
            break
    return laid


# COMPONENT_CLASSES of every screen with such widgets. On the screen rather than on the widgets,
# because Textual recomputes all component styles of a widget when one of its classes changes.
INKS = (
    *("text", "strong", "italic", "strike", "code", "dim", "accent", "good", "early", "warning"),
    *("overdue", "error", "read", "note", "customer", "team", "ai", "campaign", "phone", "chip"),
)
GROUNDS = ("ground", "bar", "card", "chosen", "chosen-off", "note-ground")
PARTS = {f"part--{name}" for name in (*INKS, "line", *GROUNDS)}

# Contrast of the thumb of a scroll bar, which is not text (WCAG 2.2, 1.4.11).
_LEAST_OF_MARKS = 3.0


def _joined(pieces: Iterable[tuple[str, Style]]) -> list[Segment]:
    """Merge adjacent segments of equal appearance; each costs time and output bytes."""
    segments: list[Segment] = []
    for text, style in pieces:
        before = segments[-1].style if segments else None
        if before is not None and (style is before or _unseen(text, style, before)):
            segments[-1] = Segment(segments[-1].text + text, before)
        else:
            segments.append(Segment(text, style))
    return segments


def _unseen(text: str, style: Style, before: Style) -> bool:
    """Spaces show only the background, unless they are underlined, struck or reversed."""
    return (
        text.isspace()
        and style.bgcolor == before.bgcolor
        and not any((*_lines_of(style), *_lines_of(before)))
    )


def _lines_of(style: Style) -> tuple[bool | None, ...]:
    return style.underline, style.strike, style.reverse


def _label(ink: str, ground: RichColor | None, least: float) -> Style:
    """A label's colour, faint, as ground; the same colour, made legible, as letters."""
    colour, back = Color.parse(ink.lstrip("■")), Color.from_rich_color(ground)
    if not ink.startswith("■"):
        back = tint(colour, back, least)
    return Style.from_color(legible(colour, back, least).rich_color, back.rich_color)


def _corrected(style: Style, least: float) -> Style:
    """The style with a colour of at least this contrast to its background."""
    ink, back = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    return style + Style(color=legible(ink, back, least).rich_color)


class Painted(Widget):
    """Base class; subclasses implement `line(y)`.

    Bypasses Textual's styles cache for speed. Borders and padding must therefore be set on a
    container.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._styles: dict[tuple[str, str], Style] = {}
        super().__init__(id=id, classes=classes)

    def line(self, y: int) -> Strip:
        """Line `y` of the widget, exactly as wide as the widget."""
        raise NotImplementedError

    def part(self, name: str, ground: str = "ground") -> Style:
        """Style of a part on a ground, legible there, after the line filters (NO_COLOR).

        name: an ink, "thumb", "#rrggbb" (a label's chip) or "■#rrggbb" (only its letters), with
        further text styles ("dim italic") and a ground of its own ("text@card").
        """
        style = self._styles.get((name, ground))
        if style is None and not self.is_attached:
            # A queued key may be handled after the widget was removed.
            return Style.null()
        if style is None:
            sample = [Segment(" ", self._mixed(name, ground))]
            for line_filter in self.get_line_filters():
                sample = line_filter.apply(sample, self.background_colors[1])
            style = self._styles[name, ground] = sample[0].style or Style.null()
        return style

    def _mixed(self, name: str, ground: str) -> Style:
        name, _, own_ground = name.partition("@")
        ink, *text_styles = name.split(" ")
        least = float(self.app.theme_variables["fd-contrast"])
        back = self._component(own_ground or ground).bgcolor
        if ink.startswith(("#", "■")):
            return _label(ink, back, least) if least else self._mixed("text", ground)
        style = self._component("ground" if ink == "thumb" else ink)
        if style.bgcolor == self._component("ground").bgcolor:
            style += Style(bgcolor=back)
        if ink == "thumb":
            style = _corrected(style, _LEAST_OF_MARKS)
        elif ink != "line":
            style = _corrected(style, least) if least else self._unmixed(style, ink)
        return style + Style.parse(" ".join(text_styles))

    @property
    def mixes_colours(self) -> bool:
        """False on terminals with sixteen colours."""
        return float(self.app.theme_variables["fd-contrast"]) > 0

    def _component(self, name: str) -> Style:
        return self.screen.get_component_rich_style(f"part--{name}")

    def _unmixed(self, style: Style, ink: str) -> Style:
        """With sixteen colours: white on a coloured ground, unless it is yellow."""
        plain = style.bgcolor == self._component("ground").bgcolor
        if plain or ink in ("accent", "early"):
            return style
        return style + Style(color=self._component("strong").color)

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        """Styled segments of pieces on a ground."""
        segments = _joined((text, self.part(name, ground)) for name, text in pieces if text)
        filters = self.get_line_filters() if self.is_attached else ()
        for line_filter in filters:
            if isinstance(line_filter, PlainCharacters):
                segments = line_filter.apply(segments, self.background_colors[1])
        return segments

    def notify_style_update(self) -> None:
        self._styles.clear()
        self.forget_drawn()
        super().notify_style_update()

    def forget_drawn(self) -> None:
        """Called when styles have changed: drop cached drawings."""

    def on_hide(self, event: events.Hide) -> None:
        if all(node.display for node in self.ancestors_with_self):
            # Displayed again before the message arrived: it keeps the focus.
            event.prevent_default()

    def render_lines(self, crop: Region) -> list[Strip]:
        return self.cropped([self.line(y) for y in crop.line_range], crop)

    def cropped(self, lines: list[Strip], crop: Region) -> list[Strip]:
        """Crop lines to the columns of `crop`."""
        if crop.column_span == (0, self.size.width):
            return lines
        return [line.crop(*crop.column_span) for line in lines]

    def refresh_others(self, before: Sequence[Strip], now: Sequence[Strip]) -> None:
        """Repaint only the lines that differ."""
        if len(before) != len(now):
            self.refresh()
            return
        pairs = enumerate(zip(before, now, strict=True))
        regions = [Region(0, y, self.size.width, 1) for y, (was, is_) in pairs if was != is_]
        if regions:
            self.refresh(*regions)


# Identity of the line, and name of its last column.
_Key = tuple[int, str]


class Frames:
    """Two generations of strips: the previous frame's and the current one's."""

    def __init__(self) -> None:
        self._last: dict[_Key, tuple[list[Segment], Strip]] = {}
        self._now: dict[_Key, tuple[list[Segment], Strip]] = {}

    def begin(self) -> None:
        """Start a frame; strips that the previous frame did not use are dropped."""
        self._last, self._now = self._now, {}

    def strip(self, line: list[Segment], right: tuple[str, Sequence[Segment]], width: int) -> Strip:
        """Strip of `width` cells of a line and its last column (name and segments)."""
        # Keep a reference to the line, so that its id is not reused.
        key = id(line), right[0]
        kept = self._last.get(key) or (line, Strip([*line, *right[1]], width))
        self._now[key] = kept
        return kept[1]

    def clear(self) -> None:
        """Drop all strips, after a change of colours or width."""
        self._last, self._now = {}, {}
