"""Converts native lines of channels, users, labels and other catalogue rows to events (pure)."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from frontdesk.ingest.archive.native_fields import at_of, chosen, optional_instant, user_key
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed, channel_id, phone_of, shown_number
from frontdesk.store.rows import CHANNEL_TEXTS, ChannelDetails

FIELD_TYPES = ("text", "number", "currency", "percent", "link", "date", "list", "checkbox")

COLOR = re.compile(r"#[0-9a-f]{6}")


def texts(line: JsonObject, name: str) -> tuple[str, ...]:
    """Return a list of texts, empty if absent."""
    values = line.members.get(name)
    if values is None:
        return ()
    if not isinstance(values, list):
        raise Malformed(f"{line.at(name)} is not an array")
    for position, value in enumerate(values):
        if not isinstance(value, str) or not value:
            raise Malformed(f"{line.at(name)}[{position}] is not a text")
    return tuple(values)


def _channel(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    number, at = channel_id(line, "id"), at_of(line, now)
    created = optional_instant(line, "created_at")
    if created is not None and created < at:
        yield ChannelUpsert(number, created)
    shown = shown_number(line)
    on_app = line.flag("on_business_app")
    texts = {name: line.optional_text(name) for name in CHANNEL_TEXTS}
    details = cast(ChannelDetails, texts)
    details["on_business_app"] = None if on_app is None else int(on_app)
    details["synced_at"] = optional_instant(line, "synced_at")
    yield ChannelUpsert(
        phone_number_id=number,
        at=at,
        phone=phone_of(line.optional_text("phone") or shown),
        display_phone_number=shown,
        waba_id=line.optional_text("waba_id"),
        alias=line.optional_text("alias"),
        details=details,
    )


def _user(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    key = user_key(JsonObject({"user": line.members}), "user")
    assert key is not None
    yield UserUpsert(
        key=key,
        name=line.optional_text("name") or key,
        at=at_of(line, now),
        email=line.optional_text("email"),
        role=line.optional_text("role"),
        availability=line.optional_text("availability"),
        avatar_url=line.optional_text("avatar_url"),
        active=line.flag("active"),
    )


def _team(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    members = line.members.get("members") or []
    if not isinstance(members, list):
        raise Malformed(f"{line.at('members')} is not an array")
    keys = (
        user_key(JsonObject({f"members[{n}]": member}), f"members[{n}]")
        for n, member in enumerate(members)
    )
    yield TeamUpsert(
        name=line.id("name"),
        at=at_of(line, now),
        description=line.optional_text("description"),
        channels=texts(line, "channels"),
        members=tuple(key for key in keys if key is not None),
        distribution=chosen(line, "distribution", ("round_robin", "off")),
    )


def _label(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    """Titles are stored in lower case."""
    title, description = line.id("title").lower(), line.optional_text("description")
    color = (line.optional_text("color") or "").lower() or None
    if color is not None and not COLOR.fullmatch(color):
        raise Malformed(f"{line.at('color')} is not a colour such as #1f93ff")
    yield LabelUpsert(title, at_of(line, now), color, description)


def _custom_field(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield CustomFieldUpsert(
        key=line.id("key"),
        name=line.optional_text("name") or line.id("key"),
        at=at_of(line, now),
        type=line.optional_text("type"),
        description=line.optional_text("description"),
        options=texts(line, "options") if "options" in line else None,
        position=line.number("position") if "position" in line else None,
        pattern=line.optional_text("pattern"),
        pattern_hint=line.optional_text("pattern_hint"),
    )


def _canned_response(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    yield CannedResponseUpsert(line.id("short_code"), line.text("text"), at_of(line, now))


def _template(line: JsonObject, now: int) -> Iterator[DomainEvent]:
    names = ("category", "status", "quality_score", "waba_id", "rejected_reason")
    more = ("previous_category", "parameter_format")
    yield TemplateUpsert(
        id=line.id("id"),
        name=line.id("name"),
        language=line.id("language"),
        at=at_of(line, now),
        components=tuple(part.members for part in line.parts("components")),
        **{name: line.optional_text(name) for name in (*names, *more)},
    )


READERS: Mapping[str, Callable[[JsonObject, int], Iterator[DomainEvent]]] = {
    "channel": _channel,
    "user": _user,
    "team": _team,
    "label": _label,
    "custom_field": _custom_field,
    "canned_response": _canned_response,
    "template": _template,
}
