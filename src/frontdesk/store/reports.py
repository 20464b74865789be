"""Report queries: sums of roll-up buckets, plus or minus rows at the edges of a period."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.rollups import (
    BY_PERSON,
    DAY,
    DAYS,
    HANDOFF,
    INCOMING,
    OUTGOING,
    QUARTER,
    QUARTERS,
    STARTED,
    SUMMED,
    UNCOUNTED_TYPES,
    WRITER,
    WRITTEN,
    SignedInterval,
    cut,
)
from frontdesk.store.rollups import WORDS as PRICING_WORDS
from frontdesk.store.rows import RESOLVED

# What adds a conversation to those that are not resolved, and what takes one away.
_UNTOLD = "untold"
_TURNS = MappingProxyType({STARTED: 1, "episode_opened": 1, "resolved": -1, _UNTOLD: -1})
# After each moment of a database, and where a bucket begins.
_END_OF_TIME = 1_000_000 * DAY

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
    filter: ReportFilter,
    spans: Sequence[ReportSpan],
    *,
    detailed: bool,
) -> list[Row]:
    """Return metrics of spans: (tag, channel_id, name, author, n, samples, total).

    Several rows with the same key add up, perhaps to nothing. name: "started" (conversations),
    "incoming" and "outgoing" (messages, by author) or a metric. samples: how many of them have a
    duration, with a sum of `total` milliseconds. Unless `detailed`, channel_id is 0 and author "".
    Messages of a label have no author either; of persons there are those that they wrote, and
    first_response, reply and resolved.
    """
    shape = _DETAILED if detailed else _SUMMED
    return _selected(connection, account_id, filter, _selects(filter, spans, detailed), shape)


def _selects(filter: ReportFilter, spans: Sequence[ReportSpan], detailed: bool) -> list[_Select]:
    if filter.by_person or filter.label_id:
        days, edges = _cut(spans, DAY)
        if filter.by_person:
            return [
                (days, _PERSON_ROLLUPS, {}),
                (edges, _PERSON_MESSAGES, {}),
                (edges, _MEASURES, {}),
            ]
        return [
            (days, _LABEL_ROLLUPS, {}),
            (edges, _MESSAGES, {}),
            (edges, _MEASURES, {}),
            (edges, _LABELLED_CONVERSATIONS, {}),
            (spans, _HANDOFFS, {}),
        ]
    parts = _parted(spans)
    return [
        (parts.days, _ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _MESSAGES, {}),
        (parts.edges, _MEASURES, {}),
        (spans, _HANDOFFS_BY_CHANNEL if detailed else _HANDOFFS, {}),
        (spans, _CONVERSATIONS, {}),
    ]


def open_at(
    connection: Connection, account_id: int, filter: ReportFilter, moments: Iterable[int]
) -> dict[int, int]:
    """Count the conversations that are not resolved at some moments, of all or of one channel.

    From now backwards: what began or was opened after a moment is subtracted, what was resolved is
    added. One whose status was never told is resolved from its beginning on.
    """
    ends = sorted({*moments})
    spans = [ReportSpan(tag, *span) for tag, span in enumerate(pairwise([*ends, _END_OF_TIME]))]
    parts = _parted(spans)
    selects: list[_Select] = [
        (parts.days, _ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _MEASURES, {}),
        (spans, _CONVERSATIONS, {}),
        (spans, _UNTOLD_CONVERSATIONS, {}),
    ]
    later = Counter[int]()
    for row in _selected(connection, account_id, filter, selects, _SUMMED):
        later[row["tag"]] += _TURNS.get(row["name"], 0) * row["n"]
    left = first_number(
        connection,
        f"""
        SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM cell AS fact
        WHERE account_id = :account AND label_id = 0 AND state < 4 {filter.channel}
        """,
        {"account": account_id, **filter.parameters},
    )
    counts = {}
    for tag, end in reversed([*enumerate(ends)]):
        left -= later[tag]
        counts[end] = left
    return counts


def priced(
    connection: Connection, account_id: int, filter: ReportFilter, spans: Sequence[ReportSpan]
) -> list[Row]:
    """Return counts of messages with a known pricing, by span and pricing.

    (tag, channel_id, author, category, type, n, billable): category and type are truncated, "" if
    unknown. Several rows with the same key add up, perhaps to nothing.
    """
    if filter.by_person or filter.label_id:
        return [
            row
            for span in spans
            for row in _priced_one_by_one(connection, account_id, filter, span)
        ]
    parts = _parted(spans)
    selects: list[_Select] = [
        (parts.days, _PRICING_ROLLUPS, {"grain": DAYS}),
        (parts.quarters, _PRICING_ROLLUPS, {"grain": QUARTERS}),
        (parts.edges, _PRICED_MESSAGES, {}),
    ]
    return _selected(connection, account_id, filter, selects, {})


def _priced_one_by_one(
    connection: Connection, account_id: int, filter: ReportFilter, span: ReportSpan
) -> list[Row]:
    return connection.rows(
        f"""
        SELECT {span.tag:d} AS tag, fact.channel_id, fact.author, {PRICING_WORDS}, COUNT(*) AS n,
          CAST(SUM(COALESCE(fact.billable, 0)) AS BIGINT) AS billable
        {messages_of(filter)} AND fact.priced_at IS NOT NULL
        GROUP BY 2, 3, 4, 5
        """,
        _place(account_id, filter, span),
    )


def sent_by_author(
    connection: Connection, account_id: int, filter: ReportFilter, span: ReportSpan
) -> list[Row]:
    """Return (author, n): messages to customers in conversations with the filter's label."""
    return connection.rows(
        f"""
        SELECT fact.author, COUNT(*) AS n
        {messages_of(filter)} AND fact.direction = 1 AND fact.type NOT IN {UNCOUNTED_TYPES}
        GROUP BY 1
        """,
        _place(account_id, filter, span),
    )


