"""A canvas of RGB pixels, written as PNG: the few shapes that made-up pictures need."""

import math
import struct
import zlib
from collections.abc import Iterator, Sequence

Color = tuple[int, int, int]
Point = tuple[float, float]

# Letters of three by five squares, a row per three bits from the top.
_FONT = {
    "0": 0o75557, "1": 0o26227, "2": 0o71747, "3": 0o71717, "4": 0o55711, "5": 0o74717,
    "6": 0o74757, "7": 0o71222, "8": 0o75757, "9": 0o75717, "A": 0o75755, "C": 0o74447,
    "D": 0o65556, "E": 0o74747, "H": 0o55755, "I": 0o72227, "L": 0o44447, "M": 0o57755,
    "N": 0o65555, "O": 0o75557, "P": 0o75744, "R": 0o75765, "S": 0o74717, "T": 0o72222,
    "U": 0o55557, "V": 0o55552, "X": 0o55255, "-": 0o00700, ".": 0o00002, " ": 0,
}  # fmt: skip
_LETTER_WIDTH, _LETTER_HEIGHT = 3, 5


class Canvas:
    """A picture that is being drawn; what lies outside of it is cut off."""

    def __init__(self, width: int, height: int, ground: Color) -> None:
        self.width = width
        self.height = height
        self._rows = [bytearray(bytes(ground) * width) for _ in range(height)]

    def gradient(self, top: Color, bottom: Color) -> None:
        """Fill the whole picture from one color to another."""
        for y, row in enumerate(self._rows):
            share = y / max(1, self.height - 1)
            color = bytes(round(a + (b - a) * share) for a, b in zip(top, bottom, strict=True))
            row[:] = color * self.width

    def span(self, y: int, left: float, right: float, color: Color) -> None:
        """Fill a row from `left` to before `right`."""
        first, last = max(0, round(left)), min(self.width, round(right))
        if 0 <= y < self.height and first < last:
            self._rows[y][3 * first : 3 * last] = bytes(color) * (last - first)

    def rectangle(self, left: float, top: float, right: float, bottom: float, color: Color) -> None:
        for y in range(round(top), round(bottom)):
            self.span(y, left, right, color)

    def disc(self, x: float, y: float, radius: float, color: Color) -> None:
        for row in range(math.floor(y - radius), math.ceil(y + radius)):
            half = math.sqrt(max(0.0, radius**2 - (row + 0.5 - y) ** 2))
            self.span(row, x - half, x + half, color)

    def polygon(self, points: Sequence[Point], color: Color) -> None:
        """Fill a polygon, by its crossings with each row."""
        top = math.floor(min(y for _, y in points))
        bottom = math.ceil(max(y for _, y in points))
        for row in range(top, bottom):
            crossings = sorted(_crossings(points, row + 0.5))
            for left, right in zip(crossings[::2], crossings[1::2], strict=False):
                self.span(row, left, right, color)

    def line(self, start: Point, end: Point, width: float, color: Color) -> None:
        across, down = end[0] - start[0], end[1] - start[1]
        length = math.hypot(across, down) or 1.0
        x, y = -down / length * width / 2, across / length * width / 2
        self.polygon(
            [
                (start[0] + x, start[1] + y),
                (end[0] + x, end[1] + y),
                (end[0] - x, end[1] - y),
                (start[0] - x, start[1] - y),
            ],
            color,
        )

    def text(self, x: float, y: float, words: str, size: float, color: Color) -> None:
        """Write letters of the font; `size`: side of a letter's squares."""
        for place, letter in enumerate(words):
            left = x + place * (_LETTER_WIDTH + 1) * size
            for bit in range(_LETTER_WIDTH * _LETTER_HEIGHT):
                row, column = divmod(bit, _LETTER_WIDTH)
                if _FONT[letter] >> (_LETTER_WIDTH * _LETTER_HEIGHT - 1 - bit) & 1:
                    at, down = left + column * size, y + row * size
                    self.rectangle(at, down, at + size, down + size, color)

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        rows = b"".join(b"\0" + row for row in self._rows)
        return b"".join(
            (
                b"\x89PNG\r\n\x1a\n",
                _chunk(b"IHDR", header),
                _chunk(b"IDAT", zlib.compress(rows, 6)),
                _chunk(b"IEND", b""),
            )
        )


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


def _crossings(points: Sequence[Point], y: float) -> Iterator[float]:
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if (y1 <= y) != (y2 <= y):
            yield x1 + (y - y1) * (x2 - x1) / (y2 - y1)
