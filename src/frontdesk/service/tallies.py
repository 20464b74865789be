"""Fixed-size hash table of counters in memory that processes can share."""

import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from mmap import mmap

# Set-associative: a name hashes to a row of 8 slots; in a full row the oldest is evicted.
ROWS = 1024
PLACES = 8

_PLACE = struct.Struct("=8sdq")
_EMPTY = bytes(8)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counter value, with its time (epoch milliseconds)."""

    amount: float
    at: int


class Tallies:
    """Counters by name in about 200 KB; the oldest of a row is evicted.

    Thread-safe. With `shared`, processes forked afterwards use the same table; all shared tables of
    a process need the same `turn` lock, or the kernel reports a deadlock between their file locks.
    """

    def __init__(
        self, *, shared: bool = False, turn: AbstractContextManager[object] | None = None
    ) -> None:
        self._memory = mmap(-1, ROWS * PLACES * _PLACE.size)
        self._turn = turn or threading.Lock()
        self._file = tempfile.TemporaryFile() if shared else None  # noqa: SIM115

    def close(self) -> None:
        """Release this process's mapping and lock file."""
        self._memory.close()
        if self._file is not None:
            self._file.close()

    def find(self, name: str) -> Tally | None:
        mark, row = _place(name)
        with self._held(row):
            return next((tally for known, _, tally in self._row(row) if known == mark), None)

    def update(self, name: str, change: Callable[[Tally | None], Tally]) -> Tally:
        """Atomically replace a counter by `change(counter)` and return it."""
        mark, row = _place(name)
        with self._held(row):
            places = list(self._row(row))
            known = next((place for place in places if place[0] == mark), None)
            _, offset, _ = known or min(places, key=lambda place: place[2].at)
            tally = change(known[2] if known else None)
            _PLACE.pack_into(self._memory, offset, mark, tally.amount, tally.at)
            return tally

    def _row(self, row: int) -> Iterator[tuple[bytes, int, Tally]]:
        """Yield (hash, offset, counter) of each slot in a row."""
        for place in range(row * PLACES, (row + 1) * PLACES):
            offset = place * _PLACE.size
            mark, amount, at = _PLACE.unpack_from(self._memory, offset)
            yield mark, offset, Tally(amount, at)

    @contextmanager
    def _held(self, row: int) -> Iterator[None]:
        """Lock a row for all threads and processes; the kernel releases it if a process dies."""
        with self._turn:
            if self._file is None:
                yield
                return
            import fcntl

            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, row)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, row)


def _place(name: str) -> tuple[bytes, int]:
    """Hash a name to its 8-byte mark and its row."""
    mark = blake2b(name.encode(), digest_size=8).digest()
    return (mark if mark != _EMPTY else b"\1" * 8), int.from_bytes(mark, "little") % ROWS
