"""Base classes of screens and dialogs whose dismissal is idempotent."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.widget import Widget

from frontdesk.tui.screens.sized import SizedScreen

R = TypeVar("R")

# Textual takes the default CSS of the first base only, so that must be a Textual class.


class LeftOnce(SizedScreen[R]):
    """Ignores a repeated dismissal, so that a repeated key does not close the screen below.

    left: dismissed, though possibly not yet removed.
    """

    left = False
    _drawn: Sequence[Widget] = ()
    _answer: Callable[[R | None], object] | None = None

    def answer_to(self, callback: Callable[[R | None], object]) -> None:
        """Call `callback` with the result synchronously when the screen is dismissed.

        Textual calls the callback of `push_screen` from a later message. A key typed ahead would be
        handled before that, and miss the screen that the callback opens.
        """
        self._answer = callback

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Dismiss if this is the active screen; otherwise do nothing."""
        if self.app.screen is not self:
            return AwaitComplete()
        # A response that arrives from now on must not touch the removed widgets.
        self.left = True
        self._drawn = list(self.walk_children(Widget, with_self=True))
        self.workers.cancel_node(self)
        leaving = super().dismiss(result)
        if self._answer is not None:
            self._answer(result)
        return leaving

    def on_unmount(self) -> None:
        """Refresh the widgets, so that Textual releases their cached strips."""
        for widget in self._drawn:
            widget.refresh()
        self._drawn = []


class Dialog(ModalScreen[R], LeftOnce[R]):
    """A modal screen that covers a part of the screen below."""
