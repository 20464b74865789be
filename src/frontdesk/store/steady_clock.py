"""Tells a clock that runs from one that jumped, before something is deleted because of its age.

`meta` has the times of the observations: that of the last one, and since when they have followed
each other without a jump.
"""

import json

from frontdesk.store.database import Connection

_HOUR = 60 * 60 * 1000
# A clock is trusted once it has run for so long, with pauses between observations of at most so
# much: a service may be off for a weekend.
STEADY_AFTER, LONGEST_PAUSE = 24 * _HOUR, 72 * _HOUR

_NAME = "steady_clock"


def is_steady(connection: Connection, now: int) -> bool:
    """Observe the clock, in a write transaction, and check if it has run steadily for a day.

    A clock that went forward by more than a pause, or back, begins anew. now: epoch milliseconds.
    """
    row = connection.row("SELECT value FROM meta WHERE name = :name", {"name": _NAME})
    since, last = (now, now) if row is None else json.loads(row["value"])
    if not 0 <= now - last <= LONGEST_PAUSE:
        since = now
    connection.run(
        "INSERT INTO meta(name, value) VALUES (:name, :value)"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value",
        {"name": _NAME, "value": json.dumps([since, now])},
    )
    return bool(now - since >= STEADY_AFTER)
