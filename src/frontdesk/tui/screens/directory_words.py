"""Entries and details of the directory view, as pure functions of the catalogues."""

from collections.abc import Sequence
from typing import Any

from frontdesk.text import first_said, one_line, short_date, time_of_day, words
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.shelf import Block, Entry, colour_of, entry_line, fact, heading, title
from frontdesk.wire import (
    Channel,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    Team,
    User,
    UserRef,
)

_AVAILABILITY_MARKS = {"online": "●", "busy": "◐", "offline": "○"}
_QUALITY_PARTS = {"GREEN": "dim", "YELLOW": "warning", "RED": "error"}
_UNKNOWN = "unknown"
_LIMITS = {
    "TIER_50": "50 customers a day",
    "TIER_250": "250 customers a day",
    "TIER_1K": "1,000 customers a day",
    "TIER_2K": "2,000 customers a day",
    "TIER_10K": "10,000 customers a day",
    "TIER_100K": "100,000 customers a day",
    "TIER_UNLIMITED": "without limit",
}


def user_entry(user: User) -> Entry:
    """List row of a user: name, role, availability."""
    here = availability(user) if user.active else "left"
    return Entry(
        user.id,
        one_line(user.name) or user.id,
        one_line(user.role),
        hint=here,
        hint_part="text" if user.availability == "online" and user.active else "dim",
        words=user.email or "",
        copied=user.email or user.name,
        chosen=ConversationFilter(assignee=user.id),
    )


def availability(user: User | None) -> str:
    """Symbol and word; "unknown" if the server sends no availability."""
    said = one_line(user.availability or "") if user else ""
    return f"{_AVAILABILITY_MARKS.get(said, '·')} {said}" if said else f"· {_UNKNOWN}"


def user_facts(user: User, teams: Sequence[Team]) -> list[Block]:
    return [
        title(one_line(user.name)),
        fact("role", one_line(user.role)),
        fact("availability", availability(user)),
        fact("email", one_line(user.email or "")),
        fact("teams", ", ".join(one_line(team.name) for team in teams)),
        fact("active", "yes" if user.active else "no: only old messages name this user"),
        fact("id", user.id, "dim"),
    ]


def team_entry(team: Team) -> Entry:
    """List row of a team: name, number of members and channels."""
    people, numbers = len(team.members), len(team.channels)
    members = " ".join(one_line(member.name) for member in team.members)
    return Entry(
        team.id,
        one_line(team.name),
        hint=f"{people} people, {numbers} number{'' if numbers == 1 else 's'}",
        words=f"{one_line(team.description or '')} {members}",
        copied=one_line(team.name),
    )


def team_facts(team: Team) -> list[Block]:
    return [
        title(one_line(team.name)),
        fact("about", one_line(team.description or "")),
        fact("new ones go", words(one_line(team.distribution))),
    ]


def member_line(member: UserRef, user: User | None, open_seen: int) -> Block:
    """Team member with availability and the number of their cached open conversations."""
    count = f"~{open_seen}" if open_seen else "~0"
    here = availability(user)
    return entry_line([("text", one_line(member.name)), ("dim", f"  {here}")], [("dim", count)])


def channel_entry(channel: Channel, counts: Counts | None) -> Entry:
    """List row of a channel: name, number, open conversations, quality."""
    quality = one_line(channel.quality_rating or _UNKNOWN)
    number = one_line(channel.display_phone_number or channel.phone or channel.id)
    counted = open_words(counts, channel.id)
    return Entry(
        channel.id,
        one_line(channel.name) or number,
        number,
        counted,
        f"{quality:7}",
        _QUALITY_PARTS.get(quality, "dim"),
        words=f"{channel.phone or ''} {channel.status or ''} {channel.verified_name or ''}",
        copied=channel.phone or channel.id,
        chosen=ConversationFilter(channel=channel.id),
    )


def open_words(counts: Counts | None, channel_id: str) -> str:
    """Number of open conversations of a channel; empty if the server does not count them."""
    if counts is None or not counts.by_channel:
        return ""
    number = next((one.open for one in counts.by_channel if one.channel == channel_id), 0)
    return "" if number is None else f"{number:,} open"


def channel_facts(channel: Channel, teams: Sequence[Team]) -> list[Block]:
    """Details of a channel; Meta's own terms are shown unchanged."""
    quality = one_line(channel.quality_rating or "")
    limit = one_line(channel.messaging_limit or "")
    status = one_line(channel.status or "")
    answering = [one_line(team.name) for team in teams if channel.id in team.channels]
    return [
        title(one_line(channel.name)),
        fact("number", one_line(channel.display_phone_number or channel.phone or "")),
        fact("shown as", one_line(channel.verified_name or "")),
        fact("quality", quality, _QUALITY_PARTS.get(quality, "text")),
        fact("limit", " · ".join(word for word in (_LIMITS.get(limit), limit) if word)),
        fact("status", status, "text" if status in ("CONNECTED", "") else "error"),
        fact("teams", ", ".join(answering)),
    ]


def meta_facts(channel: Channel, clock: Clock) -> list[Block]:
    """Further details of a channel at Meta, and when they were synchronised."""
    on_app = "" if channel.on_business_app is None else "no"
    synced = clock.local(channel.synced_at)
    return [
        heading("AT META"),
        fact("name", one_line(channel.name_status or "")),
        fact("throughput", one_line(channel.throughput or "")),
        fact("platform", one_line(channel.platform or "")),
        fact("on a phone too", "yes" if channel.on_business_app else on_app),
        fact("phone id", channel.id),
        fact("account id", one_line(channel.waba_id or "")),
        fact("as of", f"{short_date(synced)} {time_of_day(synced)}" if synced else ""),
    ]


def label_entry(label: Label) -> Entry:
    """List row of a label: colour swatch and hex value."""
    return Entry(
        label.id,
        f"#{one_line(label.title)}",
        one_line(label.description or ""),
        hint=one_line(label.color),
        swatch=colour_of(label.color),
        copied=label.title,
        chosen=ConversationFilter(label=label.title),
    )


def label_facts(label: Label) -> list[Block]:
    return [
        title(f"#{one_line(label.title)}"),
        fact("about", one_line(label.description or "")),
        fact("colour", one_line(label.color), swatch=colour_of(label.color)),
    ]


def field_entry(field: CustomField) -> Entry:
    """List row of a custom field: name and type."""
    return Entry(
        field.id,
        one_line(field.name),
        one_line(field.key),
        hint=one_line(field.type),
        words=f"{one_line(field.description or '')} {' '.join(field.options)}",
        copied=field.key,
    )


def field_facts(field: CustomField) -> list[Block]:
    blocks = [
        title(one_line(field.name)),
        fact("key", one_line(field.key)),
        fact("type", one_line(field.type)),
        fact("about", one_line(field.description or "")),
    ]
    if field.options:
        blocks.append(fact("options", ", ".join(one_line(option) for option in field.options)))
    if field.pattern:
        blocks.append(fact("pattern", one_line(field.pattern)))
        blocks.append(fact("which means", one_line(field.pattern_hint or "")))
    return blocks


def customer(conversation: Conversation) -> str:
    """Name of a conversation's contact, or the number."""
    contact = conversation.contact
    return first_said(contact.name, contact.phone, f"contact {contact.id}")


def value_words(value: Any) -> str:
    """Text of a custom field's value; booleans are yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))
