"""Choose one of a list by typing a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from frontdesk.text import one_line
from frontdesk.tui.widgets.cells import Piece, spread
from frontdesk.tui.widgets.painted import PARTS
from frontdesk.tui.widgets.rows import FixedRows
from frontdesk.tui.widgets.virtual_list import VirtualList


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be chosen: `value` goes back, `words` are shown, `hint` stands at the right."""

    value: str
    words: str
    hint: str = ""


class ChoiceList(VirtualList[Choice], can_focus=False):
    """The choices that match what was typed."""

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        choice = self.rows[position]
        return [
            spread([("text", f" {one_line(choice.words)}")], [("dim", f" {choice.hint}")], width)
        ]


class Picker(ModalScreen[str | None]):
    """Answers with the value of the choice taken, or None when it was left."""

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="picker.leave"),
        Binding("down", "move(1)", "Next", id="picker.next", show=False),
        Binding("up", "move(-1)", "Previous", id="picker.previous", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], *, current: str | None) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical(id="picker"):
            yield Static(self._title, id="picker-title", markup=False)
            yield Input(placeholder="type to narrow the list", id="picker-input")
            yield ChoiceList(id="picker-list")
            yield Static("↵ choose   esc back", id="picker-keys", markup=False)

    def on_mount(self) -> None:
        choices = self.query_one(ChoiceList)
        choices.styles.height = max(1, min(len(self._choices), 12))
        choices.say_when_empty("nothing matches")
        at = next((n for n, choice in enumerate(self._choices) if choice.value == self._current), 0)
        choices.show(FixedRows([(choice.value, choice) for choice in self._choices]), cursor=at)

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        """Keep the choices that hold every typed word."""
        typed = event.value.casefold().split()
        kept = [c for c in self._choices if all(word in c.words.casefold() for word in typed)]
        self.query_one(ChoiceList).show(FixedRows([(choice.value, choice) for choice in kept]))

    @on(Input.Submitted)
    def take(self) -> None:
        """Answer with the row at the cursor; what was typed before is already taken in."""
        choice = self.query_one(ChoiceList).row
        if choice is not None:
            self.dismiss(choice.value)

    def action_move(self, step: int) -> None:
        self.query_one(ChoiceList).action_move(step)

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(ChoiceList.Opened)
    def take_clicked(self, event: ChoiceList.Opened) -> None:
        """A double click takes the row."""
        self.dismiss(event.row.value)
