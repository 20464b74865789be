"""Route table of `/v1`: path, required scope, parameters and handler of each endpoint."""

from frontdesk.service.endpoint import PAGING, Endpoint, never
from frontdesk.service.routes import (
    catalogues,
    changes,
    contacts,
    conversations,
    messages,
    report_rows,
    reports,
)
from frontdesk.wire import ConversationFilter
from frontdesk.wire.queries import (
    CONTACT_LIMIT,
    CONVERSATION_LIMIT,
    MESSAGE_LIMIT,
)

_FILTERS = tuple(name for name in ConversationFilter.model_fields if name != "sort")
# Those by which counters are kept.
_COUNTED = frozenset(_FILTERS) - {"assignee"}

ENDPOINTS = (
    Endpoint(
        "conversations",
        "/conversations",
        "conversations:read",
        (*_FILTERS, "q", "sort", *PAGING),
        conversations.conversations,
        CONVERSATION_LIMIT,
        depends_on_minute=conversations.depends_on_minute,
    ),
    Endpoint(
        "counts",
        "/conversations/counts",
        "conversations:read",
        (*(name for name in _FILTERS if name in _COUNTED), "by"),
        conversations.counts,
        inline=never,
    ),
    Endpoint(
        "conversation",
        "/conversations/{id}",
        "conversations:read",
        (),
        conversations.conversation,
        extension=True,
    ),
    Endpoint(
        "changes",
        "/changes",
        "conversations:read",
        ("after", "limit"),
        changes.changes,
        extension=True,
        awaits_news=True,
    ),
    Endpoint(
        "messages",
        "/conversations/{id}/messages",
        "messages:read",
        PAGING,
        messages.messages,
        MESSAGE_LIMIT,
    ),
    Endpoint(
        "notes",
        "/conversations/{id}/notes",
        "notes:read",
        PAGING,
        messages.notes,
        MESSAGE_LIMIT,
    ),
    Endpoint(
        "contacts",
        "/contacts",
        "contacts:read",
        ("q", *PAGING),
        contacts.contact_list,
        CONTACT_LIMIT,
    ),
    Endpoint(
        "contact_by_phone",
        "/contacts/by-phone/{phone}",
        "contacts:read",
        (),
        contacts.contact_by_phone,
    ),
    Endpoint("labels", "/labels", "labels:read", PAGING, catalogues.labels),
    Endpoint(
        "custom_fields", "/custom-fields", "custom_fields:read", PAGING, catalogues.custom_fields
    ),
    Endpoint("users", "/users", "users:read", PAGING, catalogues.users),
    Endpoint("teams", "/teams", "teams:read", PAGING, catalogues.teams),
    Endpoint("channels", "/channels", "channels:read", PAGING, catalogues.channels),
    Endpoint(
        "canned_responses",
        "/canned-responses",
        "canned_responses:read",
        PAGING,
        catalogues.canned_responses,
    ),
    Endpoint("templates", "/templates", "templates:read", PAGING, catalogues.templates),
    Endpoint(
        "inbox_report",
        "/reports/inbox",
        "reports:read",
        (
            *("from", "to", "timezone", "channel", "user", "team", "label"),
            *("granularity", "compare", "clock"),
            *("include", "target_first_response", "target_reply"),
        ),
        reports.inbox_report,
        depends_on_minute=reports.depends_on_minute,
        inline=never,
    ),
    Endpoint(
        "conversation_reports",
        "/reports/conversations",
        "reports:read",
        (
            *("from", "to", "timezone", "channel", "label", "clock"),
            *("target_first_response", "target_reply", *PAGING),
        ),
        report_rows.conversation_reports,
        depends_on_minute=reports.depends_on_minute,
        inline=never,
        extension=True,
    ),
)
