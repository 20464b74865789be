"""Prompt dialog: one line of text at the bottom of the screen."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from frontdesk.tui.dialogs.base import AnswerDialog, TextField
from frontdesk.tui.key_names import HintLine

_KEYS = " {enter} ok   {prompt.leave} back "


class Prompt(AnswerDialog[str]):
    """Returns the text, or None if the prompt was cancelled or left blank.

    A text that may be blank is returned so.

    `check` returns an error message, or None for valid text. Invalid text can be corrected.
    `problem` is the error message at first. `preview` says what a text means, or what to write.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="prompt.leave"),
    ]

    def __init__(
        self,
        mark: str,
        *,
        value: str = "",
        placeholder: str = "",
        check: Callable[[str], str | None] = lambda answer: None,
        problem: str = "",
        preview: Callable[[str], str] | None = None,
        may_be_blank: bool = False,
    ) -> None:
        super().__init__()
        self._mark = mark
        self._value = value
        self._placeholder = placeholder
        self._check = check
        self._problem = problem
        self._preview = preview
        self._may_be_blank = may_be_blank
        # The text of which the error message is.
        self._refused = value

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield Static(self._problem, id="prompt-problem", markup=False)
            if self._preview is not None:
                yield Static(self._preview(self._value), id="prompt-preview", markup=False)
            with Horizontal(id="prompt-edit"):
                yield Static(self._mark, id="prompt-mark", markup=False)
                yield TextField(self._value, placeholder=self._placeholder, id="prompt-input")
                yield HintLine(_KEYS, id="prompt-keys")

    def on_mount(self) -> None:
        self.set_class(bool(self._problem), "-problem")

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Return the text if it is valid; otherwise show the error."""
        answer = event.value.strip()
        problem = self._check(answer) if answer else None
        if problem:
            self._refused = event.value
            self._show_problem(problem)
        else:
            self.dismiss(answer if self._may_be_blank else answer or None)

    @on(Input.Changed)
    def clear_problem(self, event: Input.Changed) -> None:
        """Remove the error message when the text changes."""
        # The text that the field begins with is announced as a change too.
        if event.value != self._refused:
            self._show_problem("")
        if self._preview is not None:
            self.query_one("#prompt-preview", Static).update(self._preview(event.value.strip()))

    def _show_problem(self, problem: str) -> None:
        """Show an error message above the text, in place of the keys; or the keys."""
        self.query_one("#prompt-problem", Static).update(problem)
        self.set_class(bool(problem), "-problem")

    def action_leave(self) -> None:
        self.dismiss(None)
