"""Exports reports: one row per value for CSV and JSON lines, tables for people, JSON, Markdown."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from itertools import zip_longest
from operator import attrgetter, itemgetter
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from frontdesk.exports.tables import (
    Cell,
    Column,
    csv_text,
    json_text,
    local_time,
    markdown_cell,
    markdown_table,
)
from frontdesk.reports.metrics import (
    BREAKDOWNS,
    BY_FIELD,
    CHANGED,
    METRICS,
    NO_VALUE,
    NOW_FIGURES,
    OPTIONAL_NOW,
    RATES,
    TARGETS,
    WEEKDAYS,
    Breakdown,
    BreakdownRow,
    Figure,
    Measured,
    Metric,
    Rate,
    all_of,
    author_name,
    change_size,
    figures_of,
    groups_of,
    live_figures,
    live_words,
    now_figures,
    now_value,
    now_words,
    percentile_words,
    pricing_words,
    rate_words,
    samples_in,
    shown_metrics,
    spread_of,
    target_of,
    target_words,
    time_words,
    value_of,
    value_words,
)
from frontdesk.reports.sorting import (
    CHANGE,
    NOW_KEYS,
    C,
    Compared,
    ReportOrder,
    SortColumn,
    breakdown_metrics,
    check_order,
    column_of,
    figure_columns,
    group_columns,
    heading_key,
    metric_columns,
    relative,
    sort_rows,
)
from frontdesk.text.clean import first_non_blank, one_line
from frontdesk.wire.reports import (
    HourGrid,
    Hours,
    LiveCounts,
    Metrics,
    PersonNow,
    PricingCount,
    Report,
)

Row: TypeAlias = tuple[str | float | None, ...]

ENDINGS = ("csv", "json", "md")
NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")
COLUMNS: tuple[Column[dict[str, Cell]], ...] = tuple(
    Column(name, itemgetter(name)) for name in NAMES
)
_ASPECT_HEADINGS = {CHANGE: "Change", "p50": "p50", "p90": "p90", "in_time": "In time"}
BESIDE_MEAN = tuple(_ASPECT_HEADINGS.values())
PRICED_BY = ("Charged as", "Type", "Channel", "Sent by")
R = TypeVar("R")


class FigureTable(NamedTuple):
    """Table for people. remark: how its figures are to be read."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    remark: str = ""


def rows(report: Report) -> Iterator[Row]:
    """Rows of a report, with columns as in NAMES.

    scope: all, channel, user, team, label, ad, everyone, author, pricing, part, hour or live.
    period: this, previous or now. Times are in seconds.
    """
    zone = report.period.timezone
    this: Row = ("this", report.period.from_, report.period.to, zone)
    previous = report.previous_period
    start, end = (previous.from_, previous.to) if previous else (None, None)
    that: Row = ("previous", start, end, zone)
    yield from _figures(("all", "", *this), report.metrics)
    yield from _rates(("all", "", *this), report.metrics)
    if report.previous:
        yield from _figures(("all", "", *that), report.previous)
        yield from _rates(("all", "", *that), report.previous)
    for part in BREAKDOWNS:
        for group in groups_of(report, part) or ():
            yield from _group(group, this, that, report)
    if (every := all_of(report, "users")) is not None:
        yield from _group(replace(every, scope="everyone", name=""), this, that, report)
    for author, count in report.outgoing_by_author.items():
        yield ("author", author, *this, "outgoing_messages_count", count, None)
    yield from _pricing(report, this, that)
    for period, buckets in (("this", report.series), ("previous", report.previous_series)):
        for bucket in buckets or ():
            when = (period, bucket.start, bucket.end, zone)
            yield from _figures(("part", "", *when), bucket.metrics)
    hours = report.hours or Hours()
    yield from _hours(hours, this)
    yield from _hours(hours.previous or HourGrid(), that)
    if report.live is not None:
        yield from _live(report, report.live)


def _group(group: BreakdownRow, this: Row, that: Row, report: Report) -> Iterator[Row]:
    what = (group.scope, group.name)
    yield from _figures((*what, *this), group.current)
    if group.previous:
        yield from _figures((*what, *that), group.previous)
    if group.now:
        yield from _now(what, group.now, report)


def _rates(what: Row, metrics: Measured) -> Iterator[Row]:
    for rate in RATES:
        share = rate.of(metrics)
        if share is not None:
            yield (*what, rate.name, round(share, 4), None)


