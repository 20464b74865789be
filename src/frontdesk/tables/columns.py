"""Columns of each list."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from frontdesk.message_text import plain_preview
from frontdesk.tables.formats import Cell, Column, nested_json
from frontdesk.text import first_non_blank
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    CustomField,
    Label,
    Team,
    Template,
    User,
    Wire,
)

W = TypeVar("W", bound=Wire)


# Texts that tables may truncate; what decides is never cut.
_FLEXIBLE = frozenset(
    (
        *("contact", "name", "email", "channel_name", "assignee_name", "labels", "last_message"),
        *("title", "description", "options", "members", "channels", "text", "body", "code"),
    )
)
_STATUS_STYLES: Mapping[Cell, str] = MappingProxyType(
    {
        **dict.fromkeys(("open", "APPROVED", "CONNECTED"), "green"),
        **dict.fromkeys(("snoozed", "PENDING"), "yellow"),
        **dict.fromkeys(("REJECTED", "PAUSED", "DISABLED", "DISCONNECTED"), "red"),
        "resolved": "dim",
    }
)


def _member(name: str, heading: str = "") -> Column[Any]:
    """Column of a wire member; lists are joined with commas."""

    def read(row: Wire) -> Cell:
        value = getattr(row, name)
        return ",".join(map(str, value)) if isinstance(value, tuple) else value

    return _column(name, read, heading)


def _column(name: str, read: Callable[[Any], Cell], heading: str = "") -> Column[Any]:
    return Column(
        name,
        read,
        heading,
        moment=name.endswith(("_at", "_since", "_until")),
        phone=name in ("phone", "contact"),
        flexible=name in _FLEXIBLE,
        styles=_STATUS_STYLES if name == "status" else {},
    )


def _members(*names: str) -> tuple[Column[Any], ...]:
    return tuple(_member(name) for name in names)


def _in_tables(*names: str) -> tuple[Column[Any], ...]:
    """Columns that tables show too; CSV has all columns."""
    return tuple(_member(name, _heading(name)) for name in names)


# Headings that are not the column's name.
_HEADINGS = {
    "unread_count": "UNREAD",
    "last_activity_at": "ACTIVITY",
    "color": "COLOUR",
    "quality_rating": "QUALITY",
    "quality_score": "QUALITY",
    "messaging_limit": "LIMIT",
    "short_code": "CODE",
}


def _heading(name: str) -> str:
    return _HEADINGS.get(name) or name.replace("_", " ").upper()


def customer_name(row: Conversation) -> str:
    return first_non_blank(row.contact.name, row.contact.phone, f"contact {row.contact.id}")


def _last_message(row: Conversation) -> str | None:
    return plain_preview(row.last_message) if row.last_message else None


CONVERSATIONS: tuple[Column[Conversation], ...] = (
    *_in_tables("id", "status"),
    _column("contact", customer_name, "CONTACT"),
    _column("contact_id", lambda row: row.contact.id),
    _column("contact_name", lambda row: row.contact.name),
    _column("contact_phone", lambda row: row.contact.phone),
    _column("channel", lambda row: row.channel.id),
    _column("channel_name", lambda row: row.channel.name or row.channel.id, "CHANNEL"),
    _column("assignee", lambda row: row.assignee.id if row.assignee else None),
    _column("assignee_name", lambda row: row.assignee.name if row.assignee else None, "ASSIGNEE"),
    *_in_tables("labels"),
    *_members("awaiting_human"),
    *_in_tables("unread_count", "last_activity_at"),
    *_members("waiting_since", "snoozed_until", "first_reply_at", "last_inbound_at"),
    *_members("service_window_expires_at", "created_at", "updated_at"),
    _column("last_author", lambda row: row.last_message.author if row.last_message else None),
    _column("last_message", _last_message, "LAST MESSAGE"),
)

CONTACTS: tuple[Column[Contact], ...] = (
    *_in_tables("id", "name", "phone", "email"),
    *_members("profile_name", "username", "wa_id", "wa_user_id", "blocked"),
    *_in_tables("last_activity_at"),
    *_members("created_at", "updated_at"),
    _column("custom_fields", lambda row: nested_json(row.custom_fields)),
)

LABELS: tuple[Column[Label], ...] = (
    *_in_tables("id", "title", "color", "description"),
    *_members("created_at", "updated_at"),
)

CUSTOM_FIELDS: tuple[Column[CustomField], ...] = (
    *_in_tables("id", "key", "name", "type", "options", "description"),
    *_members("scope", "pattern", "pattern_hint", "position", "created_at", "updated_at"),
)

USERS: tuple[Column[User], ...] = (
    *_in_tables("id", "name", "email", "role", "availability", "active"),
    *_members("avatar_url", "created_at", "updated_at"),
)

TEAMS: tuple[Column[Team], ...] = (
    *_in_tables("id", "name", "description"),
    _column("members", lambda row: ", ".join(user.name for user in row.members), "MEMBERS"),
    *_in_tables("channels"),
    _column("member_ids", lambda row: ",".join(user.id for user in row.members)),
    *_members("distribution", "created_at", "updated_at"),
)

CHANNELS: tuple[Column[Channel], ...] = (
    *_in_tables("id", "name", "phone", "status", "quality_rating", "messaging_limit"),
    *_members("display_phone_number", "verified_name", "name_status", "throughput", "platform"),
    *_members("on_business_app", "waba_id", "synced_at", "created_at", "updated_at"),
)

CANNED_RESPONSES: tuple[Column[CannedResponse], ...] = (
    *_in_tables("id", "short_code", "text"),
    *_members("created_at", "updated_at"),
)

TEMPLATES: tuple[Column[Template], ...] = (
    *_in_tables("id", "name", "language", "category", "status", "quality_score"),
    _column("body", lambda row: _body(row), "BODY"),
    *_members("parameter_format", "rejected_reason", "previous_category", "waba_id"),
    *_members("channels", "updated_at"),
    _column("components", lambda row: nested_json(row.components)),
)


def _body(row: Template) -> str | None:
    """Return the text of a template's body component."""
    texts = [part.get("text") for part in row.components if part.get("type") == "BODY"]
    return next((text for text in texts if isinstance(text, str)), None)
