"""Domain events: what the doors of ingestion produce and the apply step consumes.

Plain frozen values in the store's words. Times are epoch milliseconds, UTC. None means "not told":
an upsert never overwrites what is known with None. A channel is named by its phone_number_id, a
user by `UserUpsert.key`, a label by its title.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Which of two copies of one message has more to say.
PLACEHOLDER, HISTORY_PLACEHOLDER, CONTENTS = 0, 1, 2

# How good a contact's name is (contract 1.4.4).
NO_NAME, PROFILE_NAME, IMPORTED_NAME, ADDRESS_BOOK_NAME = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Person:
    """A WhatsApp user as one event names them; at least one of the first three is not None.

    phone is E.164; wa_id is digits; wa_user_id is the id of a user who hides the number.
    """

    phone: str | None = None
    wa_id: str | None = None
    wa_user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote something. kind: the wire's `author`. user: the key of a `UserUpsert`."""

    kind: str
    user: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Pricing:
    """What the provider charged a message as, told at a time. None: that was not told."""

    at: int
    category: str | None = None
    billable: bool | None = None
    model: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelUpsert:
    """A number is known, with whatever is told of it; `details` has columns of `channel`.

    listed: by somebody who says which numbers there are, not only seen in what came for it.
    """

    phone_number_id: str
    at: int
    phone: str | None = None
    display_phone_number: str | None = None
    waba_id: str | None = None
    alias: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    listed: bool = True


@dataclass(frozen=True, slots=True)
class NumberUpdate:
    """Something is told of a number whose phone_number_id the event does not give.

    phone is E.164. It waits until a channel has that number.
    """

    phone: str
    at: int
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ContactUpsert:
    """Something is known of a person. channel: through which number, None where through none."""

    person: Person
    at: int
    name: str | None = None
    name_rank: int = NO_NAME
    profile_name: str | None = None
    username: str | None = None
    email: str | None = None
    blocked: bool | None = None
    custom_fields: Mapping[str, Any] = field(default_factory=dict)
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class ContactRemove:
    """A person was taken out of the address book of a number; only the name from there goes."""

    person: Person
    at: int
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class IdentityChange:
    """A person is now known by another number or user id; `old` and `new` name one person.

    Nothing comes of it if `new` was already somebody else before `at`, or of what came of it
    nothing is left once that is told.
    """

    old: Person
    new: Person
    at: int
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class MessageUpsert:
    """A message between a channel and a person. `live` is False for back-fill (rule R11).

    status, when given, is the delivery status that came with the message itself. stamped_at: the
    provider's time where it lies in the future; `at` is then the time of receipt. edited_at,
    deleted_at, error: for a message without a wamid, which no `MessageEdit`, `MessageRevoke` or
    `StatusUpdate` can name.
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
    pricing: Pricing | None = None


@dataclass(frozen=True, slots=True)
class MessageEdit:
    """A message now says something else. It waits until the message is known."""

    channel: str
    target_wamid: str
    at: int
    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MessageRevoke:
    """A message was deleted for everyone. It waits until the message is known."""

    channel: str
    target_wamid: str
    at: int


@dataclass(frozen=True, slots=True)
class StatusUpdate:
    """A delivery step of an outbound message. status: sent, delivered, read, played, failed.

    category: what the provider charges the message as: service, marketing, utility, …; this and
    the members after it are its pricing. priced_at: when that was told, None for `at`.
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

    @property
    def pricing(self) -> Pricing | None:
        """What is told of the pricing, None for nothing."""
        told = (self.category, self.billable, self.pricing_model, self.pricing_type)
        if all(one is None for one in told):
            return None
        return Pricing(self.at if self.priced_at is None else self.priced_at, *told)


@dataclass(frozen=True, slots=True)
class ReactionSet:
    """A person's reaction to a message is now `emoji`; None takes it away.

    person tells apart who reacts to one message: the contact, or somebody of the business.
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
    """An internal note on the conversation of a channel and a person."""

    channel: str
    person: Person
    external_id: str
    at: int
    text: str
    author: Author


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """Something happened to a conversation besides messages.

    name and value: opened {}, resolved {}, snoozed {until: ms or None}, assigned {user: key or
    None}, labelled {title, on: bool}, bot_handoff {}, bot_resolved {}, read_marker {until: ms},
    awaiting_human {on: bool}, which other than bot_handoff is no hand-off to a report.
    """

    channel: str
    person: Person
    external_id: str
    at: int
    name: str
    value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UserUpsert:
    """An agent; `key` identifies it across imports (an e-mail address where there is one)."""

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
    """A team with its numbers and its members (keys of users).

    distribution: round_robin, or off for a team that conversations are not given to (R10).
    """

    name: str
    at: int
    description: str | None = None
    channels: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    distribution: str | None = None


@dataclass(frozen=True, slots=True)
class LabelUpsert:
    """A label; titles that differ only in case are one label."""

    title: str
    at: int
    color: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class CustomFieldUpsert:
    """The definition of a contact attribute."""

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
    """A reusable reply."""

    short_code: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class TemplateUpsert:
    """A message template; `components` is Meta's array, empty where it is not told."""

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
    | MessageUpsert
    | MessageEdit
    | MessageRevoke
    | StatusUpdate
    | ReactionSet
    | NoteUpsert
    | ConversationEvent
    | UserUpsert
    | TeamUpsert
    | LabelUpsert
    | CustomFieldUpsert
    | CannedResponseUpsert
    | TemplateUpsert
)
