"""Exports reports: one row per value for CSV and JSON lines, tables for people, JSON, Markdown."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from datetime import timedelta, tzinfo
from typing import TypeAlias

from frontdesk.export import Cell, csv_cell, local_time, markdown_table
from frontdesk.reports.metrics import (
    LIVE,
    METRICS,
    NOTHING,
    author_name,
    channel_name,
    figures_of,
    pricing_words,
    samples_of,
    value_of,
    value_words,
)
from frontdesk.text import first_said, one_line
from frontdesk.wire import Bucket, LiveCounts, Metrics, PricingCount, Report

Row: TypeAlias = tuple[str | float | None, ...]
# Headings and rows.
Table: TypeAlias = tuple[tuple[str, ...], list[tuple[str, ...]]]

ENDINGS = ("csv", "json", "md")
NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")
_PRICING = ("Charged as", "Type", "Channel", "Sent by", "Messages", "Billable", "Previous")


def rows(report: Report) -> Iterator[Row]:
    """Rows of a report, with columns as in NAMES.

    scope: all, channel, author, pricing, part or live. period: this, previous or now. Times are in
    seconds.
    """
    zone = report.period.timezone
    this: Row = ("this", report.period.from_, report.period.to, zone)
    previous = report.previous_period
    start, end = (previous.from_, previous.to) if previous else (None, None)
    that: Row = ("previous", start, end, zone)
    yield from _figures(("all", "", *this), report.metrics, report.series)
    if report.previous:
        yield from _figures(("all", "", *that), report.previous, report.previous_series)
    for channel in report.channels:
        name = first_said(channel.channel.name, channel.channel.id)
        yield from _figures(("channel", name, *this), channel.metrics)
        if channel.previous:
            yield from _figures(("channel", name, *that), channel.previous)
    for author, count in report.outgoing_by_author.items():
        yield ("author", author, *this, "outgoing_messages_count", count, None)
    yield from _pricing(report, this, that)
    for period, buckets in (("this", report.series), ("previous", report.previous_series)):
        for bucket in buckets or ():
            when = (period, bucket.start, bucket.end, zone)
            yield from _figures(("part", "", *when), bucket.metrics, [bucket])
    if report.live is not None:
        yield from _live(report.live, zone)


def _pricing(report: Report, this: Row, that: Row) -> Iterator[Row]:
    for one in report.pricing:
        name = ", ".join(
            (first_said(one.channel.name, one.channel.id), one.author, *pricing_words(one))
        )
        yield ("pricing", name, *this, "count", one.count, None)
        yield ("pricing", name, *this, "billable_count", one.billable_count, None)
        yield ("pricing", name, *that, "count", one.previous_count, None)
        yield ("pricing", name, *that, "billable_count", one.previous_billable_count, None)


def _live(counts: LiveCounts, zone: str) -> Iterator[Row]:
    now = ("now", counts.as_of, counts.as_of, zone)
    for live in LIVE:
        yield ("live", "", *now, live.field, getattr(counts, live.field), None)


def _figures(what: Row, metrics: Metrics, series: Sequence[Bucket] | None = None) -> Iterator[Row]:
    for metric in METRICS:
        if metric.field in metrics.model_fields_set:
            samples = samples_of(series, metric.field) if metric.timed else None
            yield (*what, metric.field, value_of(metrics, metric.field), samples)


def records(report: Report) -> Iterator[dict[str, Cell]]:
    """Yield the report's rows as mappings."""
    for row in rows(report):
        yield dict(zip(NAMES, row, strict=True))


def tables(report: Report, zone: tzinfo) -> Iterator[Table]:
    """Yield the tables of a report: metrics, channels, authors, pricing, series, live counts."""
    yield _metric_table(report)
    headings = tuple(metric.heading for metric in METRICS)
    if len(report.channels) > 1:
        yield (
            ("Channel", *headings),
            [(channel_name(one), *_values(one.metrics)) for one in report.channels],
        )
    if report.outgoing_by_author:
        sent = report.outgoing_by_author.items()
        yield ("Sent by", "Messages"), [(author_name(author), f"{n:,}") for author, n in sent]
    if report.pricing:
        yield _PRICING, [_charged(count) for count in report.pricing]
    for name, series in (("From", report.series), ("Previous, from", report.previous_series)):
        if series:
            starts = [local_time(part.start, zone).removesuffix(" 00:00") for part in series]
            values = [_values(part.metrics) for part in series]
            yield (name, *headings), [(day, *row) for day, row in zip(starts, values, strict=True)]
    if (live := report.live) is not None:
        numbers = [getattr(live, one.field) for one in LIVE]
        row = tuple(NOTHING if number is None else f"{number:,}" for number in numbers)
        yield tuple(f"{one.name.capitalize()} now" for one in LIVE), [row]


def _metric_table(report: Report) -> Table:
    rows: list[tuple[str, ...]] = [
        (
            figure.metric.name,
            value_words(figure.metric, figure.now),
            value_words(figure.metric, figure.then),
            figure.change.words,
            "" if figure.samples is None else f"{figure.samples:,}",
        )
        for figure in figures_of(report)
    ]
    return ("Metric", "This", "Previous", "Change", "Samples"), rows


def _values(metrics: Metrics) -> tuple[str, ...]:
    return tuple(value_words(m, value_of(metrics, m.field), tight=True) for m in METRICS)


def _charged(count: PricingCount) -> tuple[str, ...]:
    channel = first_said(count.channel.name, count.channel.id, NOTHING)
    numbers = (count.count, count.billable_count, count.previous_count)
    shown = (*map(one_line, pricing_words(count)), channel, author_name(count.author))
    return (*shown, *(f"{number:,}" for number in numbers))


def title(report: Report, zone: tzinfo) -> str:
    """The period, its time zone and channel; on a second line the previous period."""
    period, before = report.period, report.previous_period
    words = f"{local_time(period.from_, zone)} – {local_time(period.to, zone)} ({period.timezone})"
    if report.channel:
        words += f", channel {report.channel}"
    if before:
        words += f"\nprevious: {local_time(before.from_, zone)} – {local_time(before.to, zone)}"
    return words


def markdown(report: Report, zone: tzinfo) -> str:
    """The report as a Markdown document; times in `zone`."""
    parts = [markdown_table(headings, lines) for headings, lines in tables(report, zone)]
    return "\n\n".join(["# Inbox report", title(report, zone).replace("\n", "  \n"), *parts]) + "\n"


def default_name(report: Report, zone: tzinfo) -> str:
    """Default file name, with the period: inbox-report-2026-03-08-2026-03-14.csv."""
    start, end = report.period.from_time, report.period.to_time
    if start is None or end is None:
        return "inbox-report.csv"
    last = (end - timedelta(seconds=1)).astimezone(zone).date()
    return f"inbox-report-{start.astimezone(zone).date()}-{last}.csv"


def exported(report: Report, ending: str, zone: tzinfo) -> str:
    """The report in the format of a file extension, one of ENDINGS; Markdown has times in `zone`.

    CSV and JSON give durations in seconds.
    """
    match ending:
        case "csv":
            return _csv(report)
        case "json":
            body = report.model_dump(mode="json", exclude_unset=True)
            return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
    return markdown(report, zone)


def _csv(report: Report) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(NAMES)
    writer.writerows(map(csv_cell, row) for row in rows(report))
    return text.getvalue()
