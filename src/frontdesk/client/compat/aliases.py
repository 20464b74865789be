"""Tables of alternative member names in the responses of other servers.

They are paths such as "meta.next_cursor"; a number in one indexes a list. Names are in snake case,
regardless of the server's. The first path with a usable value wins. The `/v1` name itself is always
tried first and not repeated here.
"""

from collections.abc import Mapping

from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    Counts,
    CountSet,
    CustomField,
    Label,
    Media,
    Message,
    MessagePreview,
    Note,
    PhoneRef,
    ProviderError,
    Reaction,
    Ref,
    ReplyTo,
    Team,
    Template,
    User,
    UserRef,
    Wire,
)
from frontdesk.wire.reports import Metrics, Report

MemberPaths = tuple[str, ...]

# Envelopes

LISTS: MemberPaths = (
    "data",
    "items",
    "results",
    "payload",
    "records",
    "entries",
    "list",
    "result",
    "response",
    "rows",
    "objects",
    "nodes",
    "edges",
    "content",
    "value",
    "_embedded",
)
SINGLES: MemberPaths = ("data", "payload", "result", "response", "item", "value")
# Members whose object is unwrapped, by the kind of value that it holds.
WRAPPERS: MemberPaths = ("data", "attributes", "node", "value", "item", "object")
PERSON_WRAPPERS: MemberPaths = (
    "user",
    "agent",
    "contact",
    "customer",
    "sender",
    "profile",
    "person",
)
NUMBER_WRAPPERS: MemberPaths = ("channel", "inbox")

RESOURCES: Mapping[type[Wire], MemberPaths] = {
    Conversation: ("conversations", "conversation"),
    Message: ("messages", "message"),
    Note: ("notes", "note"),
    Contact: ("contacts", "contact"),
    Label: ("labels", "label"),
    CustomField: ("custom_fields", "custom_attributes", "custom_field"),
    User: ("users", "agents", "user"),
    Team: ("teams", "team"),
    Channel: ("channels", "inboxes", "channel"),
    CannedResponse: ("canned_responses", "canned_response"),
    Template: ("templates", "template"),
    Counts: ("counts", "meta", "list", "items", "results", "rows"),
    Report: ("report", "list", "items", "results", "rows"),
}

# Path of the next cursor, and a path that must have a value for it to count.
CURSORS: tuple[tuple[str, str | None], ...] = (
    ("next_cursor", None),
    ("meta.next_cursor", None),
    ("pagination.next_cursor", None),
    ("page_info.end_cursor", "page_info.has_next_page"),
    ("pagination_metadata.next_cursor", None),
    ("response_metadata.next_cursor", None),
    ("meta.pagination.next_cursor", None),
    ("next_page_token", None),
    ("paging.cursors.after", "paging.next"),
    ("pages.next.starting_after", None),
    ("pagination.cursor", None),
    ("meta.cursor.next", None),
    ("cursor.next", None),
    ("next", None),
    ("links.next", None),
    ("links.next.href", None),
    ("_links.next.href", None),
    ("paging.next", None),
    ("next_page_url", None),
)
# Query parameters that hold the cursor in a URL.
CURSOR_PARAMETERS: MemberPaths = (
    "cursor",
    "after",
    "page[after]",
    "page[cursor]",
    "page_token",
    "starting_after",
)
CURSOR_HEADER = "x-next-cursor"

MORE: MemberPaths = (
    "has_more",
    "meta.has_more",
    "pagination.has_more",
    "page_info.has_next_page",
    "pagination_metadata.has_more",
    "meta.pagination.has_more",
    "has_next_page",
    "more",
)

# Errors

ERROR_CODE_MEMBERS: MemberPaths = ("code", "error.code", "errors.0.code", "error")
ERROR_TEXT_MEMBERS: MemberPaths = (
    "detail",
    "title",
    "error.detail",
    "error.message",
    "errors.0.detail",
    "errors.0.title",
    "errors.0.message",
    "message",
    "error_description",
    "error",
    "errors.0",
)
# Error codes that contain one of these refer to the cursor.
CURSOR_WORDS: MemberPaths = ("cursor", "page_token", "pagination", "starting_after")

# Rows


def _inside(name: str) -> MemberPaths:
    """Paths of the number in a count that is an object."""
    return tuple(f"{name}.{value}" for value in ("all", "count", "total", "value"))


