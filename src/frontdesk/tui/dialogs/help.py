"""Help dialog: searchable list of the active key bindings, by group.

The order of groups is in `tui/action_groups.py`; titles, keys and groups are in `BINDINGS` of each
screen or pane.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from frontdesk.tui.command_entries import CommandEntry
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.picker import Picker

_SIGNS = (
    ("Waits: under 15 minutes, 1 hour, 8 hours, longer", "◔ ◑ ◕ ●"),
    ("Needs a human", "!"),
    ("Unread: how many messages, • where unknown", "2 •"),
    ("To follow up: hidden until a time, or back", "⏰"),
    ("Labels, where there is no room for their names", "■ +1"),
    ("Messages of the customer", "│"),
    ("Messages of the team", "┃"),
    ("Messages of the AI agent", "║"),
    ("Messages of a campaign or a program", "┇"),
    ("Messages from the phone app", "╏"),
    ("Sent, delivered (coloured: read), failed", "✓ ✓✓ ✗"),
    ("Delivered, on terminals where read is said in words", "dlvd"),
    ("Reaction, deleted message", "↳ ⊘"),
)
# Meanings of the signs of rows and messages, above the keys of the inbox.
SIGNS = tuple(
    CommandEntry(meaning, sign, lambda: None, "signs symbols icons legend", "Signs")
    for meaning, sign in _SIGNS
)


def show_help(screen: Screen[Any], commands: Sequence[CommandEntry]) -> None:
    """Show the help dialog, and run the selected action."""
    ask(screen.app, HelpScreen(commands), lambda command: command.run())


class HelpScreen(Picker[CommandEntry]):
    """Picker of actions, by group; returns the selected one."""

    PLACEHOLDER = "type to find an action"
    MOST_SHOWN = 100
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "leave", "Back", id="help.leave"),
    ]

    def __init__(self, commands: Sequence[CommandEntry]) -> None:
        super().__init__("Keys that work here", command_choices(commands), current=None)


def command_choices(commands: Sequence[CommandEntry]) -> list[Choice[CommandEntry]]:
    """Commands as choices, the first of each group with its heading."""
    groups = ["", *(command.group for command in commands)]
    return [
        Choice(
            command,
            command.title,
            command.hint,
            synonyms=command.synonyms,
            heading=command.group if command.group != before else "",
        )
        for command, before in zip(commands, groups, strict=False)
    ]
