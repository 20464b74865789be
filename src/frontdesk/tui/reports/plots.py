"""Character plots: sparklines, and bar charts that compare two periods.

No information is conveyed by colour alone: current and previous bars use different characters, a
gap is a dot, and zero is a mark on the axis.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log10
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from frontdesk.reports.metrics import Glyphs
from frontdesk.reports.registry import WEEKDAYS
from frontdesk.tui.action_groups import REPORT
from frontdesk.tui.widgets.line_widget import LineWidget
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, wrap

Values = Sequence[float | None]

_TIMES = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200)
_DAY = 86400
# Largest width of a bar; the rest of a wide column stays empty.
_THICKEST = 12
PART = "(part)"


_WIDEST_LEVEL = 3


def sparkline(values: Values, width: int, glyphs: Glyphs) -> str:
    """One to three characters per value, from zero to the maximum; averaged to fit `width`."""
    columns = _merged(values, width)
    highest = max((value for value in columns if value is not None), default=0)
    each = min(_WIDEST_LEVEL, width // max(1, len(columns)))
    return "".join(_level(value, highest, glyphs) * each for value in columns)


def values_per_bar(count: int, width: int) -> int:
    """Number of adjacent values that share a bar, so that `count` of them fit into `width`."""
    return max(1, -(-count // max(1, width)))


def _merged(values: Values, width: int) -> list[float | None]:
    """At most `width` values: means of adjacent values, ignoring gaps; the last may be of fewer."""
    size = values_per_bar(len(values), width)
    if size == 1:
        return list(values)
    merged: list[float | None] = []
    for start in range(0, len(values), size):
        measured = [value for value in values[start : start + size] if value is not None]
        merged.append(sum(measured) / len(measured) if measured else None)
    return merged


def _level(value: float | None, highest: float, glyphs: Glyphs) -> str:
    if value is None:
        return glyphs.gap
    if value <= 0 or highest <= 0:
        return glyphs.zero
    return glyphs.levels[_steps(value / highest, len(glyphs.levels)) - 1]


def _steps(share: float, steps: int) -> int:
    """Height of a share in steps; positive values are always higher than the mark of zero."""
    return max(2 if steps > 2 else 1, min(steps, round(share * steps)))


@dataclass(frozen=True, slots=True)
class Scene:
    """Data of a plot: current and previous series, side by side.

    The longer series gives the number of columns. `labels`: column labels. `unfinished`: indexes of
    partial columns. `timed`: values are seconds. `words`: formats a value.
    """

    now: Values
    then: Values
    labels: Sequence[str]
    unfinished: frozenset[int]
    timed: bool
    words: Callable[[float], str]

    @property
    def columns(self) -> int:
        return max(len(self.now), len(self.then))


class Axis(NamedTuple):
    """Ticks of an axis: the value and the number of rows between two."""

    step: float
    rows: int


def axis_for(highest: float, rows: int, *, timed: bool) -> Axis:
    """Axis of `rows` rows with round ticks at equal distances, as tight as `highest` allows.

    It has three to six ticks, or fewer in less than nine rows.
    """
    distances = [
        each for each in range(1, rows + 1) if min(3, max(1, rows // 3)) <= rows // each <= 6
    ]
    axes = (Axis(_step(highest * each / rows, timed=timed), each) for each in distances)
    return min(axes, key=lambda axis: (axis.step * rows / axis.rows, -axis.rows))


def _step(least: float, *, timed: bool) -> float:
    """Round number that is at least this: 1, 2, 5, 10, ... or a usual duration in seconds."""
    if timed:
        step = next((seconds for seconds in _TIMES if seconds >= least), 0)
        return step or _step(least / _DAY, timed=False) * _DAY
    power = 10.0 ** max(0, ceil(log10(max(least, 1))) - 1)
    return next(number * power for number in (1, 2, 5, 10) if number * power >= least)


class KeptDrawing(LineWidget):
    """Draws all of its lines at once, and keeps them until its size or contents change."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._lines: list[list[Piece]] | None = None

    @abstractmethod
    def drawn(self, width: int, height: int) -> list[list[Piece]]:
        """All lines, from the top."""

    def forget_drawn(self) -> None:
        self._lines = None

    def on_resize(self, event: events.Resize) -> None:
        self.forget_drawn()

    def line(self, y: int) -> Strip:
        width, height = self.size
        if self._lines is None or len(self._lines) != height:
            self._lines = self.drawn(width, height)
        # A frame between two sizes asks for lines of the other one; very low drawings have fewer.
        return Strip(self.segments(self._lines[y] if y < len(self._lines) else []), width)


