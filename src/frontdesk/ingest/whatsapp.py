"""WhatsApp Cloud API webhook bodies as domain events: every entry, change and element; pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.ingest.shapes import Malformed, Part

MEDIA_TYPES = frozenset(("image", "video", "audio", "document", "sticker"))
STATUSES = frozenset(("sent", "delivered", "read", "played", "failed"))

# The longest text that the service keeps (contract 1.4.2).
TEXT_LIMIT = 65_536

_DIGITS_OF_A_PHONE = re.compile(r"[1-9][0-9]{6,14}")


@dataclass(frozen=True, slots=True)
class Normalised:
    """What a body says. ignored: how many elements of which kind have no place here."""

    events: tuple[DomainEvent, ...]
    ignored: Mapping[str, int]


@dataclass(slots=True)
class _Value:
    """One change of a body on its way to events. at: its newest element, milliseconds."""

    channel: str
    contacts: list[Part]
    errors: list[Part]
    live: bool
    events: list[DomainEvent] = field(default_factory=list)
    persons: list[tuple[Person, int]] = field(default_factory=list)
    at: int = 0


class _Contents(NamedTuple):
    """What a message says, by its type."""

    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None
    raw: Mapping[str, Any] | None = None


def normalise(body: Mapping[str, Any], *, live: bool) -> Normalised:
    """The events of a webhook body, each channel and contact before what it takes part in.

    Also takes a bare `value` object and 360dialog's envelope. `live` is False for back-fill.

    Raises: Malformed: the body, or an element in it, has a shape that cannot be read.
    """
    events: list[DomainEvent] = []
    ignored: Counter[str] = Counter()
    for name, value, account in _changes(Part(body), ignored):
        events += _events(name, value, account, ignored, live=live)
    return Normalised(tuple(events), ignored)


def _changes(body: Part, ignored: Counter[str]) -> Iterator[tuple[str, Part, str | None]]:
    """The field, the value and the business account of every change."""
    if "entry" in body:
        if body.optional_text("object") not in (None, "whatsapp_business_account"):
            raise Malformed(f"it is about a {body.text('object')}, not a WhatsApp account")
        for entry in body.parts("entry"):
            changes = entry.parts("changes")
            if not changes:
                ignored["entry without changes"] += 1
            for change in changes:
                yield change.optional_text("field") or "", change, entry.optional_text("id")
    elif "event" in body and "data" in body:
        yield "", Part({"value": body.members["data"]}), None
    elif "metadata" in body or "messaging_product" in body:
        yield "", Part({"value": body.members}), None
    else:
        raise Malformed("it is not a WhatsApp webhook body")


def _events(
    name: str, change: Part, account: str | None, ignored: Counter[str], *, live: bool
) -> list[DomainEvent]:
    """The events of one change, by the members of its value."""
    members = change.members.get("value")
    elements = ("messages", "statuses", "message_echoes")
    if name == "history" or not isinstance(members, Mapping) or not members.keys() & set(elements):
        ignored[f"field {name or 'unknown'}"] += 1
        return []
    part = change.part("value")
    metadata = part.part("metadata")
    value = _Value(
        metadata.id("phone_number_id"), part.parts("contacts"), part.parts("errors"), live
    )
    for message in part.parts("messages"):
        _message(value, message, ignored, outbound=False)
    for echo in part.parts("message_echoes"):
        _message(value, echo, ignored, outbound=True)
    for status in part.parts("statuses"):
        _status(value, status, ignored)
    if not value.events:
        return []
    return [_channel(value, metadata, account), *_names(value), *value.events]


def _message(value: _Value, message: Part, ignored: Counter[str], *, outbound: bool) -> None:
    """A message of a person, or one sent to a person from the phone."""
    if "group_id" in message:
        ignored["group message"] += 1
        return
    at = message.moment("timestamp")
    person = (
        _person(value, message, "to", "to_user_id")
        if outbound
        else _person(value, message, "from", "from_user_id")
    )
    contents = _contents(value, message)
    context = message.optional_part("context") or Part({})
    value.events.append(
        MessageUpsert(
            channel=value.channel,
            person=person,
            wamid=message.id("id"),
            at=at,
            outbound=outbound,
            author=Author("phone" if outbound else "contact"),
            type=contents.type,
            source="echo" if outbound else "webhook",
            text=contents.text,
            content=contents.content,
            media=contents.media,
            reply_wamid=context.optional_id("id"),
            forwarded=_forwarded(context),
            referral=_referral(message.optional_part("referral")),
            status="sent" if outbound else None,
            raw=contents.raw,
            live=value.live,
        )
    )
    value.persons.append((person, at))
    value.at = max(value.at, at)


def _status(value: _Value, status: Part, ignored: Counter[str]) -> None:
    """A delivery step of a message that was sent to a person."""
    if status.optional_text("recipient_type") == "group":
        ignored["status of a group message"] += 1
        return
    step = status.text("status").lower()
    if step not in STATUSES:
        ignored[f"status {step[:40]}"] += 1
        return
    at = status.moment("timestamp")
    person = None
    if "recipient_id" in status or "recipient_user_id" in status:
        person = _person(value, status, "recipient_id", "recipient_user_id")
        value.persons.append((person, at))
    errors = _errors(status.parts("errors"))
    pricing = status.optional_part("pricing")
    value.events.append(
        StatusUpdate(
            channel=value.channel,
            person=person,
            wamid=status.id("id"),
            at=at,
            status=step,
            error=errors[0] if errors else None,
            live=value.live,
            category=pricing.optional_text("category") if pricing else None,
        )
    )
    value.at = max(value.at, at)


def _person(value: _Value, element: Part, number_name: str, user_name: str) -> Person:
    """Whom a message is with: by number, by user id, or both if the contacts tell."""
    number = (element.optional_text(number_name) or "").removeprefix("+")
    user_id = element.optional_id(user_name)
    contact = _contact(value, number, user_id)
    if contact is not None:
        user_id = user_id or contact.optional_id("user_id")
    if _DIGITS_OF_A_PHONE.fullmatch(number):
        wa_id = (contact.optional_id("wa_id") if contact else None) or number
        return Person(phone=f"+{number}", wa_id=wa_id, wa_user_id=user_id)
    if user_id is None:
        raise Malformed(f"{element.where}.{number_name} is not a phone number")
    return Person(wa_user_id=user_id)


def _contact(value: _Value, number: str, user_id: str | None) -> Part | None:
    """The contact of a number or user: contacts are matched by id, never by position."""
    for contact in value.contacts:
        if number and contact.optional_text("wa_id") == number:
            return contact
        if user_id and contact.optional_text("user_id") == user_id:
            return contact
    return None


def _channel(value: _Value, metadata: Part, account: str | None) -> ChannelUpsert:
    shown = metadata.optional_text("display_phone_number")
    digits = re.sub(r"[^0-9]", "", shown or "")
    return ChannelUpsert(
        phone_number_id=value.channel,
        at=value.at,
        phone=f"+{digits}" if _DIGITS_OF_A_PHONE.fullmatch(digits) else None,
        display_phone_number=shown,
        waba_id=account,
    )


def _names(value: _Value) -> Iterator[ContactUpsert]:
    """What the contacts of a change are called, told at the time of their last element."""
    latest: dict[Person, int] = {}
    for person, at in value.persons:
        latest[person] = max(at, latest.get(person, 0))
    for person, at in latest.items():
        contact = _contact(value, person.wa_id or "", person.wa_user_id)
        profile = None if contact is None else contact.optional_part("profile")
        if profile is None:
            continue
        name = (profile.optional_text("name") or "").strip() or None
        yield ContactUpsert(
            person=person,
            at=at,
            name=name,
            name_rank=PROFILE_NAME,
            profile_name=name,
            username=profile.optional_text("username") or None,
        )


def _contents(value: _Value, message: Part) -> _Contents:
    """What a message says; a type that is not mapped is kept raw and shown as unsupported."""
    type_ = message.text("type")
    if type_ == "text":
        body = message.part("text").optional_text("body") or ""
        return _Contents("text", text=body[:TEXT_LIMIT])
    if type_ in MEDIA_TYPES:
        return _media(type_, message.part(type_))
    if type_ == "unsupported":
        told = message.optional_part("unsupported")
        original = told.optional_text("type") if told else None
        return _unsupported("provider", original, value, message)
    return _unsupported("unknown_type", type_, value, message)


def _media(type_: str, media: Part) -> _Contents:
    caption = media.optional_text("caption")
    described = {
        "id": media.optional_text("id"),
        "mime_type": media.optional_text("mime_type"),
        "filename": media.optional_text("filename"),
        "size_bytes": None,
        "sha256": media.optional_text("sha256"),
        "voice": media.flag("voice"),
        "animated": media.flag("animated"),
        "url": None,
        "url_expires_at": None,
    }
    return _Contents(type_, text=caption[:TEXT_LIMIT] if caption else None, media=described)


def _unsupported(reason: str, original: str | None, value: _Value, message: Part) -> _Contents:
    errors = message.parts("errors") or value.errors
    content = {"reason": reason, "original_type": original, "errors": _errors(errors)}
    return _Contents("unsupported", content=content, raw=message.members)


def _errors(errors: list[Part]) -> list[dict[str, Any]]:
    """Provider errors in the wire's words."""
    told = []
    for error in errors:
        data = error.optional_part("error_data")
        details = data.optional_text("details") if data else None
        title = error.optional_text("title") or error.optional_text("message") or ""
        told.append({"code": error.number("code"), "title": title, "details": details})
    return told


def _forwarded(context: Part) -> str | None:
    if context.flag("frequently_forwarded"):
        return "many"
    return "once" if context.flag("forwarded") else None


def _referral(referral: Part | None) -> dict[str, str | None] | None:
    if referral is None:
        return None
    names = ("source_type", "source_id", "source_url", "headline", "body")
    return {name: referral.optional_text(name) for name in names}