def _now(what: Row, now: PersonNow, report: Report) -> Iterator[Row]:
    as_of = report.live.as_of if report.live else None
    when = ("now", as_of, as_of, report.period.timezone)
    for field in NOW_FIGURES:
        value = now_value(now, field)
        if value is not None or field not in OPTIONAL_NOW:
            yield (*what, *when, field, value, None)


def _hours(grid: HourGrid, when: Row) -> Iterator[Row]:
    for field, cells in (
        ("incoming_messages_count", grid.received),
        ("avg_first_response_time", grid.avg_first_response_time),
    ):
        for day, row in zip(WEEKDAYS, cells, strict=False):
            for hour, value in enumerate(row):
                yield ("hour", f"{day} {hour:02}:00", *when, field, value, None)


def _pricing(report: Report, this: Row, that: Row) -> Iterator[Row]:
    for count in report.pricing:
        name = ", ".join(
            (
                first_non_blank(count.channel.name, count.channel.id),
                count.author,
                *pricing_words(count),
            )
        )
        yield ("pricing", name, *this, "count", count.count, None)
        yield ("pricing", name, *this, "billable_count", count.billable_count, None)
        yield ("pricing", name, *that, "count", count.previous_count, None)
        yield ("pricing", name, *that, "billable_count", count.previous_billable_count, None)


def _live(report: Report, counts: LiveCounts) -> Iterator[Row]:
    now = ("now", counts.as_of, counts.as_of, report.period.timezone)
    for live in live_figures(report):
        yield ("live", "", *now, live.field, now_value(counts, live.field), None)


def _figures(what: Row, metrics: Measured) -> Iterator[Row]:
    for metric in BY_FIELD.values():
        if metric.field in metrics.model_fields_set:
            samples = samples_in(metrics, metric.field) if metric.timed else None
            yield (*what, metric.field, value_of(metrics, metric.field), samples)
            yield from _spread(what, metrics, metric.field)


def _spread(what: Row, metrics: Measured, field: str) -> Iterator[Row]:
    """Percentiles of a mean, and how many are within its target."""
    if spread := spread_of(metrics, field):
        about = "approximate_" if spread.approximate else ""
        for name in ("p50", "p90"):
            yield (*what, about + field.replace("avg", name), getattr(spread, name), None)
    if target := target_of(metrics, field):
        about = "approximate_" if target.approximate else ""
        figure = f"{about}{TARGETS[field]}_within_{target.target_seconds}s"
        yield (*what, figure, target.within, target.samples)


def records(report: Report) -> Iterator[dict[str, Cell]]:
    """Yield the report's rows as mappings."""
    for row in rows(report):
        yield dict(zip(NAMES, row, strict=True))


class TableColumn(NamedTuple, Generic[R]):
    """Column of a table for people: its cells, and how rows are sorted by it.

    extra: shown only where rows are sorted by it.
    """

    heading: str
    cell: Callable[[R], str]
    sort: SortColumn[R]
    extra: bool = False


@dataclass(frozen=True, slots=True)
class SortableTable(Generic[R]):
    """Rows of a table as they are listed. total: a row that stays the last."""

    columns: Sequence[TableColumn[R]]
    rows: Sequence[R]
    total: R | None = None
    remark: str = ""

    @property
    def sort_columns(self) -> list[SortColumn[R]]:
        return [column.sort for column in self.columns]

    def sorted(self, order: ReportOrder | None) -> FigureTable:
        """The table as text, its rows in an order if it has that column."""
        chosen = column_of(self.sort_columns, order)
        shown = [column for column in self.columns if not column.extra or column.sort is chosen]
        rows = sort_rows(self.rows, self.sort_columns, order)
        rows += [self.total] if self.total is not None else []
        cells = [tuple(column.cell(row) for column in shown) for row in rows]
        return FigureTable(tuple(column.heading for column in shown), cells, self.remark)


