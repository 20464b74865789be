"""Report queries: sums of roll-up buckets, plus or minus rows at the edges of a period."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.rollups import (
    DAY,
    DAYS,
    HANDOFF,
    INCOMING,
    OUTGOING,
    QUARTER,
    QUARTERS,
    STARTED,
    UNCOUNTED_TYPES,
    SignedInterval,
    cut,
)
from frontdesk.store.rollups import WORDS as PRICING_WORDS

_SUMMED_MEASURES = (
    "('episode_opened'), ('first_response'), ('reply'), ('resolved'), ('bot_resolved')"
)

# Unanswered conversations; must match the condition of the partial index.
_UNATTENDED = "(first_reply_at IS NULL OR waiting_since IS NOT NULL)"


class ReportSpan(NamedTuple):
    """Half-open interval in epoch milliseconds; `tag` identifies it in the result.

    sign: 1, or -1 if what happened in it is subtracted.
    """

    tag: int
    start: int
    end: int
    sign: int = 1


# Spans, a statement over them, and its other parameters.
_Select = tuple[Sequence[ReportSpan], str, Mapping[str, object]]


class _SpanParts(NamedTuple):
    """Spans split into UTC days, quarter hours at the ends of these, and the remainder."""

    days: list[ReportSpan]
    quarters: list[ReportSpan]
    edges: list[ReportSpan]


def figures(
    connection: Connection,
    account_id: int,
    channel_id: int | None,
    spans: Sequence[ReportSpan],
    *,
    detailed: bool,
) -> list[Row]:
    """Return metrics of spans: (tag, channel_id, name, author, n, samples, total).

    Several rows with the same key add up, perhaps to nothing. name: "started" (conversations),
    "incoming" and "outgoing" (messages, by author) or a metric. samples: how many of them have a
    duration, with a sum of `total` milliseconds. Unless `detailed`, channel_id is 0 and author "".
    """
    parts = _parted(spans)
    selects: list[_Select] = [
        (parts.days, _ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _MESSAGES, {}),
        (parts.edges, _MEASURES, {}),
        (spans, _HANDOFFS_BY_CHANNEL if detailed else _HANDOFFS, {}),
        (spans, _CONVERSATIONS, {}),
    ]
    shape = _DETAILED if detailed else _SUMMED
    return _selected(connection, account_id, channel_id, selects, shape)


def priced(
    connection: Connection, account_id: int, channel_id: int | None, spans: Sequence[ReportSpan]
) -> list[Row]:
    """Return counts of messages with a known pricing, by span and pricing.

    (tag, channel_id, author, category, type, n, billable): category and type are truncated, "" if
    unknown. Several rows with the same key add up, perhaps to nothing.
    """
    parts = _parted(spans)
    selects: list[_Select] = [
        (parts.days, _PRICING_ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _PRICING_ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _PRICED_MESSAGES, {}),
    ]
    return _selected(connection, account_id, channel_id, selects, {})


def _selected(
    connection: Connection,
    account_id: int,
    channel_id: int | None,
    selects: Iterable[_Select],
    shape: Mapping[str, str],
) -> list[Row]:
    """Run each statement over its spans."""
    members = {**shape, **_RANGES[connection.dialect]}
    narrowed = "" if channel_id is None else "AND fact.channel_id = :channel"
    parameters = {"account": account_id, "channel": channel_id}
    rows: list[Row] = []
    for some, select, also in selects:
        if some:
            values, bounds = _values(some)
            rows += connection.rows(
                f"WITH span(tag, start_at, end_at, sign) AS (VALUES {values})"
                f" {select.format(narrowed=narrowed, **members)}",
                {**parameters, **bounds, **also},
            )
    return rows


def unattended(
    connection: Connection, account_id: int, channel_id: int | None, awake_at: int | None
) -> int:
    """Count open conversations without a reply in their episode, or waiting for one.

    awake_at: conversations snoozed until then or before are open.
    """
    narrowed = "" if channel_id is None else "AND channel_id = :channel"
    among = f"account_id = :account {narrowed} AND {_UNATTENDED}"
    awake = "" if awake_at is None else f"UNION ALL {_COUNT} {among} AND snoozed_until <= :awake_at"
    return first_number(
        connection,
        f"""
        SELECT CAST(SUM(n) AS BIGINT) AS n
        FROM ({_COUNT} {among} AND status = 0 {awake}) AS counts
        """,
        {"account": account_id, "channel": channel_id, "awake_at": awake_at},
    )


def channels(connection: Connection, account_id: int, channel_id: int | None) -> list[Row]:
    """Return (id, phone_number_id, name) of all channels or one, by name."""
    narrowed = "" if channel_id is None else "AND id = :channel"
    return connection.rows(
        f"""
        SELECT id, phone_number_id, name FROM channel WHERE account_id = :account {narrowed}
        ORDER BY name_key, id
        """,
        {"account": account_id, "channel": channel_id},
    )


def account_timezone(connection: Connection, account_id: int) -> str:
    """Return the account's IANA time zone name."""
    row = connection.row(
        "SELECT timezone FROM account WHERE id = :account", {"account": account_id}
    )
    return "UTC" if row is None else str(row["timezone"])


