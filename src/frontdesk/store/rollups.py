"""Report roll-ups of messages, metrics and pricing per quarter hour and UTC day."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk.store import writes
from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import PricingRollupRow, RollupRow

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
        self._metrics: dict[Figure, list[int]] = {}

    def add_messages(self, figures: Iterable[Figure]) -> None:
        """Count messages; buckets are quarter hours."""
        self._messages.update(figures)

    def discount_messages(self, figures: Iterable[Figure]) -> None:
        """Discount messages."""
        self._messages.subtract(figures)

    def add_metric(self, row: Mapping[str, Any], by: int = 1) -> None:
        """Add a row of `metric_event`; `by=-1` removes it."""
        if row["name"] == HANDOFF:
            return
        ended_at, started_at = row["ended_at"], row["started_at"]
        figure = (ended_at - ended_at % QUARTER, row["channel_id"], row["name"], "")
        sums = self._metrics.setdefault(figure, [0, 0, 0])
        sums[0] += by
        if started_at is not None:
            sums[1] += by
            sums[2] += by * (ended_at - started_at)

    def save(self, connection: Connection, account_id: int) -> None:
        writes.add_sums(connection, "rollup", self.rows(account_id))

    def rows(self, account_id: int) -> Iterator[RollupRow]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        for grain, figures in self._grains():
            yield from _rows(account_id, grain, sorted(figures.items()))

    def _grains(self) -> Iterator[tuple[int, Mapping[Figure, _Sums]]]:
        changes: dict[Figure, _Sums] = {
            figure: (n, 0, 0) for figure, n in self._messages.items() if n
        }
        changes.update((figure, sums) for figure, sums in self._metrics.items() if any(sums))
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
          present AS ({_STORED})
        SELECT 'stored' AS side, surplus.*
        FROM (SELECT * FROM present EXCEPT SELECT * FROM again) AS surplus
        UNION ALL
        SELECT 'counted' AS side, missing.*
        FROM (SELECT * FROM again EXCEPT SELECT * FROM present) AS missing
        ORDER BY side DESC, grain, bucket, channel_id, name, author
        """,
        {"account_id": account_id},
    )


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
) -> Iterator[RollupRow]:
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


# Category and type are truncated to this many characters.
WORD_LIMIT = 64

# (start of the bucket in epoch milliseconds, channel_id, author, category, type)
PricingFigure = tuple[int, int, str, str, str]


class PricingRollups:
    """Changes to an account's pricing roll-ups, collected in memory and written together."""

    def __init__(self) -> None:
        self._n: Counter[PricingFigure] = Counter()
        self._billable: Counter[PricingFigure] = Counter()

    def add(self, channel_id: int, messages: Iterable[Row], by: int = 1) -> None:
        """Count messages with a known pricing; `by=-1` discounts them."""
        for row in messages:
            if row["priced_at"] is not None:
                figure = _figure(channel_id, row)
                self._n[figure] += by
                self._billable[figure] += by * (row["billable"] or 0)

    def save(self, connection: Connection, account_id: int) -> None:
        writes.add_sums(connection, "pricing_rollup", self.rows(account_id))

    def rows(self, account_id: int) -> Iterator[PricingRollupRow]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        for rows in self._by_grain(account_id):
            yield from rows

    def _by_grain(self, account_id: int) -> Iterator[list[PricingRollupRow]]:
        days: tuple[Counter[PricingFigure], Counter[PricingFigure]] = (Counter(), Counter())
        for sums, daily in zip((self._n, self._billable), days, strict=True):
            for (bucket, *rest), count in sums.items():
                daily[bucket - bucket % DAY, *rest] += count  # type: ignore[index]
        for grain, (n, billable) in ((QUARTERS, (self._n, self._billable)), (DAYS, days)):
            changed = sorted(figure for figure in n if n[figure] or billable[figure])
            yield [
                _row(account_id, grain, figure, n[figure], billable[figure]) for figure in changed
            ]


def misrolled_pricing(connection: Connection, account_id: int) -> list[Row]:
    """Return sums that differ from a recount: side and all columns but the account.

    side: "stored" or "counted".
    """
    return connection.rows(
        f"""
        WITH counted AS ({recounted("account_id=:account_id")}),
          stored AS (SELECT {_COLUMNS} FROM pricing_rollup WHERE account_id=:account_id)
        SELECT 'stored' AS side, surplus.*
        FROM (SELECT * FROM stored EXCEPT SELECT {_COLUMNS} FROM counted) AS surplus
        UNION ALL
        SELECT 'counted' AS side, missing.*
        FROM (SELECT {_COLUMNS} FROM counted EXCEPT SELECT * FROM stored) AS missing
        ORDER BY side DESC, grain, bucket, channel_id, author, category, type
        """,
        {"account_id": account_id},
    )


def recounted(where: str) -> str:
    """Return SQL that computes the rows from messages that satisfy a condition."""
    return " UNION ALL ".join(
        f"""
        SELECT account_id, {grain} AS grain, created_at - created_at % {length} AS bucket,
          channel_id, author, {WORDS}, COUNT(*) AS n,
          CAST(SUM(COALESCE(billable, 0)) AS BIGINT) AS billable
        FROM message WHERE {where} AND priced_at IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5, 6, 7
        """
        for grain, length in ((QUARTERS, QUARTER), (DAYS, DAY))
    )


# Pricing columns of a message, truncated as in the sums.
WORDS = (
    f"substr(COALESCE(category, ''), 1, {WORD_LIMIT}) AS category, "
    f"substr(COALESCE(pricing_type, ''), 1, {WORD_LIMIT}) AS type"
)
_COLUMNS = "grain, bucket, channel_id, author, category, type, n, billable"


def _figure(channel_id: int, row: Mapping[str, Any]) -> PricingFigure:
    moment = row["created_at"]
    category, type_ = row["category"] or "", row["pricing_type"] or ""
    bucket = moment - moment % QUARTER
    return bucket, channel_id, row["author"], category[:WORD_LIMIT], type_[:WORD_LIMIT]


def _row(
    account_id: int, grain: int, figure: PricingFigure, n: int, billable: int
) -> PricingRollupRow:
    bucket, channel_id, author, category, type_ = figure
    return {
        "account_id": account_id,
        "grain": grain,
        "bucket": bucket,
        "channel_id": channel_id,
        "author": author,
        "category": category,
        "type": type_,
        "n": n,
        "billable": billable,
    }
