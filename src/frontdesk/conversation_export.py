"""Exports conversations and threads: CSV, JSON, plain text and Markdown.

Reports are exported by `reports/export.py`, whole accounts by `ingest/archive/export.py`.

Texts are assumed to be free of control characters, as the client returns them.
"""

import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Any, TextIO, TypeAlias

from frontdesk.text import (
    clean,
    compact_json,
    escape_formula,
    file_size,
    first_non_blank,
    humanize,
    one_line,
)
from frontdesk.time_format import long_date
from frontdesk.wire import Conversation, Message, Note, Wire, instant

Cell: TypeAlias = str | int | float | bool | None
Entry: TypeAlias = Message | Note

# File extensions that threads, lists of conversations, and several threads are saved with.
THREAD_ENDINGS = ("md", "txt", "json")
QUEUE_ENDINGS = ("csv", "json")
MARKED_ENDINGS = (*QUEUE_ENDINGS, "md", "txt")

MACHINES = ("ai_agent", "api", "automation", "campaign", "system")

_ROLES = {
    "contact": "Customer",
    "user": "Agent",
    "ai_agent": "AI agent",
    "phone": "Business phone",
    "api": "API",
}
_UNNAMEABLE = re.compile(r"[^\w+-]+")
_NEVER = datetime.max.replace(tzinfo=UTC)
_INDENT = " " * 7
# Entries before a reaction in which its message is looked for.
REACHED_BY_REACTIONS = 30
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")
# Characters that start a list, rule or heading at the beginning of a line.
_MARKDOWN_START = re.compile(r"^(\s*\d*)([-+=.)])", re.MULTILINE)


def by_people(entry: Entry) -> bool:
    """True for entries by the customer, a team member or the business phone."""
    return entry.author not in MACHINES


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Messages and notes merged, oldest first; entries without a valid time last."""

    def place(entry: Entry) -> tuple[bool, datetime, int, str]:
        moment = entry.created_time
        return moment is None, moment or _NEVER, len(entry.id), entry.id

    return sorted(entries, key=place)


def author(entry: Entry) -> str:
    """Display name of the author."""
    role = author_word(entry.author)
    name = one_line(entry.author_ref.name or "") if entry.author_ref else ""
    if entry.author in ("contact", "user") or not name:
        return name or role
    return f"{role} {name}"


def entry_text(entry: Entry) -> str:
    """The quoted message and the contents of an entry, possibly of several lines."""
    return _plain_text(_quote(entry, {}), entry)


def _plain_text(quote: str, entry: Entry) -> str:
    return f"> {quote}\n{_contents(entry)}" if quote else _contents(entry)


def _contents(entry: Entry, escape: Callable[[str], str] = str) -> str:
    """Contents of an entry; `escape` is applied to all that its author wrote or sent."""
    if isinstance(entry, Note):
        return escape(entry.text)
    if entry.deleted_at:
        return "[deleted]"
    content = entry.content or {}
    summary, buttons = _media_summary(entry, content), _buttons(content)
    parts = [f"[{escape(summary)}]" if summary else "", escape(entry.text or "")]
    parts += [f"[ {escape(title)} ]" for title in buttons]
    return "\n".join(part for part in parts if part) or f"[{escape(humanize(entry.type))}]"


def remarks(entry: Entry) -> str:
    """State of a message: forwarded, edited, failed, reactions; may be empty."""
    if isinstance(entry, Note):
        return ""
    remarks = ["forwarded"] if entry.forwarded else []
    if entry.edited_at:
        remarks.append("edited")
    if entry.delivery_status == "failed":
        remarks.append(f"failed: {entry.error.title}" if entry.error else "failed")
    remarks += [f"{author_word(reaction.author)} {reaction.emoji}" for reaction in entry.reactions]
    return ", ".join(map(one_line, remarks))


def emoji_of(reaction: Message) -> str:
    """Emoji of a reaction; "" if it was taken back."""
    return one_line(str((reaction.content or {}).get("emoji") or ""))


def is_shown_above(entry: Entry, before: Iterable[Entry]) -> bool:
    """True for a reaction that is shown with its message, one of the entries before it."""
    if not isinstance(entry, Message) or entry.type != "reaction":
        return False
    shown = (entry.direction, emoji_of(entry))
    messages = (earlier for earlier in before if isinstance(earlier, Message))
    return any(
        (known.direction, one_line(known.emoji)) == shown
        for message in messages
        for known in message.reactions
    )


def _with_quotes(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Entries without reactions that are shown above, each with what it quotes."""
    before: deque[Entry] = deque(maxlen=REACHED_BY_REACTIONS)
    authors: dict[str, str] = {}
    for entry in entries:
        if not is_shown_above(entry, before):
            yield entry, _quote(entry, authors)
        before.append(entry)
        if isinstance(entry, Message):
            authors[entry.id] = author(entry)