def tables(report: Report, zone: tzinfo, order: ReportOrder | None = None) -> Iterator[FigureTable]:
    """Yield the tables of a report.

    They are metrics, breakdowns, authors, rates, pricing, hours, series and live counts. order: of
    the rows of tables that have its column.

    Raises: BadSettings: no table has the order's column.
    """
    sortable = [*_sortable_tables(report, zone)]
    if order is not None:
        check_order(order, [column for table in sortable for column in table.sort_columns])
    yield from (table.sorted(order) for table in sortable if table.rows)
    if (live := report.live) is not None:
        shown = live_figures(report)
        row = tuple(live_words(live, figure) for figure in shown)
        meanings = (f"{one.name.capitalize()}: {one.meaning}" for one in shown if one.meaning)
        yield FigureTable(tuple(one.heading for one in shown), [row], "; ".join(meanings))


def _sortable_tables(report: Report, zone: tzinfo) -> Iterator[SortableTable[Any]]:
    """Yield the tables of a report, but for the one row of live counts.

    Also those that have no rows in this period, so that their columns are known in any period.
    """
    members = report.model_fields_set
    yield _metric_table(report)
    yield from _group_tables(report)
    if "outgoing_by_author" in members:
        yield _author_table(report)
    if report.metrics.model_fields_set.issuperset(RATES[0].among):
        yield _rate_table(report)
    if "pricing" in members:
        yield _pricing_table(report)
    if report.hours is not None:
        yield from _hour_tables(report.hours)
    yield from _series_tables(report, zone)


def _column(heading: str, cell: Callable[[R], str], value: Callable[[R], Any]) -> TableColumn[R]:
    return TableColumn(heading, cell, SortColumn(heading_key(heading), value))


def _word_column(heading: str, cell: Callable[[R], str], key: str = "") -> TableColumn[R]:
    return TableColumn(heading, cell, SortColumn(key or heading_key(heading), cell, ascending=True))


def _count_column(heading: str, value: Callable[[R], int]) -> TableColumn[R]:
    return _column(heading, lambda row: f"{value(row):,}", value)


class _Hour(NamedTuple):
    """An hour of the day, with a value for each weekday."""

    start: str
    values: tuple[float | None, ...]

    def value(self, at: int) -> float | None:
        return self.values[at]


class _Part(NamedTuple):
    """A part of a series, and the one before that it is compared with."""

    start: str
    current: Metrics
    previous: Metrics | None


def _series_tables(report: Report, zone: tzinfo) -> Iterator[SortableTable[_Part]]:
    series = report.series
    if not series:
        return
    before = [part.metrics for part in report.previous_series or ()][: len(series)]
    starts = [local_time(part.start, zone) for part in series]
    if all(start.endswith(" 00:00") for start in starts):
        starts = [start.removesuffix(" 00:00") for start in starts]
    parts = [
        _Part(start, part.metrics, then)
        for start, (part, then) in zip(starts, zip_longest(series, before), strict=True)
    ]
    metrics = shown_metrics(METRICS, [part.metrics for part in series])
    first = _word_column("From", attrgetter("start"), "from")
    yield SortableTable([first, *_figure_columns(metrics, parts, CHANGED)], parts)


def _group_tables(report: Report) -> Iterator[SortableTable[BreakdownRow]]:
    for breakdown in BREAKDOWNS.values():
        groups = groups_of(report, breakdown.part)
        if groups is not None and (breakdown.part != "channels" or len(groups) > 1):
            table = _group_table(breakdown, groups, report)
            if len(table.columns) > 1:
                yield table


def _hour_tables(grid: HourGrid) -> Iterator[SortableTable[_Hour]]:
    received, answered = BY_FIELD["incoming_messages_count"], BY_FIELD["avg_first_response_time"]
    yield _hour_table(received.name, grid.received, "{:,}".format)
    times = grid.avg_first_response_time
    yield _hour_table(answered.name, times, time_words)


def _metric_table(report: Report) -> SortableTable[Figure]:
    figures = figures_of(report)
    headings: Mapping[str, tuple[str, Callable[[Figure], str]]] = {
        "metric": ("Metric", lambda figure: figure.metric.name),
        "this": ("This", lambda figure: value_words(figure.metric, figure.now)),
        "p50": ("p50", partial(_percentile_words, "p50")),
        "p90": ("p90", partial(_percentile_words, "p90")),
        "in_time": (
            "In time",
            lambda figure: target_words(figure.target) if figure.target else "",
        ),
        "previous": ("Previous", lambda figure: value_words(figure.metric, figure.then)),
        CHANGE: ("Change", lambda figure: figure.change.words),
        "samples": (
            "Samples",
            lambda figure: "" if figure.samples is None else f"{figure.samples:,}",
        ),
    }
    columns = [TableColumn(*headings[column.key], column) for column in metric_columns(figures)]
    return SortableTable(columns, figures)


