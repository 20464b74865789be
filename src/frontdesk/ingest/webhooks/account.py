"""Converts message templates and phone numbers to events (pure).

They come from webhooks, or from the Graph API.
"""

from collections.abc import Mapping
from typing import Any, cast

from frontdesk.ingest.events import ChannelUpsert, NumberUpdate, TemplateUpsert
from frontdesk.ingest.json_reader import JsonObject, Malformed, channel_id, phone_of, shown_number
from frontdesk.store.rows import ChannelDetails

# Members that identify the subject of a value, whatever its field is called.
TEMPLATE = "message_template_id"
NUMBER = frozenset(("decision", "current_limit", "max_daily_conversations_per_business"))

_BUTTONS: Mapping[str, str] = {
    "message_template_button_type": "type",
    "message_template_button_text": "text",
    "message_template_button_url": "url",
    "message_template_button_phone_number": "phone_number",
}


def template(value: JsonObject, account: str | None, at: int) -> TemplateUpsert:
    """Convert a change of a template's status, quality, category or components."""
    status = value.optional_text("event") or None
    return TemplateUpsert(
        id=value.id(TEMPLATE),
        name=value.id("message_template_name"),
        language=value.id("message_template_language"),
        at=at,
        components=_components(value),
        category=value.optional_text("new_category")
        or value.optional_text("message_template_category")
        or None,
        status=status,
        quality_score=value.optional_text("new_quality_score") or None,
        waba_id=account,
        rejected_reason=None if status is None else _reason(value),
        previous_category=value.optional_text("previous_category") or None,
    )


def number(value: JsonObject, at: int) -> NumberUpdate:
    """Convert a change of a number's limits or of its name."""
    phone = phone_of(shown_number(value))
    if phone is None:
        raise Malformed(f"{value.where}.display_phone_number is not a phone number")
    details: ChannelDetails = {}
    limit = value.optional_text("max_daily_conversations_per_business")
    if limit := limit or value.optional_text("current_limit"):
        details["messaging_limit"] = limit
    if value.optional_text("event") == "THROUGHPUT_UPGRADE":
        details["throughput"] = "HIGH"
    if decision := value.optional_text("decision"):
        details["name_status"] = decision
        name = value.optional_text("requested_verified_name")
        if decision == "APPROVED" and name:
            details["verified_name"] = name
    return NumberUpdate(phone, at, details)


def _reason(value: JsonObject) -> str:
    """Return the reason for a rejection, "" without one."""
    reason = value.optional_text("reason") or ""
    return "" if reason == "NONE" else reason


def _components(value: JsonObject) -> tuple[dict[str, Any], ...]:
    """Return components in the format of the Graph API, from the webhook's separate members."""
    components: list[dict[str, Any]] = []
    title = value.optional_text("message_template_title")
    body = value.optional_text("message_template_element")
    footer = value.optional_text("message_template_footer")
    if title:
        components.append({"type": "HEADER", "format": "TEXT", "text": title})
    if body:
        components.append({"type": "BODY", "text": body})
    if footer:
        components.append({"type": "FOOTER", "text": footer})
    buttons = [_button(button) for button in value.parts("message_template_buttons")]
    if buttons:
        components.append({"type": "BUTTONS", "buttons": buttons})
    return tuple(components)


def _button(button: JsonObject) -> dict[str, Any]:
    return {name: button.members[member] for member, name in _BUTTONS.items() if member in button}


NUMBER_FIELDS = (
    *("id", "display_phone_number", "verified_name", "quality_rating", "status", "name_status"),
    *("throughput", "platform_type", "is_on_biz_app", "messaging_limit_tier"),
)
TEMPLATE_FIELDS = (
    *("id", "name", "language", "status", "category", "components", "quality_score"),
    *("rejected_reason", "previous_category", "parameter_format"),
)


def channel(row: object, account: str, at: int) -> ChannelUpsert:
    """Convert a phone number. Raises: Malformed."""
    number = _part(row, "a number")
    shown = shown_number(number)
    same = ("verified_name", "quality_rating", "status", "name_status")
    details = {
        **number.optional_texts(*same),
        "messaging_limit": number.optional_text("messaging_limit_tier"),
        "throughput": _inner(number, "throughput", "level"),
        "platform": number.optional_text("platform_type"),
        "on_business_app": number.flag("is_on_biz_app"),
        "synced_at": at,
    }
    return ChannelUpsert(
        phone_number_id=channel_id(number, "id"),
        at=at,
        phone=phone_of(shown),
        display_phone_number=shown,
        waba_id=account,
        details=cast(ChannelDetails, details),
    )


def listed_template(row: object, account: str, at: int) -> TemplateUpsert:
    """Convert a message template. Raises: Malformed."""
    template = _part(row, "a template")
    reason = template.optional_text("rejected_reason")
    return TemplateUpsert(
        id=template.id("id"),
        name=template.id("name"),
        language=template.id("language"),
        at=at,
        components=tuple(component.members for component in template.parts("components")),
        quality_score=_inner(template, "quality_score", "score"),
        waba_id=account,
        # "" clears an earlier reason.
        rejected_reason="" if reason == "NONE" else reason,
        **template.optional_texts("category", "status", "previous_category", "parameter_format"),
    )


def _part(row: object, what: str) -> JsonObject:
    if not isinstance(row, dict):
        raise Malformed(f"{what} is not an object")
    return JsonObject(row)


def _inner(part: JsonObject, name: str, member: str) -> str | None:
    """Return a value given as text, or as a member of an object."""
    if isinstance(part.members.get(name), dict):
        return part.part(name).optional_text(member)
    return part.optional_text(name)
