"""Rows of the tables, one class each; statements take their columns from the class.

Times are epoch milliseconds, flags 0 or 1; *_json columns hold JSON text. See schema.sql for the
meaning of the columns.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, get_type_hints

from frontdesk.text import compact_json


class ChannelDetails(TypedDict, total=False):
    """Columns of a channel that only lists and webhooks about the number report."""

    verified_name: str | None
    quality_rating: str | None
    status: str | None
    name_status: str | None
    messaging_limit: str | None
    throughput: str | None
    platform: str | None
    on_business_app: int | None
    synced_at: int | None


class ChannelRow(ChannelDetails):
    account_id: int
    id: int
    phone_number_id: str
    alias: str | None
    phone: str | None
    display_phone_number: str | None
    waba_id: str | None
    told_json: str | None
    name: str
    name_key: str
    created_at: int
    updated_at: int


# The details that are reported as text.
CHANNEL_TEXTS = tuple(
    name for name, hint in get_type_hints(ChannelDetails).items() if hint == str | None
)


class UserRow(TypedDict):
    account_id: int
    id: int
    key: str
    email: str | None
    role: str
    availability: str | None
    avatar_url: str | None
    active: int
    told_json: str | None
    name: str
    name_key: str
    created_at: int
    updated_at: int


class TeamRow(TypedDict):
    """`last_assigned` is not among the columns: only assignments write it."""

    account_id: int
    id: int
    description: str | None
    distribution: str
    told_json: str | None
    name: str
    name_key: str
    created_at: int
    updated_at: int


class LabelRow(TypedDict):
    account_id: int
    id: int
    title: str
    title_key: str
    description: str | None
    color: str
    told_json: str | None
    created_at: int
    updated_at: int


class CustomFieldRow(TypedDict):
    account_id: int
    id: int
    key: str
    name: str
    type: str
    description: str | None
    options_json: str
    pattern: str | None
    pattern_hint: str | None
    position: int
    told_json: str | None
    created_at: int
    updated_at: int


class CannedResponseRow(TypedDict):
    account_id: int
    id: int
    short_code: str
    text: str
    told_json: str | None
    created_at: int
    updated_at: int


class TemplateRow(TypedDict):
    account_id: int
    id: str
    name: str
    language: str
    category: str | None
    status: str | None
    parameter_format: str | None
    components_json: str
    quality_score: str | None
    rejected_reason: str | None
    previous_category: str | None
    waba_id: str | None
    told_json: str | None
    updated_at: int | None


class ContactRow(TypedDict):
    account_id: int
    id: int
    phone: str | None
    wa_id: str | None
    wa_user_id: str | None
    username: str | None
    name: str | None
    name_rank: int
    name_key: str
    profile_name: str | None
    email: str | None
    blocked: int
    custom_json: str
    told_json: str | None
    phone_at: int
    user_at: int
    last_activity_at: int | None
    search: str
    created_at: int
    updated_at: int


class ConversationRow(TypedDict):
    account_id: int
    id: int
    contact_id: int
    channel_id: int
    status: int
    assignee_id: int
    awaiting_human: int
    snoozed_until: int | None
    unread_count: int | None
    read_marker: int | None
    waiting_since: int | None
    first_reply_at: int | None
    last_inbound_at: int | None
    last_activity_at: int
    last_message_json: str | None
    folded_at: int
    told: int
    unanswered_since: int | None
    episode_at: int | None
    handed_over_at: int | None
    bot_spoke_at: int | None
    created_at: int
    updated_at: int


class MessageRow(TypedDict):
    account_id: int
    conversation_id: int
    created_at: int
    id: int
    direction: int
    author: str
    author_id: str | None
    author_name: str | None
    type: str
    text: str | None
    content_json: str | None
    media_json: str | None
    channel_id: int
    wamid: str | None
    reply_wamid: str | None
    forwarded: str | None
    referral_json: str | None
    delivery_status: str | None
    sent_at: int | None
    delivered_at: int | None
    read_at: int | None
    played_at: int | None
    failed_at: int | None
    error_json: str | None
    source: str
    edited_at: int | None
    deleted_at: int | None
    richness: int
    raw_json: str | None
    live: int
    category: str | None
    stamped_at: int | None
    part: int | None
    billable: int | None
    pricing_model: str | None
    pricing_type: str | None
    priced_at: int | None


class ReactionRow(TypedDict):
    account_id: int
    channel_id: int
    target_wamid: str
    person: str
    emoji: str
    direction: int
    author: str
    created_at: int


class PendingRow(TypedDict):
    account_id: int
    channel_id: int
    target: str
    kind: str
    created_at: int
    detail_json: str


class AliasRow(TypedDict):
    account_id: int
    phone: str
    contact_id: int


class IdentityChangeRow(TypedDict):
    account_id: int
    id: int
    old: str
    new: str
    at: int


class PartRow(TypedDict):
    account_id: int
    id: int
    contact_id: int
    row_json: str


class NoteRow(TypedDict):
    account_id: int
    conversation_id: int
    created_at: int
    id: int
    updated_at: int
    text: str
    author: str
    author_id: str | None
    author_name: str | None
    external_id: str | None
    part: int | None


class ConversationEventRow(TypedDict):
    account_id: int
    conversation_id: int
    created_at: int
    id: int
    name: str
    value_json: str
    external_id: str | None
    part: int | None


class MetricEventRow(TypedDict):
    account_id: int
    conversation_id: int
    id: int
    channel_id: int
    name: str
    started_at: int | None
    ended_at: int
    user_id: int


class EntryRow(TypedDict):
    account_id: int
    conversation_id: int
    label_id: int
    state: int
    assignee_id: int
    channel_id: int
    last_activity_at: int
    awaiting: int
    unread: int
    waiting_since: int | None
    last_inbound_at: int | None


class CellRow(TypedDict):
    account_id: int
    label_id: int
    channel_id: int
    state: int
    assignee_id: int
    awaiting: int
    unread: int
    n: int


class RollupRow(TypedDict):
    account_id: int
    grain: int
    bucket: int
    channel_id: int
    name: str
    author: str
    n: int
    samples: int
    total: int


class ConversationRollupRow(TypedDict):
    account_id: int
    user_id: int
    channel_id: int
    bucket: int
    conversation_id: int
    n: int


class UserRollupRow(TypedDict):
    account_id: int
    bucket: int
    user_id: int
    channel_id: int
    name: str
    n: int
    samples: int
    total: int


class DurationRollupRow(TypedDict):
    account_id: int
    bucket: int
    channel_id: int
    name: str
    step: int
    n: int


class UserDurationRollupRow(TypedDict):
    account_id: int
    bucket: int
    channel_id: int
    user_id: int
    name: str
    step: int
    n: int


class LabelRollupRow(TypedDict):
    account_id: int
    name: str
    label_id: int
    bucket: int
    channel_id: int
    n: int
    samples: int
    total: int


class PricingRollupRow(TypedDict):
    account_id: int
    grain: int
    bucket: int
    channel_id: int
    author: str
    category: str
    type: str
    n: int
    billable: int


class RowTable(NamedTuple):
    """Table of a kind of rows, with its primary key and all columns that are written."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]


