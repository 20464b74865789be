"""JSON schemas of responses: wire models, as this service sends them."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from frontdesk.wire import Wire

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/"

_PAGE = re.compile(r"^Page\[(\w+)\]$")

_TIMESTAMP: Schema = {
    "type": "string",
    "description": "ISO 8601 in UTC with milliseconds, so that the order of texts is that of time.",
    "format": "date-time",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
    "examples": ["2026-03-14T09:26:53.000Z"],
}


class _Generator(GenerateJsonSchema):
    """JSON schema generator without titles and defaults: the service sends every member."""

    def normalize_name(self, name: str) -> str:
        return _PAGE.sub(r"\1Page", name)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> Schema:
        return self.generate_inner(schema["schema"])


def schemas_of(models: Iterable[type[Wire]]) -> dict[str, Schema]:
    """Generate schemas of models and those that they reference, sorted by name."""
    _, generated = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template=REFERENCE + "{model}",
        schema_generator=_Generator,
    )
    schemas = {name: _strict(schema) for name, schema in generated["$defs"].items()}
    return dict(sorted({"Timestamp": _TIMESTAMP, **schemas}.items()))


def reference(model: type[Wire]) -> Schema:
    return {"$ref": REFERENCE + name_of(model)}


def name_of(model: type[Wire]) -> str:
    """Return a model's schema name; `Page[Contact]` is "ContactPage"."""
    return _PAGE.sub(r"\1Page", model.__name__)


def plain(text: str | None) -> str:
    """Turn a docstring into a one-line description, with null for None."""
    return re.sub(r"\bNone\b", "null", " ".join((text or "").split()))


def _strict(generated: Schema) -> Schema:
    """A model's schema; a member is required unless its own schema says that it is not."""
    properties = generated["properties"]
    absent = {name for name, kind in properties.items() if kind.pop("required", True) is False}
    return {
        "type": "object",
        "description": plain(generated.get("description")) or "One page, in the order of the list.",
        "properties": {name: _member(kind) for name, kind in properties.items()},
        "required": [name for name in properties if name not in absent],
    }


def _member(schema: Schema) -> Schema:
    """A member's schema, without null if it says so."""
    nullable = schema.pop("nullable", True)
    kinds = [_kind(kind) for kind in schema.pop("anyOf", [{}])]
    if not nullable:
        kinds = [kind for kind in kinds if kind != {"type": "null"}]
    return _kind(schema) | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _kind(schema: Schema) -> Schema:
    """A schema; a timestamp is a reference to that of all timestamps."""
    if schema.get("format") != _TIMESTAMP["format"]:
        return schema
    others = {name: value for name, value in schema.items() if name not in ("type", "format")}
    return others | {"$ref": f"{REFERENCE}Timestamp"}
