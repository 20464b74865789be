"""Strip cache of a list: reuses unchanged lines of the previous frame.

Textual renders every line of a widget when any of them changes, and caches the terminal output with
each strip.
"""

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

# Identity of the line, and names of its left and right edges.
_Key = tuple[int, str, str]


class Frames:
    """Two generations of strips: the previous frame's and the current one's."""

    def __init__(self) -> None:
        self._last: dict[_Key, tuple[list[Segment], Strip]] = {}
        self._now: dict[_Key, tuple[list[Segment], Strip]] = {}

    def begin(self) -> None:
        """Start a frame; strips that the previous frame did not use are dropped."""
        self._last, self._now = self._now, {}

    def strip(
        self,
        line: list[Segment],
        left: tuple[str, Sequence[Segment]],
        right: tuple[str, Sequence[Segment]],
        width: int,
    ) -> Strip:
        """Strip of a line of `width` cells between two edges (name and segments)."""
        # Keep a reference to the line, so that its id is not reused.
        key = id(line), left[0], right[0]
        kept = self._last.get(key) or (line, Strip([*left[1], *line, *right[1]], width))
        self._now[key] = kept
        return kept[1]

    def clear(self) -> None:
        """Drop all strips, after a change of colours or width."""
        self._last, self._now = {}, {}
