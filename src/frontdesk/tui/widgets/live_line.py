"""One-line bar of current conversation counts; each opens its list."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from frontdesk.tui.widgets.cells import Piece, spread, width_of
from frontdesk.tui.widgets.metrics import LIVE, NOTHING, Live
from frontdesk.tui.widgets.painted import Painted
from frontdesk.wire import LiveCounts


class LiveLine(Painted, can_focus=True):
    """Left and right select a count, enter opens its conversations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "move(1)", "Next number", id="live.next", show=False),
        Binding("h,left", "move(-1)", "Previous number", id="live.before", show=False),
        Binding("enter", "open", "Conversations behind it", id="live.open", show=False),
    ]

    class Opened(Message):
        """A count was opened."""

        def __init__(self, live: Live) -> None:
            super().__init__()
            self.live = live

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._counts: LiveCounts | None = None
        self._as_of = ""
        self._at = 0

    def show(self, counts: LiveCounts | None, as_of: str) -> None:
        """Show these counts. as_of: their time, as text."""
        if (counts, as_of) != (self._counts, self._as_of):
            self._counts, self._as_of = counts, as_of
            self.refresh()

    @property
    def copied(self) -> str:
        """The selected count with its name."""
        live = LIVE[self._at]
        return f"{live.name}: {self._value(live)}"

    def action_move(self, step: int) -> None:
        self._at = max(0, min(self._at + step, len(LIVE) - 1))
        self.refresh()

    def action_open(self) -> None:
        self.post_message(self.Opened(LIVE[self._at]))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def line(self, y: int) -> Strip:
        width = self.size.width
        tight = width < 64
        pieces: list[Piece] = [("accent", "▸" if self.has_focus else " ")]
        if width >= 48:
            pieces.append(("dim", f"NOW {self._as_of}" if width >= 80 else "NOW"))
        for at, live in enumerate(LIVE):
            here = self.has_focus and at == self._at
            mark = ("▸" if here else " ").rjust(1 if tight else 3)
            name = f"{live.short if tight else live.name} "
            value = self._value(live)
            # A truncated number would be wrong: stop before one that does not fit.
            if width_of(pieces) + len(mark + name + value) > width:
                break
            pieces += [("accent", mark), ("strong" if here else "dim", name), ("strong", value)]
        return Strip(self.segments(spread(pieces, (), width)), width)

    def _value(self, live: Live) -> str:
        number = getattr(self._counts, live.field, None)
        return NOTHING if number is None else f"{number:,}"
