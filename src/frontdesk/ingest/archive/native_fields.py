"""Parses references to channels, persons, users and times in native lines (pure)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from frontdesk.ingest.events import Person
from frontdesk.ingest.json_reader import JsonObject, Malformed, channel_id, instant, is_phone


def channel_of(line: JsonObject) -> str:
    """Return the phone_number_id of a line's channel, given as text or {id}."""
    if isinstance(line.members.get("channel"), Mapping):
        return channel_id(line.part("channel"), "id")
    return channel_id(line, "channel")


def person_of(contact: JsonObject, what: str = "contact") -> Person:
    """Parse an object with phone, wa_id and wa_user_id, any of which may be missing."""
    phone = contact.optional_text("phone")
    digits = (phone or "").removeprefix("+")
    if phone is not None and not (phone.startswith("+") and is_phone(digits)):
        raise Malformed(f"{what} has a phone that is not E.164, such as +16505551234")
    wa_id = contact.optional_id("wa_id") or digits or None
    wa_user_id = contact.optional_id("wa_user_id")
    if phone is None and wa_id is None and wa_user_id is None:
        raise Malformed(f"{what} has no phone, no wa_id and no wa_user_id")
    if phone is None and wa_id is not None and is_phone(wa_id):
        phone = f"+{wa_id}"
    return Person(phone, wa_id, wa_user_id)


def user_key(line: JsonObject, name: str) -> str | None:
    """Return a user key: text, or external_id, else email, else name of an object."""
    value = line.members.get(name)
    if not isinstance(value, Mapping):
        return line.optional_id(name)
    user = line.part(name)
    for member in ("external_id", "email", "name"):
        if key := user.optional_id(member):
            return key
    raise Malformed(f"{name} has no external_id, no email and no name")


def optional_instant(line: JsonObject, name: str) -> int | None:
    """Return an optional time, given in ISO 8601 or epoch milliseconds, as the latter."""
    value = line.members.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        return instant(value)
    except Malformed as error:
        raise Malformed(f"{name} {error}") from None


def created_at(line: JsonObject) -> int:
    """Return the required creation time in epoch milliseconds."""
    moment = optional_instant(line, "created_at")
    if moment is None:
        raise Malformed(f"{line.at('created_at')} is missing")
    return moment


def at_of(line: JsonObject, now: int) -> int:
    """Return the time as of which a line's facts are valid."""
    updated = optional_instant(line, "updated_at")
    created = optional_instant(line, "created_at") if updated is None else None
    return next((at for at in (updated, created) if at is not None), now)


def chosen(
    line: JsonObject, name: str, allowed: Sequence[str], *, required: bool = False
) -> str | None:
    """Return a value of an enumeration."""
    word = line.text(name) if required else line.optional_text(name)
    if word is not None and word not in allowed:
        raise Malformed(f"{name} is not one of {', '.join(allowed)}")
    return word


def digest(value: Any) -> str:
    """Hash a value that has no id of its own."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
