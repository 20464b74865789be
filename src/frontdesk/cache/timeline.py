"""Ordered merge of fetched pages into a cached list, without duplicates."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

# More characters than an id has.
_RANK = 1 << 20


class Key(NamedTuple):
    """Sort key of a row; greater is newer.

    `size` orders rows of equal times: their rank, then the length of `id`, so that decimal ids sort
    numerically. `kind` distinguishes a note from a message with equal time and id.
    """

    sort: str
    size: int
    id: str
    kind: str

    @classmethod
    def at(cls, sort: str, kind: str, id: str, rank: int = 0) -> "Key":
        """Key of a row with a sortable time. rank: see `text.entries.rank`."""
        return cls(sort, rank * _RANK + len(id), id, kind)

    @property
    def row(self) -> tuple[str, str]:
        """Identity of the row, regardless of its position."""
        return self.kind, self.id


LOWEST = Key("", -1, "", "")
HIGHEST = Key("\U0010ffff", 0, "", "")


class Stretch(NamedTuple):
    """A contiguous range of a list, as fetched from the server.

    `keys`: newest first, without duplicates. `upper`: exclusive upper bound; HIGHEST at the head of
    the list, otherwise the row before the range. `end`: the list ends here. `whole`: all rows were
    readable and in order, so that a row missing from it was removed from the list.
    """

    keys: tuple[Key, ...]
    upper: Key
    end: bool
    whole: bool = True

    @property
    def lowest(self) -> Key:
        """Inclusive lower bound of the range."""
        return LOWEST if self.end else min(self.keys, default=self.upper)

    def meets(self, top: Key | None) -> bool:
        """True if the range overlaps or adjoins `top`, the newest cached row, without a gap."""
        return self.end or (top is not None and self.lowest <= top)

    def covers(self, key: Key) -> bool:
        """True if the row would be in the range if it were still in the list."""
        return self.whole and self.lowest < key < self.upper


class Merge(NamedTuple):
    """Changes that bring the cached keys up to date."""

    insert: tuple[Key, ...]
    remove: tuple[Key, ...]


def stretch(
    pages: Iterable[Sequence[Key]], *, upper: Key = HIGHEST, end: bool, whole: bool = True
) -> Stretch:
    """Combine consecutive pages to one range.

    A row that moves between two requests may be on two pages; its newest key is used.
    """
    places: dict[tuple[str, str], Key] = {}
    previous = upper
    for key in (key for page in pages for key in page):
        whole = whole and key < previous
        previous = key
        places[key.row] = max(key, places.get(key.row, LOWEST))
    return Stretch(tuple(sorted(places.values(), reverse=True)), upper, end, whole)


def merge(keys: Iterable[Key], fetched: Stretch) -> Merge:
    """Changes for cached keys: those in the range, and those of its rows elsewhere.

    A cached row is removed if it has moved, or if the range covers but does not contain it.
    """
    listed = {key.row: key for key in fetched.keys}
    keys_kept: set[Key] = set()
    remove: list[Key] = []
    for key in keys:
        place = listed.get(key.row)
        if key == place:
            keys_kept.add(key)
        elif place is not None or fetched.covers(key):
            remove.append(key)
    return Merge(tuple(key for key in fetched.keys if key not in keys_kept), tuple(remove))
