"""The table of what messages are charged as: its sums, and what has no price."""

from datetime import UTC

import pytest

from frontdesk.reports.sheets import PRICED_BY, FigureTable, tables
from frontdesk.wire import Ref
from frontdesk.wire.reports import Metrics, PricingCount, Report, ZonedPeriod


def charged(category: str, count: int, billable: int, previous: int = 0) -> PricingCount:
    return PricingCount(
        channel=Ref(id="1", name="London"),
        author="campaign",
        category=category,
        type="regular",
        count=count,
        billable_count=billable,
        previous_count=previous,
    )


def pricing(sent: int | None, *counts: PricingCount) -> FigureTable:
    figures = {} if sent is None else {"outgoing_messages_count": sent}
    report = Report(period=ZonedPeriod(from_="", to=""), metrics=Metrics(**figures), pricing=counts)
    (table,) = (table for table in tables(report, UTC) if table.headings[:1] == PRICED_BY[:1])
    return table


def test_the_last_row_has_the_sums() -> None:
    table = pricing(1500, charged("marketing", 1200, 1100, 7), charged("service", 30, 0, 2))
    assert table.rows[-1] == ("All", "", "", "", "1,230", "1,100", "9")
    assert table.remark == "Messages sent of which no price category is known: 270"


def test_one_row_has_no_sums_beside_it() -> None:
    assert len(pricing(1200, charged("marketing", 1200, 1100)).rows) == 1


@pytest.mark.parametrize("sent", [None, 30, 29])
def test_where_every_price_is_known_nothing_is_remarked(sent: int | None) -> None:
    assert pricing(sent, charged("service", 30, 0)).remark == ""
