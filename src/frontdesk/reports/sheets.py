"""Tables of a report for every output: rows, columns with their words, order and weight, a total.

Words are sorted from A on and without accents, numbers from the highest, both the other way round
in reverse; rows without a value come last in both directions. Rows that are alike are in the order
of the first column from A on, then as they are listed. A column that does not fit leaves whole: the
one with the least weight first.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from itertools import zip_longest
from operator import attrgetter, itemgetter
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.exports.tables import local_time
from frontdesk.reports.metrics import (
    BLOCKS,
    NO_VALUE,
    NOW,
    PERIODS,
    PREVIOUS,
    RATES,
    THIS,
    BreakdownRow,
    Change,
    Figure,
    Glyphs,
    LiveFigure,
    Measured,
    Rate,
    ReportFact,
    all_figures,
    all_of,
    author_name,
    change_size,
    facts_in,
    figures_of,
    groups_of,
    judged,
    live_figures,
    live_words,
    now_figures,
    now_value,
    now_words,
    percentile_words,
    pricing_words,
    rate_words,
    shown_metrics,
    spread_of,
    target_of,
    target_words,
    value_of,
    value_words,
)
from frontdesk.reports.registry import (
    BY_FIELD,
    CHANGED,
    DIMENSIONS,
    LISTED,
    NOW_FIGURES,
    PIVOTED,
    REOPENED_IN_7_DAYS,
    WEEKDAYS,
    Dimension,
    Metric,
    NowFigure,
    heading_key,
)
from frontdesk.text.clean import first_non_blank, folded, one_line
from frontdesk.wire.reports import (
    Bucket,
    HourGrid,
    Hours,
    LiveCounts,
    Metrics,
    Percentiles,
    PersonBucket,
    PricingCount,
    Report,
    TargetShare,
)

R = TypeVar("R")

# The first column of each table, which has a heading of its own too.
NAME = "name"
CHANGE = "change"
# What stands beside a figure, with its heading.
ASPECTS: Mapping[str, str] = {CHANGE: "Change", "p50": "p50", "p90": "p90", "in_time": "In time"}
PRICED_BY = ("Charged as", "Type", "Channel", "Sent by")
# Cells of a column of a narrow table, by what it has.
_COUNT, _TIME, _SHARE, _CHANGE = 6, 8, 12, 8
# Width of a column that is not drawn where the width counts.
NOT_DRAWN = 0

# Of figures with different units, the unit comes first: durations are above counts.
SortValue: TypeAlias = float | tuple[bool, float] | str


def _no_facts(row: object) -> tuple[ReportFact, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class SheetColumn(Generic[R]):
    """Column by its key, as people type it: the words of its cells, and the values they sort by.

    ascending: the lowest, or A, comes first. extra: shown only where rows are sorted by it. short,
    width, weight: of narrow tables. change: of a figure, if that is what its cells say. warned: to
    be seen unless it is 0. facts: what it says of a row to programs.
    """

    key: str
    heading: str
    value: Callable[[R], SortValue | None]
    words: Callable[[R], str]
    ascending: bool = False
    extra: bool = False
    short: str = ""
    width: int = NOT_DRAWN
    weight: int = 0
    change: Callable[[R, Glyphs], Change] | None = None
    warned: bool = False
    facts: Callable[[R], Iterable[ReportFact]] = _no_facts

    @property
    def title(self) -> str:
        """Name for the choice of an order: First response: p90."""
        return self.key.replace("_", " ").replace(":", ": ").capitalize()

    @property
    def figure(self) -> str:
        """Key of the figure that it stands beside, or is."""
        return self.key.partition(":")[0]


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """Sorts rows by the column with this key; reverse: the other way round than at first."""

    key: str
    reverse: bool = False


class FigureTable(NamedTuple):
    """Table as text. remark: how its figures are to be read."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Sheet(Generic[R]):
    """Rows of a table as they are listed. total: a row that stays the last.

    more_columns, more_rows: of what is only in the facts, as it would make a table no clearer.
    """

    columns: Sequence[SheetColumn[R]]
    rows: Sequence[R]
    total: R | None = None
    remark: str = ""
    more_columns: Sequence[SheetColumn[R]] = ()
    more_rows: Sequence[R] = ()

    def facts(self) -> Iterator[ReportFact]:
        """Yield what its columns say of each row, by period: all values for CSV and JSON lines."""
        columns = (*self.columns, *self.more_columns)
        for row in (*self.rows, *self.more_rows):
            facts = (fact for column in columns for fact in column.facts(row))
            yield from sorted(facts, key=lambda fact: (PERIODS.index(fact.period), fact.part or ()))

    def without_table(self) -> "Sheet[R]":
        """The sheet with the same facts, and nothing for tables."""
        columns, rows = (*self.columns, *self.more_columns), (*self.rows, *self.more_rows)
        return Sheet((), (), more_columns=columns, more_rows=rows)

    def column(self, order: ReportOrder | None) -> SheetColumn[R] | None:
        """The column that rows are sorted by; None if the table has no such column."""
        if order is None:
            return None
        if order.key == NAME:
            return self.columns[0]
        return next((column for column in self.columns if column.key == order.key), None)

    def sorted(self, order: ReportOrder | None) -> list[R]:
        """Rows in an order, the total last; as listed if the table does not have its column."""
        rows, column = [*self.rows], self.column(order)
        if column is not None and order is not None:
            if column is not self.columns[0]:
                rows = _sorted(rows, self.columns[0], reverse=False)
            rows = _sorted(rows, column, reverse=order.reverse)
        return rows if self.total is None else [*rows, self.total]

    def shown(self, order: ReportOrder | None) -> list[SheetColumn[R]]:
        """All columns but extra ones that rows are not sorted by."""
        chosen = self.column(order)
        return [column for column in self.columns if not column.extra or column is chosen]

    def fitting(self, room: int, order: ReportOrder | None) -> list[SheetColumn[R]]:
        """Columns beside the first one, by weight as far as `room` goes; none is skipped.

        That of the order, and the figure that it belongs to, come before all others.
        """
        chosen = self.column(order)
        first = {chosen.key: 0, chosen.figure: -1} if chosen else {}
        kept: list[SheetColumn[R]] = []
        drawn = [each for each in self.shown(order)[1:] if each.width != NOT_DRAWN]
        for column in sorted(drawn, key=lambda each: (first.get(each.key, 1), -each.weight)):
            if column.width > room:
                break
            kept.append(column)
            room -= column.width
        return [column for column in self.columns if column in kept]

    def table(self, order: ReportOrder | None) -> FigureTable:
        """The table as text."""
        shown = self.shown(order)
        cells = [tuple(column.words(row) for column in shown) for row in self.sorted(order)]
        return FigureTable(tuple(column.heading for column in shown), cells, self.remark)


