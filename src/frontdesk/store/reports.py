"""What the service reads for reports: sums from whole buckets and, at the edges, from facts."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.store.database import Connection, Dialect, Row
from frontdesk.store.pricing import WORDS as PRICING_WORDS
from frontdesk.store.rollups import (
    DAY,
    DAYS,
    HANDOFF,
    INCOMING,
    OUTGOING,
    QUARTER,
    QUARTERS,
    UNCOUNTED_TYPES,
)

STARTED = "started"
_SUMMED_MEASURES = (
    "('episode_opened'), ('first_response'), ('reply'), ('resolved'), ('bot_resolved')"
)

# Where a first reply is missing or a customer waits again, as the index of it says.
_UNATTENDED = "(first_reply_at IS NULL OR waiting_since IS NOT NULL)"


class Span(NamedTuple):
    """start <= moment < end, epoch milliseconds; `tag` says what it is a part of."""

    tag: int
    start: int
    end: int


# Spans, a statement about them, and its further parameters.
_Select = tuple[Sequence[Span], str, Mapping[str, object]]


class _Parts(NamedTuple):
    """Spans in pieces: whole days, whole quarter hours beside them, and what is left."""

    days: list[Span]
    quarters: list[Span]
    edges: list[Span]


def figures(
    connection: Connection,
    account_id: int,
    channel_id: int | None,
    spans: Sequence[Span],
    *,
    detailed: bool,
) -> list[Row]:
    """(tag, channel_id, name, author, n, samples, total) of all that happened in some spans.

    A figure may come in several rows, which add up. name: "started" (conversations), "incoming"
    and "outgoing" (messages, by author) or a measure. samples: how many of them were timed, in
    `total` milliseconds. Unless `detailed`, channel_id is 0 and author "".
    """
    parts = _parted(spans)
    selects: list[_Select] = [
        (parts.days, _ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _MESSAGES, {}),
        (parts.edges, _MEASURES, {}),
        (spans, _HANDOFFS, {}),
        (spans, _CONVERSATIONS, {}),
    ]
    shape = _DETAILED if detailed else _SUMMED
    return _selected(connection, account_id, channel_id, selects, shape)


def priced(
    connection: Connection, account_id: int, channel_id: int | None, spans: Sequence[Span]
) -> list[Row]:
    """(tag, channel_id, author, category, type, n, billable) of messages with a known pricing.

    category and type: the beginning of each, "" where it was not told. A figure may come in several
    rows, which add up.
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
    """The rows of every statement, each for its own spans."""
    members = {**shape, **_RANGES[connection.dialect]}
    narrowed = "" if channel_id is None else "AND fact.channel_id = :channel"
    parameters = {"account": account_id, "channel": channel_id}
    found: list[Row] = []
    for some, select, also in selects:
        if some:
            values, bounds = _values(some)
            found += connection.rows(
                f"WITH span(tag, start_at, end_at) AS (VALUES {values})"
                f" {select.format(narrowed=narrowed, **members)}",
                {**parameters, **bounds, **also},
            )
    return found


def unattended(
    connection: Connection, account_id: int, channel_id: int | None, awake_at: int | None
) -> int:
    """How many open conversations have no reply in their episode, or wait for one.

    awake_at: those snoozed until then or before are open.
    """
    narrowed = "" if channel_id is None else "AND channel_id = :channel"
    among = f"account_id = :account {narrowed} AND {_UNATTENDED}"
    awake = "" if awake_at is None else f"UNION ALL {_COUNT} {among} AND snoozed_until <= :awake_at"
    row = connection.row(
        f"""
        SELECT CAST(SUM(n) AS BIGINT) AS n
        FROM ({_COUNT} {among} AND status = 0 {awake}) AS counts
        """,
        {"account": account_id, "channel": channel_id, "awake_at": awake_at},
    )
    return 0 if row is None else int(row["n"])


def channels(connection: Connection, account_id: int, channel_id: int | None) -> list[Row]:
    """(id, phone_number_id, name) of the channels, or of one, by name."""
    narrowed = "" if channel_id is None else "AND id = :channel"
    return connection.rows(
        f"""
        SELECT id, phone_number_id, name FROM channel WHERE account_id = :account {narrowed}
        ORDER BY name_key, id
        """,
        {"account": account_id, "channel": channel_id},
    )


def account_timezone(connection: Connection, account_id: int) -> str:
    """The IANA name of the zone that the account's days are counted in."""
    row = connection.row(
        "SELECT timezone FROM account WHERE id = :account", {"account": account_id}
    )
    return "UTC" if row is None else str(row["timezone"])


_COUNT = "SELECT COUNT(*) AS n FROM conversation WHERE"

