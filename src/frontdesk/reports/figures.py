"""Narrows a report to some of its figures, and writes it briefly: a line for each row."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any, NamedTuple, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.exports.brief import moment_words, short_name
from frontdesk.reports.metrics import (
    ALL,
    BLOCKS,
    NO_FIGURES,
    NO_VALUE,
    all_of,
    groups_of,
    live_figures,
    live_words,
)
from frontdesk.reports.registry import (
    BY_FIELD,
    BY_KEY,
    BY_SCOPE,
    DIMENSIONS,
    PART_WORDS,
    heading_key,
)
from frontdesk.reports.sheets import (
    Part,
    Sheet,
    SheetColumn,
    SortValue,
    group_sheet,
    metric_sheet,
    pivot_sheets,
    series_sheet,
)
from frontdesk.settings import TargetSettings
from frontdesk.text.times import parse_duration
from frontdesk.wire.reports import AdFigures, Bucket, Metrics, PersonFigures, Report

M = TypeVar("M", Metrics, PersonFigures, AdFigures)

_WHOLE = (
    *("period", "previous_period", "channel", "clock", "user", "team", "label"),
    *("series", "previous_series"),
)
# Parts that have no rows with figures.
_NO_ROWS = frozenset({"hours", "live"})
PERIODICAL = ("hour", "day", "week", "month")


def parse_figures(text: str) -> tuple[str, ...]:
    """Parse keys of figures with commas between into fields.

    Raises: BadSettings: an unknown name.
    """
    names = [name.strip().casefold() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in BY_KEY:
            raise BadSettings(f"There is no figure {name!r}: there is {', '.join(BY_KEY)}")
    return tuple(dict.fromkeys(BY_KEY[name].field for name in names))


TARGETS = TargetSettings._fields


def parse_targets(texts: Iterable[str]) -> dict[str, timedelta]:
    """Parse targets, such as first_response=15m.

    Raises: BadSettings: an unknown name, or no length.
    """
    lengths: dict[str, timedelta] = {}
    for text in texts:
        name, _, words = text.partition("=")
        length = parse_duration(words.strip(), "smhd")
        if name.strip().replace("-", "_") not in TARGETS or not length:
            raise BadSettings(
                f"{text!r} is no target: give {' or '.join(TARGETS)}, = and a length such as 15m"
            )
        lengths[name.strip().replace("-", "_")] = length
    return lengths


def with_figures(report: Report, fields: Collection[str], parts: Collection[str] = ()) -> Report:
    """Return a report with these fields only, and of the members of `parts`."""
    members = {
        name: getattr(report, name) for name in (*_WHOLE, *parts) if name in report.model_fields_set
    }
    for name in ("metrics", "previous"):
        if (measured := getattr(report, name)) is not None:
            members[name] = _narrowed(measured, fields)
    for name in ("series", "previous_series"):
        if buckets := members.get(name):
            members[name] = tuple(_bucket(bucket, fields) for bucket in buckets)
    if {"users", "teams"} & {*parts} and report.everyone is not None:
        members["everyone"] = _row(report.everyone, fields)
    for name in parts:
        if name not in _NO_ROWS and (rows := members.get(name)):
            members[name] = tuple(_row(row, fields) for row in rows)
    return Report(**members)


def _narrowed(measured: M, fields: Collection[str]) -> M:
    kept: dict[str, Any] = {
        name: getattr(measured, name) for name in fields if name in measured.model_fields_set
    }
    limited = {BY_FIELD[field].target for field in fields} - {""}
    samples = {name: number for name, number in measured.samples.items() if name in fields}
    if samples:
        kept["samples"] = samples
    for name, keys in (("spread", fields), ("targets", limited)):
        if name in measured.model_fields_set:
            values = getattr(measured, name)
            kept[name] = {key: value for key, value in values.items() if key in keys}
    return type(measured)(**kept)


def _bucket(bucket: Bucket, fields: Collection[str]) -> Bucket:
    samples = {name: number for name, number in bucket.samples.items() if name in fields}
    return bucket.model_copy(
        update={"metrics": _narrowed(bucket.metrics, fields), "samples": samples}
    )


def _row(row: Any, fields: Collection[str]) -> Any:
    """Narrow a row of a breakdown, whose measured members have different names."""
    names = ("metrics", "current", "previous")
    measured = {name: getattr(row, name, None) for name in names}
    update: dict[str, Any] = {
        name: _narrowed(value, fields) for name, value in measured.items() if value
    }
    if series := getattr(row, "series", None):
        update["series"] = tuple(
            each.model_copy(update={"metrics": _narrowed(each.metrics, fields)}) for each in series
        )
    kept = {name: getattr(row, name) for name in row.model_fields_set - {"now"}}
    return type(row)(**{**kept, **update})


class BriefReport(NamedTuple):
    """A report as lines with ` | ` between the cells. last: the row of all, and remarks."""

    head: Sequence[str]
    rows: Sequence[str]
    last: Sequence[str]


def brief_report(report: Report, by: str, zone: tzinfo, *, per: str = "") -> BriefReport:
    """Write the tables of a report briefly, by the keys of their columns.

    by: all, a scope of DIMENSIONS, or a granularity. per: a granularity, with which persons have a
    table for each figure in place of one. Rows without a number but 0 are left out.
    """
    head, live = [_title(report, zone)], report.live
    if live is not None and by == "all":
        counts = (f"{live_words(live, each)} {each.name}" for each in live_figures(report))
        head.append(f"now: {', '.join(counts)}")
    found = [*_sheets(report, by, zone, per)]
    if not found:
        lacking = PART_WORDS["person_series" if per else BY_SCOPE.get(by, by)]
        return BriefReport([*head, f"This server does not report {lacking}."], (), ())
    if all(len(sheet.columns) == 1 for sheet in found) or (by == "all" and not found[0].rows):
        return BriefReport([*head, NO_FIGURES], (), ())
    first, *others = found
    lines, last = _brief(first, by)
    for sheet in others:
        more, end = _brief(sheet, by)
        lines, last = [*lines, *last, "", *more], end
    return BriefReport([*head, "", lines[0]], lines[1:], last)


def _sheets(report: Report, by: str, zone: tzinfo, per: str) -> Iterator[Sheet[Any]]:
    """Yield the tables that are written briefly; none if the server did not send them."""
    if by == "all":
        yield metric_sheet(report)
    elif by in PERIODICAL:
        whole = Part(ALL, report.metrics, report.previous)
        yield replace(series_sheet(report, zone), total=whole)
    elif (groups := groups_of(report, BY_SCOPE[by])) is not None:
        dimension, total = DIMENSIONS[BY_SCOPE[by]], all_of(report, BY_SCOPE[by])
        moment = report.live.as_of_time if report.live else None
        if per:
            pivots = pivot_sheets(dimension, groups, total, zone)
            yield from (sheet for sheet in pivots if sheet.rows)
        else:
            yield group_sheet(dimension, groups, total, moment)


def _brief(sheet: Sheet[Any], by: str) -> tuple[list[str], list[str]]:
    """Headings and rows of a table, and what is below them."""
    first, *columns = sheet.columns
    title = by if first.key == heading_key(first.heading) or by in PERIODICAL else first.heading
    rows = [row for row in sheet.rows if any(_is_number(column.value(row)) for column in columns)]
    lines = [" | ".join([title, *(column.key for column in columns)])]
    lines += [_line(first, columns, row) for row in rows]
    left = len(sheet.rows) - len(rows)
    last = [] if sheet.total is None else [_line(first, columns, sheet.total)]
    last += [f"({left} without any are left out)"] if left else []
    return lines, [*last, *filter(None, [sheet.remark])]


def _is_number(value: SortValue | None) -> bool:
    """True for a number other than 0; of figures of different units, also for 0."""
    return not isinstance(value, str) and bool(value)


def _line(first: SheetColumn[Any], columns: Iterable[SheetColumn[Any]], row: Any) -> str:
    cells = (
        column.change(row, BLOCKS).words if column.change else column.words(row)
        for column in columns
    )
    return " | ".join([short_name(first.words(row)), *(cell or NO_VALUE for cell in cells)])


def _title(report: Report, zone: tzinfo) -> str:
    period, before = report.period, report.previous_period
    words = f"{moment_words(period.from_time, zone)} to {moment_words(period.to_time, zone)}"
    if before is not None:
        start, end = before.from_time, before.to_time
        words += f", before: {moment_words(start, zone)} to {moment_words(end, zone)}"
    words += f" ({period.timezone})"
    return words + (f", {report.clock} hours" if report.clock else "")
