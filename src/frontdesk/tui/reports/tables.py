"""Tables of a report: metrics with changes, breakdowns; and the line of live counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from frontdesk.inbox.rows import FixedRows
from frontdesk.reports.metrics import (
    ALL,
    BREAKDOWNS,
    BY_FIELD,
    LIVE,
    NO_VALUE,
    NOW_FIGURES,
    BreakdownRow,
    Change,
    Figure,
    Glyphs,
    LiveFigure,
    judged,
    live_figures,
    live_words,
    now_figures,
    now_value,
    now_words,
    percentile_words,
    shown_metrics,
    spread_of,
    target_of,
    target_words,
    value_of,
    value_words,
)
from frontdesk.reports.sorting import (
    CHANGE,
    FIGURE_KEYS,
    NOW_KEYS,
    ReportOrder,
    SortColumn,
    column_of,
    group_columns,
    heading_key,
    metric_columns,
    sort_rows,
)
from frontdesk.tui.reports.plots import sparkline, values_per_bar
from frontdesk.tui.widgets.line_widget import LineWidget
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, spread, width_of
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire.reports import LiveCounts, Report


class ReportTable(VirtualList[Any]):
    """List with column headings, sorted by any column of its rows.

    `g` calls the screen's action rather than going to the top.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "screen.granularity", "Hours, days, weeks or months", id="report.granularity"),
    ]
    HALF_PAGE_AT_EDGE = False

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        # None: as listed.
        self.order: ReportOrder | None = None

    def sort_columns(self) -> list[SortColumn[Any]]:
        """Columns that rows can be sorted by."""
        raise NotImplementedError

    def put_sorted(self) -> None:
        """Show the rows in their order."""
        raise NotImplementedError

    def orders(self) -> list[tuple[str, str]]:
        """Keys and names of what rows can be sorted by; the key of as listed is ""."""
        return [("", "As listed"), *((each.key, each.title) for each in self.sort_columns())]

    def order_by(self, key: str) -> None:
        """Sort by a column, the other way round if rows are sorted by it already; "": as listed."""
        is_same = self.order is not None and self.order == ReportOrder(key)
        self.order = ReportOrder(key, is_same) if key else None
        self.forget_drawn()
        self.put_sorted()

    def order_marks(self) -> dict[str, str]:
        """Mark of the column that rows are sorted by: up if A, or the lowest, comes first."""
        column = column_of(self.sort_columns(), self.order)
        if self.order is None or column is None:
            return {}
        ascending = column.ascending != self.order.reverse
        return {column.key: self._glyphs.up if ascending else self._glyphs.down}

    def head(self, width: int) -> list[Piece]:
        """Column headings for rows of `width` cells."""
        raise NotImplementedError

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


class Columns(NamedTuple):
    """Column widths of the metric table; 0 for a column that does not fit.

    spread: of each of p50 and p90.
    """

    name: int
    now: int
    spread: int
    target: int
    then: int
    gap: int
    change: int
    series: int
    samples: int


# Narrowest sparklines; their heading "PER MONTH" fits.
_LEAST_SERIES = 10


def columns_for(width: int, *, spread: bool = False, target: bool = False) -> Columns:
    """Column widths for a total width; name, value and change have priority."""
    wide = width >= 98 + 20 * spread + 13 * target
    each, within = (10 if wide else 9) * spread, 13 * target
    more = 2 * each + within
    if wide:
        return Columns(26, 12, each, within, 12, 3, 20, min(64, width - 86 - more), 13)
    if width >= 72:
        then = 10 if width >= 61 + more else 0
        rest = width - 51 - then - more
        series = rest if rest >= _LEAST_SERIES else 0
        return Columns(21, 9, each, within, then, 2, 19 + min(0, rest), series, 0)
    if width >= 54:
        then = 0 if more else 9
        change = width - 32 - then - more
        if change >= 8:
            return Columns(21, 9, each, within, then, 2, change, 0, 0)
        return Columns(21, 9, 0, 0, 9, 2, width - 41, 0, 0)
    return Columns(max(8, width - 20), 9, 0, 0, 0, 1, 10, 0, 0)


