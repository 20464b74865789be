"""Converts calls on WhatsApp to messages of the type "call" (pure).

Webhooks report that a call begins (`connect`) and ends (`terminate`), and of calls of the business
that the customer declined them. They are copies of one message, by the id of the call.
"""

from collections.abc import Mapping
from typing import Any

from frontdesk.ingest.events import (
    CONTENTS,
    HISTORY_PLACEHOLDER,
    PLACEHOLDER,
    Author,
    MessageUpsert,
    Person,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.ingest.webhooks.messages import PERSONS, WebhookChange
from frontdesk.text.calls import (
    ANSWERED,
    CALL,
    DECLINED,
    MISSED,
    RINGING,
    UNANSWERED,
    call_content,
    call_text,
)

_BY_BUSINESS = "business_initiated"
_COMPLETED = "completed"
# `type` of the status of a call.
CALL_STATUS = "call"
_REJECTED = "rejected"


def convert_call(value: WebhookChange, call: JsonObject) -> None:
    """Convert the beginning or the end of a call."""
    direction = (call.optional_text("direction") or "").lower()
    outbound = direction == _BY_BUSINESS
    names = PERSONS["message_echoes"] if outbound else PERSONS["messages"]
    person = value.person(call, *names)
    event = (call.optional_text("event") or "").lower()
    if event == "connect":
        content = call_content(RINGING)
        _add(value, call, person, content, outbound=outbound, richness=PLACEHOLDER)
    elif event == "terminate":
        content = _end(call, outbound=outbound)
        # A status may say besides that the customer declined the call.
        final = not outbound or content["status"] == ANSWERED
        richness = CONTENTS if final else HISTORY_PLACEHOLDER
        _add(value, call, person, content, outbound=outbound, richness=richness)
    else:
        value.ignored[f"call event {event[:40] or 'unknown'}"] += 1


def convert_call_status(value: WebhookChange, status: JsonObject) -> None:
    """Convert the status of a call of the business; only that it was declined is news."""
    step = status.text("status").lower()
    person = value.recipient(status)
    if step != _REJECTED or person is None:
        value.ignored[f"call status {step[:40]}"] += 1
        return
    _add(value, status, person, call_content(DECLINED), outbound=True, richness=CONTENTS)


def _end(call: JsonObject, *, outbound: bool) -> dict[str, Any]:
    """Return the contents of a call that has ended."""
    seconds = _seconds(call.members.get("duration"))
    completed = (call.optional_text("status") or "").lower() == _COMPLETED
    if completed and seconds != 0:
        return call_content(ANSWERED, seconds)
    return call_content(UNANSWERED if outbound else MISSED)


def _seconds(value: object) -> int | None:
    """Return a duration, None if it is missing or malformed."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _add(
    value: WebhookChange,
    call: JsonObject,
    person: Person,
    content: Mapping[str, Any],
    *,
    outbound: bool,
    richness: int,
) -> None:
    """Add what is known of a call."""
    at, stamped_at = value.moment(_began(call))
    value.events.append(
        MessageUpsert(
            channel=value.channel,
            person=person,
            wamid=call.id("id"),
            at=at,
            outbound=outbound,
            author=Author("api" if outbound else "contact"),
            type=CALL,
            source="webhook",
            text=call_text(content),
            content=content,
            richness=richness,
            live=value.live,
            stamped_at=stamped_at,
        )
    )
    value.met(person, at)


def _began(call: JsonObject) -> JsonObject:
    """Return an element whose `timestamp` is that of the beginning, if it is known."""
    start = call.members.get("start_time")
    if start is None:
        return call
    began = JsonObject({"timestamp": start}, call.where)
    try:
        began.moment("timestamp")
    except Malformed:
        return call
    return began
