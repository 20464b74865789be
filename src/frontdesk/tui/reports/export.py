"""Report export: CSV with one row per value, JSON as received, Markdown."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import timedelta, tzinfo
from typing import Any

from frontdesk.text import one_line, shielded
from frontdesk.tui import figures
from frontdesk.tui.reports.tables import AUTHORS, channel_name, figures_of
from frontdesk.tui.widgets.metrics import (
    LIVE,
    METRICS,
    NOTHING,
    pricing_words,
    value_of,
    value_words,
)
from frontdesk.wire import Bucket, Report, instant

ENDINGS = ("csv", "json", "md")


def default_name(report: Report, zone: tzinfo) -> str:
    """Default file name, with the period: inbox-report-2026-03-08-2026-03-14.csv."""
    start, end = instant(report.period.from_), instant(report.period.to)
    if start is None or end is None:
        return "inbox-report.csv"
    last = (end - timedelta(seconds=1)).astimezone(zone).date()
    return f"inbox-report-{start.astimezone(zone).date()}-{last}.csv"


def exported(report: Report, before: Sequence[Bucket] | None, ending: str) -> str:
    """The report in the format of a file extension, one of ENDINGS.

    before: the series of the previous period, if known. CSV and JSON give times in seconds.
    """
    match ending:
        case "csv":
            return _csv(report, before)
        case "json":
            return _json(report, before)
    return _markdown(report)


def _json(report: Report, before: Sequence[Bucket] | None) -> str:
    body: dict[str, Any] = report.model_dump(mode="json", exclude_unset=True)
    if before is not None:
        body["previous_series"] = [
            bucket.model_dump(mode="json", exclude_unset=True) for bucket in before
        ]
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _csv(report: Report, before: Sequence[Bucket] | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(figures.NAMES)
    for row in figures.rows(report, before or ()):
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return shielded(value)
    return "" if value is None else value


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
        _table(
            ("Charged as", "Type", "Channel", "Sent by", "Messages", "Billable", "Previous"),
            [
                (
                    *pricing_words(count),
                    count.channel.name or count.channel.id or NOTHING,
                    AUTHORS.get(count.author, count.author),
                    f"{count.count}",
                    f"{count.billable_count}",
                    f"{count.previous_count}",
                )
                for count in report.pricing
            ],
        ),
    ]
    if report.live is not None:
        numbers = ((getattr(report.live, live.field), live.name) for live in LIVE)
        known = ", ".join(f"{number} {name}" for number, name in numbers if number is not None)
        parts.append(f"Now ({report.live.as_of or NOTHING}): {known or NOTHING}.\n")
    return "\n".join(part for part in parts if part)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    marks = ("---", *("---:" for _ in head[1:]))
    return "".join(f"| {' | '.join(map(_escaped, row))} |\n" for row in (head, marks, *rows))


def _escaped(cell: str) -> str:
    return one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
