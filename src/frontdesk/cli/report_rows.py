"""An inbox report as rows: one for each figure, for programs; tables of them, for eyes."""

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import TypeAlias

from frontdesk.cli.formats import Cell, Column, local_time
from frontdesk.text import first_said, words
from frontdesk.tui.widgets.metrics import METRICS, change, samples_of, value_of, value_words
from frontdesk.wire import Bucket, Metrics, Report

Row: TypeAlias = tuple[Cell, ...]

# What the tables of channels and of parts have room for.
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

_NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")
COLUMNS: tuple[Column[Row], ...] = tuple(
    Column(name, lambda row, at=at: row[at])  # type: ignore[misc]
    for at, name in enumerate(_NAMES)
)


def records(report: Report) -> Iterator[dict[str, Cell]]:
    """The rows with the names of their columns."""
    for row in rows(report):
        yield dict(zip(_NAMES, row, strict=True))


def rows(report: Report) -> Iterator[Row]:
    """Every number of a report, each with what it is of and when; times are seconds."""
    zone = report.period.timezone
    this = ("this", report.period.from_, report.period.to, zone)
    before = report.previous_period
    that = ("previous", before.from_, before.to, zone) if before else ("previous", None, None, zone)
    yield from _figures("all", "", this, report.metrics)
    if report.previous:
        yield from _figures("all", "", that, report.previous)
    for channel in report.channels:
        name = first_said(channel.channel.name, channel.channel.id)
        yield from _figures("channel", name, this, channel.metrics)
        if channel.previous:
            yield from _figures("channel", name, that, channel.previous)
    for author, count in report.outgoing_by_author.items():
        yield "author", author, *this, "outgoing_messages_count", count, None
    for bucket in report.series or ():
        when = ("this", bucket.start, bucket.end, zone)
        yield from _figures("part", "", when, bucket.metrics, bucket)
    if report.live is not None:
        now = ("now", report.live.as_of, report.live.as_of, zone)
        for field in ("open", "unassigned", "unattended", "awaiting_human"):
            yield "live", "", *now, field, getattr(report.live, field), None


def _figures(
    scope: str,
    name: str,
    when: Sequence[Cell],
    metrics: Metrics,
    bucket: Bucket | None = None,
) -> Iterator[Row]:
    for metric in METRICS:
        if metric.field in metrics.model_fields_set:
            samples = samples_of([bucket], metric.field) if bucket else None
            yield scope, name, *when, metric.field, value_of(metrics, metric.field), samples


def tables(report: Report, zone: tzinfo) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headings and rows of each table: the figures, channels, who sent, parts, and now."""
    yield ("FIGURE", "THIS", "PREVIOUS", "CHANGE"), list(_against(report))
    shorts = tuple(_HEADINGS.get(metric.field, metric.short.upper()) for metric in METRICS)
    if len(report.channels) > 1:
        names = [first_said(one.channel.name, one.channel.id) for one in report.channels]
        values = [all_written(one.metrics) for one in report.channels]
        yield ("CHANNEL", *shorts), [(name, *v) for name, v in zip(names, values, strict=True)]
    if report.outgoing_by_author:
        sent = report.outgoing_by_author.items()
        yield ("SENT BY", "MESSAGES"), [(words(author), str(count)) for author, count in sent]
    if report.series:
        starts = [_day(local_time(bucket.start, zone)) for bucket in report.series]
        values = [all_written(bucket.metrics) for bucket in report.series]
        yield ("FROM", *shorts), [(start, *v) for start, v in zip(starts, values, strict=True)]
    if (live := report.live) is not None:
        numbers = (live.open, live.unassigned, live.unattended, live.awaiting_human)
        headings = ("OPEN NOW", "UNASSIGNED", "UNATTENDED", "NEED A HUMAN")
        yield headings, [tuple(map(str, numbers))]


def all_written(metrics: Metrics) -> tuple[str, ...]:
    """Every figure for eyes, in little room."""
    return tuple(value_words(m, value_of(metrics, m.field), tight=True) for m in METRICS)


def _day(time: str) -> str:
    """A local time without its midnight."""
    return time.removesuffix(" 00:00")


def _against(report: Report) -> Iterator[tuple[str, ...]]:
    for metric in METRICS:
        now, then = value_of(report.metrics, metric.field), value_of(report.previous, metric.field)
        samples = (samples_of(report.series, metric.field),)
        changed = change(metric, now, then, samples=samples).words
        yield metric.name, value_words(metric, now), value_words(metric, then), changed
