"""Exports reports: one row per value for CSV and JSON lines, tables for people, JSON, Markdown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from itertools import zip_longest
from operator import itemgetter
from typing import NamedTuple, TypeAlias

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
    METRICS,
    NO_VALUE,
    NOW_FIGURES,
    OPTIONAL_NOW,
    RATES,
    TARGETS,
    WEEKDAYS,
    Breakdown,
    BreakdownRow,
    Measured,
    Metric,
    all_of,
    author_name,
    change,
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
    samples_of,
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
    ReportOrder,
    has_order,
    sorted_figures,
    sorted_groups,
    sorted_measured,
)
from frontdesk.text.clean import first_non_blank, one_line
from frontdesk.wire.reports import (
    Bucket,
    HourGrid,
    Hours,
    LiveCounts,
    Metrics,
    Percentiles,
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
BESIDE_MEAN = ("Change", "p50", "p90", "In time")
PRICED_BY = ("Charged as", "Type", "Channel", "Sent by")
_PRICING = (*PRICED_BY, "Messages", "Billable", "Previous")


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
    yield from _figures(("all", "", *this), report.metrics, report.series)
    yield from _rates(("all", "", *this), report.metrics)
    if report.previous:
        yield from _figures(("all", "", *that), report.previous, report.previous_series)
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
            yield from _figures(("part", "", *when), bucket.metrics, [bucket])
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


def _figures(what: Row, metrics: Measured, series: Sequence[Bucket] | None = None) -> Iterator[Row]:
    for metric in BY_FIELD.values():
        if metric.field in metrics.model_fields_set:
            samples = samples_of(series, metric.field) if metric.timed else None
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


def tables(report: Report, zone: tzinfo, order: ReportOrder | None = None) -> Iterator[FigureTable]:
    """Yield the tables of a report.

    They are metrics, breakdowns, authors, rates, pricing, hours, series and live counts. order: of
    the rows of tables that have its column.
    """
    yield _metric_table(report, order)
    yield from _group_tables(report, order)
    if report.outgoing_by_author:
        sent = report.outgoing_by_author.items()
        counts = [(author_name(author), f"{n:,}") for author, n in sent]
        yield FigureTable(("Sent by", "Messages"), counts)
    if any(rate.of(report.metrics) is not None for rate in RATES):
        yield _rate_table(report)
    if report.pricing:
        yield _pricing_table(report)
    if report.hours is not None:
        yield from _hour_tables(report.hours)
    yield from _series_tables(report, zone, order)
    if (live := report.live) is not None:
        shown = live_figures(report)
        row = tuple(live_words(live, figure) for figure in shown)
        meanings = (f"{one.name.capitalize()}: {one.meaning}" for one in shown if one.meaning)
        yield FigureTable(tuple(one.heading for one in shown), [row], "; ".join(meanings))


def _series_tables(
    report: Report, zone: tzinfo, order: ReportOrder | None
) -> Iterator[FigureTable]:
    for name, series in (("From", report.series), ("Previous, from", report.previous_series)):
        if not series:
            continue
        starts = [local_time(part.start, zone) for part in series]
        if all(start.endswith(" 00:00") for start in starts):
            starts = [start.removesuffix(" 00:00") for start in starts]
        metrics = shown_metrics(METRICS, [part.metrics for part in series])
        lines = [
            (start, *_values(part.metrics, metrics))
            for start, part in zip(starts, series, strict=True)
        ]
        if order is not None and series is report.series:
            before = [part.metrics for part in report.previous_series or ()]
            measured = zip_longest((part.metrics for part in series), before[: len(series)])
            rows = [(line, now, then) for line, (now, then) in zip(lines, measured, strict=True)]
            lines = sorted_measured(rows, order)
        yield FigureTable((name, *(metric.heading for metric in metrics)), lines)


def _group_tables(report: Report, order: ReportOrder | None) -> Iterator[FigureTable]:
    for breakdown in BREAKDOWNS.values():
        groups = groups_of(report, breakdown.part)
        if groups and (breakdown.part != "channels" or len(groups) > 1):
            if order is not None and has_order(groups, order):
                groups = sorted_groups(groups, order)
            if len(groups) > 1 and (every := all_of(report, breakdown.part)):
                groups = [*groups, every]
            table = _group_table(breakdown, groups, report, order)
            if len(table.headings) > 1:
                yield table


def _hour_tables(grid: HourGrid) -> Iterator[FigureTable]:
    received, answered = BY_FIELD["incoming_messages_count"], BY_FIELD["avg_first_response_time"]
    yield _hour_table(received.name, grid.received, "{:,}".format)
    times = grid.avg_first_response_time
    yield _hour_table(answered.name, times, time_words)


def _metric_table(report: Report, order: ReportOrder | None) -> FigureTable:
    figures = figures_of(report)
    if order is not None:
        figures = sorted_figures(figures, order)
    spread = any(figure.spread for figure in figures)
    target = any(figure.target for figure in figures)
    sampled = any(figure.samples is not None for figure in figures)
    rows: list[tuple[str, ...]] = [
        (
            figure.metric.name,
            value_words(figure.metric, figure.now),
            *(_percentiles(figure.metric, figure.spread) if spread else ()),
            *((target_words(figure.target) if figure.target else "",) if target else ()),
            value_words(figure.metric, figure.then),
            figure.change.words,
            *(("" if figure.samples is None else f"{figure.samples:,}",) if sampled else ()),
        )
        for figure in figures
    ]
    more = (*(("p50", "p90") if spread else ()), *(("In time",) if target else ()))
    end = ("Previous", "Change", *(("Samples",) if sampled else ()))
    return FigureTable(("Metric", "This", *more, *end), rows)


def _rate_table(report: Report) -> FigureTable:
    rows = [
        (rate.label, rate_words(rate.of(report.metrics)), rate_words(rate.of(report.previous)))
        for rate in RATES
    ]
    remark = "Of the conversations that the AI ended: it resolved them, or handed them to a human."
    return FigureTable(("Share", "This", "Previous"), rows, remark)


def _pricing_table(report: Report) -> FigureTable:
    """What messages are charged as, with the sums, and how many have no price."""
    counts = report.pricing
    sums = (
        sum(count.count for count in counts),
        sum(count.billable_count for count in counts),
        sum(count.previous_count for count in counts),
    )
    rows = [_charged(count) for count in counts]
    if len(rows) > 1:
        rows.append(("All", "", "", "", *(f"{number:,}" for number in sums)))
    sent = value_of(report.metrics, "outgoing_messages_count")
    unpriced = 0 if sent is None else max(0, round(sent) - sums[0])
    remark = f"Messages sent of which no price category is known: {unpriced:,}" if unpriced else ""
    return FigureTable(_PRICING, rows, remark)


def _percentiles(metric: Metric, spread: Percentiles | None) -> tuple[str, ...]:
    if not metric.timed:
        return "", ""
    return tuple(percentile_words(spread, name) for name in ("p50", "p90"))


def _group_table(
    breakdown: Breakdown,
    groups: Sequence[BreakdownRow],
    report: Report,
    order: ReportOrder | None,
) -> FigureTable:
    """Rows of a breakdown: what is the case now, then each figure with what belongs to it.

    That is the change of some figures and of what rows are sorted by, percentiles and target.
    """
    changed = [*breakdown.changed, *([order.field] if order and order.aspect == CHANGE else ())]
    moment = report.live.as_of_time if report.live else None
    columns: list[tuple[str, Callable[[BreakdownRow], str]]] = [
        (f"{heading} now", partial(_now_cell, field, moment))
        for field, heading in now_figures(groups).items()
    ]
    for metric in shown_metrics(breakdown.metrics, [group.current for group in groups]):
        columns.append((metric.heading, partial(_value_cell, metric)))
        if metric.field in changed and any(group.previous for group in groups):
            columns.append(("Change", partial(_change_cell, metric)))
        if any(spread_of(group.current, metric.field) for group in groups):
            columns += [(name, partial(_percentile_cell, metric, name)) for name in ("p50", "p90")]
        if any(target_of(group.current, metric.field) for group in groups):
            columns.append(("In time", partial(_target_cell, metric)))
    rows = [(group.name, *(cell(group) for _, cell in columns)) for group in groups]
    headings = (breakdown.heading, *(name for name, _ in columns))
    return FigureTable(headings, rows, breakdown.remark)


def _now_cell(field: str, moment: datetime | None, group: BreakdownRow) -> str:
    return now_words(group.now, field, moment)


def _value_cell(metric: Metric, group: BreakdownRow) -> str:
    return value_words(metric, value_of(group.current, metric.field))


def _change_cell(metric: Metric, group: BreakdownRow) -> str:
    now, then = value_of(group.current, metric.field), value_of(group.previous, metric.field)
    return change(metric, now, then).size or NO_VALUE


def _percentile_cell(metric: Metric, name: str, group: BreakdownRow) -> str:
    return percentile_words(spread_of(group.current, metric.field), name)


def _target_cell(metric: Metric, group: BreakdownRow) -> str:
    return target_words(target_of(group.current, metric.field))


def _hour_table(
    name: str, grid: Sequence[Sequence[float | None]], words: Callable[[float], str]
) -> FigureTable:
    """A row for each hour, a column for each weekday."""
    rows = [
        (f"{hour:02}:00", *(NO_VALUE if value is None else words(value) for value in values))
        for hour, values in enumerate(zip(*grid, strict=True))
    ]
    return FigureTable((name, *WEEKDAYS[: len(grid)]), rows)


def _values(measured: Metrics, metrics: Sequence[Metric]) -> tuple[str, ...]:
    return tuple(value_words(metric, value_of(measured, metric.field)) for metric in metrics)


def _charged(count: PricingCount) -> tuple[str, ...]:
    channel = first_non_blank(count.channel.name, count.channel.id, NO_VALUE)
    numbers = (count.count, count.billable_count, count.previous_count)
    shown = (*map(one_line, pricing_words(count)), channel, author_name(count.author))
    return (*shown, *(f"{number:,}" for number in numbers))


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
