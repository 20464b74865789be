"""Tables of a report, drawn from sheets, and the line of live counts."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from frontdesk.inbox.rows import FixedRows
from frontdesk.reports.metrics import (
    ALL,
    LIVE,
    NO_VALUE,
    BreakdownRow,
    Figure,
    Glyphs,
    LiveFigure,
    live_figures,
    live_words,
    now_value,
)
from frontdesk.reports.registry import DIMENSIONS, WAIT_AGES
from frontdesk.reports.sheets import ReportOrder, Sheet, SheetColumn, group_sheet, metric_sheet
from frontdesk.tui.action_groups import REPORT
from frontdesk.tui.reports.plots import sparkline, values_per_bar
from frontdesk.tui.widgets.line_widget import LineWidget
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, spread, width_of
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire.reports import LiveCounts, Report


class ReportTable(VirtualList[Any]):
    """Draws a sheet: column headings above its rows, sorted by any of its columns.

    `g` calls the screen's action rather than going to the top.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "g",
            "screen.granularity",
            "Hours, days, weeks or months",
            id="report.granularity",
            group=REPORT("granularity"),
        ),
    ]
    HALF_PAGE_AT_EDGE = False

    def __init__(self, glyphs: Glyphs, sheet: Sheet[Any], *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._sheet = sheet
        # None: as listed.
        self.order: ReportOrder | None = None

    def key_of(self, row: Any) -> str:
        """Key by which the cursor stays on a row."""
        raise NotImplementedError

    def put_sheet(self, sheet: Sheet[Any]) -> None:
        """Show the rows of a sheet in their order; the cursor stays on its row."""
        if [column.key for column in sheet.columns] != [each.key for each in self._sheet.columns]:
            self.forget_drawn()
        self._sheet = sheet
        self.put([(self.key_of(row), row) for row in sheet.sorted(self.order)])

    def put_sorted(self) -> None:
        """Show the rows in their order."""
        self.put_sheet(self._sheet)

    def orders(self) -> list[tuple[str, str]]:
        """Keys and names of what rows can be sorted by; the key of as listed is ""."""
        return [("", "As listed"), *((each.key, each.title) for each in self._sheet.columns)]

    def order_by(self, key: str) -> None:
        """Sort by a column, the other way round if rows are sorted by it already; "": as listed."""
        is_same = self.order is not None and self.order == ReportOrder(key)
        self.order = ReportOrder(key, is_same) if key else None
        self.forget_drawn()
        self.put_sorted()

    def order_mark(self, column: SheetColumn[Any]) -> str:
        """Mark of the column that rows are sorted by: up if A, or the lowest, comes first."""
        if self.order is None or column is not self._sheet.column(self.order):
            return ""
        ascending = column.ascending != self.order.reverse
        return self._glyphs.up if ascending else self._glyphs.down

    def name_width(self, width: int) -> int:
        """Cells of the first column."""
        return 26 if width >= 98 else 21 if width >= 54 else max(8, width - 20)

    def columns_for(self, width: int) -> list[SheetColumn[Any]]:
        """Columns beside the first that fit into `width` cells."""
        return self._sheet.fitting(width - self.name_width(width), self.order)

    def head(self, width: int) -> list[Piece]:
        """Column headings for rows of `width` cells."""
        return [("dim", fit(self._headings(width), width))]

    def _headings(self, width: int) -> str:
        first = self._sheet.columns[0]
        text = fit(first.heading.upper() + self.order_mark(first), self.name_width(width))
        for column in self.columns_for(width):
            title = (column.short or column.heading).upper()
            marked = title + self.order_mark(column)
            text += (marked if len(marked) < column.width else title).rjust(column.width)
        return text

    def words_at(self, position: int) -> str:
        return self._sheet.columns[0].words(self.rows[position])

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        row = self.rows[position]
        line = [self.name_piece(row, self.name_width(width))]
        for column in self.columns_for(width):
            part, words = self.cell(row, column)
            line.append((part, " " + fit_right(words, column.width - 1)))
        line += self.rest(row, width - width_of(line))
        return [[*line, ("text", " " * (width - width_of(line)))]]

    def name_piece(self, row: Any, width: int) -> Piece:
        """The first cell of a row."""
        return "text", fit(cut(self._sheet.columns[0].words(row), width - 1), width)

    def cell(self, row: Any, column: SheetColumn[Any]) -> Piece:
        """A cell of a row: who waits is seen, and what is worse."""
        if column.change is not None:
            change = column.change(row, self._glyphs)
            words = change.short or NO_VALUE
            # The mark has a cell of its own, so that percentages are below each other.
            words += "" if words[-1:] in "+!" else " "
            return change.part if change.part != "text" else "dim", words
        words = column.words(row)
        if words in (NO_VALUE, ""):
            return "dim", words
        if column.warned:
            return ("warning", words) if column.value(row) else ("dim", self._glyphs.gap)
        return "text", words

    def rest(self, row: Any, width: int) -> list[Piece]:
        """What is drawn behind the columns of a row."""
        return []

    def put(self, rows: Sequence[tuple[str, Any]]) -> None:
        """Show these rows; the cursor stays on its row by key."""
        self.rows = FixedRows(rows)
        self.rows_changed()


class TableHeading(LineWidget):
    """Heading line of a table, with a mark if the table has the focus."""

    def __init__(self, table: ReportTable, *, id: str) -> None:
        super().__init__(id=id)
        self._table = table

    def line(self, y: int) -> Strip:
        width = self.size.width
        focused = self._table.has_focus
        pieces = self._table.head(max(1, width - 2))
        part = "strong" if focused else "dim"
        text = "".join(text for _, text in pieces)
        mark = ("accent", "▸" if focused else " ")
        return Strip(self.segments([mark, (part, fit(text, max(0, width - 1)))]), width)


# Narrowest sparklines; their heading "PER MONTH" fits.
_LEAST_SERIES = 10
_GAP = 2


class MetricTable(ReportTable):
    """Table with one line per metric, and a sparkline where there is room."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, metric_sheet(None), id=id)
        # Part of the period that a value of the series has, and the dates of the series.
        self.series_part = self.series_dates = ""

    def key_of(self, row: Figure) -> str:
        return row.metric.field

    def put_report(self, report: Report | None) -> None:
        """Show the figures of a report, with columns for what the server sent."""
        self.put_sheet(metric_sheet(report, self._glyphs))

    def head(self, width: int) -> list[Piece]:
        text = self._headings(width)
        room = width - len(text) - _GAP
        if room >= _LEAST_SERIES:
            text += " " * _GAP + self._series_words(room)
        return [("dim", fit(text, width))]

    def _series_words(self, width: int) -> str:
        """Heading of the sparklines: PER DAY, 8 – 14 Mar; PER 10 DAYS where bars are of ten."""
        longest = max((len(self.rows[at].series) for at in range(len(self.rows))), default=0)
        size = values_per_bar(longest, width - 1)
        words = f"PER {self.series_part}" if size == 1 else f"PER {size} {self.series_part}S"
        dated = f"{words}, {self.series_dates}" if self.series_dates else words
        return dated if len(dated) < width else words

    def cell(self, row: Figure, column: SheetColumn[Any]) -> Piece:
        part, words = super().cell(row, column)
        if column.key == "this" and part == "text":
            return "dim" if row.few else "strong", words
        return "dim" if column.key == "previous" else part, words

    def rest(self, row: Figure, width: int) -> list[Piece]:
        if width < _GAP + _LEAST_SERIES:
            return []
        drawn = sparkline(row.series, width - _GAP - 1, self._glyphs)
        return [("text", " " * _GAP), ("dim" if row.few else "accent", drawn)]


class GroupTable(ReportTable):
    """Table of a dimension, one line per channel, person, team, label or ad, and one of all.

    Sorted by a column of each dimension, descending by default.
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        self.breakdown = "channels"
        dimension = DIMENSIONS[self.breakdown]
        super().__init__(glyphs, group_sheet(dimension, (), None, None), id=id)
        self._orders: dict[str, ReportOrder | None] = {
            part: ReportOrder(dimension.first) for part, dimension in DIMENSIONS.items()
        }
        self.order = self._orders[self.breakdown]
        self._wanted_key = ""

    def seek(self, key: str) -> None:
        """Select a row as soon as it is there."""
        self._wanted_key = key

    def key_of(self, row: BreakdownRow) -> str:
        return row.key

    def put_groups(
        self,
        part: str,
        groups: Sequence[BreakdownRow],
        moment: datetime | None,
        every: BreakdownRow | None = None,
    ) -> None:
        """Show the rows of a dimension in order; those without a value come last, then all.

        moment: of the figures of now. every: the row of all, of several.
        """
        if part != self.breakdown:
            self._orders[self.breakdown] = self.order
            self.order = self._orders[part]
            self.breakdown = part
            self.forget_drawn()
        was_empty = not len(self.rows)
        self.put_sheet(group_sheet(DIMENSIONS[part], groups, every, moment))
        if was_empty and len(self.rows) > 1 and self.rows[0].key == ALL:
            self.go_to(1)
        keys = [self.rows[at].key for at in range(len(self.rows))]
        if self._wanted_key in keys:
            self.go_to(keys.index(self._wanted_key))
            self._wanted_key = ""

    def put(self, rows: Sequence[tuple[str, Any]]) -> None:
        """Show these rows, that of all first."""
        super().put(sorted(rows, key=lambda row: row[0] != ALL))

    def name_width(self, width: int) -> int:
        return 26 if width >= 98 else 16 if width >= 56 else max(8, width - 28)

    def name_piece(self, row: BreakdownRow, width: int) -> Piece:
        _, words = super().name_piece(row, width)
        return "strong" if row.key == ALL else "text", words

    def orders(self) -> list[tuple[str, str]]:
        """Keys and names of what rows can be sorted by: the columns, the first of them last."""
        first, *others = self._sheet.columns
        return [*((each.key, each.title) for each in others), (first.key, "Name")]


def fit_right(text: str, width: int) -> str:
    """`text` in exactly `width` cells, at their right end."""
    text = cut(text, width)
    return " " * (width - cell_len(text)) + text


# Shades of waits by age, and cells of their bar.
_AGE_SHADES, _PLAIN_AGE_SHADES = "░▒▓█", ".:+#"
_LEAST_AGES, _SOME_AGES, _MOST_AGES = 6, 12, 20
_GAP_OF_AGES = 3


class LiveLine(LineWidget, can_focus=True):
    """Left and right select a count, enter opens its conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(1)", "Next number", id="live.next", group=REPORT),
        Binding("h,left", "move(-1)", "Previous number", id="live.before", group=REPORT),
        Binding("enter", "open", "Conversations behind it", id="live.open", group=REPORT),
    ]

    class FigureOpened(Message):
        """A count was opened."""

        def __init__(self, live: LiveFigure) -> None:
            super().__init__()
            self.live = live

    class FigureSelected(Message):
        """Another count was selected."""

        def __init__(self, live: LiveFigure) -> None:
            super().__init__()
            self.live = live

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._blocks = glyphs.stem in glyphs.levels
        self._counts: LiveCounts | None = None
        self._figures: Sequence[LiveFigure] = LIVE
        self._as_of = ""
        self._at = 0

    def show(self, report: Report | None, as_of: str) -> None:
        """Show the counts of a report. as_of: their time, as text."""
        figures: Sequence[LiveFigure] = live_figures(report)
        shown = report.live if report else None, figures, as_of
        if shown != (self._counts, self._figures, self._as_of):
            self._counts, self._figures, self._as_of = shown
            self._at = min(self._at, len(self._figures) - 1)
            self.refresh()

    @property
    def selected(self) -> LiveFigure:
        return self._figures[self._at]

    @property
    def copied(self) -> str:
        """The selected count with its name."""
        return f"{self.selected.name}: {live_words(self._counts, self.selected)}"

    def action_move(self, step: int) -> None:
        self._at = max(0, min(self._at + step, len(self._figures) - 1))
        self.post_message(self.FigureSelected(self.selected))
        self.refresh()

    def action_open(self) -> None:
        self.post_message(self.FigureOpened(self.selected))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def lines_for(self, width: int) -> int:
        """Number of lines that the counts take."""
        return len(self._lines(width))

    def line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._lines(width)
        pieces = lines[y] if y < len(lines) else []
        room = self._room_for_ages(pieces)
        ages = self._ages(room) if y == len(lines) - 1 and room >= _LEAST_AGES else []
        return Strip(self.segments(spread(pieces, ages, width)), width)

    def _room_for_ages(self, line: list[Piece]) -> int:
        return min(_MOST_AGES, self.size.width - width_of(line) - _GAP_OF_AGES)

    def _ages(self, room: int) -> list[Piece]:
        """The shares of waits by age as a bar, the longest waits last."""
        numbers = [now_value(self._counts, f"waiting_{age}") for age in WAIT_AGES]
        known = [number for number in numbers if isinstance(number, int)]
        total = sum(known)
        if len(known) < len(WAIT_AGES) or not total:
            return []
        edges = [round(room * sum(known[:at]) / total) for at in range(len(known) + 1)]
        shades = zip(
            _AGE_SHADES if self._blocks else _PLAIN_AGE_SHADES, pairwise(edges), strict=True
        )
        *others, last = [shade * (end - start) for shade, (start, end) in shades]
        return [("dim", "".join(others)), ("overdue", last), ("text", " ")]

    def _lines(self, width: int) -> list[list[Piece]]:
        """One line, with short names if need be; else one of counts and one of waits by age.

        Minor counts, unless the cursor is on them, give way to the bar of waits. Short names of
        counts over a target and of ages beside each other would be mistaken.
        """
        whole = range(len(self._figures))
        aged = [at for at in whole if self._figures[at].field.startswith("waiting_")]
        counts = [at for at in whole if at not in aged]
        major = [at for at in whole if not self._figures[at].minor or self._is_here(at)]
        has_over = any(live.field.startswith("over_") for live in self._figures)
        styles = [((), 3)] if has_over else [(aged, 3), (aged, 1), (whole, 3), (whole, 1)]
        rooms = (_SOME_AGES, _LEAST_AGES) if self._ages(_LEAST_AGES) else ()
        for least in rooms:
            for short, gap in styles:
                for some in (whole, major):
                    line = self._line_of(some, short, gap=gap)
                    if self._room_for_ages(line) >= least:
                        return [line]
        for short, gap in styles:
            line = self._line_of(whole, short, gap=gap)
            if width_of(line) <= width:
                return [line]
        return [self._fitting(some, width) for some in (counts, aged) if some]

    def _fitting(self, some: Sequence[int], width: int) -> list[Piece]:
        """Return a line of counts, with short names or cut before one that does not fit."""
        line = self._spaced(some, width, ())
        while width_of(line) > width and some:
            line = self._line_of(some, some, gap=1)
            some = some[:-1]
        return line

    def _spaced(self, some: Sequence[int], width: int, short: Sequence[int]) -> list[Piece]:
        """Return a line of counts, with a single blank between them if it does not fit otherwise.

        short: those with a short name.
        """
        line = self._line_of(some, short, gap=3)
        return line if width_of(line) <= width else self._line_of(some, short, gap=1)

    def _is_here(self, at: int) -> bool:
        return self.has_focus and at == self._at

    def _line_of(self, some: Sequence[int], short: Sequence[int], *, gap: int) -> list[Piece]:
        first = 0 in some
        pieces: list[Piece] = [("accent", "▸" if self.has_focus and first else " ")]
        width = self.size.width
        if first and width >= 48:
            pieces.append(("dim", f"NOW {self._as_of}" if width >= 80 else "NOW"))
        for at in some:
            live = self._figures[at]
            here = self._is_here(at)
            mark = ("▸" if here else " ").rjust(gap)
            name = f"{live.short if at in short else live.name} "
            value = live_words(self._counts, live)
            ink = "overdue" if live.late and value not in ("0", NO_VALUE) else "strong"
            pieces += [("accent", mark), ("strong" if here else "dim", name), (ink, value)]
        return pieces
