"""Converts native lines (the wire format plus a `kind`) to domain events (pure)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from frontdesk.ingest.archive import native_catalogue
from frontdesk.ingest.archive.native_fields import (
    at_of,
    channel_of,
    chosen,
    created_at,
    digest,
    optional_instant,
    person_of,
    user_key,
)
from frontdesk.ingest.archive.row_codec import STORED, VERSION
from frontdesk.ingest.events import (
    CONTENTS,
    HISTORY_PLACEHOLDER,
    IMPORTED_NAME,
    PLACEHOLDER,
    Author,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    MessageEdit,
    MessagePricing,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.ingest.webhooks.contents import TEXT_LIMIT
from frontdesk.ingest.webhooks.messages import BUSINESS_SIDE, CONTACT_SIDE
from frontdesk.wire.values import DELIVERY_STEPS, DIRECTIONS, STATUSES

HAPPENINGS = (
    "opened",
    "resolved",
    "snoozed",
    "assigned",
    "labelled",
    "bot_handoff",
    "bot_resolved",
    "awaiting_human",
    "read_marker",
)
_RICHNESS: Mapping[str, int] = {
    "content_not_received": PLACEHOLDER,
    "media_placeholder": HISTORY_PLACEHOLDER,
}


def convert(members: Mapping[str, Any], now: int) -> list[DomainEvent]:
    """Convert a native line. now: default time.

    Raises: Malformed.
    """
    line = JsonObject(members)
    kind = line.text("kind")
    if members.get("v", VERSION) != VERSION:
        raise Malformed(f"v is not {VERSION}, the version of lines that this program reads")
    reader = _READERS.get(kind)
    if reader is None:
        raise Malformed(f"kind is not one of {', '.join(sorted(_READERS))}")
    return list(reader(line, now))


def _contact(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    person = person_of(line, "the contact")
    created, at = optional_instant(line, "created_at"), at_of(line, now)
    if created is not None and created < at:
        yield ContactUpsert(person, created)
    stored = line.optional_part(STORED) or JsonObject({})
    custom = line.optional_part("custom_fields") or JsonObject({})
    yield ContactUpsert(
        person=person,
        at=at,
        name=line.optional_text("name"),
        name_rank=stored.number("name_rank") or IMPORTED_NAME,
        profile_name=line.optional_text("profile_name"),
        username=line.optional_text("username"),
        email=line.optional_text("email"),
        blocked=line.flag("blocked"),
        custom_fields=dict(custom.members),
    )


def _conversation(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Convert the state of a conversation to events; of a full copy, its own events suffice."""
    channel, person = channel_of(line), person_of(line.part("contact"))
    at = at_of(line, now)
    place = f"{channel} {person.phone or person.wa_user_id or person.wa_id}"
    for name, value in () if STORED in line else _standing(line):
        key = f"line {place} {name} {digest(value)} {at}"
        yield ConversationEvent(channel, person, key, at, name, value)


