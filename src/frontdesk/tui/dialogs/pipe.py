"""Pipes a text to a program: asks for its line, and shows its output or gives it the terminal."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import program_environment
from frontdesk.own_commands.runner import Job
from frontdesk.text.clean import compact_json
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.command_prompt import CommandPrompt
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.program_output import ProgramOutput

_HISTORY = "pipe.history"
_MOST_REMEMBERED = 100


def ask_for_program(
    screen: Screen[Any],
    mailbox: Mailbox,
    clock: Clock,
    facts: Mapping[str, str],
    load: Callable[[Callable[[str], object]], object],
    *,
    input: str = "the thread",
) -> None:
    """Ask for a line of `sh`, and run it with a text on standard input.

    facts: variables for the program. load: calls its argument with the text, which
    is called `input`.
    """
    if sys.platform == "win32":
        say(screen, sentences.NO_PIPE_HERE)
        return

    def run(line: str) -> None:
        # As in shells, a line that begins with a blank is not remembered.
        if not line.startswith(" "):
            _remember(mailbox, line)
        in_terminal = line.strip().startswith("!")
        program = line.strip().removeprefix("!").strip()

        def start(job: Job) -> None:
            if in_terminal:
                give_terminal(screen, program, job)
            else:
                screen.app.push_screen(ProgramOutput(f"| {program}", job, clock))

        if program:
            environment = program_environment(facts, is_plain=not in_terminal)
            load(lambda text: start(Job(["sh", "-c", program], encoded(text), environment)))

    ask(screen.app, CommandPrompt(_history(mailbox), input), run)


def _history(mailbox: Mailbox) -> list[str]:
    try:
        lines = json.loads(mailbox.get_setting(_HISTORY) or "[]")
    except ValueError:
        return []
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def _remember(mailbox: Mailbox, line: str) -> None:
    lines = [one for one in _history(mailbox) if one != line]
    mailbox.set_setting(_HISTORY, compact_json([*lines, line][-_MOST_REMEMBERED:]))


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def give_terminal(screen: Screen[Any], name: str, job: Job) -> None:
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