def _sorted(rows: Iterable[R], column: SheetColumn[R], *, reverse: bool) -> list[R]:
    return in_order(rows, column.value, descending=column.ascending == reverse)


def in_order(
    rows: Iterable[R], value: Callable[[R], SortValue | None], *, descending: bool
) -> list[R]:
    """Sort rows by their values, words without case and accents; those without one come last."""
    known, unknown = [], []
    for row in rows:
        found = value(row)
        if found is None:
            unknown.append(row)
        else:
            known.append((folded(found) if isinstance(found, str) else found, row))
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return [row for _, row in known] + unknown


def parse_order(text: str) -> ReportOrder:
    """Parse a column as people write it, such as `name`, `First response` or `waiting:change`.

    A - before it is the other way round.
    """
    written = text.strip().casefold()
    key = written.removeprefix("-").strip().replace(" ", "_").replace("-", "_")
    return ReportOrder(key, written[:1] == "-")


def check_order(order: ReportOrder, sheets: Iterable[Sheet[Any]]) -> None:
    """Raise BadSettings, with the columns that there are, unless one of these has the order's."""
    keys = list(dict.fromkeys(column.key for sheet in sheets for column in sheet.columns))
    if order.key in (NAME, *keys):
        return
    plain = ", ".join([NAME, *(key for key in keys if ":" not in key)])
    present = {key.partition(":")[2] for key in keys}
    aspects = ", ".join(f":{aspect}" for aspect in ASPECTS if aspect in present)
    more = f", and after a figure {aspects}" if aspects else ""
    raise BadSettings(f"There is no column {order.key!r} in these tables: there is {plain}{more}")


