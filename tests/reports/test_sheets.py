"""Order of the rows of a report's tables, and which columns of them fit."""

import math

import pytest

from frontdesk.errors import BadSettings
from frontdesk.reports.metrics import BreakdownRow
from frontdesk.reports.registry import DIMENSIONS
from frontdesk.reports.sheets import (
    ReportOrder,
    check_order,
    group_sheet,
    metric_sheet,
    parse_order,
    relative,
    share_in_time,
)
from frontdesk.wire.reports import (
    Metrics,
    Percentiles,
    PersonFigures,
    PersonNow,
    Report,
    TargetShare,
    WaitAges,
    ZonedPeriod,
)


def row(
    name: str, reply: float | None, before: float | None, now: PersonNow | None = None
) -> BreakdownRow:
    spread = {"avg_reply_time": Percentiles(p90=None if reply is None else 100 - reply)}
    return BreakdownRow(
        "user",
        name,
        name,
        name,
        PersonFigures(avg_reply_time=reply, spread=spread),
        PersonFigures(avg_reply_time=before),
        now or PersonNow(),
    )


ANA = PersonNow(
    waiting=3,
    availability="online",
    longest_waiting_since="2026-03-14T04:30:00.000Z",
    waits=WaitAges(under_1h=2, over_1d=1),
)
DI = PersonNow(availability="Busy", longest_waiting_since="2026-03-13T04:30:00.000Z")
ROWS = (
    row("bo", 20.0, 10.0),
    row("Ana", 30.0, 60.0, ANA),
    row("Cy", None, 5.0),
    row("Édi", 5.0, 0.0, DI),
    row("fay", 20.0, 10.0),
)
SHEET = group_sheet(DIMENSIONS["users"], ROWS, None, None)


def names(text: str, *, reverse: bool = False) -> list[str]:
    return [each.name for each in SHEET.sorted(parse_order("-" * reverse + text))]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("waiting", "Ana bo fay Édi Cy"),
        # From nothing is the largest change; without a value comes last.
        ("waiting:change", "Édi bo fay Ana Cy"),
        ("Waiting:P90", "Édi bo fay Ana Cy"),
        ("waits", "Ana bo Cy Édi fay"),
        ("longest", "Édi Ana bo Cy fay"),
        ("status", "Édi Ana bo Cy fay"),
        ("name", "Ana bo Cy Édi fay"),
        ("person", "Ana bo Cy Édi fay"),
    ],
)
def test_rows_are_sorted_by_the_name_a_figure_its_change_or_percentile_or_what_is_the_case_now(
    text: str, order: str
) -> None:
    assert names(text) == order.split()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("waiting", "Édi bo fay Ana Cy"),
        ("waiting:change", "Ana bo fay Édi Cy"),
        ("status", "Ana Édi bo Cy fay"),
        ("name", "fay Édi Cy bo Ana"),
    ],
)
def test_in_reverse_rows_without_a_value_are_last_too_and_like_ones_in_the_same_order(
    text: str, order: str
) -> None:
    assert names(text, reverse=True) == order.split()


def test_a_table_without_the_column_stays_as_it_is_listed() -> None:
    assert names("new") == [each.name for each in ROWS]


def figures(text: str) -> list[str]:
    report = Report(
        period=ZonedPeriod(from_="", to=""),
        metrics=Metrics(conversations_count=400, resolutions_count=9, avg_reply_time=60.0),
        previous=Metrics(conversations_count=200, resolutions_count=3, avg_reply_time=None),
    )
    rows = metric_sheet(report).sorted(parse_order(text))
    return [figure.metric.heading for figure in rows]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("change", ["Resolved", "New", "Waiting"]),
        # A minute is no less than 400 conversations: durations are above counts.
        ("this", ["Waiting", "New", "Resolved"]),
        ("previous", ["New", "Resolved", "Waiting"]),
        ("metric", ["New", "Resolved", "Waiting"]),
    ],
)
def test_figures_are_sorted_by_each_of_their_columns(text: str, order: list[str]) -> None:
    assert figures(text) == order


