"""Serializers: database rows to wire models. Every member is set, null where unknown."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic_core import from_json, to_json

from frontdesk.service.endpoint import JsonBody
from frontdesk.store.conversations import TEXT_LIMIT, shortened
from frontdesk.store.database import Row
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    CustomField,
    Delivery,
    Label,
    Media,
    Message,
    Note,
    Page,
    Pricing,
    ProviderError,
    Reaction,
    Ref,
    ReplyTo,
    Team,
    Template,
    User,
    UserRef,
    timestamp,
)
from frontdesk.wire.values import DIRECTIONS, STATUSES

SERVICE_WINDOW = 24 * 60 * 60 * 1000

_REFERRAL = MappingProxyType(
    dict.fromkeys(("source_type", "source_id", "source_url", "headline", "body"))
)
# Members of `content` by message type, with the values that stand for "unknown".
_CONTENT: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "location": dict.fromkeys(("latitude", "longitude", "name", "address", "url")),
        "contacts": {"contacts": ()},
        "interactive inbound": dict.fromkeys(
            ("kind", "id", "title", "description", "payload", "response")
        ),
        "interactive outbound": dict.fromkeys(
            ("kind", "header", "body", "footer", "buttons", "sections")
        ),
        "template": {"name": None, "language": None, "category": None, "components": ()},
        "order": {"catalog_id": None, "items": ()},
        "reaction": {
            "emoji": None,
            "removed": False,
            "target_message_id": None,
            "target_wamid": None,
        },
        "unsupported": {"reason": "unknown_type", "original_type": None, "errors": ()},
    }
)


def conversation_page(
    rows: Sequence[Row],
    labels: Mapping[int, Sequence[Row]],
    next_cursor: str | None,
    *,
    with_preview: bool,
) -> JsonBody[Page[Conversation]]:
    """Serialize a page of conversations.

    labels: rows by conversation id. Without `with_preview`, `last_message` is omitted. Written
    without models, which would double the time of the page that is asked for most.
    """
    data = [_conversation(row, labels[row["id"]], with_preview=with_preview) for row in rows]
    has_more = next_cursor is not None
    return JsonBody(to_json({"data": data, "next_cursor": next_cursor, "has_more": has_more}))


def _conversation(row: Row, labels: Sequence[Row], *, with_preview: bool) -> dict[str, Any]:
    """Return the members of a Conversation, in the order of the model."""
    preview = row["last_message_json"]
    assigned = row["assignee_id"]
    last_inbound = row["last_inbound_at"]
    return {
        "id": str(row["id"]),
        "status": STATUSES[row["status"]],
        "awaiting_human": bool(row["awaiting_human"]),
        "snoozed_until": _time(row["snoozed_until"]),
        "channel": {
            "id": row["phone_number_id"],
            "name": row["channel_name"],
            "phone": row["channel_phone"],
        },
        "contact": {
            "id": str(row["contact_id"]),
            "name": row["contact_name"],
            "phone": row["contact_phone"],
        },
        "assignee": {"id": str(assigned), "name": row["assignee"] or ""} if assigned else None,
        "labels": [label["title"] for label in labels],
        "unread_count": row["unread_count"],
        "waiting_since": _time(row["waiting_since"]),
        "first_reply_at": _time(row["first_reply_at"]),
        "last_inbound_at": _time(last_inbound),
        "service_window_expires_at": _time(last_inbound and last_inbound + SERVICE_WINDOW),
        "last_activity_at": timestamp(row["last_activity_at"]),
        # The preview is stored in the format of the wire.
        **({"last_message": preview and from_json(preview)} if with_preview else {}),
        "created_at": timestamp(row["created_at"]),
        "updated_at": timestamp(row["updated_at"]),
    }


def message_body(
    row: Row, author: Ref | None, quoted: Row | None, reactions: Sequence[Row]
) -> Message:
    """Serialize a message.

    A deleted one has no text, content or media. `pricing` is omitted if empty.
    """
    pricing = _pricing(row)
    deleted = row["deleted_at"] is not None
    outbound = row["direction"] == 1
    return Message(
        id=str(row["id"]),
        conversation_id=str(row["conversation_id"]),
        direction=DIRECTIONS[row["direction"]],
        author=row["author"],
        author_ref=author,
        type=row["type"],
        text=None if deleted else row["text"],
        content=None if deleted else _content(row),
        media=None if deleted else _media(row["media_json"]),
        reply_to=_reply_to(row["reply_wamid"], quoted),
        forwarded=row["forwarded"],
        referral=_filled(_REFERRAL, row["referral_json"]),
        reactions=tuple(_reaction(reaction) for reaction in reactions),
        delivery_status=row["delivery_status"] if outbound else None,
        delivery=_delivery(row) if outbound else None,
        error=_error(row["error_json"]),
        wamid=row["wamid"],
        source=row["source"],
        edited_at=_time(row["edited_at"]),
        deleted_at=_time(row["deleted_at"]),
        created_at=timestamp(row["created_at"]),
        **({"pricing": pricing} if pricing else {}),
    )


def note_body(row: Row, author: Ref | None) -> Note:
    return Note(
        id=str(row["id"]),
        conversation_id=str(row["conversation_id"]),
        text=row["text"],
        author=row["author"],
        author_ref=author,
        created_at=timestamp(row["created_at"]),
        updated_at=timestamp(row["updated_at"]),
    )


def contact_body(row: Row) -> Contact:
    return Contact(
        id=str(row["id"]),
        phone=row["phone"],
        name=row["name"],
        profile_name=row["profile_name"],
        email=row["email"],
        wa_id=row["wa_id"],
        wa_user_id=row["wa_user_id"],
        username=row["username"],
        blocked=bool(row["blocked"]),
        custom_fields=_custom_fields(row["custom_json"]),
        last_activity_at=_time(row["last_activity_at"]),
        **_times(row),
    )


def label_body(row: Row) -> Label:
    return Label(
        id=str(row["id"]),
        title=row["title"],
        description=row["description"],
        color=row["color"],
        **_times(row),
    )


def custom_field_body(row: Row) -> CustomField:
    return CustomField(
        id=str(row["id"]),
        key=row["key"],
        name=row["name"],
        type=row["type"],
        scope="contact",
        description=row["description"],
        options=tuple(_contents(row["options_json"]) or ()),
        pattern=row["pattern"],
        pattern_hint=row["pattern_hint"],
        position=row["position"],
        **_times(row),
    )


def user_body(row: Row) -> User:
    return User(
        id=str(row["id"]),
        name=row["name"],
        email=row["email"],
        role=row["role"],
        availability=row["availability"],
        avatar_url=row["avatar_url"],
        active=bool(row["active"]),
        **_times(row),
    )


def team_body(row: Row, channels: Sequence[str], members: Sequence[Row]) -> Team:
    """Serialize a team. channels: provider phone number ids."""
    return Team(
        id=str(row["id"]),
        name=row["name"],
        description=row["description"],
        distribution=row["distribution"],
        channels=tuple(channels),
        members=tuple(UserRef(id=str(user["id"]), name=user["name"]) for user in members),
        **_times(row),
    )


def channel_body(row: Row) -> Channel:
    """Serialize a channel; its `id` is the provider's phone number id."""
    on_business_app = row["on_business_app"]
    return Channel(
        id=row["phone_number_id"],
        name=row["name"],
        phone=row["phone"],
        display_phone_number=row["display_phone_number"],
        verified_name=row["verified_name"],
        quality_rating=row["quality_rating"],
        status=row["status"],
        name_status=row["name_status"],
        messaging_limit=row["messaging_limit"],
        throughput=row["throughput"],
        platform=row["platform"],
        on_business_app=None if on_business_app is None else bool(on_business_app),
        waba_id=row["waba_id"],
        synced_at=_time(row["synced_at"]),
        **_times(row),
    )


