"""A menu of one-letter answers: it lists them, so it teaches them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


@dataclass(frozen=True, slots=True)
class Entry:
    """A letter, what it answers, and what stands beside it."""

    letter: str
    value: str
    words: str


class Menu(ModalScreen[str | None]):
    """Answers with the value of the letter that was typed, or None when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="menu.leave"),
    ]

    def __init__(self, title: str, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._title = title
        self._entries = {entry.letter: entry for entry in entries}
        # Bindings, because a letter typed at once finds them, but no handler, and only one menu.
        for entry in entries:
            take = Binding(entry.letter, f"take({entry.value!r})", entry.words)
            self._bindings.key_to_bindings[entry.letter] = [take]

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static(self._title, id="menu-title", markup=False)
            with VerticalScroll(id="menu-entries", can_focus=False):
                for entry in self._entries.values():
                    yield Static(f" {entry.letter}  {entry.words}", markup=False)
            yield Static("esc back", id="menu-keys", markup=False)

    def action_take(self, value: str) -> None:
        self.dismiss(value)

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)
        elif isinstance(event.widget, Static):
            line = str(event.widget.visual)
            entry = self._entries.get(line[1:2])
            if entry is not None and line.startswith(" "):
                self.dismiss(entry.value)
