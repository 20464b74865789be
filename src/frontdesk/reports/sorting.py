"""Order of the rows of a report's tables: by any of their columns, or by a change.

The columns of a table are listed here where screen and shell share them. Words are sorted from A on
and without accents, numbers from the highest, both the other way round in reverse; rows without a
value come last in both directions. Rows that are alike are in the order of the table's first column
from A on, then as they are listed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.reports.figures import FIGURES
from frontdesk.reports.metrics import (
    NOW_FIGURES,
    Breakdown,
    BreakdownRow,
    Figure,
    Measured,
    Metric,
    now_figures,
    now_value,
    shown_metrics,
    spread_of,
    target_of,
    value_of,
)
from frontdesk.text.clean import folded
from frontdesk.wire.reports import Percentiles, TargetShare

R = TypeVar("R")

# The first column of each table, which has a heading of its own too.
NAME = "name"
CHANGE = "change"
# What of a figure rows are sorted by, beside its value.
ASPECTS = (CHANGE, "p50", "p90", "in_time")

# Of figures with different units, the unit comes first: durations are above counts.
SortValue: TypeAlias = float | tuple[bool, float] | str


class SortColumn(NamedTuple, Generic[R]):
    """A column by its key, as people type it, and the value of a row in it.

    ascending: the lowest, or A, comes first.
    """

    key: str
    value: "Callable[[R], SortValue | None]"
    ascending: bool = False

    @property
    def title(self) -> str:
        """The key as a name for people: In time."""
        return self.key.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """Sorts rows by the column with this key; reverse: the other way round than at first."""

    key: str
    reverse: bool = False


def heading_key(heading: str) -> str:
    """Key of a column by its heading: first_response."""
    return heading.lower().replace(" ", "_")


FIGURE_KEYS: Mapping[str, str] = MappingProxyType({field: key for key, field in FIGURES.items()})
# Waits by age have headings that a shell would read as its own.
NOW_KEYS: Mapping[str, str] = MappingProxyType(
    {
        field: field if field.startswith("waiting_") else heading_key(heading)
        for field, heading in NOW_FIGURES.items()
    }
)
# The names of the API, where they are not the key of another column.
_FIELD_KEYS = {
    field: key for field, key in {**NOW_KEYS, **FIGURE_KEYS}.items() if field not in FIGURES
}


def parse_order(text: str) -> ReportOrder:
    """Parse a column as people write it, such as `name`, `First response` or `waiting:change`.

    A - before it is the other way round.
    """
    written = text.strip().casefold()
    key = written.removeprefix("-").strip().replace(" ", "_").replace("-", "_")
    figure, colon, aspect = key.partition(":")
    return ReportOrder(f"{_FIELD_KEYS.get(figure, figure)}{colon}{aspect}", written[:1] == "-")


def check_order(order: ReportOrder, columns: Iterable[SortColumn[R]]) -> None:
    """Raise BadSettings, with the columns that there are, unless the order's is among these."""
    keys = list(dict.fromkeys(column.key for column in columns))
    if order.key in (NAME, *keys):
        return
    plain = ", ".join([NAME, *(key for key in keys if ":" not in key)])
    present = {key.partition(":")[2] for key in keys}
    aspects = ", ".join(f":{aspect}" for aspect in ASPECTS if aspect in present)
    more = f", and after a figure {aspects}" if aspects else ""
    raise BadSettings(f"There is no column {order.key!r} in these tables: there is {plain}{more}")


def column_of(columns: Sequence[SortColumn[R]], order: ReportOrder | None) -> SortColumn[R] | None:
    """The column that rows are sorted by; None if the table has no such column."""
    if order is None:
        return None
    if order.key == NAME:
        return columns[0]
    return next((column for column in columns if column.key == order.key), None)


def sort_rows(
    rows: Iterable[R], columns: Sequence[SortColumn[R]], order: ReportOrder | None
) -> list[R]:
    """Sort rows; a table that does not have the order's column stays as it is listed."""
    column = column_of(columns, order)
    if column is None or order is None:
        return [*rows]
    listed = rows if column is columns[0] else _sorted(rows, columns[0], reverse=False)
    return _sorted(listed, column, reverse=order.reverse)


def _sorted(rows: Iterable[R], column: SortColumn[R], *, reverse: bool) -> list[R]:
    known, unknown = [], []
    for row in rows:
        value = column.value(row)
        if value is None:
            unknown.append(row)
        else:
            known.append((folded(value) if isinstance(value, str) else value, row))
    known.sort(key=lambda pair: pair[0], reverse=column.ascending == reverse)
    return [row for _, row in known] + unknown


