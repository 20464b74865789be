"""Domain events: output of all ingestion sources, input of `apply_events`.

Frozen values in the store's terms. Times are epoch milliseconds, UTC. None means "unknown": an
upsert never overwrites a value with None. A channel is identified by its phone_number_id, a user by
`UserUpsert.key`, a label by its title.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from frontdesk.store.media_texts import FileText
from frontdesk.store.rows import ChannelDetails
from frontdesk.text.limits import NAME, WORD
from frontdesk.text.phones import phone_forms

# Richness of a copy of a message; a richer copy replaces a poorer one.
PLACEHOLDER, HISTORY_PLACEHOLDER, CONTENTS = 0, 1, 2

# Precedence of sources of a contact's name.
NO_NAME, PROFILE_NAME, IMPORTED_NAME, ADDRESS_BOOK_NAME = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Person:
    """Identifiers of a WhatsApp user in one event; at least one is not None.

    phone is E.164; wa_id is digits; wa_user_id identifies a user who hides the number.
    """

    phone: str | None = None
    wa_id: str | None = None
    wa_user_id: str | None = None

    @classmethod
    def of_phone(
        cls, phone: str, wa_id: str | None = None, wa_user_id: str | None = None
    ) -> "Person":
        """Return who has a number that may be written in another form than WhatsApp's.

        wa_id: None for the digits of the number if it has one form only, else for an unknown one.
        """
        if wa_id is None and len(phone_forms(phone)) == 1:
            wa_id = phone.removeprefix("+")
        return cls(phone, wa_id, wa_user_id)

    @classmethod
    def named(cls, name: str) -> "Person":
        """Return who has one name: a number with +, or a user id."""
        return cls(name) if name.startswith("+") else cls(wa_user_id=name)


@dataclass(frozen=True, slots=True)
class Author:
    """Author of a message or note. kind: the wire's `author`. user: key of a `UserUpsert`."""

    kind: str
    user: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MessagePricing:
    """Pricing of a message as reported by the provider at a time. None: not reported."""

    at: int
    category: str | None = None
    billable: bool | None = None
    model: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelUpsert:
    """Upsert of a channel.

    listed: from a list of channels, and not only mentioned by its events.
    """

    phone_number_id: str
    at: int
    phone: str | None = None
    display_phone_number: str | None = None
    waba_id: str | None = None
    alias: str | None = None
    details: ChannelDetails = field(default_factory=ChannelDetails)
    listed: bool = True


@dataclass(frozen=True, slots=True)
class NumberUpdate:
    """Facts about a channel that is known only by its phone number.

    phone is E.164. Parked until a channel has that number.
    """

    phone: str
    at: int
    details: ChannelDetails


# The longest texts about a contact, by member.
CONTACT_TEXTS: Mapping[str, int] = MappingProxyType(
    {"username": NAME, "profile_name": NAME, "email": WORD}
)


@dataclass(frozen=True, slots=True)
class ContactUpsert:
    """Facts about a contact. channel: the channel of the conversation, None without one.

    marketing_opt_out: True if the customer wants no marketing messages from `at` on. is_sighting:
    the person had these identifiers then; False if their times are known from a `ContactMention`.
    """

    person: Person
    at: int
    name: str | None = None
    name_rank: int = NO_NAME
    profile_name: str | None = None
    username: str | None = None
    email: str | None = None
    blocked: bool | None = None
    marketing_opt_out: bool | None = None
    custom_fields: Mapping[str, Any] = field(default_factory=dict)
    channel: str | None = None
    is_sighting: bool = True


# Facts about a contact that are a column each, with the name of their field.
CONTACT_FACTS = tuple(
    each.name
    for each in fields(ContactUpsert)
    if each.name
    not in (
        *("person", "at", "channel", "is_sighting"),
        *("name", "name_rank", "marketing_opt_out", "custom_fields"),
    )
)


@dataclass(frozen=True, slots=True)
class ContactRemove:
    """Removal from a channel's address book; only the name from there is dropped.

    is_sighting: as of `ContactUpsert`.
    """

    person: Person
    at: int
    channel: str | None = None
    is_sighting: bool = True


@dataclass(frozen=True, slots=True)
class IdentityChange:
    """Change of a person's number or user id from `old` to `new`.

    Ignored if `new` identified somebody else before `at`; undone if that becomes known later.
    """

    old: Person
    new: Person
    at: int
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class ContactMention:
    """A contact since `at`, without facts. active_at: when it last took part in a message.

    former_names: further numbers (E.164) and user ids, each ignored if another contact has it.
    phone_at, user_at: when an event last named the number and the user id, 0 for never.
    """

    person: Person
    at: int
    former_names: tuple[str, ...] = ()
    active_at: int | None = None
    phone_at: int = 0
    user_at: int = 0