def _table(row: type, name: str, key: str = "id") -> RowTable:
    return RowTable(name, ("account_id", *key.split()), tuple(row.__annotations__))


TABLES: Mapping[str, RowTable] = MappingProxyType(
    {
        "channel": _table(ChannelRow, "channel"),
        "user": _table(UserRow, "app_user"),
        "team": _table(TeamRow, "team"),
        "label": _table(LabelRow, "label"),
        "custom_field": _table(CustomFieldRow, "custom_field"),
        "canned_response": _table(CannedResponseRow, "canned_response"),
        "template": _table(TemplateRow, "template"),
        "contact": _table(ContactRow, "contact"),
        "conversation": _table(ConversationRow, "conversation"),
        "message": _table(MessageRow, "message", "conversation_id created_at id"),
        "reaction": _table(ReactionRow, "reaction", "channel_id target_wamid person"),
        "orphan": _table(PendingRow, "orphan", "channel_id target kind"),
        "alias": _table(AliasRow, "contact_alias", "phone"),
        "identity_change": _table(IdentityChangeRow, "identity_change"),
        "part": _table(PartRow, "contact_part"),
        "note": _table(NoteRow, "note", "conversation_id created_at id"),
        "conversation_event": _table(
            ConversationEventRow, "conversation_event", "conversation_id created_at id"
        ),
        "metric_event": _table(MetricEventRow, "metric_event", "conversation_id id"),
        "entry": _table(EntryRow, "entry", "conversation_id label_id"),
        "cell": _table(CellRow, "cell", "label_id channel_id state assignee_id awaiting unread"),
        "rollup": _table(RollupRow, "rollup", "grain bucket channel_id name author"),
        "conversation_rollup": _table(
            ConversationRollupRow,
            "conversation_rollup",
            "user_id channel_id bucket conversation_id",
        ),
        "user_rollup": _table(UserRollupRow, "user_rollup", "bucket user_id channel_id name"),
        "duration_rollup": _table(
            DurationRollupRow, "duration_rollup", "bucket channel_id name step"
        ),
        "user_duration_rollup": _table(
            UserDurationRollupRow, "user_duration_rollup", "bucket channel_id user_id name step"
        ),
        "label_rollup": _table(LabelRollupRow, "label_rollup", "name label_id bucket channel_id"),
        "pricing_rollup": _table(
            PricingRollupRow, "pricing_rollup", "grain bucket channel_id author category type"
        ),
    }
)


def packed(value: object) -> str | None:
    """Encode a value for a *_json column."""
    return None if value is None else compact_json(value)


def blank(kind: str) -> dict[str, Any]:
    """Return a row of that kind with all columns None."""
    return dict.fromkeys(TABLES[kind].columns)
