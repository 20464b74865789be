"""Prompt for a command line, with the earlier ones."""

from collections.abc import Sequence
from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.widgets import Input

from frontdesk.tui import sentences
from frontdesk.tui.dialogs.prompt import Prompt


class CommandPrompt(Prompt):
    """Returns the line as it was typed. history: earlier lines, the newest last.

    input: what the program reads.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier(-1)", "Earlier command", id="command.earlier"),
        Binding("down", "earlier(1)", "Later command", id="command.later"),
    ]

    def __init__(self, history: Sequence[str], input: str) -> None:
        super().__init__("| ", placeholder=sentences.PIPE_HINT.format(input=input))
        self._history = [*history, ""]
        self._at = len(history)

    def action_earlier(self, step: int) -> None:
        field = self.query_one(Input)
        self._history[self._at] = field.value
        self._at = max(0, min(len(self._history) - 1, self._at + step))
        field.value = self._history[self._at]
        field.cursor_position = len(field.value)

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Return the line with the blank before it, by which it is not remembered."""
        return super().dismiss(result and self.query_one(Input).value)
