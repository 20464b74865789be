"""One-line bar with left and right pieces; the left ones are truncated first."""

from collections.abc import Callable, Sequence

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from frontdesk.tui.widgets.line_widget import Painted, Piece, spread, width_of

# The pieces on the left and on the right of a bar of a given width.
Words = Callable[[int], tuple[Sequence[Piece], Sequence[Piece]]]


class Bar(Painted):
    """Header, title or status line. A `marked` bar shows if its pane has the focus."""

    class Pressed(Message):
        """A piece on the left was clicked; `piece` is its index."""

        def __init__(self, bar: "Bar", piece: int) -> None:
            super().__init__()
            self.bar, self.piece = bar, piece

        @property
        def control(self) -> "Bar":
            return self.bar

    def __init__(self, *, id: str | None = None, marked: bool = False) -> None:
        super().__init__(id=id)
        self._words: Words = _nothing
        self._marked = marked
        self._mark = " "

    @property
    def words(self) -> str:
        """The shown text."""
        left, right = self._words(self.size.width)
        return "".join(text for _, text in (*left, *right)).strip()

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these pieces; only cells from the first to the last changed piece are repainted."""
        self.show_fitted(lambda width: (left, right))

    def show_fitted(self, words: Words) -> None:
        """Show the pieces that `words` gives for the width of the bar, whatever that becomes."""
        before = self._pieces()
        self._words = words
        first, end = _changed(before, self._pieces())
        if first < end:
            self.refresh(Region(first, 0, end - first, 1))

    def mark(self, focused: bool) -> None:
        """Show or hide the focus mark."""
        mark = "▸" if focused else " "
        if mark != self._mark:
            self._mark = mark
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        pieces, right = self._words(self.size.width)
        left = spread(pieces, right, self.size.width - self._marked)[: len(pieces)]
        x = event.x - self._marked
        for piece, (_, text) in enumerate(left):
            x -= width_of([("", text)])
            if x < 0:
                self.post_message(self.Pressed(self, piece))
                break

    def line(self, y: int) -> Strip:
        return Strip(self.segments(self._pieces()), self.size.width)

    def _pieces(self) -> list[Piece]:
        left, right = self._words(self.size.width)
        left = [("accent", self._mark), *left] if self._marked else left
        return spread(left, right, self.size.width)


def _nothing(width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
    return (), ()


def _changed(before: Sequence[Piece], now: Sequence[Piece]) -> tuple[int, int]:
    """Range of cells from the first changed piece to the end of the last one."""
    kept = _alike(before, now)
    after = _alike(before[kept:][::-1], now[kept:][::-1])
    return width_of(now[:kept]), width_of(now[: len(now) - after])


def _alike(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    """Length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((at for at, (left, right) in pairs if left != right), shorter)