class Plot(KeptDrawing, can_focus=True):
    """Draws a scene; left and right move the column cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(1)", "Next part of the period", id="plot.next", group=REPORT),
        Binding(
            "h,left", "move(-1)", "Previous part of the period", id="plot.before", group=REPORT
        ),
        Binding("end", "move(9999)", "Last part", id="plot.last", group=REPORT),
        Binding("home", "move(-9999)", "First part", id="plot.first", group=REPORT),
    ]

    class CursorMoved(Message):
        """The cursor moved to another column."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self.scene: Scene | None = None
        self.cursor = 0

    def show(self, scene: Scene | None) -> None:
        """Draw another scene; if its number of columns differs, select the newest column."""
        if scene is not None and (self.scene is None or self.scene.columns != scene.columns):
            self.cursor = max(0, len(scene.now) - 1)
        self.scene = scene
        self.forget_drawn()
        self.refresh()

    def action_move(self, step: int) -> None:
        if self.scene is not None and self.scene.columns:
            self.cursor = max(0, min(self.cursor + step, self.scene.columns - 1))
            self.forget_drawn()
            self.refresh()
            self.post_message(self.CursorMoved())

    def drawn(self, width: int, height: int) -> list[list[Piece]]:
        if self.scene is None:
            return [[("text", " " * width)] for _ in range(height)]
        return plot(self.scene, width, height, self._glyphs, cursor=self.cursor)


