"""Draws pixels as cells of a terminal: four quarters and two colours in each.

columns, lines = fit(1600, 1200, columns=54, lines=10)
rows = quadrants(decoder.pixels(path, 2 * columns, 2 * lines))
"""

from typing import NamedTuple

from frontdesk.pictures.process import PixelGrid

# Channels are rounded to multiples of this: fewer colours, so fewer styles and fewer bytes.
_STEP = 8
_MOST = 255
# Quarters that are drawn in the ink: 1 is the upper left one, 2 the upper right one, 4 and 8 below.
LETTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"

Colour = tuple[int, int, int]


class PictureCell(NamedTuple):
    """A letter in an ink on a ground; None: whatever is behind. The letter may have marks."""

    letter: str
    ink: Colour
    ground: Colour | None


class Drawing(NamedTuple):
    """A picture as rows of cells. number: what the terminal knows it by; None for blocks."""

    rows: list[list[PictureCell]]
    number: int | None = None


def quadrants(grid: PixelGrid, *, grey: bool = False) -> list[list[PictureCell]]:
    """The cells of a grid, a quarter as many as it has pixels; its width and height are even.

    grey: without colours.
    """
    rgb = _greyed(grid.rgb) if grey else grid.rgb
    colours = [
        (_rounded(rgb[at]), _rounded(rgb[at + 1]), _rounded(rgb[at + 2]))
        for at in range(0, 3 * grid.width * grid.height, 3)
    ]
    rows = []
    for top in range(0, grid.width * grid.height, 2 * grid.width):
        below = top + grid.width
        rows.append(
            [
                _cell(colours[top + x : top + x + 2] + colours[below + x : below + x + 2])
                for x in range(0, grid.width, 2)
            ]
        )
    return rows


def _rounded(channel: int) -> int:
    return min(_MOST, (channel + _STEP // 2) // _STEP * _STEP)


def _greyed(rgb: bytes) -> bytes:
    """Each pixel by its luma (ITU-R BT.601)."""
    grey = bytearray(len(rgb))
    for at in range(0, len(rgb), 3):
        luma = (299 * rgb[at] + 587 * rgb[at + 1] + 114 * rgb[at + 2]) // 1000
        grey[at : at + 3] = luma, luma, luma
    return bytes(grey)


def _cell(quarters: list[Colour]) -> PictureCell:
    """The two colours that four quarters are nearest to: the means around the two farthest ones."""
    first = quarters[0]
    if quarters.count(first) == 4:
        return PictureCell(" ", first, first)
    pairs = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    one, other = max(pairs, key=lambda pair: _distance(quarters[pair[0]], quarters[pair[1]]))
    ink, ground = quarters[one], quarters[other]
    inside = [_distance(quarter, ink) < _distance(quarter, ground) for quarter in quarters]
    mask = sum(1 << at for at, is_ink in enumerate(inside) if is_ink)
    return PictureCell(
        LETTERS[mask],
        _mean([quarter for quarter, is_ink in zip(quarters, inside, strict=True) if is_ink]),
        _mean([quarter for quarter, is_ink in zip(quarters, inside, strict=True) if not is_ink]),
    )


def _distance(one: Colour, other: Colour) -> int:
    red, green, blue = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    # Green is seen best (weights of luma).
    return 3 * red * red + 6 * green * green + blue * blue


def _mean(colours: list[Colour]) -> Colour:
    count = len(colours)
    red, green, blue = (_rounded(sum(channel) // count) for channel in zip(*colours, strict=True))
    return red, green, blue
