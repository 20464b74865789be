"""A list that draws lines and no more, moves line by line, and colours the whole row at the cursor.

As cheap to compute as ours is; what differs is what goes over the line to the terminal.
"""

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

ROWS, LINES = 1_000, 2
PLAIN, CHOSEN = Style.parse("#c8c8c8 on #121212"), Style.parse("#ffffff on #0178d4")


class Lines(ScrollView, can_focus=True):
    """Rows of two lines, of which one is at the cursor."""

    cursor = 0

    def on_mount(self) -> None:
        self.virtual_size = Size(0, ROWS * LINES)

    def render_line(self, y: int) -> Strip:
        row, line = divmod(y + int(self.scroll_offset.y), LINES)
        words = (
            f"Customer {row:07d}  w12m  5m ago" if line == 0 else "  Could I swap the M for an L?"
        )
        style = CHOSEN if row == self.cursor else PLAIN
        return Strip([Segment(words, style)]).extend_cell_length(self.size.width, style)

    def down(self) -> None:
        """The cursor to the next row, which comes into view."""
        self.cursor += 1
        below = (self.cursor + 1) * LINES - self.size.height
        if below > self.scroll_offset.y:
            self.scroll_to(y=below, animate=False)
        self.refresh()


class LineScroll(App[None]):
    """j goes down."""

    BINDINGS = [("j", "down", "Down")]

    def compose(self) -> ComposeResult:
        yield Lines()

    def action_down(self) -> None:
        """To the next row."""
        self.query_one(Lines).down()


if __name__ == "__main__":
    LineScroll().run()
