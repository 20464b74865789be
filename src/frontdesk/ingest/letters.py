"""One stored message and what later copies and delivery steps make of it; pure."""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from frontdesk.ingest.events import (
    PLACEHOLDER,
    Author,
    MessageEdit,
    MessageUpsert,
    Pricing,
    StatusUpdate,
)
from frontdesk.ingest.rules import OUTBOUND
from frontdesk.store import changes

Letter = dict[str, Any]

# Never goes down; failed counts only while nothing better is known (ingestion 5.2).
_RANKS: Mapping[str | None, float] = MappingProxyType(
    {None: -1, "pending": 0, "sent": 1, "failed": 1.5, "delivered": 2, "read": 3, "played": 4}
)

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_BLANK = MappingProxyType(changes.blank("message"))

# What a message says; an edit replaces it, and all but its type goes when it is revoked.
_WORDS = ("type", "text", "content_json", "media_json")
# What else a better copy replaces; the rest of a message is kept, or has rules of its own.
_FRAME = ("reply_wamid", "forwarded", "referral_json", "source", "richness", "raw_json")
_AUTHOR = ("author", "author_id", "author_name")
_PRICING = ("priced_at", "category", "billable", "pricing_model", "pricing_type")
_DELIVERY = (
    "direction",
    "delivery_status",
    *("sent_at", "delivered_at", "read_at", "played_at", "failed_at"),
    "error_json",
    *_PRICING,
)
# What of a message an exported chat tells.
EXPORTED = ("created_at", "direction", "source", "richness", *_AUTHOR, *_WORDS)
# Of copies that are equally rich the better source is believed.
_SOURCES = MappingProxyType(
    {
        source: rank
        for rank, source in enumerate(
            ("chat_export", "chatwoot", "history", "archive", "echo", "webhook")
        )
    }
)
# Whoever is named in earnest wins over what is only known of the way a message was sent.
_AUTHORS = MappingProxyType({"api": 0, "phone": 1})
# Members of a message that the state rules read.
_FOLDED = ("created_at", "author", "type", "live", "category")


def letter(event: MessageUpsert, author_id: int | None, author_name: str | None) -> Letter:
    """The row of a message, without the ids."""
    return _BLANK | {
        "created_at": event.at,
        "direction": int(event.outbound),
        "author": event.author.kind,
        "author_id": None if author_id is None else str(author_id),
        "author_name": author_name,
        "type": event.type,
        "text": event.text,
        "content_json": packed(event.content),
        "media_json": packed(event.media),
        "wamid": event.wamid,
        "reply_wamid": event.reply_wamid,
        "forwarded": event.forwarded,
        "referral_json": packed(event.referral),
        "delivery_status": event.status if event.outbound else None,
        "sent_at": event.at if event.outbound and _was_sent(event.status) else None,
        "source": event.source,
        "richness": event.richness,
        "raw_json": packed(event.raw),
        "live": int(event.live),
        "stamped_at": event.stamped_at,
        "edited_at": event.edited_at,
        "deleted_at": event.deleted_at,
        "error_json": packed(event.error),
        **(_pricing(event.pricing) if event.outbound else {}),
    }


def enrich(row: Letter, copy: Letter) -> bool:
    """Take from another copy of the message what it tells more; returns whether it did.

    Richer contents replace poorer ones, never the reverse; of equals one is always preferred, and
    the earliest time. It is live if any of the richest copies was.
    """
    told = _better_words(row, copy)
    if _authority(copy) > _authority(row):
        told |= {name: copy[name] for name in _AUTHOR}
    if copy["richness"] > row["richness"]:
        told |= {name: copy[name] for name in ("created_at", "stamped_at", "live")}
        if copy["direction"] != row["direction"]:
            # Delivery steps of what turns out to be a customer's message mean nothing.
            return _take(row, told | {name: copy[name] for name in _DELIVERY})
    elif copy["richness"] == row["richness"]:
        told["live"] = max(copy["live"], row["live"])
        if copy["created_at"] < row["created_at"]:
            told |= {name: copy[name] for name in ("created_at", "stamped_at")}
    if row["direction"] == copy["direction"] == OUTBOUND:
        told["delivery_status"] = _further(row["delivery_status"], copy["delivery_status"])
        told["sent_at"] = _earliest(row["sent_at"], copy["sent_at"])
        told |= _later_pricing(row, copy)
    return _take(row, told)


def identify(row: Letter, copy: Letter) -> None:
    """Make a message of an exported chat the one that the provider names.

    It has the provider's time from now on; stamped_at keeps the one by which the export tells it.
    """
    at = copy["created_at"]
    row["stamped_at"] = row["created_at"] if row["stamped_at"] is None else row["stamped_at"]
    row["wamid"], row["created_at"] = copy["wamid"], at
    for name in ("edited_at", "deleted_at"):
        row[name] = None if row[name] is None else max(row[name], at)
    enrich(row, copy)


def exported(row: Letter) -> Letter:
    """What a message that was taken for another has of an exported chat, as one without an id."""
    at = row["created_at"] if row["stamped_at"] is None else row["stamped_at"]
    return _BLANK | {name: row[name] for name in EXPORTED} | {"created_at": at, "live": 0}


