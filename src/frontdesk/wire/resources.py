"""The resources of `/v1` as frozen data, with the fields that each has on the wire.

Ids are opaque strings. Timestamps are ISO 8601 strings in UTC, see `frontdesk.wire.values`.
Enumerations are open, so they are `str`; the values we know are listed beside the field.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from frontdesk.wire.base import Time, Wire, optional
from frontdesk.wire.members import (
    Author,
    Color,
    Count,
    DeliveryStatus,
    Direction,
    MediaStatus,
    MediaTextStatus,
    MessageType,
    NotNull,
    Phone,
    PriceCategory,
    PriceType,
    Status,
    TemplateCategory,
    TemplateStatus,
    Timestamp,
    closed,
    known,
)
from frontdesk.wire.values import FIELD_TYPES, MEDIA_PATH


class Ref(Wire):
    """A person or thing by id and name; either may be unknown."""

    id: str | None = optional("The id, if it is stored here.")
    name: str | None = optional("The name, if it is known.")


class PhoneRef(Wire):
    """A channel or contact in short: what a list row needs of it."""

    id: str = Field(description="The id of the contact or channel.")
    name: str | None = optional("The name or alias, if there is one.")
    phone: Phone | None = optional("The number in E.164; null for a contact who hides it.")
    username: NotNull[str] = optional(
        "The username of a contact; absent if none is known.", may_be_absent=True, extension=True
    )


class UserRef(Wire):
    """A user in short."""

    id: str = Field(description="The id of the user.")
    name: str = Field(description="The user's name.")


class MessagePreview(Wire):
    """The newest message of a conversation; `text` is cut to 200 characters."""

    id: str = Field(description="The id of the message.")
    direction: Direction = optional("Inbound from the customer, outbound to them.", "inbound")
    author: Author = optional("Kind of author.", "contact")
    type: MessageType = optional("The type of its contents.", "text")
    text: str | None = optional("The beginning of its text, at most 200 characters.")
    delivery_status: DeliveryStatus | None = optional("Delivery status; null for inbound messages.")
    created_at: Timestamp = Field(description="Time of sending.")
    deleted_at: NotNull[Timestamp] = optional(
        "Time at which its sender deleted it; absent if not.", may_be_absent=True, extension=True
    )
    media_text: NotNull[str] = optional(
        "The beginning of the words of its file as a program read them, at most 200 characters; "
        "absent if there are none, or the key lacks the scope `media:read`.",
        may_be_absent=True,
        extension=True,
    )

    created_time = Time("created_at")
    deleted_time = Time("deleted_at")

    @property
    def deleted(self) -> bool:
        """True if its sender deleted it; a text of null was, on a server that omits when."""
        return self.deleted_at is not None or (self.type == "text" and self.text is None)


class Conversation(Wire):
    """The one conversation of a contact and a channel.

    status: open, snoozed, resolved. unread_count None: the server has no read marker.
    last_message is absent when the key may not read messages.
    """

    id: str = Field(description="The id of the conversation.")
    status: Status = Field(description="Open, snoozed or resolved.")
    awaiting_human: NotNull[bool] = optional("A bot has handed the conversation to a person.")
    handed_over_at: NotNull[Timestamp] = optional(
        "While it awaits a person: when a bot last handed it over; absent if that is not known.",
        may_be_absent=True,
        extension=True,
    )
    snoozed_until: Timestamp | None = optional(
        "Time at which it opens again by itself; null if it is not snoozed, or until the next "
        "message."
    )
    channel: PhoneRef = Field(description="The WhatsApp number that the conversation is held over.")
    contact: PhoneRef = Field(description="The customer.")
    assignee: UserRef | None = optional("The user it is assigned to.")
    labels: tuple[str, ...] = optional("Titles of its labels, in alphabetical order.", ())
    unread_count: Count | None = optional(
        "Inbound messages since the read marker; null without a marker."
    )
    waiting_since: Timestamp | None = optional("Since when the customer has had no answer.")
    first_reply_at: Timestamp | None = optional("Time of the first answer by a person.")
    last_inbound_at: Timestamp | None = optional("Time of the customer's last message.")
    service_window_expires_at: Timestamp | None = optional(
        "End of the 24 hours in which WhatsApp allows a free-form answer."
    )
    last_activity_at: Timestamp = Field(
        description="Time of the latest activity; lists are ordered by it."
    )
    last_message: MessagePreview | None = optional(
        "The newest message; absent if the key may not read messages.", may_be_absent=True
    )
    created_at: NotNull[Timestamp] = optional("Time at which the conversation began.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    handed_over_time = Time("handed_over_at")
    snoozed_until_time = Time("snoozed_until")
    waiting_since_time = Time("waiting_since")
    first_reply_time = Time("first_reply_at")
    last_inbound_time = Time("last_inbound_at")
    service_window_expires_time = Time("service_window_expires_at")
    last_activity_time = Time("last_activity_at")
    created_time = Time("created_at")
    updated_time = Time("updated_at")

    @property
    def is_unread(self) -> bool:
        """True with unread messages; without a read marker, unless the customer wrote none.

        Where a server does not say when the customer wrote last, the last message tells.
        """
        if self.unread_count is not None:
            return self.unread_count > 0
        if self.last_inbound_at is not None:
            return True
        if self.last_message is None:
            return "last_inbound_at" not in self.model_fields_set
        return self.last_message.direction != "outbound"


class MediaText(Wire):
    """Words of a file as a program of the operator read them; they may be wrong."""

    status: MediaTextStatus = optional(
        "`read`, `due` (not read yet), `none` (the file has no words), `failed`.", "read"
    )
    text: str | None = optional("The words, of several lines; null if there are none.")
    language: str | None = optional("The language that the program was told, if one.")
    by: str | None = optional("Which program read them: its name, `@`, a digest of how it is run.")
    at: Timestamp | None = optional("When they were read.")

    time = Time("at")

    @property
    def program(self) -> str:
        """Name of the program that read the words; "" if it is not known."""
        return (self.by or "").partition("@")[0]


class Media(Wire):
    """Known facts of an attachment.

    Size, dimensions and status may lag behind what `/v1/media/{key}` answers.
    """

    id: str | None = optional("The provider's id of the file.")
    mime_type: str | None = optional("The MIME type.")
    filename: str | None = optional("The name that its sender gave it.")
    size_bytes: Count | None = optional("The size, if the provider reported it.")
    sha256: str | None = optional("The SHA-256 of the file, as the provider reported it.")
    voice: bool | None = optional("A voice message rather than an audio file.")
    animated: bool | None = optional("An animated sticker.")
    url: str | None = optional(
        "Where the file can be fetched, `/v1/media/{key}`; null: this service has no such file, or "
        "the key lacks the scope `media:read`."
    )
    url_expires_at: Timestamp | None = optional("Until when the address holds.")
    status: MediaStatus | None = optional(
        "If the service has the file: `available`, `pending` (not fetched yet), `expired` (the "
        "provider had it no more), `failed` (it could not be fetched), `refused` (over a limit), "
        "`removed` (erased or deleted), `absent` (never fetched).",
        extension=True,
    )
    width: Count | None = optional("Width of a picture in pixels, upright.", extension=True)
    height: Count | None = optional("Height of a picture in pixels, upright.", extension=True)
    duration_ms: Count | None = optional(
        "Length of a sound or video in milliseconds.", extension=True
    )
    text: NotNull[MediaText] = optional(
        "The words of the file as a program read them, which may be wrong; absent if no program "
        "reads such files, or the key lacks the scope `media:read`.",
        may_be_absent=True,
        extension=True,
    )

    url_expires_time = Time("url_expires_at")

    @property
    def key(self) -> str | None:
        """Key of the file in `/v1/media/{key}`; None for an address of another kind."""
        url = self.url or ""
        key = url.removeprefix(MEDIA_PATH)
        return key if key != url and key and "/" not in key else None


class ReplyTo(Wire):
    """The quoted message; all but `wamid` are None when it is not stored."""

    message_id: str | None = optional("The id of the quoted message, if it is stored.")
    wamid: str | None = optional("The provider's id of the quoted message.")
    direction: Direction | None = optional("The direction of the quoted message.")
    author: Author | None = optional("Kind of author of the quoted message.")
    type: MessageType | None = optional("The type of the quoted message.")
    text: str | None = optional("The beginning of the quoted text.")
    voice: NotNull[bool] = optional(
        "True for a voice message; absent for others.", may_be_absent=True, extension=True
    )

    @property
    def kind(self) -> str | None:
        """The type of the quoted message, or "voice"."""
        return "voice" if self.voice and self.type == "audio" else self.type


class Reaction(Wire):
    """One person's current reaction to a message."""

    emoji: str = Field(description="The emoji.")
    direction: Direction = Field(
        description="Inbound from the customer, outbound from the business."
    )
    author: Author = Field(description="Author of the reaction.")
    created_at: Timestamp = Field(description="Time of the reaction.")

    created_time = Time("created_at")


