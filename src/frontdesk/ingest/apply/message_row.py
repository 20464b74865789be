"""Message rows: building, merging copies, edits, revocations and statuses (pure)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, cast

from frontdesk.ingest.apply.conversation_rules import OUTBOUND, is_answered_call
from frontdesk.ingest.events import (
    PLACEHOLDER,
    Author,
    MessageEdit,
    MessagePricing,
    MessageUpsert,
    StatusUpdate,
)
from frontdesk.store.rows import MessageRow, blank, column_value, packed
from frontdesk.wire.values import REFERRED_PRODUCT

# Delivery statuses never regress; failed is superseded by later successes.
_RANKS: Mapping[str | None, float] = {
    None: -1,
    "pending": 0,
    "sent": 1,
    "failed": 1.5,
    "delivered": 2,
    "read": 3,
    "played": 4,
}


_BLANK = blank("message")
# Fields of an event that are a column of the same name, and those that are one as JSON.
_SAME = tuple(each.name for each in fields(MessageUpsert) if each.name in _BLANK)
_AS_JSON = tuple(each.name for each in fields(MessageUpsert) if f"{each.name}_json" in _BLANK)

# Contents: replaced by an edit, and cleared except for the type by a revocation.
_CONTENTS = ("type", "text", "content_json", "media_json")
_AUTHOR = ("author", "author_id", "author_name")
_PRICING = ("priced_at", "category", "billable", "pricing_model", "pricing_type")
_DELIVERY = (
    "direction",
    "delivery_status",
    *("sent_at", "delivered_at", "read_at", "played_at", "failed_at"),
    "error_json",
    *_PRICING,
)
# Columns with rules of their own; a better copy replaces all others.
_RULED = (
    *("account_id", "conversation_id", "id", "channel_id", "wamid", "part", "created_at"),
    *("stamped_at", "edited_at", "deleted_at", "expired_at", "live"),
    *(*_AUTHOR, *_CONTENTS, *_DELIVERY),
)
_ENVELOPE = tuple(name for name in _BLANK if name not in _RULED)
# Columns that a chat export provides.
EXPORTED = ("created_at", "direction", "source", "richness", *_AUTHOR, *_CONTENTS)
# Precedence of sources between equally rich copies.
_SOURCES: Mapping[str, int] = {
    source: rank
    for rank, source in enumerate(
        ("chat_export", "chatwoot", "history", "archive", "echo", "webhook")
    )
}
# Authors known only from the way of sending, which any other author supersedes.
_AUTHORS: Mapping[str, int] = {"api": 0, "phone": 1}
# Columns that the state rules depend on.
_FOLDED = ("created_at", "direction", "author", "author_id", "type", "live", "category")


def message_row(event: MessageUpsert, author_id: int | None, author_name: str | None) -> MessageRow:
    columns = {
        **_BLANK,
        **{name: column_value(getattr(event, name)) for name in _SAME},
        **{f"{name}_json": packed(getattr(event, name)) for name in _AS_JSON},
        "created_at": event.at,
        "direction": int(event.outbound),
        "author": event.author.kind,
        "author_id": None if author_id is None else str(author_id),
        "author_name": author_name,
        "delivery_status": event.status if event.outbound else None,
        "sent_at": event.at if event.outbound and _was_sent(event.status) else None,
        **(_pricing(event.pricing) if event.outbound else {}),
    }
    return cast(MessageRow, columns)


def merge_copy(row: MessageRow, copy: MessageRow) -> bool:
    """Merge another copy of the message; return True if the row changed.

    Richer contents replace poorer ones. Ties are resolved independently of the order of arrival,
    and the earliest time is kept. A message is live if any of its richest copies is.
    """
    changes = _better_contents(row, copy)
    if _authority(copy) > _authority(row):
        changes |= _columns(copy, _AUTHOR)
    if copy["richness"] > row["richness"]:
        changes |= _columns(copy, ("created_at", "stamped_at", "live"))
        if copy["direction"] != row["direction"]:
            # Delivery statuses are void if the message turns out to be inbound.
            return _update(row, changes | _columns(copy, _DELIVERY))
    elif copy["richness"] == row["richness"]:
        changes["live"] = max(copy["live"], row["live"])
        if copy["created_at"] < row["created_at"]:
            changes |= _columns(copy, ("created_at", "stamped_at"))
    if row["direction"] == copy["direction"] == OUTBOUND:
        changes["delivery_status"] = _further(row["delivery_status"], copy["delivery_status"])
        changes["sent_at"] = _earliest(row["sent_at"], copy["sent_at"])
        changes |= _later_pricing(row, copy)
    return _update(row, changes)


def identify(row: MessageRow, copy: MessageRow) -> None:
    """Give a message of a chat export its wamid and the provider's time.

    stamped_at keeps the export's time, by which later exports match it.
    """
    at = copy["created_at"]
    row["stamped_at"] = row["created_at"] if row["stamped_at"] is None else row["stamped_at"]
    row["wamid"], row["created_at"] = copy["wamid"], at
    if row["edited_at"] is not None:
        row["edited_at"] = max(row["edited_at"], at)
    if row["deleted_at"] is not None:
        row["deleted_at"] = max(row["deleted_at"], at)
    merge_copy(row, copy)


def exported(row: MessageRow) -> MessageRow:
    """Return the export's part of a wrongly matched message, as a row without a wamid."""
    at = row["created_at"] if row["stamped_at"] is None else row["stamped_at"]
    columns = _BLANK | _columns(row, EXPORTED) | {"created_at": at, "live": 0}
    return cast(MessageRow, columns)


