"""Screens over others that are left once, however often and fast a key asks for it."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.screen import ModalScreen, Screen

R = TypeVar("R")

# Styles come from the first base alone, so that is Textual's own.


class LeftOnce(Screen[R]):
    """A key may come again before it has had its effect: that takes no other screen away."""

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Leave, if this screen is still the one on top."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class Dialog(ModalScreen[R], LeftOnce[R]):
    """Stands before the screen that it was opened from."""


class Palette(CommandPalette, LeftOnce[None]):
    """Textual's list of commands; no key moves in it before any of it can be seen."""

    def _action_command_list(self, action: str) -> None:
        commands = self.query_one(CommandList)
        if commands.option_count and commands.scrollable_content_region:
            super()._action_command_list(action)