class Delivery(Wire):
    """Times of the steps of an outbound message."""

    sent_at: Timestamp | None = optional("Time at which the provider took the message.")
    delivered_at: Timestamp | None = optional("Time of arrival on the customer's phone.")
    read_at: Timestamp | None = optional("Time of reading.")
    played_at: Timestamp | None = optional("Time at which a voice message was played.")
    failed_at: Timestamp | None = optional("Time of the failure.")

    sent_time = Time("sent_at")
    delivered_time = Time("delivered_at")
    read_time = Time("read_at")
    played_time = Time("played_at")
    failed_time = Time("failed_at")


class ProviderError(Wire):
    """Reason why the provider refused or lost a message."""

    code: int = Field(description="The provider's error code.")
    title: str = Field(description="The provider's words for it.")
    details: str | None = optional("More of the provider's words.")


class Pricing(Wire):
    """Charge for a message by the provider; members that it did not report are absent.

    category: marketing, utility, authentication, service and others. type: regular,
    free_customer_service, free_entry_point. model: PMP (a message), CBP (a conversation).
    """

    billable: NotNull[bool] = optional("The provider charges for the message.", may_be_absent=True)
    model: NotNull[Annotated[str, known("CBP", "PMP")]] = optional(
        "Charged by the message (PMP) or by the conversation (CBP).", may_be_absent=True
    )
    category: NotNull[PriceCategory] = optional(
        "The category that it is charged as.", may_be_absent=True
    )
    type: NotNull[PriceType] = optional("Regular, or why it is free.", may_be_absent=True)


