"""Conversion of wire models to cache rows: sort key and JSON.

Extracts searchable text from cached JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from frontdesk.cache.timeline import HIGHEST, Key
from frontdesk.query import closed_windows, sort_key
from frontdesk.query.terms import WINDOW
from frontdesk.text.entries import rank
from frontdesk.text.search import member, message_pieces, searched_text, strings
from frontdesk.wire import Conversation, Message, Note, PhoneRef, Wire, body_of, instant
from frontdesk.wire.values import FOUND_BY

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


_NEVER = datetime.max.replace(tzinfo=UTC)
_ALWAYS = datetime.min.replace(tzinfo=UTC)
# Greater than every number of a sort key.
_RANGE = 10**18


def key_of(value: Conversation | Message | Note, order: str = "", now: datetime = _NEVER) -> Key:
    """Sort key of a value. order: that of a list of conversations, if it has another."""
    if isinstance(value, Conversation) and order:
        group, moment, number = sort_key(order, now)(value)
        sort = f"{1 - group}{_RANGE - moment:019d}{_RANGE - number:019d}"
        return Key.at(sort, CONVERSATION, value.id)
    if isinstance(value, Conversation):
        return Key.at(sort_text(value.last_activity_at), CONVERSATION, value.id)
    kind = MESSAGE if isinstance(value, Message) else NOTE
    return Key.at(sort_text(value.created_at), kind, value.id, rank(value))


def row_of(value: Conversation | Message | Note, order: str = "", now: datetime = _NEVER) -> Row:
    """A value as a cache row; members that the server left out are omitted."""
    return Row(key_of(value, order, now), body_of(value))


def rows_of(values: Sequence[Any], order: str, now: datetime, above: Key = HIGHEST) -> list[Row]:
    """Values of a page as cache rows; now: the server's time; above: key of the row before them."""
    closed = closed_windows(values, now) if order == WINDOW else len(values)
    if closed and key_of(values[0], order, _ALWAYS) > above:
        # Of the first row of a page too, its place alone says that a window has just closed.
        closed = 0
    return [
        row_of(value, order, _NEVER if at >= closed else _ALWAYS) for at, value in enumerate(values)
    ]


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


class SearchedText(NamedTuple):
    """Searchable text of a value, as `pieces` to show.

    about: conversation of a message or note, contact of a conversation. sort: time, as sortable
    text.
    """

    pieces: tuple[str, ...]
    about: str | None
    sort: str

    @property
    def text(self) -> str:
        """Normalised text for the index."""
        return searched_text(self.pieces)


def searched_text_in(kind: str, value: Mapping[str, Any]) -> SearchedText | None:
    """Text of a value; None for kinds that are not searchable."""
    if kind in (MESSAGE, NOTE):
        pieces, about, moment = message_pieces(value), value.get("conversation_id"), "created_at"
    elif kind == CONVERSATION:
        contact = member(value, "contact")
        pieces, about = _customer_words(contact), contact.get("id")
        moment = "last_activity_at"
    elif kind == CONTACT:
        pieces, about, moment = _contact_words(value), None, "last_activity_at"
    else:
        return None
    return SearchedText(tuple(pieces), about, sort_text(str(value.get(moment) or "")))


def preview_in(conversation: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The last message of a conversation."""
    return member(conversation, "last_message") or None


def _customer_words(contact: Mapping[str, Any]) -> Iterator[str]:
    yield from strings(contact, "name", "phone")
    yield from _handle(contact)


def _handle(contact: Mapping[str, Any]) -> Iterator[str]:
    """The username after @, so that it is found with and without it."""
    return (f"@{name.removeprefix('@')}" for name in strings(contact, "username"))


def _contact_words(contact: Mapping[str, Any]) -> Iterator[str]:
    yield from strings(contact, *FOUND_BY, "phone", "wa_user_id")
    yield from _handle(contact)
    yield from (str(value) for value in member(contact, "custom_fields").values() if value)
