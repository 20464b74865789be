"""Every table of a report for people is sorted by each of its columns, whole rows at a time."""

from collections.abc import Sequence
from datetime import UTC

import pytest

from frontdesk.errors import BadSettings
from frontdesk.reports.registry import WAIT_AGES
from frontdesk.reports.sheets import ASPECTS, FigureTable, parse_order, tables
from frontdesk.wire import Ref, ReportQuery
from frontdesk.wire.reports import (
    Bucket,
    ChannelMetrics,
    LiveCounts,
    Metrics,
    PricingCount,
    Report,
    ZonedPeriod,
)
from tests.report_parts import with_parts


def charged(category: str, author: str, count: int, billable: int, previous: int) -> PricingCount:
    return PricingCount(
        channel=Ref(id="1", name="London"),
        author=author,
        category=category,
        type="regular",
        count=count,
        billable_count=billable,
        previous_count=previous,
    )


def measured(new: int, first_response: float | None) -> Metrics:
    return Metrics(
        conversations_count=new,
        avg_first_response_time=first_response,
        avg_reply_time=first_response,
        bot_handoffs_count=new,
        bot_resolutions_count=3,
        outgoing_messages_count=1500,
    )


def bucket(day: int, new: int, first_response: float | None) -> Bucket:
    start, end = f"2026-03-{day:02}T00:00:00.000Z", f"2026-03-{day + 1:02}T00:00:00.000Z"
    return Bucket(start=start, end=end, metrics=measured(new, first_response), samples={})


REPORT = with_parts(
    Report(
        period=ZonedPeriod(from_="2026-03-04T00:00:00.000Z", to="2026-03-07T00:00:00.000Z"),
        metrics=measured(12, 80.0),
        previous=measured(15, None),
        outgoing_by_author={"campaign": 1200, "user": 40, "phone": 40, "ai_agent": 220},
        channels=tuple(
            ChannelMetrics(
                channel=Ref(id=name, name=name),
                metrics=measured(new, mean),
                previous=measured(4, 50.0),
            )
            for name, new, mean in (("Öst", 4, 60.0), ("oslo", 8, None), ("Paris", 0, 100.0))
        ),
        pricing=(
            charged("marketing", "campaign", 1200, 1100, 7),
            charged("service", "user", 30, 0, 20),
            charged("utility", "campaign", 30, 30, 0),
        ),
        live=LiveCounts(open=4),
        series=(bucket(4, 1, 30.0), bucket(5, 9, None), bucket(6, 2, 90.0)),
        previous_series=(bucket(1, 2, 10.0), bucket(2, 0, 10.0), bucket(3, 4, 5.0)),
    ),
    ReportQuery(include="users,teams,labels,hours,spread", target_reply=3600),
)
_NO_VALUES = ("–", "", "no previous")
_AGES = {f"{words} now": f"waiting_{age}" for age, words in WAIT_AGES.items()}


def keys(table: FigureTable) -> list[str]:
    """What to type for each column, from its heading."""
    found = ["name"]
    figure = ""
    for heading in table.headings[1:]:
        if heading in ASPECTS.values() and table.headings[0] not in (
            "Metric",
            "Charged as",
            "Share",
        ):
            found.append(f"{figure}:{heading}")
            continue
        figure = _AGES.get(heading, heading.removesuffix(" now"))
        found.append(figure)
    return found


def sortable(order: str = "", *, reverse: bool = False) -> list[FigureTable]:
    """The tables of the report, but for its live counts, which are one row."""
    found = parse_order("-" * reverse + order) if order else None
    return [table for table in tables(REPORT, UTC, found) if table.headings[0] != "Open now"]


def columns(table: FigureTable, *at: int) -> list[tuple[str, ...]]:
    return [tuple(row[each] for each in at) for row in table.rows]


LISTED = sortable()


def test_all_tables_of_a_report_are_there() -> None:
    assert [table.headings[0] for table in LISTED] == [
        *("Metric", "Channel", "Person", "Team", "Label", "Sent by", "Share", "Charged as"),
        *("Messages received", "First response, mean", "From"),
    ]


