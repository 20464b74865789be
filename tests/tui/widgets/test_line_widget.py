"""Lines that are drawn: few segments, only what differs is repainted, only what is asked for."""

from typing import Any, Self

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from frontdesk.tui.widgets.line_widget import DrawnLine, LineWidget
from frontdesk.tui.widgets.text_layout import Piece
from tests.tui.widgets.test_partial_repaints import OneWidgetApp


class Numbered(LineWidget):
    """Lines with their number; keeps the regions that are to be repainted."""

    def __init__(self) -> None:
        super().__init__()
        self.regions: list[tuple[Region, ...]] = []

    def line(self, y: int) -> Strip:
        return Strip([Segment(f"line {y}".ljust(self.size.width))], self.size.width)

    def refresh(self, *regions: Region, **options: Any) -> Self:
        self.regions.append(regions)
        return super().refresh(*regions, **options)


@pytest.mark.parametrize(
    ("before", "now", "regions"),
    [
        ("abcd", "abcd", []),
        ("abcd", "xbcd", [(0, 1)]),
        ("abcd", "abcx", [(3, 1)]),
        ("abcd", "axyd", [(1, 2)]),
        ("abcd", "xbyz", [(0, 1), (2, 2)]),
    ],
)
async def test_only_lines_that_differ_are_repainted(
    before: str, now: str, regions: list[tuple[int, int]]
) -> None:
    widget = Numbered()
    app = OneWidgetApp(widget)
    async with app.run_test(size=(20, 4)):
        widget.regions.clear()
        lines = [[Strip([Segment(letter)]) for letter in text] for text in (before, now)]
        widget.refresh_others(*lines)
        expected = tuple(Region(0, top, 20, height) for top, height in regions)
        assert widget.regions == ([expected] if expected else [])
        widget.regions.clear()
        widget.refresh_others(lines[0], lines[1][:-1])
        assert widget.regions == [()]


async def test_lines_are_drawn_in_the_columns_that_are_asked_for() -> None:
    widget = Numbered()
    app = OneWidgetApp(widget)
    async with app.run_test(size=(8, 4)):
        for region, lines in (
            (Region(0, 0, 8, 2), ["line 0  ", "line 1  "]),
            (Region(0, 2, 8, 2), ["line 2  ", "line 3  "]),
            (Region(5, 1, 3, 1), ["1  "]),
            (Region(0, 3, 5, 1), ["line "]),
        ):
            assert [strip.text for strip in widget.render_lines(region)] == lines


@pytest.mark.parametrize(
    ("pieces", "texts"),
    [
        ([], []),
        ([("text", "")], []),
        ([("text", "a"), ("text", "b")], ["ab"]),
        ([("text", "a"), ("dim", "b")], ["a", "b"]),
        # A blank is seen by its ground alone.
        ([("text", "a"), ("dim", "  "), ("text", "b")], ["a  b"]),
        ([("dim", " "), ("text", "a"), ("dim", " ")], [" a "]),
        ([("text", "a"), ("text@chosen", " "), ("text", "b")], ["a", " ", "b"]),
        ([("text", "a"), ("text underline", " "), ("text", "b")], ["a", " ", "b"]),
        ([("text underline", "a"), ("text", " ")], ["a", " "]),
        ([("text reverse", " "), ("text", " ")], [" ", " "]),
    ],
)
async def test_neighbours_that_look_alike_are_one_segment(
    pieces: list[Piece], texts: list[str]
) -> None:
    widget = Numbered()
    app = OneWidgetApp(widget)
    async with app.run_test(size=(8, 4)):
        assert [segment.text for segment in widget.segments(pieces)] == texts


async def test_a_part_has_its_ground_or_one_of_its_own() -> None:
    widget = Numbered()
    app = OneWidgetApp(widget)
    async with app.run_test(size=(8, 4)):
        chosen, card = widget.part("text", "chosen").bgcolor, widget.part("text", "card").bgcolor
        assert chosen != card
        assert widget.part("text@card", "chosen").bgcolor == card
        assert widget.part("dim italic").italic
        assert not widget.part("dim").italic
        # A note under the cursor has the ground of the cursor.
        note = widget.part("text@note-ground").bgcolor
        assert note != widget.part("text").bgcolor
        assert widget.part("text@note-ground", "chosen").bgcolor == chosen
        assert widget.part("text@note-ground", "card").bgcolor == note
        # Labels: a chip on a faint ground of its colour, or only coloured letters.
        chip, letters = widget.part("#d62828"), widget.part("■#d62828")
        assert chip.bgcolor not in (note, letters.bgcolor)
        assert letters.bgcolor == widget.part("text").bgcolor
        assert letters.color != widget.part("text").color


def test_a_line_ends_with_what_is_in_the_last_column() -> None:
    plain, red = Style(bgcolor="black"), Style(color="red", bgcolor="black")
    line = DrawnLine([Segment("ab", plain), Segment("c ", plain)])
    edge, thumb = Segment("│", red), Segment("┃", red)
    assert line.strip(edge, 5).text == "abc │"
    assert line.strip(thumb, 5).text == "abc ┃"
    assert line.strip(edge, 5).cell_length == 5
    # A strip keeps what it writes to the terminal.
    assert line.strip(edge, 5) is line.strip(Segment("│", red), 5)
    blank = DrawnLine([Segment("ab", plain)]).strip(Segment(" ", red), 3)
    assert [segment.text for segment in blank] == ["ab "]
