"""Screens that ask something: keys that are typed before they stand are not lost."""

from textual import events, on
from textual.widgets import Input

from frontdesk.tui.screens.leaving import Dialog


class Asking(Dialog[str | None]):
    """Takes keys that came too early for its widgets; the application hands them on."""

    def __init__(self) -> None:
        super().__init__()
        self._early: list[events.Key] = []

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
