"""Converts WhatsApp Cloud API webhook bodies to domain events (pure)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.ingest.webhooks import account as upkeep
from frontdesk.ingest.webhooks.business_app import convert_contact, convert_history
from frontdesk.ingest.webhooks.change import WebhookChange, channel_id, shown_number
from frontdesk.ingest.webhooks.contents import TEXT_LIMIT
from frontdesk.ingest.webhooks.messages import convert_echo, convert_message, convert_status

__all__ = ["TEXT_LIMIT", "Normalised", "normalise"]

# Arrays of a value, with the converter of their elements.
_ELEMENTS: Mapping[str, Callable[[WebhookChange, JsonObject], None]] = MappingProxyType(
    {
        "messages": convert_message,
        "message_echoes": convert_echo,
        "statuses": convert_status,
        "history": convert_history,
        "state_sync": convert_contact,
    }
)


# Members that identify the person of an element, by array.
PERSONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "messages": ("from", "from_user_id"),
        "message_echoes": ("to", "to_user_id"),
        "statuses": ("recipient_id", "recipient_user_id"),
    }
)


@dataclass(frozen=True, slots=True)
class Normalised:
    """Converted body. ignored: number of skipped elements by kind.

    refused: errors of unreadable elements.
    """

    events: tuple[DomainEvent, ...]
    ignored: Mapping[str, int]
    refused: tuple[str, ...] = ()

    @property
    def refusal(self) -> str | None:
        """Summary of unreadable elements, with the first error; None without any."""
        if not self.refused:
            return None
        return f"{len(self.refused)} of its elements: {self.refused[0]}"


@dataclass(slots=True)
class _Conversion:
    """Conversion of one body."""

    live: bool
    received_at: int | None
    events: list[DomainEvent] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ChangeValue:
    """One change: field, value, and the business account and time of its entry."""

    name: str
    value: JsonObject
    account: str | None = None
    at: int = 0


def normalise(body: Mapping[str, Any], *, live: bool, received_at: int | None = None) -> Normalised:
    """Convert a webhook body, with channels and contacts before what refers to them.

    Also accepts a bare `value` object and 360dialog's envelope. `live` is False for back-fill.
    received_at: epoch milliseconds; an element dated more than five minutes later counts as of
    then.

    Raises: Malformed: the body or all of its elements are unreadable.
    """
    reading = _Conversion(live, received_at)
    for change in _changes(JsonObject(body), reading):
        try:
            _tell(reading, change)
        except Malformed as error:
            reading.refused.append(str(error))
    if reading.refused and not reading.events:
        raise Malformed(reading.refused[0])
    if reading.refused:
        reading.ignored["element that cannot be read"] += len(reading.refused)
    return Normalised(tuple(reading.events), reading.ignored, tuple(reading.refused))


def _changes(body: JsonObject, reading: _Conversion) -> Iterator[_ChangeValue]:
    """Yield every change of every entry, in any envelope."""
    if "entry" in body:
        if body.optional_text("object") not in (None, "whatsapp_business_account"):
            raise Malformed(f"it is about a {body.text('object')}, not a WhatsApp account")
        for entry in _readable(body.elements("entry"), reading.refused):
            try:
                yield from _entry_changes(entry, reading)
            except Malformed as error:
                reading.refused.append(str(error))
    elif "event" in body and "data" in body:
        yield _ChangeValue("", body.part("data"), None, reading.received_at or 0)
    elif _is_value(body):
        yield _ChangeValue("", body, None, reading.received_at or 0)
    else:
        raise Malformed("it is not a WhatsApp webhook body")


def _entry_changes(entry: JsonObject, reading: _Conversion) -> Iterator[_ChangeValue]:
    if not entry.members.get("changes"):
        reading.ignored["entry without changes"] += 1
    at = entry.moment("time") if "time" in entry else reading.received_at or 0
    for change in _readable(entry.elements("changes"), reading.refused):
        name = change.optional_text("field") or ""
        value = change.members.get("value")
        if isinstance(value, dict):
            yield _ChangeValue(
                name, JsonObject(value, "value", change), entry.optional_text("id"), at
            )
        else:
            reading.ignored[f"field {name or 'unknown'}"] += 1


def _readable(
    elements: Iterable[JsonObject | Malformed], refused: list[str]
) -> Iterator[JsonObject]:
    """Yield the objects of an array; errors of other elements are added to `refused`."""
    for element in elements:
        if isinstance(element, Malformed):
            refused.append(str(element))
        else:
            yield element


def _is_value(body: JsonObject) -> bool:
    return "metadata" in body or "messaging_product" in body or upkeep.TEMPLATE in body


def _tell(reading: _Conversion, change: _ChangeValue) -> None:
    """Convert one change by the members of its value, as field names are not reliable."""
    members = change.value.members.keys()
    if not _ELEMENTS.keys().isdisjoint(members):
        _tell_elements(reading, change)
    elif upkeep.TEMPLATE in members:
        reading.events.append(upkeep.template(change.value, change.account, change.at))
    elif "display_phone_number" in members and members & upkeep.NUMBER:
        reading.events.append(upkeep.number(change.value, change.at))
    elif "errors" in members:
        for error in change.value.parts("errors"):
            reading.ignored[f"account error {error.number('code')}"] += 1
    else:
        reading.ignored[f"field {change.name or 'unknown'}"] += 1


def _tell_elements(reading: _Conversion, change: _ChangeValue) -> None:
    part = change.value
    metadata = part.part("metadata")
    shown_number(metadata)
    past = change.name == "history" or "history" in part
    contacts = [*_readable(part.elements("contacts"), reading.refused)]
    value = WebhookChange(
        channel=channel_id(metadata, "phone_number_id"),
        metadata=metadata,
        contacts=contacts,
        errors=[*_readable(part.elements("errors"), reading.refused)],
        live=reading.live and not past,
        received_at=reading.received_at,
        ignored=reading.ignored,
        source="history" if past else None,
        sole_contact=contacts[0] if len(contacts) == 1 and _is_with_one(part) else None,
    )
    for name, tell in _ELEMENTS.items():
        if name in part.members:
            for element in part.elements(name):
                value.attempt(tell, element)
    reading.refused += value.refused
    reading.events += value.all_events(change.account)


def _is_with_one(part: JsonObject) -> bool:
    """Check if all elements of a change name the same person, or all of them none."""
    if "history" in part or "state_sync" in part:
        return False
    named = {
        tuple(str(element.members.get(name)) for name in names)
        for array, names in PERSONS.items()
        if isinstance(part.members.get(array), list)
        for element in part.elements(array)
        if isinstance(element, JsonObject)
    }
    return len(named) == 1
