"""Numbers by name in a table of fixed size, which the processes of one service can share."""

import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from mmap import mmap

# A name may be in any of the places of its row; a full row forgets what is longest past.
ROWS = 1024
PLACES = 8

_PLACE = struct.Struct("=8sdq")
_EMPTY = bytes(8)


@dataclass(frozen=True, slots=True)
class Tally:
    """A number, and since when it counts (epoch milliseconds)."""

    amount: float
    at: int


class Tallies:
    """Tallies by name, in about 200 KB whatever comes; what is longest past makes room.

    Threads may share one. With `shared`, so may the processes forked after it was made; all shared
    ones of a process need the same `turn`, or the system takes their locks for a deadlock.
    """

    def __init__(
        self, *, shared: bool = False, turn: AbstractContextManager[object] | None = None
    ) -> None:
        self._memory = mmap(-1, ROWS * PLACES * _PLACE.size)
        self._turn = turn or threading.Lock()
        self._file = tempfile.TemporaryFile() if shared else None  # noqa: SIM115

    def close(self) -> None:
        """Give up this process's hold of the table."""
        self._memory.close()
        if self._file is not None:
            self._file.close()

    def find(self, name: str) -> Tally | None:
        """What is known under a name."""
        mark, row = _place(name)
        with self._held(row):
            return next((tally for known, _, tally in self._row(row) if known == mark), None)

    def update(self, name: str, change: Callable[[Tally | None], Tally]) -> Tally:
        """Replace what is known under a name by what `change` makes of it, and return that."""
        mark, row = _place(name)
        with self._held(row):
            places = list(self._row(row))
            known = next((place for place in places if place[0] == mark), None)
            _, offset, _ = known or min(places, key=lambda place: place[2].at)
            tally = change(known[2] if known else None)
            _PLACE.pack_into(self._memory, offset, mark, tally.amount, tally.at)
            return tally

    def _row(self, row: int) -> Iterator[tuple[bytes, int, Tally]]:
        """The places of a row: whose each is, where it is, what it says."""
        for place in range(row * PLACES, (row + 1) * PLACES):
            offset = place * _PLACE.size
            mark, amount, at = _PLACE.unpack_from(self._memory, offset)
            yield mark, offset, Tally(amount, at)

    @contextmanager
    def _held(self, row: int) -> Iterator[None]:
        """Keeps everyone else away from a row; a process that dies lets go of it."""
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
    """What stands for a name, and the row that it belongs in."""
    mark = blake2b(name.encode(), digest_size=8).digest()
    return (mark if mark != _EMPTY else b"\1" * 8), int.from_bytes(mark, "little") % ROWS
