"""Roll-ups of messages by pricing, per quarter hour and day."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from frontdesk.store.database import Connection, Row
from frontdesk.store.rollups import DAY, DAYS, QUARTER, QUARTERS

# Category and type are truncated to this many characters.
WORD_LIMIT = 64

# (start of the bucket in epoch milliseconds, channel_id, author, category, type)
Figure = tuple[int, int, str, str, str]


class PricingRollups:
    """Changes to an account's pricing roll-ups, collected in memory and written together."""

    def __init__(self) -> None:
        self._n: Counter[Figure] = Counter()
        self._billable: Counter[Figure] = Counter()

    def add(self, channel_id: int, messages: Iterable[Row], by: int = 1) -> None:
        """Count messages with a known pricing; `by=-1` discounts them."""
        for row in messages:
            if row["priced_at"] is not None:
                figure = _figure(channel_id, row)
                self._n[figure] += by
                self._billable[figure] += by * (row["billable"] or 0)

    def save(self, connection: Connection, account_id: int) -> None:
        """Write all changes, sorted by key so that concurrent writers cannot deadlock."""
        for rows in self._by_grain(account_id):
            connection.run_many(_ADD, rows)
            connection.run_many(_DROP_EMPTY, [row for row in rows if row["n"] < 0])

    def rows(self, account_id: int) -> Iterator[dict[str, Any]]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        for rows in self._by_grain(account_id):
            yield from rows

    def _by_grain(self, account_id: int) -> Iterator[list[dict[str, Any]]]:
        days: tuple[Counter[Figure], Counter[Figure]] = (Counter(), Counter())
        for sums, daily in zip((self._n, self._billable), days, strict=True):
            for (bucket, *rest), count in sums.items():
                daily[bucket - bucket % DAY, *rest] += count  # type: ignore[index]
        for grain, (n, billable) in ((QUARTERS, (self._n, self._billable)), (DAYS, days)):
            changed = sorted(figure for figure in n if n[figure] or billable[figure])
            yield [
                _row(account_id, grain, figure, n[figure], billable[figure]) for figure in changed
            ]


def misrolled(connection: Connection, account_id: int) -> list[Row]:
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
_ADD = """
    INSERT INTO pricing_rollup(
      account_id, grain, bucket, channel_id, author, category, type, n, billable)
    VALUES (:account_id, :grain, :bucket, :channel_id, :author, :category, :type, :n, :billable)
    ON CONFLICT(account_id, grain, bucket, channel_id, author, category, type) DO UPDATE SET
      n = pricing_rollup.n + excluded.n, billable = pricing_rollup.billable + excluded.billable
"""
_DROP_EMPTY = """
    DELETE FROM pricing_rollup WHERE account_id=:account_id AND grain=:grain AND bucket=:bucket
      AND channel_id=:channel_id AND author=:author AND category=:category AND type=:type AND n=0
"""


def _figure(channel_id: int, row: Mapping[str, Any]) -> Figure:
    moment = row["created_at"]
    category, type_ = row["category"] or "", row["pricing_type"] or ""
    bucket = moment - moment % QUARTER
    return bucket, channel_id, row["author"], category[:WORD_LIMIT], type_[:WORD_LIMIT]


def _row(account_id: int, grain: int, figure: Figure, n: int, billable: int) -> dict[str, Any]:
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
