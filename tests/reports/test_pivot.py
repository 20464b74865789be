"""Figures of persons by part of a period: tables, CSV, and a choice of figures."""

from datetime import UTC

import pytest

from frontdesk.reports.export import markdown, rows
from frontdesk.reports.figures import brief_report, parse_figures, with_figures
from frontdesk.reports.sheets import parse_order, tables
from frontdesk.wire import Ref
from frontdesk.wire.reports import (
    EveryoneReport,
    Metrics,
    PersonBucket,
    PersonFigures,
    Report,
    UserReport,
    ZonedPeriod,
)

DAYS = ("2026-05-04", "2026-05-05", "2026-05-06")


def figures(sent: int, first: float | None = None) -> PersonFigures:
    return PersonFigures(
        outgoing_messages_count=sent,
        answered_conversations_count=sent,
        avg_first_response_time=first,
        avg_reply_time=None,
        resolutions_count=0,
        avg_resolution_time=None,
    )


def person(name: str | None, *days: PersonFigures) -> UserReport:
    total = sum(day.outgoing_messages_count for day in days)
    return UserReport(
        user=name and Ref(id=name, name=name),
        current=figures(total, 75.0 if total else None),
        series=series(*days),
    )


def series(*days: PersonFigures) -> tuple[PersonBucket, ...]:
    return tuple(
        PersonBucket(start=f"{day}T00:00:00.000Z", end=f"{day}T23:59:59.999Z", metrics=metrics)
        for day, metrics in zip(DAYS, days, strict=True)
    )


REPORT = Report(
    period=ZonedPeriod(from_="2026-05-04T00:00:00.000Z", to="2026-05-07T00:00:00.000Z"),
    metrics=Metrics(),
    users=(
        person("Ivo", figures(3, 60.0), figures(0), figures(2, 90.0)),
        person("Uma", figures(1), figures(9), figures(4)),
        person("Pia", figures(0), figures(0), figures(0)),
    ),
    everyone=EveryoneReport(
        current=figures(19, 75.0), series=series(figures(4, 60.0), figures(9), figures(6, 90.0))
    ),
)


def pivots(report: Report, order: str = "") -> dict[str, list[tuple[str, ...]]]:
    found = tables(report, UTC, parse_order(order) if order else None)
    return {
        table.headings[0]: [table.headings[1:], *table.rows]
        for table in found
        if table.headings[-1] == "Period"
    }


def test_each_person_is_a_row_with_the_days_and_the_whole_period() -> None:
    assert pivots(REPORT) == {
        "Messages sent": [
            (*DAYS, "Period"),
            ("Ivo", "3", "0", "2", "5"),
            ("Uma", "1", "9", "4", "14"),
            ("all", "4", "9", "6", "19"),
        ],
        "First response, mean": [
            (*DAYS, "Period"),
            ("Ivo", "1m00s", "–", "1m30s", "1m15s"),
            ("Uma", "–", "–", "–", "1m15s"),
            ("all", "1m00s", "–", "1m30s", "1m15s"),
        ],
    }


@pytest.mark.parametrize(
    ("order", "names"), [("2026-05-05", ["Uma", "Ivo", "all"]), ("-period", ["Ivo", "Uma", "all"])]
)
def test_a_day_is_a_column_that_rows_are_sorted_by(order: str, names: list[str]) -> None:
    assert [row[0] for row in pivots(REPORT, order)["Messages sent"][1:]] == names


def test_chosen_figures_have_a_table_each() -> None:
    narrowed = with_figures(REPORT, parse_figures("answered,sent"), ["users"])
    assert [*pivots(narrowed)] == ["Messages sent", "Conversations answered"]


def test_a_day_of_a_person_is_a_row_of_csv_that_sums_of_persons_leave_out() -> None:
    found = [row for row in rows(REPORT) if row[6] == "outgoing_messages_count"]
    ivo = [(row[0], row[3], row[7]) for row in found if row[1] == "Ivo"]
    start = "2026-05-04T00:00:00.000Z"
    assert ivo[:2] == [("user", start, 5), ("user_part", start, 3)]
    assert [row[7] for row in found if row[0] == "everyone_part"] == [4, 9, 6]


def test_briefly_there_is_a_table_for_each_figure_too() -> None:
    head, rows, last = brief_report(REPORT, "user", UTC, per="day")
    assert [*head[1:], *rows, *last] == [
        "",
        "First response, mean | 2026_05_04 | 2026_05_05 | 2026_05_06 | period",
        "Ivo | 1m00s | – | 1m30s | 1m15s",
        "Uma | – | – | – | 1m15s",
        "all | 1m00s | – | 1m30s | 1m15s",
        "",
        "Messages sent | 2026_05_04 | 2026_05_05 | 2026_05_06 | period",
        "Ivo | 3 | 0 | 2 | 5",
        "Uma | 1 | 9 | 4 | 14",
        "all | 4 | 9 | 6 | 19",
    ]


def test_markdown_has_the_same_tables() -> None:
    assert "| Messages sent | 2026-05-04 | 2026-05-05 |" in markdown(REPORT, UTC)
