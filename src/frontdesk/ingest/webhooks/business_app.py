"""Converts the Business app's synchronised chat history and address book to events (pure)."""

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    Person,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed, is_phone, phone_of
from frontdesk.ingest.webhooks.contents import type_of
from frontdesk.ingest.webhooks.messages import WebhookChange, add_message, convert_message
from frontdesk.wire.values import DELIVERY_STEPS

_SAID = ("edit", "revoke")
_READ = ("read", "played")


def convert_history(value: WebhookChange, chunk: JsonObject) -> None:
    """Convert threads of the history, or count the errors sent instead."""
    for error in chunk.parts("errors"):
        value.ignored[f"history error {error.number('code')}"] += 1
    for thread in chunk.elements("threads"):
        value.attempt(_convert_thread, thread)


def convert_contact(value: WebhookChange, entry: JsonObject) -> None:
    """Convert a change of the address book."""
    if entry.text("type") != "contact":
        value.ignored[f"synchronised {entry.text('type')[:40]}"] += 1
        return
    contact = entry.part("contact")
    at = entry.part("metadata").moment("timestamp")
    phone = phone_of(contact.optional_text("phone_number"))
    user_id = contact.optional_id("user_id")
    if phone is None and user_id is None:
        raise Malformed(f"{contact.where}.phone_number is not a phone number")
    person = (
        Person(wa_user_id=user_id) if phone is None else Person.of_phone(phone, wa_user_id=user_id)
    )
    name = contact.optional_text("full_name") or contact.optional_text("first_name") or ""
    value.at = max(value.at, at)
    if entry.optional_text("action") == "remove":
        value.events.append(ContactRemove(person, at, value.channel))
        return
    value.events.append(
        ContactUpsert(
            person=person,
            at=at,
            name=name.strip() or None,
            name_rank=ADDRESS_BOOK_NAME,
            username=contact.optional_text("username") or None,
            channel=value.channel,
        )
    )


def _convert_thread(value: WebhookChange, thread: JsonObject) -> None:
    """Convert the messages with one person, oldest first; each unreadable one is refused alone."""
    elements = list(thread.elements("messages"))
    value.refused += [str(element) for element in elements if isinstance(element, Malformed)]
    for message in _in_order([element for element in elements if isinstance(element, JsonObject)]):
        value.attempt(_convert_past, thread, message)


def _convert_past(value: WebhookChange, thread: JsonObject, message: JsonObject) -> None:
    """Convert a message of the history, in either direction."""
    context = message.part_or_empty("history_context")
    sender = (message.optional_text("from") or "").removeprefix("+")
    outbound = bool(context.flag("from_me")) or sender == value.business_digits()
    if type_of(message) in _SAID or "group_id" in message:
        convert_message(value, message, outbound=outbound)
        return
    person = _correspondent(value, thread, message, outbound=outbound)
    step = (context.optional_text("status") or "").lower()
    step = "failed" if step == "error" else step
    known = step if step in DELIVERY_STEPS or step == "pending" else None
    add_message(value, message, person, outbound=outbound, status=known if outbound else None)
    if not outbound and step in _READ:
        at, _ = value.moment(message)
        value.events.append(
            ConversationEvent(
                value.channel, person, f"read:{message.id('id')}", at, "read_marker", {"until": at}
            )
        )


def _correspondent(
    value: WebhookChange, thread: JsonObject, message: JsonObject, *, outbound: bool
) -> Person:
    """Return the person of a thread, whose id is a number or a user id."""
    name = thread.optional_id("id")
    if name is not None:
        kind = "to" if is_phone(name.removeprefix("+")) else "to_user_id"
        return value.person(JsonObject({kind: name}, thread.where), "to", "to_user_id")
    if outbound:
        return value.person(message, "to", "to_user_id")
    return value.person(message, "from", "from_user_id")


def _in_order(messages: list[JsonObject]) -> list[JsonObject]:
    """Sort messages by time; the order within one second is kept, or reversed if all are."""
    times = [message.optional_text("timestamp") or "" for message in messages]
    if len(times) > 1 and times[0] > times[-1]:
        messages, times = messages[::-1], times[::-1]
    order = sorted(range(len(messages)), key=lambda position: times[position])
    return [messages[position] for position in order]
