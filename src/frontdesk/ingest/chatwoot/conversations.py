"""Converts Chatwoot conversations and their reporting events to native lines (pure).

Several conversations with one contact in one inbox become one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.ingest.chatwoot.catalogue import Line, WhatsAppInbox, milliseconds, user_key
from frontdesk.ingest.chatwoot.messages import ChatContext
from frontdesk.ingest.json_reader import JsonObject, phone_of
from frontdesk.wire import timestamp

_EVENTS: Mapping[str, str] = {
    "conversation_resolved": "resolved",
    "conversation_opened": "opened",
    "conversation_bot_handoff": "bot_handoff",
    "conversation_bot_resolved": "bot_resolved",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """Conversation as listed. Times: epoch milliseconds.

    phone: None if the contact has no number. assignee: user key. left_out: descriptions of facts
    that are not imported.
    """

    id: str
    inbox: WhatsAppInbox
    phone: str | None
    status: str
    created_at: int
    active_at: int
    seen_at: int | None
    snoozed_until: int | None
    assignee: str | None
    labels: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def summary(row: JsonObject, inbox: WhatsAppInbox) -> Summary:
    """Parse a row of the list. Raises: Malformed."""
    meta = row.part_or_empty("meta")
    sender = meta.part_or_empty("sender")
    assignee = meta.optional_part("assignee")
    labels = row.members.get("labels")
    created = milliseconds(row.members.get("created_at"))
    active = milliseconds(row.members.get("last_activity_at") or row.members.get("timestamp"))
    return Summary(
        id=row.text("id"),
        inbox=inbox,
        phone=phone_of(sender.optional_text("phone_number")),
        status=row.text("status"),
        created_at=created or active or 0,
        active_at=active or created or 0,
        seen_at=milliseconds(row.members.get("agent_last_seen_at")),
        snoozed_until=milliseconds(row.members.get("snoozed_until")),
        assignee=None if assignee is None else user_key(assignee),
        labels=tuple(label for label in labels if isinstance(label, str))
        if isinstance(labels, list)
        else (),
        left_out=tuple(_left_out(row, meta)),
    )


def _left_out(row: JsonObject, meta: JsonObject) -> Iterator[str]:
    if row.members.get("priority"):
        yield "priority of a conversation"
    if meta.members.get("team"):
        yield "team of a conversation"
    custom = row.members.get("custom_attributes")
    for name, value in custom.items() if isinstance(custom, dict) else ():
        if value not in (None, ""):
            yield f"attribute {name} of a conversation"


def event_lines(
    chat: Summary, events: list[JsonObject], place: ChatContext, followed_at: int | None
) -> Iterator[Line]:
    """Convert the events of a conversation other than messages.

    followed_at: start of the next conversation with the same contact; None for the last one, whose
    current state is also written.
    """
    yield _event(chat, place, "opened", chat.created_at, "created")
    last = chat.created_at
    resolved_at = None
    for event in events:
        name = _EVENTS.get(event.optional_text("name") or "")
        at = milliseconds(event.members.get("event_end_time")) or milliseconds(
            event.members.get("created_at")
        )
        if name is None or at is None:
            continue
        last = max(last, at)
        resolved_at = at if name == "resolved" else resolved_at
        yield _event(chat, place, name, at, f"event {event.text('id')}")
    if chat.seen_at is not None:
        until = {"until": timestamp(chat.seen_at)}
        yield _event(chat, place, "read_marker", chat.seen_at, f"seen {chat.seen_at}", until)
    if followed_at is None:
        yield _state_line(chat, place, max(last, chat.active_at))
    elif resolved_at is None:
        # It ended before the next one started, at an unknown time.
        over_at = min(max(last, chat.active_at), followed_at - 1)
        yield _event(chat, place, "resolved", over_at, "over")


def _state_line(chat: Summary, place: ChatContext, at: int) -> Line:
    """Convert the state. Pending (handled by a bot) becomes open and awaiting a human."""
    pending = chat.status == "pending"
    known = chat.status in ("open", "resolved", "snoozed")
    return {
        "kind": "conversation",
        "v": 1,
        **place.members(),
        "status": chat.status if known else "open",
        "awaiting_human": True if pending else None,
        "snoozed_until": None if chat.snoozed_until is None else timestamp(chat.snoozed_until),
        "assignee": None if chat.assignee is None else {"external_id": chat.assignee},
        "labels": list(chat.labels),
        "updated_at": timestamp(at),
    }


def _event(
    chat: Summary,
    place: ChatContext,
    name: str,
    at: int,
    key: str,
    value: Mapping[str, Any] = {},
) -> Line:
    return {
        "kind": "conversation_event",
        "v": 1,
        **place.members(),
        "external_id": f"chatwoot {place.account} conversation {chat.id} {key}",
        "name": name,
        "value": dict(value),
        "created_at": timestamp(at),
    }
