"""Finds a row of a cached list by position, by row counts that are stored per block and run."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar, cast

from frontdesk.cache.connection import NONSENSE
from frontdesk.cache.lists import BLOCKS, MOST_ROWS, RUNS, ListName
from frontdesk.cache.rows import KINDS, MODELS, key_of, text_of, unreadable
from frontdesk.cache.timeline import HIGHEST, LOWEST, Key
from frontdesk.text.clean import compact_json
from frontdesk.wire import Wire, body_of

T = TypeVar("T", bound=Wire)
Rows = Callable[[str, tuple[object, ...]], list[Any]]
# A `Key` as a plain tuple, as read from the database.
Edge = tuple[str, int, str, str]
# Kind, id and JSON of a row.
Stored = tuple[str, str, bytes]

_BLOCKS_KEPT = 8
_READ_LATELY = 100

_NODES = (
    "SELECT sort, size, id, kind, count FROM node WHERE list = ? AND level = ?"
    " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)"
    " ORDER BY sort, size, id, kind"
)
# The join omits objects that damage has assigned to another entry.
_ROWS = (
    "SELECT entry.kind, entry.id, body FROM entry CROSS JOIN object ON object.number = entry.object"
    " AND origin = ? AND object.kind = entry.kind AND object.id = entry.id"
    " WHERE list = ? AND (sort, size, entry.id, entry.kind)"
)
_OLDEST_FIRST = f"{_ROWS} >= (?, ?, ?, ?) ORDER BY sort, size, entry.id, entry.kind LIMIT ?"
_NEWEST_FIRST = (
    f"{_ROWS} < (?, ?, ?, ?) ORDER BY sort DESC, size DESC, entry.id DESC, entry.kind DESC LIMIT ?"
)
_PLACE = "SELECT sort, size, id, kind FROM entry WHERE kind = ? AND id = ? AND list = ?"
_PLACES = (
    "SELECT id, sort, size FROM entry"
    " WHERE list = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))"
)
_LENGTH = "SELECT sum(count) FROM node WHERE list = ? AND level = ?"
_KEYS = (
    "SELECT sort, size, id, kind FROM entry"
    " WHERE list = ? AND (sort, size, id, kind) >= (?, ?, ?, ?) ORDER BY sort, size, id, kind"
)


def _edge(first: int) -> str:
    return ", ".join(f"json_extract(range.value, '$[{at}]')" for at in range(first, first + 4))


# Of each range of keys, given as JSON, the number of rows in it.
_COUNTS = (
    "SELECT (SELECT count(*) FROM entry WHERE list = ?"
    f" AND (sort, size, id, kind) >= ({_edge(0)}) AND (sort, size, id, kind) < ({_edge(4)}))"
    " FROM json_each(?) AS range ORDER BY range.key"
)


def _reraise(error: Exception, generation: int) -> None:
    raise error


class _Emptied(LookupError):
    """All rows of a list are gone since it was loaded."""


class Node(NamedTuple):
    """A counted range of `size` rows, from `lower` up to but excluding `upper`."""

    lower: Edge
    upper: Edge
    size: int


class NodeDirectory:
    """Consecutive nodes in listing order, with their start positions."""

    def __init__(
        self, edges: Sequence[Edge], sizes: Iterable[int], *, newest_first: bool = False
    ) -> None:
        """edges: bounds of the nodes in listing order, one more than sizes."""
        self._edges = edges
        self._newest_first = newest_first
        self._ascending = edges[::-1] if newest_first else edges
        self.starts = list(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    def find(self, position: int) -> tuple[int, int]:
        """Index of the node that contains a position, and the position within it."""
        # An empty node has the same start as the next one; take the last.
        ordinal = bisect_right(self.starts, position) - 1
        return ordinal, position - self.starts[ordinal]

    def node(self, number: int) -> Node:
        """Created on demand: of thousands of nodes, few are used."""
        lower, upper = self._edges[number : number + 2]
        if self._newest_first:
            lower, upper = upper, lower
        return Node(lower, upper, self.starts[number + 1] - self.starts[number])

    def reaches(self, key: Key) -> int:
        """Index of the node whose range contains `key`."""
        above = bisect_right(self._ascending, key)
        if not 0 < above < len(self._ascending):
            raise LookupError(key)
        return len(self._ascending) - 1 - above if self._newest_first else above - 1


class Listing(Generic[T]):
    """A cached list as a sequence, newest or oldest row first.

    It shows the state of the last `reload`. Later saves may shift rows that were not read yet, but
    every position below `len` yields a row, and `find` agrees with `key`; unreadable rows are
    replaced by empty ones.
    """

    def __init__(
        self,
        rows: Rows,
        origin: int,
        which: ListName,
        *,
        newest_first: bool,
        generation: Callable[[], int] = lambda: 0,
        recover: Callable[[Exception, int], None] = _reraise,
    ) -> None:
        """generation, recover: see `CacheFile`; called with what invalid data has caused."""
        self._rows = rows
        self._generation, self._recover_file = generation, recover
        self._origin = origin
        self._which = which
        self._newest_first = newest_first
        self.cursor: str | None = None
        self.complete = False
        self.fetched_at: datetime | None = None
        self.reload()

    @property
    def name(self) -> str:
        return self._which.name

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        """Length, cursor and completeness; changes when older rows are added."""
        return len(self), self.cursor, self.complete

    def reload(self) -> None:
        """Read the current state of the list."""
        self._loaded_from = self._generation()
        self._number = 0
        self._runs = NodeDirectory([], [])
        self._blocks: dict[int, NodeDirectory] = {}
        self._block_values: OrderedDict[tuple[int, int], list[Stored]] = OrderedDict()
        self._spare: Stored | None = None
        self._read_lately: dict[int, T] = {}
        try:
            self._load()
        except NONSENSE as error:
            self._recover(error)

    def _recover(self, error: Exception) -> None:
        """Go on with empty rows where the list was emptied meanwhile, or the file is damaged.

        Raises: error, if it is a bug.
        """
        if not isinstance(error, _Emptied):
            self._recover_file(error, self._loaded_from)

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
        # The rows in view are read several times in a frame.
        value = self._read_lately.get(position)
        if value is not None:
            return value
        try:
            value = self._value(position)
        except NONSENSE as error:
            self._recover(error)
            return cast(T, unreadable(self._which.kind))
        if len(self._read_lately) >= _READ_LATELY:
            self._read_lately.clear()
        self._read_lately[position] = value
        return value

    def keys(self, lowest: Key = LOWEST) -> list[Key]:
        """Sort keys of the rows from `lowest` on, the lowest first, as they are saved now."""
        try:
            return [Key(*row) for row in self._rows(_KEYS, (self._number, *lowest))]
        except NONSENSE as error:
            self._recover(error)
            return []

    def lowest(self) -> Key | None:
        """Sort key of the first row in the order of keys, as it is saved now; None without rows."""
        try:
            rows = self._rows(f"{_KEYS} LIMIT 1", (self._number, *LOWEST))
            return Key(*rows[0]) if rows else None
        except NONSENSE as error:
            self._recover(error)
            return None

    def body(self, position: int) -> bytes:
        """JSON of the row at a position, which takes less memory than the value."""
        try:
            return self._stored(position)[2]
        except NONSENSE as error:
            self._recover(error)
            return body_of(unreadable(self._which.kind))

    def _value(self, position: int) -> T:
        kind, _, body = self._stored(position)
        return cast(T, MODELS[kind].model_validate_json(body))

    def _stored(self, position: int) -> Stored:
        run, within_run = self._runs.find(position)
        block, within_block = self._blocks_of(run).find(within_run)
        return self._values(run, block)[within_block]

    def __iter__(self) -> Iterator[T]:
        return (self[position] for position in range(len(self)))

    def position(self, id: str, kind: str | None = None) -> int | None:
        """Position of a row by id; None if it is not in this state of the list.

        `kind`: "note" for a note of a thread; by default the kind that the list's pages contain.
        """
        kind = kind or self._which.kind
        place = self._rows(_PLACE, (kind, id, self._number))
        if not place or not len(self):
            return None
        try:
            run, block = self._reaches(Key(*place[0]))
            # Counting the rows before it in the database would count those saved meanwhile too.
            rows = self._values(run, block)
            within = next((at for at, row in enumerate(rows) if row[:2] == (kind, id)), None)
            return None if within is None else self._start_of(run, block) + within
        except NONSENSE as error:
            self._recover(error)
            return None

    def absent(self, ids: Collection[str]) -> set[str]:
        """Those of some ids that are not in this state of the list."""
        rows = self._rows(_PLACES, (self._number, self._which.kind, compact_json(list(ids))))
        [(length,)] = self._rows(_LENGTH, (self._number, RUNS))
        if length in (None, len(self)):
            return {*ids} - {id for id, *_ in rows}
        # Rows were saved since: each is looked for in this state.
        return {id for id in ids if self.position(id) is None}

    def ranks(self, values: Sequence[T]) -> list[int]:
        """For each value that is not in the list, the number of rows before it."""
        if not len(self) or not values:
            return [0] * len(values)
        try:
            starts, ranges = zip(*(self._before(self._key_of(one)) for one in values), strict=True)
            counted = self._rows(_COUNTS, (self._number, compact_json(ranges)))
            before = [start + within for start, (within,) in zip(starts, counted, strict=True)]
        except NONSENSE as error:
            self._recover(error)
            return [0] * len(values)
        return [max(0, min(rank, len(self))) for rank in before]

    def has_moved(self, value: T) -> bool:
        """True for a row of the list that has changed since, so that its place is another."""
        where = (KINDS[type(value)], cast(Any, value).id, self._number)
        return any(Key(*place) != self._key_of(value) for place in self._rows(_PLACE, where))

    def _key_of(self, value: T) -> Key:
        now = self.fetched_at or datetime.min.replace(tzinfo=UTC)
        return key_of(cast(Any, value), self._which.order, now)

    def _reaches(self, key: Key) -> tuple[int, int]:
        """Indexes of the run and the block whose ranges contain a key."""
        run = self._runs.reaches(key)
        return run, self._blocks_of(run).reaches(key)

    def _start_of(self, run: int, block: int) -> int:
        return self._runs.starts[run] + self._blocks_of(run).starts[block]

    def _before(self, key: Key) -> tuple[int, tuple[object, ...]]:
        """Where the block of a key begins, and the range of keys from there to the key."""
        run, block = self._reaches(key)
        node = self._blocks_of(run).node(block)
        between = (*key, *node.upper) if self._newest_first else (*node.lower, *key)
        return self._start_of(run, block), between

    def key(self, position: int) -> str:
        """Stable key of the row at a position: "kind id"."""
        if not 0 <= position < len(self):
            raise IndexError(position)
        try:
            kind, id, _ = self._stored(position)
        except NONSENSE as error:
            self._recover(error)
            return f"{self._which.kind} "
        return f"{kind} {id}"

    def find(self, key: str) -> int | None:
        """Position of the row with this key; None if it is not in this state of the list."""
        kind, _, id = key.partition(" ")
        return self.position(id, kind)

    def _blocks_of(self, run: int) -> NodeDirectory:
        blocks = self._blocks.get(run)
        if blocks is None:
            node = self._runs.node(run)
            blocks = self._blocks[run] = self._directory(BLOCKS, node.lower, node.upper, node.size)
            if len(self._blocks) > _BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
        return blocks

    def _directory(
        self, level: int, lower: Edge, upper: Edge, expected: int | None = None
    ) -> NodeDirectory:
        """Nodes of a range. If its total differs from `expected`, one node of that size."""
        rows = self._rows(_NODES, (self._number, level, *lower, *upper))
        edges = [lower, *(row[:4] for row in rows[1:]), upper]
        sizes = [row[4] for row in rows] or [0]
        rows_in_all = sum(sizes)
        # The columns are untyped: damage can yield any value.
        if type(rows_in_all) is not int or not 0 <= min(sizes) <= max(sizes) <= MOST_ROWS[level]:
            raise ValueError("no such number of rows")
        if expected is not None and rows_in_all != expected:
            edges, sizes = [lower, upper], [expected]
        if self._newest_first:
            edges.reverse()
            sizes.reverse()
        return NodeDirectory(edges, sizes, newest_first=self._newest_first)

    def _values(self, run: int, block: int) -> list[Stored]:
        """The rows of a block."""
        values = self._block_values.get((run, block))
        if values is None:
            values = self._block_values[run, block] = self._read(self._blocks[run].node(block))
            if len(self._block_values) > _BLOCKS_KEPT:
                self._block_values.popitem(last=False)
        else:
            self._block_values.move_to_end((run, block))
        return values

    def _read(self, node: Node) -> list[Stored]:
        sql, first = (
            (_NEWEST_FIRST, node.upper) if self._newest_first else (_OLDEST_FIRST, node.lower)
        )
        values = self._rows(sql, (self._origin, self._number, *first, node.size))
        if values:
            self._spare = values[-1]
        if self._spare is None:
            raise _Emptied
        return values + [self._spare] * (node.size - len(values))
