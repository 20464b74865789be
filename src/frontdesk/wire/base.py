"""The base class of wire values: frozen pydantic models that ignore members they do not know."""

from datetime import datetime
from typing import Any, Self, get_args, overload

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from frontdesk.wire.values import instant


def json_name(name: str) -> str:
    """The name in JSON of a member whose name in Python avoids a keyword by an underscore."""
    return name.removesuffix("_")


# Marks additions to the specification of `/v1`; a client must work without them.
EXTENSION = "x-frontdesk-extension"


def optional(
    description: str, default: Any = None, *, may_be_absent: bool = False, extension: bool = False
) -> Any:
    """A member that another server may leave out, with its description for the OpenAPI document.

    This service always sends it unless it `may_be_absent`.
    """
    marks: dict[str, Any] = {}
    if may_be_absent:
        marks["required"] = False
    if extension:
        marks[EXTENSION] = True
    # None would take the place of what the type says.
    given: dict[str, Any] = {"json_schema_extra": marks} if marks else {}
    if default == {}:
        # A default would be copied deeply for each row, in a tenth of a report by person.
        return Field(default_factory=dict, description=description, **given)
    return Field(default=default, description=description, **given)


def may_be_absent(member: FieldInfo) -> bool:
    """True if the member is sent only where it applies."""
    return "required" in _marks(member)


def is_promised(member: FieldInfo) -> bool:
    """True if every server has the member always: no extension, nor only where it applies."""
    return EXTENSION not in _marks(member) and not may_be_absent(member)


def _marks(member: FieldInfo) -> dict[str, Any]:
    marks = member.json_schema_extra
    return marks if isinstance(marks, dict) else {}


class Time:
    """Read-only attribute: a timestamp member as a datetime in UTC.

    None for a missing timestamp, or one of another server that cannot be parsed. The member itself
    stays the text of the server; who reads no times does not pay for them.
    """

    def __init__(self, member: str) -> None:
        self._member = member

    @overload
    def __get__(self, row: None, owner: type) -> Self: ...

    @overload
    def __get__(self, row: "Wire", owner: type) -> datetime | None: ...

    def __get__(self, row: "Wire | None", owner: type) -> Self | datetime | None:
        return self if row is None else instant(getattr(row, self._member))


class Wire(BaseModel):
    """A frozen value of the interface.

    Our service sends every member; the defaults are what the client assumes of other servers.
    """

    # Validators are built at the first use: a start of the viewer needs few of them.
    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        alias_generator=json_name,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        protected_namespaces=(),
        ignored_types=(Time,),
    )


def body_of(value: Wire) -> bytes:
    """JSON of a value, without members that the server left out."""
    return value.model_dump_json(exclude_unset=True).encode()


def nested_model(annotation: Any) -> type[Wire] | None:
    """The model that a member of this type holds, one or several of it; None if it holds none."""
    kinds = [annotation, *get_args(annotation)]
    kinds += [inside for kind in kinds for inside in get_args(kind)]
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Wire)), None)