def restore_export(row: MessageRow, displaced: MessageRow) -> None:
    """Replace the columns that a chat export provides by those of another row of it."""
    _update(row, _columns(displaced, EXPORTED))


def edit(row: MessageRow, event: MessageEdit) -> bool:
    """Apply an edit unless a later one was applied; return True if the row changed."""
    words = {
        "type": event.type,
        "text": event.text,
        "content_json": packed({**_product(row), **(event.content or {})} or None),
        "media_json": packed(event.media),
    }
    before = -1 if row["edited_at"] is None else row["edited_at"]
    if (event.at, _order(words)) <= (before, _order(row)):
        return False
    return _update(row, {**_contents_of(row, words), "edited_at": event.at})


def _product(row: MessageRow) -> dict[str, Any]:
    """Return the product that a message asks about, which an edit does not repeat."""
    content = json.loads(row["content_json"] or "{}")
    return {name: value for name, value in content.items() if name == REFERRED_PRODUCT}


def revoke(row: MessageRow, at: int) -> bool:
    """Clear the contents, with the earliest time of deletion; return True if the row changed."""
    changes = {"deleted_at": _earliest(row["deleted_at"], at)}
    return _update(row, changes | dict.fromkeys((*_CONTENTS[1:], "raw_json")))


def deliver(row: MessageRow, event: StatusUpdate) -> bool:
    """Apply a delivery status; return True if the row changed."""
    column = f"{event.status}_at"
    changes: dict[str, Any] = {
        "delivery_status": _further(row["delivery_status"], event.status),
        column: _earliest(_columns(row, (column,))[column], event.at),
        "live": max(row["live"], int(event.live))
        if row["richness"] == PLACEHOLDER
        else row["live"],
    }
    changes |= _later_pricing(row, _reported_pricing(event))
    if event.error is not None:
        changes["error_json"] = min(filter(None, (row["error_json"], packed(event.error))))
    if row["richness"] == PLACEHOLDER:
        changes["created_at"] = min(row["created_at"], event.at)
    return _update(row, changes)


def placeholder_row(event: StatusUpdate) -> MessageRow:
    """Build a placeholder row for a message of which only a status is known."""
    assert event.person is not None
    return message_row(
        MessageUpsert(
            channel=event.channel,
            person=event.person,
            wamid=event.wamid,
            at=event.at,
            outbound=True,
            author=Author("api"),
            type="unsupported",
            source="webhook",
            content={"reason": "content_not_received", "original_type": None, "errors": []},
            richness=PLACEHOLDER,
            live=event.live,
        ),
        None,
        None,
    )