def answered(
    connection: Connection, account_id: int, filter: ReportFilter, span: ReportSpan
) -> int:
    """Count the conversations in which the filter's persons wrote."""
    return first_number(
        connection,
        f"""
        SELECT COUNT(DISTINCT fact.conversation_id) AS n
        {messages_of(filter)}
        """,
        _place(account_id, filter, span),
    )


def messages_of(filter: ReportFilter) -> str:
    """Return FROM and WHERE of a period's messages that persons wrote, or all with a label.

    Conversations come first, each with a range of its messages. Parameters: those of the filter,
    account, start and end.
    """
    by_person = ""
    if filter.by_person:
        by_person = f"""
          AND fact.type NOT IN {UNCOUNTED_TYPES} AND {BY_PERSON} {filter.persons(WRITER)}"""
    return f"""
        FROM ({conversations_of(filter)}) AS own CROSS JOIN message AS fact
        WHERE fact.account_id = :account AND fact.conversation_id = own.conversation_id
          AND fact.created_at >= :start AND fact.created_at < :end {by_person}"""


def conversations_of(filter: ReportFilter) -> str:
    """Return a SELECT of the conversations that may have messages of `messages_of`."""
    if filter.label_id:
        return f"""
            SELECT fact.conversation_id FROM entry AS fact
            WHERE fact.account_id = :account AND fact.label_id = :label {filter.channel}"""
    return f"""
        SELECT DISTINCT fact.conversation_id FROM conversation_rollup AS fact
        WHERE fact.account_id = :account AND fact.bucket > :start - {DAY} AND fact.bucket < :end
          {filter.condition()}"""


def _place(account_id: int, filter: ReportFilter, span: ReportSpan) -> dict[str, object]:
    return {"account": account_id, "start": span.start, "end": span.end, **filter.parameters}


