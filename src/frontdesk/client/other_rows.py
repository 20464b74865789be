"""Reads rows of other servers: pydantic models with further names, derived from the wire models.

A member is read from the first of its names that is there, by the readers in `member_values`; one
that cannot be read is left out. What such a model returns is the wire model.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticOmit

from frontdesk.client import member_values as readers
from frontdesk.client.aliases import ALIASES, ASSUMED, BARE, RESOURCES, WRAPPERS
from frontdesk.client.member_paths import choices, values_at
from frontdesk.client.member_values import BARE_ID, Remark, value_reader
from frontdesk.wire import (
    Conversation,
    Counts,
    Message,
    MessagePreview,
    UserRef,
    Wire,
)
from frontdesk.wire.base import is_promised, json_name, nested_model
from frontdesk.wire.reports import Metrics, Report
from frontdesk.wire.values import MEDIA_TYPES, STATUSES

W = TypeVar("W", bound=Wire)
Members = dict[str, Any]

NOTE = "note"
# Further attachments of a message are dropped.
MOST_PARTS = 30

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDS = ("id", "uuid", "_id")

# Remarks on numbers that the viewer has no name for.
_UNKNOWN_NUMBER: Mapping[type[Wire], str] = {
    Counts: "There is a count that is not known",
    Metrics: "The report has a figure that is not known",
}


def read_row(raw: Any, model: type[W], remark: Remark) -> list[W]:
    """Wire values of one element of a list; a message with three attachments becomes three.

    `remark` is called with a sentence on each deviation from `/v1`.

    Raises: ValueError: it cannot be read.
    """
    parts = _parts(raw) if model is Message else [raw]
    return [_reader(model).model_validate(part, context=remark) for part in parts]


def snake(name: str) -> str:
    """A member name in snake case, from nextCursor, NextCursor or next-cursor."""
    if name.islower() and "-" not in name:
        return name
    return _INNER_CAPITAL.sub("_", name).replace("-", "_").lower()


def in_snake_case(members: Any) -> Any:
    """An object with its names in snake case; a name that already is takes precedence."""
    if not isinstance(members, dict):
        return members
    return {**{snake(name): value for name, value in members.items()}, **members}


class _OtherModel(BaseModel):
    """Reads an object of another server, and returns the wire value of class `wire`."""

    model_config = ConfigDict(
        coerce_numbers_to_str=True, allow_inf_nan=False, protected_namespaces=(), defer_build=True
    )
    wire: ClassVar[type[Wire]]

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, raw: Any, handler: ModelWrapValidatorHandler[Any], info: ValidationInfo) -> Any:
        model = cls.wire
        members = _members(raw, model)
        read = handler({name: value for name, value in members.items() if value is not None})
        values = {name: getattr(read, name) for name in read.model_fields_set}
        if not values:
            raise ValueError("none of its members is known")
        sources = {field: [*values_at(members, field.names)] for field in _fields(model)}
        remark: Any = info.context
        for sentence in _differences(sources, values):
            remark(f"{model.__name__}: {sentence}")
        if model in _UNKNOWN_NUMBER:
            for name in _unknown_numbers(sources, members):
                remark(f"{_UNKNOWN_NUMBER[model]}: {name}"[:100])
        return model.model_validate(_completed(model, members, _with_nulls(sources, values)))


@dataclass(frozen=True, eq=False)
class _Field:
    """A member of a wire model: its names, and whether it may be null or be left out."""

    name: str
    json_name: str
    names: AliasChoices
    nullable: bool
    promised: bool


# The members of a wire model with the names under which a row has them, and the values there.
_Sources = dict[_Field, list[tuple[str, Any]]]


@cache
def _fields(model: type[Wire]) -> tuple[_Field, ...]:
    return tuple(
        _Field(
            name,
            json_name(name),
            _names(model, name),
            NoneType in get_args(info.annotation),
            is_promised(info),
        )
        for name, info in model.model_fields.items()
    )


@cache
def _reader(model: type[Wire]) -> Any:
    """The model that reads what other servers send in the place of a wire model."""
    members: dict[str, Any] = {
        name: (
            _type_of(model, name),
            Field(default=None, validation_alias=_names(model, name)),
        )
        for name in model.model_fields
    }
    reader = create_model(f"Other{model.__name__}", __base__=_OtherModel, **members)
    reader.wire = model
    return reader


@cache
def _names(model: type[Wire], name: str) -> AliasChoices:
    return choices(json_name(name), *ALIASES.get(model, {}).get(name, ()))


def _left_out(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Leave out a member, or a part of a list, that cannot be read."""
    try:
        return handler(value)
    except ValueError:
        raise PydanticOmit from None


