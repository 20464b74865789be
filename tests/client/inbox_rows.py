"""Rows of a small inbox as plain objects, with all members of the contract."""

from typing import Any

Row = dict[str, Any]

CONVERSATIONS = 7
MESSAGES = 5
NOTES = 4


def time(number: int) -> str:
    """Times in whole seconds, one a minute."""
    return f"2026-03-14T{9 + number // 60:02d}:{number % 60:02d}:53.000Z"


def phone(number: int) -> str:
    return f"+1650555{1000 + number}"


def contact_ref(number: int) -> Row:
    return {"id": str(80 + number), "name": f"Zoë {number}", "phone": phone(number)}


CHANNEL = {"id": "106540352242922", "name": "Support EU", "phone": "+15550783881"}
USERS = [{"id": "7", "name": "Ana Souza"}, {"id": "8", "name": "Bo Lind"}]
STATUSES = ("open", "snoozed", "resolved")
MADE = {"created_at": time(0), "updated_at": time(0)}


def conversation(number: int) -> Row:
    """The highest number has the newest activity."""
    return {
        "id": str(1000 + number),
        "status": STATUSES[number % 3],
        "awaiting_human": number % 2 == 0,
        "snoozed_until": time(90) if number % 3 == 1 else None,
        "channel": dict(CHANNEL),
        "contact": contact_ref(number),
        "assignee": None if number % 3 == 0 else dict(USERS[number % 2]),
        "labels": ["billing", "vip"] if number % 2 else [],
        "unread_count": number,
        "waiting_since": time(number),
        "first_reply_at": None,
        "last_inbound_at": time(number),
        "service_window_expires_at": None,
        "last_activity_at": time(10 + number),
        "last_message": {
            "id": f"90{number}",
            "direction": "inbound",
            "author": "contact",
            "type": "text",
            "text": f"Does it come in blue? {number}",
            "delivery_status": None,
            "created_at": time(10 + number),
        },
        **MADE,
    }


def message(number: int) -> Row:
    """Odd ones are what the customer wrote."""
    inbound = number % 2 == 1
    who = contact_ref(1) if inbound else USERS[0]
    return {
        "id": str(5000 + number),
        "conversation_id": "1006",
        "direction": "inbound" if inbound else "outbound",
        "author": "contact" if inbound else "user",
        "author_ref": {"id": who["id"], "name": who["name"]},
        "type": "text",
        "text": f"Message {number}",
        "content": None,
        "media": None,
        "reply_to": None,
        "forwarded": None,
        "referral": None,
        "reactions": [],
        "delivery_status": None if inbound else "delivered",
        "delivery": None,
        "error": None,
        "wamid": f"wamid.{number}",
        "source": "webhook",
        "edited_at": None,
        "deleted_at": None,
        "created_at": time(20 + number),
    }


def note(number: int) -> Row:
    return {
        "id": str(300 + number),
        "conversation_id": "1006",
        "text": f"Promised a call back {number}",
        "author": "user",
        "author_ref": dict(USERS[0]),
        "created_at": time(20 + number),
        "updated_at": time(20 + number),
    }


def contact(number: int) -> Row:
    return {
        **contact_ref(number),
        "profile_name": None,
        "email": f"zoe{number}@example.com",
        "wa_id": phone(number)[1:],
        "wa_user_id": None,
        "username": None,
        "blocked": False,
        "custom_fields": {"plan": "gold", "homeTown": "Bergen"},
        "last_activity_at": time(number),
        **MADE,
    }


def label(number: int) -> Row:
    title = ("billing", "vip", "later", "spam")[number]
    return {"id": str(number), "title": title, "description": None, "color": "#aabbcc", **MADE}


def custom_field(number: int) -> Row:
    return {
        "id": str(number),
        "key": f"plan{number}",
        "name": f"Plan {number}",
        "type": "list",
        "scope": "contact",
        "description": "Commercial plan",
        "options": ["free", "gold"],
        "pattern": None,
        "pattern_hint": None,
        "position": number,
        **MADE,
    }


def user(number: int) -> Row:
    return {
        **USERS[number],
        "email": f"user{number}@example.com",
        "role": "agent",
        "availability": "online",
        "avatar_url": None,
        "active": True,
        **MADE,
    }