def merged_status(first: StatusUpdate, second: StatusUpdate) -> StatusUpdate:
    """Merge two reports of one delivery step: the earlier time, the later pricing."""
    earlier = min(first, second, key=lambda event: event.at)
    latest = max(first, second, key=lambda event: _pricing_order(_reported_pricing(event)))
    return replace(
        earlier,
        category=latest.category,
        billable=latest.billable,
        pricing_model=latest.pricing_model,
        pricing_type=latest.pricing_type,
        priced_at=_reported_pricing(latest)["priced_at"],
    )


def folded_columns(row: MessageRow) -> tuple[object, ...]:
    """Return the columns that the state rules depend on; a difference requires a refold."""
    return *_columns(row, _FOLDED).values(), is_answered_call(row)


def _pricing(pricing: MessagePricing | None) -> dict[str, Any]:
    if pricing is None:
        return {}
    return {
        "category": pricing.category,
        "billable": None if pricing.billable is None else int(pricing.billable),
        "pricing_model": pricing.model,
        "pricing_type": pricing.type,
        "priced_at": pricing.at,
    }


def _reported_pricing(event: StatusUpdate) -> dict[str, Any]:
    """Return the pricing columns of a status, all None if it reports none."""
    members = (event.category, event.billable, event.pricing_model, event.pricing_type)
    if all(member is None for member in members):
        return dict.fromkeys(_PRICING)
    at = event.at if event.priced_at is None else event.priced_at
    return _pricing(MessagePricing(at, *members))


def _later_pricing(row: MessageRow, other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other pricing's columns if it was reported later."""
    if other["priced_at"] is None or _pricing_order(other) <= _pricing_order(row):
        return {}
    return {name: other[name] for name in _PRICING}


def _pricing_order(columns: Mapping[str, Any]) -> tuple[Any, ...]:
    """Order by time, then by value, so that the order of arrival does not matter."""
    at, *values = (columns[name] for name in _PRICING)
    return -1 if at is None else at, tuple("" if value is None else str(value) for value in values)


def _better_contents(row: MessageRow, copy: MessageRow) -> dict[str, Any]:
    """Return contents and origin of a copy if it is the better one."""
    if _quality(copy) <= _quality(row):
        return {}
    changes = _columns(copy, _ENVELOPE)
    if row["deleted_at"] is not None:
        changes["raw_json"] = None
    if row["edited_at"] is None:
        changes |= _contents_of(row, _columns(copy, _CONTENTS))
    return changes


def _contents_of(row: MessageRow, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contents to store; for a deleted message only the type."""
    return dict(words) if row["deleted_at"] is None else {"type": words["type"]}


def _quality(row: MessageRow) -> tuple[Any, ...]:
    return row["richness"], _SOURCES.get(row["source"], -1), row["source"], _order(row)


def _order(words: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(words[name] or "" for name in _CONTENTS)


def _authority(row: MessageRow) -> tuple[Any, ...]:
    kind = row["author"]
    return _AUTHORS.get(kind, 2), row["author_id"] is not None, kind, row["author_name"] or ""


def _columns(row: MessageRow, names: Iterable[str]) -> dict[str, Any]:
    columns: Mapping[str, Any] = row
    return {name: columns[name] for name in names}


def _update(row: MessageRow, changes: Mapping[str, Any]) -> bool:
    columns = cast(dict[str, Any], row)
    differing = {name: value for name, value in changes.items() if columns[name] != value}
    columns.update(differing)
    return bool(differing)


def _was_sent(status: str | None) -> bool:
    return status not in (None, "pending", "failed")


def _further(first: str | None, second: str | None) -> str | None:
    return first if _RANKS.get(first, 0) >= _RANKS.get(second, 0) else second


def _earliest(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
