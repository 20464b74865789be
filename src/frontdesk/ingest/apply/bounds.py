"""Cuts the values of events to the limits of `text.limits`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from frontdesk.ingest.events import (
    CONTACT_TEXTS,
    Author,
    CannedResponseUpsert,
    ChannelUpsert,
    ContactUpsert,
    CustomFieldUpsert,
    LabelUpsert,
    MessageEdit,
    MessagePricing,
    MessageUpsert,
    NoteUpsert,
    NumberUpdate,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.text import limits
from frontdesk.text.clean import shortened
from frontdesk.text.limits import CONTENTS, FIELD, NAME, REACTION, TEXT, WORD, is_too_long

E = TypeVar("E")

# The limit of each text by kind of event and member. Ids, keys and what is one of a few words are
# not here: their readers refuse them.
_TEXTS: Mapping[type, Mapping[str, int]] = {
    Author: {"kind": WORD, "name": NAME},
    MessagePricing: dict.fromkeys(("category", "model", "type"), WORD),
    ChannelUpsert: {"alias": NAME},
    ContactUpsert: {"name": NAME, **CONTACT_TEXTS},
    MessageUpsert: {"text": TEXT, "type": WORD, "source": WORD},
    MessageEdit: {"text": TEXT, "type": WORD},
    StatusUpdate: dict.fromkeys(("category", "pricing_model", "pricing_type"), WORD),
    ReactionSet: {"emoji": REACTION, "author": WORD},
    NoteUpsert: {"text": TEXT},
    UserUpsert: {
        **dict.fromkeys(("email", "role", "availability"), WORD),
        **{"name": NAME, "avatar_url": FIELD},
    },
    TeamUpsert: {"description": FIELD},
    LabelUpsert: {"color": WORD, "description": FIELD},
    CustomFieldUpsert: {
        **{"name": NAME, "type": WORD, "description": FIELD},
        **{"pattern": FIELD, "pattern_hint": FIELD},
    },
    CannedResponseUpsert: {"text": TEXT},
    TemplateUpsert: {
        **dict.fromkeys(("category", "status", "quality_score"), WORD),
        **dict.fromkeys(("previous_category", "parameter_format"), WORD),
        "rejected_reason": FIELD,
    },
}
# The limit of each text within a value of JSON, likewise; all of it together has `CONTENTS`.
_VALUES: Mapping[type, Mapping[str, int]] = {
    ChannelUpsert: {"details": FIELD},
    NumberUpdate: {"details": FIELD},
    ContactUpsert: {"custom_fields": FIELD},
    MessageUpsert: {
        **{"content": TEXT, "raw": TEXT},
        **dict.fromkeys(("media", "referral", "error"), FIELD),
    },
    MessageEdit: {"content": TEXT, "media": FIELD},
    StatusUpdate: {"error": FIELD},
    CustomFieldUpsert: {"options": NAME},
    TemplateUpsert: {"components": TEXT},
}
# Events that have such a part.
_PARTS = {MessageUpsert: ("author", "pricing"), NoteUpsert: ("author",)}
_FILE_NAME = "filename"
# Members that name something to others: of an advertisement, a product, a template.
_ID_ENDS = ("_id", "_clid")
_NAMES = ("name", "language")


def bounded(event: E) -> E:
    """The event, or a part of one, with what is too long in it cut; itself if nothing is."""
    kind = type(event)
    changes: dict[str, object] = {}
    for name, most in _TEXTS.get(kind, {}).items():
        text = getattr(event, name)
        if text is not None and len(text) > most:
            changes[name] = _cut(text, most)
    for name, most in _VALUES.get(kind, {}).items():
        value = getattr(event, name)
        walk = _CutValue(most)
        after = walk.cut(value, 0) if value else value
        if walk.has_cut:
            changes[name] = after
    for name in _PARTS.get(kind, ()):
        part = getattr(event, name)
        after = None if part is None else bounded(part)
        if after is not part:
            changes[name] = after
    return replace(event, **changes) if changes else event  # type: ignore[type-var]


def bounded_contents(contents: dict[str, Any]) -> dict[str, Any]:
    """The contents of a message, likewise."""
    walk = _CutValue(TEXT)
    after: dict[str, Any] = walk.cut(contents, 0)
    return after if walk.has_cut else contents


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return limits.cut_text(text) if most == TEXT else shortened(text, most)


class _CutValue:
    """Copies a value of JSON as long as there is room for its characters."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = CONTENTS
        self.has_cut = False

    def cut(self, value: Any, depth: int, name: str = "") -> Any:
        """The value with long texts cut and long ids left out, up to the last room."""
        if isinstance(value, str):
            if (name == "id" or name.endswith(_ID_ENDS)) and is_too_long(value):
                self.has_cut = True
                return None
            return self._text(value, NAME if depth == 1 and name in _NAMES else self._most, name)
        self._left -= 1
        is_nested = isinstance(value, Mapping | list | tuple)
        is_endless = isinstance(value, int) and value.bit_length() > limits.BITS
        if not is_nested and not is_endless:
            return value
        if is_endless or depth == limits.DEPTH:
            self.has_cut = True
            return None
        if isinstance(value, Mapping):
            return {
                self._text(key, NAME): self.cut(one, depth + 1, key)
                for key, one in value.items()
                if self._has_room()
            }
        return type(value)([self.cut(one, depth + 1) for one in value if self._has_room()])

    def _has_room(self) -> bool:
        self.has_cut = self.has_cut or self._left <= 0
        return self._left > 0

    def _text(self, text: str, most: int, name: str = "") -> str:
        is_file = name == _FILE_NAME
        if len(text) > min(NAME if is_file else most, self._left):
            self.has_cut = True
            text = limits.cut_file_name(text) if is_file else _cut(text, most)
            text = shortened(text, max(self._left, 1))
        self._left -= len(text)
        return text
