"""The interface's own examples of what it serves: one of each resource, and the summaries."""

from typing import Any

Object = dict[str, Any]

CONVERSATION: Object = {
    "id": "1042",
    "status": "open",
    "awaiting_human": False,
    "snoozed_until": None,
    "channel": {"id": "106540352242922", "name": "Support EU", "phone": "+15550783881"},
    "contact": {"id": "88", "name": "Sheena Nelson", "phone": "+16505551234"},
    "assignee": {"id": "7", "name": "Ana Souza"},
    "labels": ["billing", "vip"],
    "unread_count": 2,
    "waiting_since": "2026-03-14T09:26:53.000Z",
    "first_reply_at": "2026-03-01T10:02:11.000Z",
    "last_inbound_at": "2026-03-14T09:26:53.000Z",
    "service_window_expires_at": "2026-03-15T09:26:53.000Z",
    "last_activity_at": "2026-03-14T09:26:53.000Z",
    "last_message": {
        "id": "90311",
        "direction": "inbound",
        "author": "contact",
        "type": "image",
        "text": "Does it come in another color?",
        "delivery_status": None,
        "created_at": "2026-03-14T09:26:53.000Z",
    },
    "created_at": "2026-02-27T08:00:00.000Z",
    "updated_at": "2026-03-14T09:26:54.120Z",
}

MESSAGE: Object = {
    "id": "90311",
    "conversation_id": "1042",
    "direction": "inbound",
    "author": "contact",
    "author_ref": {"id": "88", "name": "Sheena Nelson"},
    "type": "image",
    "text": "Does it come in another color?",
    "content": None,
    "media": {
        "id": "24230790383178626",
        "mime_type": "image/jpeg",
        "filename": None,
        "size_bytes": None,
        "sha256": "3f9d94d3",
        "voice": None,
        "animated": None,
        "url": None,
        "url_expires_at": None,
    },
    "reply_to": {
        "message_id": "90207",
        "wamid": "wamid.HBgLMTY1",
        "direction": "outbound",
        "author": "user",
        "type": "text",
        "text": "Here is the catalogue",
    },
    "forwarded": None,
    "referral": None,
    "reactions": [
        {
            "emoji": "👍",
            "direction": "outbound",
            "author": "phone",
            "created_at": "2026-03-14T09:30:00.000Z",
        }
    ],
    "delivery_status": None,
    "delivery": None,
    "error": None,
    "wamid": "wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRB",
    "source": "webhook",
    "edited_at": None,
    "deleted_at": None,
    "created_at": "2026-03-14T09:26:53.000Z",
}

NOTE: Object = {
    "id": "311",
    "conversation_id": "1042",
    "text": "Promised a call back on Monday.",
    "author": "user",
    "author_ref": {"id": "7", "name": "Ana Souza"},
    "created_at": "2026-03-13T16:00:00.000Z",
    "updated_at": "2026-03-13T16:00:00.000Z",
}

CONTACT: Object = {
    "id": "88",
    "phone": "+16505551234",
    "name": "Sheena Nelson",
    "profile_name": "Sheena N.",
    "email": None,
    "wa_id": "16505551234",
    "wa_user_id": "US.13491208655302741918",
    "username": None,
    "blocked": False,
    "custom_fields": {"plan": "gold", "seats": 12, "renewal": "2026-09-01", "vip": True},
    "last_activity_at": "2026-03-14T09:26:53.000Z",
    "created_at": "2026-02-27T08:00:00.000Z",
    "updated_at": "2026-03-14T09:26:53.000Z",
}

LONG_AGO = {"created_at": "2026-01-02T00:00:00.000Z", "updated_at": "2026-01-02T00:00:00.000Z"}

CUSTOM_FIELD: Object = {
    "id": "4",
    "key": "plan",
    "name": "Plan",
    "type": "list",
    "scope": "contact",
    "description": "Commercial plan",
    "options": ["free", "silver", "gold"],
    "pattern": None,
    "pattern_hint": None,
    "position": 1,
    **LONG_AGO,
}

LABEL: Object = {
    "id": "3",
    "title": "billing",
    "description": None,
    "color": "#1f93ff",
    **LONG_AGO,
}

USER: Object = {
    "id": "7",
    "name": "Ana Souza",
    "email": "ana@example.com",
    "role": "agent",
    "availability": "online",
    "avatar_url": None,
    "active": True,
    **LONG_AGO,
}

TEAM: Object = {
    "id": "2",
    "name": "night shift",
    "description": None,
    "distribution": "round_robin",
    "channels": ["106540352242922"],
    "members": [{"id": "7", "name": "Ana Souza"}],
    **LONG_AGO,
}

CHANNEL: Object = {
    "id": "106540352242922",
    "name": "Support EU",
    "phone": "+15550783881",
    "display_phone_number": "+1 555-078-3881",
    "verified_name": "Lucky Shrub",
    "quality_rating": "GREEN",
    "status": "CONNECTED",
    "name_status": "APPROVED",
    "messaging_limit": "TIER_2K",
    "throughput": "STANDARD",
    "platform": "CLOUD_API",
    "on_business_app": True,
    "waba_id": "102290129340398",
    "synced_at": None,
    **LONG_AGO,
}

