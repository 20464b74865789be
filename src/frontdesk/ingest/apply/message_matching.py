"""Matches copies of messages without a wamid: same side, about the same minute, text or type."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import OUTBOUND, QUIET_TYPES
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.events import PLACEHOLDER
from frontdesk.store import lookups
from frontdesk.store.database import Row
from frontdesk.store.rows import MessageRow
from frontdesk.text.clean import plain
from frontdesk.wire.values import MEDIA_TYPES

# `source` of messages from chat exports.
EXPORT = "chat_export"
MINUTE = 60_000
# Exports have minute precision and clocks differ: maximum distance of the same message.
APART = MINUTE

R = TypeVar("R", bound=Row)

# Match key: side, aspect and text.
Key = tuple[int, str, str]

_ANY_FILE, _LEFT_OUT, _CARD, _WORDS = "any file", "left out", "card", "text"
_UNKNOWN, _GONE, _EDITED, _ANYTHING = "unknown", "gone", "edited", "anything"
_CARD_TYPE = "text/vcard"


def keys(row: Row) -> Iterator[Key]:
    """Yield the keys that a stored message is indexed under.

    row: a message, or at least direction, type, text, media_json, richness, edited_at, deleted_at.
    """
    side, kind = row["direction"], row["type"]
    if row["richness"] == PLACEHOLDER and kind == "unsupported":
        yield side, _UNKNOWN, ""
    elif row["deleted_at"] is not None:
        yield side, _GONE, ""
    elif kind == "unsupported":
        yield side, _LEFT_OUT, ""
    else:
        yield side, kind, _plain_text(row["text"])
        yield from _aspects(side, row)
    if kind not in QUIET_TYPES:
        yield side, _ANYTHING, ""


def _aspects(side: int, row: Row) -> Iterator[Key]:
    """Yield the additional keys of a message with contents."""
    kind, text = row["type"], _plain_text(row["text"])
    if kind in MEDIA_TYPES:
        yield side, _ANY_FILE, ""
        if text:
            yield side, f"{kind} with a caption", ""
    if kind == "contacts" or _is_card(row):
        yield side, _CARD, ""
    elif _is_worded(row):
        yield side, _WORDS, text
    if row["edited_at"] is not None:
        yield side, _EDITED, ""


def lookup_keys(row: Row) -> Iterator[Key]:
    """Yield the keys to look up for a copy of a message, most specific first."""
    side, kind, text = row["direction"], row["type"], _plain_text(row["text"])
    if row["deleted_at"] is not None:
        yield side, _GONE, ""
    elif kind == "unsupported":
        yield side, _LEFT_OUT, ""
        yield side, _ANY_FILE, ""
    else:
        yield side, kind, text
        if kind in MEDIA_TYPES:
            yield side, _LEFT_OUT, ""
            yield side, kind if text else f"{kind} with a caption", ""
        if kind == "contacts" or _is_card(row):
            yield side, _CARD, ""
        elif _is_worded(row):
            yield side, _WORDS, text


def alike(row: Row, other: Row) -> bool:
    """Check if two messages of the same time may be the same."""
    return not set(keys(row)).isdisjoint(lookup_keys(other))


def was_changed(row: Row) -> bool:
    """Check if a message was edited or deleted."""
    return row["edited_at"] is not None or row["deleted_at"] is not None


class MessageIndex(Generic[R]):
    """Index of messages by match key and time; each message matches at most once."""

    def __init__(self, rows: Iterable[R]) -> None:
        self._matched_ids: set[int] = set()
        self._rows: dict[Key, list[R]] = {}
        for row in rows:
            for key in keys(row):
                self._rows.setdefault(key, []).append(row)

    def take(self, copy: Row) -> R | None:
        """Find and consume the message that this is a copy of.

        A placeholder matches anything sent at that time.
        """
        at = copy["created_at"]
        if copy["richness"] == PLACEHOLDER:
            return self.take_sent(at)
        for key in lookup_keys(copy):
            match = self._nearest(key, at, at - APART, at + APART)
            if match is not None:
                return match
        return None

    def take_changed(self, copy: Row) -> R | None:
        """Find an edited or deleted message of the same minute, whose original text is unknown."""
        if copy["type"] in QUIET_TYPES:
            return None
        start = copy["created_at"] // MINUTE * MINUTE
        for aspect in (_EDITED, _GONE):
            key = copy["direction"], aspect, ""
            match = self._nearest(key, start, start, start + MINUTE - 1)
            if match is not None:
                return match
        return None

    def take_sent(self, at: int) -> R | None:
        """Find and consume any message sent at that time."""
        return self._nearest((OUTBOUND, _ANYTHING, ""), at, at - APART, at + APART)

    def take_unknown(self, at: int) -> R | None:
        """Find and consume a placeholder sent at that time."""
        return self._nearest((OUTBOUND, _UNKNOWN, ""), at, at - APART, at + APART)

    def _nearest(self, key: Key, at: int, since: int, until: int) -> R | None:
        """Prefer the same minute, then the smallest distance."""

        def distance(row: Row) -> tuple[int, int, int]:
            moment = row["created_at"]
            same = moment // MINUTE == at // MINUTE
            return 0 if same else 1 + abs(moment - at), moment, row["id"]

        rows = self._rows.get(key, [])
        first = bisect_left(rows, since, key=_moment)
        last = bisect_right(rows, until, key=_moment)
        free = (row for row in rows[first:last] if row["id"] not in self._matched_ids)
        match = min(free, key=distance, default=None)
        if match is not None:
            self._matched_ids.add(match["id"])
        return match


def _moment(row: Row) -> int:
    return int(row["created_at"])


def _is_worded(row: Row) -> bool:
    """Check for a message that is all text; exports contain it as plain text whatever its type."""
    return bool(_plain_text(row["text"])) and row["type"] not in (*MEDIA_TYPES, *QUIET_TYPES)


def _is_card(row: Row) -> bool:
    media = row["media_json"] if row["type"] == "document" else None
    return media is not None and json.loads(media).get("mime_type") == _CARD_TYPE


def _plain_text(text: str | None) -> str:
    return " ".join(plain(text or "").split())


_Identity = tuple[int, int, str, str | None]


class _StoredMessages:
    """Messages of one conversation that have no wamid."""

    def __init__(self, rows: Sequence[MessageRow]) -> None:
        self.identities = {_identity(row) for row in rows}
        self.exported = MessageIndex(row for row in rows if row["source"] == EXPORT)


class NamelessMessages:
    """Stored messages near the batch's times, in its conversations. Call `load` first."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._span = (0, -1)
        self._by_conversation: dict[int, _StoredMessages] = {}
        self._identified: dict[int, MessageIndex[Row]] = {}
        # By the time that an export had for them, and their side.
        self._renamed: dict[int, dict[tuple[int, int], MessageRow]] = {}

    def load(self, times: Iterable[int]) -> None:
        """Set the period. times: of all messages and deliveries of the batch."""
        ordered = sorted(times)
        self._span = (ordered[0] - APART, ordered[-1] + APART) if ordered else (0, -1)

    def is_known(self, conversation: BatchConversation, copy: MessageRow) -> bool:
        """Check if a message without a wamid is stored, or occurred earlier in this batch."""
        stored = self._of(conversation)
        other = self._renamed_in(conversation).get((copy["created_at"], copy["direction"]))
        if _identity(copy) in stored.identities:
            return True
        stored.identities.add(_identity(copy))
        return other is not None and (was_changed(other) or alike(other, copy))

    def take(self, conversation: BatchConversation, copy: MessageRow) -> MessageRow | None:
        """Find the exported message that a message with a wamid is a copy of."""
        if copy["source"] == EXPORT or copy["type"] in QUIET_TYPES:
            return None
        exported = self._of(conversation).exported
        return exported.take(copy) or exported.take_changed(copy)

    def take_identified(self, conversation: BatchConversation, copy: MessageRow) -> Row | None:
        """Find the message with a wamid that a message of a chat export is a copy of.

        One that an export was matched with before is not found again.
        """
        if copy["source"] != EXPORT or copy["type"] in QUIET_TYPES or conversation.stored is None:
            return None
        if conversation.id not in self._identified:
            rows = lookups.messages_between(*self._context.account, conversation.id, *self._span)
            self._identified[conversation.id] = MessageIndex(
                row for row in rows if row["wamid"] is not None and row["stamped_at"] is None
            )
        identified = self._identified[conversation.id]
        return identified.take(copy) or identified.take_changed(copy)

    def take_sent(self, conversation: BatchConversation, at: int) -> MessageRow | None:
        """Find any exported message that was sent at that time."""
        return self._of(conversation).exported.take_sent(at)

    def _renamed_in(self, conversation: BatchConversation) -> Mapping[tuple[int, int], MessageRow]:
        """The messages of an export that were given their wamid later."""
        if conversation.id not in self._renamed:
            rows: list[MessageRow] = []
            if conversation.stored is not None or conversation.refold:
                rows = lookups.identified_messages(
                    *self._context.account, conversation.id, *self._span
                )
            self._renamed[conversation.id] = {
                (row["stamped_at"] or row["created_at"], row["direction"]): row for row in rows
            }
        return self._renamed[conversation.id]

    def _of(self, conversation: BatchConversation) -> _StoredMessages:
        if conversation.id not in self._by_conversation:
            rows: list[MessageRow] = []
            if conversation.stored is not None or conversation.refold:
                rows = lookups.nameless_messages(
                    *self._context.account, conversation.id, *self._span
                )
            self._by_conversation[conversation.id] = _StoredMessages(rows)
        return self._by_conversation[conversation.id]


def _identity(row: MessageRow) -> _Identity:
    return row["created_at"], row["direction"], row["type"], row["text"]
