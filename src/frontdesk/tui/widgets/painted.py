"""Base of widgets that draw lines themselves, with styles from the stylesheet."""

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.tui.widgets.cells import Piece

# COMPONENT_CLASSES of every screen with such widgets. On the screen rather than on the widgets,
# because Textual recomputes all component styles of a widget when one of its classes changes.
PARTS = {
    "part--text",
    "part--strong",
    "part--italic",
    "part--strike",
    "part--code",
    "part--dim",
    "part--accent",
    "part--warning",
    "part--error",
    "part--note",
    "part--chip",
    "part--bar",
    "part--bar-resting",
    "part--thumb",
    "part--track",
}


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


class Painted(Widget):
    """Base class; subclasses implement `line(y)`.

    Bypasses Textual's styles cache for speed. Borders and padding must therefore be set on a
    container.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._part_styles: dict[str, Style] = {}
        self._shown_styles: dict[str, Style] = {}
        super().__init__(id=id, classes=classes)

    def line(self, y: int) -> Strip:
        """Line `y` of the widget, exactly as wide as the widget."""
        raise NotImplementedError

    def part(self, name: str) -> Style:
        """Style of a named part, from the stylesheet."""
        style = self._part_styles.get(name)
        if style is None and not self.is_attached:
            # A queued key may be handled after the widget was removed.
            return Style.null()
        if style is None:
            style = self.screen.get_component_rich_style(f"part--{name}")
            self._part_styles[name] = style
        return style

    def segments(self, pieces: Iterable[Piece]) -> list[Segment]:
        """Styled segments, after the application's line filters (NO_COLOR, 16 colours)."""
        return _joined((text, self._shown_part(name)) for name, text in pieces if text)

    def _shown_part(self, name: str) -> Style:
        """Style of a part after the line filters, which do not depend on the text."""
        style = self._shown_styles.get(name)
        if style is None:
            sample = [Segment(" ", self.part(name))]
            for line_filter in self.get_line_filters():
                sample = line_filter.apply(sample, self.background_colors[1])
            style = self._shown_styles[name] = sample[0].style or Style.null()
        return style

    def notify_style_update(self) -> None:
        self._part_styles.clear()
        self._shown_styles.clear()
        self.forget_drawn()
        super().notify_style_update()

    def forget_drawn(self) -> None:
        """Called when styles have changed: drop cached drawings."""

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
