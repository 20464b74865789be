"""Converts native lines (the wire format plus a `kind`) to domain events (pure)."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, cast, get_type_hints

from frontdesk import business_hours
from frontdesk.ingest.archive.row_codec import STORED, VERSION
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    CONTACT_FACTS,
    CONTENTS,
    HISTORY_PLACEHOLDER,
    IMPORTED_NAME,
    PLACEHOLDER,
    Author,
    CannedResponseUpsert,
    ChannelUpsert,
    ContactMention,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    ConversationUpsert,
    CustomFieldUpsert,
    DomainEvent,
    IdentityChange,
    LabelUpsert,
    MessageEdit,
    MessagePricing,
    MessageRead,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    NumberUpdate,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.ingest.json_reader import (
    JsonObject,
    Malformed,
    channel_id,
    checked_id,
    instant,
    is_phone,
    phone_of,
    shown_number,
)
from frontdesk.ingest.webhooks.messages import BUSINESS_SIDE, CONTACT_SIDE
from frontdesk.store.expiry import LONGEST_KEPT_DAYS
from frontdesk.store.media_texts import FileText
from frontdesk.store.rows import ChannelDetails
from frontdesk.text.limits import WORD, cut_text
from frontdesk.wire.values import DELIVERY_STEPS, DIRECTIONS, STATUSES

COLOR = re.compile(r"#[0-9a-f]{6}")
HAPPENINGS = (
    *("opened", "resolved", "snoozed", "assigned", "labelled", "bot_handoff", "bot_resolved"),
    *("awaiting_human", "read_marker"),
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


def account_settings(members: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the columns of an exported account; None if the line has only a slug.

    Raises: Malformed.
    """
    line = JsonObject(members)
    if "timezone" not in line:
        return None
    days = members.get("messages_keep_days")
    if days is not None and not (type(days) is int and 0 < days <= LONGEST_KEPT_DAYS):
        raise Malformed(f"messages_keep_days is not a number of days up to {LONGEST_KEPT_DAYS}")
    return {
        "name": line.text("name"),
        "timezone": line.text("timezone"),
        "created_at": created_at(line),
        "disabled": int(line.flag("disabled") is True),
        "messages_keep_days": days,
        "business_hours_json": _business_hours(line.optional_part("business_hours")),
    }


def _business_hours(hours: JsonObject | None) -> str | None:
    """Return business hours as they are stored. Raises: Malformed."""
    if hours is None:
        return None
    try:
        return business_hours.dumps(business_hours.parse_hours(hours.members))
    except ValueError as error:
        raise Malformed(f"business_hours.{error}") from error


def channel_of(line: JsonObject) -> str:
    """Return the phone_number_id of a line's channel, given as text or {id}."""
    if isinstance(line.members.get("channel"), Mapping):
        return channel_id(line.part("channel"), "id")
    return channel_id(line, "channel")


def person_of(contact: JsonObject, what: str = "contact") -> Person:
    """Parse an object with phone, wa_id and wa_user_id, any of which may be missing."""
    phone = contact.optional_text("phone")
    digits = (phone or "").removeprefix("+")
    if phone is not None and not (phone.startswith("+") and is_phone(digits)):
        raise Malformed(f"{what} has a phone that is not E.164, such as +16505551234")
    wa_id = contact.optional_id("wa_id")
    wa_user_id = contact.optional_id("wa_user_id")
    if phone is None and wa_id is None and wa_user_id is None:
        raise Malformed(f"{what} has no phone, no wa_id and no wa_user_id")
    if phone is None and wa_id is not None and is_phone(wa_id):
        phone = f"+{wa_id}"
    if phone is None:
        return Person(None, wa_id, wa_user_id)
    return Person.of_phone(phone, wa_id, wa_user_id)


def user_key(line: JsonObject, name: str) -> str | None:
    """Return a user key: text, or external_id, else email, else name of an object."""
    value = line.members.get(name)
    if not isinstance(value, Mapping):
        return line.optional_id(name)
    user = line.part(name)
    for member in ("external_id", "email", "name"):
        if key := user.optional_id(member):
            return key
    raise Malformed(f"{name} has no external_id, no email and no name")


def optional_instant(line: JsonObject, name: str) -> int | None:
    """Return an optional time, given in ISO 8601 or epoch milliseconds, as the latter."""
    value = line.members.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        return instant(value)
    except Malformed as error:
        raise Malformed(f"{name} {error}") from None


