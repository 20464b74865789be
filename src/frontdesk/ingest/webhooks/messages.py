"""Converts messages, echoes and delivery statuses of a webhook change to events (pure).

`WebhookChange` collects the events of a change with its channel and contacts.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from frontdesk.ingest.events import (
    CONTENTS,
    HISTORY_PLACEHOLDER,
    PROFILE_NAME,
    Author,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    IdentityChange,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.json_reader import (
    JsonObject,
    Malformed,
    digits_of,
    is_phone,
    phone_of,
    shown_number,
)
from frontdesk.ingest.webhooks.contents import (
    PAYMENT,
    MessageContents,
    contents_of,
    payment_contents,
    provider_errors,
    type_of,
)
from frontdesk.store.rollups import WORD_LIMIT
from frontdesk.text.phones import is_same_phone, is_user_id
from frontdesk.wire.values import DELIVERY_STEPS, REFERRED_PRODUCT

# Members that identify the person of an element, by array.
PERSONS: Mapping[str, tuple[str, str]] = {
    "messages": ("from", "from_user_id"),
    "message_echoes": ("to", "to_user_id"),
    "statuses": ("recipient_id", "recipient_user_id"),
}

# Members with a customer's number as WhatsApp knows it; others have it as the business wrote it.
_STATED = (PERSONS["messages"][0], "wa_id")

# Tolerance for timestamps later than the receipt; beyond it, the sender's clock is wrong.
CLOCKS_DIFFER = 5 * 60 * 1000


@dataclass(slots=True)
class WebhookChange:
    """Change that belongs to one of our channels. at: its newest element, epoch milliseconds.

    live: False for back-fill. received_at: time of receipt, None if unknown. source: of messages,
    None to derive it from the element. sole_contact: the contact of all elements, if they concern
    one person and there is one contact. refused: errors of unreadable elements.
    """

    channel: str
    metadata: JsonObject = field(default_factory=lambda: JsonObject({}))
    contacts: list[JsonObject] = field(default_factory=list)
    errors: list[JsonObject] = field(default_factory=list)
    live: bool = False
    received_at: int | None = None
    ignored: Counter[str] = field(default_factory=Counter)
    source: str | None = None
    sole_contact: JsonObject | None = None
    events: list[DomainEvent] = field(default_factory=list)
    persons: list[tuple[Person, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    at: int = 0

    def attempt(self, convert: Callable[..., None], *parts: JsonObject | Malformed) -> None:
        """Convert one element; an unreadable one does not affect its siblings."""
        count = len(self.events)
        try:
            for part in parts:
                if isinstance(part, Malformed):
                    raise part
            convert(self, *parts)
        except Malformed as error:
            del self.events[count:]
            self.refused.append(str(error))

    def moment(self, element: JsonObject) -> tuple[int, int | None]:
        """Return the effective time, and the element's own if that lies in the future."""
        stamp = element.moment("timestamp")
        if self.received_at is not None and stamp > self.received_at + CLOCKS_DIFFER:
            return self.received_at, stamp
        return stamp, None

    def met(self, person: Person, at: int) -> None:
        """Record that a person took part at a time."""
        self.persons.append((person, at))
        self.at = max(self.at, at)

    def person(self, element: JsonObject, number_name: str, user_name: str) -> Person:
        """Return the person of an element by number, user id, or both if the contacts have them."""
        number = (element.optional_text(number_name) or "").removeprefix("+")
        user_id = element.optional_id(user_name)
        if is_user_id(number):
            number, user_id = "", user_id or number
        contact = self._contact(number, user_id)
        if contact is not None:
            user_id = user_id or contact.optional_id("user_id")
            number = number or (contact.optional_text("wa_id") or "").removeprefix("+")
        if is_phone(number):
            wa_id = contact.optional_id("wa_id") if contact else None
            if wa_id is None and number_name in _STATED:
                wa_id = number
            return Person.of_phone(f"+{number}", wa_id, user_id)
        if user_id is None:
            raise Malformed(f"{element.where}.{number_name} is not a phone number")
        return Person(wa_user_id=user_id)

    def recipient(self, status: JsonObject) -> Person | None:
        """Return the person of a status, None if neither it nor the contacts identify one."""
        names = PERSONS["statuses"]
        sole = self.sole_contact
        if any(name in status for name in names) or (
            sole is not None and ("wa_id" in sole or "user_id" in sole)
        ):
            return self.person(status, *names)
        return None

    def all_events(self, account: str | None) -> list[DomainEvent]:
        """Return the change's events, preceded by those of its channel and contacts."""
        if not self.events:
            return []
        return [self._channel_upsert(account), *self._names(), *self.events]

    def business_digits(self) -> str:
        """Return the digits of our own number, "" if unknown."""
        return digits_of(shown_number(self.metadata))

    def _channel_upsert(self, account: str | None) -> ChannelUpsert:
        return ChannelUpsert(
            phone_number_id=self.channel,
            at=self.at,
            phone=phone_of(self.business_digits()),
            display_phone_number=shown_number(self.metadata),
            waba_id=account,
            listed=False,
        )

    def _names(self) -> Iterator[ContactUpsert]:
        """Yield the contacts' profile names, as of their last element."""
        latest: dict[Person, int] = {}
        for person, at in self.persons:
            latest[person] = max(at, latest.get(person, 0))
        for person, at in latest.items():
            contact = self._contact(person.wa_id or "", person.wa_user_id)
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
                channel=self.channel,
            )

    def _contact(self, number: str, user_id: str | None) -> JsonObject | None:
        """Find the contact of a number or user by id, not by position.

        Without one, it is the sole contact unless that has another number or user id.
        """
        for contact in self.contacts:
            if number and is_same_phone(f"+{number}", f"+{contact.optional_text('wa_id')}"):
                return contact
            if user_id and user_id in (
                contact.optional_text("user_id"),
                contact.optional_text("wa_id"),
            ):
                return contact
        sole = self.sole_contact
        if sole is None or (number and "wa_id" in sole) or (user_id and "user_id" in sole):
            return None
        return sole


