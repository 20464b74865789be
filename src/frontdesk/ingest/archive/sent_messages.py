"""Converts records of messages sent through the Cloud API, which webhooks do not contain (pure).

Their `kind` is `cloud_api_send`; `native_lines.py` converts the other kinds.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from frontdesk.ingest.archive.native_lines import required_instant
from frontdesk.ingest.events import (
    Author,
    DomainEvent,
    MessageRead,
    MessageUpsert,
    Person,
    ReactionSet,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed, checked_channel_id, phone_of
from frontdesk.ingest.webhooks.messages import WebhookChange, add_message

KIND = "cloud_api_send"


def convert(members: Mapping[str, Any], channel: str | None) -> list[DomainEvent]:
    """Convert a record {at, request, response, author?, phone_number_id?}.

    A request that marks a message as read becomes a `MessageRead`.

    channel: default of records that name none. Raises: Malformed.
    """
    record = JsonObject(members)
    channel = record.optional_id("phone_number_id") or record.optional_id("channel") or channel
    if channel is None:
        raise Malformed("phone_number_id is missing; --channel gives it for a whole file")
    checked_channel_id(channel, "phone_number_id")
    at = required_instant(record, "at")
    request, response = record.part("request"), record.part("response")
    if request.optional_text("status") == "read" and "message_id" in request:
        return [MessageRead(channel, request.id("message_id"), at)]
    answers = response.parts("messages")
    if not answers:
        raise Malformed("response.messages is empty: nothing was sent")
    value = WebhookChange(channel, source="archive")
    message = _as_webhook(request, answers[0].id("id"), at)
    add_message(value, message, _person(request, response), outbound=True, status="pending")
    return [_signed(event, _author(record)) for event in value.events]


def _as_webhook(request: JsonObject, wamid: str, at: int) -> JsonObject:
    """Convert an API request to the shape of a webhook message."""
    context = request.optional_part("context")
    return JsonObject(
        {
            **request.members,
            "id": wamid,
            "timestamp": str(max(at // 1000, 1)),
            "context": {"id": context.optional_id("message_id")} if context else None,
        },
        "request",
    )


def _person(request: JsonObject, response: JsonObject) -> Person:
    contacts = response.parts("contacts")
    wa_id = contacts[0].optional_id("wa_id") if contacts else None
    phone = phone_of(request.optional_text("to")) or phone_of(wa_id)
    if phone is None:
        raise Malformed("request.to is not a phone number")
    return Person.of_phone(phone, wa_id)


def _author(record: JsonObject) -> Author:
    author = record.optional_part("author")
    if author is None:
        return Author("api")
    kind = author.text("type")
    name = author.optional_text("name")
    if kind != "user":
        return Author(kind, name=name)
    key = (
        author.optional_id("id") or author.optional_id("external_id") or author.optional_id("email")
    )
    return Author(kind, key or author.optional_id("name"), name)


def _signed(event: DomainEvent, author: Author) -> DomainEvent:
    if isinstance(event, MessageUpsert):
        return replace(event, author=author)
    if isinstance(event, ReactionSet):
        return replace(event, author=author.kind)
    return event
