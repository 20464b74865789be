"""Pipes a text to a program: asks for a line of `sh`, which is run as an own command is."""

import json
import sys
from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.text.clean import compact_json
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.dialogs.command_prompt import CommandPrompt
from frontdesk.tui.dialogs.factories import ask

_HISTORY = "pipe.history"
_MOST_REMEMBERED = 100


def ask_for_program(
    screen: Screen[Any], mailbox: Mailbox, run: Callable[[OwnCommand], object], *, input: str
) -> None:
    """Ask for a line, and call `run` with its command, which reads what is called `input`."""
    if sys.platform == "win32":
        say(screen, sentences.NO_PIPE_HERE)
        return

    def use(line: str) -> None:
        # As in shells, a line that begins with a blank is not remembered.
        if not line.startswith(" "):
            _remember(mailbox, line)
        in_terminal = line.strip().startswith("!")
        program = line.strip().removeprefix("!").strip()
        if program:
            run(OwnCommand(f"| {program}", program, output="terminal" if in_terminal else "pane"))

    ask(screen.app, CommandPrompt(_history(mailbox), input), use)


def _history(mailbox: Mailbox) -> list[str]:
    try:
        lines = json.loads(mailbox.get_setting(_HISTORY) or "[]")
    except ValueError:
        return []
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def _remember(mailbox: Mailbox, line: str) -> None:
    lines = [one for one in _history(mailbox) if one != line]
    mailbox.set_setting(_HISTORY, compact_json([*lines, line][-_MOST_REMEMBERED:]))
