"""Rows of the tables, and statements of the schema, from which columns and keys are taken.

Times are epoch milliseconds, flags 0 or 1; *_json columns hold JSON text. See schema.sql for the
meaning of the columns.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

from frontdesk.store.database import Dialect
from frontdesk.text.clean import compact_json

# Values of `status` of a conversation.
OPEN, SNOOZED, RESOLVED = 0, 1, 2
# Parts of a message in the index of messages: its own words, and those read in its file.
OWN, FILE = 0, 1
# 1 if a conversation `c` is unread: see `is_unread`.
UNREAD_SQL = "CASE WHEN COALESCE(c.unread_count, c.last_inbound_at, 0) > 0 THEN 1 ELSE 0 END"


class ChannelDetails(TypedDict, total=False):
    """Columns of a channel that only lists and webhooks about the number report."""

    verified_name: str | None
    quality_rating: str | None
    status: str | None
    name_status: str | None
    messaging_limit: str | None
    throughput: str | None
    platform: str | None
    on_business_app: bool | None
    synced_at: int | None


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
    custom_json: str
    facts_json: str | None
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
    status_known: int
    unanswered_since: int | None
    episode_at: int | None
    handed_over_at: int | None
    bot_spoke_at: int | None
    phone_spoke_at: int | None
    created_at: int
    updated_at: int


def is_unread(row: Mapping[str, Any]) -> bool:
    """True if a conversation has unread messages.

    Without a read marker nobody has read or answered it: then all of the customer's are unread.
    """
    count = row["unread_count"]
    return bool(row["last_inbound_at"] if count is None else count)


# Order of a conversation's messages: the provider's times are of whole seconds, in which an answer
# follows its question. Ids have the order of the bodies, and the order within each.
MESSAGE_ORDER = ("created_at", "direction", "id")


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
    expired_at: int | None


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


class RowTable(NamedTuple):
    """Table of a kind of rows: its primary key, type and NOT NULL of each column, and defaults."""

    name: str
    key: tuple[str, ...]
    types: Mapping[str, tuple[str, bool]]
    defaults: Mapping[str, int | str]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are written with a row; assignments alone write `last_assigned`."""
        return tuple(name for name in self.types if name != "last_assigned")


# Tables that are not called as the kind of their rows.
_NAMES = MappingProxyType({"user": "app_user", "alias": "contact_alias", "part": "contact_part"})
# Prefixes of the lines of SQL scripts that are for one engine.
_MARKS: Mapping[Dialect, str] = MappingProxyType({"sqlite": "sl", "postgresql": "pg"})
_COLUMN = re.compile(r"(\w+) (BIGINT|SMALLINT|TEXT|BLOB)( NOT NULL)?(?: DEFAULT ([\w'{}\[\]#]+))?")
_KEY = re.compile(r"PRIMARY KEY\((.+?)\)")


def statements(dialect: Dialect, script: str = "schema.sql") -> list[str]:
    """Return the statements of a script in an engine's dialect."""
    schema = files("frontdesk.store").joinpath(script).read_text(encoding="utf-8")
    schema = re.sub(rf"^--{_MARKS[dialect]} ", "", schema, flags=re.MULTILINE)
    schema = re.sub(r"--.*$", "", schema, flags=re.MULTILINE)
    if dialect == "postgresql":
        # SQLite compares text by bytes; a linguistic collation would sort differently.
        schema = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', schema)
        schema = re.sub(r"\bBLOB\b", "BYTEA", schema)
    return [statement for statement in schema.split(";") if statement.strip()]


@cache
def table_of(kind: str) -> RowTable:
    """Table of a kind of rows, as it is in the schema."""
    name = _NAMES.get(kind, kind)
    definition = next(each for each in statements("sqlite") if f"TABLE {name}(" in each)
    (key,) = _KEY.findall(definition)
    columns = _COLUMN.findall(definition)
    types = {column: (type_, bool(required)) for column, type_, required, _ in columns}
    defaults = {
        column: default.strip("'") if type_ == "TEXT" else int(default)
        for column, type_, _, default in columns
        if default
    }
    key = tuple(key.split(", "))
    return RowTable(name, key, MappingProxyType(types), MappingProxyType(defaults))


def column_value(value: Any) -> Any:
    """Encode a value for a column: a flag is 0 or 1."""
    return int(value) if isinstance(value, bool) else value


def packed(value: object) -> str | None:
    """Encode a value for a *_json column."""
    return None if value is None else compact_json(value)


def blank(kind: str) -> dict[str, Any]:
    """Return a row of that kind with its defaults, all other columns None."""
    table = table_of(kind)
    return {name: table.defaults.get(name) for name in table.columns}


def sum_rows(
    kind: str, account_id: int, sums: Iterable[tuple[Iterable[Any], Iterable[int]]]
) -> Iterator[dict[str, Any]]:
    """Yield rows of a table of sums, without those that change nothing.

    sums: the key below the account, and the sums, both in the order of the columns.
    """
    columns = table_of(kind).columns
    for key, values in sums:
        if any(values):
            yield dict(zip(columns, (account_id, *key, *values), strict=True))
