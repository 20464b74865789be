"""Wire values as rows of the cache: where they stand and what is kept of them."""

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
    """A value's place and its wire JSON."""

    key: Key
    body: bytes


class Hit(NamedTuple):
    """Where something was found.

    conversation_id: None for a contact of whom no conversation was seen. kind: message, note,
    conversation, contact; `id` is of that kind. created_at: for the last two, of the last activity.
    snippet: one line; each of `spans` is the start and the end of a found word in it.
    place: among other hits; the greater is the newer.
    """

    conversation_id: str | None
    kind: str
    id: str
    created_at: str
    snippet: str
    spans: tuple[tuple[int, int], ...]
    place: tuple[str, int]


def key_of(value: Conversation | Message | Note) -> Key:
    """The value's place among its kind."""
    if isinstance(value, Conversation):
        return Key.at(sort_text(value.last_activity_at), CONVERSATION, value.id)
    kind = MESSAGE if isinstance(value, Message) else NOTE
    return Key.at(sort_text(value.created_at), kind, value.id)


def row_of(value: Conversation | Message | Note) -> Row:
    """The value as it is kept. Members that the server left out stay out."""
    return Row(key_of(value), body_of(value))


def body_of(value: Wire) -> bytes:
    """The wire JSON of a value, without the members that the server left out."""
    return value.model_dump_json(exclude_unset=True).encode()


def text_of(value: object) -> str:
    """A text that was saved as one.

    Raises: TypeError: it is something else now.
    """
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def unreadable(kind: str) -> Wire:
    """What stands for a row that cannot be read any more."""
    if kind == CONVERSATION:
        nobody = PhoneRef(id="")
        return Conversation(id="", status="", channel=nobody, contact=nobody, last_activity_at="")
    if kind == NOTE:
        return Note(id="", text="", created_at="")
    return Message(id="", direction="", author="", type="unsupported", created_at="")


def sort_text(moment: str) -> str:
    """A timestamp as text that sorts in time order; one that cannot be read sorts last.

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
