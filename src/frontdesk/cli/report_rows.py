"""An inbox report as rows: one for each figure, for programs; tables of them, for eyes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeAlias

from frontdesk.cli.formats import Cell, Column, local_time
from frontdesk.text import first_said, words
from frontdesk.wire import Bucket, Metrics, Report

Row: TypeAlias = tuple[Cell, ...]

NOTHING = "–"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Figure:
    """A member of the metrics: its name, and a short one. timed: seconds, None without samples."""

    field: str
    name: str
    short: str
    timed: bool = False


FIGURES = (
    Figure("conversations_count", "New conversations", "NEW"),
    Figure("reopened_count", "Reopened", "AGAIN"),
    Figure("incoming_messages_count", "Messages received", "IN"),
    Figure("outgoing_messages_count", "Messages sent", "OUT"),
    Figure("resolutions_count", "Resolved", "DONE"),
    Figure("avg_first_response_time", "First response time", "REPLY", timed=True),
    Figure("avg_reply_time", "Customer waiting time", "WAIT", timed=True),
    Figure("avg_resolution_time", "Resolution time", "TOOK", timed=True),
    Figure("bot_handoffs_count", "Handed to a human", "HANDED"),
    Figure("bot_resolutions_count", "Resolved by AI", "BY AI"),
)

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
    for figure in FIGURES:
        samples = bucket.samples.get(figure.field) if bucket else None
        yield scope, name, *when, figure.field, getattr(metrics, figure.field), samples


def tables(report: Report, zone: tzinfo) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headings and rows of each table: the figures, channels, who sent, parts, and now."""
    yield ("FIGURE", "THIS", "PREVIOUS", "CHANGE"), list(_against(report))
    shorts = tuple(figure.short for figure in FIGURES)
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
    values = (written(figure, getattr(metrics, figure.field)) for figure in FIGURES)
    return tuple(value.replace(" ", "") for value in values)


def _day(time: str) -> str:
    """A local time without its midnight."""
    return time.removesuffix(" 00:00")


def _against(report: Report) -> Iterator[tuple[str, ...]]:
    for figure in FIGURES:
        now = getattr(report.metrics, figure.field)
        then = getattr(report.previous, figure.field) if report.previous else None
        yield figure.name, written(figure, now), written(figure, then), changed(now, then)


def written(figure: Figure, value: float | None) -> str:
    """A value for eyes; what has no samples is no zero."""
    if value is None:
        return NOTHING
    return duration(value) if figure.timed else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """A length of time in its two largest units: 5 m 12 s, 3 h 5 m, 2 d 4 h."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} m {whole % _MINUTE} s"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} m"
    return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"


def changed(now: float | None, then: float | None) -> str:
    """How much more or less than before, in percent; nothing where that cannot be said."""
    if now is None or then is None:
        return NOTHING
    if now == then:
        return "="
    if not then:
        return "new"
    percent = round(100 * (now - then) / then)
    return f"{'▲' if now > then else '▼'} {abs(percent)} %" if percent else "≈"
