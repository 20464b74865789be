"""Base of widgets that draw lines themselves, with styles from the stylesheet.

`DrawnLine` keeps the strip that a line was drawn as.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.tui.theme import legible, luminance, tint
from frontdesk.tui.widgets.glyphs import PlainCharacters
from frontdesk.tui.widgets.text_layout import Piece

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
# Luminance from which black letters have more contrast than white ones.
_LIGHT = 0.18
_YELLOW = ("accent", "early")
# Parts that are no text.
_NON_TEXT_PARTS = ("line", "thumb")


def _joined(pieces: Iterable[tuple[str, Style]]) -> list[Segment]:
    """Merge adjacent segments of equal appearance; each costs time and output bytes."""
    segments: list[Segment] = []
    before, style_before = "", None
    for text, style in pieces:
        if style_before is None:
            before, style_before = text, style
        elif style is style_before or _unseen(text, style, style_before):
            before += text
        elif _unseen(before, style_before, style):
            before, style_before = before + text, style
        else:
            segments.append(Segment(before, style_before))
            before, style_before = text, style
    return [*segments, Segment(before, style_before)] if before else segments


def _unseen(text: str, style: Style, before: Style) -> bool:
    return text.isspace() and _blank(style) == _blank(before)


@lru_cache(maxsize=1_000)
def _blank(style: Style) -> object:
    """Appearance of a space: its background, unless it is underlined, struck or reversed."""
    return style if style.underline or style.strike or style.reverse else style.bgcolor


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


class LineWidget(Widget):
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

    @property
    def size(self) -> Size:
        """Size of the widget, which has neither border nor padding; the last one if hidden."""
        return self.outer_size

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
            style = sample[0].style or Style.null()
            if self.app.no_color and self._least_contrast and name not in _NON_TEXT_PARTS:
                # Greys have less contrast than the colours that they were made of.
                style = _corrected(style, self._least_contrast)
            self._styles[name, ground] = style
        return style

    def _mixed(self, name: str, ground: str) -> Style:
        name, _, own_ground = name.partition("@")
        if own_ground == "note-ground" and ground in ("chosen", "chosen-off"):
            # A note under the cursor is drawn on the ground of the cursor.
            own_ground = ""
        ink, *text_styles = name.split(" ")
        least = self._least_contrast
        back = self._component(own_ground or ground).bgcolor
        if ink.startswith(("#", "■")):
            return self._mixed("text", ground) if self.plain_labels else _label(ink, back, least)
        style = self._component("ground" if ink == "thumb" else ink)
        if style.bgcolor == self._component("ground").bgcolor:
            style += Style(bgcolor=back)
        if ink == "thumb":
            style = _corrected(style, _LEAST_OF_MARKS)
        elif ink != "line":
            style = _corrected(style, least) if least else self._unmixed(style, ink)
        return style + Style.parse(" ".join(text_styles))

    @property
    def _least_contrast(self) -> float:
        """Contrast of text; 0 on terminals with sixteen colours, which are not mixed."""
        return float(self.app.theme_variables["fd-contrast"])

    @property
    def plain_labels(self) -> bool:
        """True if labels are words without a ground: with sixteen colours, and without any."""
        return self.app.no_color or not self._least_contrast

    def _component(self, name: str) -> Style:
        return self.screen.get_component_rich_style(f"part--{name}")

    def _unmixed(self, style: Style, ink: str) -> Style:
        """With sixteen colours: black on a light ground, white on a dark one, unless it is yellow.

        The ground of the screen has inks of all colours.
        """
        ground = self._component("ground").bgcolor
        if style.bgcolor == ground:
            return style
        if luminance(Color.from_rich_color(style.bgcolor)) > _LIGHT:
            return style + Style(color=ground)
        return style if ink in _YELLOW else style + Style(color=self._component("strong").color)

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
        changed = [was != is_ for was, is_ in zip(before, now, strict=True)]
        regions, top = [], 0
        for differs, lines in groupby(changed):
            height = len(list(lines))
            if differs:
                regions.append(Region(0, top, self.size.width, height))
            top += height
        if regions:
            self.refresh(*regions)


class DrawnLine:
    """Line of a row without its last column, and its strips by what is in that column.

    Textual caches what it writes to the terminal with each strip, so that strips are kept.
    """

    __slots__ = ("_segments", "_strips")

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._strips: dict[Segment, Strip] = {}

    def strip(self, last: Segment, width: int) -> Strip:
        """Strip of `width` cells that ends with `last`."""
        if last not in self._strips:
            *before, end = self._segments
            joined = _joined((part.text, part.style or Style.null()) for part in (end, last))
            self._strips[last] = Strip([*before, *joined], width)
        return self._strips[last]