@pytest.mark.parametrize("text", ["speed", "waits:change", "name:change", "", "waiting:p99"])
def test_a_column_that_no_table_has_is_refused_with_those_that_there_are(text: str) -> None:
    with pytest.raises(BadSettings, match="There is no column") as refused:
        check_order(parse_order(text), [SHEET])
    words = f"no column {text!r} in these tables: there is name, person, status, open, waits, "
    assert words in str(refused.value)
    assert str(refused.value).endswith(", waiting, and after a figure :change, :p50, :p90")


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("status", "Édi Ana bo Cy fay"),
        ("waiting", "Ana bo fay Édi Cy"),
        ("waits", "Ana bo Cy Édi fay"),
        ("name", "Ana bo Cy Édi fay"),
    ],
)
def test_rows_that_are_alike_are_in_the_order_of_their_names_however_they_are_listed(
    text: str, order: str
) -> None:
    rows = group_sheet(DIMENSIONS["users"], ROWS[::-1], None, None).sorted(parse_order(text))
    assert [each.name for each in rows] == order.split()


@pytest.mark.parametrize(
    ("now", "then", "change"),
    [
        *((None, 1.0, None), (1.0, None, None), (0.0, 0.0, 0.0), (3.0, 0.0, math.inf)),
        *((3.0, 2.0, 0.5), (1.0, 2.0, -0.5), (0.0, 2.0, -1.0)),
    ],
)
def test_a_change_is_relative_to_what_was_before(
    now: float | None, then: float | None, change: float | None
) -> None:
    assert relative(now, then) == change


def test_a_share_within_a_target_is_known_if_something_was_measured() -> None:
    assert share_in_time(None) is None
    assert share_in_time(TargetShare(target_seconds=60, within=0, samples=0)) is None
    assert share_in_time(TargetShare(target_seconds=60, within=0, samples=2)) == 0
    assert share_in_time(TargetShare(target_seconds=60, within=1, samples=2)) == 0.5


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (" First response ", "first_response"),
        ("first-response:P90", "first_response:p90"),
        ("Waiting:In time", "waiting:in_time"),
    ],
)
def test_a_column_is_named_by_its_heading(text: str, key: str) -> None:
    assert parse_order(text) == ReportOrder(key, reverse=False)
    assert parse_order(f"-{text}") == ReportOrder(key, reverse=True)


def fitting(room: int, order: str = "") -> list[str]:
    return [each.key for each in SHEET.fitting(room, parse_order(order) if order else None)]


def test_a_column_that_does_not_fit_leaves_whole_and_none_of_less_weight_stays_for_it() -> None:
    all_of_them = fitting(1000)
    assert all_of_them[:3] == ["status", "open", "waits"]
    for room in range(200):
        shown, more = fitting(room), fitting(room + 1)
        assert [key for key in more if key in shown] == shown
        weights = {each.key: each.weight for each in SHEET.columns}
        left = {*all_of_them} - {*shown}
        assert (
            not shown
            or not left
            or min(map(weights.__getitem__, shown)) >= max(map(weights.__getitem__, left))
        )


def test_the_waits_of_over_a_day_stay_longer_than_those_of_an_hour() -> None:
    assert "waiting_over_1d" in fitting(20)
    for room in range(200):
        assert "waiting_over_1d" in fitting(room) or "waiting_under_1h" not in fitting(room)
    assert fitting(20) == ["open", "waits", "waiting_over_1d"]


@pytest.mark.parametrize(
    ("order", "shown"),
    [
        ("waiting_under_1h", ["open", "waits", "waiting_under_1h"]),
        ("waiting:p90", ["waiting", "waiting:p90"]),
        ("-waiting:change", ["waiting", "waiting:change"]),
        ("name", ["open", "waits", "waiting_over_1d"]),
    ],
)
def test_the_column_of_the_order_is_always_there_with_the_figure_it_belongs_to(
    order: str, shown: list[str]
) -> None:
    assert fitting(20, order) == shown
