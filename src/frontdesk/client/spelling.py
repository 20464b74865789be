"""Normalises rows of other servers to the member names and types of `/v1`; no validation.

The members to look for follow from the fields of the wire model.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from frontdesk.client import readers
from frontdesk.client.members import ABSENT, at, found, spelt, unwrapped
from frontdesk.client.messages import parts_of, settle_message, settle_preview
from frontdesk.client.readers import Reader
from frontdesk.client.tolerance import (
    ALIASES,
    ASSUMED,
    BARE_ROWS,
    NUMBER_WRAPPERS,
    PERSON_WRAPPERS,
    RESOURCES,
    WRAPPERS,
)
from frontdesk.wire import (
    CannedResponse,
    Contact,
    Conversation,
    Label,
    Message,
    MessagePreview,
    Note,
    PhoneRef,
    Ref,
    Template,
    UserRef,
    Wire,
)
from frontdesk.wire.base import json_name

# End of the deviation for an object that is given by its id only.
BARE = "an id alone"

# Members that mark an object as a value rather than as a wrapper of one.
_IDS = ("id", "uuid", "_id")

_TIMES = ("_at", "_until", "_since", "as_of")

_READERS: Mapping[tuple[type[Wire], str], Reader] = {
    (Conversation, "labels"): readers.labels,
    (Conversation, "status"): readers.status,
    (Message, "direction"): readers.direction,
    (Message, "author"): readers.author,
    (Message, "type"): readers.kind,
    (Message, "text"): readers.words,
    (Message, "delivery_status"): readers.delivery,
    (MessagePreview, "direction"): readers.direction,
    (MessagePreview, "author"): readers.author,
    (MessagePreview, "type"): readers.kind,
    (MessagePreview, "text"): readers.words,
    (MessagePreview, "delivery_status"): readers.delivery,
    (Note, "author"): readers.author,
    (Note, "text"): readers.words,
    (Contact, "custom_fields"): readers.custom_fields,
    (CannedResponse, "text"): readers.words,
    (Label, "color"): readers.color,
    (Template, "components"): readers.components,
}


@dataclass(frozen=True)
class Field:
    """One member: its candidate paths, its converter, and whether null is allowed."""

    name: str
    spots: tuple[str, ...]
    read: Reader
    nullable: bool


def rows_in(raw: Any, model: type[Wire], note: Callable[[str], None]) -> list[dict[str, Any]]:
    """Normalised rows of one list element; a message with three attachments becomes three."""
    if isinstance(raw, str) and raw and model in BARE_ROWS:
        raw = {BARE_ROWS[model]: raw}
    members = _flattened(spelt(unwrapped(spelt(raw), _wrappers(model), _IDS)))
    if not isinstance(members, dict):
        return []
    return [spell(part, model, note) for part in _parts(members, model)]


def spell(members: Mapping[str, Any], model: type[Wire], note: Callable[[str], None]) -> Any:
    """Normalise one object; empty if none of its members is known.

    `note` is called with a sentence on each deviation.
    """
    row: dict[str, Any] = {}
    for field in fields_of(model):
        value = _value(members, field, model, note)
        if value is not ABSENT:
            row[field.name] = value
    if not row:
        return {}
    settle = _SETTLED.get(model)
    if settle is not None:
        settle(members, row)
    if "id" in model.model_fields and model.model_fields["id"].is_required() and "id" not in row:
        row["id"] = _digest(members)
        note(f"{model.__name__}: rows have no id")
    return {**ASSUMED.get(model, {}), **row}


@cache
def fields_of(model: type[Wire]) -> tuple[Field, ...]:
    """Members of a model, in the order of its fields."""
    return tuple(
        Field(
            name,
            (
                json_name(name),
                *ALIASES.get(model, {}).get(name, ()),
            ),
            _READERS.get((model, name)) or _reader(name, info.annotation),
            NoneType in get_args(info.annotation),
        )
        for name, info in model.model_fields.items()
    )


def _value(
    members: Mapping[str, Any], field: Field, model: type[Wire], note: Callable[[str], None]
) -> Any:
    null = False
    for spot, value in found(members, field.spots):
        null = null or value is None
        read = ABSENT if value is None else field.read(value)
        if isinstance(read, _Nested):
            read = read.spelt(note)
        if read is not ABSENT:
            _remark(field, spot, value, read, lambda words: note(f"{model.__name__}: {words}"))
            return read
    if null and field.nullable:
        return None
    if not null:
        note(f"{model.__name__}: there is no {field.name}")
    return ABSENT


def _remark(field: Field, spot: str, value: Any, read: Any, note: Callable[[str], None]) -> None:
    """Record how a member deviates from `/v1`."""
    if spot != field.spots[0]:
        note(f"{field.name} is {spot}")
    if isinstance(read, dict) and not isinstance(value, dict):
        note(f"{field.name} is {BARE}")
    elif type(read) is not type(value) or (isinstance(read, str) and read != value):
        note(f"{field.name} is written in another way")


@dataclass(frozen=True)
class _Nested:
    """Nested objects, to be normalised in turn."""

    values: Any
    model: type[Wire]

    def spelt(self, note: Callable[[str], None]) -> Any:
        if isinstance(self.values, list):
            return [spell(spelt(value), self.model, note) for value in self.values]
        return spell(spelt(self.values), self.model, note) or ABSENT


def _reader(name: str, annotation: Any) -> Reader:
    """Converter for a member of this type."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    if get_origin(annotation) is tuple:
        return _list_reader(get_args(annotation)[0])
    if isinstance(annotation, type) and issubclass(annotation, Wire):
        return _part_reader(annotation)
    if annotation is str:
        return _text_reader(name)
    plain: dict[Any, Reader] = {
        bool: readers.flag,
        int: readers.whole,
        float: readers.decimal,
    }
    return plain.get(annotation) or (
        readers.mapping if get_origin(annotation) is dict else readers.anything
    )


