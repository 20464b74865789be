"""Matches messages of exported chats, which have no ids, by side, minute, and words or kind."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from frontdesk.ingest.events import PLACEHOLDER
from frontdesk.ingest.plain_text import plain
from frontdesk.ingest.rules import OUTBOUND, QUIET_TYPES
from frontdesk.store.database import Row
from frontdesk.wire.words import MEDIA_TYPES

# The source of messages of exported chats.
EXPORT = "chat_export"
MINUTE = 60_000
# Exports tell minutes, and clocks differ: the same words within this time are the same message.
APART = MINUTE

# How two messages may be alike: side, aspect and words.
Key = tuple[int, str, str]

_ANY_FILE, _LEFT_OUT, _CARD, _WORDS = "any file", "left out", "card", "words"
_UNKNOWN, _GONE, _EDITED, _ANYTHING = "unknown", "gone", "edited", "anything"
_CARD_TYPE = "text/vcard"


def keys(row: Row) -> Iterator[Key]:
    """What a message is found under.

    row: of the table, or at least direction, type, text, media_json, richness, edited_at,
    deleted_at.
    """
    side, kind = row["direction"], row["type"]
    if row["richness"] == PLACEHOLDER:
        yield side, _UNKNOWN, ""
    elif row["deleted_at"] is not None:
        yield side, _GONE, ""
    elif kind == "unsupported":
        yield side, _LEFT_OUT, ""
    else:
        yield side, kind, _words(row["text"])
        yield from _aspects(side, row)
    if kind not in QUIET_TYPES:
        yield side, _ANYTHING, ""


def _aspects(side: int, row: Row) -> Iterator[Key]:
    """What else a message with contents is found under."""
    kind, words = row["type"], _words(row["text"])
    if kind in MEDIA_TYPES:
        yield side, _ANY_FILE, ""
        if words:
            yield side, f"{kind} with a caption", ""
    if kind == "contacts" or _is_card(row):
        yield side, _CARD, ""
    elif _is_worded(row):
        yield side, _WORDS, words
    if row["edited_at"] is not None:
        yield side, _EDITED, ""


def sought(row: Row) -> Iterator[Key]:
    """What is the same message as this one, the likeliest first."""
    side, kind, words = row["direction"], row["type"], _words(row["text"])
    if row["deleted_at"] is not None:
        yield side, _GONE, ""
    elif kind == "unsupported":
        yield side, _LEFT_OUT, ""
        yield side, _ANY_FILE, ""
    else:
        yield side, kind, words
        if kind in MEDIA_TYPES:
            yield side, _LEFT_OUT, ""
            yield side, kind if words else f"{kind} with a caption", ""
        if kind == "contacts" or _is_card(row):
            yield side, _CARD, ""
        elif _is_worded(row):
            yield side, _WORDS, words


def alike(row: Row, other: Row) -> bool:
    """Whether two messages of one time can be the same."""
    return not set(keys(row)).isdisjoint(sought(other))


def was_changed(row: Row) -> bool:
    """Whether a message once said something else."""
    return row["edited_at"] is not None or row["deleted_at"] is not None


class Messages:
    """Messages in the order of time, found by what they are alike by; each is taken once."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._taken: set[int] = set()
        self._rows: dict[Key, list[Row]] = {}
        for row in rows:
            for key in keys(row):
                self._rows.setdefault(key, []).append(row)

    def take(self, copy: Row) -> Row | None:
        """The message that this is another copy of, if there is one.

        A copy of a message without contents can be of anything that was sent then.
        """
        at = copy["created_at"]
        if copy["richness"] == PLACEHOLDER:
            return self.take_sent(at)
        for key in sought(copy):
            found = self._nearest(key, at, at - APART, at + APART)
            if found is not None:
                return found
        return None

    def take_changed(self, copy: Row) -> Row | None:
        """One of the same minute that was edited or deleted, and may have said what this does."""
        if copy["type"] in QUIET_TYPES:
            return None
        start = copy["created_at"] // MINUTE * MINUTE
        for aspect in (_EDITED, _GONE):
            key = copy["direction"], aspect, ""
            found = self._nearest(key, start, start, start + MINUTE - 1)
            if found is not None:
                return found
        return None

    def take_sent(self, at: int) -> Row | None:
        """What was sent then, whatever it says."""
        return self._nearest((OUTBOUND, _ANYTHING, ""), at, at - APART, at + APART)

    def take_unknown(self, at: int) -> Row | None:
        """What was sent then and of which only the delivery is known."""
        return self._nearest((OUTBOUND, _UNKNOWN, ""), at, at - APART, at + APART)

    def _nearest(self, key: Key, at: int, since: int, until: int) -> Row | None:
        """The first of the same minute, or else the one nearest to it."""

        def distance(row: Row) -> tuple[int, int, int]:
            moment = row["created_at"]
            same = moment // MINUTE == at // MINUTE
            return 0 if same else 1 + abs(moment - at), moment, row["id"]

        rows = self._rows.get(key, [])
        first = bisect_left(rows, since, key=_moment)
        last = bisect_right(rows, until, key=_moment)
        free = (row for row in rows[first:last] if row["id"] not in self._taken)
        found = min(free, key=distance, default=None)
        if found is not None:
            self._taken.add(found["id"])
        return found


def _moment(row: Row) -> int:
    return int(row["created_at"])


def _is_worded(row: Row) -> bool:
    """Whether it is all in its words, whatever its type: an export has a button's as plain text."""
    return bool(_words(row["text"])) and row["type"] not in (*MEDIA_TYPES, *QUIET_TYPES)


def _is_card(row: Row) -> bool:
    media = row["media_json"] if row["type"] == "document" else None
    return media is not None and json.loads(media).get("mime_type") == _CARD_TYPE


def _words(text: str | None) -> str:
    return " ".join(plain(text or "").split())
