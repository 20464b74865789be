"""What lists tell the screen that they stand on."""

from typing import Any

from textual.message import Message
from textual.widget import Widget


class Told(Message):
    """Something that a list tells the screen."""

    def __init__(
        self, widget: Widget, *, row: Any = None, top: bool = False, asked: bool = False
    ) -> None:
        super().__init__()
        self.widget, self.row, self.top, self.asked = widget, row, top, asked

    @property
    def control(self) -> Widget:
        return self.widget


class Highlighted(Told):
    """The cursor is on another `row`."""


class Opened(Told):
    """The `row` under the cursor is to be opened."""


class Marked(Told):
    """The `row` under the cursor was marked, or is no longer."""


class NearEnd(Told):
    """The window is close to the first row (`top`) or to the last; `asked`: by a key for it."""
