"""Order of the rows of a report's tables."""

import pytest

from frontdesk.errors import BadSettings
from frontdesk.reports.metrics import BreakdownRow, figures_of
from frontdesk.reports.sorting import (
    ReportOrder,
    has_order,
    parse_order,
    sorted_figures,
    sorted_groups,
)
from frontdesk.wire.reports import (
    Metrics,
    Percentiles,
    PersonFigures,
    PersonNow,
    Report,
    ZonedPeriod,
)


def row(name: str, reply: float | None, before: float | None, waiting: int = 0) -> BreakdownRow:
    spread = {"avg_reply_time": Percentiles(p90=None if reply is None else 100 - reply)}
    return BreakdownRow(
        "user",
        name,
        name,
        name,
        PersonFigures(avg_reply_time=reply, spread=spread),
        PersonFigures(avg_reply_time=before),
        PersonNow(waiting=waiting),
    )


ROWS = (row("bo", 20.0, 10.0), row("Ana", 30.0, 60.0, 3), row("Cy", None, 5.0), row("di", 5.0, 0.0))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("waiting", ["Ana", "bo", "di", "Cy"]),
        ("avg_reply_time", ["Ana", "bo", "di", "Cy"]),
        # From nothing is the largest change; without a value comes last.
        ("waiting:change", ["di", "bo", "Ana", "Cy"]),
        ("waiting:p90", ["di", "bo", "Ana", "Cy"]),
        ("waits", ["Ana", "bo", "Cy", "di"]),
        ("name", ["Ana", "bo", "Cy", "di"]),
    ],
)
def test_rows_are_sorted_by_a_figure_its_change_or_percentile_or_by_name(
    text: str, names: list[str]
) -> None:
    assert [each.name for each in sorted_groups(ROWS, parse_order(text))] == names


def test_in_reverse_the_lowest_is_first_and_no_value_still_last() -> None:
    rows = sorted_groups(ROWS, parse_order("waiting", reverse=True))
    assert [each.name for each in rows] == ["di", "bo", "Ana", "Cy"]


def test_rows_without_the_column_have_no_order_by_it() -> None:
    assert has_order(ROWS, parse_order("waiting:p90"))
    assert not has_order(ROWS, parse_order("new"))


def test_figures_are_sorted_by_their_change() -> None:
    report = Report(
        period=ZonedPeriod(from_="", to=""),
        metrics=Metrics(conversations_count=4, resolutions_count=9, avg_reply_time=None),
        previous=Metrics(conversations_count=2, resolutions_count=3, avg_reply_time=1.0),
    )
    figures = sorted_figures(figures_of(report), parse_order("change"))
    assert [figure.metric.field for figure in figures] == [
        *("resolutions_count", "conversations_count", "avg_reply_time")
    ]
    assert sorted_figures(figures, ReportOrder("resolutions_count")) == figures


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("speed", "There is no column 'speed': there is name, change, new"),
        ("waiting:p99", "after a figure there may be :change, :p50, :p90, :in_time"),
        ("waits:change", "'waits:change' is no order"),
    ],
)
def test_an_order_that_is_none_says_which_there_are(text: str, words: str) -> None:
    with pytest.raises(BadSettings, match=words):
        parse_order(text)
