"""Conversion of wire models to cache rows: sort key and JSON."""

from collections.abc import Mapping
from datetime import UTC
from typing import NamedTuple

from frontdesk.timeline import Key
from frontdesk.wire import Conversation, Message, Note, PhoneRef, Wire, instant

CONVERSATION = "conversation"
MESSAGE = "message"
NOTE = "note"
CONTACT = "contact"

MODELS: Mapping[str, type[Wire]] = {CONVERSATION: Conversation, MESSAGE: Message, NOTE: Note}
KINDS: Mapping[type[Wire], str] = {model: kind for kind, model in MODELS.items()}

_CANONICAL_LENGTH = len("2026-03-14T09:26:53.000Z")


class Row(NamedTuple):
    """Sort key and JSON of a value."""

    key: Key
    body: bytes


class Hit(NamedTuple):
    """Search result.

    conversation_id: None for a contact without cached conversations. kind: message, note,
    conversation or contact; `id` is of that kind. created_at: for the last two, the time of the
    last activity. snippet: one line; `spans` are (start, end) offsets of the matches in it. place:
    sort position among hits; greater is newer.
    """

    conversation_id: str | None
    kind: str
    id: str
    created_at: str
    snippet: str
    spans: tuple[tuple[int, int], ...]
    place: tuple[str, int]


def key_of(value: Conversation | Message | Note) -> Key:
    """Sort key of a value."""
    if isinstance(value, Conversation):
        return Key.at(sort_text(value.last_activity_at), CONVERSATION, value.id)
    kind = MESSAGE if isinstance(value, Message) else NOTE
    return Key.at(sort_text(value.created_at), kind, value.id)


def row_of(value: Conversation | Message | Note) -> Row:
    """A value as a cache row; members that the server left out are omitted."""
    return Row(key_of(value), body_of(value))


def body_of(value: Wire) -> bytes:
    """JSON of a value, without members that the server left out."""
    return value.model_dump_json(exclude_unset=True).encode()


def text_of(value: object) -> str:
    """Check that a database value is text.

    Raises: TypeError.
    """
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def unreadable(kind: str) -> Wire:
    """Empty value in place of an unreadable row."""
    if kind == CONVERSATION:
        nobody = PhoneRef(id="")
        return Conversation(id="", status="", channel=nobody, contact=nobody, last_activity_at="")
    if kind == NOTE:
        return Note(id="", text="", created_at="")
    return Message(id="", direction="", author="", type="unsupported", created_at="")


def sort_text(moment: str) -> str:
    """Sortable form of a timestamp; an unparsable one is empty.

    >>> sort_text("2026-03-14T09:26:53.000Z"), sort_text("2026-03-14T10:26:53+01:00")
    ('2026-03-14T09:26:53.000', '2026-03-14T09:26:53.000')
    """
    if len(moment) == _CANONICAL_LENGTH and moment[10] == "T" and moment[-1] == "Z":
        return moment[:-1]
    time = instant(moment)
    if time is None:
        return ""
    precision = "milliseconds" if time.microsecond % 1000 == 0 else "microseconds"
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=precision)
