"""Tables of a report: metrics with their change, channels, authors.

One-line bar of current conversation counts; each opens its list.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from frontdesk.reports.metrics import (
    BY_FIELD,
    LIVE,
    NOTHING,
    Change,
    Figure,
    Glyphs,
    Live,
    author_name,
    change,
    channel_name,
    pricing_words,
    value_of,
    value_words,
)
from frontdesk.text import one_line, words
from frontdesk.tui.reports.plots import sparkline
from frontdesk.tui.widgets.line_widget import Painted, Piece, cut, fit, spread, width_of
from frontdesk.tui.widgets.virtual_list import FixedRows, VirtualList
from frontdesk.wire import ChannelMetrics, LiveCounts, PricingCount


class ReportTable(VirtualList[Any]):
    """List with column headings; `g` calls the screen's action rather than going to the top."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "screen.granularity", "Hours, days, weeks or months", id="report.parts"),
    ]
    HALF_PAGE_AT_EDGE = False

    def head(self, width: int) -> list[Piece]:
        """Column headings for rows of `width` cells."""
        raise NotImplementedError

    def put(self, rows: Sequence[tuple[str, Any]]) -> None:
        """Show these rows; the cursor stays on its row by key."""
        first = self.rows is None
        self.rows = FixedRows(rows)
        if first:
            self.show(self.rows)
        else:
            self.rows_changed()


class Head(Painted):
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
    """Column widths of the metric table; 0 for a column that does not fit."""

    name: int
    now: int
    then: int
    gap: int
    change: int
    series: int
    samples: int


def columns_for(width: int) -> Columns:
    """Column widths for a total width; name, value and change have priority."""
    if width >= 98:
        return Columns(28, 12, 12, 3, 20, min(64, width - 88), 13)
    if width >= 72:
        return Columns(21, 9, 10, 2, 19, width - 61, 0)
    if width >= 54:
        return Columns(21, 9, 9, 2, width - 41, 0, 0)
    return Columns(max(8, width - 20), 9, 0, 1, 10, 0, 0)


