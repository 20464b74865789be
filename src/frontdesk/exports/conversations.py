"""Exports conversations and threads: CSV, JSON, plain text and Markdown.

Reports are exported by `reports/export.py`, whole accounts by `ingest/archive/export.py`.

Texts are assumed to be free of control characters, as the client returns them.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from types import MappingProxyType

from frontdesk.exports.tables import (
    CONVERSATIONS,
    csv_text,
    customer_name,
    escape_markdown,
    json_text,
    local_time,
)
from frontdesk.text.clean import compact_json, one_line, shown_line, without_separators
from frontdesk.text.entries import (
    REACHED_BY_REACTIONS,
    is_shown_above,
    part_words,
)
from frontdesk.text.messages import (
    Entry,
    author_name,
    head_marks,
    person_word,
    plain_text,
    quoted_words,
    state_marks,
)
from frontdesk.text.phones import username
from frontdesk.text.times import in_zone, long_date, zone_words
from frontdesk.wire import Conversation, Message, Note, instant
from frontdesk.wire.values import utc_now

# File extensions that threads, lists of conversations, and several threads are saved with.
THREAD_ENDINGS = ("md", "txt", "json")
QUEUE_ENDINGS = ("csv", "json")
MARKED_ENDINGS = (*QUEUE_ENDINGS, "md", "txt")

_UNNAMEABLE = re.compile(r"[^\w+-]+")
_INDENT = " " * 7
_LABEL_WIDTH = len("Conversation: ")
# Characters that start a list, rule or heading at the beginning of a line.
_MARKDOWN_START = re.compile(r"^(\s*\d*)([-+=.)])", re.MULTILINE)


def entry_text(entry: Entry, contact: str = "", *, machine: bool = True) -> str:
    """The quoted message and the contents of an entry, possibly of several lines.

    machine: with what a program read in its file.
    """
    return _plain_text(_quote(entry, {}, contact), plain_text(entry, machine=machine))


def _plain_text(quote: str, text: str) -> str:
    return f"> {quote}\n{text}" if quote else text


def remarks(entry: Entry, contact: str = "", *, reactions: bool = True) -> str:
    """What is told beside the author: forwarded, edited, reactions, delivery; may be empty."""
    if isinstance(entry, Note):
        return ""
    return ", ".join([*head_marks(entry), *state_marks(entry, contact, reactions=reactions)])


def _with_quotes(entries: Iterable[Entry], contact: str) -> Iterator[tuple[Entry, str]]:
    """Entries without reactions that are shown above, each with what it quotes."""
    before: deque[Entry] = deque(maxlen=REACHED_BY_REACTIONS)
    authors: dict[str, str] = {}
    for entry in entries:
        if not is_shown_above(entry, before):
            yield entry, _quote(entry, authors, contact)
        before.append(entry)
        if isinstance(entry, Message):
            authors[entry.id] = author_name(entry, contact)


def text_lines(
    entries: Iterable[Entry],
    zone: tzinfo | None = None,
    contact: str = "",
    parts: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Plain text lines, with a heading for each day in `zone`, and for another conversation.

    contact: name of the customer. parts: words of conversations by id, where there are several.
    """
    day = part = ""
    for entry, quote in _with_quotes(entries, contact):
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "at an unknown time"
        if new_day != day:
            yield f"{'' if not day else chr(10)}{new_day}"
            day = new_day
        if part != (part := parts.get(entry.conversation_id or "", "")):
            yield f"-- {part} --"
        yield f"{_clock(moment)}  {_head(entry, contact)}"
        for line in _plain_text(quote, plain_text(entry)).split("\n"):
            yield f"{_INDENT}{line}".rstrip()


