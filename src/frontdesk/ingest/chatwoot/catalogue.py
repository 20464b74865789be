"""Converts Chatwoot inboxes, agents, teams, labels, contacts and timestamps (pure)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.ingest.json_reader import (
    LAST_SECOND,
    JsonObject,
    Malformed,
    checked_channel_id,
    instant,
    phone_of,
)
from frontdesk.wire import timestamp
from frontdesk.wire.values import FIELD_TYPES


def milliseconds(value: object) -> int | None:
    """Return epoch milliseconds; None if absent or unreadable (Chatwoot also writes 0)."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value * 1000) if 0 < value < LAST_SECOND else None
    try:
        return instant(value)
    except Malformed:
        return None


def timestamp_of(value: object) -> str | None:
    """Return the timestamp in the format of native lines."""
    at = milliseconds(value)
    return None if at is None else timestamp(at)


Line = dict[str, Any]

WHATSAPP = "Channel::Whatsapp"


@dataclass(frozen=True, slots=True)
class WhatsAppInbox:
    """WhatsApp inbox. id: Chatwoot's; channel: phone_number_id."""

    id: str
    name: str
    channel: str


def whatsapp(rows: Any, mapped: Mapping[str, str]) -> list[tuple[WhatsAppInbox, JsonObject]]:
    """Select WhatsApp inboxes. mapped: phone_number_ids by inbox id, where Chatwoot has none.

    Raises: Malformed: the phone_number_id of an inbox is unknown.
    """
    inboxes = []
    for row in _parts(rows):
        if row.optional_text("channel_type") != WHATSAPP:
            continue
        number, name = row.text("id"), row.optional_text("name") or row.text("id")
        config = row.part_or_empty("provider_config")
        channel = mapped.get(number) or config.optional_id("phone_number_id")
        if channel is None:
            raise Malformed(
                f"the inbox {name!r} does not have its phone_number_id, which an administrator's "
                f"token would see: use --map {number}=<phone_number_id>"
            )
        checked_channel_id(channel, f"the phone_number_id of the inbox {name!r}")
        inboxes.append((WhatsAppInbox(number, name, channel), row))
    return inboxes


def channel_lines(inbox: WhatsAppInbox, row: JsonObject) -> Iterator[Line]:
    config = row.part_or_empty("provider_config")
    account = config.optional_id("business_account_id")
    yield _line(
        "channel",
        id=inbox.channel,
        alias=inbox.name,
        phone=phone_of(row.optional_text("phone_number")),
        waba_id=account,
    )
    for template in _parts(row.members.get("message_templates")):
        if _is_named(template):
            yield _line(
                "template",
                **{name: template.optional_text(name) for name in ("name", "language", "category")},
                id=template.text("id"),
                status=template.optional_text("status"),
                components=[part.members for part in template.parts("components")],
                waba_id=account,
            )


def nameless_templates(row: JsonObject) -> int:
    """Count templates without id, name or language, which are skipped."""
    return sum(not _is_named(template) for template in _parts(row.members.get("message_templates")))


def _is_named(template: JsonObject) -> bool:
    return all(name in template for name in ("id", "name", "language"))


def user_line(row: JsonObject) -> Line:
    """Convert an agent; identified by the e-mail address."""
    role = row.optional_text("role")
    return _line(
        "user",
        external_id=user_key(row),
        name=row.optional_text("available_name") or row.optional_text("name") or user_key(row),
        email=row.optional_text("email"),
        role=role if role in ("agent", "administrator") else None,
        avatar_url=row.optional_text("thumbnail") or None,
    )


def user_key(row: JsonObject) -> str:
    """Return the user key: the e-mail address, or else one made of the id."""
    return row.optional_id("email") or f"chatwoot user {row.text('id')}"


def team_line(
    row: JsonObject, members: Collection[str], inbox_members: Mapping[str, Collection[str]]
) -> Line:
    """Convert a team, linked to the inboxes that have all its members (Chatwoot has no links)."""
    channels = sorted(
        channel
        for channel, users in inbox_members.items()
        if members and set(members) <= set(users)
    )
    auto = row.flag("allow_auto_assign")
    return _line(
        "team",
        name=row.text("name"),
        description=row.optional_text("description") or None,
        distribution=None if auto is None else ("round_robin" if auto else "off"),
        channels=channels,
        members=sorted(members),
    )


def label_line(row: JsonObject) -> Line:
    color = row.optional_text("color")
    return _line(
        "label",
        title=row.text("title"),
        description=row.optional_text("description") or None,
        color=color if color and len(color) == 7 else None,
    )


def canned_response_line(row: JsonObject) -> Line:
    return _line("canned_response", short_code=row.text("short_code"), text=row.text("content"))


def custom_field_line(row: JsonObject) -> Line:
    type_ = row.optional_text("attribute_display_type")
    values = row.members.get("attribute_values")
    options = [str(value) for value in values] if isinstance(values, list) else []
    return _line(
        "custom_field",
        key=row.text("attribute_key"),
        name=row.optional_text("attribute_display_name"),
        type=type_ if type_ in FIELD_TYPES else "text",
        description=row.optional_text("attribute_description") or None,
        options=[option for option in options if option],
        pattern=row.optional_text("regex_pattern"),
        pattern_hint=row.optional_text("regex_cue"),
    )


def contact_line(row: JsonObject) -> Line | None:
    """Convert a contact; None without a phone number."""
    phone = phone_of(row.optional_text("phone_number"))
    if phone is None:
        return None
    name = row.optional_text("name")
    custom = row.part_or_empty("custom_attributes")
    return _line(
        "contact",
        phone=phone,
        # Chatwoot uses the number as the name of an unnamed contact.
        name=name if name and phone_of(name) != phone else None,
        email=row.optional_text("email") or None,
        blocked=row.flag("blocked"),
        custom_fields={
            key: value for key, value in custom.members.items() if value not in (None, "")
        },
        created_at=timestamp_of(row.members.get("created_at")),
        updated_at=timestamp_of(
            row.members.get("last_activity_at") or row.members.get("created_at")
        ),
    )


def left_out_of_contact(row: JsonObject) -> Iterator[str]:
    """Yield descriptions of contact attributes that are not imported."""
    more = row.members.get("additional_attributes")
    for name, value in more.items() if isinstance(more, dict) else ():
        has_value = any(value.values()) if isinstance(value, dict) else value not in (None, "", [])
        if has_value:
            yield f"attribute {name} of a contact"


def rows_in(answer: Any) -> list[Any]:
    """Return the rows of a response: a bare list, or in `payload`, `data` or `data.payload`.

    Raises: Malformed: no list found.
    """
    for _ in range(3):
        if isinstance(answer, list):
            return answer
        if not isinstance(answer, dict):
            break
        answer = answer.get("payload", answer.get("data"))
    raise Malformed("Chatwoot answered with something that is not a list")


def _parts(rows: Any) -> list[JsonObject]:
    return JsonObject({"rows": rows}).parts("rows")


def _line(kind: str, **members: Any) -> Line:
    present = {name: value for name, value in members.items() if value is not None}
    return {"kind": kind, "v": 1, **present}
