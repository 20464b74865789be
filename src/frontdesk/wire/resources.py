"""The resources of `/v1` (contract 1.4): nothing else in frontdesk knows a field's name.

Ids are opaque strings. Timestamps are ISO 8601 strings in UTC, see `frontdesk.wire.times`.
Enumerations are open, so they are `str`; the values we know are listed beside the field.
"""

from typing import Any

from frontdesk.wire.base import Wire


class Ref(Wire):
    """A person or thing by id and name; either may be unknown."""

    id: str | None = None
    name: str | None = None


class PhoneRef(Wire):
    """A channel or contact in short: what a list row needs of it."""

    id: str
    name: str | None = None
    phone: str | None = None


class UserRef(Wire):
    """A user in short."""

    id: str
    name: str


class MessagePreview(Wire):
    """The newest message of a conversation; `text` is cut to 200 characters."""

    id: str
    direction: str = "inbound"
    author: str = "contact"
    type: str = "text"
    text: str | None = None
    delivery_status: str | None = None
    created_at: str


class Conversation(Wire):
    """The one conversation of a contact and a channel.

    status: open, snoozed, resolved. unread_count None: the server has no read marker.
    last_message is absent when the key may not read messages.
    """

    id: str
    status: str
    awaiting_human: bool | None = None
    snoozed_until: str | None = None
    channel: PhoneRef
    contact: PhoneRef
    assignee: UserRef | None = None
    labels: tuple[str, ...] = ()
    unread_count: int | None = None
    waiting_since: str | None = None
    first_reply_at: str | None = None
    last_inbound_at: str | None = None
    service_window_expires_at: str | None = None
    last_activity_at: str
    last_message: MessagePreview | None = None
    created_at: str | None = None
    updated_at: str | None = None


class Media(Wire):
    """What is known of an attachment; `url` stays None while the service serves no media."""

    id: str | None = None
    mime_type: str | None = None
    filename: str | None = None
    size_bytes: int | None = None
    sha256: str | None = None
    voice: bool | None = None
    animated: bool | None = None
    url: str | None = None
    url_expires_at: str | None = None


class ReplyTo(Wire):
    """The quoted message; all but `wamid` are None when it is not stored."""

    message_id: str | None = None
    wamid: str | None = None
    direction: str | None = None
    author: str | None = None
    type: str | None = None
    text: str | None = None


class Reaction(Wire):
    """One person's current reaction to a message."""

    emoji: str
    direction: str
    author: str
    created_at: str


class Delivery(Wire):
    """When an outbound message reached each step."""

    sent_at: str | None = None
    delivered_at: str | None = None
    read_at: str | None = None
    played_at: str | None = None
    failed_at: str | None = None


class ProviderError(Wire):
    """Why the provider refused or lost a message."""

    code: int
    title: str
    details: str | None = None


class Pricing(Wire):
    """What the provider charged a message as; what it did not tell is absent.

    category: marketing, utility, authentication, service and others. type: regular,
    free_customer_service, free_entry_point. model: PMP (a message), CBP (a conversation).
    """

    billable: bool | None = None
    model: str | None = None
    category: str | None = None
    type: str | None = None


class Message(Wire):
    """One message of a conversation.

    author: contact, user, ai_agent, phone, campaign, api, automation, system.
    type: text, image, video, audio, document, sticker, location, contacts, interactive, template,
    order, reaction, system, unsupported; `content` has the type's own members (contract 1.4.2).
    delivery_status: pending, sent, delivered, read, played, failed; None for inbound.
    source: webhook, echo, history, archive, chat_export, chatwoot. pricing is absent where the
    provider told none.
    """

    id: str
    conversation_id: str | None = None
    direction: str
    author: str
    author_ref: Ref | None = None
    type: str = "text"
    text: str | None = None
    content: dict[str, Any] | None = None
    media: Media | None = None
    reply_to: ReplyTo | None = None
    forwarded: str | None = None
    referral: dict[str, Any] | None = None
    reactions: tuple[Reaction, ...] = ()
    delivery_status: str | None = None
    delivery: Delivery | None = None
    error: ProviderError | None = None
    pricing: Pricing | None = None
    wamid: str | None = None
    source: str | None = None
    edited_at: str | None = None
    deleted_at: str | None = None
    created_at: str


