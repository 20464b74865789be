"""A report as a file: CSV with a figure in each row, JSON as the service sends it, Markdown."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from datetime import timedelta, tzinfo
from typing import Any

from frontdesk.text import one_line, shielded
from frontdesk.tui.widgets.metrics import LIVE, METRICS, NOTHING, samples_of, value_of, value_words
from frontdesk.tui.widgets.report_tables import AUTHORS, channel_name, figures_of
from frontdesk.wire import Bucket, Metrics, Report, instant

ENDINGS = ("csv", "json", "md")

_CSV_HEAD = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")


def default_name(report: Report, zone: tzinfo) -> str:
    """A name of a file that tells the period: inbox-report-2026-03-08-2026-03-14.csv."""
    start, end = instant(report.period.from_), instant(report.period.to)
    if start is None or end is None:
        return "inbox-report.csv"
    last = (end - timedelta(seconds=1)).astimezone(zone).date()
    return f"inbox-report-{start.astimezone(zone).date()}-{last}.csv"


def exported(report: Report, before: Sequence[Bucket] | None, ending: str) -> str:
    """The report in the format of a file's ending, one of ENDINGS.

    before: the parts of the period before, where they are known. Times are seconds in CSV and JSON.
    """
    match ending:
        case "csv":
            return _csv(report, before)
        case "json":
            return _json(report, before)
    return _markdown(report)


def _json(report: Report, before: Sequence[Bucket] | None) -> str:
    body: dict[str, Any] = report.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if before is not None:
        body["previous_series"] = [
            bucket.model_dump(mode="json", exclude_unset=True) for bucket in before
        ]
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _csv(report: Report, before: Sequence[Bucket] | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEAD)
    for row in _csv_rows(report, before):
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return shielded(value)
    return "" if value is None else value


def _csv_rows(report: Report, before: Sequence[Bucket] | None) -> Iterator[Sequence[object]]:
    zone = report.period.timezone
    this = ("this", report.period.from_, report.period.to, zone)
    previous = report.previous_period
    that = ("previous", previous.from_, previous.to, zone) if previous else None
    yield from _figures("all", "", this, report.metrics, report.series)
    if that and report.previous:
        yield from _figures("all", "", that, report.previous, None)
    for channel in report.channels:
        name = channel_name(channel)
        yield from _figures("channel", name, this, channel.metrics, None)
        if that and channel.previous:
            yield from _figures("channel", name, that, channel.previous, None)
    for author, count in report.outgoing_by_author.items():
        yield ("author", author, *this, "outgoing_messages_count", count, None)
    for period, buckets in (("this", report.series or ()), ("previous", before or ())):
        for bucket in buckets:
            when = (period, bucket.start, bucket.end, zone)
            yield from _figures("part", "", when, bucket.metrics, [bucket])
    yield from _live(report)


def _live(report: Report) -> Iterator[Sequence[object]]:
    if report.live is not None:
        now = ("now", report.live.as_of, report.live.as_of, report.period.timezone)
        for live in LIVE:
            yield ("live", "", *now, live.field, getattr(report.live, live.field), None)


def _figures(
    scope: str,
    name: str,
    when: Sequence[object],
    metrics: Metrics,
    series: Sequence[Bucket] | None,
) -> Iterator[Sequence[object]]:
    for metric in METRICS:
        if metric.field in metrics.model_fields_set:
            samples = samples_of(series, metric.field) if metric.timed else None
            yield (scope, name, *when, metric.field, value_of(metrics, metric.field), samples)


def _markdown(report: Report) -> str:
    period, previous = report.period, report.previous_period
    before = f", against {previous.from_} – {previous.to}" if previous else ""
    parts = [
        f"# Inbox report\n\n{period.from_} – {period.to} ({period.timezone}){before}\n",
        _table(
            ("Figure", "This", "Previous", "Change", "Samples"),
            [
                (
                    figure.metric.name,
                    value_words(figure.metric, figure.now),
                    value_words(figure.metric, figure.then),
                    figure.change.words,
                    "" if figure.samples is None else f"{figure.samples}",
                )
                for figure in figures_of(report)
            ],
        ),
        _table(
            ("Channel", *(metric.short for metric in METRICS)),
            [
                (
                    channel_name(channel),
                    *(value_words(m, value_of(channel.metrics, m.field)) for m in METRICS),
                )
                for channel in report.channels
            ],
        ),
        _table(
            ("Who sent", "Messages"),
            [
                (AUTHORS.get(author, author), f"{count}")
                for author, count in report.outgoing_by_author.items()
            ],
        ),
    ]
    if report.live is not None:
        live = report.live
        parts.append(
            f"Now ({live.as_of or NOTHING}): {live.open} open, {live.unassigned} unassigned, "
            f"{live.unattended} unattended, {live.awaiting_human} need a human.\n"
        )
    return "\n".join(part for part in parts if part)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    marks = ("---", *("---:" for _ in head[1:]))
    return "".join(f"| {' | '.join(map(_escaped, row))} |\n" for row in (head, marks, *rows))


def _escaped(cell: str) -> str:
    return one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
