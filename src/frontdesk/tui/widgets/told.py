"""Messages that lists post to their screen."""

from typing import Any

from textual.message import Message
from textual.widget import Widget


class Told(Message):
    """Base of the messages of lists."""

    def __init__(
        self, widget: Widget, *, row: Any = None, top: bool = False, asked: bool = False
    ) -> None:
        super().__init__()
        self.widget, self.row, self.top, self.asked = widget, row, top, asked

    @property
    def control(self) -> Widget:
        return self.widget


class Highlighted(Told):
    """The cursor moved to another `row`."""


class Opened(Told):
    """The `row` under the cursor was opened."""


class Marked(Told):
    """The `row` under the cursor was marked or unmarked."""


class NearEnd(Told):
    """The window is near the first row (`top`) or the last; `asked`: the user went there by key."""
