"""Last-writer-wins facts of a contact besides its identifiers (pure)."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    NO_NAME,
    PROFILE_NAME,
    ContactUpsert,
)
from frontdesk.store.contacts import name_key

Contact = dict[str, Any]

_COLUMNS = ("profile_name", "username", "email", "blocked")
_CUSTOM = "custom."
# In order of precedence.
_RANKS = (ADDRESS_BOOK_NAME, IMPORTED_NAME, PROFILE_NAME, NO_NAME)

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def told(event: ContactUpsert) -> dict[str, Any]:
    """Return an event's facts by name."""
    things: dict[str, Any] = {
        f"name.{event.name_rank}": event.name,
        "profile_name": event.profile_name,
        "username": event.username,
        "email": event.email,
        "blocked": None if event.blocked is None else int(event.blocked),
    }
    things |= {f"{_CUSTOM}{key}": value for key, value in event.custom_fields.items()}
    return {name: value for name, value in things.items() if value is not None}


def tell(contact: Contact, things: Mapping[str, Any], at: int) -> bool | None:
    """Merge newer facts; return True if columns changed, None if no fact was newer."""
    facts = _facts(contact)
    newer = {
        name: [at, value] for name, value in things.items() if _beats([at, value], facts.get(name))
    }
    if not newer:
        return None
    differs = any(
        name not in facts or facts[name][1] != value for name, (_, value) in newer.items()
    )
    facts.update(newer)
    return differs and _show(contact)


def merge(contact: Contact, other: Contact) -> None:
    """Merge the facts of another contact of the same person."""
    facts = _facts(contact)
    for name, fact in _facts(other).items():
        if _beats(fact, facts.get(name)):
            facts[name] = fact
    _show(contact)
    contact["created_at"] = min(contact["created_at"], other["created_at"])
    times = [one["last_activity_at"] for one in (contact, other) if one["last_activity_at"]]
    contact["last_activity_at"] = max(times, default=None)


def joined(contact: Contact, others: Iterable[Contact]) -> Contact:
    """Return a new contact with the merged facts of several."""
    whole = {**contact, "facts": dict(_facts(contact))}
    for other in others:
        merge(whole, other)
    return sealed(whole)


def sealed(contact: Contact) -> Contact:
    """Encode the facts into `told_json` and return the contact."""
    if contact.get("facts"):
        contact["told_json"] = _ENCODER.encode(contact["facts"])
    return contact


def _facts(contact: Contact) -> dict[str, list[Any]]:
    """Return the facts, {name: [milliseconds, value]}; decoded once per batch."""
    if "facts" not in contact:
        contact["facts"] = json.loads(contact["told_json"] or "{}")
    facts: dict[str, list[Any]] = contact["facts"]
    return facts


def _beats(fact: list[Any], other: list[Any] | None) -> bool:
    """Compare by time, then by value, so that the order of arrival does not matter."""
    if other is None:
        return True
    return fact[0] > other[0] or (
        fact[0] == other[0] and _ENCODER.encode(fact[1]) > _ENCODER.encode(other[1])
    )


def _show(contact: Contact) -> bool:
    """Update the columns from the facts; return True if any changed."""
    facts = _facts(contact)
    shown: dict[str, Any] = {
        name: facts[name][1] for name in _COLUMNS if name in facts
    } | _best_name(facts)
    custom = {
        name.removeprefix(_CUSTOM): fact[1]
        for name, fact in facts.items()
        if name.startswith(_CUSTOM)
    }
    if custom:
        shown["custom_json"] = json.dumps(custom, ensure_ascii=False, sort_keys=True)
    changed = any(contact[name] != value for name, value in shown.items())
    contact.update(shown)
    return changed


def _best_name(facts: Mapping[str, list[Any]]) -> dict[str, Any]:
    for rank in _RANKS:
        fact = facts.get(f"name.{rank}")
        if fact is not None and fact[1] is not None:
            return {"name": fact[1], "name_rank": rank, "name_key": name_key(fact[1])}
    return {"name": None, "name_rank": NO_NAME, "name_key": ""}
