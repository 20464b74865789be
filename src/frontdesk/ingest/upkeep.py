"""Converts webhooks about message templates and phone numbers to events (pure)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from frontdesk.ingest.events import NumberUpdate, TemplateUpsert
from frontdesk.ingest.shapes import Malformed, Part
from frontdesk.ingest.value import phone_of, shown_number

# Members that identify the subject of a value, whatever its field is called.
TEMPLATE = "message_template_id"
NUMBER = frozenset(("decision", "current_limit", "max_daily_conversations_per_business"))

_BUTTONS: Mapping[str, str] = MappingProxyType(
    {
        "message_template_button_type": "type",
        "message_template_button_text": "text",
        "message_template_button_url": "url",
        "message_template_button_phone_number": "phone_number",
    }
)


def template(value: Part, account: str | None, at: int) -> TemplateUpsert:
    """Convert a change of a template's status, quality, category or components."""
    status = value.optional_text("event") or None
    return TemplateUpsert(
        id=value.id(TEMPLATE),
        name=value.text("message_template_name"),
        language=value.text("message_template_language"),
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


def number(value: Part, at: int) -> NumberUpdate:
    """Convert a change of a number's limits or of its name."""
    phone = phone_of(shown_number(value))
    if phone is None:
        raise Malformed(f"{value.where}.display_phone_number is not a phone number")
    details: dict[str, Any] = {}
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


def _reason(value: Part) -> str:
    """Return the reason for a rejection, "" without one."""
    reason = value.optional_text("reason") or ""
    return "" if reason == "NONE" else reason


def _components(value: Part) -> tuple[dict[str, Any], ...]:
    """Return components in the format of the Graph API, from the webhook's separate members."""
    found: list[dict[str, Any]] = []
    title = value.optional_text("message_template_title")
    body = value.optional_text("message_template_element")
    footer = value.optional_text("message_template_footer")
    if title:
        found.append({"type": "HEADER", "format": "TEXT", "text": title})
    if body:
        found.append({"type": "BODY", "text": body})
    if footer:
        found.append({"type": "FOOTER", "text": footer})
    buttons = [_button(button) for button in value.parts("message_template_buttons")]
    if buttons:
        found.append({"type": "BUTTONS", "buttons": buttons})
    return tuple(found)


def _button(button: Part) -> dict[str, Any]:
    return {name: button.members[told] for told, name in _BUTTONS.items() if told in button}