def author_word(name: str) -> str:
    """Display name of a kind of author."""
    return _ROLES.get(name, humanize(name).capitalize())


def text_lines(entries: Iterable[Entry], zone: tzinfo | None = None) -> Iterator[str]:
    """Plain text lines, with a heading for each day in `zone`."""
    day = ""
    for entry, quote in _with_quotes(entries):
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "at an unknown time"
        if new_day != day:
            yield f"{'' if not day else chr(10)}{new_day}"
            day = new_day
        yield f"{_clock(moment)}  {_head(entry)}"
        for line in _plain_text(quote, entry).split("\n"):
            yield f"{_INDENT}{line}".rstrip()


def markdown_lines(entries: Iterable[Entry], zone: tzinfo | None = None) -> Iterator[str]:
    """Markdown lines, with days as headings; notes and quoted messages as quotations."""
    day = ""
    for entry, quote in _with_quotes(entries):
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "At an unknown time"
        if new_day != day:
            yield f"## {new_day}\n"
            day = new_day
        mark = "> " if isinstance(entry, Note) else ""
        yield f"{mark}**{_clock(moment)} {escaped(_head(entry))}**  "
        if quote:
            # Without the blank line, the text below would belong to the quotation.
            yield f"> {escaped(quote)}"
            yield ""
        for line in _contents(entry, escaped).split("\n"):
            yield f"{mark}{line}  "
        yield ""


def escaped(text: str) -> str:
    """Text with Markdown syntax escaped."""
    return _MARKDOWN_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", text))


def _head(entry: Entry) -> str:
    note = "NOTE · " if isinstance(entry, Note) else ""
    marks = remarks(entry)
    return f"{note}{author(entry)}{f' ({marks})' if marks else ''}"


def _here(timestamp: str, zone: tzinfo | None) -> datetime | None:
    moment = instant(timestamp)
    return in_zone(moment, zone) if moment else None


def _clock(moment: datetime | None) -> str:
    return f"{moment:%H:%M}" if moment else "--:--"


def _quote(entry: Entry, authors: Mapping[str, str]) -> str:
    """The quoted message on one line, with its author; empty if there is none.

    authors: names by the ids of messages; of others only the kind of author is known.
    """
    reply = entry.reply_to if isinstance(entry, Message) and not entry.deleted_at else None
    if reply is None:
        return ""
    who = authors.get(reply.message_id or "") or (author_word(reply.author) if reply.author else "")
    text = one_line(reply.text or "") or humanize(reply.type or "a message")
    return f"{who}: {text}" if who else text


def _media_summary(message: Message, content: Mapping[str, Any]) -> str:
    """Summary of contents other than text; empty for text."""
    media = message.media
    if media is not None:
        voice = message.type == "audio" and media.voice
        facts = ["voice" if voice else humanize(message.type), media.filename or ""]
        facts += [file_size(media.size_bytes)] if media.size_bytes is not None else []
    elif message.type in ("text", "system", "interactive"):
        return ""
    else:
        names = ("name", "address", "latitude", "longitude", "emoji", "original_type")
        facts = [
            humanize(message.type),
            *(str(content[name]) for name in names if content.get(name)),
        ]
    return " · ".join(one_line(fact) for fact in facts if fact)


def _buttons(content: Mapping[str, Any]) -> list[str]:
    """Titles of the buttons."""
    buttons = content.get("buttons")
    items = buttons if isinstance(buttons, list) else []
    titles = [item.get("title") or item.get("text") for item in items if isinstance(item, dict)]
    return [one_line(str(title)) for title in titles if title]


def file_name(what: str, day: date, ending: str) -> str:
    """A file name that is valid on every file system: sheena-nelson-2026-03-14.md."""
    words = _UNNAMEABLE.sub("-", what).strip("-").casefold()[:60]
    return f"{words or 'frontdesk'}-{day.isoformat()}.{ending}"


def thread_text(
    conversation: Conversation,
    entries: Iterable[Message | Note],
    ending: str,
    zone: tzinfo | None,
) -> str:
    """A thread, oldest first, in the format of a file extension (`THREAD_ENDINGS`).

    Markdown and text begin with the contact, the channel and the id of the conversation.
    """
    if ending == "json":
        return json_text(list(entries))
    channel = conversation.channel
    name = _name(conversation)
    facts = [conversation.contact.phone or "", channel.name or channel.id]
    facts.append(f"conversation {conversation.id}")
    about = " · ".join(one_line(fact) for fact in facts if fact and fact != name)
    if ending == "md":
        head, lines = f"# {escaped(name)}\n\n{escaped(about)}\n\n", markdown_lines
    else:
        head, lines = f"{name}\n{about}\n{'=' * 72}\n\n", text_lines
    return head + "\n".join(lines(entries, zone)) + "\n"


