"""`python -m frontdesk.ingest.sample PATH`: lays the sample inbox into a new database."""

import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.sample import SEED, slices
from frontdesk.store.database import Connection, Database
from frontdesk.store.sqlite import SQLiteDatabase

_ACCOUNT = 1


def make(path: Path, *, now: int) -> None:
    """The sample as it is at `now` (epoch milliseconds), in a database that need not last."""
    database = SQLiteDatabase(path, create=True, durable=False)
    try:
        for _ in lay(database, now=now):
            pass
    finally:
        database.close()


def lay(database: Database, *, now: int) -> Iterator[None]:
    """Lay the sample into an empty database, slice by slice: after each, it is a whole inbox."""
    for events in slices(SEED, now):
        database.write(partial(_apply, events, now))
        yield


def _apply(events: Sequence[DomainEvent], now: int, connection: Connection) -> None:
    apply_events(connection, _ACCOUNT, events, now=now)


if __name__ == "__main__":
    make(Path(sys.argv[1]), now=time.time_ns() // 1_000_000)
