"""Names of members in the answers of other servers, in snake case, beside those of `/v1`.

A name may be a path, see `member_paths.py`.
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

# Names of objects that only wrap a row or a value.
WRAPPERS = ("data", "attributes", "payload", "result", "response", "node", "value", "item")
_PEOPLE = ("user", "agent", "contact", "customer", "sender", "profile")

RESOURCES: Mapping[type[Wire], tuple[str, ...]] = {
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
    Counts: ("counts", "meta"),
    Report: ("report",),
    PhoneRef: (*_PEOPLE, "channel", "inbox"),
    UserRef: _PEOPLE,
    Ref: _PEOPLE,
}

# The member that an id or a text stands for where an object is expected.
BARE: Mapping[type[Wire], str] = {
    PhoneRef: "id",
    UserRef: "id",
    Label: "title",
    Team: "name",
    MessagePreview: "text",
}

_TEXT = ("content", "body", "caption", "message")
_MADE = ("sent_at", "timestamp", "date", "inserted_at")


def _counts(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (f"{name}_count",) for name in names}


ALIASES: Mapping[type[Wire], Mapping[str, tuple[str, ...]]] = {
    Conversation: {
        "id": ("uuid", "_id"),
        "channel": ("channel_id", "phone_number_id", "inbox", "inbox_id"),
        "contact": ("meta.sender", "customer", "contact_id"),
        "assignee": ("meta.assignee", "assigned_to", "assignee_id"),
        "labels": ("label_list", "tags"),
        "unread_count": ("unread_messages_count", "unread"),
        "first_reply_at": ("first_reply_created_at",),
        "last_activity_at": ("last_message_at", "updated_at", "timestamp", "created_at"),
        "last_message": ("last_non_activity_message", "messages.-1", "preview"),
        "created_at": ("inserted_at",),
    },
    Message: {
        "id": ("uuid", "_id", "wamid"),
        "direction": ("message_type",),
        "author": ("author_type", "sender_type", "sender.type", "sender", "from"),
        "author_ref": ("author", "sender"),
        "type": ("content_type", "kind"),
        "text": _TEXT,
        "media": ("attachment", "attachments.0"),
        "delivery_status": ("status",),
        "wamid": ("source_id",),
        "created_at": _MADE,
    },
    MessagePreview: {
        "id": ("uuid", "_id", "wamid"),
        "direction": ("message_type",),
        "author": ("author_type", "sender_type", "sender.type", "sender"),
        "type": ("content_type", "kind"),
        "text": _TEXT,
        "delivery_status": ("status",),
        "created_at": _MADE,
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
        "id": ("uuid", "_id", "name"),
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
        **_counts("assigned", "unassigned", "awaiting_human", "unread"),
        "all": ("all_count", "total", "total_count", "by_status.all"),
        "mine": ("mine_count", "me"),
        **{
            status: (f"{status}_count", f"by_status.{status}.all", f"by_status.{status}")
            for status in ("open", "snoozed", "resolved")
        },
    },
    CountSet: {
        **_counts("assigned", "unassigned"),
        "all": ("all_count", "total", "total_count", "count"),
        "mine": ("mine_count", "me"),
    },
    Metrics: {
        "avg_first_response_time": ("first_response_time",),
        "avg_resolution_time": ("resolution_time",),
        "avg_reply_time": ("reply_time",),
    },
    Report: {
        "metrics": ("current", "summary"),
        "previous": ("previous_period",),
    },
}

# What the viewer shows where a member that it needs is missing.
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
    Report: {"period": {"from_": "", "to": ""}},
}
