"""Normalises counts and reports of servers that deviate from the `/v1` schema."""

from collections.abc import Callable, Mapping
from typing import Any

from frontdesk.client.compat import values as readers
from frontdesk.client.compat.aliases import (
    CURRENT_METRICS,
    FIGURE_NAMES,
    METRIC_VALUES,
    PREVIOUS_METRICS,
)
from frontdesk.client.compat.envelopes import ABSENT, at, normalise_names, snake, values_at
from frontdesk.client.compat.rows import normalise_row
from frontdesk.wire import Counts
from frontdesk.wire.reports import ChannelMetrics, LiveCounts, Metrics, PricingCount
from frontdesk.wire.values import STATUSES

Remark = Callable[[str], None]

_KNOWN_COUNTS = frozenset({*Counts.model_fields, "data", "meta", "counts"})


def counts_in(body: Any, remark: Remark) -> Any:
    """Normalised counts of a body; None if it has none."""
    body = _by_name(body)
    if not isinstance(body, Mapping):
        return None
    members = normalise_names(dict(body), 2)
    for name in ("data", "meta", "counts"):
        inner = _by_name(members.get(name))
        if isinstance(inner, dict):
            members = {**members, **inner}
    by_status = _by_name(members.get("by_status"))
    sets = {status: members.get(status) for status in STATUSES}
    if by_status is None and _has_count_sets(sets):
        by_status = sets
    members["by_status"] = by_status
    counts = normalise_row(members, Counts, remark)
    if not _has_count_sets(by_status):
        counts.pop("by_status", None)
    _remark_on_others(members, remark)
    has_counts = any(readers.whole(value) is not ABSENT for value in counts.values())
    if "all" not in counts and all(status in counts for status in STATUSES):
        counts["all"] = sum(counts[status] for status in STATUSES)
    return counts if has_counts else None


def report_in(body: Any, remark: Remark) -> Any:
    """Normalised report of a body; None if it has no metrics."""
    body = _by_name(body)
    if not isinstance(body, Mapping):
        return None
    members = normalise_names(dict(body), 2)
    current = _figures(members, CURRENT_METRICS) or members
    metrics = _metrics(current, "", remark)
    if not metrics:
        return None
    previous = _metrics(_figures(members, PREVIOUS_METRICS) or {}, "", remark)
    report = {name: members[name] for name in ("outgoing_by_author",) if name in members}
    report["period"] = _period(members.get("period"))
    if isinstance(members.get("previous_period"), dict) and "from" in members["previous_period"]:
        report["previous_period"] = _period(members["previous_period"])
    report["channel"] = _value(readers.identifier(members.get("channel")))
    report["metrics"] = metrics
    report["previous"] = previous or _metrics(current, "previous", remark) or None
    if isinstance(members.get("live"), dict):
        report["live"] = normalise_row(normalise_names(members["live"]), LiveCounts, remark)
    report["channels"] = _channels(members.get("channels"), remark)
    report["pricing"] = _pricing(members.get("pricing"), remark)
    for name in ("series", "previous_series"):
        if isinstance(members.get(name), list):
            report[name] = members[name]
    return report


def _channels(channels: Any, remark: Remark) -> list[Any]:
    if not isinstance(channels, list):
        return []
    rows = [normalise_names(row) for row in channels if isinstance(row, dict)]
    return [
        normalise_row(row, ChannelMetrics, remark)
        for row in rows
        if isinstance(row.get("channel"), dict) and isinstance(row.get("metrics"), dict)
    ]


def _pricing(counts: Any, remark: Remark) -> list[Any]:
    rows = counts if isinstance(counts, list) else []
    counts = [
        normalise_row(normalise_names(row), PricingCount, remark)
        for row in rows
        if isinstance(row, dict)
    ]
    return [row for row in counts if isinstance(row.get("channel"), dict) and "author" in row]


def _figures(members: Mapping[str, Any], paths: tuple[str, ...]) -> Mapping[str, Any] | None:
    """First object of metrics at these paths; an object with "from" is a period."""
    for _, value in values_at(members, paths):
        figures = _by_name(value)
        if isinstance(figures, dict) and "from" not in figures:
            return figures
    return None


def _by_name(values: Any) -> Any:
    """Convert a list of named values to an object; other values are returned unchanged.

    A row is a name and a number, a name and several numbers, or numbers by name.
    """
    if not isinstance(values, list):
        return values
    members: dict[str, Any] = {}
    for row in filter(lambda value: isinstance(value, dict), values):
        row = normalise_names(row)
        path, name = next(
            ((path, name) for path, name in values_at(row, FIGURE_NAMES) if isinstance(name, str)),
            ("", ""),
        )
        if not name:
            members |= row
            continue
        rest = {other: value for other, value in row.items() if other != path}
        numbers = [value for value in rest.values() if readers.decimal(value) is not ABSENT]
        members[snake(name)] = numbers[0] if len(numbers) == 1 else rest
    return members or None


def _metrics(figures: Mapping[str, Any], part: str, remark: Remark) -> dict[str, Any]:
    """Metrics under their `/v1` names. part: "previous" for values nested in each metric."""
    plain: dict[str, Any] = {}
    for name, value in normalise_names(dict(figures)).items():
        if isinstance(value, dict):
            paths = (part,) if part else METRIC_VALUES
            value = next((inner for _, inner in values_at(value, paths)), ABSENT)
        elif part:
            continue
        if value is None or readers.decimal(value) is not ABSENT:
            plain[name] = value
    known = normalise_row(plain, Metrics, lambda sentence: None)
    read = {name: value for name, value in known.items() if name in Metrics.model_fields}
    if not part:
        for name in sorted(set(plain) - set(_named(read, plain))):
            remark(f"The report has a figure that is not known: {name}"[:100])
    return read


def _named(read: Mapping[str, Any], plain: Mapping[str, Any]) -> list[str]:
    """Input names that were recognised, including those without the prefix avg_."""
    return [name for name in plain if name in read or f"avg_{name}" in read]


def _period(value: Any) -> dict[str, str]:
    """The period; start and end are empty if the server does not send them."""
    members = value if isinstance(value, dict) else {}
    read = {name: readers.time(members.get(name)) for name in ("from", "to")}
    period = {name: moment if isinstance(moment, str) else "" for name, moment in read.items()}
    zone = at(members, "timezone")
    return {**period, **({"timezone": zone} if isinstance(zone, str) else {})}


def _value(read: Any) -> Any:
    return None if read is ABSENT else read


def _has_count_sets(by_status: Any) -> bool:
    return isinstance(by_status, dict) and all(
        isinstance(by_status.get(status), dict) for status in STATUSES
    )


def _remark_on_others(members: Mapping[str, Any], remark: Remark) -> None:
    for name, value in members.items():
        known = name in _KNOWN_COUNTS or name.removesuffix("_count") in _KNOWN_COUNTS
        if not known and readers.whole(value) is not ABSENT:
            remark(f"There is a count that is not known: {name}"[:100])