# Each further column of a group costs much of what a long series costs.
_DETAILED = MappingProxyType(
    {
        "channel": "fact.channel_id",
        "author": "fact.author",
        "by_channel": ", fact.channel_id",
        "by_author": ", fact.author",
    }
)
_SUMMED = MappingProxyType({"channel": "0", "author": "''", "by_channel": "", "by_author": ""})

# The spans come first, each as a range of the index: SQLite takes a CROSS JOIN in its order, while
# PostgreSQL, which cannot know how little a range is, would rather read the whole table.
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
      CAST(SUM(fact.n) AS BIGINT) AS n, CAST(SUM(fact.samples) AS BIGINT) AS samples,
      CAST(SUM(fact.total) AS BIGINT) AS total
    FROM span CROSS JOIN {ranges} rollup AS fact
    WHERE fact.account_id = :account AND fact.grain = :grain
      AND fact.bucket >= span.start_at AND fact.bucket < span.end_at {narrowed} {end}
    GROUP BY span.tag, fact.name {by_channel} {by_author}
"""
_MESSAGES = f"""
    SELECT span.tag, {{channel}} AS channel_id,
      CASE WHEN fact.direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END AS name,
      {{author}} AS author, COUNT(*) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= span.start_at
      AND fact.created_at < span.end_at AND fact.type NOT IN {UNCOUNTED_TYPES} {{narrowed}}
      {{end}}
    GROUP BY span.tag, fact.direction {{by_channel}} {{by_author}}
"""
_PRICING_ROLLUPS = """
    SELECT span.tag, fact.channel_id, fact.author, fact.category, fact.type,
      CAST(SUM(fact.n) AS BIGINT) AS n, CAST(SUM(fact.billable) AS BIGINT) AS billable
    FROM span CROSS JOIN {ranges} pricing_rollup AS fact
    WHERE fact.account_id = :account AND fact.grain = :grain
      AND fact.bucket >= span.start_at AND fact.bucket < span.end_at {narrowed} {end}
    GROUP BY span.tag, fact.channel_id, fact.author, fact.category, fact.type
"""
_PRICED_MESSAGES = f"""
    SELECT span.tag, fact.channel_id, fact.author, {PRICING_WORDS},
      COUNT(*) AS n, CAST(SUM(COALESCE(fact.billable, 0)) AS BIGINT) AS billable
    FROM span CROSS JOIN {{ranges}} message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= span.start_at
      AND fact.created_at < span.end_at AND fact.priced_at IS NOT NULL {{narrowed}} {{end}}
    GROUP BY 1, 2, 3, 4, 5
"""
_MEASURES = f""", measure(name) AS (VALUES {_SUMMED_MEASURES})
    SELECT span.tag, {{channel}} AS channel_id, fact.name, '' AS author,
      COUNT(*) AS n, COUNT(fact.started_at) AS samples,
      CAST(COALESCE(SUM(fact.ended_at - fact.started_at), 0) AS BIGINT) AS total
    FROM span CROSS JOIN measure CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = measure.name
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag, fact.name {{by_channel}}
"""
_HANDOFFS = f"""
    SELECT span.tag, {{channel}} AS channel_id, '{HANDOFF}' AS name, '' AS author,
      COUNT(DISTINCT fact.conversation_id) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = '{HANDOFF}'
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag {{by_channel}}
"""
# Counted channel by channel, each as one range of an index: nothing has to be sorted.
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


def _parted(spans: Sequence[Span]) -> _Parts:
    days, beside = _cut(spans, DAY)
    quarters, edges = _cut(beside, QUARTER)
    return _Parts(days, quarters, edges)


def _cut(spans: Sequence[Span], length: int) -> tuple[list[Span], list[Span]]:
    """The parts of spans that are whole buckets of this length, and what is left of them."""
    whole: list[Span] = []
    left: list[Span] = []
    for span in spans:
        start = -(-span.start // length) * length
        end = span.end // length * length
        if start < end:
            whole.append(Span(span.tag, start, end))
            beside = (Span(span.tag, span.start, start), Span(span.tag, end, span.end))
            left += [part for part in beside if part.start < part.end]
        else:
            left.append(span)
    return whole, left


def _values(spans: Sequence[Span]) -> tuple[str, dict[str, int]]:
    """Spans as the rows of a VALUES, and its parameters."""
    rows = ", ".join(f"({span.tag:d}, :s{n}, :e{n})" for n, span in enumerate(spans))
    bounds = {f"s{n}": span.start for n, span in enumerate(spans)}
    return rows, bounds | {f"e{n}": span.end for n, span in enumerate(spans)}