def relative(now: float | None, then: float | None) -> float | None:
    """Relative change; infinite from 0, None if a value is missing."""
    if now is None or then is None:
        return None
    if then == 0:
        return math.inf if now else 0.0
    return (now - then) / then


# Columns


class Compared(Protocol):
    """A row with the figures of a period, and of the period before."""

    @property
    def name(self) -> str: ...

    @property
    def current(self) -> Measured: ...

    @property
    def previous(self) -> Measured | None: ...

    def facts(self, metric: Metric) -> Iterator[ReportFact]: ...


C = TypeVar("C", bound=Compared)


def figure_columns(
    dimension: Dimension, metrics: Iterable[Metric], rows: Sequence[C]
) -> list[SheetColumn[C]]:
    """Columns of figures, each followed by its change, percentiles and target if a row has them.

    Without rows, they are not known to be missing.
    """
    return [
        column
        for metric in metrics
        for column in (
            _figure_column(dimension, metric),
            *_columns_beside(dimension, metric, rows),
        )
    ]


def _figure_column(dimension: Dimension, metric: Metric) -> SheetColumn[C]:
    heading = metric.short or metric.heading
    return SheetColumn(
        metric.key,
        metric.heading,
        partial(_value, metric.field),
        partial(_words, metric),
        short=metric.short,
        width=max(_TIME if metric.timed else _COUNT, len(heading) + 2),
        weight=dimension.weight(metric.key),
        facts=lambda row: row.facts(metric),
    )


def _other_columns(dimension: Dimension, metrics: Sequence[Metric]) -> list[SheetColumn[Any]]:
    """Columns of the figures that a table does not have."""
    return [_figure_column(dimension, one) for one in BY_FIELD.values() if one not in metrics]


def _columns_beside(
    dimension: Dimension, metric: Metric, rows: Sequence[C]
) -> Iterator[SheetColumn[C]]:
    field = metric.field
    if not rows or any(row.previous for row in rows):
        key = f"{metric.key}:{CHANGE}"
        yield SheetColumn(
            key,
            ASPECTS[CHANGE],
            partial(_change, field),
            partial(_change_words, field),
            extra=field not in dimension.changed,
            short="±",
            width=_CHANGE,
            weight=dimension.weight(key),
            change=partial(_judged, metric),
        )
    if not rows or any(spread_of(row.current, field) for row in rows):
        for name in ("p50", "p90"):
            key = f"{metric.key}:{name}"
            value, words = partial(_percentile, field, name), partial(_spread_words, field, name)
            weight = dimension.weight(key)
            yield SheetColumn(key, ASPECTS[name], value, words, width=_TIME, weight=weight)
    if not rows or any(target_of(row.current, field) for row in rows):
        key = f"{metric.key}:in_time"
        weight = dimension.weight(key)
        value, words = partial(_in_time, field), partial(_late, field)
        yield SheetColumn(key, ASPECTS["in_time"], value, words, width=_SHARE, weight=weight)


def _value(field: str, row: Compared) -> float | None:
    return value_of(row.current, field)


def _words(metric: Metric, row: Compared) -> str:
    return value_words(metric, value_of(row.current, metric.field))


def _change(field: str, row: Compared) -> float | None:
    return relative(value_of(row.current, field), value_of(row.previous, field))