def _selected(
    connection: Connection,
    account_id: int,
    filter: ReportFilter,
    selects: Iterable[_Select],
    shape: Mapping[str, str],
) -> list[Row]:
    """Run each statement over its spans."""
    members = {
        **shape,
        **_RANGES[connection.dialect],
        "narrowed": filter.condition(),
        "channels": filter.channel,
        "written": filter.condition(WRITER),
    }
    parameters = {"account": account_id, **filter.parameters}
    rows: list[Row] = []
    for some, select, also in selects:
        if some:
            values, bounds = _values(some)
            rows += connection.rows(
                f"WITH span(tag, start_at, end_at, sign) AS (VALUES {values})"
                f" {select.format(**members)}",
                {**parameters, **bounds, **also},
            )
    return rows


def unattended(
    connection: Connection, account_id: int, filter: ReportFilter, awake_at: int | None
) -> int:
    """Count open conversations without a reply in their episode, or waiting for one.

    awake_at: conversations snoozed until then or before are open.
    """
    narrowed = filter.condition("fact.assignee_id", "fact.id")
    among = f"account_id = :account {narrowed} AND {_UNATTENDED}"
    awake = "" if awake_at is None else f"UNION ALL {_COUNT} {among} AND snoozed_until <= :awake_at"
    return first_number(
        connection,
        f"""
        SELECT CAST(SUM(n) AS BIGINT) AS n
        FROM ({_COUNT} {among} AND status = 0 {awake}) AS counts
        """,
        {"account": account_id, "awake_at": awake_at, **filter.parameters},
    )


def open_of_persons(
    connection: Connection, account_id: int, filter: ReportFilter, awake_at: int | None
) -> Row:
    """Return (open, awaiting): open conversations assigned to persons, and those for a human."""
    where = f"fact.account_id = :account AND fact.label_id = 0 {filter.condition('assignee_id')}"
    awake = f"""
        UNION ALL SELECT 1, awaiting FROM entry AS fact WHERE {where} AND state IN (2, 3)
          AND conversation_id IN (
            SELECT id FROM conversation WHERE account_id = :account AND snoozed_until <= :awake_at)
    """
    row = connection.row(
        f"""
        SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS open,
          CAST(COALESCE(SUM(n * awaiting), 0) AS BIGINT) AS awaiting
        FROM (SELECT n, awaiting FROM cell AS fact WHERE {where} AND state IN (0, 1)
          {"" if awake_at is None else awake}) AS conversations
        """,
        {"account": account_id, "awake_at": awake_at, **filter.parameters},
    )
    return row or {"open": 0, "awaiting": 0}


def name_of(connection: Connection, account_id: int, table: str, id: int) -> str | None:
    """Return the name of a user, team or label; None if the account has none with this id."""
    column = "title" if table == "label" else "name"
    row = connection.row(
        f"SELECT {column} AS name FROM {table} WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": id},
    )
    return None if row is None else str(row["name"])


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


def _values_of(names: Iterable[str]) -> str:
    return ", ".join(f"('{name}')" for name in names)