def required_instant(line: JsonObject, name: str) -> int:
    """Return a required time as `optional_instant` does."""
    moment = optional_instant(line, name)
    if moment is None:
        raise Malformed(f"{line.at(name)} is missing")
    return moment


def created_at(line: JsonObject) -> int:
    return required_instant(line, "created_at")


def at_of(line: JsonObject, now: int) -> int:
    """Return the time as of which a line's facts are valid."""
    updated = optional_instant(line, "updated_at")
    created = optional_instant(line, "created_at") if updated is None else None
    return next((at for at in (updated, created) if at is not None), now)


def one_of(
    line: JsonObject, name: str, allowed: Sequence[str], *, required: bool = False
) -> str | None:
    """Return a value of an enumeration."""
    word = line.text(name) if required else line.optional_text(name)
    if word is not None and word not in allowed:
        raise Malformed(f"{name} is not one of {', '.join(allowed)}")
    return word


def digest(value: Any) -> str:
    """Hash a value that has no id of its own."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def texts(line: JsonObject, name: str) -> tuple[str, ...]:
    """Return a list of texts, empty if absent."""
    values = line.members.get(name)
    if values is None:
        return ()
    if not isinstance(values, list):
        raise Malformed(f"{line.at(name)} is not an array")
    for position, value in enumerate(values):
        if not isinstance(value, str) or not value:
            raise Malformed(f"{line.at(name)}[{position}] is not a text")
        checked_id(value, f"{line.at(name)}[{position}]")
    return tuple(values)


@cache
def _types(event: type) -> Mapping[str, type]:
    """Types of the fields of an event, or of details, that are one value and may be absent."""
    return {
        name: type_
        for name, hint in get_type_hints(event).items()
        for type_ in (str, bool, int)
        if hint == type_ | None
    }


def _event_of(event: Callable[..., Any], line: JsonObject, **given: Any) -> Any:
    """Build an event; members of the line are its fields of the same name, unless they are given.

    Those whose names end in _at are times.
    """
    said: dict[str, Any] = {
        name: _value_of(line, name, type_)
        for name, type_ in _types(event).items()
        if name not in given
    }
    return event(**said, **given)


def _value_of(line: JsonObject, name: str, type_: type) -> str | bool | int | None:
    if type_ is str:
        return line.optional_text(name)
    if type_ is bool:
        return line.flag(name)
    if name.endswith("_at"):
        return optional_instant(line, name)
    return line.number(name) if name in line else None


def _channel(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    number, at = channel_id(line, "id"), at_of(line, now)
    created = optional_instant(line, "created_at")
    if created is not None and created < at:
        yield ChannelUpsert(number, created)
    shown = shown_number(line)
    details: Any = {
        name: _value_of(line, name, type_) for name, type_ in _types(ChannelDetails).items()
    }
    yield ChannelUpsert(
        phone_number_id=number,
        at=at,
        phone=phone_of(line.optional_text("phone") or shown),
        display_phone_number=shown,
        details=details,
        waba_id=line.optional_id("waba_id"),
        alias=line.optional_text("alias"),
    )


def _user(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    key = user_key(JsonObject({"user": line.members}), "user")
    assert key is not None
    name = line.optional_text("name") or key
    yield _event_of(UserUpsert, line, key=key, name=name, at=at_of(line, now))


def _team(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    members = line.members.get("members") or []
    if not isinstance(members, list):
        raise Malformed(f"{line.at('members')} is not an array")
    keys = (
        user_key(JsonObject({f"members[{n}]": member}), f"members[{n}]")
        for n, member in enumerate(members)
    )
    yield _event_of(
        TeamUpsert,
        line,
        name=line.id("name"),
        at=at_of(line, now),
        channels=texts(line, "channels"),
        members=tuple(key for key in keys if key is not None),
        distribution=one_of(line, "distribution", ("round_robin", "off")),
    )


def _label(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Titles are stored in lower case."""
    color = (line.optional_text("color") or "").lower() or None
    if color is not None and not COLOR.fullmatch(color):
        raise Malformed(f"{line.at('color')} is not a colour such as #1f93ff")
    title = line.id("title").lower()
    yield _event_of(LabelUpsert, line, title=title, at=at_of(line, now), color=color)