def edit(row: Letter, event: MessageEdit) -> bool:
    """Let the message say something else, unless a later edit did; returns whether it did."""
    words = {
        "type": event.type,
        "text": event.text,
        "content_json": packed(event.content),
        "media_json": packed(event.media),
    }
    before = -1 if row["edited_at"] is None else row["edited_at"]
    if (event.at, _order(words)) <= (before, _order(row)):
        return False
    return _take(row, {**_left(row, words), "edited_at": event.at})


def revoke(row: Letter, at: int) -> bool:
    """Take away what the message says, from the earliest moment told; returns whether it did."""
    told = {"deleted_at": _earliest(row["deleted_at"], at)}
    return _take(row, told | dict.fromkeys((*_WORDS[1:], "raw_json")))


def deliver(row: Letter, event: StatusUpdate) -> bool:
    """Note a delivery step of an outbound message; returns whether that told anything."""
    moment = f"{event.status}_at"
    told: dict[str, Any] = {
        "delivery_status": _further(row["delivery_status"], event.status),
        moment: _earliest(row[moment], event.at),
        "live": max(row["live"], int(event.live))
        if row["richness"] == PLACEHOLDER
        else row["live"],
    }
    if event.pricing is not None:
        told |= _later_pricing(row, _pricing(event.pricing))
    if event.error is not None:
        told["error_json"] = min(filter(None, (row["error_json"], packed(event.error))))
    if row["richness"] == PLACEHOLDER:
        told["created_at"] = min(row["created_at"], event.at)
    return _take(row, told)


def stand_in(event: StatusUpdate) -> Letter:
    """What is shown of a message of which only a delivery step was seen."""
    assert event.person is not None
    return letter(
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


def merged_status(one: StatusUpdate, other: StatusUpdate) -> StatusUpdate:
    """Two notices of one delivery step as one: the earlier, with the pricing told later."""
    earlier = min(one, other, key=lambda event: event.at)
    told = [event.pricing for event in (one, other) if event.pricing is not None]
    if not told:
        return earlier
    latest = max(told, key=lambda pricing: _pricing_order(_pricing(pricing)))
    return replace(
        earlier,
        category=latest.category,
        billable=latest.billable,
        pricing_model=latest.model,
        pricing_type=latest.type,
        priced_at=latest.at,
    )


def standing_parts(row: Letter) -> tuple[object, ...]:
    """What the state rules read of a message: if it differs, its conversation is folded anew."""
    return tuple(row[name] for name in _FOLDED)


def packed(value: object) -> str | None:
    """A value as a *_json column holds it."""
    return None if value is None else _ENCODER.encode(value)


def _pricing(pricing: Pricing | None) -> dict[str, Any]:
    """The columns of a message's pricing."""
    if pricing is None:
        return {}
    return {
        "category": pricing.category,
        "billable": None if pricing.billable is None else int(pricing.billable),
        "pricing_model": pricing.model,
        "pricing_type": pricing.type,
        "priced_at": pricing.at,
    }


def _later_pricing(row: Letter, other: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of another pricing, if it was told later than that of the row."""
    if other["priced_at"] is None or _pricing_order(other) <= _pricing_order(row):
        return {}
    return {name: other[name] for name in _PRICING}


def _pricing_order(columns: Mapping[str, Any]) -> tuple[Any, ...]:
    """By time; at one time by what it says, so that the order of arrival decides nothing."""
    at, *said = (columns[name] for name in _PRICING)
    return -1 if at is None else at, tuple("" if one is None else str(one) for one in said)


def _better_words(row: Letter, copy: Letter) -> dict[str, Any]:
    """What a copy says and where it comes from, if it is the better one."""
    if _quality(copy) <= _quality(row):
        return {}
    told = {name: copy[name] for name in _FRAME}
    if row["deleted_at"] is not None:
        told["raw_json"] = None
    if row["edited_at"] is None:
        told |= _left(row, {name: copy[name] for name in _WORDS})
    return told


def _left(row: Letter, words: Mapping[str, Any]) -> dict[str, Any]:
    """What remains of words: of a revoked message only their type."""
    return dict(words) if row["deleted_at"] is None else {"type": words["type"]}


def _quality(row: Letter) -> tuple[Any, ...]:
    return row["richness"], _SOURCES.get(row["source"], -1), row["source"], _order(row)


def _order(words: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(words[name] or "" for name in _WORDS)


def _authority(row: Letter) -> tuple[Any, ...]:
    kind = row["author"]
    return _AUTHORS.get(kind, 2), row["author_id"] is not None, kind, row["author_name"] or ""


def _take(row: Letter, told: Mapping[str, Any]) -> bool:
    differing = {name: value for name, value in told.items() if row[name] != value}
    row.update(differing)
    return bool(differing)


def _was_sent(status: str | None) -> bool:
    return status not in (None, "pending", "failed")


def _further(one: str | None, other: str | None) -> str | None:
    return one if _RANKS.get(one, 0) >= _RANKS.get(other, 0) else other


def _earliest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
