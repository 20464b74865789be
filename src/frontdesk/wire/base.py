"""What every wire value has in common: its members, how it is read from JSON and written to it.

A wire value is a model of pydantic's core, whose names for things it keeps. It is none of
pydantic's own, for what makes those costs a start of the viewer more than all that is then read.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import NoneType
from typing import (
    Any,
    NamedTuple,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from pydantic_core import SchemaSerializer, SchemaValidator

_TOLD = "__pydantic_fields_set__"
# The members of a value that were told, not assumed.
members_told: Callable[[Any], set[str]] = attrgetter(_TOLD)

_NOTHING: Any = object()
_PLAIN = {str: "str", int: "int", float: "float", bool: "bool", Any: "any"}


class Member(NamedTuple):
    """A member of a wire value. default: what is assumed where it is missing."""

    annotation: Any
    default: Any = _NOTHING

    def is_required(self) -> bool:
        """There is no value without it."""
        return self.default is _NOTHING


@dataclass_transform(kw_only_default=True, frozen_default=True)
class WireType(type):
    """A class of wire values: `model_fields` are their members by name, those of its base first."""

    model_fields: Mapping[str, Member]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        cls.model_fields = {
            **getattr(super(cls, cls), "model_fields", {}),
            **{
                name: Member(kind, namespace.get(name, _NOTHING))
                for name, kind in get_annotations(cls).items()
                if not name.startswith("_")
            },
        }


class Wire(metaclass=WireType):
    """A frozen value of the interface. Unknown members are ignored, missing ones take defaults.

    Our service sends every member; the defaults are what the client assumes of other servers.
    A member whose name Python keeps for itself has a trailing underscore here, and none in JSON.

    Made by its members, which are checked. Raises: ValidationError: they are of another kind.
    """

    __slots__ = (
        "__dict__",
        "__pydantic_extra__",
        "__pydantic_private__",
        _TOLD,
    )

    def __init__(self, **members: Any) -> None:
        _validator(type(self)).validate_python(members, self_instance=self)

    @classmethod
    def model_validate(cls, members: Any) -> Self:
        """The value with these members, or itself. Raises: ValidationError."""
        value: Self = _validator(cls).validate_python(members)
        return value

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """The value in a JSON text. Raises: ValidationError."""
        value: Self = _validator(cls).validate_json(text)
        return value

    @property
    def model_fields_set(self) -> set[str]:
        """The members that were told, not assumed."""
        return members_told(self)

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """The same with other members, which are not checked."""
        copy = object.__new__(type(self))
        object.__setattr__(copy, "__dict__", {**self.__dict__, **update})
        object.__setattr__(copy, _TOLD, members_told(self) | update.keys())
        return copy

    def model_dump(
        self, *, exclude_unset: bool = False, exclude_none: bool = False
    ) -> dict[str, Any]:
        """As what a JSON text of it would be read as."""
        members: dict[str, Any] = _serializer(type(self)).to_python(
            self, mode="json", exclude_unset=exclude_unset, exclude_none=exclude_none
        )
        return members

    def model_dump_json(self, *, exclude_unset: bool = False, exclude_none: bool = False) -> str:
        """As a JSON text."""
        return (
            _serializer(type(self))
            .to_json(self, exclude_unset=exclude_unset, exclude_none=exclude_none)
            .decode()
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from self.__dict__.items()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in self)
        return f"{type(self).__name__}({members})"


def schema_of(kind: Any) -> dict[str, Any]:
    """The schema, for pydantic's core, of a wire value or of a kind that a member may have."""
    inside = get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if isinstance(kind, TypeVar):
        return {"type": "any"}
    if NoneType in inside:
        (given,) = (one for one in inside if one is not NoneType)
        return {"type": "nullable", "schema": schema_of(given)}
    if get_origin(kind) is tuple:
        return {
            "type": "tuple",
            "items_schema": [schema_of(inside[0])],
            "variadic_item_index": 0,
        }
    if get_origin(kind) is dict:
        keys, values = map(schema_of, inside)
        return {"type": "dict", "keys_schema": keys, "values_schema": values}
    fields = {name: _field(name, member) for name, member in kind.model_fields.items()}
    return {
        "type": "model",
        "cls": kind,
        "schema": {"type": "model-fields", "model_name": kind.__name__, "fields": fields},
        "config": {"title": kind.__name__, "validate_by_name": True, "serialize_by_alias": True},
    }


def json_name(name: str) -> str:
    """A member's name in JSON."""
    return name.removesuffix("_")


def wire_in(member: Member) -> type[Wire] | None:
    """What kind of wire value a member holds, one or several."""
    kinds = [member.annotation, *get_args(member.annotation)]
    kinds += [inside for kind in kinds for inside in get_args(kind)]
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, Wire)), None)


def _field(name: str, member: Member) -> dict[str, Any]:
    schema = schema_of(member.annotation)
    if not member.is_required():
        copied = isinstance(member.default, dict)
        schema = {
            "type": "default",
            "schema": schema,
            "default": member.default,
            "copy_default": copied,
        }
    told = json_name(name)
    return {
        "type": "model-field",
        "schema": schema,
        "validation_alias": told,
        "serialization_alias": told,
    }


@cache
def _validator(kind: type[Wire]) -> SchemaValidator:
    return SchemaValidator(schema_of(kind))


@cache
def _serializer(kind: type[Wire]) -> SchemaSerializer:
    return SchemaSerializer(schema_of(kind))
