"""NDJSON row codec of exports: rows to native lines with all columns, and back."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from frontdesk.ingest.json_reader import Malformed, instant
from frontdesk.store.database import Row
from frontdesk.store.dump import columns, unstorable_column
from frontdesk.store.rows import CHANNEL_TEXTS, packed
from frontdesk.wire import timestamp
from frontdesk.wire.values import DIRECTIONS, STATUSES

VERSION = 1

# Member with the columns that have no equivalent in the wire format.
STORED = "stored"

# Kinds of rows that precede the row of their conversation, which completes it.
FACTS = ("message", "note", "conversation_event")

# Columns that older exports have by another name.
_FORMER_NAMES: Mapping[str, str] = {
    "facts_json": "told_json",
    "times_json": "told_json",
    "status_known": "told",
}

# Columns that are derived, or depend on the target account.
_LEFT_OUT = frozenset(("account_id", "search"))


class _Codec(NamedTuple):
    """Converts a column's value to JSON and back; never called with None."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def line_of(kind: str, row: Row, **more: Any) -> dict[str, Any]:
    """Encode a row; `more` adds members."""
    shape = _SHAPES.get(kind, {})
    line: dict[str, Any] = {"kind": kind, "v": VERSION}
    stored = {}
    for column in columns(kind):
        value = row[column]
        if column in shape:
            member, codec = shape[column]
            _write(line, member, None if value is None else codec.write(value))
        elif column not in _LEFT_OUT:
            stored[column] = value
    for member, value in line.items():
        if isinstance(value, _Nest):
            line[member] = (
                dict(value) if any(member is not None for member in value.values()) else None
            )
    return {**line, **more, STORED: stored}


def row_of(kind: str, line: Mapping[str, Any], account_id: int) -> dict[str, Any]:
    """Decode a line made by `line_of` to a row of another account.

    Raises: Malformed.
    """
    stored = line.get(STORED)
    if not isinstance(stored, Mapping):
        raise Malformed(f"{STORED} is not an object")
    shape = _SHAPES.get(kind, {})
    row: dict[str, Any] = {}
    for column in columns(kind):
        if column in shape:
            row[column] = _read(line, *shape[column])
            if row[column] is None and column in stored:
                # Older exports have no member for it.
                row[column] = _checked(column, stored[column])
        else:
            former = stored.get(_FORMER_NAMES.get(column, column))
            row[column] = _checked(column, stored.get(column, former))
    row["account_id"] = account_id
    if "search" in row:
        row["search"] = ""
    wrong = unstorable_column(kind, row)
    if wrong is not None:
        member = shape[wrong][0] if wrong in shape else f"{STORED}.{wrong}"
        raise Malformed(f"{member} has a value that cannot be stored")
    if kind == "part":
        row["row_json"] = row["row_json"].replace('"told_json":', '"facts_json":')
    return row


def _checked(column: str, value: Any) -> Any:
    """Return a stored value; *_json columns must contain a JSON object."""
    try:
        if column.endswith("_json") and value is not None and type(json.loads(value)) is not dict:
            raise Malformed(f"{STORED}.{column} is not an object")
    except (ValueError, TypeError, RecursionError):
        raise Malformed(f"{STORED}.{column} is not JSON") from None
    return value


class _Nest(dict[str, Any]):
    """Nested object, written as null if all its members are."""


def _write(line: dict[str, Any], member: str, value: Any) -> None:
    outer, _, inner = member.partition(".")
    if inner:
        line.setdefault(outer, _Nest())[inner] = value
    else:
        line[member] = value


def _read(line: Mapping[str, Any], member: str, codec: _Codec) -> Any:
    value: Any = line
    for name in member.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if value is None:
        return None
    try:
        return codec.read(value)
    except Malformed as error:
        raise Malformed(f"{member} {error}") from None


def _number(text: object) -> int:
    if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 19:
        return int(text)
    raise Malformed("is not an id in digits")


def _enumeration(names: Sequence[str]) -> _Codec:
    """Enumeration, stored as an index into `names`."""

    def read(word: object) -> int:
        if word not in names:
            raise Malformed(f"is not one of {', '.join(names)}")
        return names.index(str(word))

    return _Codec(lambda place: names[place], read)


def _flag(value: object) -> int:
    if isinstance(value, bool):
        return int(value)
    raise Malformed("is not true or false")


def _object(value: object) -> str:
    if not isinstance(value, Mapping):
        raise Malformed("is not an object")
    return packed(value) or "{}"