class MetricTable(ReportTable):
    """Table with one line per metric."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        # Part of the period that a value of the series has, and the dates of the series.
        self.series_part = self.series_dates = ""
        self._spread = self._target = False
        self._figures: Sequence[Figure] = ()

    def sort_columns(self) -> list[SortColumn[Figure]]:
        return metric_columns(self._figures)

    def put_sorted(self) -> None:
        self.put_figures(self._figures)

    def put_figures(self, figures: Sequence[Figure]) -> None:
        """Show these figures, with columns for what the server sent."""
        shape = any(figure.spread for figure in figures), any(figure.target for figure in figures)
        if shape != (self._spread, self._target):
            self._spread, self._target = shape
            self.forget_drawn()
        self._figures = figures
        rows = sort_rows(figures, self.sort_columns(), self.order)
        self.put([(figure.metric.field, figure) for figure in rows])

    def _columns(self, width: int) -> Columns:
        return columns_for(width, spread=self._spread, target=self._target)

    def head(self, width: int) -> list[Piece]:
        columns = self._columns(width)
        marks = self.order_marks()
        text = fit(f"METRIC{marks.get('metric', '')}", columns.name)
        for key, room in (
            ("this", columns.now),
            ("p50", columns.spread),
            ("p90", columns.spread),
            ("in_time", columns.target),
            ("previous", columns.then),
        ):
            text += _number_heading(key, room, marks) if room else ""
        text += " " * columns.gap + fit(f"CHANGE{marks.get(CHANGE, '')}", columns.change)
        if columns.series:
            text += fit(self._series_words(columns.series), columns.series)
        if columns.samples:
            text += _number_heading("samples", columns.samples, marks)
        return [("dim", text)]

    def _series_words(self, width: int) -> str:
        """Heading of the sparklines: PER DAY, 8 – 14 Mar; PER 10 DAYS where bars are of ten."""
        longest = max((len(self.rows[at].series) for at in range(len(self.rows))), default=0)
        size = values_per_bar(longest, width - 1)
        words = f"PER {self.series_part}" if size == 1 else f"PER {size} {self.series_part}S"
        dated = f"{words}, {self.series_dates}" if self.series_dates else words
        return dated if len(dated) < width else words

    def words_at(self, position: int) -> str:
        return str(self.rows[position].metric.name)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        figure: Figure = self.rows[position]
        columns = self._columns(width)
        metric = figure.metric
        now = value_words(metric, figure.now)
        then = value_words(metric, figure.then)
        value_part = "dim" if figure.few or figure.now is None else "strong"
        line: list[Piece] = [("text", fit(metric.name, columns.name))]
        line.append((value_part, now.rjust(columns.now)))
        line += _spread_pieces(figure, columns)
        if columns.then:
            line.append(("dim", then.rjust(columns.then)))
        line.append(("text", " " * columns.gap))
        line += _change_pieces(figure.change, columns.change)
        if columns.series:
            drawn = sparkline(figure.series, columns.series - 1, self._glyphs)
            line.append(("accent" if not figure.few else "dim", fit(drawn, columns.series)))
        if columns.samples:
            line.append(("dim", _samples_words(figure).rjust(columns.samples)))
        return [[*line, ("text", " " * (width - width_of(line)))]]


def _number_heading(key: str, width: int, marks: Mapping[str, str]) -> str:
    """Heading of a column of numbers, with the mark of the order if there is room."""
    title = key.replace("_", " ").upper()
    marked = title + marks.get(key, "")
    return (marked if len(marked) < width else title).rjust(width)


def _spread_pieces(figure: Figure, columns: Columns) -> list[Piece]:
    """Percentiles of a mean, and the share within its target."""
    pieces: list[Piece] = []
    for name in ("p50", "p90") if columns.spread else ():
        words = percentile_words(figure.spread, name) if figure.metric.timed else ""
        pieces.append(("text", words.rjust(columns.spread)))
    if columns.target:
        words = target_words(figure.target) if figure.target else ""
        pieces.append(("text", words.rjust(columns.target)))
    return pieces


def _change_pieces(changed: Change, width: int) -> list[Piece]:
    if not changed.size:
        return [("dim", fit(changed.meaning, width))]
    if width < 12:
        return [(changed.part, fit(changed.size, width))]
    size = fit(changed.size, 8)
    return [(changed.part, size), (changed.part, fit(changed.meaning, width - 8))]


def _samples_words(figure: Figure) -> str:
    if not figure.metric.timed:
        return ""
    return NO_VALUE if figure.samples is None else f"{figure.samples:,} {figure.metric.sampled}"


class GroupColumn(NamedTuple):
    """Column of a breakdown, with its width on wide and narrow screens.

    kind: metric, now (at this moment), p50, p90 or target. changes: with the change beside it.
    """

    field: str
    width: int
    least: int
    changes: bool = False
    kind: str = "metric"

    @property
    def title(self) -> str:
        match self.kind:
            case "now":
                return NOW_FIGURES[self.field].upper()
            case "target":
                return "IN TIME"
            case "p50" | "p90":
                return self.kind.upper()
        return BY_FIELD[self.field].heading.upper()

    @property
    def name(self) -> str:
        """Name for the choice of an order."""
        if self.kind == "now":
            return f"{NOW_FIGURES[self.field]} now"
        aspect = "" if self.kind == "metric" else f": {self.title.lower()}"
        return BY_FIELD[self.field].name + aspect

    @property
    def key(self) -> str:
        """Key of the order by this column."""
        if self.kind == "now":
            return NOW_KEYS[self.field]
        key = FIGURE_KEYS[self.field]
        aspect = {"metric": "", "target": ":in_time"}.get(self.kind, f":{self.kind}")
        return key + aspect

    @property
    def change_key(self) -> str:
        """Key of the order by the change of this figure."""
        return f"{self.key}:{CHANGE}"


_CHANNEL_COLUMNS = (
    GroupColumn("conversations_count", 7, 6),
    GroupColumn("incoming_messages_count", 11, 9),
    GroupColumn("outgoing_messages_count", 7, 7),
    GroupColumn("resolutions_count", 11, 10),
    GroupColumn("avg_first_response_time", 16, 15),
    GroupColumn("avg_reply_time", 10, 9),
    GroupColumn("avg_resolution_time", 12, 12),
    GroupColumn("reopened_count", 11, 10),
    GroupColumn("bot_handoffs_count", 13, 12),
    GroupColumn("bot_resolutions_count", 8, 7),
)
_PERSON_COLUMNS = (
    GroupColumn("availability", 9, 9, kind="now"),
    GroupColumn("open", 7, 6, kind="now"),
    GroupColumn("waiting", 8, 7, kind="now"),
    GroupColumn("longest_waiting_since", 9, 9, kind="now"),
    GroupColumn("over_first_response", 12, 12, kind="now"),
    GroupColumn("over_reply", 12, 12, kind="now"),
    GroupColumn("unread", 8, 8, kind="now"),
    GroupColumn("avg_first_response_time", 16, 15),
    GroupColumn("avg_reply_time", 10, 9),
    GroupColumn("outgoing_messages_count", 7, 6),
    GroupColumn("answered_conversations_count", 10, 10),
    GroupColumn("resolutions_count", 11, 10),
    GroupColumn("waiting_under_1h", 7, 6, kind="now"),
    GroupColumn("waiting_under_4h", 7, 6, kind="now"),
    GroupColumn("waiting_under_1d", 8, 7, kind="now"),
    GroupColumn("waiting_over_1d", 7, 6, kind="now"),
)
COLUMNS: Mapping[str, tuple[GroupColumn, ...]] = MappingProxyType(
    {
        part: tuple(
            column._replace(changes=column.field in BREAKDOWNS[part].changed) for column in columns
        )
        for part, columns in {
            "channels": _CHANNEL_COLUMNS,
            "users": _PERSON_COLUMNS,
            "teams": _PERSON_COLUMNS,
            "labels": _CHANNEL_COLUMNS[:7],
            "ads": (
                GroupColumn("ad_conversations_count", 10, 8),
                _CHANNEL_COLUMNS[0],
                *_CHANNEL_COLUMNS[3:7],
            ),
        }.items()
    }
)
# Column that a breakdown is sorted by at first.
_FIRST_ORDER = {"users": NOW_KEYS["waiting"], "teams": NOW_KEYS["waiting"]}
# Figures of now that are to be seen unless they are 0.
_WARNED = frozenset({"waiting", "over_first_response", "over_reply"})
_WIDE = 98
_CHANGE_WIDTH, _CHANGE_LEAST = 8, 7


def columns_of(
    part: str, groups: Sequence[BreakdownRow], order: ReportOrder | None = None
) -> list[GroupColumn]:
    """Columns of a breakdown; beside a mean its percentiles and target, as the server sent them.

    order: by the change of a figure shows that too.
    """
    columns: list[GroupColumn] = []
    now = now_figures(groups)
    shown = {
        metric.field for metric in shown_metrics([*BY_FIELD.values()], [g.current for g in groups])
    }
    for column in COLUMNS[part]:
        field = column.field
        if field not in (now if column.kind == "now" else shown) and groups:
            continue
        if order is not None and order.key == column.change_key:
            column = column._replace(changes=True)
        columns.append(column)
        if any(spread_of(group.current, field) for group in groups):
            columns += [GroupColumn(field, 9, 9, kind=kind) for kind in ("p50", "p90")]
        if any(target_of(group.current, field) for group in groups):
            columns.append(GroupColumn(field, 12, 12, kind="target"))
    return columns


def shown_columns(columns: Sequence[GroupColumn], width: int, sorted_by: str) -> list[GroupColumn]:
    """Columns that fit beside the name, always including the sort column and its figure.

    sorted_by: the key of the order.
    """
    room = width - name_width(width)
    wanted = {sorted_by, sorted_by.partition(":")[0]}
    needed = [column for column in columns if column.key in wanted] or [*columns[:1]]
    reserved = sum(sum(_widths(column, width)) for column in needed)
    shown: list[GroupColumn] = []
    for column in columns:
        width_used = sum(_widths(column, width))
        if column in needed:
            reserved -= width_used
        beside_mean = column.kind in ("p50", "p90", "target")
        if beside_mean and column.field not in [column.field for column in shown]:
            continue
        if width_used + reserved <= room:
            shown.append(column)
            room -= width_used
    return shown


def _widths(column: GroupColumn, width: int) -> tuple[int, int]:
    """Width of a value, and of the change beside it."""
    if width >= _WIDE:
        return column.width, _CHANGE_WIDTH if column.changes else 0
    return column.least, _CHANGE_LEAST if column.changes and width >= 56 else 0


def name_width(width: int) -> int:
    return 24 if width >= _WIDE else 16 if width >= 56 else max(8, width - 28)


class GroupTable(ReportTable):
    """Table of a breakdown, one line per channel, person, team or label.

    Sorted by a column of each breakdown, descending by default.
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self.breakdown = "channels"
        self._groups: Sequence[BreakdownRow] = ()
        self._moment: datetime | None = None
        self._every: BreakdownRow | None = None
        self._orders: dict[str, ReportOrder | None] = {
            part: ReportOrder(_FIRST_ORDER.get(part, columns[0].key))
            for part, columns in COLUMNS.items()
        }
        self.order = self._orders[self.breakdown]
        self._wanted_key = ""

    def seek(self, key: str) -> None:
        """Select a row as soon as it is there."""
        self._wanted_key = key

    def put_groups(
        self,
        part: str,
        groups: Sequence[BreakdownRow],
        moment: datetime | None,
        every: BreakdownRow | None = None,
    ) -> None:
        """Show the rows of a breakdown in order; those without a value come last, then all.

        moment: of the figures of now. every: the row of all, of several.
        """
        columns = self._all_columns()
        if part != self.breakdown:
            self._orders[self.breakdown] = self.order
            self.order = self._orders[part]
        self.breakdown, self._groups, self._moment, self._every = part, groups, moment, every
        if self._all_columns() != columns:
            self.forget_drawn()
        rows = sort_rows(groups, self.sort_columns(), self.order)
        if every is not None and len(rows) > 1:
            rows.append(every)
        self.put([(group.key, group) for group in rows])
        keys = [group.key for group in rows]
        if self._wanted_key in keys:
            self.go_to(keys.index(self._wanted_key))
            self._wanted_key = ""

    def sort_columns(self) -> list[SortColumn[BreakdownRow]]:
        return group_columns(BREAKDOWNS[self.breakdown], self._groups)

    def put_sorted(self) -> None:
        self.put_groups(self.breakdown, self._groups, self._moment, self._every)

    def _all_columns(self) -> list[GroupColumn]:
        return columns_of(self.breakdown, self._groups, self.order)

    def _columns(self, width: int) -> list[GroupColumn]:
        sorted_by = self.order.key if self.order else ""
        return shown_columns(self._all_columns(), width, sorted_by)

    def head(self, width: int) -> list[Piece]:
        heading, marks = BREAKDOWNS[self.breakdown].heading, self.order_marks()
        text = fit(heading.upper() + marks.get(heading_key(heading), ""), name_width(width))
        for column in self._columns(width):
            value, beside = _widths(column, width)
            text += f"{column.title}{marks.get(column.key, '')}".rjust(value)
            changing = marks.get(column.change_key) if beside else ""
            text += fit(f" +/-{changing}" if changing else "", beside)
        return [("dim", fit(text, width))]

    def words_at(self, position: int) -> str:
        return str(self.rows[position].name)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        group: BreakdownRow = self.rows[position]
        room = name_width(width)
        ink = "strong" if group.key == ALL else "text"
        line: list[Piece] = [(ink, fit(cut(group.name, room - 1), room))]
        for column in self._columns(width):
            line += self._cell(group, column, width)
        return [[*line, ("text", " " * (width - width_of(line)))]]

    def _cell(self, group: BreakdownRow, column: GroupColumn, width: int) -> list[Piece]:
        room, beside = _widths(column, width)
        words = self._words(group, column)
        part = "dim" if words == NO_VALUE else self._ink(group, column)
        pieces: list[Piece] = [(part, " " + fit_right(words, room - 1))]
        if beside:
            metric = BY_FIELD[column.field]
            changed = judged(metric, group.current, group.previous, self._glyphs)
            size = fit(" " + changed.size.replace(" ", ""), beside)
            pieces.append(("warning" if changed.part == "warning" else "dim", size))
        return pieces

    def _words(self, group: BreakdownRow, column: GroupColumn) -> str:
        match column.kind:
            case "now":
                return now_words(group.now, column.field, self._moment)
            case "target":
                return target_words(target_of(group.current, column.field))
            case "p50" | "p90":
                spread = spread_of(group.current, column.field)
                return percentile_words(spread, column.kind)
        metric = BY_FIELD[column.field]
        return value_words(metric, value_of(group.current, column.field))

    def _ink(self, group: BreakdownRow, column: GroupColumn) -> str:
        """Ink of a value: who waits is seen."""
        if column.field in _WARNED and now_value(group.now, column.field):
            return "warning"
        return "text"

    def orders(self) -> list[tuple[str, str]]:
        """Keys and names of what rows can be sorted by: the name, columns, and their changes."""
        columns = self._all_columns()
        figures = [column for column in columns if column.kind == "metric"]
        names = {
            **{column.key: column.name for column in columns},
            **{column.change_key: f"{column.name}: change" for column in figures},
        }
        first, *others = self.sort_columns()
        known = {column.key for column in others}
        # Before there are rows, every column may have values.
        orders = [order for order in names.items() if order[0] in known or not self._groups]
        return [*orders, (first.key, "Name")]


