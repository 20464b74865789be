"""Programs of the user that run without a dialog: their list, their end, and leaving the viewer."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from textual.app import App
from textual.screen import Screen

from frontdesk.own_commands.command import OwnCommand
from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.text.clean import counted, file_size, shortened
from frontdesk.text.times import duration
from frontdesk.tui import sentences
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.program_output import ProgramOutput

# Programs at once that are not in a dialog.
_MOST_RUNNING = 4
_SHOWN_LINE = 200
# Bytes of an output that is copied; that of a pane keeps more.
_MOST_COPIED = 1024 * 1024


class RunningProgram(NamedTuple):
    """A program without a dialog. of: name of what it runs on, or ""."""

    name: str
    of: str
    since: datetime
    detached: bool
    cancel: Callable[[], object]

    def words(self, now: datetime) -> str:
        """Its name, what it runs on, and for how long."""
        of = f", {shortened(self.of)}" if self.of else ""
        seconds = int((now - self.since).total_seconds())
        age = f"{seconds} s" if seconds < 60 else duration(now - self.since)
        return f"cancel {self.name}{of} ({age})"


class RunningPrograms:
    """Runs commands by their output, one of each at a time for a conversation."""

    def __init__(self, app: App[Any], clock: Clock) -> None:
        self._app, self._clock = app, clock
        self._running: dict[tuple[str, str], RunningProgram] = {}

    @property
    def cancellable(self) -> Sequence[RunningProgram]:
        """Those that end when they are cancelled, the oldest first."""
        return [one for one in self._running.values() if not one.detached]

    def run(
        self,
        command: OwnCommand,
        job: Job,
        id: str = "",
        of: str = "",
        keep: Callable[[str], object] = lambda text: None,
    ) -> None:
        """Run a job of a command. id: of its conversation, or ""; of: what it runs on.

        keep: takes the output that stays under what it runs on.
        """
        key, screen = (command.name, id), self._app.screen
        if command.output == "pane":
            self._app.push_screen(ProgramOutput(command.name, job, self._clock))
        elif command.output == "terminal":
            _give_terminal(screen, command.name, job)
        elif key in self._running:
            say(screen, sentences.COMMAND_RUNS.format(name=command.name))
        elif len(self._running) >= _MOST_RUNNING:
            say(screen, sentences.TOO_MANY_PROGRAMS.format(count=len(self._running)))
        else:
            # A worker of the application goes on when another screen comes.
            run = self._run_aside(command, job, key, keep)
            work = self._app.run_worker(run, group="own commands")
            since = self._clock.now()
            running = RunningProgram(command.name, of, since, job.detached, work.cancel)
            self._running[key] = running

    def cancel(self, name: str, id: str) -> bool:
        """Cancel the program of a command for a conversation; False if none can be."""
        running = self._running.get((name, id))
        if running is None or running.detached:
            return False
        running.cancel()
        return True

    async def _run_aside(
        self,
        command: OwnCommand,
        job: Job,
        key: tuple[str, str],
        keep: Callable[[str], object],
    ) -> None:
        program = ProgramRun(job)
        try:
            await program.run()
        finally:
            del self._running[key]
            if program.problem == "cancelled":
                say(self._app.screen, sentences.COMMAND_CANCELLED.format(name=command.name))
        self._report(command, program, keep)

    def _report(
        self, command: OwnCommand, program: ProgramRun, keep: Callable[[str], object]
    ) -> None:
        """Say how a command without a pane ended, and take its output."""
        last = program.output.last_line or program.errors.last_line
        line, screen = shortened(last, _SHOWN_LINE), self._app.screen
        if program.failure:
            words = {"name": command.name, "failure": program.failure}
            sentence = sentences.COMMAND_FAILED.format(line=line and f": {line}", **words)
            self._app.notify(sentence, severity="warning", timeout=10, markup=False)
        elif command.output == "notice":
            said = line or "done"
            say(screen, sentences.COMMAND_DONE.format(name=command.name, line=said))
        elif command.output == "under":
            keep(program.output.text())
            if not line:
                say(screen, sentences.COMMAND_DONE.format(name=command.name, line="no output"))
        elif command.output == "clipboard" and program.output.total > _MOST_COPIED:
            size = file_size(program.output.total)
            say(screen, sentences.TOO_LONG_TO_COPY.format(name=command.name, size=size))
        elif command.output == "clipboard":
            copy(screen, program.output.text().removesuffix("\n"))


def _give_terminal(screen: Screen[Any], name: str, job: Job) -> None:
    """Run a job in the terminal, and say how it failed."""
    from frontdesk.tui.terminal_job import NoTerminal, run_in_terminal

    try:
        failure = run_in_terminal(screen.app, job)
    except NoTerminal:
        say(screen, sentences.NO_TERMINAL.format(name=name))
        return
    if failure:
        words = sentences.COMMAND_FAILED.format(name=name, failure=failure, line="")
        screen.app.notify(words, severity="warning", timeout=10, markup=False)


def programs_of(app: App[Any], clock: Clock) -> RunningPrograms:
    """The programs of an application."""
    assert isinstance(app, CrashReportingApp)
    if not isinstance(app.programs, RunningPrograms):
        app.programs = programs = RunningPrograms(app, clock)
        return programs
    return app.programs


def leave(app: CrashReportingApp[Any], exit: Callable[[], object]) -> None:
    """Leave the application; while programs run that end with it, ask first."""
    programs = app.programs
    aside = programs.cancellable if isinstance(programs, RunningPrograms) else ()
    names = [one.name for one in aside]
    shown = [screen for screen in app.screen_stack if isinstance(screen, ProgramOutput)]
    names += [screen.title_words for screen in shown if screen.runs]
    if not names:
        exit()
        return
    count = counted(len(names), "program")
    choices = [Choice(False, "No, stay"), Choice(True, f"Yes, leave and end {', '.join(names)}")]
    picker = dialogs.picker(sentences.PROGRAMS_RUN.format(programs=count), choices, current=False)
    dialogs.ask(app, picker, lambda yes: exit() if yes else None)
