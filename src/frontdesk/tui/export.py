"""Export formats: threads as text, Markdown or JSON, conversation lists as CSV or JSON."""

import io
import re
from collections.abc import Iterable, Sequence
from datetime import date, tzinfo

from frontdesk import transcript
from frontdesk.conversation_columns import write_csv
from frontdesk.text import first_said, one_line
from frontdesk.wire import Conversation, Message, Note

THREAD_ENDINGS = ("md", "txt", "json")
QUEUE_ENDINGS = ("csv", "json")
MARKED_ENDINGS = (*QUEUE_ENDINGS, "md", "txt")

_UNNAMEABLE = re.compile(r"[^\w+-]+")


def file_name(what: str, day: date, ending: str) -> str:
    """A file name that is valid on every file system: sheena-nelson-2026-03-14.md."""
    words = _UNNAMEABLE.sub("-", what).strip("-").casefold()[:60]
    return f"{words or 'frontdesk'}-{day.isoformat()}.{ending}"


def thread_text(entries: Iterable[Message | Note], ending: str, zone: tzinfo | None) -> str:
    """A thread, oldest first, in the format of a file extension (`THREAD_ENDINGS`)."""
    if ending == "json":
        return _json(list(entries))
    lines = transcript.markdown_lines if ending == "md" else transcript.text_lines
    return "\n".join(lines(entries, zone)) + "\n"


def threads_text(
    threads: Iterable[tuple[Conversation, Sequence[Message | Note]]],
    ending: str,
    zone: tzinfo | None,
) -> str:
    """Several threads, each under a heading with the contact's name; `ending` is md or txt."""
    parts = []
    for conversation, entries in threads:
        contact, channel = conversation.contact, conversation.channel
        name = first_said(contact.name, contact.phone, f"contact {contact.id}")
        facts = [contact.phone or "", channel.name or channel.id, conversation.id]
        about = " · ".join(one_line(fact) for fact in facts if fact and fact != name)
        if ending == "md":
            head = f"# {transcript.escaped(name)}\n\n{transcript.escaped(about)}\n\n"
        else:
            head = f"{name}\n{about}\n{'=' * 72}\n\n"
        parts.append(head + thread_text(entries, ending, zone))
    return "\n".join(parts)


def queue_text(conversations: Sequence[Conversation], ending: str) -> str:
    """Conversations in the given order, as CSV or JSON."""
    if ending == "json":
        return _json(conversations)
    text = io.StringIO()
    write_csv(text, conversations)
    return text.getvalue()


def _json(values: Sequence[Conversation | Message | Note]) -> str:
    rows = [value.model_dump(mode="json", exclude_unset=True) for value in values]
    # Deferred: the first paint does not need it.
    import json

    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
