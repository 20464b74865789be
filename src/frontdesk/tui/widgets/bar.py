"""One line of words: a left end, and a right end that stays when space is short."""

from collections.abc import Sequence

from textual.strip import Strip

from frontdesk.tui.widgets.cells import Piece, spread
from frontdesk.tui.widgets.painted import Painted


class Bar(Painted):
    """A header, a title or a status line. A `marked` one says whether its pane has the focus."""

    def __init__(self, *, id: str | None = None, marked: bool = False) -> None:
        super().__init__(id=id)
        self._left: Sequence[Piece] = ()
        self._right: Sequence[Piece] = ()
        self._marked = marked
        self._mark = " "

    @property
    def words(self) -> str:
        """What is shown, as plain text."""
        return "".join(text for _, text in (*self._left, *self._right)).strip()

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these pieces; nothing is redrawn when they are the same as before."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def mark(self, focused: bool) -> None:
        """Say whether the pane below has the focus."""
        mark = "▸" if focused else " "
        if mark != self._mark:
            self._mark = mark
            self.refresh()

    def line(self, y: int) -> Strip:
        width = self.size.width
        left = [("accent", self._mark), *self._left] if self._marked else self._left
        return Strip(self.segments(spread(left, self._right, width)), width)
