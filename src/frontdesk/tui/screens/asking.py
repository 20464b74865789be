"""Screens that ask something: keys that are typed before they stand are not lost."""

from typing import Any, TypeVar

from textual import events, on
from textual.widgets import Input

from frontdesk.tui.screens.leaving import Dialog, LeftOnce

R = TypeVar("R")


class Early(LeftOnce[R]):
    """Takes keys that came too early for its widgets; the application hands them on."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._early: list[events.Key] = []

    @property
    def typing(self) -> bool:
        """Whether a letter is typed into the field, or will be, whatever its key does here."""
        return not self.is_mounted or isinstance(self.focused, Input)

    @on(events.Mount)
    async def _catch_up(self) -> None:
        """What was typed meanwhile comes before all that follows."""
        early, self._early = self._early, []
        for event in early:
            await self.type_in(event)

    async def take_early(self, event: events.Key) -> None:
        """A key that nothing else has taken."""
        if self.is_mounted:
            await self.type_in(event)
        else:
            self._early.append(event)

    async def type_in(self, event: events.Key) -> None:
        """Type it into the field, as the field would have."""
        field = self.query_one(Input)
        if event.is_printable and event.character is not None:
            event.stop()
            if not field.has_focus and field.select_on_focus:
                # The focus is on its way, and what is typed now must not be replaced by more.
                field.select_on_focus = False
                field.clear()
            field.insert_text_at_cursor(event.character)
        elif event.key == "enter" and not field.has_focus:
            event.stop()
            await field.action_submit()


class Asking(Dialog[str | None], Early[str | None]):
    """Asks for one answer."""