_IF_READABLE = WrapValidator(_left_out)


def _type_of(model: type[Wire], name: str) -> Any:
    """The type of a member in the rows of other servers; there is no null, see `_with_nulls`."""
    annotation: Any = model.model_fields[name].annotation
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    read = value_reader(model, name)
    nested = nested_model(annotation)
    part: Any = _reader(nested) if nested else None
    if nested and annotation is nested:
        annotation = part
    elif nested and get_args(annotation)[:1] == (nested,):
        part = Annotated[part, _IF_READABLE]
        annotation, read = tuple[part, ...], readers.listed
    elif annotation == tuple[str, ...]:
        read = read or readers.strings
    elif name == "id" or name.endswith("_id"):
        read = readers.identifier
    elif annotation is float:
        read = read or readers.duration
    elif annotation is int:
        read = read or readers.count
    return Annotated[annotation, *([BeforeValidator(read)] if read else ()), _IF_READABLE]


def _members(raw: Any, model: type[Wire]) -> Members:
    """The members of an object in snake case, without what it is wrapped in."""
    bare = BARE.get(model)
    is_id = bare == "id" and isinstance(raw, int) and not isinstance(raw, bool)
    if bare and raw and (is_id or isinstance(raw, str)):
        raw = {bare: raw}
    members = in_snake_case(raw)
    while wrapper := _wrapper(members, model):
        inner = members.pop(wrapper)
        members |= in_snake_case(inner)
    if not isinstance(members, dict):
        raise ValueError("not an object")
    prepare = _PREPARED.get(model)
    return prepare(_flattened(members)) if prepare else _flattened(members)


def _wrapper(members: Any, model: type[Wire]) -> str | None:
    """The name under which an object without an id holds the object that is meant."""
    if not isinstance(members, dict) or any(name in members for name in _IDS):
        return None
    names = (*RESOURCES.get(model, ())[::-1], *WRAPPERS)
    return next((name for name in names if isinstance(members.get(name), dict)), None)


def _flattened(members: Members) -> Members:
    """A JSON:API resource as a flat object of its attributes and the ids of what it relates to."""
    attributes = members.get("attributes")
    if not isinstance(attributes, dict):
        return members
    related = in_snake_case(members.get("relationships"))
    ids = {
        name: value
        for name, target in (related if isinstance(related, dict) else {}).items()
        for _, value in values_at(target, choices("data.id"))
    }
    rest = {name: members[name] for name in members if name not in ("attributes", "type")}
    return {**ids, **rest, **in_snake_case(attributes)}


def _parts(raw: Any) -> list[Any]:
    """Split a message with several attachments into one each; the text goes to the first."""
    files = raw.get("attachments") if isinstance(raw, dict) else None
    if not isinstance(files, list) or len(files) < 2:
        return [raw]
    bare = {name: value for name, value in raw.items() if snake(name) not in _WORDS}
    rest = [
        {**bare, "id": f"{raw.get('id', '')}+{place}", "attachments": [file]}
        for place, file in enumerate(files[1:MOST_PARTS], start=2)
    ]
    return [{**raw, "attachments": files[:1]}, *rest]


_WORDS = ("text", "content", "body", "caption", "message", "wamid", "reactions", "reply_to")