class MetricTable(ReportTable):
    """Table with one line per metric."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self.series_words = ""

    def head(self, width: int) -> list[Piece]:
        columns = columns_for(width)
        text = fit("METRIC", columns.name) + "THIS".rjust(columns.now)
        if columns.then:
            text += "PREVIOUS".rjust(columns.then)
        text += " " * columns.gap + fit("CHANGE", columns.change)
        if columns.series:
            fits = len(self.series_words) < columns.series
            text += fit(
                self.series_words if fits else self.series_words.partition(",")[0], columns.series
            )
        if columns.samples:
            text += "SAMPLES".rjust(columns.samples)
        return [("dim", text)]

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        return str(self.rows[position].metric.name)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        figure: Figure = self.rows[position]
        columns = columns_for(width)
        metric, tight = figure.metric, width < 98
        now = value_words(metric, figure.now, tight=tight)
        then = value_words(metric, figure.then, tight=tight)
        value_part = "dim" if figure.few or figure.now is None else "strong"
        line: list[Piece] = [("text", fit(metric.name, columns.name))]
        line.append((value_part, now.rjust(columns.now)))
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
    return NOTHING if figure.samples is None else f"{figure.samples:,} {figure.metric.sampled}"


class ChannelColumn(NamedTuple):
    """Column of the channel table, with its width on wide and narrow screens.

    changes: the change is shown beside the value.
    """

    field: str
    width: int
    least: int
    changes: bool = False

    @property
    def title(self) -> str:
        return BY_FIELD[self.field].heading.upper()


CHANNEL_COLUMNS = (
    ChannelColumn("conversations_count", 7, 6, True),
    ChannelColumn("incoming_messages_count", 11, 9),
    ChannelColumn("outgoing_messages_count", 7, 7),
    ChannelColumn("resolutions_count", 11, 10),
    ChannelColumn("avg_first_response_time", 16, 15, True),
    ChannelColumn("avg_reply_time", 10, 9),
    ChannelColumn("avg_resolution_time", 12, 12),
    ChannelColumn("reopened_count", 11, 10),
    ChannelColumn("bot_handoffs_count", 13, 12),
    ChannelColumn("bot_resolutions_count", 8, 7),
)
_WIDE = 98
_CHANGE_WIDTH, _CHANGE_LEAST = 8, 7


def shown_columns(width: int, sorted_by: str) -> list[ChannelColumn]:
    """Columns that fit beside the name, always including the sort column."""
    room = width - name_width(width)
    ordering = next((one for one in CHANNEL_COLUMNS if one.field == sorted_by), CHANNEL_COLUMNS[0])
    reserved = sum(_widths(ordering, width))
    shown: list[ChannelColumn] = []
    for column in CHANNEL_COLUMNS:
        if column is ordering:
            reserved = 0
        taken = sum(_widths(column, width))
        if taken + reserved <= room:
            shown.append(column)
            room -= taken
    return shown


def _widths(column: ChannelColumn, width: int) -> tuple[int, int]:
    """Width of a value, and of the change beside it."""
    if width >= _WIDE:
        return column.width, _CHANGE_WIDTH if column.changes else 0
    return column.least, _CHANGE_LEAST if column.changes and width >= 56 else 0


def name_width(width: int) -> int:
    """Width of the channel names."""
    return 24 if width >= _WIDE else 16 if width >= 56 else max(8, width - 28)


class ChannelTable(ReportTable):
    """Table with one line per channel, sorted by the metric `sorted_by`, descending by default."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._channels: Sequence[ChannelMetrics] = ()
        self.sorted_by = CHANNEL_COLUMNS[0].field
        self.lowest_first = False

    def put_channels(self, channels: Sequence[ChannelMetrics]) -> None:
        """Show these channels in sort order; channels without a value come last."""
        self._channels = channels
        known = [c for c in channels if value_of(c.metrics, self.sorted_by) is not None]
        unknown = [c for c in channels if value_of(c.metrics, self.sorted_by) is None]
        known.sort(
            key=lambda one: value_of(one.metrics, self.sorted_by) or 0,
            reverse=not self.lowest_first,
        )
        self.put([(channel_key(one), one) for one in (*known, *unknown)])

    def order_by(self, field: str) -> None:
        """Sort by a column; reverse the order if it is the sort column already."""
        self.lowest_first = field == self.sorted_by and not self.lowest_first
        self.sorted_by = field
        self.forget_drawn()
        self.put_channels(self._channels)

    def head(self, width: int) -> list[Piece]:
        text = fit("CHANNEL", name_width(width))
        mark = self._glyphs.up if self.lowest_first else self._glyphs.down
        for column in shown_columns(width, self.sorted_by):
            value, beside = _widths(column, width)
            text += f"{column.title}{mark if column.field == self.sorted_by else ''}".rjust(value)
            text += " " * beside
        return [("dim", fit(text, width))]

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        return channel_name(self.rows[position])

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        channel: ChannelMetrics = self.rows[position]
        room = name_width(width)
        line: list[Piece] = [("text", fit(cut(channel_name(channel), room - 1), room))]
        for column in shown_columns(width, self.sorted_by):
            line += self._cell(channel, column, width)
        return [[*line, ("text", " " * (width - width_of(line)))]]

    def _cell(self, channel: ChannelMetrics, column: ChannelColumn, width: int) -> list[Piece]:
        metric = BY_FIELD[column.field]
        now = value_of(channel.metrics, column.field)
        then = value_of(channel.previous, column.field)
        room, beside = _widths(column, width)
        value = value_words(metric, now, tight=True).rjust(room)
        pieces: list[Piece] = [("text" if now is not None else "dim", value)]
        if beside:
            changed = change(metric, now, then, glyphs=self._glyphs)
            size = fit(" " + changed.size.replace(" ", ""), beside)
            pieces.append(("warning" if changed.part == "warning" else "dim", size))
        return pieces


def channel_key(channel: ChannelMetrics) -> str:
    return channel.channel.id or channel.channel.name or ""


AUTHOR_PARTS = MappingProxyType(
    {"user": "team", "phone": "phone", "ai_agent": "ai", "campaign": "campaign"}
)


@dataclass(frozen=True, slots=True)
class Share:
    """Number of messages by one author, and in total."""

    author: str
    count: int
    total: int

    @property
    def name(self) -> str:
        return author_name(self.author)

    @property
    def part(self) -> str:
        """Style of the bar: the colour that the author's messages have."""
        return AUTHOR_PARTS.get(self.author, "accent")

    @property
    def sentence(self) -> str:
        """Text for the copy action."""
        return f"{self.name}: {self.count:,} messages sent"


@dataclass(frozen=True)
class Charged:
    """Messages of one pricing category and type; `total` counts all with known pricing."""

    category: str
    type: str
    count: int
    billable: int
    total: int

    @property
    def name(self) -> str:
        return f"as {words(one_line(self.category))}, {words(one_line(self.type))}"

    @property
    def sentence(self) -> str:
        """Text for the copy action."""
        return f"charged {self.name}: {self.count:,} messages, {self.billable:,} billable"


