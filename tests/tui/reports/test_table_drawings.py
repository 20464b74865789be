"""What the tables of a report look like at several widths: see drawings/."""

from datetime import datetime
from typing import Any

import pytest

from frontdesk.reports.metrics import ALL, ASCII, BLOCKS, BreakdownRow, groups_of
from frontdesk.reports.registry import DIMENSIONS
from frontdesk.tui.reports.authors import AuthorTable
from frontdesk.tui.reports.tables import GroupTable, MetricTable
from frontdesk.wire import Ref
from frontdesk.wire.reports import (
    AdFigures,
    AdRef,
    AdReport,
    ChannelMetrics,
    LabelReport,
    Metrics,
    Percentiles,
    PersonFigures,
    PersonNow,
    PricingCount,
    TargetShare,
    TeamReport,
    UserReport,
    WaitAges,
)
from tests.tui.compared_drawings import Drawing
from tests.tui.reports.drawn_reports import AS_OF, report

NOW = datetime.fromisoformat(AS_OF)


def table_lines(table: Any, width: int) -> list[Any]:
    """The heading, and the lines of all rows."""
    rows = (line for at in range(len(table.rows)) for line in table.draw(at, width))
    return [table.head(width), *rows]


def test_figures_stand_in_the_columns_that_fit(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for detailed in (False, True):
        table = MetricTable(BLOCKS, id="metrics")
        table.series_part, table.series_dates = "DAY", "12 – 14 Mar"
        table.put_report(report(detailed=detailed))
        for width in (30, 56, 75, 84, 100, 131) if not detailed else (60, 97, 131):
            drawing.add(f"{width}{' with details' * detailed}", table_lines(table, width))
        table.order_by("this")
        drawing.add(f"by this{' with details' * detailed}", table_lines(table, 131))
        table.order_by("this")
        drawing.add(f"by this, reversed{' with details' * detailed}", table_lines(table, 60))
    drawing.compare(pytestconfig, "figures")


def person(
    name: str | None, figures: dict[str, Any], now: dict[str, Any] | None = None
) -> UserReport:
    before = {"avg_reply_time": 100.0, "avg_first_response_time": 60.0}
    return UserReport(
        user=Ref(id=name, name=name) if name else None,
        current=PersonFigures(**figures),
        previous=PersonFigures(**before),
        now=PersonNow(**now) if now else None,
    )


PEOPLE = (
    person(
        "Ana Ruiz",
        {
            "outgoing_messages_count": 1200,
            "answered_conversations_count": 41,
            "avg_first_response_time": 30.0,
            "avg_reply_time": 7260.0,
            "resolutions_count": 0,
            "spread": {"avg_reply_time": Percentiles(p50=90.0, p90=4000.0, approximate=True)},
            "targets": {"reply": TargetShare(target_seconds=900, within=1, samples=3)},
        },
        {
            "availability": "online",
            "open": 11,
            "waiting": 5,
            "longest_waiting_since": "2026-03-14T04:30:00.000Z",
            "unread": 3,
            "waits": WaitAges(under_1h=1, under_4h=1, under_1d=3, over_1d=0),
            "over_first_response": 0,
            "over_reply": 2,
        },
    ),
    person("Bartholomew Featherstonehaugh", {"resolutions_count": 3}, {"waits": WaitAges()}),
    person(None, {}),
)


def metrics(**values: Any) -> Metrics:
    return Metrics(**{"conversations_count": 10, "avg_first_response_time": 600.0, **values})


PARTS = report(
    users=PEOPLE,
    teams=tuple(
        TeamReport(team=Ref(id="1", name="London"), current=one.current, now=one.now)
        for one in PEOPLE[:1]
    ),
    channels=(
        ChannelMetrics(
            channel=Ref(id="1", name="Support EU"),
            metrics=metrics(incoming_messages_count=88, avg_reply_time=90.0, reopened_count=2),
            previous=metrics(conversations_count=20),
        ),
        ChannelMetrics(
            channel=Ref(id="2", name="Shop"),
            metrics=metrics(
                conversations_count=12345,
                bot_handoffs_count=4,
                bot_resolutions_count=5,
                outgoing_messages_count=6,
                resolutions_count=7,
                avg_resolution_time=100_000.0,
            ),
            previous=metrics(avg_first_response_time=300.0),
        ),
    ),
    labels=(LabelReport(label=Ref(id="3", name="complaint"), current=metrics()),),
    ads=(
        AdReport(
            ad=AdRef(id="5", name="Spring sale"),
            current=AdFigures(
                ad_conversations_count=9,
                conversations_count=8,
                resolutions_count=7,
                avg_first_response_time=60.0,
                avg_reply_time=61.0,
                avg_resolution_time=62.0,
            ),
            previous=AdFigures(ad_conversations_count=3, avg_first_response_time=60.0),
        ),
    ),
)


@pytest.mark.parametrize("part", DIMENSIONS)
def test_rows_of_a_breakdown_stand_in_the_columns_that_fit(
    pytestconfig: pytest.Config, part: str
) -> None:
    drawing = Drawing()
    groups = groups_of(PARTS, part) or []
    every = BreakdownRow(
        groups[0].scope, ALL, None, ALL, groups[0].current, groups[0].previous, groups[0].now
    )
    table = GroupTable(BLOCKS, id="channels")
    table.put_groups(part, groups, NOW, every)
    for width in (30, 55, 60, 97, 98, 130, 250):
        drawing.add(f"{width}", table_lines(table, width))
    for key, name in table.orders():
        table.order_by(key)
        drawing.add(f"by {name}", [table.head(60), table.head(100), *table_lines(table, 40)])
    table.order_by("")
    drawing.add("as listed", table_lines(table, 60))
    drawing.compare(pytestconfig, f"breakdown-{part}")


def test_a_row_is_selected_as_soon_as_it_is_there_and_once() -> None:
    table = GroupTable(ASCII, id="channels")
    groups = groups_of(PARTS, "users") or []
    table.seek(groups[2].key)
    table.put_groups("users", groups[:2], NOW)
    assert table.cursor == 0
    table.put_groups("users", groups, NOW)
    assert table.cursor == 2
    table.go_to(0)
    table.put_groups("users", groups, NOW)
    assert table.cursor == 0


def test_columns_of_rows_that_are_not_there_yet_are_those_of_a_server_that_sends_all(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    for part in DIMENSIONS:
        table = GroupTable(ASCII, id="channels")
        table.put_groups(part, (), None)
        drawing.add(part, [table.head(width) for width in (60, 98, 250)])
        drawing.add_text(f"orders of {part}", [f"{key}: {name}" for key, name in table.orders()])
    drawing.compare(pytestconfig, "breakdowns-without-rows")


def test_authors_have_bars_and_shares(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    shop = Ref(id="1", name="Shop")
    priced = tuple(
        PricingCount(
            channel=shop, author=author, category=category, type=type, count=count, billable_count=5
        )
        for author, category, type, count in (
            ("user", "service", "free_customer_service", 20),
            ("campaign", "marketing", "regular", 30),
            ("campaign", None, None, 1),
        )
    )
    shown = report(
        outgoing_by_author={
            "user": 60,
            "ai_agent": 38,
            "campaign": 1,
            "carrier_pigeon": 401,
            "phone": 0,
        },
        pricing=priced,
        metrics=Metrics(bot_resolutions_count=3, bot_handoffs_count=1),
    )
    for glyphs in (BLOCKS, ASCII):
        table = AuthorTable(glyphs, id="authors")
        drawing.add("without a report", [table.head(30)])
        table.put_report(shown, "")
        for width in (30, 48, table.least_width, 80):
            drawing.add(f"{width}", table_lines(table, width))
        table.order_by("sent_by")
        drawing.add("by name", table_lines(table, 60))
        drawing.add_text("copied", [table.words_at(at) for at in range(len(table.rows))])
    table.put_report(report(), "")
    drawing.add("nothing sent", [table.head(40)])
    drawing.compare(pytestconfig, "authors")
