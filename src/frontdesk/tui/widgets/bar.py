"""One-line bar with left and right pieces; the left ones are truncated first."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from frontdesk.text.clean import one_line
from frontdesk.tui.widgets.line_widget import LineWidget
from frontdesk.tui.widgets.text_layout import Piece, fitted, spread, width_of, wrap

# The pieces on the left and on the right of a bar of a given width.
Words = Callable[[int], tuple[Sequence[Piece], Sequence[Piece]]]


class Hint(NamedTuple):
    """Keys and what they do. keys: pairs of text and binding id, "" for what is no key."""

    keys: tuple[tuple[str, str], ...]
    words: str

    @property
    def action(self) -> str:
        """Binding id of the first key, or ""."""
        return next((id for _, id in self.keys if id), "")


class Bar(LineWidget):
    """Header, channel line, status line or last line of a pane."""

    class Pressed(Message):
        """A piece was clicked. piece: its index on the left; on the right from the end, as -1."""

        def __init__(self, bar: "Bar", piece: int, text: str) -> None:
            super().__init__()
            self.bar, self.piece, self.text = bar, piece, text

        @property
        def control(self) -> "Bar":
            return self.bar

    def __init__(self, *, id: str | None = None, ground: str = "ground") -> None:
        super().__init__(id=id)
        self._words: Words = lambda width: ((), ())
        # The pieces of `show`.
        self._given: tuple[Sequence[Piece], Sequence[Piece]] | None = None
        self._ground = ground
        self._edge = ""
        # What the pieces were laid out for, and the pieces; the pieces of the strip, and the strip.
        self._laid_out: tuple[object, Sequence[Piece]] = (None, ())
        self._drawn: tuple[Sequence[Piece], Strip] = ((), Strip([]))

    @property
    def words(self) -> str:
        left, right = self._words(self._room)
        return "".join(text for _, text in (*left, *right)).strip()

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these pieces; only cells from the first to the last changed piece are repainted."""
        given = (left, right)
        if given != self._given:
            self.show_fitted(lambda width: given)
            self._given = given

    def show_fitted(self, words: Words) -> None:
        """Show the pieces that `words` gives for the width of the bar, whatever that becomes."""
        self._given = None
        before = self._pieces()
        self._words = words
        now = self._pieces()
        if now == before:
            # Keeps the strip that was drawn of them.
            self._laid_out = self._laid_out[0], before
            return
        first, end = _changed(before, now)
        if first < end:
            self.refresh(Region(first, 0, end - first, 1))

    def set_edge(self, edge: str) -> None:
        """Set the character of the last column, or none."""
        if edge != self._edge:
            self._edge = edge
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        left, right = self._words(self._room)
        shown, gap, shown_right = fitted(left, right, self._room)
        x = event.x - width_of(self._before)
        piece = _index_at(shown, x)
        if piece is None:
            piece = _index_at(shown_right, x - width_of(shown) - gap)
            piece = None if piece is None else piece - len(right)
        if piece is not None:
            text = (left if piece >= 0 else right)[piece][1]
            self.post_message(self.Pressed(self, piece, text))

    def line(self, y: int) -> Strip:
        # Textual asks for all bars in each frame.
        pieces = self._pieces()
        if self._drawn[0] is not pieces:
            self._drawn = pieces, Strip(self.segments(pieces, self._ground), self.size.width)
        return self._drawn[1]

    def forget_drawn(self) -> None:
        self._laid_out, self._drawn = (None, ()), ((), Strip([]))

    @property
    def _state(self) -> tuple[object, ...]:
        """What the pieces depend on."""
        return self._words, self.size.width, self._edge

    @property
    def _before(self) -> list[Piece]:
        """Pieces in front of those that are shown."""
        return []

    @property
    def _room(self) -> int:
        return max(0, self.size.width - len(self._edge))

    def _pieces(self) -> Sequence[Piece]:
        state = self._state
        if self._laid_out[0] != state:
            self._laid_out = state, self._lay_out()
        return self._laid_out[1]

    def _lay_out(self) -> list[Piece]:
        room = self._room
        line = spread(*self._words(room), room)
        return [*line, ("line", self._edge)] if self._edge else line


