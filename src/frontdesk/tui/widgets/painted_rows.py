"""Drawing of rows: only those in view, and of these only the lines that have changed.

What the next key shows is prepared once the frame of this is written.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, ParamSpec, Self, TypeVar

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message_pump import MessagePump
from textual.strip import Strip

from frontdesk.inbox.rows import FixedRows, Rows
from frontdesk.tui.widgets.glyphs import SCROLL_BAR_THUMB
from frontdesk.tui.widgets.line_widget import DrawnLine, LineWidget
from frontdesk.tui.widgets.text_layout import Piece, fit, wrap
from frontdesk.tui.widgets.viewport import Viewport

R = TypeVar("R")
D = TypeVar("D")
P = ParamSpec("P")

# Within so many seconds of an event, the frame that shows it is drawn and written.
_FRAME_SECONDS = 0.01


def after_frame(
    node: MessagePump, do: Callable[P, object], *args: P.args, **kwargs: P.kwargs
) -> asyncio.TimerHandle:
    """Call something as a message of `node` once the frame of this event is written.

    Right after a frame was drawn, as with `call_after_refresh`, it would hold up the thread that
    writes it. Returns a handle to cancel it.
    """
    loop = asyncio.get_running_loop()
    return loop.call_later(_FRAME_SECONDS, lambda: node.call_next(do, *args, **kwargs))


class Drawings(Generic[D]):
    """LRU cache of drawings by row key, validated by the objects they were drawn from.

    limit: number of drawings that are kept.
    """

    def __init__(self) -> None:
        self.limit = 0
        self._cached: OrderedDict[str, tuple[tuple[object, ...], D]] = OrderedDict()

    def of(self, key: str, sources: tuple[object, ...], draw: Callable[[], D]) -> D:
        """Cached drawing of a row; drawn again if its sources are not equal to the cached ones."""
        drawing = self._cached.get(key)
        # Rows that were read again are equal, but not identical.
        if drawing is not None and drawing[0] == sources:
            self._cached.move_to_end(key)
            return drawing[1]
        drawn = draw()
        self._cached[key] = (sources, drawn)
        self._cached.move_to_end(key)
        if len(self._cached) > self.limit:
            self._cached.popitem(last=False)
        return drawn

    def clear(self) -> None:
        self._cached.clear()


Drawn = list[DrawnLine]


class PaintedRows(LineWidget, Generic[R]):
    """Draws the `rows` that its window shows.

    Subclasses implement `draw`, and `sources` if a row's drawing depends on more than the row.
    """

    # Align rows to the bottom if they do not fill the window.
    RESTS_AT_BOTTOM: ClassVar[bool] = False
    # Count the seconds of an empty list that is loading; disabled where its text says them.
    COUNTS_SECONDS: ClassVar[bool] = True

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        # Lines of the last frame, the size that they are good for, and which to draw anew.
        self._painted: list[Strip] = []
        self._painted_size = Size(0, 0)
        self._unpainted: set[int] = set()
        super().__init__(id=id, classes=classes)
        self.rows: Rows[R] = FixedRows()
        self._window = Viewport(self._count, self.height_of, at_bottom=self.RESTS_AT_BOTTOM)
        self._fitted = Size(0, 0)
        self._empty_words = ""
        self._seconds = 0
        self._counting: asyncio.TimerHandle | None = None
        self._edge = " "
        self._drawings: Drawings[Drawn] = Drawings()

    def _fit_window(self) -> None:
        """Fit the window to the size of the widget, before it is drawn."""

    def _ground(self, position: int) -> str:
        """Name of the ground of a row."""
        return "ground"

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        """The lines of a row, each exactly `width` cells wide; none if it is not shown."""
        raise NotImplementedError

    def sources(self, position: int) -> tuple[object, ...]:
        """Objects that a row is drawn from; its drawing is cached while they compare equal."""
        return (self.rows[position],)

    def height_of(self, position: int) -> int:
        """Number of lines of a row; override it if it is known without drawing."""
        return len(self._row_lines(position, self.size.width))

    @property
    def at_start(self) -> bool:
        """True if the first line of the first row is visible."""
        return self._window.at_start

    @property
    def at_end(self) -> bool:
        """True if the last line of the last row is visible."""
        return self._window.at_end

    def say_when_empty(self, words: str, *, restart: bool = False) -> None:
        """Set the text of the empty list; after one that ends with … the seconds are counted.

        restart: count from 0 again, also after the same text.
        """
        changed = words != self._empty_words
        if not changed and not restart:
            return
        changed = changed or self._seconds > 0
        self._empty_words, self._seconds = words, 0
        self._count_from_now(counts=self.COUNTS_SECONDS and words.endswith("…"))
        if changed and not self._count():
            self._refresh_changed()

    def _count_from_now(self, *, counts: bool) -> None:
        """Count the seconds from now on, or no more."""
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None
        if counts and self.is_attached:
            # A timer of Textual is a task, and a cursor that moves on needs one with each key.
            loop = asyncio.get_running_loop()
            self._counting = loop.call_later(1.0, self.call_next, self._count_second)

    def _count_second(self) -> None:
        self._seconds += 1
        self._count_from_now(counts=True)
        if not self._count():
            self._refresh_changed()

    def _refresh_changed(self) -> None:
        """Repaint the lines that differ from the last frame."""
        if not all(node.display for node in self.ancestors_with_self):
            # Textual would lay out the whole screen again to find a widget that is not displayed.
            self._painted_size = Size(0, 0)
            return
        if not self._painted or self.size != self._fitted:
            self.refresh()
        else:
            before, self._painted = self._painted, self._lines(0, self.size.height)
            self.refresh_others(before, self._painted)
            self._painted_size, self._unpainted = self.size, set()

    def refresh(self, *regions: Region, **options: bool) -> Self:
        """Draw the lines of these regions anew in the next frame, by default all lines."""
        for region in regions:
            self._unpainted.update(region.line_range)
        if not regions:
            self._painted_size = Size(0, 0)
        return super().refresh(*regions, **options)

    def set_edge(self, edge: str) -> None:
        """Set the character of the last column, where the thumb is drawn: a line, or a blank."""
        if edge != self._edge:
            self._edge = edge
            self.refresh()

    def forget_drawn(self) -> None:
        self._drawings.clear()
        self._window.forget_heights()
        self._painted_size = Size(0, 0)

    def in_view(self) -> list[int]:
        """Positions of the visible rows."""
        return [placed.position for placed in self._window.visible()]

    def keys_in_view(self) -> list[str]:
        """Keys of the visible rows."""
        return [self.rows.key(position) for position in self.in_view()]

    def refresh_row(self, position: int) -> None:
        """Repaint one row without the last column, if it is visible."""
        for placed in self._window.visible():
            if placed.position == position:
                top = max(0, placed.y)
                bottom = min(placed.y + placed.height, self.size.height)
                self.refresh(Region(0, top, self.size.width - 1, bottom - top))

    def render_lines(self, crop: Region) -> list[Strip]:
        self._fit_window()
        if self._painted_size != self.size:
            self._painted, self._painted_size = self._lines(0, self.size.height), self.size
            self._unpainted = set()
        # In each frame, Textual asks every list for all lines between the first and last changes.
        if unpainted := self._unpainted.intersection(crop.line_range):
            first, end = min(unpainted), max(unpainted) + 1
            self._painted[first:end] = self._lines(first, end)
            self._unpainted -= unpainted
        return self.cropped(self._painted[crop.y : crop.bottom], crop)

    def row_layout(self, size: Size) -> object:
        """Value that differs between two sizes of this widget if the lines of its rows do."""
        return size.width

    def begin(self, positions: Sequence[int]) -> None:
        """Prepare to draw rows; called with their positions before they are drawn."""

    def _lines(self, first: int, end: int) -> list[Strip]:
        """Strips of the lines from `first` to before `end`."""
        width = self.size.width
        edge, thumb = (
            self._last_column("line", self._edge),
            self._last_column("thumb", SCROLL_BAR_THUMB),
        )
        covered, visible = self._window.thumb(), self._window.visible()
        if not visible and self._empty_words:
            return self._empty(width, self.size.height)[first:end]
        placed = [row for row in visible if row.y < end and first < row.y + row.height]
        self.begin([row.position for row in placed])
        strips: dict[int, Strip] = {}
        for position, top, _ in placed:
            lines = self._row_lines(position, width, self._ground(position))
            for y, line in enumerate(lines, top):
                if first <= y < end:
                    strips[y] = line.strip(thumb if y in covered else edge, width)
        if len(strips) < end - first:
            blank = self._blank(width)
            strips = {y: strips.get(y, blank) for y in range(first, end)}
        return [strips[y] for y in range(first, end)]

    def _last_column(self, part: str, text: str) -> Segment:
        return self.segments([(part, text)])[0]

    def _blank(self, width: int) -> Strip:
        return Strip(self.segments([("text", " " * (width - 1)), ("line", self._edge)]), width)

    def _empty(self, width: int, height: int) -> list[Strip]:
        words = f"{self._empty_words} {self._seconds} s" if self._seconds else self._empty_words
        lines = ["", *wrap(words, max(1, width - 4))]
        drawn = ([("dim", fit(f"  {line}", width - 1)), ("line", self._edge)] for line in lines)
        strips = [Strip(self.segments(pieces), width) for pieces in drawn]
        return strips + [self._blank(width)] * (height - len(strips))

    def _row_lines(self, position: int, width: int, ground: str = "ground") -> Drawn:
        """Lines of a row without the last column, cached by key, ground and sources."""
        key, sources = self.rows.key(position), (width, *self.sources(position))

        def draw() -> Drawn:
            lines = self.draw(position, max(1, width - 2))
            return [DrawnLine(self.segments(_indented(line), ground)) for line in lines]

        return self._drawings.of(f"{ground} {key}", sources, draw)

    def _count(self) -> int:
        return len(self.rows)

    def _clamp(self, position: int) -> int:
        return max(0, min(position, self._count() - 1))


def _indented(line: list[Piece]) -> list[Piece]:
    """The line after a blank on the ground of its first piece."""
    _, _, ground = line[0][0].partition("@")
    return [(f"text@{ground}" if ground else "text", " "), *line]
