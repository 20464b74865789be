"""Screens over others that are left once, however often and fast a key asks for it."""

from collections.abc import Callable
from typing import TypeVar

from textual._styles_cache import StylesCache
from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.message_pump import MessagePump
from textual.screen import ModalScreen

from frontdesk.tui.widgets.laid import LaidScreen

R = TypeVar("R")

# Styles come from the first base alone, so that is Textual's own.


class LeftOnce(LaidScreen[R]):
    """A key may come again before it has had its effect: that takes no other screen away.

    `left`: it is not to be seen again, though it may not be gone yet.
    """

    left = False

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Leave, if this screen is still the one on top.

        Who opened it is told at once: the next key is already for what opens because of that.
        """
        if self.app.screen is not self:
            return AwaitComplete()
        # An answer that comes now would find no widgets to stand in.
        self.left = True
        self.workers.cancel_node(self)
        opener, tell = self._opener()
        leaving = super().dismiss(result)
        if tell is not None:
            with opener._context():
                tell(result)
        return leaving

    def on_unmount(self) -> None:
        """Let go of what was drawn here: Textual would keep it until a thousand widgets later."""
        StylesCache.get_inner_outer.cache_clear()

    def _opener(self) -> tuple[MessagePump, Callable[[R | None], object] | None]:
        """Who opened this screen, and what it wants to be told with; nobody else tells it then."""
        asked = self._result_callbacks[-1] if self._result_callbacks else None
        if asked is None:
            return self.app, None
        tell, asked.callback = asked.callback, None
        return asked.requester, tell


class Dialog(ModalScreen[R], LeftOnce[R]):
    """Stands before the screen that it was opened from."""


class Palette(CommandPalette, LeftOnce[None]):
    """Textual's list of commands; no key moves in it before any of it can be seen."""

    def _action_command_list(self, action: str) -> None:
        commands = self.query_one(CommandList)
        if commands.option_count and commands.scrollable_content_region:
            super()._action_command_list(action)
