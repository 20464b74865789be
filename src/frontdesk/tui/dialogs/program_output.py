"""Dialog that runs a program, and shows its output while it comes."""

import asyncio
from datetime import timedelta
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.text.clean import clean, file_size
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.raw_row import TextLines
from frontdesk.tui.dialogs.save_prompt import ask_for_name, save_text
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.virtual_list import RowSearch

_KEYS = (
    "{output.find} find   {output.copy} copy line   {output.copy_all} copy all   "
    "{output.save} save   {output.again} again   {output.leave} cancel, back"
)
_ENDINGS = ("txt", "md", "json", "csv")
_FRAME_SECONDS = 0.1


class OutputLines(TextLines):
    """Lines of an output, which follow its end until somebody scrolls."""

    FOLLOWS_END = True

    def words_at(self, position: int) -> str:
        return self.rows[position]


class ProgramOutput(Dialog[None]):
    """Runs a job. Escape cancels it, and a second one closes the dialog; so does leaving."""

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Cancel, back", id="output.leave"),
        Binding("ctrl+c", "cancel", "Cancel", id="output.cancel"),
        Binding("slash", "find", "Find…", id="output.find"),
        Binding("n", "find_next(1)", "Next match", id="output.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="output.previous_match"),
        Binding("y", "copy", "Copy line", id="output.copy"),
        Binding("Y", "copy_all", "Copy all", id="output.copy_all"),
        Binding("E", "save", "Save…", id="output.save"),
        Binding("r", "again", "Run again", id="output.again"),
    ]

    def __init__(self, title: str, job: Job, clock: Clock) -> None:
        super().__init__()
        self._title, self._job, self._clock = title, job, clock
        self._program = ProgramRun(job)
        self._shown_bytes = -1
        self._find_text = ""
        self._begun = clock.now()

    @property
    def runs(self) -> bool:
        """True until the program has ended."""
        return self._program.is_running

    @property
    def title_words(self) -> str:
        """Name of the program."""
        return self._title

    def compose(self) -> ComposeResult:
        with Vertical(id="raw-row", classes="program-output"):
            yield Static(clean(self._title), id="raw-row-title", markup=False)
            yield OutputLines(id="raw-row-lines")
            yield Static(id="program-state", markup=False)
            yield HintLine(_KEYS, id="raw-row-hints")

    def on_mount(self) -> None:
        if not self.composed:
            return
        self._lines.focus()
        self.set_interval(_FRAME_SECONDS, self._show_output)
        self._run()

    @property
    def _lines(self) -> OutputLines:
        return self.query_one(OutputLines)

    @work(group="program", exclusive=True)
    async def _run(self) -> None:
        self._program = program = ProgramRun(self._job)
        self._shown_bytes, self._begun = -1, self._clock.now()
        try:
            await self._laid_out()
            program.job = self._sized_job()
            await program.run()
        except asyncio.CancelledError:
            # Also if it was not started yet.
            program.problem = "cancelled"
            raise
        finally:
            if program is self._program:
                self._show_output()

    async def _laid_out(self) -> None:
        """Wait until the pane has its size."""
        is_laid_out = asyncio.Event()
        self.call_after_refresh(is_laid_out.set)
        await is_laid_out.wait()

    def _sized_job(self) -> Job:
        """The job, with the size of the pane for programs that fill lines."""
        width, height = self._lines.size
        size = {"COLUMNS": str(max(1, width - 1)), "LINES": str(max(1, height))}
        return self._job._replace(environment={**(self._job.environment or {}), **size})

    def _state(self) -> str:
        program, output = self._program, self._program.output
        seconds = (self._clock.now() - self._begun) // timedelta(seconds=1)
        state = f"running {seconds} s" if program.is_running else program.failure or "exit code 0"
        left_out = f", {file_size(output.left_out)} left out" if output.left_out else ""
        return f"{state} · {file_size(output.total)}{left_out}"

    def _show_output(self) -> None:
        """Show what came since the last frame, and the state."""
        if not self.composed:
            return
        output = self._program.output
        self.query_one("#program-state", Static).update(self._state())
        if output.total == self._shown_bytes:
            return
        is_first, self._shown_bytes = self._shown_bytes < 0, output.total
        if is_first:
            self._lines.show_end(output.lines)
        else:
            self._lines.replace_rows(output.lines)

    def action_cancel(self) -> None:
        self.workers.cancel_group(self, "program")

    def action_leave(self) -> None:
        if self._program.is_running:
            self.action_cancel()
        else:
            self.dismiss()

    def action_again(self) -> None:
        if not self._program.is_running:
            self._run()

    def action_find(self) -> None:
        prompt = dialogs.prompt("/ ", value=self._find_text)
        dialogs.ask(self.app, prompt, self._find_first)

    def _find_first(self, text: str) -> None:
        self._find_text = text
        self.action_find_next(1)

    def action_find_next(self, step: int) -> None:
        lines = self._lines
        if self._find_text and len(lines.rows):
            search = RowSearch(lines, self._find_text, step)
            search.run(len(lines.rows))
            if not search.found:
                say(self, sentences.NO_MATCH_IN_PANE.format(text=self._find_text))

    def action_copy(self) -> None:
        copy(self, self._lines.copied())

    def action_copy_all(self) -> None:
        copy(self, self._program.output.text())

    def action_save(self) -> None:
        ask_for_name(self, "output", self._clock, _ENDINGS, self._save)

    def _save(self, name: str) -> None:
        save_text(self, name, self._program.output.text(), "{saved}")