def _spaced_object(value: object) -> str:
    return _spaced(json.loads(_object(value)))


def _spaced_array(value: object) -> str:
    if not isinstance(value, list):
        raise Malformed("is not an array")
    return _spaced(value)


def _spaced(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_SAME = _Codec(lambda value: value, lambda value: value)
_TIME = _Codec(timestamp, instant)
_ID = _Codec(str, _number)
_FLAG = _Codec(bool, _flag)
_JSON = _Codec(json.loads, _object)
_SPACED_JSON = _Codec(json.loads, _spaced_object)
_SPACED_ARRAY = _Codec(json.loads, _spaced_array)

_Shape = Mapping[str, tuple[str, _Codec]]


def _shape(same: str, times: str = "created_at updated_at", **others: tuple[str, _Codec]) -> _Shape:
    """Map columns to members of the same name, timestamps, and others."""
    return {
        **others,
        **{column: (column, _SAME) for column in same.split()},
        **{column: (column, _TIME) for column in times.split()},
    }


_OWN_ID = ("id", _ID)
_DELIVERY = ("sent_at", "delivered_at", "read_at", "played_at", "failed_at")
_AUTHOR_ID, _AUTHOR_NAME = ("author_ref.id", _SAME), ("author_ref.name", _SAME)

_SHAPES: Mapping[str, _Shape] = {
    "channel": _shape(
        f"name phone display_phone_number alias waba_id {' '.join(CHANNEL_TEXTS)}",
        "synced_at created_at updated_at",
        phone_number_id=("id", _SAME),
        on_business_app=("on_business_app", _FLAG),
    ),
    "user": _shape(
        "name email role availability avatar_url",
        id=_OWN_ID,
        key=("external_id", _SAME),
        active=("active", _FLAG),
    ),
    "team": _shape("name description distribution", id=_OWN_ID),
    "label": _shape("title description color", id=_OWN_ID),
    "custom_field": _shape(
        "key name type description pattern pattern_hint position",
        id=_OWN_ID,
        options_json=("options", _SPACED_ARRAY),
    ),
    "canned_response": _shape("short_code text", id=_OWN_ID),
    "template": _shape(
        "id name language category status parameter_format quality_score rejected_reason "
        "previous_category waba_id",
        "updated_at",
        components_json=("components", _SPACED_ARRAY),
    ),
    "contact": _shape(
        "phone wa_id wa_user_id username name profile_name email",
        "marketing_opt_out_at last_activity_at created_at updated_at",
        id=_OWN_ID,
        blocked=("blocked", _FLAG),
        custom_json=("custom_fields", _SPACED_JSON),
    ),
    "alias": _shape("phone", "", contact_id=("contact_id", _ID)),
    "conversation": _shape(
        "unread_count",
        "snoozed_until read_marker waiting_since first_reply_at last_inbound_at "
        "last_activity_at created_at updated_at",
        id=_OWN_ID,
        status=("status", _enumeration(STATUSES)),
        awaiting_human=("awaiting_human", _FLAG),
        last_message_json=("last_message", _JSON),
    ),
    "message": _shape(
        "author type text wamid forwarded delivery_status source",
        "edited_at deleted_at expired_at created_at",
        id=_OWN_ID,
        conversation_id=("conversation_id", _ID),
        direction=("direction", _enumeration(DIRECTIONS)),
        author_id=_AUTHOR_ID,
        author_name=_AUTHOR_NAME,
        content_json=("content", _JSON),
        media_json=("media", _JSON),
        reply_wamid=("reply_to.wamid", _SAME),
        referral_json=("referral", _JSON),
        error_json=("error", _JSON),
        billable=("pricing.billable", _FLAG),
        pricing_model=("pricing.model", _SAME),
        category=("pricing.category", _SAME),
        pricing_type=("pricing.type", _SAME),
        raw_json=("raw", _JSON),
        **{column: (f"delivery.{column}", _TIME) for column in _DELIVERY},
    ),
    "note": _shape(
        "text author external_id",
        id=_OWN_ID,
        conversation_id=("conversation_id", _ID),
        author_id=_AUTHOR_ID,
        author_name=_AUTHOR_NAME,
    ),
    "conversation_event": _shape(
        "name external_id",
        "created_at",
        id=_OWN_ID,
        conversation_id=("conversation_id", _ID),
        value_json=("value", _JSON),
    ),
    "reaction": _shape(
        "person emoji author",
        "created_at",
        target_wamid=("wamid", _SAME),
        direction=("direction", _enumeration(DIRECTIONS)),
    ),
}