def _text_reader(name: str) -> Reader:
    if name.endswith(_TIMES):
        return readers.time
    if name == "id" or name.endswith("_id"):
        return readers.identifier
    return readers.phone if name == "phone" else readers.text


def _list_reader(kind: Any) -> Reader:
    if kind is str:
        return readers.strings
    if isinstance(kind, type) and issubclass(kind, Wire):
        return lambda value: _objects(value, kind)
    return readers.components


def _objects(value: Any, model: type[Wire]) -> Any:
    value = readers.listed(value)
    if not isinstance(value, list):
        return ABSENT
    members = [unwrapped(member, _wrappers(model), _IDS) for member in value]
    return _Nested([member for member in members if isinstance(member, dict)], model)


def _part_reader(model: type[Wire]) -> Reader:
    """Converter for an object, or for the id or text that stands in for it."""
    bare = "text" if model is MessagePreview else "id"

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            value = unwrapped(value, _wrappers(model), _IDS)
        if isinstance(value, dict):
            return _Nested(value, model) if value else ABSENT
        if value is None:
            return ABSENT
        if bare not in model.model_fields or isinstance(value, bool | float | list):
            return ABSENT
        return _Nested({bare: value}, model)

    return read


@cache
def _wrappers(model: type[Wire]) -> tuple[str, ...]:
    """Member names under which a wrapper may hold an object of this model."""
    people = PERSON_WRAPPERS if model in (PhoneRef, Ref, UserRef) else ()
    numbers = NUMBER_WRAPPERS if model is PhoneRef else ()
    return tuple(dict.fromkeys((*RESOURCES.get(model, ())[::-1], *people, *numbers, *WRAPPERS)))


def _flattened(members: Any) -> Any:
    """Convert a JSON:API resource to a flat object of attributes and related ids."""
    if not isinstance(members, dict) or not isinstance(members.get("attributes"), dict):
        return members
    relationships = members.get("relationships")
    related = {
        name: at(target, "data.id")
        for name, target in (relationships if isinstance(relationships, dict) else {}).items()
        if at(target, "data.id") is not ABSENT
    }
    rest = {name: members[name] for name in members if name not in ("attributes", "type")}
    return {**spelt(related), **rest, **spelt(members["attributes"])}


def _parts(members: dict[str, Any], model: type[Wire]) -> list[dict[str, Any]]:
    return parts_of(members) if model is Message else [members]


def _digest(members: Mapping[str, Any]) -> str:
    """Derive an id from the content of a row that has none."""
    text = json.dumps(members, sort_keys=True, default=str)
    return f"row-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _settle_conversation(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Read a contact spread over the row; treat an empty assignee object as null."""
    contact = row.get("contact")
    if isinstance(contact, dict):
        spread = {
            "name": members.get("contact_name"),
            "phone": readers.phone(members.get("phone") or members.get("contact_phone")),
        }
        row["contact"] = {
            **{name: value for name, value in spread.items() if isinstance(value, str)},
            **{name: value for name, value in contact.items() if value is not None},
        }
    if "assignee" in members:
        assignee = unwrapped(members["assignee"], _wrappers(UserRef), _IDS)
        if assignee is None or (isinstance(assignee, dict) and not any(assignee.values())):
            row["assignee"] = None


def _settle_user_ref(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    row.setdefault("name", row.get("id", ""))


_SETTLED: Mapping[type[Wire], Callable[[Mapping[str, Any], dict[str, Any]], None]] = {
    Conversation: _settle_conversation,
    Message: settle_message,
    MessagePreview: settle_preview,
    UserRef: _settle_user_ref,
}