_COUNT = "SELECT COUNT(*) AS n FROM conversation AS fact WHERE"

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
_MEASURES = f""", measure(name) AS (VALUES {_values_of(SUMMED)})
    SELECT span.tag, {{channel}} AS channel_id, fact.name, '' AS author,
      CAST(SUM(span.sign) AS BIGINT) AS n,
      CAST(SUM(CASE WHEN fact.started_at IS NULL THEN 0 ELSE span.sign END) AS BIGINT) AS samples,
      CAST(COALESCE(SUM(span.sign * (fact.ended_at - fact.started_at)), 0) AS BIGINT) AS total
    FROM span CROSS JOIN measure CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = measure.name
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag, fact.name {{by_channel}}
"""
# Of many spans, or of a label.
_HANDOFFS = f"""
    SELECT span.tag, {{channel}} AS channel_id, '{HANDOFF}' AS name, '' AS author,
      COUNT(DISTINCT fact.conversation_id) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} metric_event AS fact
    WHERE fact.account_id = :account AND fact.name = '{HANDOFF}'
      AND fact.ended_at >= span.start_at AND fact.ended_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag {{by_channel}}
"""
# What persons did, and what happened in the conversations with a label.
_PERSON_ROLLUPS = f"""
    SELECT span.tag, {{channel}} AS channel_id,
      CASE WHEN fact.name = '{WRITTEN}' THEN '{OUTGOING}' ELSE fact.name END AS name,
      '' AS author, CAST(SUM(span.sign * fact.n) AS BIGINT) AS n,
      CAST(SUM(span.sign * fact.samples) AS BIGINT) AS samples,
      CAST(SUM(span.sign * fact.total) AS BIGINT) AS total
    FROM span CROSS JOIN {{ranges}} user_rollup AS fact
    WHERE fact.account_id = :account AND fact.bucket >= span.start_at
      AND fact.bucket < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag, fact.name {{by_channel}}
"""
_PERSON_MESSAGES = f"""
    SELECT span.tag, {{channel}} AS channel_id, '{OUTGOING}' AS name, '' AS author,
      CAST(SUM(span.sign) AS BIGINT) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= span.start_at
      AND fact.created_at < span.end_at AND fact.type NOT IN {UNCOUNTED_TYPES} AND {BY_PERSON}
      {{written}} {{end}}
    GROUP BY span.tag {{by_channel}}
"""
_LABEL_ROLLUPS = f""", measure(name) AS (
      VALUES {_values_of((INCOMING, OUTGOING, STARTED, *SUMMED))})
    SELECT span.tag, {{channel}} AS channel_id, fact.name, '' AS author,
      CAST(SUM(span.sign * fact.n) AS BIGINT) AS n,
      CAST(SUM(span.sign * fact.samples) AS BIGINT) AS samples,
      CAST(SUM(span.sign * fact.total) AS BIGINT) AS total
    FROM span CROSS JOIN measure CROSS JOIN {{ranges}} label_rollup AS fact
    WHERE fact.account_id = :account AND fact.name = measure.name AND fact.label_id = :label
      AND fact.bucket >= span.start_at AND fact.bucket < span.end_at {{channels}} {{end}}
    GROUP BY span.tag, fact.name {{by_channel}}
"""
_LABELLED_CONVERSATIONS = f"""
    SELECT span.tag, {{channel}} AS channel_id, '{STARTED}' AS name, '' AS author,
      CAST(SUM(span.sign) AS BIGINT) AS n, 0 AS samples, 0 AS total
    FROM span CROSS JOIN {{ranges}} (
      SELECT c.account_id, c.channel_id, c.created_at, c.id AS conversation_id
      FROM channel CROSS JOIN conversation AS c
      WHERE channel.account_id = :account AND c.account_id = :account
        AND c.channel_id = channel.id) AS fact
    WHERE fact.created_at >= span.start_at AND fact.created_at < span.end_at {{narrowed}} {{end}}
    GROUP BY span.tag {{by_channel}}
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
_CONVERSATIONS_BEGUN = """
    SELECT fact.tag, {{channel}} AS channel_id, '{name}' AS name, '' AS author,
      CAST(SUM(fact.n) AS BIGINT) AS n, 0 AS samples, 0 AS total
    FROM (
      SELECT span.tag, fact.channel_id,
        (SELECT COUNT(*) FROM conversation AS c
         WHERE c.account_id = :account AND c.channel_id = fact.channel_id
           AND c.created_at >= span.start_at AND c.created_at < span.end_at {condition}) AS n
      FROM span CROSS JOIN
        (SELECT id AS channel_id FROM channel WHERE account_id = :account) AS fact
      WHERE 1 = 1 {{narrowed}}) AS fact
    GROUP BY fact.tag {{by_channel}}
"""
_CONVERSATIONS = _CONVERSATIONS_BEGUN.format(name=STARTED, condition="")
_UNTOLD_CONVERSATIONS = _CONVERSATIONS_BEGUN.format(
    name=_UNTOLD, condition=f"AND c.status = {RESOLVED} AND c.status_known = 0"
)


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