def _percentile_words(name: str, figure: Figure) -> str:
    return percentile_words(figure.spread, name) if figure.metric.timed else ""


def _author_table(report: Report) -> SortableTable[tuple[str, int]]:
    sent = [*report.outgoing_by_author.items()]
    return SortableTable(
        [
            _word_column("Sent by", lambda author: author_name(author[0])),
            _count_column("Messages", itemgetter(1)),
        ],
        sent,
    )


def _rate_table(report: Report) -> SortableTable[Rate]:
    def now(rate: Rate) -> float | None:
        return rate.of(report.metrics)

    def then(rate: Rate) -> float | None:
        return rate.of(report.previous)

    columns: list[TableColumn[Rate]] = [
        _word_column("Share", attrgetter("label")),
        _column("This", lambda rate: rate_words(now(rate)), now),
        _column("Previous", lambda rate: rate_words(then(rate)), then),
        _change_column(now, then),
    ]
    remark = "Of the conversations that the AI ended: it resolved them, or handed them to a human."
    rates = RATES if any(now(rate) is not None for rate in RATES) else ()
    return SortableTable(columns, rates, remark=remark)


def _change_column(
    now: Callable[[R], float | None], then: Callable[[R], float | None]
) -> TableColumn[R]:
    """Column of how far a number without a judgement changed, shown where rows are sorted by it."""
    sort: SortColumn[R] = SortColumn(CHANGE, lambda row: relative(now(row), then(row)))
    return TableColumn(
        "Change", lambda row: change_size(now(row), then(row)) or NO_VALUE, sort, extra=True
    )


class _Charged(NamedTuple):
    """Messages that are charged alike."""

    words: tuple[str, ...]
    messages: int
    billable: int
    previous: int

    def word(self, at: int) -> str:
        return self.words[at]


def _pricing_table(report: Report) -> SortableTable[_Charged]:
    """What messages are charged as, with the sums, and how many have no price."""
    rows = [_charged(count) for count in report.pricing]
    total = _Charged(
        ("All", *("" for _ in PRICED_BY[1:])),
        sum(row.messages for row in rows),
        sum(row.billable for row in rows),
        sum(row.previous for row in rows),
    )
    sent = value_of(report.metrics, "outgoing_messages_count")
    unpriced = 0 if sent is None else max(0, round(sent) - total.messages)
    remark = f"Messages sent of which no price category is known: {unpriced:,}" if unpriced else ""
    messages, previous = attrgetter("messages"), attrgetter("previous")
    columns: list[TableColumn[_Charged]] = [
        *(
            _word_column(heading, partial(_Charged.word, at=at))
            for at, heading in enumerate(PRICED_BY)
        ),
        _count_column("Messages", messages),
        _count_column("Billable", attrgetter("billable")),
        _count_column("Previous", previous),
        _change_column(messages, previous),
    ]
    return SortableTable(columns, rows, total if len(rows) > 1 else None, remark)


def _charged(count: PricingCount) -> _Charged:
    channel = first_non_blank(count.channel.name, count.channel.id, NO_VALUE)
    words = (*map(one_line, pricing_words(count)), one_line(channel), author_name(count.author))
    return _Charged(words, count.count, count.billable_count, count.previous_count)


def _group_table(
    breakdown: Breakdown, groups: Sequence[BreakdownRow], report: Report
) -> SortableTable[BreakdownRow]:
    """Rows of a breakdown: what is the case now, then each figure with what belongs to it.

    That is the change of some figures and of what rows are sorted by, percentiles and target.
    """
    moment = report.live.as_of_time if report.live else None
    now = {
        NOW_KEYS[field]: (f"{heading} now", partial(_now_cell, field, moment))
        for field, heading in now_figures(groups).items()
    }
    first, *others = group_columns(breakdown, groups)
    current = [TableColumn(*now[column.key], column) for column in others if column.key in now]
    metrics = breakdown_metrics(breakdown, groups)
    columns = [
        TableColumn(breakdown.heading, attrgetter("name"), first),
        *current,
        *_figure_columns(metrics, groups, breakdown.changed),
    ]
    total = all_of(report, breakdown.part) if len(groups) > 1 else None
    return SortableTable(columns, groups, total, breakdown.remark)


