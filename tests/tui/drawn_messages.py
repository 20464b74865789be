"""Messages and notes as the thread draws them, at a fixed time."""

from datetime import UTC, datetime
from typing import Any

from rich.cells import cell_len

from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.message_list import MessageContext, message_lines, note_lines
from frontdesk.wire import Message, Note

AT = "2026-03-14T09:26:53.000Z"
CLOCK = Clock(UTC, lambda: datetime(2026, 3, 14, 10, 0, tzinfo=UTC))
CONTEXT = MessageContext(CLOCK, contact="Sheena Nelson")

TYPES = (
    "text",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "interactive",
    "template",
    "order",
    "reaction",
    "system",
    "unsupported",
)


def message(**members: Any) -> Message:
    base = {"id": "1", "direction": "inbound", "author": "contact", "created_at": AT}
    return Message.model_validate({**base, **members})


def sent(**members: Any) -> Message:
    return message(**{"direction": "outbound", "author": "user", **members})


def drawn(entry: Message | Note, width: int = 70, *, head: bool = True) -> list[str]:
    """The lines as text, without the blanks at their ends."""
    if isinstance(entry, Note):
        lines = note_lines(entry, CONTEXT, width)
    else:
        lines = message_lines(entry, CONTEXT, width, head=head)
    texts = ["".join(text for _, text in line) for line in lines]
    assert [cell_len(text) for text in texts] == [width] * len(texts)
    return [text.rstrip() for text in texts]
