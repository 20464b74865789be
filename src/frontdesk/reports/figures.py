"""Narrows a report to some of its figures, and writes it briefly: a line for each row."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.exports.brief import moment_words, short_name
from frontdesk.reports.metrics import (
    BREAKDOWNS,
    BY_FIELD,
    NO_FIGURES,
    NO_VALUE,
    TARGETS,
    Measured,
    Metric,
    groups_of,
    judged,
    percentile_words,
    shown_metrics,
    spread_of,
    value_of,
    value_words,
)
from frontdesk.text.times import in_zone
from frontdesk.wire.reports import AdFigures, Bucket, Metrics, PersonFigures, Report

M = TypeVar("M", Metrics, PersonFigures, AdFigures)

# Fields by the names that people and programs write.
FIGURES: Mapping[str, str] = MappingProxyType(
    {metric.heading.lower().replace(" ", "_"): metric.field for metric in BY_FIELD.values()}
)
_WHOLE = (
    *("period", "previous_period", "channel", "clock", "user", "team", "label"),
    *("series", "previous_series"),
)
# Parts that have no rows with figures.
_NO_ROWS = frozenset({"hours", "live"})
# Breakdowns by what a row is of.
_PARTS = MappingProxyType({breakdown.scope: part for part, breakdown in BREAKDOWNS.items()})
PERIODICAL = ("hour", "day", "week", "month")


def parse_figures(text: str) -> tuple[str, ...]:
    """Parse names of FIGURES with commas between into fields.

    Raises: BadSettings: an unknown name.
    """
    names = [name.strip().casefold() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in FIGURES:
            raise BadSettings(f"There is no figure {name!r}: there is {', '.join(FIGURES)}")
    return tuple(dict.fromkeys(FIGURES[name] for name in names))


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
    limited = {TARGETS[field] for field in fields if field in TARGETS}
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
    update = {name: _narrowed(value, fields) for name, value in measured.items() if value}
    kept = {name: getattr(row, name) for name in row.model_fields_set - {"now"}}
    return type(row)(**{**kept, **update})


class _BriefRow(NamedTuple):
    name: str
    now: Measured
    then: Measured | None


def brief_lines(report: Report, by: str, zone: tzinfo | None) -> Iterator[str]:
    """Write a report as lines with ` | ` between the cells: headings, rows, and last all together.

    by: all, a scope of the breakdowns, or a granularity.
    """
    yield _title(report, zone)
    if (live := report.live) is not None and by == "all":
        yield (
            f"now: {live.open} open, {live.unassigned} unassigned, {live.unattended} unattended,"
            f" {live.awaiting_human} need a human"
        )
    groups = [*_groups(report, by, zone), _BriefRow("all", report.metrics, report.previous)]
    metrics = shown_metrics([*BY_FIELD.values()], [group.now for group in groups])
    if not metrics:
        yield NO_FIGURES
        return
    headings = [name for metric in metrics for name in _headings(metric, groups)]
    yield ""
    yield " | ".join([by, *headings])
    for group in groups:
        cells = [cell for metric in metrics for cell in _cells(metric, group, groups)]
        yield " | ".join([short_name(group.name), *cells])


def _title(report: Report, zone: tzinfo | None) -> str:
    period, before = report.period, report.previous_period
    words = f"{moment_words(period.from_time, zone)} to {moment_words(period.to_time, zone)}"
    if before is not None:
        start, end = before.from_time, before.to_time
        words += f", before: {moment_words(start, zone)} to {moment_words(end, zone)}"
    return f"{words} ({period.timezone})"


def _groups(report: Report, by: str, zone: tzinfo | None) -> Iterator[_BriefRow]:
    if by in PERIODICAL:
        earlier = [bucket.metrics for bucket in report.previous_series or ()]
        for number, bucket in enumerate(report.series or ()):
            start = bucket.start_time
            name = f"{in_zone(start, zone):%Y-%m-%d %H:%M}" if start else "?"
            then = earlier[number] if number < len(earlier) else None
            yield _BriefRow(name.removesuffix(" 00:00"), bucket.metrics, then)
    elif by in _PARTS:
        for row in groups_of(report, _PARTS[by]) or ():
            yield _BriefRow(row.name, row.current, row.previous)


def _has_spread(metric: Metric, groups: Sequence[_BriefRow]) -> bool:
    return any(spread_of(group.now, metric.field) is not None for group in groups)


def _headings(metric: Metric, groups: Sequence[_BriefRow]) -> list[str]:
    name = next(key for key, field in FIGURES.items() if field == metric.field)
    return [name, "before", *(("p50", "p90") if _has_spread(metric, groups) else ())]


def _cells(metric: Metric, group: _BriefRow, groups: Sequence[_BriefRow]) -> list[str]:
    """Value, the one before with the change, and percentiles if any row has them."""
    now, then = value_of(group.now, metric.field), value_of(group.then, metric.field)
    before = value_words(metric, then)
    if before != NO_VALUE and (words := judged(metric, group.now, group.then).words):
        before += f" ({words})"
    spread = spread_of(group.now, metric.field)
    more = ("p50", "p90") if _has_spread(metric, groups) else ()
    return [value_words(metric, now), before, *(percentile_words(spread, name) for name in more)]