def team(number: int) -> Row:
    return {
        "id": str(number),
        "name": f"Team {number}",
        "description": None,
        "distribution": "round_robin",
        "channels": [CHANNEL["id"]],
        "members": [dict(USERS[0])],
        **MADE,
    }


def channel(number: int) -> Row:
    """The first is the one that all conversations are on."""
    id = CHANNEL["id"] if number == 0 else f"{CHANNEL['id']}{number}"
    return {
        "id": id,
        "name": CHANNEL["name"],
        "phone": CHANNEL["phone"],
        "display_phone_number": "+1 555-078-3881",
        "verified_name": "Lucky Shrub",
        "quality_rating": "GREEN",
        "status": "CONNECTED",
        "name_status": None,
        "messaging_limit": "TIER_2K",
        "throughput": None,
        "platform": "CLOUD_API",
        "on_business_app": True,
        "waba_id": None,
        "synced_at": None,
        **MADE,
    }


def canned_response(number: int) -> Row:
    return {"id": str(number), "short_code": f"hours{number}", "text": "We are open.", **MADE}


def template(number: int) -> Row:
    return {
        "id": str(number),
        "name": f"order_{number}",
        "language": "en_US",
        "category": "UTILITY",
        "status": "APPROVED",
        "parameter_format": "POSITIONAL",
        "components": [{"type": "BODY", "text": "Your order {{1}}", "exampleText": "x"}],
        "quality_score": None,
        "rejected_reason": None,
        "previous_category": None,
        "waba_id": None,
        "channels": [CHANNEL["id"]],
        "updated_at": time(0),
    }


def counts() -> Row:
    """Of the conversations above."""
    each = {"all": 2, "mine": 1, "assigned": 2, "unassigned": 0, "awaiting_human": 1}
    return {
        "all": 7,
        "open": 3,
        "snoozed": 2,
        "resolved": 2,
        "mine": 1,
        "assigned": 4,
        "unassigned": 3,
        "awaiting_human": 4,
        "unread": 6,
        "by_status": {"open": each, "snoozed": each, "resolved": each},
        "by_channel": [{"channel": CHANNEL["id"], "all": 7, "open": 3}],
        "as_of": time(30),
    }


def metrics(first: int) -> Row:
    return {
        "conversations_count": first,
        "reopened_count": 2,
        "incoming_messages_count": 640,
        "outgoing_messages_count": 702,
        "resolutions_count": 58,
        "avg_first_response_time": 312.5,
        "avg_resolution_time": None,
        "avg_reply_time": 190.5,
        "bot_handoffs_count": 14,
        "bot_resolutions_count": 9,
    }


def report() -> Row:
    return {
        "period": {"from": time(0), "to": time(60), "timezone": "UTC"},
        "previous_period": {"from": time(0), "to": time(0)},
        "channel": None,
        "metrics": metrics(61),
        "previous": metrics(70),
        "outgoing_by_author": {"user": 410},
        "channels": [
            {
                "channel": {"id": CHANNEL["id"], "name": CHANNEL["name"]},
                "metrics": metrics(61),
                "previous": metrics(70),
            }
        ],
        "live": {
            "open": 3,
            "unassigned": 1,
            "unattended": 9,
            "awaiting_human": 7,
            "as_of": time(60),
        },
        "series": None,
    }


def inbox() -> dict[str, list[Row]]:
    """Every list in the order of its endpoint, by its path."""
    return {
        "conversations": [conversation(number) for number in range(CONVERSATIONS, 0, -1)],
        "messages": [message(number) for number in range(MESSAGES, 0, -1)],
        "notes": [note(number) for number in range(NOTES, 0, -1)],
        "contacts": [contact(number) for number in range(1, CONVERSATIONS + 1)],
        "labels": [label(number) for number in range(4)],
        "custom-fields": [custom_field(number) for number in range(4)],
        "users": [user(number) for number in range(2)],
        "teams": [team(number) for number in range(4)],
        "channels": [channel(number) for number in range(4)],
        "canned-responses": [canned_response(number) for number in range(4)],
        "templates": [template(number) for number in range(4)],
    }
