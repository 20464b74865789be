"""Applies catalogue files and lists the differences in words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.catalogue_file import Known, Problem, events
from frontdesk.ingest.events import DomainEvent
from frontdesk.store import whole
from frontdesk.store.database import Connection, Row

Catalogues = Mapping[tuple[str, str], Mapping[str, Any]]

# Display name and key column of each kind.
_KINDS = MappingProxyType(
    {
        "channel": ("channel", "phone_number_id"),
        "user": ("user", "key"),
        "label": ("label", "title"),
        "custom_field": ("custom field", "key"),
        "canned_response": ("canned response", "short_code"),
        "template": ("template", "id"),
        "team": ("team", "name"),
    }
)
_UNTOLD = frozenset(
    ("account_id", "id", "told_json", "name_key", "title_key", "created_at", "updated_at")
)
_LONGEST = 120
_NOT_OURS = frozenset(("last_assigned", "synced_at"))


def known(connection: Connection, account_id: int) -> Known:
    """Return the channels and users that a file may refer to."""
    channels: dict[str, str] = {}
    for row in whole.rows_of(connection, account_id, "channel"):
        number = row["phone_number_id"]
        for name in (row["alias"], row["phone"]):
            if name:
                channels.setdefault(name, number)
        channels[number] = number
    users = (row["key"] for row in whole.rows_of(connection, account_id, "user"))
    return Known(channels, frozenset(users))


def catalogues(connection: Connection, account_id: int) -> Catalogues:
    """Return all catalogue rows by kind and key, with their user-visible columns."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    names: dict[tuple[str, int], str] = {}
    channels = whole.links(connection, account_id, "team_channel")
    members = whole.links(connection, account_id, "team_member")
    for kind, (_, key) in _KINDS.items():
        for row in whole.rows_of(connection, account_id, kind):
            names[kind, row["id"]] = row[key]
            found[kind, row[key]] = _told(row, key)
            if kind == "team":
                linked = {
                    "channels": [names["channel", each] for each in channels.get(row["id"], ())],
                    "members": [names["user", each] for each in members.get(row["id"], ())],
                }
                found[kind, row[key]] = {**found[kind, row[key]], **linked}
    return found


def bring_in(
    connection: Connection, account_id: int, contents: Mapping[str, Any], now: int
) -> tuple[list[str], list[Problem]]:
    """Apply a file completely, or not at all if it has any problem.

    Returns the resulting differences, and the problems.
    """
    told, problems = events(contents, known(connection, account_id), now)
    if problems:
        return [], problems
    return tell(connection, account_id, told, now), []


def tell(
    connection: Connection, account_id: int, told: Sequence[DomainEvent], now: int
) -> list[str]:
    """Apply catalogue events; return the resulting differences."""
    before = catalogues(connection, account_id)
    apply_events(connection, account_id, told, now=now)
    return list(differences(before, catalogues(connection, account_id)))


def differences(before: Catalogues, after: Catalogues) -> Iterator[str]:
    """Yield a line for each new (`+`) or changed (`~`) row."""
    for (kind, name), told in after.items():
        word = _KINDS[kind][0]
        was = before.get((kind, name))
        if was is None:
            members = ", ".join(f"{_word(each)} {_shown(value)}" for each, value in _said(told))
            yield f"+ {word} {name}{': ' if members else ''}{members}"
        elif was != told:
            changes = (
                f"{_word(each)} {_shown(was.get(each))} → {_shown(value)}"
                for each, value in told.items()
                if was.get(each) != value
            )
            yield f"~ {word} {name}: {', '.join(changes)}"


def _told(row: Row, key: str) -> dict[str, Any]:
    left_out = _UNTOLD | _NOT_OURS | {key}
    return {
        name: json.loads(row[name]) if name.endswith("_json") else row[name]
        for name in dict(row)
        if name not in left_out
    }


def _said(told: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in told.items() if value not in (None, "", []))


def _word(column: str) -> str:
    return column.removesuffix("_json").replace("_", " ")


def _shown(value: Any) -> str:
    if value in (None, "", []):
        return "nothing"
    if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
        text = "[" + ", ".join(map(_shown, value)) + "]"
    elif isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