def fit_right(text: str, width: int) -> str:
    """`text` in exactly `width` cells, at their right end."""
    text = cut(text, width)
    return " " * (width - cell_len(text)) + text


class LiveLine(LineWidget, can_focus=True):
    """Left and right select a count, enter opens its conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(1)", "Next number", id="live.next"),
        Binding("h,left", "move(-1)", "Previous number", id="live.before"),
        Binding("enter", "open", "Conversations behind it", id="live.open"),
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

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
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
        return Strip(self.segments(spread(pieces, (), width)), width)

    def _lines(self, width: int) -> list[list[Piece]]:
        """One line, with short names if need be; else one of counts and one of waits by age.

        Short names of counts over a target and of ages beside each other would be mistaken.
        """
        whole = range(len(self._figures))
        aged = [at for at in whole if self._figures[at].field.startswith("waiting_")]
        counts = [at for at in whole if at not in aged]
        has_over = any(live.field.startswith("over_") for live in self._figures)
        lines = [self._line_of(whole, (), gap=3)]
        if not has_over:
            lines += [self._spaced(whole, width, short) for short in ((), aged, whole)]
        one = next((line for line in lines if width_of(line) <= width), None)
        if one is not None:
            return [one]
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

    def _line_of(self, some: Sequence[int], short: Sequence[int], *, gap: int) -> list[Piece]:
        first = 0 in some
        pieces: list[Piece] = [("accent", "▸" if self.has_focus and first else " ")]
        width = self.size.width
        if first and width >= 48:
            pieces.append(("dim", f"NOW {self._as_of}" if width >= 80 else "NOW"))
        for at in some:
            live = self._figures[at]
            here = self.has_focus and at == self._at
            mark = ("▸" if here else " ").rjust(gap)
            name = f"{live.short if at in short else live.name} "
            value = live_words(self._counts, live)
            ink = "overdue" if live.late and value not in ("0", NO_VALUE) else "strong"
            pieces += [("accent", mark), ("strong" if here else "dim", name), (ink, value)]
        return pieces
