"""Enumerations, formats and nullability that the service promises beyond the wire models.

The models are as lenient as a client must be; the OpenAPI document adds these facts.
"""

from collections.abc import Mapping
from types import MappingProxyType

from frontdesk.wire.values import AUTHORS, DELIVERY_STEPS, DIRECTIONS, MEDIA_TYPES, STATUSES

Member = tuple[str, str]


# Names of timestamp members, besides those that end in "_at".
TIMES = frozenset({"as_of", "snoozed_until", "waiting_since", "from", "to", "start", "end"})

# Members that may be absent; all others are always present.
OPTIONAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Conversation": frozenset({"last_message"}),
        "Message": frozenset({"pricing"}),
        "Pricing": frozenset({"billable", "model", "category", "type"}),
        "Report": frozenset({"pricing"}),
        "ParameterProblem": frozenset({"allowed", "min", "max"}),
        "Problem": frozenset(
            {"errors", "retry_after", "required_scope", "key_scopes", "resource", "allow"}
        ),
    }
)

# Members that are nullable for clients but that this service always fills.
NEVER_NULL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Conversation": frozenset({"awaiting_human", "created_at", "updated_at"}),
        "Message": frozenset({"conversation_id", "source", "pricing"}),
        "Pricing": OPTIONAL["Pricing"],
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
        "LiveCounts": frozenset({"open", "unassigned", "unattended", "awaiting_human", "as_of"}),
        "ParameterProblem": OPTIONAL["ParameterProblem"],
        "Problem": OPTIONAL["Problem"] | {"detail", "instance", "request_id"},
    }
)

# Additions to the specification of `/v1`; a client must work without them.
EXTENSIONS: frozenset[Member] = frozenset({("Message", "pricing"), ("Report", "pricing")})

# Value types of objects with arbitrary member names.
KINDS_INSIDE: Mapping[Member, tuple[str, ...]] = MappingProxyType(
    {("Contact", "custom_fields"): ("string", "number", "boolean")}
)

# Closed enumerations.
CLOSED: Mapping[Member, tuple[str, ...]] = MappingProxyType(
    {
        ("Conversation", "status"): STATUSES,
        ("Message", "direction"): DIRECTIONS,
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
KNOWN: Mapping[Member, tuple[str, ...]] = MappingProxyType(
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
        ("CustomField", "type"): (
            "text",
            "number",
            "currency",
            "percent",
            "link",
            "date",
            "list",
            "checkbox",
        ),
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
        ),
    }
)
