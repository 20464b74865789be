"""Exports reports: one row per value for CSV and JSON lines, JSON, and tables in Markdown."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta, tzinfo
from operator import itemgetter
from typing import TypeAlias

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
    RATES,
    BreakdownRow,
    Measured,
    all_of,
    groups_of,
    live_figures,
    now_value,
    pricing_words,
    samples_in,
    spread_of,
    target_of,
    value_of,
)
from frontdesk.reports.registry import BY_FIELD, DIMENSIONS, NOW_FIGURES, WEEKDAYS
from frontdesk.reports.sheets import ReportOrder, tables
from frontdesk.text.clean import first_non_blank, one_line
from frontdesk.wire.reports import HourGrid, Hours, LiveCounts, PersonNow, Report

Row: TypeAlias = tuple[str | float | None, ...]

ENDINGS = ("csv", "json", "md")
NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")
COLUMNS: tuple[Column[dict[str, Cell]], ...] = tuple(
    Column(name, itemgetter(name)) for name in NAMES
)


def rows(report: Report) -> Iterator[Row]:
    """Rows of a report, with columns as in NAMES.

    scope: all, channel, user, team, label, ad, everyone, author, pricing, part, hour or live; of
    persons in parts of the period user_part, team_part or everyone_part.
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
    for part in DIMENSIONS:
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
    for part in group.series:
        when = ("this", part.start, part.end, report.period.timezone)
        yield from _figures((f"{group.scope}_part", group.name, *when), part.metrics)
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
    for figure in NOW_FIGURES:
        value = now_value(now, figure.field)
        if value is not None or not figure.optional:
            yield (*what, *when, figure.field, value, None)


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
        figure = f"{about}{BY_FIELD[field].target}_within_{target.target_seconds}s"
        yield (*what, figure, target.within, target.samples)


def records(report: Report) -> Iterator[dict[str, Cell]]:
    """Yield the report's rows as mappings."""
    for row in rows(report):
        yield dict(zip(NAMES, row, strict=True))


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
