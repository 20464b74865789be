"""Thread filters: messages of people, notes, or everything but system messages."""

from collections.abc import Callable, Mapping

from frontdesk.transcript import Entry, by_people
from frontdesk.tui.widgets.rows import FixedRows, Rows
from frontdesk.wire import Note

ALL = "all"

# Rows searched before the first paint, and for each further step near the top.
REACH = 500

_KEEPS: Mapping[str, Callable[[Entry], bool]] = {
    "people": by_people,
    "notes": lambda entry: isinstance(entry, Note),
    "no system lines": lambda entry: isinstance(entry, Note) or entry.type != "system",
}

# Names of the filters, each with its letter in the menu.
PART_LETTERS: Mapping[str, str] = dict(zip((ALL, *_KEEPS), "apns", strict=True))


def excerpt(rows: Rows[Entry], part: str, reach: int) -> FixedRows[Entry]:
    """Matching rows among the newest `reach` rows of a thread."""
    keeps = _KEEPS[part]
    kept = []
    for position in range(max(0, len(rows) - reach), len(rows)):
        entry = rows[position]
        if keeps(entry):
            kept.append((rows.key(position), entry))
    return FixedRows(kept)
