"""Encodes rows as native lines (NDJSON) with all columns."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frontdesk.ingest.events import CONTACT_TEXTS
from frontdesk.store.database import Row
from frontdesk.store.dump import columns
from frontdesk.store.rows import CHANNEL_TEXTS
from frontdesk.wire import timestamp
from frontdesk.wire.values import DIRECTIONS, STATUSES

VERSION = 1

# Member with the columns that have no equivalent in the wire format.
STORED = "stored"

# Kinds of rows that precede the row of their conversation, which completes it.
FACTS = ("message", "note", "conversation_event")

# Columns that are derived, or depend on the target account.
_LEFT_OUT = frozenset(("account_id", "search"))


# Converts a column's value to JSON; never called with None.
_Encode = Callable[[Any], Any]


def line_of(kind: str, row: Row, **more: Any) -> dict[str, Any]:
    """Encode a row; `more` adds members."""
    shape = _SHAPES.get(kind, {})
    line: dict[str, Any] = {"kind": kind, "v": VERSION}
    stored = {}
    for column in columns(kind):
        value = row[column]
        if column in shape:
            member, encode = shape[column]
            _write(line, member, None if value is None else encode(value))
        elif column not in _LEFT_OUT:
            stored[column] = value
    for member, value in line.items():
        if isinstance(value, _Nest):
            line[member] = (
                dict(value) if any(member is not None for member in value.values()) else None
            )
    return {**line, **more, STORED: stored}


class _Nest(dict[str, Any]):
    """Nested object, written as null if all its members are."""


def _write(line: dict[str, Any], member: str, value: Any) -> None:
    outer, _, inner = member.partition(".")
    if inner:
        line.setdefault(outer, _Nest())[inner] = value
    else:
        line[member] = value


def _enumeration(names: Sequence[str]) -> _Encode:
    """Enumeration, stored as an index into `names`."""
    return lambda place: names[place]


def _same(value: Any) -> Any:
    return value


_Shape = Mapping[str, tuple[str, _Encode]]


def _shape(
    same: str, times: str = "created_at updated_at", **others: tuple[str, _Encode]
) -> _Shape:
    """Map columns to members of the same name, timestamps, and others."""
    return {
        **others,
        **{column: (column, _same) for column in same.split()},
        **{column: (column, timestamp) for column in times.split()},
    }


_OWN_ID = ("id", str)
_DELIVERY = ("sent_at", "delivered_at", "read_at", "played_at", "failed_at")
_AUTHOR_ID, _AUTHOR_NAME = ("author_ref.id", _same), ("author_ref.name", _same)

_SHAPES: Mapping[str, _Shape] = {
    "channel": _shape(
        f"name phone display_phone_number alias waba_id {' '.join(CHANNEL_TEXTS)}",
        "synced_at created_at updated_at",
        phone_number_id=("id", _same),
        on_business_app=("on_business_app", bool),
    ),
    "user": _shape(
        "name email role availability avatar_url",
        id=_OWN_ID,
        key=("external_id", _same),
        active=("active", bool),
    ),
    "team": _shape("name description distribution", id=_OWN_ID),
    "label": _shape("title description color", id=_OWN_ID),
    "custom_field": _shape(
        "key name type description pattern pattern_hint position",
        id=_OWN_ID,
        options_json=("options", json.loads),
    ),
    "canned_response": _shape("short_code text", id=_OWN_ID),
    "template": _shape(
        "id name language category status parameter_format quality_score rejected_reason "
        "previous_category waba_id",
        "updated_at",
        components_json=("components", json.loads),
    ),
    "contact": _shape(
        f"phone wa_id wa_user_id name {' '.join(CONTACT_TEXTS)}",
        "marketing_opt_out_at last_activity_at created_at updated_at",
        id=_OWN_ID,
        blocked=("blocked", bool),
        custom_json=("custom_fields", json.loads),
    ),
    "identity_change": _shape("old new", "at"),
    "conversation": _shape(
        "unread_count",
        "snoozed_until read_marker waiting_since first_reply_at last_inbound_at "
        "last_activity_at created_at updated_at",
        id=_OWN_ID,
        status=("status", _enumeration(STATUSES)),
        awaiting_human=("awaiting_human", bool),
        last_message_json=("last_message", json.loads),
    ),
    "message": _shape(
        "author type text wamid forwarded delivery_status source",
        "edited_at deleted_at expired_at created_at",
        id=_OWN_ID,
        conversation_id=("conversation_id", str),
        direction=("direction", _enumeration(DIRECTIONS)),
        author_id=_AUTHOR_ID,
        author_name=_AUTHOR_NAME,
        content_json=("content", json.loads),
        media_json=("media", json.loads),
        reply_wamid=("reply_to.wamid", _same),
        referral_json=("referral", json.loads),
        error_json=("error", json.loads),
        billable=("pricing.billable", bool),
        pricing_model=("pricing.model", _same),
        category=("pricing.category", _same),
        pricing_type=("pricing.type", _same),
        raw_json=("raw", json.loads),
        **{column: (f"delivery.{column}", timestamp) for column in _DELIVERY},
    ),
    "note": _shape(
        "text author external_id",
        id=_OWN_ID,
        conversation_id=("conversation_id", str),
        author_id=_AUTHOR_ID,
        author_name=_AUTHOR_NAME,
    ),
    "conversation_event": _shape(
        "name external_id",
        "created_at",
        id=_OWN_ID,
        conversation_id=("conversation_id", str),
        value_json=("value", json.loads),
    ),
    "reaction": _shape(
        "person emoji author",
        "created_at",
        target_wamid=("wamid", _same),
        direction=("direction", _enumeration(DIRECTIONS)),
    ),
}
