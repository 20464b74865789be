"""Filter line: edits a query as text, with completion, history and underlined mistakes."""

from collections.abc import Sequence
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from frontdesk.inbox.rows import FixedRows
from frontdesk.query import Completion, Query, QueryNames, check, complete
from frontdesk.tui.dialogs.base import AnswerDialog, Choice, TextField
from frontdesk.tui.dialogs.picker import ChoiceList
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.widgets.line_widget import PARTS

_MOST_COMPLETIONS = 8
_KEYS = (
    "{enter} apply   {filter_line.complete} complete   {filter_line.earlier} history   "
    "{filter_line.leave} back"
)


class MistakeHighlighter(Highlighter):
    """Underlines the parts of a query that cannot be used."""

    def __init__(self, names: QueryNames) -> None:
        self._names = names

    def highlight(self, text: Text) -> None:
        for problem in check(text.plain, self._names)[1]:
            text.stylize("underline", problem.start, problem.end)


class FilterLine(AnswerDialog[Query]):
    """Returns the query of the line, or None if cancelled.

    history: texts of earlier queries, newest first.
    """

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="filter_line.leave"),
        Binding("tab", "complete(1)", "Complete", id="filter_line.complete", priority=True),
        Binding("shift+tab", "complete(-1)", "Previous completion", priority=True),
        Binding("up", "recall(1)", "Earlier query", id="filter_line.earlier", priority=True),
        Binding("down", "recall(-1)", "Later query", id="filter_line.later", priority=True),
    ]

    def __init__(self, query: Query, names: QueryNames, history: Sequence[str] = ()) -> None:
        super().__init__()
        text = str(query)
        self._names = names
        self._texts = [f"{text} " if text else "", *(entry for entry in history if entry != text)]
        self._at = 0
        self._completions: list[Completion] = []
        self._index = 0
        # Text and cursor after a completion was put in, which do not begin a new completion.
        self._completed: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="filter-line"):
            yield ChoiceList(id="filter-completions")
            yield Static("", id="filter-problem", markup=False)
            with Horizontal(id="filter-edit"):
                yield Static("filter ", id="prompt-mark", markup=False)
                yield TextField(
                    self._texts[0],
                    placeholder='is:open @me #label in:channel waiting:>1h "words"',
                    id="prompt-input",
                    select_on_focus=False,
                    highlighter=MistakeHighlighter(self._names),
                )
            yield HintLine(_KEYS, id="filter-keys")

    def on_mount(self) -> None:
        if not self.composed:
            return
        field = self.query_one(Input)
        field.cursor_position = len(field.value)
        self._offer()

    @on(Input.Changed)
    def _follow(self, event: Input.Changed) -> None:
        """Show completions and mistakes, except in the term that is being written."""
        completed = self._completed[0] if self._completed is not None else None
        if event.value == event.input.value and event.value != completed:
            self._offer()

    def _offer(self) -> None:
        field = self.query_one(Input)
        self._completions = complete(field.value, field.cursor_position, self._names)
        self._index, self._completed = -1, None
        self._show_completions()
        problems = check(field.value, self._names)[1]
        done = [problem for problem in problems if problem.end < field.cursor_position]
        self._show_problem(done[0].message if done else "")

    def _show_completions(self) -> None:
        shown = self._completions[:_MOST_COMPLETIONS]
        rows = [
            (completion.text, Choice(completion.text, completion.text, completion.hint))
            for completion in shown
        ]
        listed = self.query_one(ChoiceList)
        listed.styles.height = len(rows)
        listed.show(FixedRows(rows), cursor=max(0, self._index))

    def _show_problem(self, message: str) -> None:
        problem = self.query_one("#filter-problem", Static)
        problem.update(message)
        problem.display = bool(message)

    async def type_in(self, event: events.Key) -> None:
        """Complete too: a tab that was typed before the line was there has missed its priority."""
        step = {"tab": 1, "shift+tab": -1}.get(event.key)
        if step is None:
            await super().type_in(event)
        else:
            event.stop()
            self.action_complete(step)

    def action_complete(self, step: int) -> None:
        """Put in the next (1) or previous (-1) completion, after the keys typed before this one."""
        if self.composed:
            self.query_one(Input).call_later(self._complete, step)

    def _complete(self, step: int) -> None:
        if not self.composed:
            return
        field = self.query_one(Input)
        if (field.value, field.cursor_position) != self._completed:
            # The change event of the last keys may not have been handled yet.
            self._offer()
        shown = self._completions[:_MOST_COMPLETIONS]
        if shown:
            # Before the first is the last, and so it is before any was put in.
            index = self._index if step > 0 else max(self._index, 0)
            self._put_in((index + step) % len(shown))

    def _put_in(self, index: int) -> None:
        """Put in a completion, and a space after it, in place of the one that is there."""
        field = self.query_one(Input)
        chosen = self._completions[index]
        end = chosen.end
        if self._index >= 0:
            end = chosen.start + len(_spaced(self._completions[self._index].text))
        words = _spaced(chosen.text)
        self._index = index
        field.value = f"{field.value[: chosen.start]}{words}{field.value[end:]}"
        field.cursor_position = chosen.start + len(words)
        self._completed = field.value, field.cursor_position
        self._show_completions()
        self._show_problem("")

    def action_recall(self, step: int) -> None:
        """Show the next earlier (1) or later (-1) query."""
        self._at = min(max(0, self._at + step), len(self._texts) - 1)
        field = self.query_one(Input)
        field.value = self._texts[self._at]
        field.cursor_position = len(field.value)

    @on(Input.Submitted)
    def _apply(self, event: Input.Submitted) -> None:
        """Return the query if it has no mistakes; otherwise show the first one."""
        # A completion may have come after enter.
        query, problems = check(event.input.value, self._names)
        if problems:
            self._show_problem(problems[0].message)
        else:
            self.dismiss(query)

    @on(ChoiceList.Opened)
    def _take_clicked(self, event: ChoiceList.Opened) -> None:
        texts = [completion.text for completion in self._completions]
        self._put_in(texts.index(event.row.value))
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        self.dismiss(None)


def _spaced(text: str) -> str:
    """Completion with a space, unless its value is still to be written."""
    return text if text.endswith((":", "#", "@")) else f"{text} "
