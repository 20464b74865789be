"""Flattens a report to rows for export: one per value, with scope, period and samples."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from frontdesk.text import first_said
from frontdesk.tui.widgets.metrics import LIVE, METRICS, pricing_words, samples_of, value_of
from frontdesk.wire import Bucket, LiveCounts, Metrics, Report

Row: TypeAlias = tuple[str | float | None, ...]

NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")


def rows(report: Report, before: Sequence[Bucket] = ()) -> Iterator[Row]:
    """Rows of a report, with columns as in NAMES.

    scope: all, channel, author, pricing, part or live. period: this, previous or now. Times are in
    seconds. before: series of the previous period, if known.
    """
    zone = report.period.timezone
    this: Row = ("this", report.period.from_, report.period.to, zone)
    previous = report.previous_period
    start, end = (previous.from_, previous.to) if previous else (None, None)
    that: Row = ("previous", start, end, zone)
    yield from _figures(("all", "", *this), report.metrics, report.series)
    if report.previous:
        yield from _figures(("all", "", *that), report.previous)
    for channel in report.channels:
        name = first_said(channel.channel.name, channel.channel.id)
        yield from _figures(("channel", name, *this), channel.metrics)
        if channel.previous:
            yield from _figures(("channel", name, *that), channel.previous)
    for author, count in report.outgoing_by_author.items():
        yield ("author", author, *this, "outgoing_messages_count", count, None)
    yield from _pricing(report, this, that)
    for period, buckets in (("this", report.series or ()), ("previous", before)):
        for bucket in buckets:
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
