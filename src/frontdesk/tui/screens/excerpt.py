"""Parts of a thread: people only, notes only, without system lines."""

from collections.abc import Callable, Mapping

from frontdesk.transcript import Entry, by_people
from frontdesk.tui.widgets.rows import FixedRows, Rows
from frontdesk.wire import Note

ALL = "all"

# What is looked through before the first paint, and again each time the reader nears the top.
REACH = 500

_KEEPS: Mapping[str, Callable[[Entry], bool]] = {
    "people": by_people,
    "notes": lambda entry: isinstance(entry, Note),
    "no system lines": lambda entry: isinstance(entry, Note) or entry.type != "system",
}

# The parts that can be shown, each with its letter in the menu of them.
PART_LETTERS: Mapping[str, str] = dict(zip((ALL, *_KEEPS), "apns", strict=True))


def excerpt(rows: Rows[Entry], part: str, reach: int) -> FixedRows[Entry]:
    """The newest `reach` rows of a thread as far as they belong to a part of it."""
    keeps = _KEEPS[part]
    kept = []
    for position in range(max(0, len(rows) - reach), len(rows)):
        entry = rows[position]
        if keeps(entry):
            kept.append((rows.key(position), entry))
    return FixedRows(kept)
