"""Parses WhatsApp Cloud API webhook bodies and converts them to domain events (pure)."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.json_reader import JsonObject, Malformed, channel_id, instant, shown_number
from frontdesk.ingest.webhooks import account as upkeep
from frontdesk.ingest.webhooks.business_app import convert_contact, convert_history
from frontdesk.ingest.webhooks.calls import CALL_STATUS, convert_call, convert_call_status
from frontdesk.ingest.webhooks.messages import (
    PERSONS,
    WebhookChange,
    convert_echo,
    convert_message,
    convert_preference,
    convert_status,
    convert_user_id,
)
from frontdesk.text.clean import shortened
from frontdesk.text.limits import NAME

__all__ = ["NormalisedBody", "normalise"]


def _convert_status(value: WebhookChange, status: JsonObject) -> None:
    """Convert the status of a message or of a call."""
    if (status.optional_text("type") or "").lower() == CALL_STATUS:
        convert_call_status(value, status)
    else:
        convert_status(value, status)


# Arrays of a value, with the converter of their elements.
_ELEMENTS: Mapping[str, Callable[[WebhookChange, JsonObject], None]] = {
    "messages": convert_message,
    "message_echoes": convert_echo,
    "statuses": _convert_status,
    "calls": convert_call,
    "history": convert_history,
    "state_sync": convert_contact,
    "user_preferences": convert_preference,
    "user_id_update": convert_user_id,
}


@dataclass(frozen=True, slots=True)
class NormalisedBody:
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


def normalise(
    body: Mapping[str, Any], *, live: bool, received_at: int | None = None
) -> NormalisedBody:
    """Convert a webhook body, with channels and contacts before what refers to them.

    Also accepts a bare `value` object and 360dialog's envelope. `live` is False for back-fill.
    received_at: epoch milliseconds; an element dated more than five minutes later counts as of
    then.

    Raises: Malformed: the body or all of its elements are unreadable.
    """
    reading = _Conversion(live, received_at)
    for change in _changes(JsonObject(body), reading):
        try:
            _convert(reading, change)
        except Malformed as error:
            reading.refused.append(str(error))
    if reading.refused and not reading.events:
        raise Malformed(reading.refused[0])
    if reading.refused:
        reading.ignored["element that cannot be read"] += len(reading.refused)
    return NormalisedBody(tuple(reading.events), reading.ignored, tuple(reading.refused))


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
        name = shortened(change.optional_text("field") or "", NAME)
        value = change.members.get("value")
        if isinstance(value, dict):
            yield _ChangeValue(
                name, JsonObject(value, "value", change), entry.optional_id("id"), at
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


def _convert(reading: _Conversion, change: _ChangeValue) -> None:
    """Convert one change by the members of its value, as field names are not reliable."""
    members = change.value.members.keys()
    if not _ELEMENTS.keys().isdisjoint(members):
        _convert_elements(reading, change)
    elif upkeep.TEMPLATE in members:
        reading.events.append(upkeep.template(change.value, change.account, change.at))
    elif "display_phone_number" in members and members & upkeep.NUMBER:
        reading.events.append(upkeep.number(change.value, change.at))
    elif "errors" in members:
        for error in change.value.parts("errors"):
            reading.ignored[f"account error {error.number('code')}"] += 1
    else:
        reading.ignored[f"field {change.name or 'unknown'}"] += 1


def _convert_elements(reading: _Conversion, change: _ChangeValue) -> None:
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
    for name, convert in _ELEMENTS.items():
        if name in part.members:
            for element in part.elements(name):
                value.attempt(convert, element)
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


_WRAPPINGS = ("body", "payload")
# A rejected line is wrapped once more than it was.
_MOST_WRAPPINGS = 3


def body_of(line: bytes) -> Mapping[str, Any]:
    """Return the webhook body of a JSON text without its wrapping.

    Raises: Malformed.
    """
    return unwrap(line)[0]


def unwrap(line: bytes) -> tuple[Mapping[str, Any], int | None]:
    """Parse a line; return the inner object and the time of receipt, if the wrapping has one."""
    try:
        value = _object(line.decode().strip())
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    received_at: int | None = None
    for _ in range(_MOST_WRAPPINGS):
        if value.keys() & {"entry", "object", "kind"}:
            break
        wrapped = next(
            (
                wrapped
                for wrapped in map(value.get, _WRAPPINGS)
                if isinstance(wrapped, str | Mapping)
            ),
            None,
        )
        if wrapped is None:
            break
        received_at = _received_at(value) or received_at
        value = _object(wrapped) if isinstance(wrapped, str) else wrapped
    return value, received_at


def _received_at(wrapping: Mapping[str, Any]) -> int | None:
    """Return the time of receipt; an unreadable one counts as absent."""
    try:
        return instant(wrapping.get("received_at"))
    except Malformed:
        return None


def _object(text: str) -> Mapping[str, Any]:
    """Parse a JSON object and replace text that databases cannot store."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"it is not JSON from character {error.pos + 1} on") from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except Malformed:
        raise
    except ValueError:
        raise Malformed("it holds a number that is too long") from None
    if not isinstance(value, dict):
        raise Malformed("it is not a JSON object")
    if _SUSPECT.search(text):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _refuse(constant: str) -> float:
    raise Malformed(f"it is not JSON: {constant} is not a number there")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Malformed("it holds a number that is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
# May encode NUL or a lone surrogate.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])|\x00")


def _sound(value: Any) -> Any:
    """Return `value` without lone surrogates and NUL, which databases reject."""
    if isinstance(value, str):
        return _sound_text(value)
    if isinstance(value, list):
        return [_sound(member) for member in value]
    if isinstance(value, dict):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _sound_text(text: str) -> str:
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")