@pytest.mark.parametrize("at", range(len(LISTED)))
def test_a_table_is_sorted_by_any_of_its_columns_and_its_rows_stay_whole(at: int) -> None:
    for key in keys(LISTED[at]):
        stays_whole_sorted_by(at, key)


def stays_whole_sorted_by(at: int, key: str) -> None:
    table, first, last = LISTED[at], sortable(key)[at], sortable(key, reverse=True)[at]
    has_total = table.rows[-1][0] in ("all", "All")
    assert sorted(first.rows) == sorted(table.rows) == sorted(last.rows)
    if has_total:
        assert first.rows[-1] == table.rows[-1] == last.rows[-1]
    column = keys(table).index(key)
    known, back = (
        [row[column] for row in one.rows[: -1 if has_total else None]] for one in (first, last)
    )
    # Like cells are beside each other both ways, and what is first one way is last the other.
    assert distinct(known) == distinct(back)[::-1]


def distinct(cells: Sequence[str]) -> list[str]:
    """Each value once, in order."""
    return list(dict.fromkeys(cell for cell in cells if cell not in _NO_VALUES))


def by(order: str, name: str, *at: int, reverse: bool = False) -> list[tuple[str, ...]]:
    found = [table for table in sortable(order, reverse=reverse) if table.headings[0] == name]
    return columns(found[0], *at)


def test_authors_are_sorted_by_messages_or_by_name() -> None:
    assert by("messages", "Sent by", 0, 1) == [
        *(("Campaigns", "1,200"), ("AI agent", "220"), ("Agents", "40")),
        ("Agents (phone app)", "40"),
    ]
    assert by("sent_by", "Sent by", 0) == [
        *(("Agents",), ("Agents (phone app)",), ("AI agent",), ("Campaigns",))
    ]


def test_prices_are_sorted_by_a_number_a_word_or_how_far_they_changed() -> None:
    assert by("messages", "Charged as", 0, 4) == [
        *(("marketing", "1,200"), ("service", "30"), ("utility", "30"), ("All", "1,260"))
    ]
    assert by("Sent by", "Charged as", 0, 3) == [
        *(("service", "Agents"), ("marketing", "Campaigns"), ("utility", "Campaigns"), ("All", ""))
    ]
    assert by("change", "Charged as", 0, 7) == [
        *(("utility", "new"), ("marketing", "▲ >10x"), ("service", "▲ 50 %")),
        ("All", "▲ >10x"),
    ]


def test_channels_are_sorted_by_name_without_accents_and_those_without_a_mean_come_last() -> None:
    assert by("channel", "Channel", 0) == [("oslo",), ("Öst",), ("Paris",), ("all",)]
    for reverse, order in ((False, "Paris Öst oslo all"), (True, "Öst Paris oslo all")):
        rows = by("first_response", "Channel", 0, reverse=reverse)
        assert [name for (name,) in rows] == order.split()


def test_days_and_hours_are_sorted_by_a_figure_and_its_change() -> None:
    assert by("new", "From", 0, 1) == [
        ("2026-03-05", "9"),
        ("2026-03-06", "2"),
        ("2026-03-04", "1"),
    ]
    assert by("new:change", "From", 0, 2) == [
        *(("2026-03-05", "new"), ("2026-03-04", "▼ 50 %"), ("2026-03-06", "▼ 50 %"))
    ]
    assert by("tue", "Messages received", 0, 2)[:2] == [("14:00", "9"), ("00:00", "1")]


def test_a_column_that_only_some_tables_have_sorts_those() -> None:
    first, *_ = sortable("billable")
    assert first == LISTED[0]


def test_a_table_without_rows_in_a_period_is_not_shown_and_its_columns_are_no_mistake() -> None:
    quiet = REPORT.model_copy(update={"outgoing_by_author": {}, "pricing": (), "labels": ()})
    for order in ("messages", "billable", "label", "new:change"):
        shown = [table.headings[0] for table in tables(quiet, UTC, parse_order(order))]
        assert not {"Sent by", "Charged as", "Label"} & {*shown}


def test_a_column_that_no_table_has_is_refused_when_the_tables_are_made() -> None:
    with pytest.raises(BadSettings, match="no column 'ad' in these tables: there is name, metric,"):
        sortable("ad")
