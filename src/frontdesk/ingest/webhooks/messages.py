"""Converts messages, echoes and delivery statuses of a webhook change to events (pure)."""

from collections.abc import Callable, Mapping
from typing import Any

from frontdesk.ingest.events import (
    CONTENTS,
    HISTORY_PLACEHOLDER,
    Author,
    ContactUpsert,
    IdentityChange,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.ingest.webhooks.change import WebhookChange, is_phone, phone_of
from frontdesk.ingest.webhooks.contents import (
    PAYMENT,
    MessageContents,
    contents_of,
    payment_contents,
    provider_errors,
    type_of,
)
from frontdesk.store.rollups import WORD_LIMIT
from frontdesk.wire.values import DELIVERY_STEPS

# Each side of a conversation has one reaction per message.
CONTACT_SIDE, BUSINESS_SIDE = "contact", "business"

# `type` of a delivery status; Meta usually omits it.
_DELIVERY = "message"

_NUMBER_CHANGED = frozenset(("user_changed_number", "customer_changed_number"))
_USER_ID_CHANGED = "user_changed_user_id"
_SYSTEM_EVENTS: Mapping[str, str] = {
    **dict.fromkeys(_NUMBER_CHANGED, "user_changed_number"),
    "customer_identity_changed": "identity_changed",
    "user_identity_changed": "identity_changed",
}


def convert_message(value: WebhookChange, message: JsonObject, *, outbound: bool = False) -> None:
    """Convert a message from a contact or, if `outbound`, one sent from the business phone."""
    if "group_id" in message:
        value.ignored["group message"] += 1
        return
    type_ = type_of(message)
    if type_ in _AMENDING:
        _AMENDING[type_](value, message)
        return
    person = value.person(message, "to", "to_user_id") if outbound else _sender(value, message)
    add_message(value, message, person, outbound=outbound)


def convert_echo(value: WebhookChange, message: JsonObject) -> None:
    """Convert a message sent from the phone or a linked device."""
    convert_message(value, message, outbound=True)


def add_message(
    value: WebhookChange,
    message: JsonObject,
    person: Person,
    *,
    outbound: bool,
    status: str | None = None,
) -> None:
    """Convert a message whose person is known. status: initial delivery status, if known."""
    if type_of(message) in ("system", "request_welcome"):
        _convert_system(value, message, person)
        return
    contents = _reaction(message) or contents_of(message, value.errors, outbound=outbound)
    _upsert(value, message, person, contents, outbound=outbound, status=status)
    if contents.type == "reaction":
        _fold_reaction(value, contents, value.moment(message)[0], outbound=outbound)
    elif contents.type == "contacts" and not outbound:
        _convert_number_change(value, message, person, value.moment(message)[0])


def convert_status(value: WebhookChange, status: JsonObject) -> None:
    """Convert a delivery status, a payment status, or count any other."""
    if status.optional_text("recipient_type") == "group":
        value.ignored["status of a group message"] += 1
        return
    step = status.text("status").lower()
    kind = (status.optional_text("type") or _DELIVERY).lower()
    if kind == PAYMENT:
        _convert_payment(value, status, step)
    elif kind != _DELIVERY:
        # Not a delivery status, even if it uses the same words.
        value.ignored[f"{kind[:40]} status {step[:40]}"] += 1
    else:
        _convert_delivery(value, status, step)


def _convert_delivery(value: WebhookChange, status: JsonObject, step: str) -> None:
    if step not in DELIVERY_STEPS:
        value.ignored[f"status {step[:40]}"] += 1
        return
    at, _ = value.moment(status)
    person = value.recipient(status)
    if person is not None:
        value.met(person, at)
    errors = provider_errors(status.parts("errors"))
    value.events.append(
        StatusUpdate(
            channel=value.channel,
            person=person,
            wamid=status.id("id"),
            at=at,
            status=step,
            error=errors[0] if errors else None,
            live=value.live,
            **_pricing(status.members.get("pricing")),
        )
    )
    value.at = max(value.at, at)


def _pricing(value: object) -> dict[str, Any]:
    """Return the pricing columns of a status; malformed members count as absent."""
    members = value if isinstance(value, Mapping) else {}
    billable = members.get("billable")
    return {
        "category": _price_word(members.get("category")),
        "billable": billable if isinstance(billable, bool) else None,
        "pricing_model": _price_word(members.get("pricing_model")),
        "pricing_type": _price_word(members.get("type")),
    }


def _price_word(value: object) -> str | None:
    return value[:WORD_LIMIT] if isinstance(value, str) and value else None


def _convert_payment(value: WebhookChange, status: JsonObject, step: str) -> None:
    """Convert a payment status to a system message that quotes the payment request."""
    person = value.recipient(status)
    if person is None:
        value.ignored[f"payment status {step[:40]} without a recipient"] += 1
        return
    contents = payment_contents(status, step)
    at, stamped_at = value.moment(status)
    value.events.append(
        MessageUpsert(
            channel=value.channel,
            person=person,
            wamid=None,
            at=at,
            outbound=False,
            author=Author("system"),
            type=contents.type,
            source=value.source or "webhook",
            text=contents.text,
            content=contents.content,
            reply_wamid=status.id("id"),
            raw=contents.raw,
            live=value.live,
            stamped_at=stamped_at,
        )
    )
    value.met(person, at)


def _sender(value: WebhookChange, message: JsonObject) -> Person:
    """Return the sender. Some messages about a changed user id name the sender only inside."""
    if "from" in message or "from_user_id" in message:
        return value.person(message, "from", "from_user_id")
    system = message.optional_part("system")
    if system is not None:
        named = JsonObject({"from_user_id": _old_user_id(system)}, message.where)
        return value.person(named, "from", "from_user_id")
    return value.person(message, "from", "from_user_id")


def _upsert(
    value: WebhookChange,
    message: JsonObject,
    person: Person,
    contents: MessageContents,
    *,
    outbound: bool,
    author: str | None = None,
    status: str | None = None,
) -> None:
    at, stamped_at = value.moment(message)
    context = message.optional_part("context") or JsonObject({})
    awaited = (contents.content or {}).get("reason") == "media_placeholder"
    value.events.append(
        MessageUpsert(
            channel=value.channel,
            person=person,
            wamid=message.id("id"),
            at=at,
            outbound=outbound,
            author=Author(author or ("phone" if outbound else "contact")),
            type=contents.type,
            source=value.source or ("echo" if outbound else "webhook"),
            text=contents.text,
            content=contents.content,
            media=contents.media,
            reply_wamid=context.optional_id("id"),
            forwarded=_forwarded(context),
            referral=_referral(message.optional_part("referral")),
            status=status or ("sent" if outbound else None),
            richness=HISTORY_PLACEHOLDER if awaited else CONTENTS,
            raw=contents.raw,
            live=value.live,
            stamped_at=stamped_at,
        )
    )
    value.met(person, at)


def _reaction(message: JsonObject) -> MessageContents | None:
    """Return a reaction's contents, None if it is malformed or no reaction."""
    if type_of(message) != "reaction":
        return None
    try:
        reaction = message.part("reaction")
        emoji = reaction.optional_text("emoji") or None
        content = {
            "emoji": emoji,
            "removed": emoji is None,
            "target_message_id": None,
            "target_wamid": reaction.id("message_id"),
        }
    except Malformed:
        return None
    return MessageContents("reaction", content=content)


def _fold_reaction(
    value: WebhookChange, contents: MessageContents, at: int, *, outbound: bool
) -> None:
    """Set the reaction of a message."""
    content = contents.content or {}
    value.events.append(
        ReactionSet(
            channel=value.channel,
            target_wamid=content["target_wamid"],
            person=BUSINESS_SIDE if outbound else CONTACT_SIDE,
            emoji=content["emoji"],
            at=at,
            outbound=outbound,
            author="phone" if outbound else "contact",
        )
    )


def _convert_number_change(
    value: WebhookChange, message: JsonObject, person: Person, at: int
) -> None:
    """Add the number that a person shared on request to their contact."""
    for contact in message.parts("contacts"):
        if contact.optional_text("origin") != "contact_request":
            continue
        for entry in contact.parts("phones"):
            phone = phone_of(entry.optional_text("wa_id") or entry.optional_text("phone"))
            if phone is not None:
                own = Person(phone, phone.removeprefix("+"), person.wa_user_id)
                value.events.append(ContactUpsert(own, at, channel=value.channel))
                return


def _convert_edit(value: WebhookChange, message: JsonObject) -> None:
    edit = message.part("edit")
    at, _ = value.moment(message)
    contents = contents_of(edit.part("message"))
    value.events.append(
        MessageEdit(
            channel=value.channel,
            target_wamid=edit.id("original_message_id"),
            at=at,
            type=contents.type,
            text=contents.text,
            content=contents.content,
            media=contents.media,
        )
    )
    value.at = max(value.at, at)


def _convert_revoke(value: WebhookChange, message: JsonObject) -> None:
    target = message.part("revoke").id("original_message_id")
    at, _ = value.moment(message)
    value.events.append(MessageRevoke(value.channel, target, at))
    value.at = max(value.at, at)


_AMENDING: Mapping[str, Callable[[WebhookChange, JsonObject], None]] = {
    "edit": _convert_edit,
    "revoke": _convert_revoke,
}


def _convert_system(value: WebhookChange, message: JsonObject, person: Person) -> None:
    """Convert a system message, such as a changed number; it has no human author."""
    system = message.optional_part("system") or JsonObject({})
    kind = system.optional_text("type") or type_of(message)
    content: dict[str, Any] = {"event": _SYSTEM_EVENTS.get(kind, kind)}
    raw = None
    at, _ = value.moment(message)
    if kind in _NUMBER_CHANGED or kind == _USER_ID_CHANGED:
        new = _changed_identity(system)
        if kind in _NUMBER_CHANGED:
            content |= {"old_phone": person.phone, "new_phone": new and new.phone}
        if new is None:
            raw = message.members
        else:
            value.events.append(IdentityChange(person, new, at, value.channel))
    elif kind not in _SYSTEM_EVENTS and kind != "request_welcome":
        raw = message.members
    text = system.optional_text("body") or None
    contents = MessageContents("system", text, content, raw=raw)
    _upsert(value, message, person, contents, outbound=False, author="system")


def _changed_identity(system: JsonObject) -> Person | None:
    """Return the new identity, None if only the text of the message names it."""
    previous = system.optional_text("new_wa_id") or system.optional_text("wa_id") or ""
    number = previous.removeprefix("+")
    user_id = system.optional_id("user_id")
    if is_phone(number):
        return Person(f"+{number}", number, user_id)
    return None if user_id is None else Person(wa_user_id=user_id)


def _old_user_id(system: JsonObject) -> str | None:
    """Return the previous user id; some messages name it only in their text."""
    previous = system.optional_id("previous_user_id")
    if previous is not None:
        return previous
    before, changed, _ = (system.optional_text("body") or "").partition(" to ")
    return before.rpartition(" ")[2] or None if changed else None


def _forwarded(context: JsonObject) -> str | None:
    if context.flag("frequently_forwarded"):
        return "many"
    return "once" if context.flag("forwarded") else None


def _referral(referral: JsonObject | None) -> dict[str, str | None] | None:
    if referral is None:
        return None
    names = ("source_type", "source_id", "source_url", "headline", "body")
    return {name: referral.optional_text(name) for name in names}
