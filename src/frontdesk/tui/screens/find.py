"""Asks what to find in the pane that has the focus, on one line at the bottom."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class FindPrompt(ModalScreen[str | None]):
    """Answers with what was typed, or None when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="find.leave"),
    ]

    def __init__(self, sought: str) -> None:
        super().__init__()
        self._sought = sought

    def compose(self) -> ComposeResult:
        with Horizontal(id="find"):
            yield Static("/", id="find-mark", markup=False)
            yield Input(self._sought, placeholder="find in what is loaded here", id="find-input")

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Enter takes what was typed."""
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        self.dismiss(None)