def _custom_field(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield _event_of(
        CustomFieldUpsert,
        line,
        key=line.id("key"),
        name=line.optional_text("name") or line.id("key"),
        at=at_of(line, now),
        options=texts(line, "options") if "options" in line else None,
    )


def _canned_response(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield CannedResponseUpsert(line.id("short_code"), line.text("text"), at_of(line, now))


def _template(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield _event_of(
        TemplateUpsert,
        line,
        id=line.id("id"),
        name=line.id("name"),
        language=line.id("language"),
        at=at_of(line, now),
        components=tuple(part.members for part in line.parts("components")),
        waba_id=line.optional_id("waba_id"),
    )


def _contact(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    person = person_of(line, "the contact")
    created, at = optional_instant(line, "created_at"), at_of(line, now)
    stored = line.part_or_empty(STORED)
    if "phone_at" in stored:
        yield ContactMention(
            person,
            created_at(line),
            texts(line, "aliases"),
            optional_instant(line, "last_activity_at"),
            stored.number("phone_at"),
            stored.number("user_at"),
        )
        yield from _stored_facts(stored, person)
    else:
        if created is not None and created < at:
            yield ContactUpsert(person, created)
        yield from _facts(line, person, at)


def _facts(line: JsonObject, person: Person, at: int) -> Iterator[DomainEvent]:
    opted_out = optional_instant(line, "marketing_opt_out_at")
    if opted_out is not None:
        yield ContactUpsert(person, opted_out, marketing_opt_out=True)
    custom = line.part_or_empty("custom_fields")
    for key in custom.members:
        checked_id(key, "a key of custom_fields")
    yield _event_of(
        ContactUpsert,
        line,
        person=person,
        at=at,
        name_rank=line.part_or_empty(STORED).number("name_rank") or IMPORTED_NAME,
        custom_fields=dict(custom.members),
        **_NOT_OF_CONTACT,
    )


# Fields of the event whose names a line has for nothing, or for something else.
_NOT_OF_CONTACT: Mapping[str, Any] = {"marketing_opt_out": None, "channel": None}


def _stored_facts(stored: JsonObject, person: Person) -> Iterator[DomainEvent]:
    """Convert the facts of an exported contact, each with its own time."""
    facts = json_object(stored, "facts_json") if "facts_json" in stored else None
    for name, fact in facts.members.items() if facts else ():
        where = f"{STORED}.facts_json.{name}"
        if not (isinstance(fact, list) and len(fact) == 2 and type(fact[0]) is int):
            raise Malformed(f"{where} is not a time with a value")
        at, value = fact
        yield _fact(checked_id(name, where), value, person, at, where)


def _fact(name: str, value: Any, person: Person, at: int, where: str) -> DomainEvent:
    fact = ContactUpsert(person, at, is_sighting=False)
    kind, _, rest = name.partition(".")
    if kind == "custom":
        return replace(fact, custom_fields={rest: value})
    if name == "marketing_opt_out_at":
        return replace(fact, marketing_opt_out=value is not None)
    type_ = _types(ContactUpsert)[name] if name in CONTACT_FACTS else str
    if type_ is bool:
        return _with(fact, name, value == 1)
    if name == f"name.{ADDRESS_BOOK_NAME}" and value is None:
        return ContactRemove(person, at, is_sighting=False)
    if not _is_of(type_, value):
        raise Malformed(f"{where} is not a {'string' if type_ is str else 'number'}")
    if kind == "name" and rest in ("1", "2", "3"):
        return replace(fact, name=value, name_rank=int(rest))
    if name not in CONTACT_FACTS:
        raise Malformed(f"{where} is no fact about a contact")
    return _with(fact, name, value)


def _is_of(type_: type, value: object) -> bool:
    return type(value) is type_


def _with(fact: ContactUpsert, name: str, value: Any) -> ContactUpsert:
    changes: dict[str, Any] = {name: value}
    return replace(fact, **changes)


def _identity_change(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    stored = line.part_or_empty(STORED)
    old, new = (line.optional_id(name) or stored.id(name) for name in ("old", "new"))
    at = optional_instant(line, "at")
    yield IdentityChange(
        Person.named(old), Person.named(new), required_instant(stored, "at") if at is None else at
    )


def json_object(line: JsonObject, name: str) -> JsonObject:
    """Return an object that is given as text."""
    try:
        value = json.loads(line.text(name))
    except (ValueError, RecursionError):
        raise Malformed(f"{line.at(name)} is not JSON") from None
    if not isinstance(value, dict):
        raise Malformed(f"{line.at(name)} is not an object")
    return JsonObject(value, name, line)


def _orphan(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Convert an update that waits for its message, or facts that wait for their number."""
    stored = line.part(STORED)
    target, kind = stored.id("target"), stored.text("kind")
    at, detail = required_instant(stored, "created_at"), json_object(stored, "detail_json")
    if kind == "number":
        for name, (moment, value) in _number_facts(detail):
            yield NumberUpdate(target, moment, cast(ChannelDetails, {name: value}))
    elif kind == "edit":
        yield MessageEdit(
            channel_of(line),
            target,
            at,
            detail.text("type"),
            detail.optional_text("text"),
            _object(detail, "content"),
            _object(detail, "media"),
        )
    elif kind == "revoke":
        yield MessageRevoke(channel_of(line), target, at)
    elif kind == "read":
        yield MessageRead(channel_of(line), target, at)
    else:
        priced_at = optional_instant(detail, "priced_at")
        yield StatusUpdate(
            channel_of(line),
            None,
            target,
            at,
            kind.removeprefix("status:"),
            error=_object(detail, "error"),
            live=detail.flag("live") is not False,
            billable=detail.flag("billable"),
            priced_at=priced_at,
            **detail.optional_texts("category", "pricing_model", "pricing_type"),
        )


def _number_facts(detail: JsonObject) -> Iterator[tuple[str, tuple[int, str | int | None]]]:
    for name, fact in detail.members.items():
        if name not in _types(ChannelDetails):
            raise Malformed(f"{detail.at(name)} is no fact about a number")
        if not (isinstance(fact, list) and len(fact) == 2 and type(fact[0]) is int):
            raise Malformed(f"{detail.at(name)} is not a time with a value")
        if fact[1] is not None and not _is_of(_types(ChannelDetails)[name], fact[1]):
            raise Malformed(f"{detail.at(name)} has a value that cannot be stored")
        yield name, (fact[0], fact[1])


def _conversation(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Convert the state of a conversation to events; of an exported one, its own events suffice."""
    channel, person = channel_of(line), person_of(line.part("contact"))
    at = at_of(line, now)
    if STORED in line:
        yield _exported_conversation(line, channel, person, at)
        return
    place = f"{channel} {person.phone or person.wa_user_id or person.wa_id}"
    for name, value in _state_events(line):
        key = f"line {place} {name} {digest(value)} {at}"
        yield ConversationEvent(channel, person, key, at, name, value)


def _exported_conversation(
    line: JsonObject, channel: str, person: Person, at: int
) -> ConversationUpsert:
    known = line.part(STORED).number("status_known")
    status = None if known else one_of(line, "status", ("open", "resolved"))
    return ConversationUpsert(
        channel,
        person,
        created_at(line),
        required_instant(line, "last_activity_at"),
        cast(Literal["open", "resolved"] | None, status),
    )


def _state_events(line: JsonObject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events that lead to the described state."""
    status = one_of(line, "status", STATUSES)
    if status == "snoozed":
        yield "snoozed", {"until": optional_instant(line, "snoozed_until")}
    elif status is not None:
        yield ("opened" if status == "open" else "resolved"), {}
    if "assignee" in line.members:
        yield "assigned", {"user": user_key(line, "assignee")}
    for title in texts(line, "labels"):
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
        contents = (message.type, message.text, message.content, message.media)
        yield MessageEdit(channel, message.wamid, edited, *contents)
    deleted = optional_instant(line, "deleted_at")
    if deleted is not None:
        yield MessageRevoke(channel, message.wamid, deleted)


def _upsert(line: JsonObject, channel: str, at: int) -> MessageUpsert:
    outbound = one_of(line, "direction", DIRECTIONS, required=True) == "outbound"
    content = _object(line, "content")
    stored = line.part_or_empty(STORED)
    wamid = line.optional_id("wamid")
    unnamed = wamid is None
    message: MessageUpsert = _event_of(
        MessageUpsert,
        line,
        channel=channel,
        person=person_of(line.part("contact")),
        wamid=wamid,
        at=at,
        outbound=outbound,
        author=_author(line, "phone" if outbound else "contact"),
        type=line.optional_text("type") or "text",
        source=line.optional_text("source") or "archive",
        content=content,
        media=_object(line, "media"),
        reply_wamid=line.part_or_empty("reply_to").optional_id("wamid"),
        forwarded=one_of(line, "forwarded", ("once", "many")),
        referral=_object(line, "referral"),
        status=_status(line, wamid),
        richness=_richness(stored, content),
        raw=_object(line, "raw"),
        live=stored.number("live") == 1,
        stamped_at=optional_instant(stored, "stamped_at"),
        is_sighting=STORED not in line,
        edited_at=optional_instant(line, "edited_at") if unnamed else None,
        deleted_at=optional_instant(line, "deleted_at") if unnamed else None,
        pricing=_pricing(line, at) if outbound else None,
        error=_object(line, "error") if unnamed and outbound else None,
        media_text=_file_text(line.part_or_empty("media_text")),
    )
    return message


def _file_text(read: JsonObject) -> FileText | None:
    """What was read in the file of a message; None if that is nothing."""
    text, by = read.optional_text("text"), read.optional_text("by")
    if not text or not by:
        return None
    language = read.optional_text("language")
    at = optional_instant(read, "at")
    return FileText.of(text, by[:WORD], language and language[:WORD], at)


def _richness(stored: JsonObject, content: Mapping[str, Any] | None) -> int:
    if "richness" in stored:
        return min(max(stored.number("richness"), PLACEHOLDER), CONTENTS)
    return _RICHNESS.get((content or {}).get("reason", ""), CONTENTS)


def _pricing(line: JsonObject, at: int) -> MessagePricing | None:
    """Return the message's pricing; older exports have only the category, under `stored`."""
    pricing = line.part_or_empty("pricing")
    stored = line.part_or_empty(STORED)
    category = pricing.optional_text("category") or stored.optional_text("category")
    model, type_ = pricing.optional_text("model"), pricing.optional_text("type")
    billable = pricing.flag("billable")
    if category is None and model is None and type_ is None and billable is None:
        return None
    return MessagePricing(stored.number("priced_at") or at, category, billable, model, type_)


def _status(line: JsonObject, wamid: str | None) -> str | None:
    """Return the delivery status, unless a delivery step provides it with a time."""
    status = one_of(line, "delivery_status", ("pending", *DELIVERY_STEPS))
    steps = line.part_or_empty("delivery")
    return None if wamid and f"{status}_at" in steps else status


def _deliveries(line: JsonObject, message: MessageUpsert) -> Iterator[DomainEvent]:
    """Yield the delivery steps with a known time."""
    assert message.wamid is not None
    steps = line.part_or_empty("delivery")
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
    outbound = one_of(reaction, "direction", DIRECTIONS, required=True) == "outbound"
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
    text, author = line.text("text"), _author(line, "user")
    key = (
        line.optional_id("external_id")
        or f"line {digest([channel, str(person), created, cut_text(text)])}"
    )
    updated = optional_instant(line, "updated_at") or created
    yield NoteUpsert(channel, person, key, max(created, updated), text, author, created)


def _event(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    channel, person = channel_of(line), person_of(line.part("contact"))
    at = created_at(line)
    name = one_of(line, "name", HAPPENINGS, required=True)
    assert name is not None
    value = _value(name, line.part_or_empty("value"))
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
            return {"title": value.id("title").lower(), "on": value.flag("on") is not False}
        case "awaiting_human":
            return {"on": value.flag("on") is not False}
        case _:
            return {}


def _author(line: JsonObject, default: str) -> Author:
    kind = line.optional_text("author") or default
    reference = line.members.get("author_ref")
    if kind != "user" or reference is None:
        name = line.part_or_empty("author_ref").optional_text("name")
        return Author(kind, name=name if kind != "contact" else None)
    name = reference.get("name") if isinstance(reference, Mapping) else None
    return Author(kind, user_key(line, "author_ref"), name if isinstance(name, str) else None)


def _object(line: JsonObject, name: str) -> Mapping[str, Any] | None:
    part = line.optional_part(name)
    return None if part is None else dict(part.members)


_READERS: Mapping[str, Callable[[JsonObject, int], Iterator[DomainEvent]]] = {
    "channel": _channel,
    "user": _user,
    "team": _team,
    "label": _label,
    "custom_field": _custom_field,
    "canned_response": _canned_response,
    "template": _template,
    "contact": _contact,
    "conversation": _conversation,
    "message": _message,
    "note": _note,
    "conversation_event": _event,
    "reaction": _reaction,
    "identity_change": _identity_change,
    "orphan": _orphan,
    # Of exports by 0.2.0.
    **dict.fromkeys(("alias", "part"), lambda line, now: iter(())),
}
