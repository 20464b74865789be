"""Sparklines and bars: exact widths, and gaps that differ from zero."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.reports.metrics import ASCII, BLOCKS, Glyphs, glyphs_for, time_words
from frontdesk.tui.reports.plots import Scene, axis_for, plot, sparkline, values_per_bar
from frontdesk.tui.widgets.text_layout import width_of
from tests.tui.compared_drawings import Drawing

VALUES = st.lists(
    st.none() | st.integers(0, 10**6) | st.floats(0, 10**7, allow_nan=False), max_size=120
)
GLYPHS = st.sampled_from([BLOCKS, ASCII])


def scene(
    now: list[float | None], then: list[float | None] | None = None, **others: object
) -> Scene:
    columns = max(len(now), len(then or []))
    labels = tuple(str(at) for at in range(columns))
    made = Scene(tuple(now), tuple(then or ()), labels, frozenset(), False, lambda v: f"{v:.0f}")
    return made if not others else Scene(**{**_members(made), **others})  # type: ignore[arg-type]


def _members(made: Scene) -> dict[str, object]:
    return {name: getattr(made, name) for name in Scene.__slots__}


def drawn(of: Scene, width: int, height: int, glyphs: Glyphs = BLOCKS) -> list[str]:
    return ["".join(text for _, text in line) for line in plot(of, width, height, glyphs)]


@given(VALUES, st.integers(1, 40), GLYPHS)
def test_a_sparkline_is_never_wider_than_given(
    values: list[float | None], width: int, glyphs: Glyphs
) -> None:
    line = sparkline(values, width, glyphs)
    assert len(line) <= width
    bars = -(-len(values) // values_per_bar(len(values), width))
    assert len(line) in {each * bars for each in (1, 2, 3)}


@given(st.integers(1, 400), st.integers(1, 64))
def test_bars_are_of_as_few_values_as_fit(count: int, width: int) -> None:
    size = values_per_bar(count, width)
    assert size * width >= count
    assert size == 1 or (size - 1) * width < count


def test_a_sparkline_goes_from_zero_to_its_highest() -> None:
    assert sparkline([0, 1, 50, 100, None], 9, BLOCKS) == "▁▂▄█·"
    assert sparkline([0, 1, 50, 100, None], 9, ASCII) == "0249."
    assert sparkline([0, 100], 40, BLOCKS) == "▁▁▁███"


def test_neighbours_share_a_character_where_there_are_too_many_and_gaps_do_not_pull_them_down() -> (
    None
):
    assert sparkline([10, None, 5, 5, None, None], 3, BLOCKS) == "█▄·"


@given(VALUES, VALUES, st.integers(1, 130), st.integers(1, 30), GLYPHS)
def test_every_line_of_a_plot_has_the_given_width(
    now: list[float | None], then: list[float | None], width: int, height: int, glyphs: Glyphs
) -> None:
    lines = plot(scene(now, then), width, height, glyphs, cursor=0)
    assert len(lines) == height
    assert {width_of(line) for line in lines} == {width}


def test_zero_stands_on_the_floor_and_a_gap_is_a_dot() -> None:
    floor = drawn(scene([4, 0, None, 4]), 40, 8)[-2]
    cells = floor[floor.index("█") :]
    assert "▁" in cells
    assert "·" in cells
    assert floor.rstrip().endswith("█")


def test_this_period_and_the_one_before_are_other_characters() -> None:
    text = "\n".join(drawn(scene([4, 4], [2, 2]), 40, 9))
    assert "█" in text
    assert "░" in text
    plain = "\n".join(drawn(scene([4, 4], [2, 2]), 40, 9, ASCII))
    assert plain.isascii()
    assert "#" in plain
    assert ":" in plain


def test_future_columns_are_blank_and_not_drawn_as_gaps() -> None:
    floor = drawn(scene([4, 4], [2, 2, 2, 2]), 60, 8)[-2]
    assert "·" not in floor
    assert floor.count("░") == 4 * floor.count("█") // 2


def test_a_part_that_is_not_over_says_so() -> None:
    assert "1(part)" in drawn(scene([4, 4], unfinished=frozenset({1})), 40, 8)[-1]
    assert "2*" in drawn(scene([4] * 30, unfinished=frozenset({2})), 70, 8)[-1]


def test_the_newest_columns_are_shown_where_not_all_fit() -> None:
    axis = drawn(scene([1.0] * 100), 40, 8)[-1]
    assert " 0" not in axis[6:]
    assert "99" in axis or "9" in axis[-6:]


@given(st.floats(0.001, 10**9), st.integers(2, 60), st.booleans())
def test_the_top_of_an_axis_is_above_all_values_but_not_by_much(
    highest: float, rows: int, timed: bool
) -> None:
    axis = axis_for(highest, rows, timed=timed)
    top = axis.step * rows / axis.rows
    assert 1 <= rows // axis.rows <= 6
    assert highest <= top * 1.000001
    assert top <= max(rows, highest * 2.5)


def test_an_axis_fits_its_values() -> None:
    assert axis_for(22, 12, timed=False) == (10, 4)
    assert axis_for(22, 31, timed=False) == (5, 7)
    assert axis_for(700, 10, timed=True) == (300, 3)


def test_ticks_of_times_are_usual_durations_and_others_are_round() -> None:
    minute, hour, day = 60, 3600, 86_400
    seconds = [1, 2, 5, 10, 15, 30]
    durations = [*seconds, *(minute * count for count in seconds)]
    durations += [hour * count for count in (1, 2, 4, 6, 12, 24, 48, 120, 240, 480)]
    for before, duration in pairwise(durations):
        assert axis_for(before + 0.5, 1, timed=True).step == duration
        assert axis_for(duration, 1, timed=True).step == duration
    assert axis_for(500 * day, 1, timed=True).step == 500 * day
    numbers = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    for before, number in pairwise(numbers):
        assert axis_for(before + 0.5, 1, timed=False).step == number
        assert axis_for(number, 1, timed=False).step == number
    assert axis_for(0, 1, timed=False).step == 1


@given(VALUES, st.integers(20, 160), st.integers(5, 40))
def test_ticks_stand_at_equal_distances_up_from_the_floor(
    values: list[float | None], width: int, height: int
) -> None:
    lines = drawn(scene([1.0, *values]), width, height)
    rows = [row for row, line in enumerate(lines) if re.match(r" *\S+ [┤┼]", line)]
    assert rows[-1] == height - 1
    assert len({after - row for row, after in pairwise(rows)}) == 1


@given(st.integers(1, 100), st.integers(30, 200))
def test_a_plot_is_as_wide_as_its_room(columns: int, width: int) -> None:
    floor = drawn(scene([1.0] * columns), width, 8)[-1]
    assert floor == floor.rstrip()
    bars = drawn(scene([1.0] * columns), width, 8)[-2]
    assert width - len(bars.rstrip()) <= -(-width // min(columns, width))


def test_terminals_without_block_characters_get_ascii() -> None:
    assert glyphs_for({"TERM": "linux"}) is ASCII
    assert glyphs_for({"TERM": "xterm-256color", "LANG": "de_DE.ISO-8859-1"}) is ASCII
    assert glyphs_for({"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}) is BLOCKS
    assert glyphs_for({"LC_ALL": "C", "LANG": "de_DE.ISO-8859-1"}) is BLOCKS
    assert glyphs_for({"LC_ALL": "C", "PYTHONUTF8": "0"}) is ASCII
    assert glyphs_for({}) is BLOCKS


def test_a_plot_is_drawn_to_scale(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    days = [f"{day} Mar" for day in range(1, 9)]
    counts = scene([0, 3, None, 22, 14, 7, 8], [22, 8, 5, 0, None, 3, 2, 9], labels=days)
    today = scene([0, 3, None, 22], [4, 4, 4, 4], labels=days[:4], unfinished=frozenset({3}))
    times = scene(
        [30.0 * at * at for at in range(24)],
        labels=[f"{at:02}" for at in range(24)],
        words=time_words,
        timed=True,
    )
    for name, shown in (("counts", counts), ("today", today), ("times", times)):
        for width, height in ((12, 3), (30, 6), (60, 12), (100, 16)):
            for glyphs in (BLOCKS, ASCII):
                lines = plot(shown, width, height, glyphs, cursor=1)
                drawing.add(f"{name} {width}x{height}", lines)
    for width, height, columns in ((11, 8, 3), (12, 2, 3), (40, 5, 0)):
        lines = plot(scene([1.0] * columns), width, height, BLOCKS)
        drawing.add(f"no room {width}x{height} for {columns}", lines)
    drawing.compare(pytestconfig, "plots")


def test_sparklines_are_drawn_to_scale(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for values in ([*range(10)], [5, None, 0, 5, 1], [0.0, 0.0], [], [*range(100)]):
        for glyphs in (BLOCKS, ASCII):
            lines = [sparkline(values, width, glyphs) for width in (0, 1, 4, 5, 9, 10, 15, 30, 99)]
            drawing.add_text(f"{len(values)} values", [f"{line}|" for line in lines])
    drawing.compare(pytestconfig, "sparklines")


def test_values_stand_on_the_bars_that_they_fit_on_below_the_end_of_the_axis() -> None:
    scene = Scene(
        (55, 1000, 0, None),
        (49, 60, 12, 7),
        ("Mo", "Tu", "We", "Th"),
        frozenset(),
        False,
        "{:.0f}".format,
    )
    drawn = ["".join(text for _, text in line) for line in plot(scene, 40, 10, BLOCKS, valued=True)]
    assert all(len(line) == 40 for line in drawn)
    text = "\n".join(drawn)
    assert [text.count(each) for each in ("1000", "55", "49", "12")] == [2, 1, 1, 1]
    highest = next(at for at, line in enumerate(drawn) if "1000 " in line and "┤" not in line)
    assert highest == next(at for at, line in enumerate(drawn) if "█" in line or "▄" in line) - 1
    plain = ["".join(text for _, text in line) for line in plot(scene, 40, 10, BLOCKS)]
    assert "55" not in "\n".join(plain)
