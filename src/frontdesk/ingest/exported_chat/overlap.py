"""Matches an export with stored messages from webhooks or earlier exports (pure)."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from frontdesk.ingest.events import CONTENTS
from frontdesk.ingest.exported_chat.chat import Entry
from frontdesk.ingest.letters import packed
from frontdesk.ingest.matching import Messages, alike, was_changed
from frontdesk.store.database import Row


@dataclass(frozen=True, slots=True)
class Compared:
    """Export entry with the result of matching.

    stands_for: wamid of a placeholder that must be this message; at: its time.
    """

    entry: Entry
    known: bool
    stands_for: str | None = None
    at: int | None = None


def compared(entries: Sequence[Entry], rows: Sequence[Row]) -> list[Compared]:
    """Match all entries by time; a row matches at most one entry."""
    ordered = sorted(entries, key=lambda entry: entry.at)
    copies = [_row(number, entry) for number, entry in enumerate(ordered)]
    exact = _Exact(rows)
    known = _taken(copies, set(), exact.take)
    messages = Messages([row for row in rows if row["id"] not in exact.taken])
    for take in (messages.take, messages.take_changed):
        known |= _taken(copies, known, take)
    found: list[Compared] = []
    for number, entry in enumerate(ordered):
        row = None
        if number not in known and entry.outbound:
            row = messages.take_unknown(entry.at)
        stands_for = (None, None) if row is None else (row["wamid"], row["created_at"])
        found.append(Compared(entry, number in known, *stands_for))
    return found


def _taken(copies: Sequence[Row], known: set[int], take: Callable[[Row], Row | None]) -> set[int]:
    """Return the numbers of unmatched entries that `take` finds a row for."""
    return {
        number
        for number, copy in enumerate(copies)
        if number not in known and take(copy) is not None
    }


class _Exact:
    """Rows by the exact time that an earlier import of the same export assigned."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.taken: set[int] = set()
        self._rows: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            for at in {row["created_at"], row["stamped_at"]} - {None}:
                self._rows[at].append(row)

    def take(self, copy: Row) -> Row | None:
        for at in (copy["stamped_at"], copy["created_at"]):
            for row in self._rows.get(at, ()):
                if row["id"] not in self.taken and _same(row, copy, at):
                    self.taken.add(row["id"])
                    return row
        return None


def _same(row: Row, copy: Row, at: int) -> bool:
    """Check if a row was imported from this entry, even if edited since."""
    if row["wamid"] is not None and row["stamped_at"] == at and was_changed(row):
        return bool(row["direction"] == copy["direction"])
    return alike(row, copy)


def _row(number: int, entry: Entry) -> dict[str, Any]:
    """Convert an entry to the columns that matching compares."""
    said = entry.said
    return {
        "id": number,
        "created_at": entry.at,
        "stamped_at": entry.stamped_at,
        "direction": int(entry.outbound or False),
        "type": said.type,
        "text": said.text,
        "media_json": packed(said.media),
        "richness": CONTENTS,
        "edited_at": entry.at if said.edited else None,
        "deleted_at": entry.at if said.deleted else None,
    }