class Message(Wire):
    """One message of a conversation.

    author: contact, user, ai_agent, phone, campaign, api, automation, system.
    type: text, image, video, audio, document, sticker, location, contacts, interactive, template,
    order, reaction, system, unsupported; `content` has the type's own members.
    delivery_status: pending, sent, delivered, read, played, failed; None for inbound.
    source: webhook, echo, history, archive, chat_export, chatwoot. pricing is absent where the
    provider reported none.
    """

    id: str = Field(description="The id of the message.")
    conversation_id: NotNull[str] = optional("The conversation that it belongs to.")
    direction: Direction = Field(description="Inbound from the customer, outbound to them.")
    author: Author = Field(description="Kind of author.")
    author_ref: Ref | None = optional("The user, bot or campaign behind it, as far as it is known.")
    type: MessageType = optional("The type of its contents.", "text")
    text: str | None = optional("Its text or caption; null if it has none or was deleted.")
    content: dict[str, Any] | None = optional(
        "Members of its type besides text, such as the buttons of an interactive message."
    )
    media: Media | None = optional("The file of a media message.")
    reply_to: ReplyTo | None = optional("The message that it quotes.")
    forwarded: Annotated[str, known("once", "many")] | None = optional(
        "Forwarded once or many times."
    )
    referral: dict[str, Any] | None = optional(
        "The advertisement or post that it came from, as the provider reported it."
    )
    reactions: tuple[Reaction, ...] = optional(
        "The reactions to it that hold now, oldest first.", ()
    )
    delivery_status: DeliveryStatus | None = optional("Delivery status; null for inbound messages.")
    delivery: Delivery | None = optional("Times of the steps of its delivery.")
    error: ProviderError | None = optional("Reason of a failed delivery.")
    pricing: NotNull[Pricing] = optional(
        "Price category of the provider; absent if it was not reported.",
        may_be_absent=True,
        extension=True,
    )
    wamid: str | None = optional("The provider's id of the message.")
    source: NotNull[
        Annotated[str, known("webhook", "echo", "history", "archive", "chat_export", "chatwoot")]
    ] = optional("Source of the message.")
    edited_at: Timestamp | None = optional("Time of the last edit.")
    deleted_at: Timestamp | None = optional("Time of deletion.")
    expired_at: NotNull[Timestamp] = optional(
        "Time at which its contents were removed because of their age; absent if they were not.",
        may_be_absent=True,
        extension=True,
    )
    created_at: Timestamp = Field(description="Time of sending.")

    edited_time = Time("edited_at")
    deleted_time = Time("deleted_at")
    expired_time = Time("expired_at")
    created_time = Time("created_at")


