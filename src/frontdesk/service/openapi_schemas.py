"""JSON schemas of responses: wire models with the stricter guarantees of this service."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from frontdesk.wire import Wire
from frontdesk.wire.values import (
    AUTHORS,
    DELIVERY_STEPS,
    DIRECTIONS,
    FIELD_TYPES,
    MEDIA_TYPES,
    PHONE_DIGITS,
    STATUSES,
)

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

_Member = tuple[str, str]

# Names of timestamp members, besides those that end in "_at".
_TIMES = frozenset(
    {
        "as_of",
        "snoozed_until",
        "waiting_since",
        "longest_waiting_since",
        "from",
        "to",
        "start",
        "end",
    }
)

# Members of reports that are there if they are asked for.
_REPORT_PARTS = ("users", "teams", "labels", "hours")
_IF_ASKED = frozenset({"spread", "targets"})
_IF_SEARCHED = frozenset({"matches", "total", "total_capped"})

# Members that may be absent; all others are always present.
_OPTIONAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Conversation": frozenset({"last_message"}),
        "Message": frozenset({"pricing"}),
        "MessagePreview": frozenset({"deleted_at"}),
        "Pricing": frozenset({"billable", "model", "category", "type"}),
        "Report": frozenset({"pricing", "previous_series", *_REPORT_PARTS}),
        "Metrics": _IF_ASKED,
        "PersonFigures": _IF_ASKED,
        "LiveCounts": frozenset({"over_first_response", "over_reply"}),
        "ConversationPage": _IF_SEARCHED,
        "ParameterProblem": frozenset({"allowed", "min", "max"}),
        "Problem": frozenset(
            {"errors", "retry_after", "required_scope", "key_scopes", "resource", "allow"}
        ),
    }
)

# Members that are nullable for clients but that this service always fills.
_NEVER_NULL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Conversation": frozenset({"awaiting_human", "created_at", "updated_at"}),
        "Message": frozenset({"conversation_id", "source", "pricing"}),
        "MessagePreview": frozenset({"deleted_at"}),
        "Pricing": _OPTIONAL["Pricing"],
        "ConversationPage": frozenset({"matches", "total_capped"}),
        "MessageMatch": frozenset({"cursor"}),
        "Note": frozenset({"conversation_id", "updated_at"}),
        **dict.fromkeys(
            ("Contact", "CustomField", "Label", "User", "Team", "Channel", "CannedResponse"),
            frozenset({"created_at", "updated_at"}),
        ),
        "Counts": frozenset(
            {"all", "open", "snoozed", "resolved", "assigned", "unassigned", "awaiting_human"}
            | {"by_status", "as_of"}
        ),
        "CountSet": frozenset({"all", "assigned", "unassigned", "awaiting_human"}),
        "ChannelCounts": frozenset({"all", "open"}),
        "Report": frozenset({"previous_period", "previous", "live"}),
        "ChannelMetrics": frozenset({"previous"}),
        "LiveCounts": frozenset(
            {"open", "unassigned", "unattended", "awaiting_human", "as_of"}
            | {"over_first_response", "over_reply"}
        ),
        "ParameterProblem": _OPTIONAL["ParameterProblem"],
        "Problem": _OPTIONAL["Problem"] | {"detail", "instance", "request_id"},
    }
)

# Additions to the specification of `/v1`; a client must work without them.
_EXTENSIONS: frozenset[_Member] = frozenset(
    {
        ("MessagePreview", "deleted_at"),
        *{("Message", "pricing"), ("Report", "pricing"), ("Report", "previous_series")},
        *(("Report", part) for part in _REPORT_PARTS),
        *(("Metrics", name) for name in _IF_ASKED),
        ("ChannelCounts", "awaiting_human"),
        *{("LiveCounts", "over_first_response"), ("LiveCounts", "over_reply")},
        *(("ConversationPage", name) for name in _IF_SEARCHED),
    }
)

# Value types of objects with arbitrary member names.
_KINDS_INSIDE: Mapping[_Member, tuple[str, ...]] = MappingProxyType(
    {("Contact", "custom_fields"): ("string", "number", "boolean")}
)

# Closed enumerations.
_CLOSED: Mapping[_Member, tuple[str, ...]] = MappingProxyType(
    {
        ("Conversation", "status"): STATUSES,
        ("Message", "direction"): DIRECTIONS,
        ("MessageMatch", "direction"): DIRECTIONS,
        ("MessagePreview", "direction"): DIRECTIONS,
        ("Reaction", "direction"): DIRECTIONS,
        ("ReplyTo", "direction"): DIRECTIONS,
        ("CustomField", "scope"): ("contact",),
    }
)

_TYPES = (
    "text",
    *MEDIA_TYPES,
    "location",
    "contacts",
    "interactive",
    "template",
    "order",
    "reaction",
    "system",
    "unsupported",
)
_CATEGORIES = ("AUTHENTICATION", "MARKETING", "UTILITY")
_CHARGED_AS = (
    "authentication",
    "authentication_international",
    "marketing",
    "marketing_lite",
    "referral_conversion",
    "service",
    "utility",
)
_PRICING_TYPES = ("regular", "free_customer_service", "free_entry_point")

# Known values of open enumerations; clients must accept others.
_KNOWN: Mapping[_Member, tuple[str, ...]] = MappingProxyType(
    {
        **{(model, "author"): AUTHORS for model in ("Message", "MessagePreview", "ReplyTo")},
        **{(model, "type"): _TYPES for model in ("Message", "MessagePreview", "ReplyTo")},
        **{
            (model, "delivery_status"): ("pending", *DELIVERY_STEPS)
            for model in ("Message", "MessagePreview")
        },
        ("Message", "forwarded"): ("once", "many"),
        ("Message", "source"): (
            "webhook",
            "echo",
            "history",
            "archive",
            "chat_export",
            "chatwoot",
        ),
        ("Reaction", "author"): AUTHORS,
        ("Note", "author"): ("user", "ai_agent", "automation"),
        ("CustomField", "type"): FIELD_TYPES,
        ("Pricing", "model"): ("CBP", "PMP"),
        ("PricingCount", "author"): AUTHORS,
        **{(model, "category"): _CHARGED_AS for model in ("Pricing", "PricingCount")},
        **{(model, "type"): _PRICING_TYPES for model in ("Pricing", "PricingCount")},
        ("User", "role"): ("agent", "administrator"),
        ("User", "availability"): ("online", "busy", "offline"),
        ("Team", "distribution"): ("round_robin",),
        ("Channel", "quality_rating"): ("GREEN", "YELLOW", "RED", "UNKNOWN", "NA"),
        ("Channel", "status"): ("CONNECTED",),
        ("Channel", "platform"): ("CLOUD_API", "ON_PREMISE", "NOT_APPLICABLE"),
        ("Template", "category"): _CATEGORIES,
        ("Template", "previous_category"): _CATEGORIES,
        ("Template", "parameter_format"): ("POSITIONAL", "NAMED"),
        ("Template", "quality_score"): ("GREEN", "YELLOW", "RED", "UNKNOWN"),
        ("Template", "status"): (
            "APPROVED",
            "PENDING",
            "REJECTED",
            "PAUSED",
            "DISABLED",
            "IN_APPEAL",
            "FLAGGED",
            "PENDING_DELETION",
            "DELETED",
            "LIMIT_EXCEEDED",
            "LOCKED",
            "REINSTATED",
            "ARCHIVED",
            "UNARCHIVED",
        ),
        ("ParameterProblem", "reason"): (
            "unknown",
            "repeated",
            "malformed",
            "empty",
            "not_allowed",
            "unknown_value",
            "unavailable",
            "mismatch",
            "too_long",
            "too_short",
        ),
    }
)


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
    schemas = {name: _strict(name, schema) for name, schema in generated["$defs"].items()}
    return dict(sorted({"Timestamp": _TIMESTAMP, **schemas}.items()))


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
    optional = _OPTIONAL.get(name, frozenset())
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
    if name in _NEVER_NULL.get(model, frozenset()):
        kinds = [kind for kind in kinds if kind != {"type": "null"}]
    member = description | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})
    return member | {EXTENSION: True} if (model, name) in _EXTENSIONS else member


def _kind(model: str, name: str, kind: Schema) -> Schema:
    """Tighten one alternative of a member's schema."""
    match kind.get("type"):
        case "string" if name.endswith("_at") or name in _TIMES:
            return {"$ref": f"{REFERENCE}Timestamp"}
        case "string":
            return kind | _text(model, name)
        case "object" if (model, name) in _KINDS_INSIDE:
            kinds = list(_KINDS_INSIDE[model, name])
            return kind | {"additionalProperties": {"type": kinds}}
        case "integer" | "number" if name != "code":
            return kind | {"minimum": 0}
    return kind


def _text(model: str, name: str) -> Schema:
    if (model, name) in _CLOSED:
        return {"enum": list(_CLOSED[model, name])}
    if (model, name) in _KNOWN:
        known = list(_KNOWN[model, name])
        return {OPEN: known, "examples": known[:1]}
    if name == "phone":
        return {"pattern": E164, "examples": ["+16505551234"]}
    return {"pattern": "^#[0-9a-fA-F]{6}$"} if name == "color" else {}
