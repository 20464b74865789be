"""A saved list by position: any row of a million at the cost of the first."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar, cast

from frontdesk.cache.directory import BLOCKS, MOST_ROWS, RUNS
from frontdesk.cache.file import NONSENSE
from frontdesk.cache.lists import ListName
from frontdesk.cache.rows import KINDS, MODELS, key_of, text_of, unreadable
from frontdesk.timeline import HIGHEST, LOWEST, Key
from frontdesk.wire import Wire

T = TypeVar("T", bound=Wire)
Rows = Callable[[str, tuple[object, ...]], list[Any]]
# A key as it is read.
Edge = tuple[str, int, str, str]

_BLOCKS_KEPT = 16

_NODES = (
    "SELECT sort, size, id, kind, count FROM node WHERE list = ? AND level = ?"
    " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)"
    " ORDER BY sort, size, id, kind"
)
# What damage has put under the number of another is left out.
_ROWS = (
    "SELECT entry.kind, body FROM entry CROSS JOIN object ON object.number = entry.object"
    " AND origin = ? AND object.kind = entry.kind AND object.id = entry.id"
    " WHERE list = ? AND (sort, size, entry.id, entry.kind)"
)
_OLDEST_FIRST = f"{_ROWS} >= (?, ?, ?, ?) ORDER BY sort, size, entry.id, entry.kind LIMIT ?"
_NEWEST_FIRST = (
    f"{_ROWS} < (?, ?, ?, ?) ORDER BY sort DESC, size DESC, entry.id DESC, entry.kind DESC LIMIT ?"
)
_PLACE = "SELECT sort, size, id, kind FROM entry WHERE kind = ? AND id = ? AND list = ?"
_RANK = (
    "SELECT count(*) FROM entry WHERE list = ?"
    " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)"
)


class Node(NamedTuple):
    """A counted range of a list: `size` rows from `lower` up to, without, `upper`."""

    lower: Edge
    upper: Edge
    size: int


class Directory:
    """Consecutive nodes in the order of the listing, and where each starts."""

    def __init__(
        self, edges: Sequence[Edge], sizes: Iterable[int], *, newest_first: bool = False
    ) -> None:
        """edges: one more than sizes, in the order of the listing."""
        self._edges = edges
        self._newest_first = newest_first
        self.starts = list(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    def find(self, position: int) -> tuple[int, int]:
        """Which node has the row at `position`, and the position of the row in it."""
        # Empty nodes start where the next one does: the last of those that start there has it.
        ordinal = bisect_right(self.starts, position) - 1
        return ordinal, position - self.starts[ordinal]

    def node(self, number: int) -> Node:
        """One of the nodes; there are thousands, of which few are looked at."""
        lower, upper = self._edges[number : number + 2]
        if self._newest_first:
            lower, upper = upper, lower
        return Node(lower, upper, self.starts[number + 1] - self.starts[number])

    def reaches(self, key: Key) -> int:
        """Which node's range has `key`."""
        for number in range(len(self.starts) - 1):
            node = self.node(number)
            if node.lower <= key < node.upper:
                return number
        raise LookupError(key)


