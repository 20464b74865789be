"""Columns of a report's tables by the width that there is."""

import pytest

from frontdesk.tui.reports.tables import (
    COLUMNS,
    Columns,
    columns_for,
    fit_right,
    name_width,
    shown_columns,
)


@pytest.mark.parametrize(
    ("width", "spread", "target", "columns"),
    [
        (24, True, True, (8, 9, 0, 0, 0, 1, 10, 0, 0)),
        (53, True, True, (33, 9, 0, 0, 0, 1, 10, 0, 0)),
        (54, False, False, (21, 9, 0, 0, 9, 2, 13, 0, 0)),
        (57, True, False, (21, 9, 0, 0, 9, 2, 16, 0, 0)),
        (58, True, False, (21, 9, 9, 0, 0, 2, 8, 0, 0)),
        (54, False, True, (21, 9, 0, 13, 0, 2, 9, 0, 0)),
        (70, True, True, (21, 9, 0, 0, 9, 2, 29, 0, 0)),
        (71, True, True, (21, 9, 9, 13, 0, 2, 8, 0, 0)),
        (72, False, False, (21, 9, 0, 0, 10, 2, 19, 11, 0)),
        (78, True, False, (21, 9, 9, 0, 0, 2, 19, 0, 0)),
        (79, True, False, (21, 9, 9, 0, 10, 2, 19, 0, 0)),
        (88, True, False, (21, 9, 9, 0, 10, 2, 19, 0, 0)),
        (89, True, False, (21, 9, 9, 0, 10, 2, 19, 10, 0)),
        (91, True, True, (21, 9, 9, 13, 0, 2, 19, 0, 0)),
        (92, True, True, (21, 9, 9, 13, 10, 2, 19, 0, 0)),
        (97, False, False, (21, 9, 0, 0, 10, 2, 19, 36, 0)),
        (98, False, False, (26, 12, 0, 0, 12, 3, 20, 12, 13)),
        (110, False, True, (21, 9, 0, 13, 10, 2, 19, 36, 0)),
        (111, False, True, (26, 12, 0, 13, 12, 3, 20, 12, 13)),
        (118, True, False, (26, 12, 10, 0, 12, 3, 20, 12, 13)),
        (131, True, True, (26, 12, 10, 13, 12, 3, 20, 12, 13)),
        (150, False, False, (26, 12, 0, 0, 12, 3, 20, 64, 13)),
        (170, False, False, (26, 12, 0, 0, 12, 3, 20, 64, 13)),
    ],
)
def test_metrics_have_the_columns_that_fit(
    width: int, spread: bool, target: bool, columns: tuple[int, ...]
) -> None:
    assert columns_for(width, spread=spread, target=target) == Columns(*columns)


@pytest.mark.parametrize(
    ("width", "name", "channels", "users"),
    [
        (30, 8, 3, 3),
        (40, 12, 3, 4),
        (55, 27, 3, 4),
        (56, 16, 4, 5),
        (80, 16, 5, 7),
        (97, 16, 7, 8),
        (98, 24, 5, 8),
        (130, 24, 8, 10),
        (200, 24, 10, 16),
    ],
)
def test_a_breakdown_has_the_first_columns_that_fit_beside_the_name(
    width: int, name: int, channels: int, users: int
) -> None:
    assert name_width(width) == name
    for part, shown in {"channels": channels, "users": users}.items():
        columns = COLUMNS[part]
        assert len(shown_columns(columns, width, columns[0].key)) == shown


@pytest.mark.parametrize("part", COLUMNS)
@pytest.mark.parametrize("width", [40, 80, 98, 130])
def test_the_column_of_the_order_is_always_there(part: str, width: int) -> None:
    for column in COLUMNS[part]:
        shown = shown_columns(COLUMNS[part], width, column.key)
        assert column in shown
        assert shown == [one for one in COLUMNS[part] if one in shown]


def test_a_value_stands_at_the_right_of_its_cells() -> None:
    assert [fit_right(text, 4) for text in ("", "7", "日本", "12345")] == [
        "    ", "   7", "日本", "123…",
    ]  # fmt: skip
