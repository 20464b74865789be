"""Rows in order, each once: what a fetched stretch of a list says about the rows that are held."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Key(NamedTuple):
    """The place of a row; the greater key is the newer row.

    `size` is the length of `id`, so that decimal ids of one moment are in numeric order.
    `kind` tells a note from a message of the same moment and id.
    """

    sort: str
    size: int
    id: str
    kind: str

    @classmethod
    def at(cls, sort: str, kind: str, id: str) -> "Key":
        """The key of a row whose moment sorts as `sort`."""
        return cls(sort, len(id), id, kind)

    @property
    def row(self) -> tuple[str, str]:
        """Which row it is, wherever it stands."""
        return self.kind, self.id


LOWEST = Key("", -1, "", "")
HIGHEST = Key("\U0010ffff", 0, "", "")


class Stretch(NamedTuple):
    """All rows that the server has between two places of a list.

    `keys` are newest first, each row once. Above them is `upper` (HIGHEST: the head of the list;
    else the row that they follow). `end`: the list has no rows below them. `whole`: every row
    could be read and came in order, so that a missing one is really gone.
    """

    keys: tuple[Key, ...]
    upper: Key
    end: bool
    whole: bool = True

    @property
    def lowest(self) -> Key:
        """Down to where the stretch tells, including the place itself."""
        return LOWEST if self.end else min(self.keys, default=self.upper)

    def meets(self, top: Key | None) -> bool:
        """True unless there may be unknown rows between the stretch and `top`, the newest held."""
        return self.end or (top is not None and self.lowest <= top)

    def covers(self, key: Key) -> bool:
        """The stretch has this row if the server has it."""
        return self.whole and self.lowest < key < self.upper


class Merge(NamedTuple):
    """What turns the held keys into what the server has."""

    insert: tuple[Key, ...]
    remove: tuple[Key, ...]


def stretch(
    pages: Iterable[Sequence[Key]], *, upper: Key = HIGHEST, end: bool, whole: bool = True
) -> Stretch:
    """Pages that follow each other as one stretch.

    A row that moved between two requests may be on two pages: its newest place wins (CLIENT-1).
    """
    places: dict[tuple[str, str], Key] = {}
    previous = upper
    for key in (key for page in pages for key in page):
        whole = whole and key < previous
        previous = key
        places[key.row] = max(key, places.get(key.row, LOWEST))
    return Stretch(tuple(sorted(places.values(), reverse=True)), upper, end, whole)


def merge(held: Iterable[Key], fetched: Stretch) -> Merge:
    """What to change where `held` are the keys in the stretch and of its rows, wherever held.

    A held row goes when it moved, or when the stretch covers it and has it not (CLIENT-3).
    """
    listed = {key.row: key for key in fetched.keys}
    kept: set[Key] = set()
    remove: list[Key] = []
    for key in held:
        place = listed.get(key.row)
        if key == place:
            kept.add(key)
        elif place is not None or fetched.covers(key):
            remove.append(key)
    return Merge(tuple(key for key in fetched.keys if key not in kept), tuple(remove))