def canned_response_body(row: Row) -> CannedResponse:
    return CannedResponse(
        id=str(row["id"]), short_code=row["short_code"], text=row["text"], **_times(row)
    )


def template_body(row: Row, channels: Sequence[str]) -> Template:
    """Serialize a template. channels: phone number ids of its business account."""
    return Template(
        id=row["id"],
        name=row["name"],
        language=row["language"],
        category=row["category"],
        status=row["status"],
        parameter_format=row["parameter_format"],
        components=tuple(_contents(row["components_json"]) or ()),
        quality_score=row["quality_score"],
        rejected_reason=row["rejected_reason"],
        previous_category=row["previous_category"],
        waba_id=row["waba_id"],
        channels=tuple(channels),
        updated_at=_time(row["updated_at"]),
    )


def grouped(rows: Sequence[Row], by: str) -> Mapping[Any, list[Row]]:
    """Group rows by a column; a missing key gives an empty list."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[by]].append(row)
    return groups


def _content(row: Row) -> dict[str, Any] | None:
    """Decode a message's payload, with every member of its type present."""
    kind = row["type"]
    if kind == "interactive":
        kind = f"{kind} {DIRECTIONS[row['direction']]}"
    return _filled(_CONTENT.get(kind, {}), row["content_json"])


def _filled(members: Mapping[str, Any], text: str | None) -> dict[str, Any] | None:
    stored = _contents(text)
    return None if stored is None else {**members, **stored}


