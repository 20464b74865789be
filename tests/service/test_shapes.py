"""Every object that is served has exactly the members of the interface, of the right kind."""

import re

import pytest
from small_inbox import catalogue, conversations, thread

from frontdesk.business_hours import WEEKDAYS

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
PHONE = re.compile(r"\+[1-9]\d{6,14}")

TIMES = {"created_at": "time", "updated_at": "time"}
PHONE_REF = {"id": "text", "name": "text?", "phone": "phone?"}
USER_REF = {"id": "text", "name": "text"}
COUNT_SET = {
    "all": "int",
    "mine": "int?",
    "assigned": "int",
    "unassigned": "int",
    "awaiting_human": "int",
}
SHAPES = {
    "/v1/conversations": {
        "id": "text",
        "status": "text",
        "awaiting_human": "bool",
        "handed_over_at": "time-",
        "snoozed_until": "time?",
        "channel": PHONE_REF,
        "contact": PHONE_REF,
        "assignee": [USER_REF, None],
        "labels": "list",
        "unread_count": "int?",
        "waiting_since": "time?",
        "first_reply_at": "time?",
        "last_inbound_at": "time?",
        "service_window_expires_at": "time?",
        "last_activity_at": "time",
        "last_message": [
            {
                "id": "text",
                "direction": "text",
                "author": "text",
                "type": "text",
                "text": "text?",
                "delivery_status": "text?",
                "created_at": "time",
            },
            None,
        ],
        **TIMES,
    },
    "{thread}/messages": {
        "id": "text",
        "conversation_id": "text",
        "direction": "text",
        "author": "text",
        "author_ref": [{"id": "text?", "name": "text?"}, None],
        "type": "text",
        "text": "text?",
        "content": "object?",
        "media": [
            {
                "id": "text?",
                "mime_type": "text?",
                "filename": "text?",
                "size_bytes": "int?",
                "sha256": "text?",
                "voice": "bool?",
                "animated": "bool?",
                "url": "text?",
                "url_expires_at": "time?",
                "status": "text?",
                "width": "int?",
                "height": "int?",
                "duration_ms": "int?",
            },
            None,
        ],
        "reply_to": [
            {
                "message_id": "text?",
                "wamid": "text?",
                "direction": "text?",
                "author": "text?",
                "type": "text?",
                "text": "text?",
            },
            None,
        ],
        "forwarded": "text?",
        "referral": "object?",
        "reactions": "list",
        "delivery_status": "text?",
        "delivery": [
            dict.fromkeys(
                ("sent_at", "delivered_at", "read_at", "played_at", "failed_at"), "time?"
            ),
            None,
        ],
        "error": [{"code": "int", "title": "text", "details": "text?"}, None],
        "wamid": "text?",
        "source": "text",
        "edited_at": "time?",
        "deleted_at": "time?",
        "created_at": "time",
    },
    "{thread}/notes": {
        "id": "text",
        "conversation_id": "text",
        "text": "text",
        "author": "text",
        "author_ref": [{"id": "text?", "name": "text?"}, None],
        **TIMES,
    },
    "/v1/contacts": {
        "id": "text",
        "phone": "phone?",
        "name": "text?",
        "profile_name": "text?",
        "email": "text?",
        "wa_id": "text?",
        "wa_user_id": "text?",
        "username": "text?",
        "blocked": "bool",
        "marketing_opt_out_at": "time?",
        "custom_fields": "object",
        "last_activity_at": "time?",
        **TIMES,
    },
    "/v1/labels": {"id": "text", "title": "text", "description": "text?", "color": "text", **TIMES},
    "/v1/custom-fields": {
        "id": "text",
        "key": "text",
        "name": "text",
        "type": "text",
        "scope": "text",
        "description": "text?",
        "options": "list",
        "pattern": "text?",
        "pattern_hint": "text?",
        "position": "int",
        **TIMES,
    },
    "/v1/users": {
        "id": "text",
        "name": "text",
        "email": "text?",
        "role": "text",
        "availability": "text?",
        "avatar_url": "text?",
        "active": "bool",
        **TIMES,
    },
    "/v1/teams": {
        "id": "text",
        "name": "text",
        "description": "text?",
        "distribution": "text",
        "channels": "list",
        "members": "list",
        **TIMES,
    },
    "/v1/channels": {
        "id": "text",
        "name": "text",
        "phone": "phone?",
        "display_phone_number": "text?",
        "verified_name": "text?",
        "quality_rating": "text?",
        "status": "text?",
        "name_status": "text?",
        "messaging_limit": "text?",
        "throughput": "text?",
        "platform": "text?",
        "on_business_app": "bool?",
        "waba_id": "text?",
        "business_hours": [
            {"timezone": "text", **dict.fromkeys((*WEEKDAYS, "holidays"), "list")},
            None,
        ],
        "timezone": "text",
        "synced_at": "time?",
        **TIMES,
    },
    "/v1/canned-responses": {"id": "text", "short_code": "text", "text": "text", **TIMES},
    "/v1/templates": {
        "id": "text",
        "name": "text",
        "language": "text",
        "category": "text?",
        "status": "text?",
        "parameter_format": "text?",
        "components": "list",
        "quality_score": "text?",
        "rejected_reason": "text?",
        "previous_category": "text?",
        "waba_id": "text?",
        "channels": "list",
        "updated_at": "time?",
    },
}
# Extensions that are sent only where they apply.
MAY_LACK = ("time-",)
KINDS = {
    "text": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "time": lambda value: bool(TIME.fullmatch(value)),
    "phone": lambda value: bool(PHONE.fullmatch(value)),
}