# Each side of a conversation has one reaction per message.
CONTACT_SIDE, BUSINESS_SIDE = "contact", "business"

# Category and values of a customer's preference.
_MARKETING = "marketing_messages"
_OPTS_OUT: Mapping[str, bool] = {"stop": True, "resume": False}

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
    person = (
        value.person(message, *PERSONS["message_echoes"]) if outbound else _sender(value, message)
    )
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


def convert_preference(value: WebhookChange, preference: JsonObject) -> None:
    """Convert that a customer stops or resumes marketing messages."""
    category = preference.optional_text("category") or "unknown"
    wish = (preference.optional_text("value") or "unknown").lower()
    if category != _MARKETING or wish not in _OPTS_OUT:
        value.ignored[f"preference {category[:40]} {wish[:40]}"] += 1
        return
    person = value.person(preference, "wa_id", "user_id")
    at, _ = value.moment(preference)
    opt_out = _OPTS_OUT[wish]
    value.events.append(ContactUpsert(person, at, marketing_opt_out=opt_out, channel=value.channel))
    value.met(person, at)


def convert_user_id(value: WebhookChange, update: JsonObject) -> None:
    """Convert that a person has another user id."""
    user_id = update.part("user_id")
    old, new = user_id.id("previous"), user_id.id("current")
    at, _ = value.moment(update)
    members = {"wa_id": update.members.get("wa_id"), "user_id": new}
    person = value.person(JsonObject(members, update.where), "wa_id", "user_id")
    if person.phone is not None:
        # Who has that number had the old id until then.
        before = replace(person, wa_user_id=old)
        value.events.append(ContactUpsert(before, at - 1, channel=value.channel))
    change = IdentityChange(Person(wa_user_id=old), Person(wa_user_id=new), at, value.channel)
    value.events.append(change)
    value.met(person, at)


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
    _upsert(value, status, person, contents, outbound=False, author="system", quotes_id=True)


