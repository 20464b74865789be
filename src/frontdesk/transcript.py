"""Renders conversations as plain text or Markdown, oldest message first.

Texts are assumed to be free of control characters, as the client returns them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeAlias

from frontdesk.text import file_size, long_date, one_line, words
from frontdesk.wire import Message, Note, instant

Entry: TypeAlias = Message | Note

MACHINES = ("ai_agent", "api", "automation", "campaign", "system")

_ROLES = {
    "contact": "Customer",
    "user": "Agent",
    "ai_agent": "AI agent",
    "phone": "Business phone",
    "api": "API",
}
_NEVER = datetime.max.replace(tzinfo=UTC)
_INDENT = " " * 7
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")
# Characters that start a list, rule or heading at the beginning of a line.
_MARKDOWN_START = re.compile(r"^(\s*)([-+=]|\d+[.)])", re.MULTILINE)


def by_people(entry: Entry) -> bool:
    """True for entries by the customer, a team member or the business phone."""
    return entry.author not in MACHINES


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Messages and notes merged, oldest first; entries without a valid time last."""

    def place(entry: Entry) -> tuple[bool, datetime, int, str]:
        moment = instant(entry.created_at)
        return moment is None, moment or _NEVER, len(entry.id), entry.id

    return sorted(entries, key=place)


def author(entry: Entry) -> str:
    """Display name of the author."""
    role = author_word(entry.author)
    name = one_line(entry.author_ref.name or "") if entry.author_ref else ""
    if entry.author in ("contact", "user") or not name:
        return name or role
    return f"{role} {name}"


def said(entry: Entry) -> str:
    """Contents of an entry, possibly of several lines."""
    if isinstance(entry, Note):
        return entry.text
    if entry.deleted_at:
        return "[deleted]"
    content = entry.content or {}
    parts = [_quote(entry), _sent(entry, content), entry.text or "", *_buttons(content)]
    return "\n".join(part for part in parts if part) or f"[{words(entry.type)}]"


def remarks(entry: Entry) -> str:
    """State of a message: forwarded, edited, failed, reactions; may be empty."""
    if isinstance(entry, Note):
        return ""
    told = ["forwarded"] if entry.forwarded else []
    if entry.edited_at:
        told.append("edited")
    if entry.delivery_status == "failed":
        told.append(f"failed: {entry.error.title}" if entry.error else "failed")
    told += [f"{author_word(one.author)} {one.emoji}" for one in entry.reactions]
    return ", ".join(map(one_line, told))


def author_word(name: str) -> str:
    """Display name of a kind of author."""
    return _ROLES.get(name, words(name).capitalize())


def text_lines(entries: Iterable[Entry], zone: tzinfo | None = None) -> Iterator[str]:
    """Plain text lines, with a heading for each day in `zone`."""
    day = ""
    for entry in entries:
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "at an unknown time"
        if new_day != day:
            yield f"{'' if not day else chr(10)}{new_day}"
            day = new_day
        yield f"{_clock(moment)}  {_head(entry)}"
        for line in said(entry).split("\n"):
            yield f"{_INDENT}{line}".rstrip()


def markdown_lines(entries: Iterable[Entry], zone: tzinfo | None = None) -> Iterator[str]:
    """Markdown lines, with days as headings and notes as quotations."""
    day = ""
    for entry in entries:
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "At an unknown time"
        if new_day != day:
            yield f"## {new_day}\n"
            day = new_day
        mark = "> " if isinstance(entry, Note) else ""
        yield f"{mark}**{_clock(moment)} {escaped(_head(entry))}**  "
        for line in escaped(said(entry)).split("\n"):
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
    try:
        return moment.astimezone(zone) if moment else None
    except (OverflowError, ValueError, OSError):
        return moment


def _clock(moment: datetime | None) -> str:
    return f"{moment:%H:%M}" if moment else "--:--"


def _quote(message: Message) -> str:
    reply = message.reply_to
    if reply is None:
        return ""
    return f"> {one_line(reply.text or '') or words(reply.type or 'a message')}"


def _sent(message: Message, content: Mapping[str, Any]) -> str:
    """Summary of contents other than text; empty for text."""
    media = message.media
    if media is not None:
        facts = [words(message.type), media.mime_type or ""]
        facts += [file_size(media.size_bytes)] if media.size_bytes is not None else []
        facts.append(media.filename or "")
    elif message.type in ("text", "system", "interactive"):
        return ""
    else:
        names = ("name", "address", "latitude", "longitude", "emoji", "original_type")
        facts = [words(message.type), *(str(content[name]) for name in names if content.get(name))]
    return f"[{' · '.join(one_line(fact) for fact in facts if fact)}]"


def _buttons(content: Mapping[str, Any]) -> list[str]:
    buttons = content.get("buttons")
    found = buttons if isinstance(buttons, list) else []
    titles = [one.get("title") or one.get("text") for one in found if isinstance(one, dict)]
    return [f"[ {one_line(str(title))} ]" for title in titles if title]