ALIASES: Mapping[type[Wire], Mapping[str, MemberPaths]] = {
    Conversation: {
        "id": ("uuid", "_id"),
        "channel": ("channel_id", "phone_number_id", "inbox", "inbox_id"),
        "contact": ("meta.sender", "customer", "contact_id"),
        "assignee": ("meta.assignee", "assigned_to", "assignee_id"),
        "labels": ("label_list", "tags"),
        "unread_count": ("unread_messages_count", "unread"),
        "first_reply_at": ("first_reply_created_at",),
        "last_activity_at": (
            "last_message_at",
            "updated_at",
            "timestamp",
            "last_message.created_at",
            "created_at",
        ),
        "last_message": ("last_non_activity_message", "messages.-1", "preview"),
        "created_at": ("inserted_at",),
    },
    Message: {
        "id": ("uuid", "_id", "wamid"),
        "direction": ("message_type", "type"),
        "author": ("author_type", "sender_type", "sender.type", "sender", "from"),
        "author_ref": ("author", "sender"),
        "type": ("content_type", "kind", "message_type"),
        "text": ("text.body", "content", "body", "caption", "message"),
        "media": ("attachment", "attachments.0"),
        "delivery_status": ("status", "ack"),
        "wamid": ("source_id",),
        "created_at": ("sent_at", "timestamp", "date", "inserted_at"),
    },
    MessagePreview: {
        "id": ("uuid", "_id", "wamid"),
        "direction": ("message_type",),
        "author": ("author_type", "sender_type", "sender.type", "sender"),
        "type": ("content_type", "kind"),
        "text": ("text.body", "content", "body", "caption", "message"),
        "delivery_status": ("status",),
        "created_at": ("sent_at", "timestamp", "date", "inserted_at"),
    },
    Media: {
        "id": ("attachment_id",),
        "mime_type": ("content_type", "mimetype", "file_type"),
        "filename": ("file_name", "name"),
        "size_bytes": ("size", "file_size"),
        "url": ("data_url", "link"),
    },
    ReplyTo: {"message_id": ("id",), "text": ("content", "body")},
    Reaction: {"emoji": ("reaction",)},
    ProviderError: {"title": ("message",), "details": ("detail", "error_data.details")},
    Note: {
        "id": ("uuid", "_id"),
        "text": ("content", "body", "message"),
        "author": ("author_type", "user.type"),
        "author_ref": ("author", "user"),
        "created_at": ("timestamp", "date", "inserted_at"),
    },
    Contact: {
        "id": ("uuid", "_id", "phone"),
        "phone": ("phone_number", "phone_e164", "wa_id"),
        "name": ("full_name", "display_name", "profile.name"),
        "custom_fields": ("custom_attributes",),
    },
    PhoneRef: {
        "id": ("phone_number_id", "uuid", "_id", "phone"),
        "name": ("full_name", "display_name", "verified_name", "profile.name"),
        "phone": ("phone_number", "phone_e164", "display_phone_number", "wa_id"),
    },
    UserRef: {"id": ("uuid", "_id"), "name": ("full_name", "available_name", "email", "id")},
    Ref: {"id": ("uuid", "_id"), "name": ("full_name", "available_name")},
    Label: {
        "id": ("uuid", "_id", "title", "name", "label"),
        "title": ("name", "label", "id"),
        "color": ("colour",),
    },
    CustomField: {
        "id": ("uuid", "_id", "key", "attribute_key"),
        "key": ("attribute_key", "name", "id"),
        "name": ("attribute_display_name", "label", "key", "attribute_key", "id"),
        "type": ("attribute_display_type",),
        "description": ("attribute_description",),
        "options": ("attribute_values", "values"),
        "pattern": ("regex_pattern",),
        "pattern_hint": ("regex_cue",),
    },
    User: {
        "id": ("uuid", "_id"),
        "name": ("full_name", "available_name", "display_name", "email", "id"),
        "availability": ("availability_status",),
        "avatar_url": ("thumbnail", "avatar"),
    },
    Team: {
        "id": ("uuid", "_id"),
        "name": ("title", "id"),
        "channels": ("numbers", "phone_number_ids", "inbox_ids"),
        "members": ("users", "agents"),
    },
    Channel: {
        "id": ("phone_number_id", "uuid", "_id"),
        "name": ("verified_name", "title", "display_phone_number", "phone", "phone_number", "id"),
        "phone": ("phone_number", "display_phone_number"),
    },
    CannedResponse: {
        "id": ("uuid", "_id", "short_code", "shortcut", "key"),
        "short_code": ("shortcut", "title", "name", "id"),
        "text": ("content", "body", "message"),
    },
    Template: {
        "id": ("uuid", "_id", "name"),
        "name": ("title", "id"),
        "language": ("language.code", "locale"),
        "components": ("body",),
    },
    Counts: {
        "all": ("all_count", "total", "total_count", "by_status.all", *_inside("all")),
        "open": ("open_count", "by_status.open", "by_status.open.all", *_inside("open")),
        "snoozed": (
            "snoozed_count",
            "by_status.snoozed",
            "by_status.snoozed.all",
            *_inside("snoozed"),
        ),
        "resolved": (
            "resolved_count",
            "by_status.resolved",
            "by_status.resolved.all",
            *_inside("resolved"),
        ),
        "mine": ("mine_count", "me", *_inside("mine")),
        "assigned": ("assigned_count", *_inside("assigned")),
        "unassigned": ("unassigned_count", *_inside("unassigned")),
        "awaiting_human": ("awaiting_human_count", *_inside("awaiting_human")),
        "unread": ("unread_count", *_inside("unread")),
    },
    CountSet: {
        "all": ("all_count", "total", "total_count", "count"),
        "mine": ("mine_count", "me"),
        "assigned": ("assigned_count",),
        "unassigned": ("unassigned_count",),
    },
    Metrics: {
        "avg_first_response_time": ("first_response_time",),
        "avg_resolution_time": ("resolution_time",),
        "avg_reply_time": ("reply_time",),
    },
}