def _sender(value: WebhookChange, message: JsonObject) -> Person:
    """Return the sender. Some messages about a changed user id name the sender only inside."""
    system = message.optional_part("system")
    if system is not None and not any(name in message for name in PERSONS["messages"]):
        message = JsonObject({"from_user_id": _old_user_id(system)}, message.where)
    return value.person(message, *PERSONS["messages"])


def _upsert(
    value: WebhookChange,
    message: JsonObject,
    person: Person,
    contents: MessageContents,
    *,
    outbound: bool,
    author: str | None = None,
    status: str | None = None,
    quotes_id: bool = False,
) -> None:
    """Add a message. quotes_id: the id is not its own, but that of the message it quotes."""
    at, stamped_at = value.moment(message)
    id_ = message.id("id")
    context = message.part_or_empty("context")
    awaited = (contents.content or {}).get("reason") == "media_placeholder"
    value.events.append(
        MessageUpsert(
            channel=value.channel,
            person=person,
            wamid=None if quotes_id else id_,
            at=at,
            outbound=outbound,
            author=Author(author or ("phone" if outbound else "contact")),
            type=contents.type,
            source=value.source or ("echo" if outbound else "webhook"),
            text=contents.text,
            content=_with_product(contents.content, context),
            media=contents.media,
            reply_wamid=id_ if quotes_id else context.optional_id("id"),
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
                own = Person.of_phone(phone, entry.optional_id("wa_id"), person.wa_user_id)
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
    system = message.part_or_empty("system")
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
            old = _previous_identity(system, person, new)
            value.events.append(IdentityChange(old, new, at, value.channel))
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


def _previous_identity(system: JsonObject, person: Person, new: Person) -> Person:
    """Return the identity before a change; the sender may have the new one already."""
    if person.wa_user_id and person.wa_user_id == new.wa_user_id:
        old = _old_user_id(system)
        if old is not None and is_user_id(old) and old != new.wa_user_id:
            return Person(wa_user_id=old)
    elif person.phone and person.phone == new.phone:
        number = (_word_before_change(system) or "").removeprefix("+")
        if is_phone(number) and f"+{number}" != new.phone:
            return Person.of_phone(f"+{number}", None)
    return person


def _old_user_id(system: JsonObject) -> str | None:
    """Return the previous user id; some messages name it only in their text."""
    return system.optional_id("previous_user_id") or _word_before_change(system)


def _word_before_change(system: JsonObject) -> str | None:
    """Return the number or id that the text of a change names first: … from OLD to NEW.

    A name in front of it may have any words.
    """
    before, changed, _ = (system.optional_text("body") or "").rpartition(" to ")
    return before.rpartition(" ")[2] or None if changed else None


def _with_product(
    content: Mapping[str, Any] | None, context: JsonObject
) -> Mapping[str, Any] | None:
    """Contents with the product of the catalogue that the message asks about."""
    product = context.members.get(REFERRED_PRODUCT)
    if not isinstance(product, Mapping):
        return content
    known = JsonObject(product).optional_texts("catalog_id", "product_retailer_id")
    return {**(content or {}), REFERRED_PRODUCT: known}


def _forwarded(context: JsonObject) -> str | None:
    if context.flag("frequently_forwarded"):
        return "many"
    return "once" if context.flag("forwarded") else None


def _referral(referral: JsonObject | None) -> dict[str, str | None] | None:
    if referral is None:
        return None
    texts = referral.optional_texts(
        *("source_type", "source_id", "source_url", "headline", "body"),
        *("media_type", "image_url", "video_url", "thumbnail_url", "ctwa_clid"),
    )
    welcome = referral.optional_part("welcome_message")
    return {**texts, "welcome_message": welcome.optional_text("text") if welcome else None}
