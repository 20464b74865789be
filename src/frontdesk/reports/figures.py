"""Narrows a report to some of its figures, and writes it briefly: a line for each row."""

from collections.abc import Collection, Iterator
from datetime import tzinfo
from typing import Any, NamedTuple, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.exports.brief import moment_words, short_name
from frontdesk.reports.metrics import (
    NO_FIGURES,
    NO_VALUE,
    Measured,
    groups_of,
    judged,
    percentile_words,
    shown_metrics,
    spread_of,
    value_of,
    value_words,
)
from frontdesk.reports.registry import BY_FIELD, BY_KEY, BY_SCOPE, Metric
from frontdesk.reports.sheets import Compared, parts_of
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


class _WholeRow(NamedTuple):
    name: str
    current: Measured
    previous: Measured | None


def brief_lines(report: Report, by: str, zone: tzinfo) -> Iterator[str]:
    """Write a report as lines with ` | ` between the cells: headings, rows, and last all together.

    by: all, a scope of DIMENSIONS, or a granularity.
    """
    yield _title(report, zone)
    if (live := report.live) is not None and by == "all":
        yield (
            f"now: {live.open} open, {live.unassigned} unassigned, {live.unattended} unattended,"
            f" {live.awaiting_human} need a human"
        )
    rows: list[Compared] = []
    if by in PERIODICAL:
        rows += parts_of(report, zone)
    elif by in BY_SCOPE:
        rows += groups_of(report, BY_SCOPE[by]) or ()
    rows.append(_WholeRow("all", report.metrics, report.previous))
    metrics = shown_metrics([*BY_FIELD.values()], [row.current for row in rows])
    if not metrics:
        yield NO_FIGURES
        return
    spread = {
        metric.field
        for metric in metrics
        if any(spread_of(row.current, metric.field) is not None for row in rows)
    }
    yield ""
    headings = (
        name
        for metric in metrics
        for name in (metric.key, "before", *(_SPREAD if metric.field in spread else ()))
    )
    yield " | ".join([by, *headings])
    for row in rows:
        cells = (cell for metric in metrics for cell in _cells(metric, row, spread))
        yield " | ".join([short_name(row.name), *cells])


_SPREAD = ("p50", "p90")


def _title(report: Report, zone: tzinfo) -> str:
    period, before = report.period, report.previous_period
    words = f"{moment_words(period.from_time, zone)} to {moment_words(period.to_time, zone)}"
    if before is not None:
        start, end = before.from_time, before.to_time
        words += f", before: {moment_words(start, zone)} to {moment_words(end, zone)}"
    return f"{words} ({period.timezone})"


def _cells(metric: Metric, row: Compared, spread: Collection[str]) -> Iterator[str]:
    """Value, the one before with the change, and percentiles if any row has them."""
    yield value_words(metric, value_of(row.current, metric.field))
    before = value_words(metric, value_of(row.previous, metric.field))
    words = judged(metric, row.current, row.previous).words
    yield f"{before} ({words})" if before != NO_VALUE and words else before
    for name in _SPREAD if metric.field in spread else ():
        yield percentile_words(spread_of(row.current, metric.field), name)
