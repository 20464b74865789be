"""`python -m frontdesk.ingest.sample PATH`: lays the sample inbox into a new database.

`frontdesk demo` runs this beside itself, while it imports what the viewer needs.
"""

import sys
import time
from pathlib import Path

from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.sample import SEED, events
from frontdesk.store.sqlite import SQLiteDatabase

_ACCOUNT = 1


def make(path: Path, *, now: int) -> None:
    """The sample as it is at `now` (epoch milliseconds), in a database that need not last."""
    database = SQLiteDatabase(path, create=True, durable=False)
    try:
        sample = events(SEED, now)
        database.write(lambda connection: apply_events(connection, _ACCOUNT, sample, now=now))
    finally:
        database.close()


if __name__ == "__main__":
    make(Path(sys.argv[1]), now=time.time_ns() // 1_000_000)