# Width of the names where there is room for them.
_CHARGED_WIDTH = 34


class AuthorTable(ReportTable):
    """Bars of messages by author, then by pricing, each in descending order."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self.total = 0

    def put_authors(self, counts: dict[str, int], pricing: Sequence[PricingCount] = ()) -> None:
        """Show message counts by author, and pricing counts."""
        self.total = sum(counts.values())
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        rows: list[tuple[str, Share | Charged]] = [
            (author, Share(author, n, self.total)) for author, n in ordered
        ]
        self.put([*rows, *((row.name, row) for row in _charged(pricing))])

    def head(self, width: int) -> list[Piece]:
        return [("dim", fit(f"WHO SENT  {self.total:,} messages", width))]

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        return str(self.rows[position].name)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        share: Share | Charged = self.rows[position]
        part = share.count / share.total if share.total else 0.0
        percent = f"{part:.0%}" if part >= 0.005 or not share.count else "<1%"
        name = max(21, min(_CHARGED_WIDTH, width - 7 - 5 - 1 - 9))
        room = width - name - 7 - 5 - 1
        bar = self._glyphs.bar * max(1 if share.count else 0, round(part * max(0, room)))
        line: list[Piece] = [
            ("text", fit(share.name, name)),
            ("strong", f"{share.count:,}".rjust(7)),
        ]
        if room > 0:
            bar_part = share.part if isinstance(share, Share) else "accent"
            line.append((bar_part, " " + fit(bar, room)))
        line.append(("dim", percent.rjust(5)))
        return [[*line, ("text", " " * max(0, -room))]]


def _charged(pricing: Sequence[PricingCount]) -> list[Charged]:
    """Messages by category and type, summed over channels and authors, in descending order."""
    counts: Counter[tuple[str, str]] = Counter()
    billable: Counter[tuple[str, str]] = Counter()
    for one in pricing:
        counts[pricing_words(one)] += one.count
        billable[pricing_words(one)] += one.billable_count
    total = counts.total()
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Charged(*kind, n, billable[kind], total) for kind, n in ordered if n]


def fields_in_order() -> list[tuple[str, str]]:
    """Sort columns of the channels: field and name."""
    return [(column.field, BY_FIELD[column.field].name) for column in CHANNEL_COLUMNS]


class LiveLine(Painted, can_focus=True):
    """Left and right select a count, enter opens its conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(1)", "Next number", id="live.next", show=False),
        Binding("h,left", "move(-1)", "Previous number", id="live.before", show=False),
        Binding("enter", "open", "Conversations behind it", id="live.open", show=False),
    ]

    class Opened(Message):
        """A count was opened."""

        def __init__(self, live: Live) -> None:
            super().__init__()
            self.live = live

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._counts: LiveCounts | None = None
        self._as_of = ""
        self._at = 0

    def show(self, counts: LiveCounts | None, as_of: str) -> None:
        """Show these counts. as_of: their time, as text."""
        if (counts, as_of) != (self._counts, self._as_of):
            self._counts, self._as_of = counts, as_of
            self.refresh()

    @property
    def copied(self) -> str:
        """The selected count with its name."""
        live = LIVE[self._at]
        return f"{live.name}: {self._value(live)}"

    def action_move(self, step: int) -> None:
        self._at = max(0, min(self._at + step, len(LIVE) - 1))
        self.refresh()

    def action_open(self) -> None:
        self.post_message(self.Opened(LIVE[self._at]))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def line(self, y: int) -> Strip:
        width = self.size.width
        tight = width < 64
        pieces: list[Piece] = [("accent", "▸" if self.has_focus else " ")]
        if width >= 48:
            pieces.append(("dim", f"NOW {self._as_of}" if width >= 80 else "NOW"))
        for at, live in enumerate(LIVE):
            here = self.has_focus and at == self._at
            mark = ("▸" if here else " ").rjust(1 if tight else 3)
            name = f"{live.short if tight else live.name} "
            value = self._value(live)
            # A truncated number would be wrong: stop before one that does not fit.
            if width_of(pieces) + len(mark + name + value) > width:
                break
            pieces += [("accent", mark), ("strong" if here else "dim", name), ("strong", value)]
        return Strip(self.segments(spread(pieces, (), width)), width)

    def _value(self, live: Live) -> str:
        number = getattr(self._counts, live.field, None)
        return NOTHING if number is None else f"{number:,}"
