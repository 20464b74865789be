"""Dialogs of the report: date range, explanation of a metric."""

from datetime import date, timedelta
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from frontdesk.tui.screens.key_names import named
from frontdesk.tui.screens.leaving import Dialog
from frontdesk.tui.screens.prompt import Prompt
from frontdesk.tui.screens.report_periods import Span, typed_span


def date_prompt(span: Span, today: date) -> Prompt:
    """Prompt for a range of dates in the format of `typed_span`."""
    last = span.end - timedelta(days=1) if span.end else today

    def check(typed: str) -> str | None:
        try:
            typed_span(typed, today)
        except ValueError as error:
            return str(error)
        return None

    return Prompt("first and last day: ", value=f"{span.first} .. {last}", check=check)


class Explanation(Dialog[None]):
    """Shows a title and some sentences."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w,enter", "leave", "Back", id="explanation.leave"),
    ]

    def __init__(self, title: str, sentences: str) -> None:
        super().__init__()
        self._title, self._sentences = title, sentences

    def compose(self) -> ComposeResult:
        with Vertical(id="explanation"):
            yield Static(self._title, id="explanation-title", markup=False)
            yield Static(self._sentences, markup=False)
            back = named(self, "{explanation.leave} back")
            yield Static(back, id="explanation-keys", markup=False)

    def action_leave(self) -> None:
        self.dismiss()
