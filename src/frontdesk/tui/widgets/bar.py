"""One line of words: a left end, and a right end that stays when space is short."""

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip

from frontdesk.tui.widgets.cells import Piece, spread, width_of
from frontdesk.tui.widgets.painted import Painted


class Bar(Painted):
    """A header, a title or a status line. A `marked` one says whether its pane has the focus."""

    class Pressed(Message):
        """A piece of the left end was clicked: its place among them, from 0."""

        def __init__(self, bar: "Bar", piece: int) -> None:
            super().__init__()
            self.bar, self.piece = bar, piece

        @property
        def control(self) -> "Bar":
            return self.bar

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

    def on_click(self, event: events.Click) -> None:
        left = spread(self._left, self._right, self.size.width - self._marked)[: len(self._left)]
        x = event.x - self._marked
        for piece, (_, text) in enumerate(left):
            x -= width_of([("", text)])
            if x < 0:
                self.post_message(self.Pressed(self, piece))
                break

    def line(self, y: int) -> Strip:
        width = self.size.width
        left = [("accent", self._mark), *self._left] if self._marked else self._left
        return Strip(self.segments(spread(left, self._right, width)), width)