def threads_text(
    threads: Iterable[tuple[Conversation, Sequence[Message | Note]]],
    ending: str,
    zone: tzinfo | None,
) -> str:
    """Several threads, one after the other; `ending` is md or txt."""
    return "\n".join(
        thread_text(conversation, entries, ending, zone) for conversation, entries in threads
    )


def queue_text(conversations: Sequence[Conversation], ending: str) -> str:
    """Conversations in the given order, as CSV or JSON."""
    if ending == "json":
        return json_text(conversations)
    text = io.StringIO()
    write_csv(text, conversations)
    return text.getvalue()


def json_text(values: Sequence[Wire]) -> str:
    """Indented JSON of what the server sent."""
    rows = [value.model_dump(mode="json", exclude_unset=True) for value in values]
    # Deferred: the first paint does not need it.
    import json

    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _name(row: Conversation) -> str:
    return first_non_blank(row.contact.name, row.contact.phone, f"contact {row.contact.id}")


def _last_message(row: Conversation) -> str | None:
    preview = row.last_message
    if preview is None:
        return None
    return "[deleted]" if preview.deleted else preview.text or f"[{humanize(preview.type)}]"


COLUMNS: tuple[tuple[str, Callable[[Conversation], Cell]], ...] = (
    ("id", lambda row: row.id),
    ("status", lambda row: row.status),
    ("contact", _name),
    ("contact_id", lambda row: row.contact.id),
    ("contact_name", lambda row: row.contact.name),
    ("contact_phone", lambda row: row.contact.phone),
    ("channel", lambda row: row.channel.id),
    ("channel_name", lambda row: row.channel.name or row.channel.id),
    ("assignee", lambda row: row.assignee.id if row.assignee else None),
    ("assignee_name", lambda row: row.assignee.name if row.assignee else None),
    ("labels", lambda row: ",".join(row.labels)),
    ("awaiting_human", lambda row: row.awaiting_human),
    ("unread_count", lambda row: row.unread_count),
    ("last_activity_at", lambda row: row.last_activity_at),
    ("waiting_since", lambda row: row.waiting_since),
    ("snoozed_until", lambda row: row.snoozed_until),
    ("first_reply_at", lambda row: row.first_reply_at),
    ("last_inbound_at", lambda row: row.last_inbound_at),
    ("service_window_expires_at", lambda row: row.service_window_expires_at),
    ("created_at", lambda row: row.created_at),
    ("updated_at", lambda row: row.updated_at),
    ("last_author", lambda row: row.last_message.author if row.last_message else None),
    ("last_message", _last_message),
)


def csv_cell(cell: Cell) -> Cell:
    """CSV value of a cell; texts are escaped against formula injection."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return escape_formula(cell) if isinstance(cell, str) else cell


def write_csv(out: TextIO, conversations: Iterable[Conversation]) -> None:
    """Write a header row, then one row per conversation."""
    # Deferred: the first paint does not need it.
    import csv

    writer = csv.writer(out)
    writer.writerow([name for name, _ in COLUMNS])
    for conversation in conversations:
        writer.writerow([csv_cell(read(conversation)) for _, read in COLUMNS])


def local_time(text: str | None, zone: tzinfo | None = None) -> str:
    """Format a timestamp to the minute; unreadable ones are unchanged, "-" for none."""
    if not text:
        return "-"
    moment = instant(text)
    return f"{in_zone(moment, zone):%Y-%m-%d %H:%M}" if moment else text


def in_zone(moment: datetime, zone: tzinfo | None = None) -> datetime:
    """Convert to a zone; UTC at the limits of the calendar."""
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return moment.astimezone(UTC)


def markdown_cell(text: str) -> str:
    """Text of a table's cell with Markdown syntax escaped, on one line."""
    return _MARKDOWN.sub(r"\\\1", one_line(clean(text)))


def markdown_row(cells: Iterable[str]) -> str:
    """A table's row; the cells are escaped already."""
    return f"| {' | '.join(cells)} |"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; all columns but the first are aligned to the right."""
    marks = ("---", *("---:" for _ in headings[1:]))
    cells = [map(markdown_cell, row) for row in (headings, *rows)]
    return "\n".join(map(markdown_row, (cells[0], marks, *cells[1:])))


def compact(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Encode nested members as JSON in one cell, "" if empty."""
    return compact_json(value) if value else ""