class StatusBar(Bar):
    """Hints and state of the connection; a message takes their place for some seconds."""

    _MARKS: ClassVar[Mapping[str, Piece]] = MappingProxyType(
        {
            "warning": ("warning@card", " ! "),
            "error": ("error bold@card", " ✗ "),
        }
    )

    class HintPressed(Message):
        """A hint was clicked; `action` is its binding id."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    # Cells that hints leave to the state, so that they are the same while it is no longer.
    STATE_WIDTH: ClassVar[int] = 24

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, ground="bar")
        self._message: tuple[str, str] | None = None
        self._ending: Timer | None = None
        self._actions: Sequence[str] = ()

    def show_hints(
        self,
        hints: Sequence[Hint],
        last: Hint,
        state: Sequence[Piece],
        *,
        first_stays: bool = False,
        kept: int = 0,
    ) -> None:
        """Show as many hints as fit beside the state, and always the last one.

        first_stays: show the first one always, and the last one only if it fits too. kept: cells
        that hints leave besides `STATE_WIDTH`, also while the state has no words in them.
        """
        free = self.size.width - width_of(state) - 2
        room = min(free, self.size.width - self.STATE_WIDTH - kept - 2)
        shown: Sequence[Hint] = [last]
        if first_stays:
            both = [hints[0], last]
            shown = both if _width_of_buttons(both) <= free else hints[:1]
        for number in range(1, len(hints) + 1):
            more = [*hints[:number], last]
            if _width_of_buttons(more) > room:
                break
            shown = more
        pieces = [(("dim", " "), ""), *(piece for hint in shown for piece in _button(hint))]
        self._actions = [action for _, action in pieces]
        # A hint that is cut does not touch the state.
        self.show([piece for piece, _ in pieces], [("dim", " "), *state])

    def on_bar_pressed(self, event: Bar.Pressed) -> None:
        """Announce the hint that was clicked; a click on a message ends it."""
        event.stop()
        if self._message is not None:
            self.clear()
        elif 0 <= event.piece < len(self._actions) and self._actions[event.piece]:
            self.post_message(self.HintPressed(self._actions[event.piece]))

    def flash(self, message: str, severity: str, seconds: float) -> None:
        """Show a message; the bar is as many lines high as the message needs."""
        self.clear()
        self._message = (severity, one_line(message))
        self._ending = self.set_timer(seconds, self.clear)
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def clear(self) -> None:
        """Show the hints again."""
        if self._ending is not None:
            self._ending.stop()
        if self._message is not None:
            self._message = self._ending = None
            self._fit()

    def dismiss(self, message: str) -> None:
        """Show the hints again if this message is shown."""
        if self._message is not None and self._message[1] == one_line(message):
            self.clear()

    def _fit(self) -> None:
        height = len(self._message_lines()) or 1
        if height != self.size.height:
            self.styles.height = height
        self.refresh()

    def _message_lines(self) -> list[list[Piece]]:
        if self._message is None:
            return []
        severity, words = self._message
        width = self.size.width
        mark = self._MARKS.get(severity, ("text@card", " "))
        lines = wrap(words, max(1, width - width_of([mark]) - 1))
        blank = ("text@card", " " * width_of([mark]))
        return [
            spread([blank if at else mark, ("strong@card", f"{line} ")], [], width)
            for at, line in enumerate(lines)
        ]

    def line(self, y: int) -> Strip:
        lines = self._message_lines()
        if y >= len(lines):
            return super().line(y)
        _, state = self._words(self._room)
        fits = len(lines) == 1 and width_of(lines[0][:2]) + width_of(state) <= self._room
        line = spread(lines[0][:2], state, self._room) if fits else lines[y]
        return Strip(self.segments(line, self._ground), self.size.width)


def _button(hint: Hint) -> list[tuple[Piece, str]]:
    """Pieces of a hint with their actions."""
    first = [" ", *[""] * len(hint.keys)]
    keys = [
        (("accent@card", f"{blank}{text}"), action)
        for blank, (text, action) in zip(first, hint.keys, strict=False)
    ]
    return [*keys, (("text@card", f" {hint.words} "), hint.action), (("dim", " "), "")]


def _width_of_buttons(hints: Sequence[Hint]) -> int:
    return width_of(piece for hint in hints for piece, _ in _button(hint))


class Title(Bar):
    """Rule above a pane with its digit and name: in the accent, and heavy, with the focus."""

    def __init__(self, digit: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._digit = digit
        self._focused = False

    def mark(self, focused: bool) -> None:
        """Draw the title with or without the focus."""
        if focused != self._focused:
            self._focused = focused
            self.refresh()

    @property
    def _state(self) -> tuple[object, ...]:
        return *super()._state, self._focused

    @property
    def _before(self) -> list[Piece]:
        digit = "accent" if self._focused else "dim"
        return [(self._rule, f"{self._line} "), (digit, f"{self._digit} ")]

    @property
    def _rule(self) -> str:
        return "accent" if self._focused else "line"

    @property
    def _line(self) -> str:
        return "━" if self._focused else "─"

    @property
    def _room(self) -> int:
        """Cells for the words: without the digit, and the rule on each of their sides."""
        return max(0, self.size.width - width_of(self._before) - 5)

    def _lay_out(self) -> list[Piece]:
        room = self._room
        left, right = self._words(room)
        if left and self._focused:
            left = [("accent", left[0][1]), *left[1:]]
        words, gap, after = fitted(left, right, room)
        rule, line = self._rule, self._line
        tail = [(rule, " "), *after, (rule, f" {line}")] if after else [(rule, line * 3)]
        junction = ("┯" if self._focused else "┬") if self._edge else line
        return [*self._before, *words, (rule, " " + line * gap), *tail, (rule, junction)]


def _index_at(pieces: Sequence[Piece], x: int) -> int | None:
    """Index of the piece at a cell."""
    for index, piece in enumerate(pieces):
        if 0 <= x < width_of([piece]):
            return index
        x -= width_of([piece])
    return None


def _changed(before: Sequence[Piece], now: Sequence[Piece]) -> tuple[int, int]:
    """Range of cells from the first changed piece to the end of the last one."""
    prefix = _alike(before, now)
    after = _alike(before[prefix:][::-1], now[prefix:][::-1])
    return width_of(now[:prefix]), width_of(now[: len(now) - after])


def _alike(first: Sequence[Piece], second: Sequence[Piece]) -> int:
    """Length of the common prefix."""
    pairs = enumerate(zip(first, second, strict=False))
    shorter = min(len(first), len(second))
    return next((at for at, (left, right) in pairs if left != right), shorter)