def _change_words(field: str, row: Compared) -> str:
    return change_size(value_of(row.current, field), value_of(row.previous, field)) or NO_VALUE


def _judged(metric: Metric, row: Compared, glyphs: Glyphs) -> Change:
    return judged(metric, row.current, row.previous, glyphs)


def _percentile(field: str, name: str, row: Compared) -> float | None:
    return percentile(spread_of(row.current, field), name)


def _spread_words(field: str, name: str, row: Compared) -> str:
    return percentile_words(spread_of(row.current, field), name)


def _in_time(field: str, row: Compared) -> float | None:
    return share_in_time(target_of(row.current, field))


def _late(field: str, row: Compared) -> str:
    return target_words(target_of(row.current, field))


def percentile(spread: Percentiles | None, name: str) -> float | None:
    """The percentile "p50" or "p90" in seconds."""
    value: float | None = getattr(spread, name, None)
    return value


def share_in_time(target: TargetShare | None) -> float | None:
    """Share of durations within a target, from 0 to 1; None without durations."""
    return target.within / target.samples if target and target.samples else None


def _now_column(
    dimension: Dimension, figure: NowFigure, moment: datetime | None
) -> SheetColumn[BreakdownRow]:
    """Column of what is the case now. moment: at which the longest waits are measured."""
    field = figure.field
    return SheetColumn(
        figure.key,
        f"{figure.heading} now",
        partial(_now, field),
        lambda row: now_words(row.now, field, moment),
        ascending=field == "availability",
        short=figure.heading,
        width=max(_COUNT - 1, len(figure.heading) + 2) + 2 * (field == "availability"),
        weight=dimension.weight(figure.key),
        warned=figure.warned,
        facts=partial(_now_facts, figure),
    )


def _now_facts(figure: NowFigure, row: BreakdownRow) -> Iterator[ReportFact]:
    value = now_value(row.now, figure.field)
    if row.now is not None and (value is not None or not figure.optional):
        yield ReportFact(row.scope, row.name, NOW, figure.field, value)


def _now(field: str, group: BreakdownRow) -> SortValue | None:
    if field == "longest_waiting_since":
        since = group.now.longest_waiting_since_time if group.now else None
        return None if since is None else -since.timestamp()
    return now_value(group.now, field)


def _word_column(heading: str, words: Callable[[R], str], key: str = "") -> SheetColumn[R]:
    return SheetColumn(key or heading_key(heading), heading, words, words, ascending=True)


def _number_column(
    heading: str,
    value: Callable[[R], float | None],
    words: Callable[[R], str],
    facts: Callable[[R], Iterable[ReportFact]] = _no_facts,
) -> SheetColumn[R]:
    return SheetColumn(heading_key(heading), heading, value, words, facts=facts)


def _count_column(
    heading: str, value: Callable[[R], int], facts: Callable[[R], Iterable[ReportFact]] = _no_facts
) -> SheetColumn[R]:
    return _number_column(heading, value, lambda row: f"{value(row):,}", facts)


def _change_column(
    now: Callable[[R], float | None], then: Callable[[R], float | None]
) -> SheetColumn[R]:
    """Column of how far a number without a judgement changed, shown where rows are sorted by it."""
    return SheetColumn(
        CHANGE,
        ASPECTS[CHANGE],
        lambda row: relative(now(row), then(row)),
        lambda row: change_size(now(row), then(row)) or NO_VALUE,
        extra=True,
    )


# Sheets