def _custom_fields(text: str) -> dict[str, Any]:
    """Decode custom fields, without nulls. Lists and objects become JSON text."""
    stored: dict[str, Any] = _contents(text) or {}
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for key, value in stored.items()
        if value is not None
    }


def _pricing(row: Row) -> Pricing | None:
    """Return the pricing that the provider reported, None without any member."""
    billable = row["billable"]
    members = {
        "billable": None if billable is None else bool(billable),
        "model": row["pricing_model"],
        "category": row["category"],
        "type": row["pricing_type"],
    }
    told = {name: value for name, value in members.items() if value is not None}
    return Pricing(**told) if told else None


def _media(text: str | None) -> Media | None:
    return None if text is None else Media(**_members(Media, text))


def _error(text: str | None) -> ProviderError | None:
    return None if text is None else ProviderError(**_members(ProviderError, text))


def _members(kind: Any, text: str) -> dict[str, Any]:
    """Decode stored members, with None for those missing."""
    stored: dict[str, Any] = _contents(text)
    return dict.fromkeys(kind.model_fields) | stored


def _reply_to(wamid: str | None, quoted: Row | None) -> ReplyTo | None:
    if wamid is None:
        return None
    if quoted is None:
        return ReplyTo(
            message_id=None, wamid=wamid, direction=None, author=None, type=None, text=None
        )
    text = None if quoted["deleted_at"] is not None else quoted["text"]
    return ReplyTo(
        message_id=str(quoted["id"]),
        wamid=wamid,
        direction=DIRECTIONS[quoted["direction"]],
        author=quoted["author"],
        type=quoted["type"],
        text=text and shortened(text, TEXT_LIMIT),
    )


def _reaction(row: Row) -> Reaction:
    return Reaction(
        emoji=row["emoji"],
        direction=DIRECTIONS[row["direction"]],
        author=row["author"],
        created_at=timestamp(row["created_at"]),
    )


def _delivery(row: Row) -> Delivery:
    return Delivery(
        sent_at=_time(row["sent_at"]),
        delivered_at=_time(row["delivered_at"]),
        read_at=_time(row["read_at"]),
        played_at=_time(row["played_at"]),
        failed_at=_time(row["failed_at"]),
    )


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else timestamp(milliseconds)


def _times(row: Row) -> dict[str, str]:
    return {
        "created_at": timestamp(row["created_at"]),
        "updated_at": timestamp(row["updated_at"]),
    }


def _contents(text: str | None) -> Any:
    """Decode stored JSON, replacing lone surrogates, NaN and Infinity."""
    if text is None:
        return None
    if "\\ud" in text.lower():
        # An escape may encode a lone surrogate, which is not valid in UTF-8.
        whole = json.dumps(json.loads(text), ensure_ascii=False)
        text = whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(text, parse_constant=lambda name: None)
