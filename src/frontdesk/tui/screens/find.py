"""Finding words in the pane that has the focus: looks through its rows."""

from typing import Any

from frontdesk.tui.widgets.virtual_list import VirtualList


class Finding:
    """Looks for the next row of a list that has words, a part of the rows at a time.

    `step` is 1 (down) or -1 (up); after the last row comes the first, the row at the cursor last.
    """

    def __init__(self, body: VirtualList[Any], sought: str, step: int) -> None:
        self.sought = sought
        self._body = body
        self._rows = body.rows
        self._start, self._step = body.cursor, step
        self._looked_at = 0
        self.found = False

    def look(self, most: int) -> bool:
        """Look at so many rows more and go to the first that has the words; False: it is over."""
        if self._rows is not self._body.rows:
            # Others are shown now: nobody looks for it any more.
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
