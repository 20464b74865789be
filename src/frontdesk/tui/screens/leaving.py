"""Screens over others that are left once, however often and fast a key asks for it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.widget import Widget

from frontdesk.tui.screens.sized import SizedScreen

R = TypeVar("R")

# Styles come from the first base alone, so that is Textual's own.


class LeftOnce(SizedScreen[R]):
    """A key may come again before it has had its effect: that takes no other screen away.

    left: it is not to be seen again, though it may not be gone yet.
    """

    left = False
    _drawn: Sequence[Widget] = ()
    _answer: Callable[[R | None], object] | None = None

    def answer_to(self, callback: Callable[[R | None], object]) -> None:
        """Call `callback` with the result, in the moment in which the screen is dismissed.

        Textual calls the callback of `push_screen` with a later message. A key that was typed
        ahead would come before it, and miss the screen that the callback opens.
        """
        self._answer = callback

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Leave, if this screen is still the one on top."""
        if self.app.screen is not self:
            return AwaitComplete()
        # An answer that comes now would find no widgets to stand in.
        self.left = True
        self._drawn = list(self.walk_children(Widget, with_self=True))
        self.workers.cancel_node(self)
        leaving = super().dismiss(result)
        if self._answer is not None:
            self._answer(result)
        return leaving

    def on_unmount(self) -> None:
        """Let go of what was drawn, which Textual keeps for a while."""
        for widget in self._drawn:
            widget.refresh()
        self._drawn = []


class Dialog(ModalScreen[R], LeftOnce[R]):
    """Covers a part of the screen that it was opened from."""