class Note(Wire):
    """An internal entry on a conversation. author: user, ai_agent, automation."""

    id: str = Field(description="The id of the note.")
    conversation_id: NotNull[str] = optional("The conversation that it belongs to.")
    text: str = Field(description="Its text.")
    author: Annotated[str, known("user", "ai_agent", "automation")] = optional(
        "Kind of author.", "user"
    )
    author_ref: Ref | None = optional("The user or bot behind it.")
    created_at: Timestamp = Field(description="Time of writing.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


class Contact(Wire):
    """A customer. `phone` is None for a WhatsApp user who hides the number."""

    id: str = Field(description="The id of the contact.")
    phone: Phone | None = optional("The number in E.164; null for a customer who hides it.")
    name: str | None = optional("The name that the business knows.")
    profile_name: str | None = optional("The name that the customer shows on WhatsApp.")
    email: str | None = optional("An e-mail address.")
    wa_id: str | None = optional("The WhatsApp id, the digits of the number.")
    wa_user_id: str | None = optional("The id of a customer who hides the number (BSUID).")
    username: str | None = optional("The WhatsApp user name.")
    blocked: bool = optional("The business has blocked the customer.", False)
    marketing_opt_out_at: Timestamp | None = optional(
        "Since when the customer wants no marketing messages; null if not.", extension=True
    )
    custom_fields: Annotated[
        dict[str, Any],
        Field(
            json_schema_extra={"additionalProperties": {"type": ["string", "number", "boolean"]}}
        ),
    ] = optional("Values of custom fields, by their keys.", {})
    last_activity_at: Timestamp | None = optional(
        "Time of the latest activity in the contact's conversations."
    )
    created_at: NotNull[Timestamp] = optional("Time at which the contact was first seen.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    marketing_opt_out_time = Time("marketing_opt_out_at")
    last_activity_time = Time("last_activity_at")
    created_time = Time("created_at")
    updated_time = Time("updated_at")

    @property
    def short(self) -> PhoneRef:
        """The contact in short, as rows of conversations have it."""
        return PhoneRef(id=self.id, name=self.name, phone=self.phone, username=self.username)


class CustomField(Wire):
    """The definition of a contact attribute.

    type: text, number, currency, percent, link, date, list, checkbox.
    """

    id: str = Field(description="The id of the definition.")
    key: str = Field(description="The key of its values in a contact's `custom_fields`.")
    name: str = Field(description="The name that people see.")
    type: Annotated[str, known(*FIELD_TYPES)] = optional("The kind of its values.", "text")
    scope: Annotated[str, closed("contact")] = optional("Kind of object with the field.", "contact")
    description: str | None = optional("Purpose of the field.")
    options: tuple[str, ...] = optional("The values of a list.", ())
    pattern: str | None = optional("A regular expression that values match.")
    pattern_hint: str | None = optional("Form of a value, in words.")
    position: Count = optional("Its place among the fields, from 1.", 0)
    created_at: NotNull[Timestamp] = optional("Time of definition.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


class Label(Wire):
    """A tag of conversations; `title` is the value that the label filter takes."""

    id: str = Field(description="The id of the label.")
    title: str = Field(description="The title, which the label filter takes.")
    description: str | None = optional("Purpose of the label.")
    color: Color = optional("The colour, as #rrggbb.", "#1f93ff")
    created_at: NotNull[Timestamp] = optional("Time of creation.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


class User(Wire):
    """An agent. role: agent, administrator. availability: online, busy, offline, None unknown."""

    id: str = Field(description="The id of the user.")
    name: str = Field(description="The name.")
    email: str | None = optional("The e-mail address.")
    role: Annotated[str, known("agent", "administrator")] = optional("Role of the user.", "agent")
    availability: Annotated[str, known("online", "busy", "offline")] | None = optional(
        "Availability for conversations; null if that is not known."
    )
    avatar_url: str | None = optional("The address of a picture.")
    active: bool = optional("The user still belongs to the account.", True)
    created_at: NotNull[Timestamp] = optional("Time of creation.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


class Team(Wire):
    """Users that share numbers. distribution: round_robin."""

    id: str = Field(description="The id of the team.")
    name: str = Field(description="The name.")
    description: str | None = optional("Purpose of the team.")
    distribution: Annotated[str, known("round_robin")] = optional(
        "Distribution of conversations to members.", "round_robin"
    )
    channels: tuple[str, ...] = optional("The ids of the numbers that the team answers for.", ())
    members: tuple[UserRef, ...] = optional("The users of the team.", ())
    created_at: NotNull[Timestamp] = optional("Time of creation.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


_SPANS_OF_DAY = "Hours of the day, from the earliest: spans such as 09:00-13:00, up to 24:00."


class WeeklyHours(Wire):
    """Business hours: spans of each weekday in a zone's local time, but on holidays."""

    timezone: str = Field(description="IANA name of the time zone.")
    monday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    tuesday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    wednesday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    thursday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    friday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    saturday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    sunday: tuple[str, ...] = optional(_SPANS_OF_DAY, ())
    holidays: tuple[str, ...] = optional("Dates without hours, as 2026-12-25.", ())


class Channel(Wire):
    """A WhatsApp number; its id is the phone_number_id. Meta's values are kept verbatim."""

    id: str = Field(description="The id, which is the phone_number_id of the provider.")
    name: str = Field(description="The alias of the number.")
    phone: Phone | None = optional("The number in E.164.")
    display_phone_number: str | None = optional("The number as the provider writes it.")
    verified_name: str | None = optional("The name that the provider has verified.")
    quality_rating: Annotated[str, known("GREEN", "YELLOW", "RED", "UNKNOWN", "NA")] | None = (
        optional("The provider's quality rating.")
    )
    status: Annotated[str, known("CONNECTED")] | None = optional(
        "The provider's status of the number."
    )
    name_status: str | None = optional("Approval status of the name.")
    messaging_limit: str | None = optional(
        "Number of customers who may be written to first in 24 hours."
    )
    throughput: str | None = optional("The provider's level of throughput.")
    platform: Annotated[str, known("CLOUD_API", "ON_PREMISE", "NOT_APPLICABLE")] | None = optional(
        "Where the number is hosted."
    )
    on_business_app: bool | None = optional("The number is used in the WhatsApp Business app too.")
    waba_id: str | None = optional("The WhatsApp business account.")
    business_hours: WeeklyHours | None = optional(
        "The business hours of the number, or of the account; null if there are none.",
        extension=True,
    )
    timezone: str | None = optional(
        "IANA name of the account's time zone, in which its reports have days.", extension=True
    )
    synced_at: Timestamp | None = optional(
        "Time at which these values were read from the provider."
    )
    created_at: NotNull[Timestamp] = optional("Time at which the number was first seen.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    synced_time = Time("synced_at")
    created_time = Time("created_at")
    updated_time = Time("updated_at")


class CannedResponse(Wire):
    """A reusable reply."""

    id: str = Field(description="The id of the reply.")
    short_code: str = Field(description="Text that an agent types to insert it.")
    text: str = Field(description="The text that is inserted.")
    created_at: NotNull[Timestamp] = optional("Time of creation.")
    updated_at: NotNull[Timestamp] = optional("Time of the last change.")

    created_time = Time("created_at")
    updated_time = Time("updated_at")


class Template(Wire):
    """A message template; `components` is Meta's array, unchanged."""

    id: str = Field(description="The provider's id of the template.")
    name: str = Field(description="The name that messages refer to.")
    language: str = Field(description="The language, as the provider names it.")
    category: TemplateCategory | None = optional("The category that its messages are charged as.")
    status: TemplateStatus | None = optional("Approval status at the provider.")
    parameter_format: Annotated[str, known("POSITIONAL", "NAMED")] | None = optional(
        "Form of the names of its variables."
    )
    components: tuple[dict[str, Any], ...] = optional(
        "The parts of the template, as the provider has them.", ()
    )
    quality_score: Annotated[str, known("GREEN", "YELLOW", "RED", "UNKNOWN")] | None = optional(
        "The provider's quality score."
    )
    rejected_reason: str | None = optional("Reason of the refusal by the provider.")
    previous_category: TemplateCategory | None = optional(
        "The category before the provider changed it."
    )
    waba_id: str | None = optional("The WhatsApp business account.")
    channels: tuple[str, ...] = optional("The ids of the numbers that may send it.", ())
    updated_at: Timestamp | None = optional("Time of the last change.")

    updated_time = Time("updated_at")


class CountSet(Wire):
    """Conversations of one status; `mine` is None for a key without a user."""

    # A count that a server leaves out is not known, and not zero.
    all: NotNull[Count] = optional("All of them.")
    mine: Count | None = optional("Those of the key's user; null for a key without one.")
    assigned: NotNull[Count] = optional("Those with an assignee.")
    unassigned: NotNull[Count] = optional("Those without one.")
    awaiting_human: NotNull[Count] = optional("Those that a bot has handed to a person.")


class StatusCounts(Wire):
    """A count set for each status."""

    open: CountSet = Field(description="Open conversations.")
    snoozed: CountSet = Field(description="Snoozed conversations.")
    resolved: CountSet = Field(description="Resolved conversations.")


class ChannelCounts(Wire):
    """Conversations of one channel."""

    channel: str = Field(description="The id of the channel.")
    all: NotNull[Count] = optional("All of its conversations.")
    open: NotNull[Count] = optional("The open ones.")
    snoozed: Count | None = optional("The snoozed ones.", extension=True)
    resolved: Count | None = optional("The resolved ones.", extension=True)
    awaiting_human: Count | None = optional("The open ones that need a human.", extension=True)


# Conversations of a value, of any status and of each.
_ALL, _OPEN = Field(description="All of them."), Field(description="The open ones.")
_SNOOZED = Field(description="The snoozed ones.")
_RESOLVED = Field(description="The resolved ones.")


class AssigneeCounts(Wire):
    """Conversations of one assignee, or of none."""

    assignee: str | None = Field(description="The id of a user; null for those without one.")
    all: Count = _ALL
    open: Count = _OPEN
    snoozed: Count = _SNOOZED
    resolved: Count = _RESOLVED


class LabelCounts(Wire):
    """Conversations with one label; those that have several count in each."""

    label: str = Field(description="The title of the label.")
    all: Count = _ALL
    open: Count = _OPEN
    snoozed: Count = _SNOOZED
    resolved: Count = _RESOLVED


class Counts(Wire):
    """Numbers of conversations. mine … unread count the open ones (or the asked status)."""

    all: NotNull[Count] = optional("All conversations.")
    open: NotNull[Count] = optional("Open ones.")
    snoozed: NotNull[Count] = optional("Snoozed ones.")
    resolved: NotNull[Count] = optional("Resolved ones.")
    mine: Count | None = optional("Open ones of the key's user; null for a key without one.")
    assigned: NotNull[Count] = optional("Open ones with an assignee.")
    unassigned: NotNull[Count] = optional("Open ones without an assignee.")
    awaiting_human: NotNull[Count] = optional("Open ones that a bot has handed to a person.")
    unread: Count | None = optional("Open ones with unread messages.")
    by_status: NotNull[StatusCounts] = optional("The same by status.")
    by_channel: tuple[ChannelCounts, ...] = optional("Conversations of each channel.", ())
    by_assignee: NotNull[tuple[AssigneeCounts, ...]] = optional(
        "With `by=assignees`: conversations of each assignee who has some, and without one.",
        may_be_absent=True,
        extension=True,
    )
    by_label: NotNull[tuple[LabelCounts, ...]] = optional(
        "With `by=labels`: conversations with each label that some have.",
        may_be_absent=True,
        extension=True,
    )
    query: NotNull[str] = optional(
        "With `query`: the terms of which only these were counted.",
        may_be_absent=True,
        extension=True,
    )
    as_of: NotNull[Timestamp] = optional("Time of the counts.")

    as_of_time = Time("as_of")


# Catalogues: the short lists, by the names of their resources.
CATALOGUES: Mapping[str, type[Wire]] = {
    "labels": Label,
    "custom_fields": CustomField,
    "users": User,
    "teams": Team,
    "channels": Channel,
    "canned_responses": CannedResponse,
    "templates": Template,
}