def _figure_columns(
    metrics: Sequence[Metric], rows: Sequence[C], changed: Collection[str]
) -> list[TableColumn[C]]:
    """Columns of figures and what belongs to them. changed: fields that always have a change."""
    columns: list[TableColumn[C]] = []
    for metric in metrics:
        for sort in figure_columns([metric], rows):
            aspect = sort.key.partition(":")[2]
            extra = aspect == CHANGE and metric.field not in changed
            heading = _ASPECT_HEADINGS.get(aspect, metric.heading)
            columns.append(TableColumn(heading, partial(_cell, metric, aspect), sort, extra))
    return columns


def _cell(metric: Metric, aspect: str, row: Compared) -> str:
    """A figure of a row, or the aspect of it."""
    match aspect:
        case "change":
            now, then = value_of(row.current, metric.field), value_of(row.previous, metric.field)
            return change_size(now, then) or NO_VALUE
        case "p50" | "p90":
            return percentile_words(spread_of(row.current, metric.field), aspect)
        case "in_time":
            return target_words(target_of(row.current, metric.field))
    return value_words(metric, value_of(row.current, metric.field))


def _now_cell(field: str, moment: datetime | None, group: BreakdownRow) -> str:
    return now_words(group.now, field, moment)


def _hour_table(
    name: str, grid: Sequence[Sequence[float | None]], words: Callable[[float], str]
) -> SortableTable[_Hour]:
    """A row for each hour, a column for each weekday."""

    def cell(at: int, hour: _Hour) -> str:
        value = hour.value(at)
        return NO_VALUE if value is None else words(value)

    hours = [
        _Hour(f"{number:02}:00", values) for number, values in enumerate(zip(*grid, strict=True))
    ]
    days: list[TableColumn[_Hour]] = [
        _column(day, partial(cell, at), partial(_Hour.value, at=at))
        for at, day in enumerate(WEEKDAYS[: len(grid)])
    ]
    return SortableTable([_word_column(name, attrgetter("start"), "hour"), *days], hours)


def title(report: Report, zone: tzinfo) -> str:
    """The period, its time zone and channel; on a second line the previous period."""
    period, before = report.period, report.previous_period
    words = f"{local_time(period.from_, zone)} – {local_time(period.to, zone)} ({period.timezone})"
    if report.channel:
        names = {row.channel.id: row.channel.name for row in report.channels}
        name = one_line(names.get(report.channel) or report.channel)
        words += f", channel {name}"
    words += subject_words(report)
    if report.clock is not None:
        words += f", {report.clock} hours"
    if before:
        words += f"\nprevious: {local_time(before.from_, zone)} – {local_time(before.to, zone)}"
    return words


def subject_words(report: Report) -> str:
    """The user, team or label that a report is of: ", user Ana"; "" for all."""
    for name, ref in (("user", report.user), ("team", report.team)):
        if ref is not None:
            return f", {name} {one_line(ref.name or ref.id or '')}"
    return f", label {one_line(report.label)}" if report.label is not None else ""


def markdown(report: Report, zone: tzinfo, order: ReportOrder | None = None) -> str:
    """The report as a Markdown document; times in `zone`. order: as of `tables`."""
    heading = "  \n".join(map(markdown_cell, title(report, zone).split("\n")))
    parts = []
    for headings, lines, remark in tables(report, zone, order):
        parts += [markdown_table(headings, lines), *filter(None, [remark])]
    return "\n\n".join(["# Inbox report", heading, *parts]) + "\n"


def default_name(report: Report, zone: tzinfo) -> str:
    """Default file name, with the period: inbox-report-2026-03-08-2026-03-14.csv."""
    start, end = report.period.from_time, report.period.to_time
    if start is None or end is None:
        return "inbox-report.csv"
    last = (end - timedelta(seconds=1)).astimezone(zone).date()
    return f"inbox-report-{start.astimezone(zone).date()}-{last}.csv"


def exported(report: Report, ending: str, zone: tzinfo) -> str:
    """The report in the format of a file extension, one of ENDINGS; Markdown has times in `zone`.

    CSV and JSON give durations in seconds; CSV begins with a byte order mark.
    """
    match ending:
        case "csv":
            return csv_text(records(report), COLUMNS, line_end="\n")
        case "json":
            return json_text(report)
    return markdown(report, zone)