def relative(now: float | None, then: float | None) -> float | None:
    """Relative change; infinite from 0, None if a value is missing."""
    if now is None or then is None:
        return None
    if then == 0:
        return math.inf if now else 0.0
    return (now - then) / then


# Columns


class Compared(Protocol):
    """A row with the figures of a period, and of the period before."""

    @property
    def current(self) -> Measured: ...

    @property
    def previous(self) -> Measured | None: ...


C = TypeVar("C", bound=Compared)


def figure_columns(metrics: Iterable[Metric], rows: Sequence[C]) -> list[SortColumn[C]]:
    """Columns of figures, each followed by its change, percentiles and target if a row has them.

    Without rows, they are not known to be missing.
    """
    columns: list[SortColumn[C]] = []
    for metric in metrics:
        field, key = metric.field, FIGURE_KEYS[metric.field]
        columns.append(SortColumn(key, partial(_value, field)))
        if not rows or any(row.previous for row in rows):
            columns.append(SortColumn(f"{key}:{CHANGE}", partial(_change, field)))
        if not rows or any(spread_of(row.current, field) for row in rows):
            columns += [
                SortColumn(f"{key}:{name}", partial(_percentile, field, name))
                for name in ("p50", "p90")
            ]
        if not rows or any(target_of(row.current, field) for row in rows):
            columns.append(SortColumn(f"{key}:in_time", partial(_in_time, field)))
    return columns


def _value(field: str, row: Compared) -> float | None:
    return value_of(row.current, field)


def _change(field: str, row: Compared) -> float | None:
    return relative(value_of(row.current, field), value_of(row.previous, field))


def _percentile(field: str, name: str, row: Compared) -> float | None:
    return percentile(spread_of(row.current, field), name)


def _in_time(field: str, row: Compared) -> float | None:
    return share_in_time(target_of(row.current, field))


def percentile(spread: Percentiles | None, name: str) -> float | None:
    """The percentile "p50" or "p90" in seconds."""
    value: float | None = getattr(spread, name, None)
    return value


def share_in_time(target: TargetShare | None) -> float | None:
    """Share of durations within a target, from 0 to 1; None without durations."""
    return target.within / target.samples if target and target.samples else None


def group_columns(
    breakdown: Breakdown, groups: Sequence[BreakdownRow]
) -> list[SortColumn[BreakdownRow]]:
    """Columns of a breakdown: the name, what is the case now, and the figures."""
    return [
        SortColumn(heading_key(breakdown.heading), lambda row: row.name, ascending=True),
        *(_now_column(field) for field in now_figures(groups)),
        *figure_columns(breakdown_metrics(breakdown, groups), groups),
    ]


def breakdown_metrics(breakdown: Breakdown, groups: Sequence[BreakdownRow]) -> tuple[Metric, ...]:
    """Metrics that the rows of a breakdown have; all of them without rows."""
    if not groups:
        return breakdown.metrics
    return shown_metrics(breakdown.metrics, [group.current for group in groups])


def _now_column(field: str) -> SortColumn[BreakdownRow]:
    return SortColumn(NOW_KEYS[field], partial(_now, field), ascending=field == "availability")


def _now(field: str, group: BreakdownRow) -> SortValue | None:
    if field == "longest_waiting_since":
        since = group.now.longest_waiting_since_time if group.now else None
        return None if since is None else -since.timestamp()
    return now_value(group.now, field)


def metric_columns(figures: Sequence[Figure]) -> list[SortColumn[Figure]]:
    """Columns of the table of all figures, as far as there is something in them."""
    columns: list[SortColumn[Figure]] = [
        SortColumn("metric", lambda figure: figure.metric.name, ascending=True),
        SortColumn("this", lambda figure: _with_unit(figure.metric, figure.now)),
    ]
    if any(figure.spread for figure in figures):
        columns += [
            SortColumn("p50", lambda figure: percentile(figure.spread, "p50")),
            SortColumn("p90", lambda figure: percentile(figure.spread, "p90")),
        ]
    if any(figure.target for figure in figures):
        columns.append(SortColumn("in_time", lambda figure: share_in_time(figure.target)))
    columns += [
        SortColumn("previous", lambda figure: _with_unit(figure.metric, figure.then)),
        SortColumn(CHANGE, lambda figure: relative(figure.now, figure.then)),
    ]
    if any(figure.samples is not None for figure in figures):
        columns.append(SortColumn("samples", lambda figure: figure.samples))
    return columns


def _with_unit(metric: Metric, value: float | None) -> tuple[bool, float] | None:
    return None if value is None else (metric.timed, value)
