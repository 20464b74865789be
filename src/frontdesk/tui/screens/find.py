"""Incremental text search over the rows of the focused list."""

from typing import Any

from frontdesk.tui.widgets.virtual_list import VirtualList


class Finding:
    """Case-insensitive search for the next matching row, run in steps of limited length.

    `step` is 1 (down) or -1 (up). The search wraps around and ends with the row under the cursor.
    """

    def __init__(self, body: VirtualList[Any], sought: str, step: int) -> None:
        self.sought = sought
        self._body = body
        self._rows = body.rows
        self._start, self._step = body.cursor, step
        self._looked_at = 0
        self.found = False

    def look(self, most: int) -> bool:
        """Test up to `most` further rows, and go to a match; False when the search is over."""
        if self._rows is not self._body.rows:
            # The list shows other rows now: abandon the search.
            self.found = True
            return False
        count = len(self._rows) if self._rows is not None else 0
        wanted = self.sought.casefold()
        last = min(count, self._looked_at + most)
        for away in range(self._looked_at + 1, last + 1):
            position = (self._start + self._step * away) % count
            if wanted in self._body.words_at(position).casefold():
                self._body.go_to(position)
                self.found = True
                return False
        self._looked_at = last
        return last < count
