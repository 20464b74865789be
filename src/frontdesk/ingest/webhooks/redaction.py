"""Removes contents or persons from webhook bodies, which stay processable (pure)."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.webhooks.normalise import body_of

# Members kept when an element is blanked: identity, time and references.
_FRAME = frozenset(
    (
        *("id", "type", "timestamp", "from", "from_user_id", "to", "to_user_id", "group_id"),
        *("context", "history_context"),
    )
)
# Deletion is possible for 60 hours; with a margin for clock differences.
REVOKED_WITHIN = 3 * 24 * 60 * 60 * 1000

_NOT_DIGITS = re.compile(r"[^0-9]+")


@dataclass(frozen=True, slots=True)
class Mention:
    """Identifies mentions of a person: digits of numbers, and exact ids."""

    numbers: frozenset[str]
    ids: frozenset[str]

    def is_in(self, value: object) -> bool:
        """Check if any text in `value` contains a number, in any format, or equals an id."""
        if isinstance(value, str):
            return self._is_named(value)
        if isinstance(value, Mapping):
            return any(self.is_in(member) or self._is_named(name) for name, member in value.items())
        if isinstance(value, list):
            return any(map(self.is_in, value))
        # Some senders write numbers without quotation marks.
        return isinstance(value, int) and str(value) in self.numbers

    def _is_named(self, text: str) -> bool:
        if text in self.ids:
            return True
        digits = _NOT_DIGITS.sub("", text)
        return any(number in digits for number in self.numbers)


def revoked(body: Mapping[str, Any]) -> dict[str, int]:
    """Return the messages revoked by a body: {wamid: epoch milliseconds}.

    The time is 0 if unknown.
    """
    deletions: dict[str, int] = {}
    for element in _objects(body):
        deleted_ids = element.get("revoke")
        if isinstance(deleted_ids, Mapping):
            wamid, seconds = deleted_ids.get("original_message_id"), str(element.get("timestamp"))
            if isinstance(wamid, str) and wamid:
                readable = seconds.isascii() and seconds.isdigit() and len(seconds) < 12
                deletions[wamid] = int(seconds) * 1000 if readable else 0
    return deletions


def needles(wamids: Collection[str]) -> list[bytes]:
    """Return byte strings of which any body that contains one of the wamids has at least one."""
    # JSON allows an escaped slash.
    spellings = {json.dumps(wamid)[1:-1] for wamid in wamids}
    return [
        spelling.encode()
        for spelling in sorted(spellings | {s.replace("/", "\\/") for s in spellings})
    ]


def blanked(raw: bytes, wamids: Collection[str]) -> bytes | None:
    """Remove contents and edits of messages from a body; None if it contains none of them."""
    body = _readable(raw)
    if body is None:
        return None
    after = _without_contents(body, wamids)
    return None if after == body else _packed(after)


def pruned(raw: bytes, mention: Mention) -> bytes | None:
    """Remove elements that mention a person; b"" if nothing remains.

    None: no mention. An unreadable body with a mention is removed as a whole.
    """
    body = _readable(raw)
    if body is None:
        mentioned = mention.is_in(raw.decode("utf-8", "replace"))
        return b"" if mentioned else None
    if not mention.is_in(body):
        return None
    after = _pruned(body, mention)
    return b"" if mention.is_in(after) or not _says_anything(after) else _packed(after)


def targets(raw: bytes, mention: Mention) -> set[str]:
    """Return the wamids of elements that mention a person, and those that these refer to."""
    speaking = (value for value in _objects(_readable(raw) or {}) if mention.is_in(value))
    named = (
        named
        for element in speaking
        for inner in (element, element.get("edit"), element.get("revoke"))
        if isinstance(inner, Mapping)
        for named in (inner.get("id"), inner.get("original_message_id"))
    )
    return {name for name in named if isinstance(name, str)}


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield every JSON object in `value`, itself included."""
    if isinstance(value, Mapping):
        yield value
        for member in value.values():
            yield from _objects(member)
    elif isinstance(value, list):
        for member in value:
            yield from _objects(member)


def _without_contents(value: Any, wamids: Collection[str]) -> Any:
    if isinstance(value, list):
        return [_without_contents(member, wamids) for member in value]
    if not isinstance(value, Mapping):
        return value
    if _is_of(value, wamids):
        return {
            name: member if name in _FRAME else _emptied(member) for name, member in value.items()
        }
    return {name: _without_contents(member, wamids) for name, member in value.items()}


def _is_of(element: Mapping[str, Any], wamids: Collection[str]) -> bool:
    """Check if an element is one of the messages, or an edit of one."""
    edit = element.get("edit")
    edited = edit.get("original_message_id") if isinstance(edit, Mapping) else None
    # A status has its message's id too and may have a type; a message may lack the type.
    is_message = "status" not in element and ("type" in element or "timestamp" in element)
    return is_message and (element.get("id") in wamids or edited in wamids)


def _emptied(value: Any) -> Any:
    """Blank all values, keeping the structure and the types of elements."""
    if isinstance(value, Mapping):
        return {
            name: member if name in ("type", "original_message_id") else _emptied(member)
            for name, member in value.items()
        }
    if isinstance(value, str | list):
        return type(value)()
    return value if isinstance(value, bool) or value is None else 0


def _pruned(value: Any, mention: Mention) -> Any:
    """Remove array elements that mention a person, innermost first."""
    if isinstance(value, Mapping):
        return {name: _pruned(member, mention) for name, member in value.items()}
    if isinstance(value, list):
        members = (_pruned(member, mention) for member in value)
        return [member for member in members if not mention.is_in(member)]
    return value


def _says_anything(body: Mapping[str, Any]) -> bool:
    """Check if any array other than `contacts` still has elements."""
    values = [value["value"] for value in _objects(body) if isinstance(value.get("value"), Mapping)]
    return any(
        isinstance(member, list) and member
        for value in values or [body]
        for name, member in value.items()
        if name != "contacts"
    )


def _readable(raw: bytes) -> Mapping[str, Any] | None:
    try:
        return body_of(raw)
    except Malformed:
        return None


def _packed(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
