"""Converts an inbox report to records (one per metric) and to tables."""

from collections.abc import Iterator
from datetime import tzinfo

from frontdesk.cli.output import Cell, Column, local_time
from frontdesk.text import first_said, one_line, words
from frontdesk.tui.figures import NAMES, Row, rows
from frontdesk.tui.widgets.metrics import (
    METRICS,
    NOTHING,
    change,
    pricing_words,
    samples_of,
    value_of,
    value_words,
)
from frontdesk.wire import Metrics, PricingCount, Report

# Short headings for tables of channels and periods.
_HEADINGS = {
    "conversations_count": "NEW",
    "reopened_count": "AGAIN",
    "incoming_messages_count": "IN",
    "outgoing_messages_count": "OUT",
    "resolutions_count": "DONE",
    "avg_first_response_time": "REPLY",
    "avg_reply_time": "WAIT",
    "avg_resolution_time": "TOOK",
    "bot_handoffs_count": "HANDED",
    "bot_resolutions_count": "BY AI",
}

_PRICING_HEADINGS = (
    *("CHARGED AS", "TYPE", "CHANNEL", "SENT BY"),
    *("MESSAGES", "BILLABLE", "PREVIOUS"),
)

COLUMNS: tuple[Column[Row], ...] = tuple(
    Column(name, lambda row, at=at: row[at])  # type: ignore[misc]
    for at, name in enumerate(NAMES)
)


def records(report: Report) -> Iterator[dict[str, Cell]]:
    """Yield the report's rows as mappings."""
    for row in rows(report):
        yield dict(zip(NAMES, row, strict=True))


def tables(report: Report, zone: tzinfo) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield (headings, rows) per table: metrics, channels, authors, pricing, series, live
    counts."""
    yield ("FIGURE", "THIS", "PREVIOUS", "CHANGE"), list(_against(report))
    shorts = tuple(_HEADINGS.get(metric.field, metric.short.upper()) for metric in METRICS)
    if len(report.channels) > 1:
        names = [first_said(one.channel.name, one.channel.id) for one in report.channels]
        values = [all_written(one.metrics) for one in report.channels]
        yield ("CHANNEL", *shorts), [(name, *v) for name, v in zip(names, values, strict=True)]
    if report.outgoing_by_author:
        sent = report.outgoing_by_author.items()
        yield ("SENT BY", "MESSAGES"), [(words(author), str(count)) for author, count in sent]
    if report.pricing:
        yield _PRICING_HEADINGS, [_charged(count) for count in report.pricing]
    if report.series:
        starts = [_day(local_time(bucket.start, zone)) for bucket in report.series]
        values = [all_written(bucket.metrics) for bucket in report.series]
        yield ("FROM", *shorts), [(start, *v) for start, v in zip(starts, values, strict=True)]
    if (live := report.live) is not None:
        numbers = (live.open, live.unassigned, live.unattended, live.awaiting_human)
        headings = ("OPEN NOW", "UNASSIGNED", "UNATTENDED", "NEED A HUMAN")
        yield headings, [tuple(NOTHING if one is None else str(one) for one in numbers)]


def all_written(metrics: Metrics) -> tuple[str, ...]:
    """Format every metric compactly."""
    return tuple(value_words(m, value_of(metrics, m.field), tight=True) for m in METRICS)


def _charged(count: PricingCount) -> tuple[str, ...]:
    """Format a pricing count with that of the previous period."""
    channel = first_said(count.channel.name, count.channel.id)
    numbers = (count.count, count.billable_count, count.previous_count)
    shown = (*pricing_words(count), channel, words(count.author))
    return (*map(one_line, shown), *map(str, numbers))


def _day(time: str) -> str:
    """Strip a time of midnight from a local time."""
    return time.removesuffix(" 00:00")


def _against(report: Report) -> Iterator[tuple[str, ...]]:
    for metric in METRICS:
        now, then = value_of(report.metrics, metric.field), value_of(report.previous, metric.field)
        samples = (samples_of(report.series, metric.field),)
        changed = change(metric, now, then, samples=samples).words
        yield metric.name, value_words(metric, now), value_words(metric, then), changed
