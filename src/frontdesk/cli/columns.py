"""Output columns of each list, for tables and CSV."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from frontdesk import conversation_export
from frontdesk.cli.output import Column
from frontdesk.conversation_export import Cell, compact
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


# Headings of the columns shown in tables; CSV has all columns.
_HEADINGS = {
    "id": "ID",
    "status": "STATUS",
    "contact": "CONTACT",
    "channel_name": "CHANNEL",
    "assignee_name": "ASSIGNEE",
    "labels": "LABELS",
    "unread_count": "UNREAD",
    "last_activity_at": "ACTIVITY",
    "last_message": "LAST MESSAGE",
}

CONVERSATIONS: tuple[Column[Conversation], ...] = tuple(
    _column(name, read, _HEADINGS.get(name, "")) for name, read in conversation_export.COLUMNS
)

CONTACTS: tuple[Column[Contact], ...] = (
    _member("id", "ID"),
    _member("name", "NAME"),
    _member("phone", "PHONE"),
    _member("email", "EMAIL"),
    *_members("profile_name", "username", "wa_id", "wa_user_id", "blocked"),
    _member("last_activity_at", "ACTIVITY"),
    *_members("created_at", "updated_at"),
    _column("custom_fields", lambda row: compact(row.custom_fields)),
)

LABELS: tuple[Column[Label], ...] = (
    _member("id", "ID"),
    _member("title", "TITLE"),
    _member("color", "COLOUR"),
    _member("description", "DESCRIPTION"),
    *_members("created_at", "updated_at"),
)

CUSTOM_FIELDS: tuple[Column[CustomField], ...] = (
    _member("id", "ID"),
    _member("key", "KEY"),
    _member("name", "NAME"),
    _member("type", "TYPE"),
    _member("options", "OPTIONS"),
    _member("description", "DESCRIPTION"),
    *_members("scope", "pattern", "pattern_hint", "position", "created_at", "updated_at"),
)

USERS: tuple[Column[User], ...] = (
    _member("id", "ID"),
    _member("name", "NAME"),
    _member("email", "EMAIL"),
    _member("role", "ROLE"),
    _member("availability", "AVAILABILITY"),
    _member("active", "ACTIVE"),
    *_members("avatar_url", "created_at", "updated_at"),
)

TEAMS: tuple[Column[Team], ...] = (
    _member("id", "ID"),
    _member("name", "NAME"),
    _member("description", "DESCRIPTION"),
    _column("members", lambda row: ", ".join(user.name for user in row.members), "MEMBERS"),
    _member("channels", "CHANNELS"),
    _column("member_ids", lambda row: ",".join(user.id for user in row.members)),
    *_members("distribution", "created_at", "updated_at"),
)

CHANNELS: tuple[Column[Channel], ...] = (
    _member("id", "ID"),
    _member("name", "NAME"),
    _member("phone", "PHONE"),
    _member("status", "STATUS"),
    _member("quality_rating", "QUALITY"),
    _member("messaging_limit", "LIMIT"),
    *_members("display_phone_number", "verified_name", "name_status", "throughput", "platform"),
    *_members("on_business_app", "waba_id", "synced_at", "created_at", "updated_at"),
)

CANNED_RESPONSES: tuple[Column[CannedResponse], ...] = (
    _member("id", "ID"),
    _member("short_code", "CODE"),
    _member("text", "TEXT"),
    *_members("created_at", "updated_at"),
)

TEMPLATES: tuple[Column[Template], ...] = (
    _member("id", "ID"),
    _member("name", "NAME"),
    _member("language", "LANGUAGE"),
    _member("category", "CATEGORY"),
    _member("status", "STATUS"),
    _member("quality_score", "QUALITY"),
    _column("body", lambda row: _body(row), "BODY"),
    *_members("parameter_format", "rejected_reason", "previous_category", "waba_id"),
    *_members("channels", "updated_at"),
    _column("components", lambda row: compact(row.components)),
)


def _body(row: Template) -> str | None:
    """Return the text of a template's body component."""
    texts = [part.get("text") for part in row.components if part.get("type") == "BODY"]
    return next((text for text in texts if isinstance(text, str)), None)
