"""Order of the rows of a report's tables: by a figure, its change, percentiles or target."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from frontdesk.errors import BadSettings
from frontdesk.reports.figures import FIGURES
from frontdesk.reports.metrics import (
    NOW_FIGURES,
    BreakdownRow,
    Figure,
    Measured,
    now_value,
    spread_of,
    target_of,
    value_of,
)

R = TypeVar("R")

NAME = "name"
CHANGE = "change"
# What of a figure rows are sorted by, beside its value.
ASPECTS = (CHANGE, "p50", "p90", "in_time")
# Figures of this moment by the names that people type.
NOW_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "open": "open",
        "waits": "waiting",
        "longest": "longest_waiting_since",
        "unread": "unread",
        "over_first": "over_first_response",
        "over_reply": "over_reply",
        **{key: key for key in NOW_FIGURES if key.startswith("waiting_")},
    }
)


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """Sorts rows by a figure, the highest first. field: of a metric or of now, or "name".

    aspect: of the figure, one of ASPECTS; "" for its value. reverse: the lowest first. Names are
    sorted from A on.
    """

    field: str
    aspect: str = ""
    reverse: bool = False

    @property
    def key(self) -> str:
        """Field and aspect as one word, such as avg_reply_time:change."""
        return ":".join(filter(None, (self.field, self.aspect)))


def parse_order(text: str, *, reverse: bool = False) -> ReportOrder:
    """Parse a figure as people write it, or its field, and an aspect of it after a colon.

    Raises: BadSettings: an unknown figure or aspect.
    """
    figure, _, aspect = text.strip().casefold().partition(":")
    if figure == CHANGE and not aspect:
        return ReportOrder("", CHANGE, reverse)
    field = FIGURES.get(figure) or NOW_NAMES.get(figure, figure)
    if field not in (NAME, *FIGURES.values(), *NOW_FIGURES):
        known = ", ".join((NAME, CHANGE, *FIGURES, *NOW_NAMES))
        raise BadSettings(f"There is no column {figure!r}: there is {known}")
    if aspect and (aspect not in ASPECTS or field not in FIGURES.values()):
        raise BadSettings(
            f"{text!r} is no order: after a figure there may be :{', :'.join(ASPECTS)}"
        )
    return ReportOrder(field, aspect, reverse)


def sorted_groups(groups: Iterable[BreakdownRow], order: ReportOrder) -> list[BreakdownRow]:
    """Sort rows of a breakdown; those without a value come last."""
    if order.field == NAME:
        return sorted(groups, key=lambda row: row.name.casefold(), reverse=order.reverse)
    return _sorted([(group, _value_of(group, order)) for group in groups], order)


def sorted_measured(
    rows: Sequence[tuple[R, Measured, Measured | None]], order: ReportOrder
) -> list[R]:
    """Sort rows by their figures of this and the previous period; without values last."""
    return _sorted([(row, _figure_of(now, then, order)) for row, now, then in rows], order)


def sorted_figures(figures: Sequence[Figure], order: ReportOrder) -> list[Figure]:
    """Sort figures by their change; those without one come last. Other orders change nothing."""
    if order.aspect != CHANGE or order.field:
        return [*figures]
    return _sorted([(figure, relative(figure.now, figure.then)) for figure in figures], order)


def has_order(groups: Iterable[BreakdownRow], order: ReportOrder) -> bool:
    """Check if at least one row has a value that an order sorts by."""
    return order.field == NAME or any(_value_of(group, order) is not None for group in groups)


def relative(now: float | None, then: float | None) -> float | None:
    """Relative change; infinite from 0, None if a value is missing."""
    if now is None or then is None:
        return None
    if then == 0:
        return math.inf if now else 0.0
    return (now - then) / then


def _sorted(rows: Sequence[tuple[R, float | None]], order: ReportOrder) -> list[R]:
    known = [(row, value) for row, value in rows if value is not None]
    known.sort(key=lambda pair: pair[1], reverse=not order.reverse)
    return [row for row, _ in known] + [row for row, value in rows if value is None]


def _value_of(group: BreakdownRow, order: ReportOrder) -> float | None:
    if order.field not in NOW_FIGURES:
        return _figure_of(group.current, group.previous, order)
    if order.field == "longest_waiting_since":
        since = group.now.longest_waiting_since_time if group.now else None
        return None if since is None else -since.timestamp()
    value = now_value(group.now, order.field)
    return float(value) if isinstance(value, int) else None


def _figure_of(now: Measured, then: Measured | None, order: ReportOrder) -> float | None:
    match order.aspect:
        case "change":
            return relative(value_of(now, order.field), value_of(then, order.field))
        case "p50" | "p90":
            percentile: float | None = getattr(spread_of(now, order.field), order.aspect, None)
            return percentile
        case "in_time":
            target = target_of(now, order.field)
            return target.within / target.samples if target and target.samples else None
    return value_of(now, order.field)