@dataclass(frozen=True, slots=True)
class MessageUpsert:
    """Message between a channel and a person. `live` is False for back-fill.

    status: delivery status reported with the message itself. stamped_at: the provider's time if it
    lies in the future; `at` is then the time of receipt. edited_at, deleted_at, error: for a
    message without a wamid, which other events cannot refer to. compared: of a chat export, and no
    stored message is the same. expired_at: when the contents were removed because of their age.
    is_sighting: as of `ContactUpsert`. media_text: words that were read in its file elsewhere.
    """

    channel: str
    person: Person
    wamid: str | None
    at: int
    outbound: bool
    author: Author
    type: str
    source: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None
    reply_wamid: str | None = None
    forwarded: str | None = None
    referral: Mapping[str, Any] | None = None
    status: str | None = None
    richness: int = CONTENTS
    raw: Mapping[str, Any] | None = None
    live: bool = True
    stamped_at: int | None = None
    edited_at: int | None = None
    deleted_at: int | None = None
    error: Mapping[str, Any] | None = None
    pricing: MessagePricing | None = None
    compared: bool = False
    expired_at: int | None = None
    is_sighting: bool = True
    media_text: FileText | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MessageEdit:
    """New contents of a message; parked until the message is stored."""

    channel: str
    target_wamid: str
    at: int
    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MessageRevoke:
    """Deletion of a message for everyone; parked until the message is stored."""

    channel: str
    target_wamid: str
    at: int


@dataclass(frozen=True, slots=True)
class MessageRead:
    """The business read a customer's message; parked until the message is stored."""

    channel: str
    target_wamid: str
    at: int


@dataclass(frozen=True, slots=True)
class StatusUpdate:
    """Delivery status of an outbound message: sent, delivered, read, played or failed.

    category, billable, pricing_model, pricing_type: the provider's pricing. priced_at: time of the
    pricing, None for `at`.
    """

    channel: str
    person: Person | None
    wamid: str
    at: int
    status: str
    error: Mapping[str, Any] | None = None
    live: bool = True
    category: str | None = None
    billable: bool | None = None
    pricing_model: str | None = None
    pricing_type: str | None = None
    priced_at: int | None = None


@dataclass(frozen=True, slots=True)
class ReactionSet:
    """Current reaction of a person to a message; an emoji of None removes it.

    person: the side that reacts, contact or business.
    """

    channel: str
    target_wamid: str
    person: str
    emoji: str | None
    at: int
    outbound: bool
    author: str


@dataclass(frozen=True, slots=True)
class NoteUpsert:
    """Note. at: time of this text; created_at: when it was first written, None for `at`."""

    channel: str
    person: Person
    external_id: str
    at: int
    text: str
    author: Author
    created_at: int | None = None


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """Conversation event other than a message.

    name and value: opened {}, resolved {}, snoozed {until: ms or None}, assigned {user: key or
    None}, labelled {title, on: bool}, bot_handoff {}, bot_resolved {}, read_marker {until: ms},
    awaiting_human {on: bool}, which reports do not count as a hand-off.
    """

    channel: str
    person: Person
    external_id: str
    at: int
    name: str
    value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConversationUpsert:
    """What no other event says of a conversation.

    at: its start. active_at: its last activity, or later. assumed: open or resolved, as long as
    only back-fill is known of it; None for what the import chooses.
    """

    channel: str
    person: Person
    at: int
    active_at: int
    assumed: Literal["open", "resolved"] | None = None


@dataclass(frozen=True, slots=True)
class UserUpsert:
    """User; `key` identifies it across imports (the e-mail address if there is one)."""

    key: str
    name: str
    at: int
    email: str | None = None
    role: str | None = None
    availability: str | None = None
    active: bool | None = None
    avatar_url: str | None = None


@dataclass(frozen=True, slots=True)
class TeamUpsert:
    """Team with its channels and members (user keys).

    distribution: round_robin, or off to disable assignment.
    """

    name: str
    at: int
    description: str | None = None
    channels: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    distribution: str | None = None


@dataclass(frozen=True, slots=True)
class LabelUpsert:
    """Label; titles are case-insensitive."""

    title: str
    at: int
    color: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class CustomFieldUpsert:
    key: str
    name: str
    at: int
    type: str | None = None
    description: str | None = None
    options: tuple[str, ...] | None = None
    position: int | None = None
    pattern: str | None = None
    pattern_hint: str | None = None


@dataclass(frozen=True, slots=True)
class CannedResponseUpsert:
    short_code: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class TemplateUpsert:
    """Message template; `components` is Meta's array, empty if unknown."""

    id: str
    name: str
    language: str
    at: int
    components: tuple[Mapping[str, Any], ...] = ()
    category: str | None = None
    status: str | None = None
    quality_score: str | None = None
    waba_id: str | None = None
    rejected_reason: str | None = None
    previous_category: str | None = None
    parameter_format: str | None = None


DomainEvent = (
    ChannelUpsert
    | NumberUpdate
    | ContactUpsert
    | ContactRemove
    | IdentityChange
    | ContactMention
    | MessageUpsert
    | MessageEdit
    | MessageRevoke
    | MessageRead
    | StatusUpdate
    | ReactionSet
    | NoteUpsert
    | ConversationEvent
    | ConversationUpsert
    | UserUpsert
    | TeamUpsert
    | LabelUpsert
    | CustomFieldUpsert
    | CannedResponseUpsert
    | TemplateUpsert
)