def plot(
    scene: Scene,
    width: int,
    height: int,
    glyphs: Glyphs,
    *,
    cursor: int | None = None,
    valued: bool = False,
) -> list[list[Piece]]:
    """The scene as `height` lines of exactly `width` cells: bars above a labelled axis.

    If there are more columns than cells, the newest are shown. cursor: the highlighted column.
    valued: values stand on the bars that they fit on, below the end of the axis.
    """
    rows = height - 1
    if rows < 2 or width < 12 or not scene.columns:
        return [[("text", " " * width)] for _ in range(height)]
    values = [value for value in (*scene.now, *scene.then) if value is not None]
    highest = max(values, default=0) or 1
    # A line for the value of the highest bar.
    axis = axis_for(highest * rows / (rows - valued), rows, timed=scene.timed)
    ticks = {
        rows - number * axis.rows: scene.words(number * axis.step)
        for number in range(1, rows // axis.rows + 1)
    }
    gutter = max(len(words) for words in (*ticks.values(), scene.words(0))) + 1
    columns = visible_columns(scene.columns, width - gutter - 2)
    top = axis.step * rows / axis.rows
    lines: list[list[Piece]] = []
    for row in range(rows):
        head = f"{ticks.get(row, ''):>{gutter}} {glyphs.axis if row in ticks else ' '}"
        level = rows - row
        bars = _bars(scene, columns, level, rows, top, glyphs)
        bars = _valued(bars, scene, columns, level, rows, top, glyphs) if valued else bars
        lines.append([("dim", head), *bars])
    zero = f"{scene.words(0):>{gutter}} {glyphs.corner}"
    lines.append([("dim", zero), *_axis(scene, columns, glyphs, cursor)])
    return [_filled(line, width) for line in lines]


def visible_columns(columns: int, room: int) -> list[tuple[int, int]]:
    """Index and width of the visible columns, the newest, which together fill the room."""
    shown = min(columns, room)
    first = columns - shown
    edges = [at * room // shown for at in range(shown + 1)]
    return [(first + at, end - start) for at, (start, end) in enumerate(pairwise(edges))]


def _bars(
    scene: Scene,
    columns: Sequence[tuple[int, int]],
    level: int,
    rows: int,
    top: float,
    glyphs: Glyphs,
) -> list[Piece]:
    """One line of all bars; `level` is 1 at the bottom and `rows` at the top."""
    pieces: list[Piece] = []
    narrowest = min(width for _, width in columns)
    thick = min(_THICKEST, (narrowest - 1) // 2)
    for column, width in columns:
        now, then = (_at(values, column) for values in (scene.now, scene.then))
        mark = _now_mark(now, column < len(scene.now), level, rows, top, glyphs)
        behind = _then_mark(then, level, rows, top, glyphs)
        part = "accent" if mark != glyphs.gap else "dim"
        if thick:
            pieces += [(part, mark * thick), ("dim", behind * thick)]
            pieces.append(("text", " " * (width - 2 * thick)))
        elif mark != " ":
            pieces.append((part, mark * width))
        else:
            # In a narrow column, the previous bar is visible above the current one only.
            pieces.append(("dim", behind * width))
    return pieces


def _valued(
    bars: list[Piece],
    scene: Scene,
    columns: Sequence[tuple[int, int]],
    level: int,
    rows: int,
    top: float,
    glyphs: Glyphs,
) -> list[Piece]:
    """A line of bars with the values of those that end below it, where these fit."""
    drawn, start = "".join(text for _, text in bars), 0
    thick = min(_THICKEST, (min(width for _, width in columns) - 1) // 2)
    placed: list[tuple[int, str]] = []
    for column, width in columns:
        for at, values in ((start, scene.now), (start + thick, scene.then)):
            value = _at(values, column)
            is_now = values is scene.now
            if value is None or not thick or level != 1 + _height(value, rows, top, is_now, glyphs):
                continue
            words = scene.words(value)
            room = drawn[at : start + width]
            room = room[: len(room) - len(room.lstrip(" "))] + room[len(room) :]
            if len(words) < len(room) + (not is_now) and not drawn[at : at + len(words)].strip():
                placed.append((at, words))
                drawn = drawn[:at] + words + drawn[at + len(words) :]
        start += width
    if not placed:
        return bars
    pieces, at = list[Piece](), 0
    covered = {at + offset for at, words in placed for offset in range(len(words))}
    for part, text in bars:
        for offset, _ in enumerate(text):
            here = at + offset
            pieces.append(("text" if here in covered else part, drawn[here]))
        at += len(text)
    return pieces


def _height(value: float, rows: int, top: float, is_now: bool, glyphs: Glyphs) -> int:
    """Lines that a bar reaches into."""
    if value <= 0:
        return 1
    if not is_now:
        return max(1, round(value / top * rows))
    steps = len(glyphs.levels)
    return -(-_steps(value / top, rows * steps) // steps)


def _at(values: Values, column: int) -> float | None:
    return values[column] if column < len(values) else None


def _now_mark(
    value: float | None, come: bool, level: int, rows: int, top: float, glyphs: Glyphs
) -> str:
    if value is None:
        return glyphs.gap if come and level == 1 else " "
    if value <= 0:
        return glyphs.zero if level == 1 else " "
    steps = len(glyphs.levels)
    filled = _steps(value / top, rows * steps) - (level - 1) * steps
    if filled >= steps:
        return glyphs.stem
    if glyphs.stem not in glyphs.levels:
        return glyphs.stem if filled >= steps / 2 or (filled > 0 and level == 1) else " "
    return glyphs.levels[filled - 1] if filled > 0 else " "


def _then_mark(value: float | None, level: int, rows: int, top: float, glyphs: Glyphs) -> str:
    if value is None:
        return " "
    if value <= 0:
        return glyphs.zero if level == 1 else " "
    return glyphs.before if level <= max(1, round(value / top * rows)) else " "


def _axis(
    scene: Scene, columns: Sequence[tuple[int, int]], glyphs: Glyphs, cursor: int | None
) -> list[Piece]:
    """Axis labels, as many as fit; partial columns are marked (part), or * if that does not fit."""
    longest = max((len(label) for label in scene.labels), default=1)
    every = -(-(longest + 2) // min(width for _, width in columns))
    pieces: list[Piece] = []
    for start in range(0, len(columns), every):
        group = columns[start : start + every]
        column, room = group[0][0], sum(width for _, width in group)
        label = scene.labels[column] if column < len(scene.labels) else ""
        if column in scene.unfinished:
            label += PART if len(label + PART) < room else "*"
        here = cursor is not None and column <= cursor <= group[-1][0]
        label = cut(label, room)
        pieces.append(("accent" if here else "text", label))
        pieces.append(("dim", glyphs.floor * (room - len(label))))
    return pieces


def _filled(line: list[Piece], width: int) -> list[Piece]:
    """Truncate or pad a line to `width` cells; all characters of a plot are one cell wide."""
    filled: list[Piece] = []
    room = width
    for part, text in line:
        start = text[:room]
        filled.append((part, start))
        room -= len(start)
    return [*filled, ("text", fit("", room))]


HOURS = 24
_SHADES, _PLAIN_SHADES = "·░▒▓█", ".-+*#"
# Inks of the four levels: of more messages, and of longer times.
_MORE, _LONGER = ("dim", "read", "accent", "strong"), ("good", "early", "warning", "overdue")


class HeatCells(NamedTuple):
    """Cells by weekday (from Monday) and hour. longer: large values are bad."""

    cells: Sequence[Values]
    longer: bool

    def level(self, day: int, hour: int) -> int:
        """Quarter of the largest value that a cell reaches, from 1; 0 without a value."""
        value = self.cells[day][hour]
        highest = max((each for row in self.cells for each in row if each is not None), default=0)
        if not value or highest <= 0:
            return 0
        return min(4, ceil(4 * value / highest))


class HeatMap(LineWidget, can_focus=True):
    """Draws a row for each weekday and a column for each hour; the keys move the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(0, 1)", "Next hour", id="heat.next"),
        Binding("h,left", "move(0, -1)", "Previous hour", id="heat.before"),
        Binding("j,down", "move(1, 0)", "Next day", id="heat.below"),
        Binding("k,up", "move(-1, 0)", "Previous day", id="heat.above"),
    ]

    class CellChosen(Message):
        """The cursor moved to another cell."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self.shades = _SHADES if glyphs.stem in glyphs.levels else _PLAIN_SHADES
        self._heat: HeatCells | None = None
        self._words = ""
        self.day, self.hour = 0, 9

    def show(self, heat: HeatCells | None, words: str = "") -> None:
        """Draw other cells; without any, a sentence."""
        self._heat, self._words = heat, words
        self.refresh()

    def action_move(self, days: int, hours: int) -> None:
        self.day = max(0, min(self.day + days, len(WEEKDAYS) - 1))
        self.hour = max(0, min(self.hour + hours, HOURS - 1))
        self.refresh()
        self.post_message(self.CellChosen())

    def line(self, y: int) -> Strip:
        width, height = self.size
        # Without a line for the hours where only the days fit.
        day = y - (height > len(WEEKDAYS))
        if self._heat is None:
            words = wrap(self._words, max(1, width - 2))
            pieces = [("text", f"  {words[y - 1]}" if 0 < y <= len(words) else "")]
        elif day < 0:
            pieces = self._hours(width)
        else:
            pieces = self._day(day, width) if day < len(self._heat.cells) else []
        return Strip(self.segments(_filled(pieces, width)), width)

    def _each(self, width: int) -> int:
        return max(1, min(6, (width - 5) // HOURS))

    def _hours(self, width: int) -> list[Piece]:
        each = self._each(width)
        step = {1: 4, 2: 2}.get(each, 1)
        pieces: list[Piece] = [("dim", " " * 5)]
        for hour in range(0, HOURS, step):
            here = self.can_focus and hour <= self.hour < hour + step
            pieces.append(("accent" if here else "dim", f"{hour:02}".ljust(each * step)))
        return pieces

    def _day(self, day: int, width: int) -> list[Piece]:
        assert self._heat is not None
        each = self._each(width)
        mark = "▸" if day == self.day and self.has_focus else " "
        name = "accent" if day == self.day and self.can_focus else "dim"
        pieces: list[Piece] = [(name, f"{mark}{WEEKDAYS[day]} ")]
        inks = _LONGER if self._heat.longer else _MORE
        for hour in range(HOURS):
            level = self._heat.level(day, hour)
            ink = inks[level - 1] if level else "dim"
            if (day, hour) == (self.day, self.hour) and self.has_focus:
                ink += "@chosen"
            shade = self.shades[level]
            pieces.append((ink, shade if each == 1 else shade * (each - 1) + " "))
        return pieces