def _conversation(members: Members) -> Members:
    """With the name and number of a contact that stand beside its id."""
    beside = {
        "name": members.get("contact_name"),
        "phone": members.get("phone") or members.get("contact_phone"),
    }
    beside = {name: value for name, value in beside.items() if value is not None}
    contact = members.get("contact", members.get("contact_id"))
    if not beside or contact is None:
        return members
    own = contact if isinstance(contact, dict) else {"id": contact}
    return {**members, "contact": {**beside, **own}}


def _message(members: Members) -> Members:
    """With the text of its content, and the file under the name of its type."""
    content = members.get("content")
    if isinstance(content, dict) and not set(content) - {"type", *readers.TEXTS}:
        members = {**members, "content": None, "text": members.get("text") or content}
    for name in MEDIA_TYPES:
        file = members.get(name)
        if isinstance(file, dict) and not members.get("media"):
            text = members.get("text") or file.get("caption")
            members = {**members, "media": file, "type": name, "text": text}
    return {**members, "type": NOTE} if members.get("private") is True else members


def _report(members: Members) -> Members:
    """With the figures that stand on top."""
    figures = [*values_at(members, _names(Report, "metrics"))]
    return members if figures else {**members, "metrics": members}


_PREPARED: Mapping[type[Wire], Callable[[Members], Members]] = {
    Conversation: _conversation,
    Message: _message,
    Report: _report,
}


def _with_nulls(sources: _Sources, values: Members) -> Members:
    """The values that were read, and null where a row says so."""
    nulls: Members = {
        field.name: None
        for field, found in sources.items()
        if found and field.nullable and any(_is_null(value) for _, value in found)
    }
    return {**nulls, **values}


def _completed(model: type[Wire], members: Members, values: Members) -> Members:
    """A row with what is assumed or follows from its other members."""
    row = {**ASSUMED.get(model, {}), **values}
    id = model.model_fields.get("id")
    if id is not None and id.is_required() and "id" not in row:
        row["id"] = _digest(members)
    if model in (Message, MessagePreview):
        _complete_message(row)
    elif model is UserRef:
        row.setdefault("name", row["id"])
    elif model is Counts and "all" not in row:
        counts = [row.get(status) for status in STATUSES]
        if None not in counts:
            row["all"] = sum(counts)
    return row


def _is_null(value: Any) -> bool:
    """True for null, and for an object in which everything is null."""
    return value is None or (isinstance(value, dict) and all(map(_is_null, value.values())))


def _complete_message(row: Members) -> None:
    """Derive a missing direction or author from the other, and a missing type from the file."""
    author = row.get("author")
    row.setdefault("direction", "inbound" if author in (None, "contact") else "outbound")
    row.setdefault("author", "contact" if row["direction"] == "inbound" else "unknown")
    media = row.get("media")
    if media is not None and row.get("type", "text") == "text":
        general = (media.mime_type or "").partition("/")[0]
        row["type"] = general if general in MEDIA_TYPES else "document"


def _digest(members: Mapping[str, Any]) -> str:
    """Derive an id from the content of a row that has none."""
    text = json.dumps(members, sort_keys=True, default=str)
    return f"row-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _differences(sources: _Sources, values: Members) -> Iterator[str]:
    """How the members of a row deviate from `/v1`, a sentence each."""
    for field, found in sources.items():
        name = field.name
        if not found and field.promised:
            yield f"there is no {name}"
        path, value = next((each for each in found if each[1] is not None), ("", None))
        if path not in ("", field.json_name):
            yield f"{name} is {path}"
        if name in values and not _is_as_read(value, values[name]):
            bare = isinstance(values[name], Wire)
            yield f"{name} is {BARE_ID if bare else 'written in another way'}"


def _is_as_read(value: Any, read: Any) -> bool:
    if isinstance(read, Wire | dict):
        return isinstance(value, dict)
    return isinstance(value, list) if isinstance(read, tuple) else bool(value == read)


def _unknown_numbers(sources: _Sources, members: Members) -> Iterator[str]:
    """Names of numbers that are not read."""
    known = {path.partition(".")[0] for found in sources.values() for path, _ in found}
    for name, value in members.items():
        if name not in known and isinstance(value, int | float):
            yield name