@pytest.fixture
async def thread_path(client, add_events):
    add_events(catalogue())
    add_events(conversations(45))
    add_events(thread())
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]
    return f"/v1/conversations/{newest['id']}"


@pytest.mark.parametrize("path", SHAPES)
async def test_a_list_has_objects_of_its_shape(client, thread_path, rows, path):
    served = await rows(client, path.format(thread=thread_path), limit=100)
    assert served
    for row in served:
        assert differences(row, SHAPES[path]) == []


async def test_one_contact_has_the_shape_of_the_list(client, thread_path):
    contact = (await client.get("/v1/contacts/by-phone/+5511987654321")).json()
    assert differences(contact, SHAPES["/v1/contacts"]) == []


async def test_counts_have_their_shape(client, thread_path):
    counts = (await client.get("/v1/conversations/counts")).json()
    statuses = ("open", "snoozed", "resolved")
    shape = {
        **COUNT_SET,
        **dict.fromkeys(statuses, "int"),
        "unread": "int?",
        "by_status": dict.fromkeys(statuses, COUNT_SET),
        "by_channel": "list",
        "as_of": "time",
    }
    assert differences(counts, shape) == []
    for channel in counts["by_channel"]:
        shape = {"channel": "text", **dict.fromkeys(("all", *statuses, "awaiting_human"), "int")}
        assert differences(channel, shape) == []


async def test_a_reaction_has_its_shape(client, thread_path, rows):
    messages = await rows(client, f"{thread_path}/messages", limit=100)
    reactions = [reaction for message in messages for reaction in message["reactions"]]
    shape = dict.fromkeys(("emoji", "direction", "author"), "text") | {"created_at": "time"}
    assert reactions
    assert [differences(reaction, shape) for reaction in reactions] == [[]] * len(reactions)


def differences(value, shape, where="it"):
    """Where `value` is not of `shape`, in words."""
    if isinstance(shape, list):
        return [] if value is None else differences(value, shape[0], where)
    if isinstance(shape, str):
        fits = (shape.endswith("?") and value is None) or (
            value is not None and KINDS[shape.removesuffix("?").removesuffix("-")](value)
        )
        return [] if fits else [f"{where} should be {shape}, not {value!r}"]
    shape = {name: kind for name, kind in shape.items() if name in value or kind not in MAY_LACK}
    if set(value) != set(shape):
        return [f"{where} differs in {sorted(set(value) ^ set(shape))}"]
    found = []
    for name, kind in shape.items():
        found += differences(value[name], kind, f"{where}.{name}")
    return found
