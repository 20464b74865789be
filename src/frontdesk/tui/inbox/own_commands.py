"""Runs the user's commands, and pipes threads to programs."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from string import ascii_letters, digits
from typing import TYPE_CHECKING

from frontdesk.errors import BadSettings
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand, facts, values_of
from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.text.clean import shortened
from frontdesk.text.messages import Entry
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import CommandEntry
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.pipe import ask_for_program, encoded, give_terminal
from frontdesk.tui.dialogs.program_output import ProgramOutput
from frontdesk.tui.preferences import Preferences

if TYPE_CHECKING:
    from frontdesk.tui.inbox.inbox_base import InboxBase

# Programs at once that are not in a dialog.
_MOST_RUNNING = 4
_SHOWN_LINE = 200


class OwnCommands:
    """Commands on what an inbox shows: the selected conversation, message, or marked rows.

    Values are those of the moment in which a command is chosen.
    """

    def __init__(
        self, screen: "InboxBase", mailbox: Mailbox, clock: Clock, preferences: Preferences
    ) -> None:
        self._screen, self._mailbox, self._clock = screen, mailbox, clock
        self._profile = preferences.profile
        self._commands = [
            one for one in preferences.commands if one.is_offered(preferences.profile, sys.platform)
        ]
        # Names of commands and ids of conversations, while they run.
        self._running: set[tuple[str, str]] = set()

    # The pipe

    def ask_for_line(self) -> None:
        """Ask for a command line for `sh`, which reads the thread or the marked threads."""
        conversation = self._screen.thread.conversation
        if conversation is None:
            say(self._screen, sentences.NO_CONVERSATION)
            return
        named = facts(values_of(conversation), self._profile)
        ask_for_program(self._screen, self._mailbox, self._clock, named, self._with_threads)

    def _with_threads(self, use: Callable[[str], object]) -> None:
        marked = self._screen.queue.marked if self._screen.panes.at == "list" else ()
        if marked:
            self._screen.thread.use_texts(marked, use)
        else:
            self._screen.thread.use_text("md", use)

    # Commands of the configuration

    def entries(self) -> list[CommandEntry]:
        """Entries of the palette."""
        return [
            CommandEntry(
                f"Run: {one.name}", one.letter and f"x {one.letter}", partial(self.start, one)
            )
            for one in self._commands
        ]

    def choose(self) -> None:
        """Open the menu of the commands that can be run here."""
        offered = [one for one in self._commands if self._entry is not None or _is_general(one)]
        if not offered:
            say(self._screen, sentences.NO_COMMANDS)
            return
        letters = _letters([one.letter for one in offered])
        entries = [
            MenuEntry(letter, command, command.name)
            for letter, command in zip(letters, offered, strict=False)
        ]
        dialogs.ask(self._screen.app, dialogs.menu("Own commands", entries), self.start)

    @property
    def _entry(self) -> Entry | None:
        """The message under the cursor, in the thread."""
        at_thread = self._screen.panes.at == "thread"
        return self._screen.thread.messages.row if at_thread else None

    def start(self, command: OwnCommand) -> None:
        """Run a command: confirm it, load what it reads, run it."""
        conversation, entry = self._screen.thread.conversation, self._entry
        if conversation is None:
            say(self._screen, sentences.NO_CONVERSATION)
            return
        if entry is None and not _is_general(command):
            say(self._screen, sentences.NEEDS_MESSAGE.format(name=command.name))
            return
        values = values_of(conversation, entry, str(self._screen.inbox.view.query))
        try:
            job, question = command.job(values, self._profile, b""), command.question(values)
        except BadSettings as error:
            say(self._screen, str(error))
            return
        go_on = partial(self._load, command, job, conversation.id, entry)
        if question:
            answers = [Choice(True, f"Yes, run {command.name}"), Choice(False, "No")]
            picker = dialogs.picker(shortened(question), answers, current=False)
            dialogs.ask(self._screen.app, picker, lambda yes: go_on() if yes else None)
        else:
            go_on()

    def _load(self, command: OwnCommand, job: Job, id: str, entry: Entry | None) -> None:
        def run(text: str) -> None:
            self._run(command, job._replace(stdin=encoded(text)), id)

        match command.stdin:
            case "thread":
                self._screen.thread.use_text("md", run, command.last)
            case "thread-json":
                self._screen.thread.use_text("json", run, command.last)
            case "message":
                run(entry.text or "" if entry else "")
            case "message-json":
                run(entry.model_dump_json(exclude_unset=True) if entry else "")
            case _:
                run("")

    def _run(self, command: OwnCommand, job: Job, id: str) -> None:
        if command.output == "pane":
            self._screen.app.push_screen(ProgramOutput(command.name, job, self._clock))
        elif command.output == "terminal":
            give_terminal(self._screen, command.name, job)
        elif (command.name, id) in self._running:
            say(self._screen, sentences.COMMAND_RUNS.format(name=command.name))
        elif len(self._running) >= _MOST_RUNNING:
            say(self._screen, sentences.TOO_MANY_PROGRAMS.format(count=len(self._running)))
        else:
            work = self._run_aside(command, job, id)
            # A worker of the application goes on when another screen comes.
            self._screen.app.run_worker(work, group="own commands")

    async def _run_aside(self, command: OwnCommand, job: Job, id: str) -> None:
        program = ProgramRun(job)
        self._running.add((command.name, id))
        try:
            await program.run()
        finally:
            self._running.discard((command.name, id))
        self._report(command, program)

    def _report(self, command: OwnCommand, program: ProgramRun) -> None:
        """Say how a command without a pane ended, and take its output."""
        last = program.output.last_line or program.errors.last_line
        line = shortened(last, _SHOWN_LINE)
        if program.failure:
            words = {"name": command.name, "failure": program.failure}
            self._warn(sentences.COMMAND_FAILED.format(line=line and f": {line}", **words))
        elif command.output == "notify":
            said = line or "done"
            say(self._screen, sentences.COMMAND_DONE.format(name=command.name, line=said))
        elif command.output == "clipboard":
            copy(self._screen, program.output.text().removesuffix("\n"))

    def _warn(self, words: str) -> None:
        self._screen.app.notify(words, severity="warning", timeout=10, markup=False)


def _is_general(command: OwnCommand) -> bool:
    return "conversation" in command.places


def _letters(configured: Sequence[str]) -> list[str]:
    """A letter or digit for each command: its own, else the first that is free, while any is."""
    free = iter([one for one in digits[1:] + ascii_letters if one not in configured])
    return [letter for one in configured if (letter := one or next(free, ""))]
