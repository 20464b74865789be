"""A widget that draws whole lines itself, from named parts that the stylesheet colours."""

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.tui.widgets.cells import Piece

# The COMPONENT_CLASSES of every screen that painted widgets stand on. They are the screen's and not
# the widgets' because Textual styles every component class of a widget whenever a class changes.
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
    """As few segments as show the same: each costs time, and bytes on the way to the terminal."""
    segments: list[Segment] = []
    for text, style in pieces:
        before = segments[-1].style if segments else None
        if before is not None and (style is before or _unseen(text, style, before)):
            segments[-1] = Segment(segments[-1].text + text, before)
        else:
            segments.append(Segment(text, style))
    return segments


def _unseen(text: str, style: Style, before: Style) -> bool:
    """Of spaces only the background is seen, unless there are lines on them."""
    return (
        text.isspace()
        and style.bgcolor == before.bgcolor
        and not any((*_lines_of(style), *_lines_of(before)))
    )


def _lines_of(style: Style) -> tuple[bool | None, ...]:
    return style.underline, style.strike, style.reverse


class Painted(Widget):
    """Base of all widgets that draw lines. A subclass gives `line(y)`.

    Skipping Textual's styles cache makes a frame cheap; the price is that borders and padding
    belong to a container around it.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._part_styles: dict[str, Style] = {}
        self._shown_styles: dict[str, Style] = {}
        super().__init__(id=id, classes=classes)

    def line(self, y: int) -> Strip:
        """The line `y` cells below the widget's top, exactly as wide as the widget."""
        raise NotImplementedError

    def part(self, name: str) -> Style:
        """The style of a named part, from the stylesheet."""
        style = self._part_styles.get(name)
        if style is None and not self.is_attached:
            # A key that was on its way to what is gone by now.
            return Style.null()
        if style is None:
            style = self.screen.get_component_rich_style(f"part--{name}")
            self._part_styles[name] = style
        return style

    def segments(self, pieces: Iterable[Piece]) -> list[Segment]:
        """The pieces in their colours, as the terminal can show them (NO_COLOR, 16 colours)."""
        return _joined((text, self._shown_part(name)) for name, text in pieces if text)

    def _shown_part(self, name: str) -> Style:
        """The style of a named part as the terminal can show it: what decides is no text."""
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
        """Called when colours have changed: what was drawn before is no longer right."""

    def render_lines(self, crop: Region) -> list[Strip]:
        return self.cropped([self.line(y) for y in crop.line_range], crop)

    def cropped(self, lines: list[Strip], crop: Region) -> list[Strip]:
        """Lines with the columns that are asked for."""
        if crop.column_span == (0, self.size.width):
            return lines
        return [line.crop(*crop.column_span) for line in lines]

    def refresh_others(self, before: Sequence[Strip], now: Sequence[Strip]) -> None:
        """Repaint the lines that are now others than before."""
        if len(before) != len(now):
            self.refresh()
            return
        pairs = enumerate(zip(before, now, strict=True))
        regions = [Region(0, y, self.size.width, 1) for y, (was, is_) in pairs if was != is_]
        if regions:
            self.refresh(*regions)