def sheets(report: Report, zone: tzinfo) -> Iterator[Sheet[Any]]:
    """Yield the tables of a report, but for the one row of live counts.

    Also those that have no rows in this period, so that their columns are known in any period, and
    those that have facts alone: one channel is no table.
    """
    members = report.model_fields_set
    yield metric_sheet(report)
    for dimension in DIMENSIONS.values():
        groups = groups_of(report, dimension.part)
        if groups is not None:
            moment = report.live.as_of_time if report.live else None
            total = all_of(report, dimension.part)
            sheet = group_sheet(dimension, groups, total, moment)
            if total is not None and dimension.part == (
                "teams" if report.users is None else "users"
            ):
                sheet = replace(sheet, more_rows=[replace(total, scope="everyone", name="")])
            least = 2 if dimension.part == "channels" else 0
            is_table = len(sheet.columns) > 1 and len(groups) >= least
            yield sheet if is_table else sheet.without_table()
            yield from pivot_sheets(dimension, groups, total, zone)
    if "outgoing_by_author" in members:
        yield author_sheet(report)
    if report.metrics.model_fields_set.issuperset(RATES[0].among):
        yield rate_sheet(report)
    if "pricing" in members:
        yield pricing_sheet(report)
    if report.hours is not None:
        yield from _hour_sheets(report.hours)
    if report.series or report.previous_series:
        parts = series_sheet(report, zone)
        yield parts if parts.rows else parts.without_table()


def tables(report: Report, zone: tzinfo, order: ReportOrder | None = None) -> Iterator[FigureTable]:
    """Yield the tables of a report as text.

    They are metrics, dimensions, authors, rates, pricing, hours, series and live counts. order: of
    the rows of tables that have its column.

    Raises: BadSettings: no table has the order's column.
    """
    found = [*sheets(report, zone)]
    if order is not None:
        check_order(order, found)
    yield from (sheet.table(order) for sheet in found if sheet.rows)
    if (live := live_sheet(report)) is not None:
        yield live.table(None)


def live_sheet(report: Report) -> Sheet[LiveCounts] | None:
    """What is the case now, in one row; None if it was not sent."""
    if report.live is None:
        return None
    shown = live_figures(report)
    meanings = (f"{one.name.capitalize()}: {one.meaning}" for one in shown if one.meaning)
    return Sheet(
        [_live_column(figure) for figure in shown], [report.live], None, "; ".join(meanings)
    )


def _live_column(figure: LiveFigure) -> SheetColumn[LiveCounts]:
    def facts(counts: LiveCounts) -> list[ReportFact]:
        return [ReportFact("live", "", NOW, figure.field, now_value(counts, figure.field))]

    def words(counts: LiveCounts) -> str:
        return live_words(counts, figure)

    return SheetColumn(figure.field, figure.heading, words, words, facts=facts)


def metric_sheet(report: Report | None, glyphs: Glyphs = BLOCKS) -> Sheet[Figure]:
    """The figures of all, a row for each: its value, what stands beside it, and the one before."""
    figures = figures_of(report, glyphs=glyphs) if report else []
    others = [each for each in all_figures(report) if each not in figures] if report else []
    this, before = (report.metrics, report.previous) if report else (None, None)
    columns: list[SheetColumn[Figure]] = [
        _word_column("Metric", lambda figure: figure.metric.name),
        SheetColumn(
            "this",
            "This",
            lambda figure: _with_unit(figure.metric, figure.now),
            _this,
            width=9,
            facts=lambda figure: facts_in(this, figure.metric, "all", "", THIS),
        ),
    ]
    if any(figure.spread for figure in figures):
        for name in ("p50", "p90"):
            value, words = partial(_percentile_of, name), partial(_percentile_words, name)
            columns.append(SheetColumn(name, name, value, words, width=_TIME, weight=-1))
    if any(figure.target for figure in figures):
        columns.append(
            SheetColumn(
                "in_time",
                ASPECTS["in_time"],
                lambda figure: share_in_time(figure.target),
                lambda figure: target_words(figure.target) if figure.target else "",
                width=_SHARE,
                weight=-2,
            )
        )
    columns += [
        SheetColumn(
            "previous",
            "Previous",
            lambda figure: _with_unit(figure.metric, figure.then),
            lambda figure: value_words(figure.metric, figure.then),
            short="Before",
            width=9,
            facts=lambda figure: facts_in(before, figure.metric, "all", "", PREVIOUS),
        ),
        SheetColumn(
            CHANGE,
            ASPECTS[CHANGE],
            lambda figure: relative(figure.now, figure.then),
            lambda figure: figure.change.words,
            width=_CHANGE + 2,
            weight=1,
            change=lambda figure, glyphs: figure.change,
        ),
    ]
    if any(figure.samples is not None for figure in figures):
        columns.append(SheetColumn("samples", "Samples", attrgetter("samples"), _samples))
    return Sheet(columns, figures, more_rows=others)


