"""Cells of a report's tables."""

import pytest

from frontdesk.reports.metrics import BLOCKS
from frontdesk.reports.registry import DIMENSIONS
from frontdesk.tui.reports.tables import GroupTable, fit_right


@pytest.mark.parametrize("part", DIMENSIONS)
def test_each_heading_has_a_blank_before_it_and_the_mark_of_the_order_behind(part: str) -> None:
    table = GroupTable(BLOCKS, id="channels")
    table.put_groups(part, (), None)
    for key, _ in table.orders():
        table.order_by(key)
        ((_, heading),) = table.head(400)
        columns = table.columns_for(400)
        assert (heading.count("▼") + heading.count("▲")) == 1
        start = table.name_width(400)
        for column in columns:
            cell = heading[start : start + column.width]
            assert cell.startswith(" ")
            assert cell.strip(" ▲▼") == (column.short or column.heading).upper()
            start += column.width


def test_a_value_stands_at_the_right_of_its_cells() -> None:
    assert [fit_right(text, 4) for text in ("", "7", "日本", "12345")] == [
        "    ", "   7", "日本", "123…",
    ]  # fmt: skip
