"""Pixels as cells: exact size, sixteen letters, two colours."""

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