def _this(figure: Figure) -> str:
    return value_words(figure.metric, figure.now)


def _percentile_of(name: str, figure: Figure) -> float | None:
    return percentile(figure.spread, name)


def _percentile_words(name: str, figure: Figure) -> str:
    return percentile_words(figure.spread, name) if figure.metric.timed else ""


def _samples(figure: Figure) -> str:
    return "" if figure.samples is None else f"{figure.samples:,}"


def _with_unit(metric: Metric, value: float | None) -> tuple[bool, float] | None:
    return None if value is None else (metric.timed, value)


def group_sheet(
    dimension: Dimension,
    groups: Sequence[BreakdownRow],
    total: BreakdownRow | None,
    moment: datetime | None,
) -> Sheet[BreakdownRow]:
    """Rows of a dimension: what is the case now, then each figure with what belongs to it.

    That is the change of some figures and of what rows are sorted by, percentiles and target. All
    figures without rows. total: the row of all, left out beside a single row.
    """
    shown = [group.current for group in groups]
    metrics = shown_metrics(dimension.metrics, shown) if groups else dimension.metrics
    of_now = now_figures(groups)
    columns = [
        _word_column(dimension.heading, attrgetter("name")),
        *(_now_column(dimension, figure, moment) for figure in of_now),
        *figure_columns(dimension, metrics, groups),
    ]
    more = [_now_column(dimension, one, moment) for one in NOW_FIGURES if one not in of_now]
    more += _other_columns(dimension, metrics)
    total = total if len(groups) > 1 else None
    return Sheet(columns, groups, total, dimension.remark, more)


def author_sheet(report: Report) -> Sheet[tuple[str, int]]:
    """Messages by author."""
    columns: list[SheetColumn[tuple[str, int]]] = [
        _word_column("Sent by", lambda author: author_name(author[0])),
        _count_column("Messages", itemgetter(1), _author_facts),
    ]
    return Sheet(columns, [*report.outgoing_by_author.items()])


def _author_facts(author: tuple[str, int]) -> list[ReportFact]:
    name, count = author
    return [ReportFact("author", name, THIS, "outgoing_messages_count", count)]


def rate_sheet(report: Report) -> Sheet[Rate]:
    """Shares of what the AI ended."""

    def now(rate: Rate) -> float | None:
        return rate.of(report.metrics)

    def then(rate: Rate) -> float | None:
        return rate.of(report.previous)

    columns: list[SheetColumn[Rate]] = [
        _word_column("Share", attrgetter("label")),
        _rate_column("This", now, THIS),
        _rate_column("Previous", then, PREVIOUS),
        _change_column(now, then),
    ]
    remark = "Of the conversations that the AI ended: it resolved them, or handed them to a human."
    sheet = Sheet(columns, RATES, remark=remark)
    is_table = any(now(rate) is not None for rate in RATES)
    return sheet if is_table else replace(sheet, rows=(), more_rows=RATES)


def _rate_column(
    heading: str, share: Callable[[Rate], float | None], period: str
) -> SheetColumn[Rate]:
    def facts(rate: Rate) -> Iterator[ReportFact]:
        if (value := share(rate)) is not None:
            yield ReportFact("all", "", period, rate.name, round(value, 4))

    return _number_column(heading, share, lambda rate: rate_words(share(rate)), facts)


