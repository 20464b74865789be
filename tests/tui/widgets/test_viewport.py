"""Viewport over rows of any height, compared with a list of all lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.widgets.viewport import Viewport
from tests.tui.compared_drawings import Drawing

HEIGHTS = st.lists(st.integers(1, 9), min_size=1, max_size=40)


def window_on(heights: list[int], height: int, *, at_bottom: bool = False) -> Viewport:
    window = Viewport(lambda: len(heights), heights.__getitem__, at_bottom=at_bottom)
    window.height = height
    return window


def first_line(window: Viewport, heights: list[int]) -> int:
    """The index of the view's first line among all lines."""
    return sum(heights[: window.top[0]]) + window.top[1]


@given(HEIGHTS, st.integers(1, 30), st.lists(st.integers(-60, 60), max_size=10))
def test_scrolling_moves_by_lines_and_stays_within_the_rows(
    heights: list[int], height: int, steps: list[int]
) -> None:
    window = window_on(heights, height)
    lowest = max(0, sum(heights) - height)
    expected = 0
    for step in steps:
        window.scroll(step)
        expected = max(0, min(expected + step, lowest))
        assert first_line(window, heights) == expected


@given(st.integers(1, 400), st.integers(1, 30))
def test_the_thumb_is_at_the_ends_where_the_list_is_and_moves_down_with_it(
    rows: int, height: int
) -> None:
    window = window_on([1] * rows, height)
    if rows <= height:
        assert not window.thumb()
        return
    thumbs = [window.thumb()]
    while not window.at_end:
        window.scroll(1)
        thumbs.append(window.thumb())
    assert {len(thumb) for thumb in thumbs} == {max(1, height * height // rows)}
    assert (thumbs[0].start, thumbs[-1].stop) == (0, height)
    assert all(0 <= below.start - above.start <= 1 for above, below in pairwise(thumbs))


@given(HEIGHTS, st.integers(1, 30), st.lists(st.integers(0, 39), max_size=10), st.integers(0, 20))
def test_a_revealed_row_is_in_view_whole_where_it_fits(
    heights: list[int], height: int, targets: list[int], extra: int
) -> None:
    window = window_on(heights, height)
    for target in targets:
        position = target % len(heights)
        window.reveal(position, extra=extra)
        placed = {row.position: row for row in window.visible()}
        assert position in placed
        if heights[position] <= height:
            assert placed[position].y >= 0
            assert placed[position].y + heights[position] <= height


@given(HEIGHTS, st.integers(1, 30), st.integers(0, 200), st.integers(0, 39))
def test_the_row_shown_nearest_is_whole_if_any_is(
    heights: list[int], height: int, down: int, position: int
) -> None:
    window = window_on(heights, height)
    window.scroll(down)
    nearest = window.nearest_shown(position)
    placed = {row.position: row for row in window.visible()}
    assert nearest in placed
    shown = [other for other in placed if window.shows(other)]
    assert window.shows(nearest) or not shown
    assert all(abs(nearest - position) <= abs(other - position) for other in shown)
    for other in shown:
        if heights[other] <= height:
            assert placed[other].y >= 0
            assert placed[other].y + heights[other] <= height


@given(HEIGHTS, st.integers(1, 30), st.integers(0, 200))
def test_the_visible_rows_follow_each_other_and_fill_the_view(
    heights: list[int], height: int, down: int
) -> None:
    window = window_on(heights, height)
    window.scroll(down)
    placed = window.visible()
    assert [row.position for row in placed] == list(
        range(placed[0].position, placed[-1].position + 1)
    )
    assert all(b.y == a.y + a.height for a, b in pairwise(placed))
    assert placed[0].y <= 0
    assert placed[-1].y + placed[-1].height >= min(height, sum(heights))


@given(HEIGHTS, st.integers(1, 30))
def test_the_end_shows_the_last_line_at_the_bottom(heights: list[int], height: int) -> None:
    window = window_on(heights, height)
    window.to_end()
    assert window.at_end
    assert first_line(window, heights) == max(0, sum(heights) - height)


def test_only_rows_near_the_view_are_measured() -> None:
    measured: set[int] = set()

    def height_of(position: int) -> int:
        measured.add(position)
        return 3

    window = Viewport(lambda: 1_000_000, height_of)
    window.height = 30
    window.reveal(500_000)
    window.scroll(7)
    window.visible()
    window.to_end()
    assert len(measured) < 200


def test_every_place_of_a_window_shows_these_rows(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for heights in ([1, 3, 0, 2, 0], [2] * 6, [9, 1], [1], []):
        for at_bottom in (False, True):
            lines = []
            for height in (1, 4, 7):
                window = window_on(heights, height, at_bottom=at_bottom)
                for _ in range(sum(heights) + 1):
                    lines.append(f"{height} high: {placed(window, len(heights))}")
                    if window.at_end:
                        break
                    window.scroll(1)
            drawing.add_text(f"{heights}{', at the bottom' * at_bottom}", lines)
    drawing.compare(pytestconfig, "windows")


def placed(window: Viewport, count: int) -> str:
    """Which rows are where, and what is known of those that are cut off."""
    rows = " ".join(f"{row.position}@{row.y}" for row in window.visible())
    at = [window.position_at(y) for y in range(window.height)]
    thumb = window.thumb()
    cut = [(window.hidden(row, 1), window.hidden(row, -1)) for row in range(count)]
    whole = [row for row in range(count) if window.shows(row)]
    ends = "first" * window.at_start + " last" * window.at_end
    nearest = [window.nearest_shown(row) for row in range(count)]
    return (
        f"{rows}; lines of {at}; thumb {thumb.start}-{thumb.stop}; cut {cut}; whole {whole}; "
        f"nearest {nearest}; {ends}; ahead {window.ahead()}"
    )


def test_a_row_is_revealed_with_as_few_lines_as_needed(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    heights = [1, 3, 2, 9, 1, 1, 2, 4, 1, 1, 1, 3, 2] * 3
    for extra in (0, 3):
        lines = []
        for start in (0, 5, 20, 38):
            for target in range(-1, 40, 3):
                window = window_on(heights, 6)
                window.top = (start, 0)
                window.settle()
                window.reveal(target, extra=extra)
                lines.append(f"from {start} to {target}: {window.top}")
        drawing.add_text(f"{extra} further lines", lines)
    drawing.compare(pytestconfig, "revealed-rows")
