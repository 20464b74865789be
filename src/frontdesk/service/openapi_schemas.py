"""JSON schemas of responses: wire models with the stricter guarantees of this service."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from frontdesk.service import vocabulary
from frontdesk.wire import Wire
from frontdesk.wire.values import PHONE_DIGITS

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/"
E164 = rf"^\+{PHONE_DIGITS}$"
OPEN = "x-known-values"
EXTENSION = "x-frontdesk-extension"

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
    found = {name: _strict(name, schema) for name, schema in generated["$defs"].items()}
    return dict(sorted({"Timestamp": _TIMESTAMP, **found}.items()))


def reference(model: type[Wire]) -> Schema:
    return {"$ref": REFERENCE + name_of(model)}


def name_of(model: type[Wire]) -> str:
    """Return a model's schema name; `Page[Contact]` is "ContactPage"."""
    return _PAGE.sub(r"\1Page", model.__name__)


def plain(text: str | None) -> str:
    """Turn a docstring into a one-line description, with null for None."""
    return re.sub(r"\bNone\b", "null", " ".join((text or "").split()))


def _strict(name: str, generated: Schema) -> Schema:
    properties = generated["properties"]
    optional = vocabulary.OPTIONAL.get(name, frozenset())
    return {
        "type": "object",
        "description": plain(generated.get("description")) or "One page, in the order of the list.",
        "properties": {member: _member(name, member, kind) for member, kind in properties.items()},
        "required": [member for member in properties if member not in optional],
    }


def _member(model: str, name: str, schema: Schema) -> Schema:
    """Tighten a member's schema; null only where the service may send it."""
    description = {"description": schema.pop("description")} if "description" in schema else {}
    kinds = [_kind(model, name, kind) for kind in schema.get("anyOf", [schema])]
    if name in vocabulary.NEVER_NULL.get(model, frozenset()):
        kinds = [kind for kind in kinds if kind != {"type": "null"}]
    member = description | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})
    return member | {EXTENSION: True} if (model, name) in vocabulary.EXTENSIONS else member


def _kind(model: str, name: str, kind: Schema) -> Schema:
    """Tighten one alternative of a member's schema."""
    match kind.get("type"):
        case "string" if name.endswith("_at") or name in vocabulary.TIMES:
            return {"$ref": f"{REFERENCE}Timestamp"}
        case "string":
            return kind | _text(model, name)
        case "object" if (model, name) in vocabulary.KINDS_INSIDE:
            kinds = list(vocabulary.KINDS_INSIDE[model, name])
            return kind | {"additionalProperties": {"type": kinds}}
        case "integer" | "number" if name != "code":
            return kind | {"minimum": 0}
    return kind


def _text(model: str, name: str) -> Schema:
    if (model, name) in vocabulary.CLOSED:
        return {"enum": list(vocabulary.CLOSED[model, name])}
    if (model, name) in vocabulary.KNOWN:
        known = list(vocabulary.KNOWN[model, name])
        return {OPEN: known, "examples": known[:1]}
    if name == "phone":
        return {"pattern": E164, "examples": ["+16505551234"]}
    return {"pattern": "^#[0-9a-fA-F]{6}$"} if name == "color" else {}