def _standing(line: JsonObject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events that lead to the described state."""
    status = chosen(line, "status", STATUSES)
    if status == "snoozed":
        yield "snoozed", {"until": optional_instant(line, "snoozed_until")}
    elif status is not None:
        yield ("opened" if status == "open" else "resolved"), {}
    if "assignee" in line.members:
        yield "assigned", {"user": user_key(line, "assignee")}
    for title in native_catalogue.texts(line, "labels"):
        yield "labelled", {"title": title.lower(), "on": True}
    waiting, read_until = line.flag("awaiting_human"), optional_instant(line, "read_marker")
    if waiting is not None:
        yield "awaiting_human", {"on": waiting}
    if read_until is not None:
        yield "read_marker", {"until": read_until}


def _message(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    channel, at = channel_of(line), created_at(line)
    message = _upsert(line, channel, at)
    yield message
    if message.wamid is None:
        return
    if message.outbound:
        yield from _deliveries(line, message)
    for reaction in line.parts("reactions"):
        yield _reaction_of(reaction, channel, message.wamid)
    edited = optional_instant(line, "edited_at")
    if edited is not None:
        said = (message.type, message.text, message.content, message.media)
        yield MessageEdit(channel, message.wamid, edited, *said)
    deleted = optional_instant(line, "deleted_at")
    if deleted is not None:
        yield MessageRevoke(channel, message.wamid, deleted)


def _upsert(line: JsonObject, channel: str, at: int) -> MessageUpsert:
    outbound = chosen(line, "direction", DIRECTIONS, required=True) == "outbound"
    content = _object(line, "content")
    stored = line.optional_part(STORED) or JsonObject({})
    text = line.optional_text("text")
    wamid = line.optional_id("wamid")
    unnamed = wamid is None
    return MessageUpsert(
        channel=channel,
        person=person_of(line.part("contact")),
        wamid=wamid,
        at=at,
        outbound=outbound,
        author=_author(line, "phone" if outbound else "contact"),
        type=line.optional_text("type") or "text",
        source=line.optional_text("source") or "archive",
        text=None if text is None else text[:TEXT_LIMIT],
        content=content,
        media=_object(line, "media"),
        reply_wamid=(line.optional_part("reply_to") or JsonObject({})).optional_id("wamid"),
        forwarded=chosen(line, "forwarded", ("once", "many")),
        referral=_object(line, "referral"),
        status=_status(line, wamid),
        richness=_RICHNESS.get((content or {}).get("reason", ""), CONTENTS),
        raw=_object(line, "raw"),
        live=stored.number("live") == 1,
        edited_at=optional_instant(line, "edited_at") if unnamed else None,
        deleted_at=optional_instant(line, "deleted_at") if unnamed else None,
        pricing=_pricing(line, at) if outbound else None,
        error=_object(line, "error") if unnamed and outbound else None,
    )


def _pricing(line: JsonObject, at: int) -> MessagePricing | None:
    """Return the message's pricing; older exports have only the category, under `stored`."""
    pricing = line.optional_part("pricing") or JsonObject({})
    stored = line.optional_part(STORED) or JsonObject({})
    category = pricing.optional_text("category") or stored.optional_text("category")
    model, type_ = pricing.optional_text("model"), pricing.optional_text("type")
    billable = pricing.flag("billable")
    if category is None and model is None and type_ is None and billable is None:
        return None
    return MessagePricing(stored.number("priced_at") or at, category, billable, model, type_)


def _status(line: JsonObject, wamid: str | None) -> str | None:
    """Return the delivery status, unless a delivery step provides it with a time."""
    status = chosen(line, "delivery_status", ("pending", *DELIVERY_STEPS))
    steps = line.optional_part("delivery") or JsonObject({})
    return None if wamid and f"{status}_at" in steps else status


def _deliveries(line: JsonObject, message: MessageUpsert) -> Iterator[DomainEvent]:
    """Yield the delivery steps with a known time."""
    assert message.wamid is not None
    steps = line.optional_part("delivery") or JsonObject({})
    for step in DELIVERY_STEPS:
        at = optional_instant(steps, f"{step}_at")
        if at is not None:
            yield StatusUpdate(
                channel=message.channel,
                person=message.person,
                wamid=message.wamid,
                at=at,
                status=step,
                error=_object(line, "error") if step == "failed" else None,
                live=message.live,
            )


def _reaction(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield _reaction_of(line, channel_of(line), line.id("wamid"))


def _reaction_of(reaction: JsonObject, channel: str, wamid: str) -> ReactionSet:
    outbound = chosen(reaction, "direction", DIRECTIONS, required=True) == "outbound"
    return ReactionSet(
        channel=channel,
        target_wamid=wamid,
        person=reaction.optional_id("person") or (BUSINESS_SIDE if outbound else CONTACT_SIDE),
        emoji=reaction.optional_text("emoji") or None,
        at=created_at(reaction),
        outbound=outbound,
        author=reaction.optional_text("author") or ("phone" if outbound else "contact"),
    )


def _note(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    channel, person = channel_of(line), person_of(line.part("contact"))
    created = created_at(line)
    text, author = line.text("text")[:TEXT_LIMIT], _author(line, "user")
    key = line.optional_id("external_id") or f"line {digest([channel, str(person), created, text])}"
    yield NoteUpsert(channel, person, key, created, text, author)
    updated = optional_instant(line, "updated_at")
    if updated is not None and updated > created:
        yield NoteUpsert(channel, person, key, updated, text, author)


def _event(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    channel, person = channel_of(line), person_of(line.part("contact"))
    at = created_at(line)
    name = chosen(line, "name", HAPPENINGS, required=True)
    assert name is not None
    value = _value(name, line.optional_part("value") or JsonObject({}, "value"))
    made_up = f"line {digest([channel, str(person), at, name, value])}"
    yield ConversationEvent(
        channel, person, line.optional_id("external_id") or made_up, at, name, value
    )


def _value(name: str, value: JsonObject) -> dict[str, Any]:
    """Decode an event's value."""
    match name:
        case "snoozed" | "read_marker":
            return {"until": optional_instant(value, "until")}
        case "assigned":
            return {"user": user_key(value, "user")}
        case "labelled":
            return {"title": value.text("title").lower(), "on": value.flag("on") is not False}
        case "awaiting_human":
            return {"on": value.flag("on") is not False}
        case _:
            return {}


def _waiting(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Accept lines that only have an effect when restored into an empty account."""
    yield from ()


def _author(line: JsonObject, default: str) -> Author:
    kind = line.optional_text("author") or default
    reference = line.members.get("author_ref")
    if kind != "user" or reference is None:
        name = (line.optional_part("author_ref") or JsonObject({})).optional_text("name")
        return Author(kind, name=name if kind != "contact" else None)
    name = reference.get("name") if isinstance(reference, Mapping) else None
    return Author(kind, user_key(line, "author_ref"), name if isinstance(name, str) else None)


def _object(line: JsonObject, name: str) -> Mapping[str, Any] | None:
    part = line.optional_part(name)
    return None if part is None else dict(part.members)


_READERS: Mapping[str, Callable[[JsonObject, int], Iterator[DomainEvent]]] = {
    **native_catalogue.READERS,
    "contact": _contact,
    "conversation": _conversation,
    "message": _message,
    "note": _note,
    "conversation_event": _event,
    "reaction": _reaction,
    "alias": _waiting,
    "identity_change": _waiting,
    "part": _waiting,
    "orphan": _waiting,
}
KINDS = frozenset((*_READERS, "account"))
