"""What is read, as files: a thread as text, Markdown or JSON, a queue as CSV or JSON."""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, tzinfo

from frontdesk import transcript
from frontdesk.text import shielded
from frontdesk.wire import Conversation, Message, Note

THREAD_ENDINGS = ("md", "txt", "json")
QUEUE_ENDINGS = ("csv", "json")

_UNNAMEABLE = re.compile(r"[^\w+-]+")


def file_name(what: str, day: date, ending: str) -> str:
    """A name that every file system takes: sheena-nelson-2026-03-14.md."""
    words = _UNNAMEABLE.sub("-", what).strip("-").casefold()[:60]
    return f"{words or 'frontdesk'}-{day.isoformat()}.{ending}"


def thread_text(entries: Iterable[Message | Note], ending: str, zone: tzinfo | None) -> str:
    """A thread, oldest first, in the format of a file's ending."""
    if ending == "json":
        return _json(list(entries))
    lines = transcript.markdown_lines if ending == "md" else transcript.text_lines
    return "\n".join(lines(entries, zone)) + "\n"


def queue_text(conversations: Sequence[Conversation], ending: str) -> str:
    """Conversations in their order, in the format of a file's ending."""
    if ending == "json":
        return _json(conversations)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in conversations:
        writer.writerow([shielded(str(value or "")) for value in _cells(one)])
    return text.getvalue()


_COLUMNS = (
    "id",
    "status",
    "contact",
    "phone",
    "channel",
    "assignee",
    "labels",
    "unread",
    "waiting_since",
    "last_activity_at",
    "last_message",
)


def _cells(one: Conversation) -> Sequence[object]:
    return (
        one.id,
        one.status,
        one.contact.name,
        one.contact.phone,
        one.channel.name or one.channel.id,
        one.assignee.name if one.assignee else None,
        " ".join(one.labels),
        one.unread_count,
        one.waiting_since,
        one.last_activity_at,
        one.last_message.text if one.last_message else None,
    )


def _json(values: Sequence[Conversation | Message | Note]) -> str:
    rows = [value.model_dump(mode="json", exclude_unset=True) for value in values]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
