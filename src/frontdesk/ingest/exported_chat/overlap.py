"""What of an exported chat is known already, from webhooks or from an earlier export; pure."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from frontdesk.ingest.events import PLACEHOLDER
from frontdesk.ingest.exported_chat.chat import Entry
from frontdesk.ingest.exported_chat.headers import plain
from frontdesk.store.database import Row
from frontdesk.wire.words import MEDIA_TYPES

# Exports tell minutes, and clocks differ: the same words within this time are the same message.
APART = 60_000

# How alike two messages are by what is known of both: side, kind and words.
_Key = tuple[int, str, str]

_ANY_FILE, _LEFT_OUT, _UNKNOWN, _GONE = "any file", "left out", "unknown", "gone"


@dataclass(frozen=True, slots=True)
class Compared:
    """An entry, and whether it is known. stands_for: the id that the provider gave a message of
    which nothing but its delivery is known, and which must be this one."""

    entry: Entry
    known: bool
    stands_for: str | None = None
    at: int | None = None


def compared(entries: Sequence[Entry], rows: Sequence[Row]) -> list[Compared]:
    """Every entry in the order of time; each row is the same as one entry at most."""
    shelf = _Shelf(rows)
    ordered = sorted(entries, key=lambda entry: entry.at)
    known = {number for number, entry in enumerate(ordered) if shelf.exactly(entry)}
    found: list[Compared] = []
    for number, entry in enumerate(ordered):
        if number in known or shelf.nearly(entry):
            found.append(Compared(entry, True))
            continue
        row = shelf.unknown(entry)
        stands_for = (None, None) if row is None else (row["wamid"], row["created_at"])
        found.append(Compared(entry, False, *stands_for))
    return found


class _Shelf:
    """Rows by what they are alike by, each taken once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._taken: set[int] = set()
        self._rows: defaultdict[_Key, deque[Row]] = defaultdict(deque)
        self._exact: defaultdict[tuple[int, _Key], list[Row]] = defaultdict(list)
        for row in rows:
            for key in _row_keys(row):
                self._rows[key].append(row)
                for at in {row["created_at"], row["stamped_at"]} - {None}:
                    self._exact[at, key].append(row)

    def exactly(self, entry: Entry) -> bool:
        """Take the row of an earlier import of the same export."""
        times = (entry.at,) if entry.stamped_at is None else (entry.stamped_at, entry.at)
        places = [(at, key) for at in times for key in _keys(entry)]
        return any(self._take(self._exact.get(place, ())) is not None for place in places)

    def nearly(self, entry: Entry) -> bool:
        """Take a row that says the same at nearly the same time."""
        return any(self._near(key, entry.at) is not None for key in _keys(entry))

    def unknown(self, entry: Entry) -> Row | None:
        """Take a message that was sent then, and of which nothing else is known."""
        return self._near((1, _UNKNOWN, ""), entry.at) if entry.outbound else None

    def _near(self, key: _Key, at: int) -> Row | None:
        rows = self._rows[key]
        while rows and rows[0]["created_at"] < at - APART:
            rows.popleft()
        return self._take(row for row in rows if row["created_at"] <= at + APART)

    def _take(self, rows: Iterable[Row]) -> Row | None:
        for row in rows:
            if row["id"] not in self._taken:
                self._taken.add(row["id"])
                return row
        return None


def _row_keys(row: Row) -> Iterator[_Key]:
    side, kind = row["direction"], row["type"]
    if row["richness"] == PLACEHOLDER:
        yield side, _UNKNOWN, ""
    elif row["deleted_at"] is not None:
        yield side, _GONE, ""
    elif kind == "unsupported":
        yield side, _LEFT_OUT, ""
    else:
        yield side, kind, _words(row["text"])
        if kind in MEDIA_TYPES:
            yield side, _ANY_FILE, ""


def _keys(entry: Entry) -> tuple[_Key, ...]:
    side, said = int(entry.outbound or False), entry.said
    if said.deleted:
        return ((side, _GONE, ""),)
    if said.type == "unsupported":
        return (side, _LEFT_OUT, ""), (side, _ANY_FILE, "")
    alike = (side, said.type, _words(said.text))
    return (alike, (side, _LEFT_OUT, "")) if said.type in MEDIA_TYPES else (alike,)


def _words(text: str | None) -> str:
    return " ".join(plain(text or "").split())
