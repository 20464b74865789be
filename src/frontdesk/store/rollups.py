"""Report roll-ups per quarter hour and UTC day, updated incrementally with each change."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk.store.database import Connection, Row

MINUTE = 60_000
QUARTER, DAY = 15 * MINUTE, 24 * 60 * MINUTE
# `grain` of a bucket: its length in minutes. UTC days, with quarter hours at the ends, make up the
# days of every time zone.
QUARTERS, DAYS = 15, 24 * 60

INCOMING, OUTGOING = "incoming", "outgoing"
# Types that are not counted as messages.
UNCOUNTED_TYPES = "('reaction', 'system')"
# A hand-off counts once per conversation and period, so it cannot be summed.
HANDOFF = "bot_handoff"

# Key of a sum: (start of the bucket in epoch milliseconds, channel_id, name, author). The name is
# that of a metric, with "" as its author, or "incoming" or "outgoing".
Figure = tuple[int, int, str, str]
# Deltas of n, samples and total.
_Sums = Sequence[int]


class Rollups:
    """Changes to an account's roll-ups, collected in memory and written together."""

    def __init__(self) -> None:
        self._messages: Counter[Figure] = Counter()
        self._measures: dict[Figure, list[int]] = {}

    def add_messages(self, figures: Iterable[Figure]) -> None:
        """Count messages; buckets are quarter hours."""
        self._messages.update(figures)

    def take_messages(self, figures: Iterable[Figure]) -> None:
        """Discount messages."""
        self._messages.subtract(figures)

    def add_measure(self, row: Mapping[str, Any], by: int = 1) -> None:
        """Add a row of `metric_event`; `by=-1` removes it."""
        if row["name"] == HANDOFF:
            return
        ended_at, started_at = row["ended_at"], row["started_at"]
        figure = (ended_at - ended_at % QUARTER, row["channel_id"], row["name"], "")
        sums = self._measures.setdefault(figure, [0, 0, 0])
        sums[0] += by
        if started_at is not None:
            sums[1] += by
            sums[2] += by * (ended_at - started_at)

    def save(self, connection: Connection, account_id: int) -> None:
        """Write all changes, sorted by key so that concurrent writers cannot deadlock."""
        for grain, figures in self._grains():
            rows = _rows(account_id, grain, sorted(figures.items()))
            connection.run_many(_ADD, rows)
            less = [(figure, sums) for figure, sums in figures.items() if sums[0] < 0]
            connection.run_many(_DROP_EMPTY, _rows(account_id, grain, sorted(less)))

    def rows(self, account_id: int) -> Iterator[dict[str, Any]]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        for grain, figures in self._grains():
            yield from _rows(account_id, grain, sorted(figures.items()))

    def _grains(self) -> Iterator[tuple[int, Mapping[Figure, _Sums]]]:
        changes: dict[Figure, _Sums] = {
            figure: (n, 0, 0) for figure, n in self._messages.items() if n
        }
        changes.update((figure, sums) for figure, sums in self._measures.items() if any(sums))
        yield QUARTERS, changes
        yield DAYS, _daily(changes)


def misrolled(connection: Connection, account_id: int) -> list[Row]:
    """Return roll-ups that differ from a recount: side and all columns but the account.

    side: "stored" or "counted".
    """
    return connection.rows(
        f"""
        WITH quarter AS ({_QUARTERS_RECOUNTED}),
          again AS (SELECT * FROM quarter UNION ALL {_DAYS_OF_QUARTERS}),
          kept AS ({_STORED})
        SELECT 'stored' AS side, surplus.*
        FROM (SELECT * FROM kept EXCEPT SELECT * FROM again) AS surplus
        UNION ALL
        SELECT 'counted' AS side, missing.*
        FROM (SELECT * FROM again EXCEPT SELECT * FROM kept) AS missing
        ORDER BY side DESC, grain, bucket, channel_id, name, author
        """,
        {"account_id": account_id},
    )


_ADD = """
    INSERT INTO rollup(account_id, grain, bucket, channel_id, name, author, n, samples, total)
    VALUES (:account_id, :grain, :bucket, :channel_id, :name, :author, :n, :samples, :total)
    ON CONFLICT(account_id, grain, bucket, channel_id, name, author) DO UPDATE SET
      n = rollup.n + excluded.n, samples = rollup.samples + excluded.samples,
      total = rollup.total + excluded.total
"""
_DROP_EMPTY = """
    DELETE FROM rollup WHERE account_id=:account_id AND grain=:grain AND bucket=:bucket
      AND channel_id=:channel_id AND name=:name AND author=:author AND n=0
"""

_STORED = """
    SELECT grain, bucket, channel_id, name, author, n, samples, total FROM rollup
    WHERE account_id=:account_id
"""
_QUARTERS_RECOUNTED = f"""
    SELECT {QUARTERS} AS grain, created_at - created_at % {QUARTER} AS bucket, channel_id,
      CASE WHEN direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END AS name, author,
      COUNT(*) AS n, 0 AS samples, 0 AS total
    FROM message WHERE account_id=:account_id AND type NOT IN {UNCOUNTED_TYPES}
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT {QUARTERS} AS grain, ended_at - ended_at % {QUARTER} AS bucket, channel_id, name,
      '' AS author, COUNT(*) AS n, COUNT(started_at) AS samples,
      CAST(COALESCE(SUM(ended_at - started_at), 0) AS BIGINT) AS total
    FROM metric_event WHERE account_id=:account_id AND name <> '{HANDOFF}'
    GROUP BY 1, 2, 3, 4, 5
"""
_DAYS_OF_QUARTERS = f"""
    SELECT {DAYS} AS grain, bucket - bucket % {DAY} AS bucket, channel_id, name, author,
      CAST(SUM(n) AS BIGINT), CAST(SUM(samples) AS BIGINT), CAST(SUM(total) AS BIGINT)
    FROM quarter GROUP BY 1, 2, 3, 4, 5
"""


def _rows(
    account_id: int, grain: int, changes: Iterable[tuple[Figure, _Sums]]
) -> Iterator[dict[str, Any]]:
    for (bucket, channel_id, name, author), (n, samples, total) in changes:
        yield {
            "account_id": account_id,
            "grain": grain,
            "bucket": bucket,
            "channel_id": channel_id,
            "name": name,
            "author": author,
            "n": n,
            "samples": samples,
            "total": total,
        }


def _daily(changes: Mapping[Figure, _Sums]) -> dict[Figure, list[int]]:
    days: dict[Figure, list[int]] = {}
    for (bucket, channel_id, name, author), (n, samples, total) in changes.items():
        sums = days.setdefault((bucket - bucket % DAY, channel_id, name, author), [0, 0, 0])
        sums[0] += n
        sums[1] += samples
        sums[2] += total
    return days
