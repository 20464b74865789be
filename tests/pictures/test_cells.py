"""Pixels as cells: exact size, sixteen letters, two colours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.pictures import PictureFacts, PixelGrid
from frontdesk.pictures.cells import LETTERS, quadrants

FACTS = PictureFacts("PNG", 8, 8, False)


def grid(pixels: list[list[tuple[int, int, int]]]) -> PixelGrid:
    rgb = bytes(channel for row in pixels for pixel in row for channel in pixel)
    return PixelGrid(FACTS, len(pixels[0]), len(pixels), rgb)


@st.composite
def grids(draw: st.DrawFn) -> PixelGrid:
    width, height = 2 * draw(st.integers(1, 6)), 2 * draw(st.integers(1, 6))
    size = 3 * width * height
    return PixelGrid(FACTS, width, height, draw(st.binary(min_size=size, max_size=size)))


@given(grids())
def test_a_picture_has_a_quarter_as_many_cells_as_pixels(pixels: PixelGrid) -> None:
    rows = quadrants(pixels)
    assert [len(row) for row in rows] == [pixels.width // 2] * (pixels.height // 2)
    for cell in (cell for row in rows for cell in row):
        assert cell.letter in LETTERS
        assert cell.ground is not None
        assert all(0 <= channel <= 255 for channel in (*cell.ink, *cell.ground))


@given(grids())
def test_without_colours_every_cell_is_grey(pixels: PixelGrid) -> None:
    for cell in (cell for row in quadrants(pixels, grey=True) for cell in row):
        assert cell.ground is not None
        assert len({*cell.ink}) == len({*cell.ground}) == 1


def test_the_letter_says_which_quarters_have_the_other_colour() -> None:
    dark, light = (0, 0, 0), (240, 240, 240)
    (cell,) = quadrants(grid([[light, dark], [dark, dark]]))[0]
    assert (cell.letter, cell.ink, cell.ground) in (("▘", light, dark), ("▟", dark, light))
    (cell,) = quadrants(grid([[light, light], [dark, dark]]))[0]
    assert (cell.letter, cell.ink, cell.ground) in (("▀", light, dark), ("▄", dark, light))


def test_one_colour_is_a_blank() -> None:
    red = (208, 32, 32)
    (cell,) = quadrants(grid([[red, red], [red, red]]))[0]
    assert (cell.letter, cell.ground) == (" ", red)


BLACK, WHITE, RED, GREEN = (0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 255, 0)


@pytest.mark.parametrize(
    ("quarters", "cell"),
    [
        # Colours are multiples of eight, and 255.
        ([(3, 4, 11)] * 4, (" ", (0, 8, 8), (0, 8, 8))),
        ([(12, 251, 252)] * 4, (" ", (16, 248, 255), (16, 248, 255))),
        # The letter has the quarters that are as the first of the two farthest ones.
        ([BLACK, WHITE, WHITE, WHITE], ("▘", BLACK, WHITE)),
        ([WHITE, BLACK, WHITE, WHITE], ("▙", WHITE, BLACK)),
        ([WHITE, WHITE, BLACK, WHITE], ("▜", WHITE, BLACK)),
        ([WHITE, WHITE, WHITE, BLACK], ("▛", WHITE, BLACK)),
        ([BLACK, WHITE, BLACK, WHITE], ("▌", BLACK, WHITE)),
        ([BLACK, WHITE, WHITE, BLACK], ("▚", BLACK, WHITE)),
        ([BLACK, BLACK, WHITE, WHITE], ("▀", BLACK, WHITE)),
        # Others join the nearer one, and its colour is the mean.
        ([BLACK, (40, 40, 40), WHITE, (215, 215, 215)], ("▀", (24, 24, 24), (232, 232, 232))),
        # Green is farther from black than red is, and red farther than blue.
        ([BLACK, RED, GREEN, BLACK], ("▜", (88, 0, 0), GREEN)),
        ([BLACK, (0, 0, 255), RED, BLACK], ("▜", (0, 0, 88), RED)),
    ],
)
def test_a_cell_has_the_two_colours_that_differ_most(
    quarters: list[tuple[int, int, int]], cell: tuple[object, ...]
) -> None:
    assert quadrants(grid([quarters[:2], quarters[2:]])) == [[cell]]


def test_cells_are_in_the_order_of_the_pixels() -> None:
    blue = (0, 0, 248)
    rows = quadrants(grid([[RED, RED, blue, blue]] * 2 + [[GREEN, GREEN, WHITE, WHITE]] * 2))
    assert [[cell.ground for cell in row] for row in rows] == [[RED, blue], [GREEN, WHITE]]


@pytest.mark.parametrize(
    ("colour", "grey"), [(RED, 80), (GREEN, 152), ((0, 0, 255), 32), (WHITE, 255), (BLACK, 0)]
)
def test_without_colours_a_cell_is_as_bright_as_it_looks(
    colour: tuple[int, int, int], grey: int
) -> None:
    ((cell,),) = quadrants(grid([[colour] * 2] * 2), grey=True)
    assert cell == (" ", (grey,) * 3, (grey,) * 3)
