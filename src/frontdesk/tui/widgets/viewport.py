"""Viewport of a list: visible rows and scrolling, by arithmetic on an anchor.

The anchor is the first visible row and a line within it. Only rows near the anchor are measured, so
the cost of a step is bounded by the window's height, not by the number of rows.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

Anchor = tuple[int, int]

# Several screens: consecutive steps measure mostly the same rows.
_HEIGHTS_KEPT = 1_000


class VisibleRow(NamedTuple):
    """A visible row: position, y of its first line (possibly negative), height."""

    position: int
    y: int
    height: int


class Viewport:
    """Viewport of `height` lines on `count()` rows of `height_of(position)` lines each.

    Rows that do not fill it are aligned to the top, or with `at_bottom` to the bottom.
    """

    def __init__(
        self,
        count: Callable[[], int],
        height_of: Callable[[int], int],
        *,
        at_bottom: bool = False,
    ) -> None:
        self._count = count
        self._measure = height_of
        self._heights: dict[int, int] = {}
        self._placed: tuple[tuple[Anchor, int, int], list[VisibleRow]] | None = None
        self._at_bottom = at_bottom
        self.height = 0
        self.top: Anchor = (0, 0)
        self._asked_at = self.top

    def forget_heights(self) -> None:
        """Drop the cached heights, after rows have changed."""
        self._heights.clear()
        self._placed = None

    @property
    def at_start(self) -> bool:
        """True if the first line of the first row is visible."""
        return self.top == (0, 0)

    @property
    def at_end(self) -> bool:
        """True if the last line of the last row is visible."""
        placed = self.visible()
        if not placed:
            return True
        last = placed[-1]
        return last.position == self._count() - 1 and last.y + last.height <= self.height

    def visible(self) -> Sequence[VisibleRow]:
        """Visible rows, from the top."""
        # Cached: one key press calls this several times.
        view = self.top, self.height, self._count()
        if self._placed is None or self._placed[0] != view:
            self._placed = view, self._place(*view)
        return self._placed[1]

    def _place(self, top: Anchor, height_of_view: int, count: int) -> list[VisibleRow]:
        placed = []
        position, line = top
        y = -line
        while position < count:
            height = self._height_of(position)
            # Rows without lines after the last visible one belong to it.
            if y >= height_of_view and height:
                break
            placed.append(VisibleRow(position, y, height))
            y += height
            position += 1
        if self._at_bottom and y < height_of_view:
            room = height_of_view - y
            return [VisibleRow(row.position, row.y + room, row.height) for row in placed]
        return placed

    def position_at(self, y: int) -> int | None:
        """Position of the row at line `y`; None for a line without a row."""
        return next((p.position for p in self.visible() if p.y <= y < p.y + p.height), None)

    def shows(self, position: int) -> bool:
        """True if a row is visible, and whole unless it is higher than the viewport."""
        return any(row.position == position and self._is_shown(row) for row in self.visible())

    def nearest_shown(self, position: int) -> int:
        """The row that is nearest to a position, of those that the viewport shows.

        If it shows none, one of those that are cut off.
        """
        placed = [row for row in self.visible() if row.height] or self.visible()
        shown = [row for row in placed if self._is_shown(row)] or placed
        return min((row.position for row in shown), key=lambda other: abs(other - position))

    def _is_shown(self, row: VisibleRow) -> bool:
        is_whole = row.y >= 0 and row.y + row.height <= self.height
        return row.height > 0 and (is_whole or row.height > self.height)

    def ahead(self) -> int | None:
        """Position of a row on the next page in the direction of the last movement, or None."""
        placed, back = self.visible(), self.top < self._asked_at
        self._asked_at = self.top
        if not placed:
            return None
        row = placed[0].position - len(placed) if back else placed[-1].position + len(placed)
        return row if 0 <= row < self._count() else None

    def thumb(self) -> range:
        """Lines that the scroll bar's thumb covers; empty if all rows are visible."""
        placed = self.visible()
        if not placed or (self.at_start and self.at_end):
            return range(0)
        count, shown = self._count(), len(placed)
        size = max(1, self.height * shown // count)
        start = round((self.height - size) * self.top[0] / max(1, count - shown))
        start = min(start, self.height - size)
        return range(start, start + size)

    def to_start(self) -> None:
        self.top = (0, 0)

    def to_end(self) -> None:
        """Show the last line of the last row at the bottom."""
        # Before the first layout the width is 0 too, and measured heights would be wrong.
        self.top = self._lowest() if self.height else (max(0, self._count() - 1), 0)

    def anchor_at(self, position: int) -> None:
        """Put a row at the top, keeping the line offset."""
        self.top = (position, self.top[1])

    def scroll(self, lines: int) -> None:
        """Scroll by lines (negative: up), within the rows."""
        position, line = self.top
        line += lines
        while line < 0 and position > 0:
            position -= 1
            line += self._height_of(position)
        while position < self._count() - 1 and line >= (height := self._height_of(position)):
            line -= height
            position += 1
        self.top = (position, max(0, line))
        self.settle()

    def settle(self) -> None:
        """Restore the invariants: anchor on an existing row, no space below the last one."""
        count = self._count()
        if not count:
            self.top = (0, 0)
            return
        position = min(self.top[0], count - 1)
        line = min(self.top[1], self._height_of(position) - 1)
        self.top = min((position, max(0, line)), self._lowest())

    def reveal(self, position: int, *, extra: int = 0) -> None:
        """Scroll a row into view, as far as it fits; `extra`: further lines if it must scroll."""
        if not self.height or not 0 <= position < self._count():
            return
        height = self._height_of(position)
        first, line = self.top
        if position < first or (position == first and line and height <= self.height):
            self.top = (position, 0)
            self.scroll(-min(extra, max(0, self.height - height)))
            return
        until = self._lines_until(position)
        below = until + height - self.height
        if below <= 0:
            return
        if below <= 2 * self.height:
            self.scroll(min(below + extra, until))
        else:
            self.top = (position, 0)
            self.scroll(min(0, height - self.height))

    def hidden(self, position: int, step: int) -> int:
        """Number of lines of a visible row cut off below (`step` > 0) or above."""
        for placed in self.visible():
            if placed.position == position:
                below = placed.y + placed.height - self.height
                return max(0, below) if step > 0 else max(0, -placed.y)
        return 0

    def _height_of(self, position: int) -> int:
        height = self._heights.get(position)
        if height is None:
            if len(self._heights) >= _HEIGHTS_KEPT:
                self._heights.clear()
            height = self._heights[position] = self._measure(position)
        return height

    def _lowest(self) -> Anchor:
        """Anchor at which the last line of the last row is at the bottom."""
        room = self.height
        for position in range(self._count() - 1, -1, -1):
            room -= self._height_of(position)
            if room <= 0:
                return position, -room
        return 0, 0

    def _lines_until(self, position: int) -> int:
        """Lines from the top to a row's first line; counting stops beyond four heights."""
        first, line = self.top
        lines = -line
        for above in range(first, position):
            lines += self._height_of(above)
            if lines > 4 * self.height:
                break
        return lines
