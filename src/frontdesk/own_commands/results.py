"""Results that stay under a message or at the end of a thread: a setting of each conversation."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from frontdesk.text.clean import compact_json

# Names of commands with what they wrote, by the key of the entry above it; "": the thread's end.
Results: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
# Characters of a result, and results of a conversation; the oldest go first.
MOST_CHARACTERS, MOST_RESULTS = 20_000, 100


def setting(conversation_id: str) -> str:
    """Name of the setting with the results of a conversation."""
    return f"under/{conversation_id}"


def results(stored: str | None) -> Results:
    """The results of a setting, those of an entry in the order in which they came."""
    found: dict[str, list[tuple[str, str]]] = {}
    for entry, command, text in _rows(stored):
        found.setdefault(entry, []).append((command, text))
    return found


def with_result(stored: str | None, entry: str, command: str, text: str) -> str:
    """A setting with a result in place of an earlier one of the command; without it if blank."""
    rows = [row for row in _rows(stored) if row[:2] != [entry, command]]
    text = text.strip("\n")
    if text.strip():
        whole = len(text) <= MOST_CHARACTERS
        rows.append([entry, command, text if whole else f"{text[:MOST_CHARACTERS]}…"])
    return compact_json(rows[-MOST_RESULTS:]) if rows else ""


def _rows(stored: str | None) -> list[list[str]]:
    try:
        rows = json.loads(stored or "[]")
    except ValueError:
        return []
    return [row for row in rows if len(row) == 3]