class Listing(Generic[T]):
    """One saved list as a sequence: position 0 is the newest row, or the oldest.

    It shows the list as it was at the last `reload`. A save in between may shift rows that were
    not read yet, but every position below `len` keeps giving a row; one that cannot be read any
    more is empty.
    """

    def __init__(
        self,
        rows: Rows,
        origin: int,
        which: ListName,
        *,
        newest_first: bool,
        distrust: Callable[[], None] = lambda: None,
    ) -> None:
        """`distrust` is called when what is saved makes no sense."""
        self._rows = rows
        self._distrust = distrust
        self._origin = origin
        self._which = which
        self._newest_first = newest_first
        self.cursor: str | None = None
        self.complete = False
        self.fetched_at: datetime | None = None
        self.reload()

    @property
    def name(self) -> str:
        """Which list this is."""
        return self._which.name

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        """How far it reaches; another one once there is more of it, or another way on."""
        return len(self), self.cursor, self.complete

    def reload(self) -> None:
        """Show the list as it is saved now."""
        self._number = 0
        self._runs = Directory([], [])
        self._blocks: dict[int, Directory] = {}
        self._kept: OrderedDict[tuple[int, int], list[Any]] = OrderedDict()
        self._spare: tuple[str, bytes] | None = None
        try:
            self._load()
        except NONSENSE:
            self._distrust()

    def _load(self) -> None:
        saved = self._rows(
            "SELECT number, cursor, complete, fetched_at FROM list WHERE origin = ? AND name = ?",
            (self._origin, self._which.name),
        )
        number, cursor, complete, fetched_at = saved[0] if saved else (0, None, 0, None)
        self.cursor = None if cursor is None else text_of(cursor)
        self.complete = bool(complete)
        self.fetched_at = None
        if fetched_at is not None:
            self.fetched_at = datetime.fromtimestamp(fetched_at / 1000, UTC)
        self._number = number
        self._runs = self._directory(RUNS, LOWEST, HIGHEST)

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, position: int) -> T:
        if position < 0:
            position += len(self)
        if not 0 <= position < len(self):
            raise IndexError(position)
        try:
            return self._value(position)
        except NONSENSE:
            self._distrust()
            return cast(T, unreadable(self._which.kind))

    def _value(self, position: int) -> T:
        run, within_run = self._runs.find(position)
        block, within_block = self._blocks_of(run).find(within_run)
        values = self._values(run, block)
        value = values[within_block]
        if isinstance(value, tuple):
            kind, body = value
            value = values[within_block] = MODELS[kind].model_validate_json(body)
        return cast(T, value)

    def __iter__(self) -> Iterator[T]:
        return (self[position] for position in range(len(self)))

    def position(self, id: str, kind: str | None = None) -> int | None:
        """Where the row is; None if it is not held.

        `kind`: "note" for a note of a thread; without it the row is what pages of the list hold.
        """
        place = self._rows(_PLACE, (kind or self._which.kind, id, self._number))
        if not place or not len(self):
            return None
        try:
            return self._position(Key(*place[0]))
        except NONSENSE:
            self._distrust()
            return None

    def rank(self, value: T) -> int:
        """How many rows come before a value that is not one of them."""
        if not len(self):
            return 0
        try:
            before = self._before(key_of(cast(Any, value)), held=False)
        except NONSENSE:
            self._distrust()
            return 0
        return max(0, min(before, len(self)))

    def _position(self, key: Key) -> int:
        return max(0, min(self._before(key, held=True), len(self) - 1))

    def _before(self, key: Key, *, held: bool) -> int:
        """How many rows come before a key; `held`: one of the rows has it."""
        run = self._runs.reaches(key)
        blocks = self._blocks_of(run)
        block = blocks.reaches(key)
        node = blocks.node(block)
        below = self._rows(_RANK, (self._number, *node.lower, *key))[0][0]
        within = node.size - held - below if self._newest_first else below
        return int(self._runs.starts[run] + blocks.starts[block] + within)

    def key(self, position: int) -> str:
        """What tells the row at `position` from all others: "kind id"."""
        value = self[position]
        return f"{KINDS[type(value)]} {cast(Any, value).id}"

    def find(self, key: str) -> int | None:
        """Where the row with this key is; None if it is not held."""
        kind, _, id = key.partition(" ")
        return self.position(id, kind)

    def _blocks_of(self, run: int) -> Directory:
        blocks = self._blocks.get(run)
        if blocks is None:
            node = self._runs.node(run)
            blocks = self._blocks[run] = self._directory(BLOCKS, node.lower, node.upper, node.size)
            if len(self._blocks) > _BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
        return blocks

    def _directory(
        self, level: int, lower: Edge, upper: Edge, expected: int | None = None
    ) -> Directory:
        """The nodes of a range. Counts that moved since the last reload are made to fit."""
        rows = self._rows(_NODES, (self._number, level, *lower, *upper))
        edges = [lower, *(row[:4] for row in rows[1:]), upper]
        sizes = [row[4] for row in rows] or [0]
        rows_in_all = sum(sizes)
        # A file takes any number for a count.
        if type(rows_in_all) is not int or not 0 <= min(sizes) <= max(sizes) <= MOST_ROWS[level]:
            raise ValueError("no such number of rows")
        if expected is not None and rows_in_all != expected:
            edges, sizes = [lower, upper], [expected]
        if self._newest_first:
            edges.reverse()
            sizes.reverse()
        return Directory(edges, sizes, newest_first=self._newest_first)

    def _values(self, run: int, block: int) -> list[Any]:
        """The rows of a block: (kind, wire JSON) each, or the value once it was asked for."""
        values = self._kept.get((run, block))
        if values is None:
            values = self._kept[run, block] = self._read(self._blocks[run].node(block))
            if len(self._kept) > _BLOCKS_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((run, block))
        return values

    def _read(self, node: Node) -> list[Any]:
        sql, first = (
            (_NEWEST_FIRST, node.upper) if self._newest_first else (_OLDEST_FIRST, node.lower)
        )
        values = self._rows(sql, (self._origin, self._number, *first, node.size))
        if values:
            self._spare = values[-1]
        if self._spare is None:
            raise LookupError("the list was emptied")
        return values + [self._spare] * (node.size - len(values))
