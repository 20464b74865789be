"""Writes the tables of a report as files: their facts as CSV and JSON lines, Markdown, JSON."""

from collections.abc import Iterator
from datetime import UTC, timedelta, tzinfo
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
from frontdesk.reports.metrics import NOW, PREVIOUS, THIS
from frontdesk.reports.sheets import ReportOrder, live_sheet, sheets, tables
from frontdesk.text.clean import one_line
from frontdesk.wire.reports import Report

Row: TypeAlias = tuple[str | float | None, ...]

ENDINGS = ("csv", "json", "md")
NAMES = ("scope", "name", "period", "from", "to", "timezone", "figure", "value", "samples")
COLUMNS: tuple[Column[dict[str, Cell]], ...] = tuple(
    Column(name, itemgetter(name)) for name in NAMES
)


def rows(report: Report) -> Iterator[Row]:
    """Yield the facts of all tables of a report, with columns as in NAMES.

    scope: all, channel, user, team, label, ad, everyone, author, pricing, part, hour or live; of
    persons in parts of the period user_part, team_part or everyone_part.
    period: this, previous or now. Times are in seconds.
    """
    before, now = report.previous_period, report.live.as_of if report.live else None
    dates: dict[str, tuple[str | None, str | None]] = {
        THIS: (report.period.from_, report.period.to),
        PREVIOUS: (before.from_, before.to) if before else (None, None),
        NOW: (now, now),
    }
    live = live_sheet(report)
    for sheet in (*sheets(report, UTC), *([live] if live else ())):
        for fact in sheet.facts():
            start, end = fact.part or dates[fact.period]
            when = (fact.period, start, end, report.period.timezone)
            yield (fact.scope, fact.name, *when, fact.figure, fact.value, fact.samples)


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