# Defaults for missing members that the viewer requires.
ASSUMED: Mapping[type[Wire], Mapping[str, object]] = {
    Conversation: {
        "status": "unknown",
        "channel": {"id": ""},
        "contact": {"id": ""},
        "last_activity_at": "",
    },
    Message: {"created_at": ""},
    MessagePreview: {"created_at": ""},
    Note: {"text": "", "created_at": ""},
    Reaction: {"emoji": "", "direction": "inbound", "author": "unknown", "created_at": ""},
    ProviderError: {"code": 0, "title": ""},
    CannedResponse: {"text": ""},
    Template: {"language": ""},
}

# Values

# Paths of a text in an object that replaces it.
TEXTS: MemberPaths = ("text", "body", "content", "plain", "value", "caption")
# Paths of a word, an id or a time in an object that replaces it.
WORDS: MemberPaths = ("value", "key", "name", "slug", "code", "id")
IDS: MemberPaths = ("$oid", "id", "uuid", "value")
TIMES: MemberPaths = (
    "value",
    "iso",
    "datetime",
    "date",
    "$date",
    "timestamp",
    "seconds",
    "_seconds",
)
# Member for rows that consist of a text only.
BARE_ROWS: Mapping[type[Wire], str] = {Label: "title", Team: "name"}

DIRECTIONS: Mapping[object, str] = {
    "inbound": "inbound",
    "incoming": "inbound",
    "in": "inbound",
    "received": "inbound",
    0: "inbound",
    "outbound": "outbound",
    "outgoing": "outbound",
    "out": "outbound",
    "sent": "outbound",
    1: "outbound",
    3: "outbound",
}
AUTHORS: Mapping[str, str] = {
    "agent": "user",
    "agent_bot": "ai_agent",
    "agentbot": "ai_agent",
    "bot": "ai_agent",
    "captain_assistant": "ai_agent",
    "captain::assistant": "ai_agent",
    "customer": "contact",
}
# Acknowledgement levels of WhatsApp libraries.
DELIVERIES: Mapping[object, str] = {
    -1: "failed",
    0: "pending",
    1: "sent",
    2: "delivered",
    3: "read",
    4: "played",
}
# Members that hold the key in a list of custom fields.
FIELD_NAMES: MemberPaths = ("key", "name", "field_id", "id")

# Paths of the metrics of the current and the previous period.
CURRENT_METRICS: MemberPaths = ("metrics", "current", "summary", "data")
PREVIOUS_METRICS: MemberPaths = ("previous", "previous_period")
METRIC_VALUES: MemberPaths = ("current", "value")
# Members that hold the name in a list of counts or metrics.
FIGURE_NAMES: MemberPaths = (
    "name",
    "metric",
    "key",
    "status",
    "label",
    "title",
    "type",
    "state",
    "period",
)
