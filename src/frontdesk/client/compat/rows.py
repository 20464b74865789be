"""Normalises rows of other servers to the member names and types of `/v1`; no validation.

The members to look for follow from the fields of the wire model.

Messages: several attachments, private messages, authors.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from frontdesk.client.compat import values as readers
from frontdesk.client.compat.aliases import (
    ALIASES,
    ASSUMED,
    BARE_ROWS,
    NUMBER_WRAPPERS,
    PERSON_WRAPPERS,
    RESOURCES,
    TEXTS,
    WRAPPERS,
)
from frontdesk.client.compat.envelopes import ABSENT, at, normalise_names, unwrapped, values_at
from frontdesk.client.compat.values import Reader
from frontdesk.wire import (
    CannedResponse,
    ChannelCounts,
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
from frontdesk.wire.values import MEDIA_TYPES

# Further attachments of a message are dropped.
MOST_PARTS = 30
LONGEST_TEXT = 65_536

NOTE = "note"


def parts_of(members: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a message with several attachments into one each; the text goes to the first."""
    files = members.get("attachments")
    if not isinstance(files, list) or len(files) < 2:
        return [members]
    first = {**members, "attachments": files[:1]}
    bare = {name: value for name, value in members.items() if name not in _WORDS}
    id = members.get("id", "")
    rest = [
        {**bare, "id": f"{id}+{place}", "attachments": [file]}
        for place, file in enumerate(files[1:MOST_PARTS], start=2)
    ]
    return [first, *rest]


def settle_message(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Normalise members of a message that depend on each other."""
    _settle_media(members, row)
    settle_preview(members, row)
    content = row.get("content")
    if isinstance(content, dict) and not set(content) - {"type", *TEXTS}:
        # The object only wraps the text, which has been read.
        del row["content"]
    if members.get("private") is True:
        row["type"] = NOTE
    if not _is_person(row.get("author_ref")):
        row.pop("author_ref", None)


def settle_preview(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Derive a missing direction or author from the other one."""
    if isinstance(members.get("from_me"), bool):
        row.setdefault("direction", "outbound" if members["from_me"] else "inbound")
    author = row.get("author")
    if "direction" not in row:
        row["direction"] = "inbound" if author in (None, "contact") else "outbound"
    if author is None:
        row["author"] = "contact" if row["direction"] == "inbound" else "unknown"


def _settle_media(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Read an attachment from the member named for its type, and derive a missing type."""
    for name in MEDIA_TYPES:
        file = members.get(name)
        if isinstance(file, dict) and not row.get("media"):
            row["media"] = {**_media_members(normalise_names(file)), "url": file.get("link")}
            row["type"] = name
            row["text"] = row.get("text") or file.get("caption")
    media = row.get("media")
    if isinstance(media, dict) and row.get("type", "text") == "text":
        general = str(media.get("mime_type") or "").partition("/")[0]
        row["type"] = general if general in MEDIA_TYPES else "document"


def _media_members(file: Mapping[str, Any]) -> dict[str, Any]:
    return {name: file[name] for name in ("id", "mime_type", "filename", "sha256") if name in file}


def _is_person(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("id") or value.get("name"))


_WORDS = ("text", "content", "body", "caption", "message", "wamid", "id", "reactions", "reply_to")


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
    paths: tuple[str, ...]
    read: Reader
    nullable: bool


def rows_in(raw: Any, model: type[Wire], note: Callable[[str], None]) -> list[dict[str, Any]]:
    """Normalised rows of one list element; a message with three attachments becomes three."""
    if isinstance(raw, str) and raw and model in BARE_ROWS:
        raw = {BARE_ROWS[model]: raw}
    members = _flattened(normalise_names(unwrapped(normalise_names(raw), _wrappers(model), _IDS)))
    if not isinstance(members, dict):
        return []
    return [normalise_row(part, model, note) for part in _parts(members, model)]


def normalise_row(
    members: Mapping[str, Any], model: type[Wire], note: Callable[[str], None]
) -> Any:
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
    for path, value in values_at(members, field.paths):
        null = null or value is None
        read = ABSENT if value is None else field.read(value)
        if isinstance(read, _Nested):
            read = read.normalise(note)
        if read is not ABSENT:
            _remark(field, path, value, read, lambda words: note(f"{model.__name__}: {words}"))
            return read
    if null and field.nullable:
        return None
    if not null and field.name not in _IF_ASKED and (model, field.name) not in _EXTENSIONS:
        note(f"{model.__name__}: there is no {field.name}")
    return ABSENT


def _remark(field: Field, path: str, value: Any, read: Any, note: Callable[[str], None]) -> None:
    """Record how a member deviates from `/v1`."""
    if path != field.paths[0]:
        note(f"{field.name} is {path}")
    if isinstance(read, dict) and not isinstance(value, dict):
        note(f"{field.name} is {BARE}")
    elif type(read) is not type(value) or (isinstance(read, str) and read != value):
        note(f"{field.name} is written in another way")


@dataclass(frozen=True)
class _Nested:
    """Nested objects, to be normalised in turn."""

    values: Any
    model: type[Wire]

    def normalise(self, note: Callable[[str], None]) -> Any:
        if isinstance(self.values, list):
            return [
                normalise_row(normalise_names(value), self.model, note) for value in self.values
            ]
        return normalise_row(normalise_names(self.values), self.model, note) or ABSENT


def _reader(name: str, annotation: Any) -> Reader:
    """Converter for a member of this type."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
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
    """Converter for an object, or for the id or text in its place."""
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
    return {**normalise_names(related), **rest, **normalise_names(members["attributes"])}


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


# Members of reports that are there only if they are asked for.
_IF_ASKED = frozenset({"spread", "targets", "over_first_response", "over_reply"})
# Members that only some servers have.
_EXTENSIONS = frozenset({(ChannelCounts, "awaiting_human")})
