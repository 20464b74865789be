"""Writes the demo into a database."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import DomainEvent
from frontdesk.sample.demo import SEED, demo_parts
from frontdesk.store.database import Connection, Database
from frontdesk.store.sqlite import SQLiteDatabase

_ACCOUNT = 1


def create_demo(path: Path, *, now: int) -> None:
    """Create a database with the demo as it is at `now` (epoch milliseconds).

    It is not written durably: a power failure may damage it.
    """
    database = SQLiteDatabase(path, create=True, durable=False)
    try:
        for _ in add_demo(database, now=now):
            pass
    finally:
        database.close()


def add_demo(database: Database, *, now: int) -> Iterator[None]:
    """Write the demo into an empty database, part by part: after each, it is a whole inbox."""
    for events in demo_parts(SEED, now):
        database.write(partial(_apply, events, now))
        yield


def _apply(events: Sequence[DomainEvent], now: int, connection: Connection) -> None:
    apply_events(connection, _ACCOUNT, events, now=now)
