"""The lines of a list's last frame, used again in the next one where they are the same.

Textual has every line of a widget rendered for a change in any of them, and keeps with a strip what
it made of it for the terminal.
"""

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

# A line between what stands at its left and at its right, and how they are put together.
_Key = tuple[int, str, str]


class Frames:
    """Strips by the line, kept from one frame to the next."""

    def __init__(self) -> None:
        self._last: dict[_Key, tuple[list[Segment], Strip]] = {}
        self._now: dict[_Key, tuple[list[Segment], Strip]] = {}

    def begin(self) -> None:
        """A new frame: what the last one did not need is let go."""
        self._last, self._now = self._now, {}

    def strip(
        self,
        line: list[Segment],
        left: tuple[str, Sequence[Segment]],
        right: tuple[str, Sequence[Segment]],
        width: int,
    ) -> Strip:
        """A line of so many cells between two edges, each with the name that tells it."""
        # The line is kept with its strip, so that no other one gets its identity.
        key = id(line), left[0], right[0]
        kept = self._last.get(key) or (line, Strip([*left[1], *line, *right[1]], width))
        self._now[key] = kept
        return kept[1]

    def clear(self) -> None:
        """Colours or the width have changed: nothing is used again."""
        self._last, self._now = {}, {}
