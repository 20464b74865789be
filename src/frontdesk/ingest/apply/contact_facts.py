"""Last-writer-wins facts of a contact besides its identifiers (pure)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    NO_NAME,
    PROFILE_NAME,
    ContactUpsert,
)
from frontdesk.store.contacts import name_key
from frontdesk.store.rows import ContactRow
from frontdesk.text import compact_json

_COLUMNS = ("profile_name", "username", "email", "blocked")
_CUSTOM = "custom."
# In order of precedence.
_RANKS = (ADDRESS_BOOK_NAME, IMPORTED_NAME, PROFILE_NAME, NO_NAME)


# {name: [milliseconds, value]}.
Facts = dict[str, list[Any]]


@dataclass(slots=True)
class BatchContact:
    """Contact, or part of a merged contact, with its decoded facts.

    began: start of a part's conversation by channel id.
    """

    row: ContactRow
    facts: Facts
    began: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, row: ContactRow, began: Mapping[int, int] = {}) -> "BatchContact":
        """Decode the facts of a row, which the contact owns."""
        return cls(row, json.loads(row["told_json"] or "{}"), dict(began))

    @property
    def id(self) -> int:
        return self.row["id"]


def facts_of(event: ContactUpsert) -> dict[str, Any]:
    """Return an event's facts by name."""
    facts: dict[str, Any] = {
        f"name.{event.name_rank}": event.name,
        "profile_name": event.profile_name,
        "username": event.username,
        "email": event.email,
        "blocked": None if event.blocked is None else int(event.blocked),
    }
    facts |= {f"{_CUSTOM}{key}": value for key, value in event.custom_fields.items()}
    return {name: value for name, value in facts.items() if value is not None}


def apply(contact: BatchContact, values: Mapping[str, Any], at: int) -> bool | None:
    """Merge newer facts; return True if columns changed, None if no fact was newer."""
    facts = contact.facts
    newer = {
        name: [at, value]
        for name, value in values.items()
        if _is_newer([at, value], facts.get(name))
    }
    if not newer:
        return None
    differs = any(
        name not in facts or facts[name][1] != value for name, (_, value) in newer.items()
    )
    facts.update(newer)
    return differs and _update_columns(contact)


def merge(contact: BatchContact, other: BatchContact) -> None:
    """Merge the facts of another contact of the same person."""
    for name, fact in other.facts.items():
        if _is_newer(fact, contact.facts.get(name)):
            contact.facts[name] = fact
    _update_columns(contact)
    row, other_row = contact.row, other.row
    row["created_at"] = min(row["created_at"], other_row["created_at"])
    times = [one["last_activity_at"] for one in (row, other_row) if one["last_activity_at"]]
    row["last_activity_at"] = max(times, default=None)


def merged(contact: BatchContact, others: Iterable[BatchContact]) -> ContactRow:
    """Return a new row with the merged facts of several contacts."""
    whole = BatchContact(contact.row.copy(), dict(contact.facts))
    for other in others:
        merge(whole, other)
    return encoded(whole)


def encoded(contact: BatchContact) -> ContactRow:
    """Encode the facts into `told_json` and return the row."""
    if contact.facts:
        contact.row["told_json"] = compact_json(contact.facts, sort_keys=True)
    return contact.row


def _is_newer(fact: list[Any], other: list[Any] | None) -> bool:
    """Compare by time, then by value, so that the order of arrival does not matter."""
    if other is None:
        return True
    return fact[0] > other[0] or (
        fact[0] == other[0]
        and compact_json(fact[1], sort_keys=True) > compact_json(other[1], sort_keys=True)
    )


def _update_columns(contact: BatchContact) -> bool:
    """Update the columns from the facts; return True if any changed."""
    facts = contact.facts
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
    row = cast(dict[str, Any], contact.row)
    changed = any(row[name] != value for name, value in shown.items())
    row.update(shown)
    return changed


def _best_name(facts: Mapping[str, list[Any]]) -> dict[str, Any]:
    for rank in _RANKS:
        fact = facts.get(f"name.{rank}")
        if fact is not None and fact[1] is not None:
            return {"name": fact[1], "name_rank": rank, "name_key": name_key(fact[1])}
    return {"name": None, "name_rank": NO_NAME, "name_key": ""}