CANNED_RESPONSE: Object = {
    "id": "9",
    "short_code": "hours",
    "text": "We are open 9–18 CET.",
    **LONG_AGO,
}

TEMPLATE: Object = {
    "id": "1689556908129832",
    "name": "order_confirmation",
    "language": "en_US",
    "category": "UTILITY",
    "status": "APPROVED",
    "parameter_format": "POSITIONAL",
    "components": [
        {
            "type": "HEADER",
            "format": "TEXT",
            "text": "Our {{1}} is on!",
            "example": {"header_text": ["Summer Sale"]},
        },
        {
            "type": "BODY",
            "text": "Thank you, {{1}}! Your order number is {{2}}.",
            "example": {"body_text": [["Pablo", "860198"]]},
        },
        {"type": "FOOTER", "text": "Lucky Shrub"},
        {
            "type": "BUTTONS",
            "buttons": [
                {"type": "QUICK_REPLY", "text": "Stop"},
                {
                    "type": "URL",
                    "text": "Track",
                    "url": "https://example.com/t/{{1}}",
                    "example": ["https://example.com/t/1"],
                },
            ],
        },
    ],
    "quality_score": "GREEN",
    "rejected_reason": None,
    "previous_category": None,
    "waba_id": "102290129340398",
    "channels": ["106540352242922"],
    "updated_at": "2026-03-01T00:00:00.000Z",
}

COUNTS: Object = {
    "all": 132,
    "open": 41,
    "snoozed": 6,
    "resolved": 85,
    "mine": 12,
    "assigned": 30,
    "unassigned": 11,
    "awaiting_human": 7,
    "unread": 19,
    "by_status": {
        "open": {"all": 41, "mine": 12, "assigned": 30, "unassigned": 11, "awaiting_human": 7},
        "snoozed": {"all": 6, "mine": 1, "assigned": 6, "unassigned": 0, "awaiting_human": 0},
        "resolved": {"all": 85, "mine": 20, "assigned": 80, "unassigned": 5, "awaiting_human": 0},
    },
    "by_channel": [{"channel": "106540352242922", "all": 132, "open": 41}],
    "as_of": "2026-03-14T09:30:00.000Z",
}

METRICS: Object = {
    "conversations_count": 61,
    "reopened_count": 22,
    "incoming_messages_count": 640,
    "outgoing_messages_count": 702,
    "resolutions_count": 58,
    "avg_first_response_time": 312.4,
    "avg_resolution_time": 18044.0,
    "avg_reply_time": 190.7,
    "bot_handoffs_count": 14,
    "bot_resolutions_count": 9,
}

BEFORE: Object = {
    "conversations_count": 70,
    "reopened_count": 18,
    "incoming_messages_count": 702,
    "outgoing_messages_count": 690,
    "resolutions_count": 66,
    "avg_first_response_time": 401.0,
    "avg_resolution_time": None,
    "avg_reply_time": 210.0,
    "bot_handoffs_count": 11,
    "bot_resolutions_count": 12,
}

REPORT: Object = {
    "period": {
        "from": "2026-03-08T00:00:00.000Z",
        "to": "2026-03-14T09:30:00.000Z",
        "timezone": "UTC",
    },
    "previous_period": {"from": "2026-03-01T14:30:00.000Z", "to": "2026-03-08T00:00:00.000Z"},
    "channel": None,
    "metrics": METRICS,
    "previous": BEFORE,
    "outgoing_by_author": {"user": 410, "phone": 190, "ai_agent": 88, "campaign": 14},
    "channels": [
        {
            "channel": {"id": "106540352242922", "name": "Support EU"},
            "metrics": METRICS,
            "previous": BEFORE,
        }
    ],
    "live": {
        "open": 41,
        "unassigned": 11,
        "unattended": 9,
        "awaiting_human": 7,
        "as_of": "2026-03-14T09:30:00.000Z",
    },
    "series": None,
}

PROBLEM: Object = {
    "type": "tag:inbox.invalid,2026:problem/invalid_filter",
    "title": "A filter has a value that is not allowed",
    "status": 400,
    "detail": "status must be one of open, snoozed, resolved; got 'pending'.",
    "instance": "urn:uuid:0196e3f2-6f0c-7c55-9d0e-3b1f3d0a6f11",
    "code": "invalid_filter",
    "request_id": "0196e3f2-6f0c-7c55-9d0e-3b1f3d0a6f11",
    "errors": [
        {
            "parameter": "status",
            "reason": "not_allowed",
            "detail": "not one of the allowed values",
            "allowed": ["open", "snoozed", "resolved"],
        }
    ],
}

EXAMPLES: dict[str, Object] = {
    "Conversation": CONVERSATION,
    "Message": MESSAGE,
    "Note": NOTE,
    "Contact": CONTACT,
    "CustomField": CUSTOM_FIELD,
    "Label": LABEL,
    "User": USER,
    "Team": TEAM,
    "Channel": CHANNEL,
    "CannedResponse": CANNED_RESPONSE,
    "Template": TEMPLATE,
    "Counts": COUNTS,
    "Problem": PROBLEM,
    "Report": REPORT,
}
