"""A report as what an own command is run on."""

import os
from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from frontdesk.system import private_files
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.command_menu import CommandTarget
from frontdesk.tui.dialogs.running_programs import programs_of


def report_target(screen: Screen[Any], clock: Clock, text: Callable[[], str]) -> CommandTarget:
    """The target of a command. text: gives the report as CSV."""

    def load(use: Callable[[str], object]) -> None:
        use(text())

    def save(use: Callable[[str], object]) -> None:
        path = programs_of(screen.app, clock).directory / "report.csv"
        private_files.save_text(path, text())
        use(os.fspath(path))

    return CommandTarget({}, "report", load=load, load_file=save)