def markdown_lines(
    entries: Iterable[Entry],
    zone: tzinfo | None = None,
    contact: str = "",
    parts: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Markdown lines, with days as headings; notes and quoted messages as quotations.

    contact: name of the customer. parts: words of conversations by id, where there are several.
    """
    day = part = ""
    for entry, quote in _with_quotes(entries, contact):
        moment = _here(entry.created_at, zone)
        new_day = long_date(moment) if moment else "At an unknown time"
        if new_day != day:
            yield f"## {new_day}\n"
            day = new_day
        if part != (part := parts.get(entry.conversation_id or "", "")):
            yield f"### {escape_markdown(part)}\n"
        mark = "> " if isinstance(entry, Note) else ""
        yield f"{mark}**{_clock(moment)} {escaped(_head(entry, contact))}**  "
        if quote:
            # Without the blank line, the text below would belong to the quotation.
            yield f"> {escaped(quote)}"
            yield ""
        for line in plain_text(entry, escaped).split("\n"):
            yield f"{mark}{line}  "
        yield ""


def escaped(text: str) -> str:
    """Text with Markdown syntax escaped."""
    return _MARKDOWN_START.sub(r"\1\\\2", escape_markdown(text))


def _head(entry: Entry, contact: str) -> str:
    note = "NOTE · " if isinstance(entry, Note) else ""
    marks = remarks(entry, contact)
    # A name is not taken for a note.
    return note + without_separators(
        f"{author_name(entry, contact)}{f' ({marks})' if marks else ''}"
    )


def _here(timestamp: str, zone: tzinfo | None) -> datetime | None:
    moment = instant(timestamp)
    return in_zone(moment, zone) if moment else None


def _clock(moment: datetime | None) -> str:
    return f"{moment:%H:%M}" if moment else "--:--"


def _quote(entry: Entry, authors: Mapping[str, str], contact: str) -> str:
    """The quoted message on one line, with its author; empty if there is none.

    authors: names by the ids of messages; of others only the kind of author is known.
    """
    reply = entry.reply_to if isinstance(entry, Message) and not entry.deleted_at else None
    if reply is None:
        return ""
    known = authors.get(reply.message_id or "")
    who = known or (person_word(reply.author, contact) if reply.author else "")
    return f"{who}: {quoted_words(reply)}" if who else quoted_words(reply)


def file_name(what: str, day: date, ending: str) -> str:
    """A file name that is valid on every file system: sheena-nelson-2026-03-14.md."""
    words = _UNNAMEABLE.sub("-", what).strip("-").casefold()[:60]
    return f"{words or 'frontdesk'}-{day.isoformat()}.{ending}"


def thread_text(
    conversation: Conversation,
    entries: Iterable[Message | Note],
    ending: str,
    zone: tzinfo | None,
    story: Sequence[Conversation] = (),
) -> str:
    """A thread, oldest first, in the format of a file extension (`THREAD_ENDINGS`).

    story: all conversations of the customer, if the entries are of all of them.
    """
    entries = list(entries)
    if ending == "json":
        return json_text(entries)
    if story:
        lines = story_lines(story, entries, zone, markdown=ending == "md")
    else:
        markdown = ending == "md"
        lines = transcript_lines(conversation.id, conversation, entries, zone, markdown=markdown)
    return "".join(f"{line}\n" for line in lines)


def story_lines(
    conversations: Sequence[Conversation],
    entries: Sequence[Entry],
    zone: tzinfo | None = None,
    *,
    markdown: bool = False,
) -> Iterator[str]:
    """Entries of all conversations of a customer, oldest first, below the facts of each."""
    now = in_zone(utc_now(), zone)
    parts = {row.id: part_words(row, now) for row in conversations}
    name = customer_name(conversations[0])
    customer = dict(_facts("", conversations[0], entries, zone))
    facts = [("Customer", customer["Customer"])]
    facts += [("Conversation", f"{one_line(id)} · {words}") for id, words in parts.items()]
    facts.append(("Times", customer["Times"]))
    yield from _headed(name, facts, markdown=markdown)
    yield from (markdown_lines if markdown else text_lines)(entries, zone, name, parts)


def transcript_lines(
    id: str,
    conversation: Conversation | None,
    entries: Sequence[Entry],
    zone: tzinfo | None = None,
    *,
    markdown: bool = False,
) -> Iterator[str]:
    """A thread, oldest first, below the facts of its conversation, as far as they are known."""
    name = customer_name(conversation) if conversation else ""
    facts = _facts(id, conversation, entries, zone)
    yield from _headed(name or f"Conversation {id}", facts, markdown=markdown)
    yield from (markdown_lines if markdown else text_lines)(entries, zone, name)


def _headed(title: str, facts: Iterable[tuple[str, str]], *, markdown: bool) -> Iterator[str]:
    if markdown:
        yield f"# {escape_markdown(title)}\n"
        yield from (f"- {label}: {escape_markdown(fact)}" for label, fact in facts)
        yield ""
    else:
        yield from (f"{f'{label}:':<{_LABEL_WIDTH}}{fact}" for label, fact in facts)
        yield f"{'=' * 72}\n"


def _facts(
    id: str, conversation: Conversation | None, entries: Sequence[Entry], zone: tzinfo | None
) -> Iterator[tuple[str, str]]:
    """Id, customer, channel, status, and the time zone of what follows."""
    yield "Conversation", one_line(id)
    if conversation is not None:
        contact, channel = conversation.contact, conversation.channel
        phone = contact.phone or username(contact) if shown_line(contact.name) else ""
        name = without_separators(customer_name(conversation))
        yield "Customer", " · ".join(filter(None, (name, one_line(phone))))
        channels = (channel.name or channel.id, channel.phone or "")
        yield "Channel", one_line(" · ".join(dict.fromkeys(filter(None, channels))))
        until = local_time(conversation.snoozed_until, zone)
        yield "Status", conversation.status + (f" until {until}" if until != "-" else "")
    moments = [moment for entry in entries if (moment := _here(entry.created_at, zone))]
    yield "Times", zone_words(moments or [in_zone(utc_now(), zone)])


def threads_text(
    threads: Iterable[tuple[Conversation, Sequence[Message | Note]]],
    ending: str,
    zone: tzinfo | None,
) -> str:
    """Several threads, one after the other; `ending` is md or txt."""
    return "\n".join(
        thread_text(conversation, entries, ending, zone) for conversation, entries in threads
    )


def selection_lines(
    threads: Iterable[tuple[Conversation, Sequence[Message | Note]]],
) -> str:
    """Several threads as JSON, one a line: a conversation with its entries, oldest first."""
    return "".join(
        compact_json(
            {
                "conversation": conversation.model_dump(mode="json", exclude_unset=True),
                "entries": [one.model_dump(mode="json", exclude_unset=True) for one in entries],
            }
        )
        + "\n"
        for conversation, entries in threads
    )


def queue_text(conversations: Sequence[Conversation], ending: str) -> str:
    """Conversations in the given order, as CSV (with a byte order mark) or JSON."""
    if ending == "json":
        return json_text(conversations)
    return csv_text(conversations, CONVERSATIONS)
