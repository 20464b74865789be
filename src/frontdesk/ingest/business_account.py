"""Converts Graph API phone numbers and message templates to events (pure)."""

from typing import Any

from frontdesk.ingest.events import ChannelUpsert, TemplateUpsert
from frontdesk.ingest.shapes import Malformed, Part
from frontdesk.ingest.value import channel_id, phone_of, shown_number

NUMBER_FIELDS = (
    "id",
    "display_phone_number",
    "verified_name",
    "quality_rating",
    "status",
    "name_status",
    "throughput",
    "platform_type",
    "is_on_biz_app",
    "messaging_limit_tier",
)
TEMPLATE_FIELDS = (
    "id",
    "name",
    "language",
    "status",
    "category",
    "components",
    "quality_score",
    "rejected_reason",
    "previous_category",
    "parameter_format",
)


def channel(row: object, account: str, at: int) -> ChannelUpsert:
    """Convert a phone number. Raises: Malformed."""
    told = _part(row, "a number")
    shown = shown_number(told)
    on_app = told.flag("is_on_biz_app")
    details: dict[str, Any] = {
        "verified_name": told.optional_text("verified_name"),
        "quality_rating": told.optional_text("quality_rating"),
        "status": told.optional_text("status"),
        "name_status": told.optional_text("name_status"),
        "messaging_limit": told.optional_text("messaging_limit_tier"),
        "throughput": _inner(told, "throughput", "level"),
        "platform": told.optional_text("platform_type"),
        "on_business_app": None if on_app is None else int(on_app),
        "synced_at": at,
    }
    return ChannelUpsert(
        phone_number_id=channel_id(told, "id"),
        at=at,
        phone=phone_of(shown),
        display_phone_number=shown,
        waba_id=account,
        details=details,
    )


def template(row: object, account: str, at: int) -> TemplateUpsert:
    """Convert a message template. Raises: Malformed."""
    told = _part(row, "a template")
    reason = told.optional_text("rejected_reason")
    return TemplateUpsert(
        id=told.id("id"),
        name=told.id("name"),
        language=told.id("language"),
        at=at,
        components=tuple(component.members for component in told.parts("components")),
        category=told.optional_text("category"),
        status=told.optional_text("status"),
        quality_score=_inner(told, "quality_score", "score"),
        waba_id=account,
        # "" clears an earlier reason.
        rejected_reason="" if reason == "NONE" else reason,
        previous_category=told.optional_text("previous_category"),
        parameter_format=told.optional_text("parameter_format"),
    )


def _part(row: object, what: str) -> Part:
    if not isinstance(row, dict):
        raise Malformed(f"{what} is not an object")
    return Part(row)


def _inner(told: Part, name: str, member: str) -> str | None:
    """Return a value given as text, or as a member of an object."""
    if isinstance(told.members.get(name), dict):
        return told.part(name).optional_text(member)
    return told.optional_text(name)