_COUNT = "SELECT COUNT(*) AS n FROM conversation WHERE"

# Fewer grouping columns make long series much cheaper.
_DETAILED = MappingProxyType(
    {
        "channel": "fact.channel_id",
        "author": "fact.author",
        "by_channel": ", fact.channel_id",
        "by_author": ", fact.author",
    }
)
_SUMMED = MappingProxyType({"channel": "0", "author": "''", "by_channel": "", "by_author": ""})

# Spans come first, each as one index range: SQLite keeps the order of a CROSS JOIN, while
# PostgreSQL underestimates how selective a range is and would scan the whole table.
_RANGES: Mapping[Dialect, Mapping[str, str]] = MappingProxyType(
    {
        "sqlite": MappingProxyType({"ranges": "", "end": ""}),
        "postgresql": MappingProxyType(
            {"ranges": "LATERAL (SELECT * FROM", "end": "OFFSET 0) AS fact"}
        ),
    }
)
_ROLLUPS = """
    SELECT span.tag, {channel} AS channel_id, fact.name, {author} AS author,
      CAST(SUM(span.sign * fact.n) AS BIGINT) AS n,
      CAST(SUM(span.sign * fact.samples) AS BIGINT) AS samples,
      CAST(SUM(span.sign * fact.total) AS BIGINT) AS total
    FROM span CROSS JOIN {ranges} rollup AS fact
    WHERE fact.account_id = :account AND fact.grain = :grain
      AND fact.bucket >= span.start_at AND fact.bucket < span.end_at {narrowed} {end}
    GROUP BY span.tag, fact.name {by_channel} {by_author}
"""
_MESSAGES = f"""
    SELECT span.tag, {{channel}} AS channel_id,
      CASE WHEN fact.direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END AS name,
      {{author}} AS author, CAST(SUM(span.sign) AS BIGINT) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= span.start_at
      AND fact.created_at < span.end_at AND fact.type NOT IN {UNCOUNTED_TYPES} {{narrowed}}
      {{end}}
    GROUP BY span.tag, fact.direction {{by_channel}} {{by_author}}
"""
_PRICING_ROLLUPS = """
    SELECT span.tag, fact.channel_id, fact.author, fact.category, fact.type,
      CAST(SUM(span.sign * fact.n) AS BIGINT) AS n,
      CAST(SUM(span.sign * fact.billable) AS BIGINT) AS billable
    FROM span CROSS JOIN {ranges} pricing_rollup AS fact
    WHERE fact.account_id = :account AND fact.grain = :grain
      AND fact.bucket >= span.start_at AND fact.bucket < span.end_at {narrowed} {end}
    GROUP BY span.tag, fact.channel_id, fact.author, fact.category, fact.type
"""
_PRICED_MESSAGES = f"""
    SELECT span.tag, fact.channel_id, fact.author, {PRICING_WORDS},
      CAST(SUM(span.sign) AS BIGINT) AS n,
      CAST(SUM(span.sign * COALESCE(fact.billable, 0)) AS BIGINT) AS billable
    FROM span CROSS JOIN {{ranges}} message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= span.start_at
      AND fact.created_at < span.end_at AND fact.priced_at IS NOT NULL {{narrowed}} {{end}}
    GROUP BY 1, 2, 3, 4, 5
"""
_MEASURES = f""", measure(name) AS (VALUES {_SUMMED_MEASURES})
    SELECT span.tag, {{channel}} AS channel_id, fact.name, '' AS author,
      CAST(SUM(span.sign) AS BIGINT) AS n,
      CAST(SUM(CASE WHEN fact.started_at IS NULL THEN 0 ELSE span.sign END) AS BIGINT) AS samples,
      CAST(COALESCE(SUM(span.sign * (fact.ended_at - fact.started_at)), 0) AS BIGINT) AS total
    FROM span CROSS JOIN measure CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = measure.name
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag, fact.name {{by_channel}}
"""
# Of many spans.
_HANDOFFS = f"""
    SELECT span.tag, 0 AS channel_id, '{HANDOFF}' AS name, '' AS author,
      COUNT(DISTINCT fact.conversation_id) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = '{HANDOFF}'
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag
"""
# Here and below, an index range per channel, so that nothing is sorted.
_HANDOFFS_BY_CHANNEL = f"""
    SELECT span.tag, fact.channel_id, '{HANDOFF}' AS name, '' AS author,
      (SELECT COUNT(DISTINCT event.conversation_id) FROM metric_event AS event
       WHERE event.account_id = :account AND event.name = '{HANDOFF}'
         AND event.channel_id = fact.channel_id AND event.ended_at >= span.start_at
         AND event.ended_at < span.end_at) AS n,
      0 AS samples, 0 AS total
    FROM span CROSS JOIN
      (SELECT id AS channel_id FROM channel WHERE account_id = :account) AS fact
    WHERE 1 = 1 {{narrowed}}
"""
_CONVERSATIONS = f"""
    SELECT fact.tag, {{channel}} AS channel_id, '{STARTED}' AS name, '' AS author,
      CAST(SUM(fact.n) AS BIGINT) AS n, 0 AS samples, 0 AS total
    FROM (
      SELECT span.tag, fact.channel_id,
        (SELECT COUNT(*) FROM conversation AS c
         WHERE c.account_id = :account AND c.channel_id = fact.channel_id
           AND c.created_at >= span.start_at AND c.created_at < span.end_at) AS n
      FROM span CROSS JOIN
        (SELECT id AS channel_id FROM channel WHERE account_id = :account) AS fact
      WHERE 1 = 1 {{narrowed}}) AS fact
    GROUP BY fact.tag {{by_channel}}
"""


def _parted(spans: Sequence[ReportSpan]) -> _SpanParts:
    days, beside = _cut(spans, DAY)
    quarters, edges = _cut(beside, QUARTER)
    return _SpanParts(days, quarters, edges)


def _cut(spans: Sequence[ReportSpan], length: int) -> tuple[list[ReportSpan], list[ReportSpan]]:
    """Split spans into buckets of this length and the rest."""
    whole: list[ReportSpan] = []
    left: list[ReportSpan] = []
    for span in spans:
        buckets, edges = cut(SignedInterval(span.start, span.end, span.sign), length)
        if buckets.start < buckets.end:
            whole.append(ReportSpan(span.tag, *buckets))
        left += [ReportSpan(span.tag, *edge) for edge in edges]
    return whole, left


def _values(spans: Sequence[ReportSpan]) -> tuple[str, dict[str, int]]:
    """Return spans as rows of VALUES, with parameters."""
    rows = ", ".join(f"({span.tag:d}, :s{n}, :e{n}, {span.sign:d})" for n, span in enumerate(spans))
    bounds = {f"s{n}": span.start for n, span in enumerate(spans)}
    return rows, bounds | {f"e{n}": span.end for n, span in enumerate(spans)}
