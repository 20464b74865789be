"""Encodes rows as native lines (NDJSON) with all columns."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from frontdesk.store.database import Row
from frontdesk.store.dump import columns
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    CustomField,
    Label,
    Message,
    Note,
    Team,
    Template,
    User,
    Wire,
    timestamp,
)
from frontdesk.wire.members import is_timestamp
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


def _shape_of(kind: str, model: type[Wire], **others: tuple[str, _Encode]) -> _Shape:
    """Map columns to the members of a resource of the same name, by their types, and others."""
    taken = {member for member, _ in others.values()}
    shape = dict(others)
    for column in columns(kind):
        member = column.removesuffix("_json")
        field = model.model_fields.get(member)
        if field is None or column in others or member in taken:
            continue
        if member != column:
            shape[column] = member, json.loads
        elif is_timestamp(field):
            shape[column] = member, timestamp
        else:
            is_flag = bool in (field.annotation, *get_args(field.annotation))
            shape[column] = member, bool if is_flag else str if column == "id" else _same
    return shape


_OWN_ID = ("id", str)
_DELIVERY = ("sent_at", "delivered_at", "read_at", "played_at", "failed_at")
_AUTHOR_ID, _AUTHOR_NAME = ("author_ref.id", _same), ("author_ref.name", _same)

_SHAPES: Mapping[str, _Shape] = {
    "team": _shape_of("team", Team),
    "label": _shape_of("label", Label),
    "custom_field": _shape_of("custom_field", CustomField),
    "canned_response": _shape_of("canned_response", CannedResponse),
    "template": _shape_of("template", Template),
    "channel": _shape_of("channel", Channel, phone_number_id=("id", _same), alias=("alias", _same)),
    "user": _shape_of("user", User, key=("external_id", _same)),
    "contact": _shape_of("contact", Contact, custom_json=("custom_fields", json.loads)),
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
    "message": _shape_of(
        "message",
        Message,
        conversation_id=("conversation_id", str),
        direction=("direction", _enumeration(DIRECTIONS)),
        author_id=_AUTHOR_ID,
        author_name=_AUTHOR_NAME,
        reply_wamid=("reply_to.wamid", _same),
        billable=("pricing.billable", bool),
        pricing_model=("pricing.model", _same),
        category=("pricing.category", _same),
        pricing_type=("pricing.type", _same),
        raw_json=("raw", json.loads),
        **{column: (f"delivery.{column}", timestamp) for column in _DELIVERY},
    ),
    "note": _shape_of(
        "note",
        Note,
        conversation_id=("conversation_id", str),
        external_id=("external_id", _same),
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
