"""The base class of wire values: frozen pydantic models that ignore members they do not know."""

from typing import Any, get_args

from pydantic import BaseModel, ConfigDict


def json_name(name: str) -> str:
    """The name in JSON of a member whose name in Python avoids a keyword by an underscore."""
    return name.removesuffix("_")


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
    )


def nested_model(annotation: Any) -> type[Wire] | None:
    """The model that a member of this type holds, one or several of it; None if it holds none."""
    kinds = [annotation, *get_args(annotation)]
    kinds += [inside for kind in kinds for inside in get_args(kind)]
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, Wire)), None)