class Charged(NamedTuple):
    """Messages that are charged alike. words: of PRICED_BY. sent: None of sums."""

    words: tuple[str, ...]
    messages: int
    billable: int
    previous: int
    sent: PricingCount | None = None

    @classmethod
    def of(cls, count: PricingCount) -> "Charged":
        channel = first_non_blank(count.channel.name, count.channel.id, NO_VALUE)
        words = (*map(one_line, pricing_words(count)), one_line(channel), author_name(count.author))
        return cls(words, count.count, count.billable_count, count.previous_count, count)

    def facts(self, figure: str) -> Iterator[ReportFact]:
        """Yield `count` or `billable_count` of both periods."""
        if (count := self.sent) is not None:
            channel = first_non_blank(count.channel.name, count.channel.id)
            name = ", ".join((channel, count.author, *pricing_words(count)))
            yield ReportFact("pricing", name, THIS, figure, getattr(count, figure))
            yield ReportFact(
                "pricing", name, PREVIOUS, figure, getattr(count, f"previous_{figure}")
            )

    def word(self, at: int) -> str:
        return self.words[at]


def pricing_sheet(report: Report) -> Sheet[Charged]:
    """What messages are charged as, with the sums, and how many have no price."""
    rows = [Charged.of(count) for count in report.pricing]
    total = Charged(
        ("All", *("" for _ in PRICED_BY[1:])),
        sum(row.messages for row in rows),
        sum(row.billable for row in rows),
        sum(row.previous for row in rows),
    )
    sent = value_of(report.metrics, "outgoing_messages_count")
    unpriced = 0 if sent is None else max(0, round(sent) - total.messages)
    remark = f"Messages sent of which no price category is known: {unpriced:,}" if unpriced else ""
    messages, previous = attrgetter("messages"), attrgetter("previous")
    columns: list[SheetColumn[Charged]] = [
        *(_word_column(name, partial(Charged.word, at=at)) for at, name in enumerate(PRICED_BY)),
        _count_column("Messages", messages, lambda row: row.facts("count")),
        _count_column("Billable", attrgetter("billable"), lambda row: row.facts("billable_count")),
        _count_column("Previous", previous),
        _change_column(messages, previous),
    ]
    return Sheet(columns, rows, total if len(rows) > 1 else None, remark)


class _Hour(NamedTuple):
    """An hour of the day, with a value for each weekday."""

    start: str
    values: tuple[float | None, ...]
    period: str = THIS

    def value(self, at: int) -> float | None:
        return self.values[at]


def _hour_sheets(hours: Hours) -> Iterator[Sheet[_Hour]]:
    """A row for each hour, a column for each weekday."""
    before = hours.previous or HourGrid()
    received, answered = BY_FIELD["incoming_messages_count"], BY_FIELD["avg_first_response_time"]
    yield _hour_sheet(received, hours.received, before.received)
    yield _hour_sheet(answered, hours.avg_first_response_time, before.avg_first_response_time)


def _hour_sheet(
    metric: Metric,
    grid: Sequence[Sequence[float | None]],
    before: Sequence[Sequence[float | None]],
) -> Sheet[_Hour]:
    def words(at: int, hour: _Hour) -> str:
        return value_words(metric, hour.value(at))

    def facts(at: int, hour: _Hour) -> Iterator[ReportFact]:
        if at < len(hour.values):
            name = f"{WEEKDAYS[at]} {hour.start}"
            yield ReportFact("hour", name, hour.period, metric.field, hour.value(at))

    days: list[SheetColumn[_Hour]] = [
        _number_column(day, partial(_Hour.value, at=at), partial(words, at), partial(facts, at))
        for at, day in enumerate(WEEKDAYS)
    ]
    first: SheetColumn[_Hour] = _word_column(metric.name, attrgetter("start"), "hour")
    shown = [first, *days[: len(grid)]]
    return Sheet(
        shown,
        _hours_of(grid, THIS),
        more_columns=days[len(grid) :],
        more_rows=_hours_of(before, PREVIOUS),
    )