class Note(Wire):
    """An internal entry on a conversation. author: user, ai_agent, automation."""

    id: str
    conversation_id: str | None = None
    text: str
    author: str = "user"
    author_ref: Ref | None = None
    created_at: str
    updated_at: str | None = None


class Contact(Wire):
    """A customer. `phone` is None for a WhatsApp user who hides the number."""

    id: str
    phone: str | None = None
    name: str | None = None
    profile_name: str | None = None
    email: str | None = None
    wa_id: str | None = None
    wa_user_id: str | None = None
    username: str | None = None
    blocked: bool = False
    custom_fields: dict[str, Any] = {}
    last_activity_at: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class CustomField(Wire):
    """The definition of a contact attribute.

    type: text, number, currency, percent, link, date, list, checkbox.
    """

    id: str
    key: str
    name: str
    type: str = "text"
    scope: str = "contact"
    description: str | None = None
    options: tuple[str, ...] = ()
    pattern: str | None = None
    pattern_hint: str | None = None
    position: int = 0
    created_at: str | None = None
    updated_at: str | None = None


class Label(Wire):
    """A tag of conversations; `title` is the value that the label filter takes."""

    id: str
    title: str
    description: str | None = None
    color: str = "#1f93ff"
    created_at: str | None = None
    updated_at: str | None = None


class User(Wire):
    """An agent. role: agent, administrator. availability: online, busy, offline, None unknown."""

    id: str
    name: str
    email: str | None = None
    role: str = "agent"
    availability: str | None = None
    avatar_url: str | None = None
    active: bool = True
    created_at: str | None = None
    updated_at: str | None = None


class Team(Wire):
    """Users that share numbers. distribution: round_robin."""

    id: str
    name: str
    description: str | None = None
    distribution: str = "round_robin"
    channels: tuple[str, ...] = ()
    members: tuple[UserRef, ...] = ()
    created_at: str | None = None
    updated_at: str | None = None


class Channel(Wire):
    """A WhatsApp number; its id is the phone_number_id. Meta's values are kept verbatim."""

    id: str
    name: str
    phone: str | None = None
    display_phone_number: str | None = None
    verified_name: str | None = None
    quality_rating: str | None = None
    status: str | None = None
    name_status: str | None = None
    messaging_limit: str | None = None
    throughput: str | None = None
    platform: str | None = None
    on_business_app: bool | None = None
    waba_id: str | None = None
    synced_at: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class CannedResponse(Wire):
    """A reusable reply."""

    id: str
    short_code: str
    text: str
    created_at: str | None = None
    updated_at: str | None = None


class Template(Wire):
    """A message template; `components` is Meta's array, unchanged."""

    id: str
    name: str
    language: str
    category: str | None = None
    status: str | None = None
    parameter_format: str | None = None
    components: tuple[dict[str, Any], ...] = ()
    quality_score: str | None = None
    rejected_reason: str | None = None
    previous_category: str | None = None
    waba_id: str | None = None
    channels: tuple[str, ...] = ()
    updated_at: str | None = None


class CountSet(Wire):
    """Conversations of one status; `mine` is None for a key without a user."""

    # A count that a server leaves out is not known, and not zero.
    all: int | None = None
    mine: int | None = None
    assigned: int | None = None
    unassigned: int | None = None
    awaiting_human: int | None = None


class StatusCounts(Wire):
    """A count set for each status."""

    open: CountSet
    snoozed: CountSet
    resolved: CountSet


class ChannelCounts(Wire):
    """Conversations of one channel."""

    channel: str
    all: int | None = None
    open: int | None = None


class Counts(Wire):
    """How many conversations there are. mine … unread count the open ones (or the asked status)."""

    all: int | None = None
    open: int | None = None
    snoozed: int | None = None
    resolved: int | None = None
    mine: int | None = None
    assigned: int | None = None
    unassigned: int | None = None
    awaiting_human: int | None = None
    unread: int | None = None
    by_status: StatusCounts | None = None
    by_channel: tuple[ChannelCounts, ...] = ()
    as_of: str | None = None
