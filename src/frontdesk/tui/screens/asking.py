"""Dialogs that buffer keys typed before their widgets are mounted."""

from typing import Any, TypeVar

from textual import events, on
from textual.widgets import Input

from frontdesk.tui.screens.leaving import Dialog, LeftOnce

R = TypeVar("R")


class Early(LeftOnce[R]):
    """Buffers keys that arrive before mounting, and types them into the field afterwards."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._early: list[events.Key] = []

    @property
    def typing(self) -> bool:
        """True before mounting, and while an input has the focus: printable keys are text then."""
        return not self.is_mounted or isinstance(self.focused, Input)

    @on(events.Mount)
    async def _catch_up(self) -> None:
        """Type the buffered keys before any later one is handled."""
        early, self._early = self._early, []
        for event in early:
            await self.type_in(event)

    async def take_early(self, event: events.Key) -> None:
        """Handle a key that no widget consumed: buffer it until this screen is mounted."""
        if self.is_mounted:
            await self.type_in(event)
        else:
            self._early.append(event)

    async def type_in(self, event: events.Key) -> None:
        """Apply a key to the input: insert a printable character; submit on enter."""
        field = self.query_one(Input)
        if event.is_printable and event.character is not None:
            event.stop()
            if not field.has_focus and field.select_on_focus:
                # `select_on_focus` would select this text when the focus arrives, and the next key
                # replace it.
                field.select_on_focus = False
                field.clear()
            field.insert_text_at_cursor(event.character)
        elif event.key == "enter" and not field.has_focus:
            event.stop()
            await field.action_submit()


class Asking(Dialog[str | None], Early[str | None]):
    """A dialog with one answer."""