def _hours_of(grid: Sequence[Sequence[float | None]], period: str) -> list[_Hour]:
    """The hours that each weekday has."""
    return [
        _Hour(f"{number:02}:00", values, period)
        for number, values in enumerate(zip(*grid, strict=False))
    ]


class Part(NamedTuple):
    """A part of a series, and the one before that it is compared with. dates: its own."""

    name: str
    current: Metrics
    previous: Metrics | None
    period: str = THIS
    dates: tuple[str, str] | None = None

    def facts(self, metric: Metric) -> Iterator[ReportFact]:
        """Yield the facts of a metric in it alone."""
        return facts_in(self.current, metric, "part", "", self.period, self.dates)


# Parts of a period have figures as channels have them.
_PARTS = Dimension("series", "part", "From", tuple(m.field for m in LISTED), CHANGED, (), "from")


def _starts(series: Sequence[Bucket] | Sequence[PersonBucket], zone: tzinfo) -> list[str]:
    """Starts of parts of a period in `zone`, without the time if all begin at midnight."""
    starts = [local_time(part.start, zone) for part in series]
    if all(start.endswith(" 00:00") for start in starts):
        starts = [start.removesuffix(" 00:00") for start in starts]
    return starts


def pivot_sheets(
    dimension: Dimension, groups: Sequence[BreakdownRow], total: BreakdownRow | None, zone: tzinfo
) -> Iterator[Sheet[BreakdownRow]]:
    """A table for each figure of persons, with a column for each part of the period, and its own.

    Without a choice of figures, those of PIVOTED. Rows without one but 0 are left out.
    """
    parts = max((group.series for group in groups), key=len, default=())
    if not parts:
        return
    metrics = shown_metrics(dimension.metrics, [parts[0].metrics])
    is_whole = {*dimension.fields} - {metric.field for metric in metrics} <= {
        REOPENED_IN_7_DAYS.field
    }
    for metric in metrics:
        if is_whole and metric.field not in PIVOTED:
            continue
        columns: list[SheetColumn[BreakdownRow]] = [
            _word_column(metric.name, attrgetter("name"), dimension.scope),
            *(
                SheetColumn(
                    start.replace("-", "_"),
                    start,
                    partial(_part_value, metric.field, at),
                    partial(_part_words, metric, at),
                )
                for at, start in enumerate(_starts(parts, zone))
            ),
            SheetColumn("period", "Period", partial(_value, metric.field), partial(_words, metric)),
        ]
        rows = [group for group in groups if any(column.value(group) for column in columns[1:])]
        yield Sheet(columns, rows, total if len(rows) > 1 else None)


def _part_value(field: str, at: int, row: BreakdownRow) -> float | None:
    return value_of(row.series[at].metrics, field) if at < len(row.series) else None


def _part_words(metric: Metric, at: int, row: BreakdownRow) -> str:
    return value_words(metric, _part_value(metric.field, at, row))


def parts_of(report: Report, zone: tzinfo) -> list[Part]:
    """Parts of the period, each beside the one of the period before."""
    series = report.series or ()
    before = [part.metrics for part in report.previous_series or ()][: len(series)]
    starts = _starts(series, zone)
    return [
        Part(start, part.metrics, then, dates=(part.start, part.end))
        for start, (part, then) in zip(starts, zip_longest(series, before), strict=True)
    ]


def series_sheet(report: Report, zone: tzinfo) -> Sheet[Part]:
    """Parts of the period, each beside the one of the period before."""
    parts = parts_of(report, zone)
    metrics = shown_metrics(LISTED, [part.current for part in parts])
    first: SheetColumn[Part] = _word_column("From", attrgetter("name"), "from")
    before = [
        Part("", part.metrics, None, PREVIOUS, (part.start, part.end))
        for part in report.previous_series or ()
    ]
    columns = [first, *figure_columns(_PARTS, metrics, parts)]
    return Sheet(columns, parts, more_columns=_other_columns(_PARTS, metrics), more_rows=before)
