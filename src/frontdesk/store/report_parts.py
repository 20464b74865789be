"""Report queries by user, team and label, by hour, and of how durations are spread.

They read roll-ups of days or weeks, and messages and metric events at the ends of a period.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from frontdesk.store.conversations import one_of
from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.reports import conversations_of, messages_of
from frontdesk.store.rollups import (
    ANSWERED,
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
    SUMMED_BY_USER,
    TIMED,
    UNCOUNTED_TYPES,
    WEEK,
    WRITER,
    WRITTEN,
    SignedInterval,
    cut,
    facts_of_labels,
    step_of,
)

# Columns that rows are grouped by.
Grouping = Literal["channels", "users", "teams", "everyone", "labels"]

# Up to this many durations of a period are read one by one, more from their roll-up.
MOST_READ_ONE_BY_ONE = 10_000
# Up to this many durations of a group are read one by one in any period.
MOST_READ_OF_GROUP = 200


class PartSelection(NamedTuple):
    """Half-open period in epoch milliseconds, and what it is narrowed to."""

    account_id: int
    filter: ReportFilter
    start: int
    end: int

    @property
    def narrowed(self) -> str:
        return self.filter.condition()

    @property
    def parameters(self) -> dict[str, object]:
        period = {"account": self.account_id, "start": self.start, "end": self.end}
        return {**period, **self.filter.parameters}

    def nearest(self, length: int) -> dict[str, object]:
        """Return parameters of a query of sums, which may be subtracted (see `rollups.cut`)."""
        whole, edges = cut(SignedInterval(self.start, self.end), length)
        nothing = SignedInterval(self.end, self.end)
        parameters = {**self.parameters, "rolled_from": whole.start, "rolled_to": whole.end}
        for name, edge in zip(_EDGES, (*edges, nothing, nothing), strict=False):
            bounds = {f"{name}_from": edge.start, f"{name}_to": edge.end, f"{name}_sign": edge.sign}
            parameters |= bounds
        return parameters


def done_by_persons(
    connection: Connection, selection: PartSelection, *, by_channel: bool
) -> list[Row]:
    """Return (user_id, channel_id, name, n, samples, total) of what persons did; user 0: unknown.

    channel_id is 0 unless they are told apart. name: a metric, or "outgoing" (messages). samples:
    how many have a duration, with a sum of `total` milliseconds.
    """
    return connection.rows(
        f"""
        SELECT user_id, {"channel_id" if by_channel else "CAST(0 AS BIGINT)"} AS channel_id,
          CASE WHEN name = '{WRITTEN}' THEN '{OUTGOING}' ELSE name END AS name,
          CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(samples) AS BIGINT) AS samples,
          CAST(SUM(total) AS BIGINT) AS total
        FROM (
          SELECT user_id, channel_id, name, n, samples, total FROM user_rollup AS fact
          WHERE {_ROLLED} {selection.narrowed}
          UNION ALL {_at_edges(_summed(selection))}
          UNION ALL SELECT user_id, channel_id, name, n, 0, 0
          FROM ({_at_edges(_written(selection))}) AS written) AS facts
        GROUP BY user_id, name {", channel_id" if by_channel else ""}
        """,
        selection.nearest(DAY),
    )


def reopened(connection: Connection, selection: PartSelection) -> list[Row]:
    """Count resolutions after which the conversation was opened again within a week.

    (user_id, channel_id, n). What follows a resolution is an opening, for resolving what is
    resolved is no event.
    """
    return connection.rows(
        f"""
        SELECT user_id, channel_id, COUNT(*) AS n
        FROM (
          SELECT name, user_id, channel_id, ended_at,
            LEAD(ended_at) OVER (PARTITION BY conversation_id ORDER BY ended_at, id) AS opened_at
          FROM metric_event AS fact
          WHERE account_id = :account AND name IN ('resolved', 'episode_opened')
            AND ended_at >= :start AND ended_at <= :end + {WEEK} {selection.filter.channel}) AS fact
        WHERE name = 'resolved' AND ended_at < :end AND opened_at <= ended_at + {WEEK}
          {selection.narrowed}
        GROUP BY user_id, channel_id
        """,
        selection.parameters,
    )


def answered_by(connection: Connection, grouping: Grouping, selection: PartSelection) -> list[Row]:
    """Count conversations in which somebody of a group wrote: (key, name, n, samples, total).

    Days have numbers of messages by conversation. A conversation of the edges changes the count of
    whole days if their messages, added or subtracted, are the first or the last.
    """
    key, join = _GROUPS[grouping]
    writers = _WRITERS[grouping]
    return connection.rows(
        f"""
        WITH RECURSIVE {_PLACE}, {_WRITER_IDS}, fact AS MATERIALIZED (
          SELECT user_id, channel_id, conversation_id, SUM(n) AS n
          FROM ({_at_edges(_written(selection))}) AS edges GROUP BY 1, 2, 3)
        SELECT key, '{ANSWERED}' AS name, CAST(SUM(n) AS BIGINT) AS n, 0 AS samples, 0 AS total
        FROM (
          SELECT one.id AS key, (
            SELECT COUNT(DISTINCT fact.conversation_id)
            FROM {writers.places} CROSS JOIN conversation_rollup AS fact
            WHERE {writers.condition} AND {_ROLLED} {selection.narrowed}) AS n
          FROM ({writers.groups}) AS one
          UNION ALL
          SELECT key,
            CASE WHEN whole + n > 0 THEN 1 ELSE 0 END - CASE WHEN whole > 0 THEN 1 ELSE 0 END
          FROM (
            SELECT {key} AS key, SUM(fact.n) AS n, (
              SELECT COALESCE(SUM(other.n), 0) FROM conversation_rollup AS other
              WHERE other.account_id = :account AND other.conversation_id = fact.conversation_id
                AND other.bucket >= :rolled_from AND other.bucket < :rolled_to
                AND {writers.same}) AS whole
            FROM fact {join} GROUP BY {key}, fact.conversation_id) AS edges) AS counts
        GROUP BY key HAVING SUM(n) > 0
        """,
        selection.nearest(DAY),
    )


def metrics_by_label(connection: Connection, selection: PartSelection) -> list[Row]:
    """Return (key, name, n, samples, total) of each label; several rows of a key and name add up.

    name: a metric, "incoming" or "outgoing" (messages) or "started" (conversations).
    """
    key, join = _GROUPS["labels"]
    # A statement of each name reads its sums in the order of the labels, and sorts nothing.
    rolled = " UNION ALL ".join(
        f"""
        SELECT label.id AS key, '{name}' AS name, CAST(SUM(fact.n) AS BIGINT) AS n,
          CAST(SUM(fact.samples) AS BIGINT) AS samples, CAST(SUM(fact.total) AS BIGINT) AS total
        FROM label CROSS JOIN label_rollup AS fact
        WHERE label.account_id = :account AND {_ROLLED} AND fact.name = '{name}'
          AND fact.label_id = label.id {selection.narrowed}
        GROUP BY label.id
        """
        for name in (INCOMING, OUTGOING, STARTED, *SUMMED)
    )
    edges = " UNION ALL ".join(
        f"""
        SELECT {key} AS key, fact.name, {_sign(edge)} * COUNT(*) AS n,
          {_sign(edge)} * COUNT(fact.duration) AS samples,
          CAST({_sign(edge)} * COALESCE(SUM(fact.duration), 0) AS BIGINT) AS total
        FROM ({
            facts_of_labels(
                f"{{time}} >= :{edge}_from AND {{time}} < :{edge}_to {selection.narrowed}"
            )
        }) AS fact {join} GROUP BY 1, 2
        """
        for edge in _EDGES
    )
    return connection.rows(
        f"""
        {rolled}
        UNION ALL {edges}
        UNION ALL
        SELECT {key} AS key, '{HANDOFF}' AS name, COUNT(DISTINCT fact.conversation_id) AS n,
          0 AS samples, 0 AS total
        FROM ({_in_period(_metric_events(selection, HANDOFF))}) AS fact {join} GROUP BY 1
        """,
        selection.nearest(DAY),
    )


def has_few_durations(connection: Connection, selection: PartSelection) -> bool:
    """Check if a period has few enough durations to read each of them; labels always have."""
    if selection.filter.label_id:
        return True
    table = "user_rollup" if selection.filter.by_person else "rollup"
    grain = "" if selection.filter.by_person else f"AND fact.grain = {DAYS}"
    samples = first_number(
        connection,
        f"""
        SELECT SUM(fact.samples) AS samples FROM {table} AS fact
        WHERE fact.account_id = :account {grain} AND fact.name IN {TIMED}
          AND fact.bucket > :start - {DAY} AND fact.bucket < :end {selection.narrowed}
        """,
        selection.parameters,
    )
    return samples <= MOST_READ_ONE_BY_ONE


def durations(
    connection: Connection,
    grouping: Grouping,
    selection: PartSelection,
    *,
    exact: bool,
    keys: Sequence[int] | None = None,
) -> list[Row]:
    """Return (key, name, step, n) of durations; if `exact`, `step` is one in milliseconds.

    Several rows of a key, name and step add up, perhaps to nothing. keys: of the groups that are
    read, None for all; only if `exact`.
    """
    if exact:
        events = _in_period(_metric_events(selection, *TIMED))
        return _listed_durations(connection, grouping, events, selection.parameters, keys)
    table, length = _DURATION_ROLLUPS["users" if selection.filter.by_person else grouping]
    parameters = selection.nearest(length)
    edges = _at_edges(_metric_events(selection, *TIMED))
    rows = [
        {**row, "step": step_of(row["step"])}
        for row in _listed_durations(connection, grouping, edges, parameters)
    ]
    key, join = _GROUPS[grouping]
    return rows + connection.rows(
        f"""
        WITH {_PLACE}
        SELECT {key} AS key, fact.name, fact.step, CAST(SUM(fact.n) AS BIGINT) AS n
        FROM {table} AS fact {join} WHERE {_ROLLED} {selection.narrowed} GROUP BY 1, 2, 3
        """,
        parameters,
    )


def _listed_durations(
    connection: Connection,
    grouping: Grouping,
    select: str,
    parameters: Mapping[str, object],
    keys: Sequence[int] | None = None,
) -> list[Row]:
    """Return (key, name, step, n) of a SELECT of metric events; `step` is in milliseconds."""
    key, join = _GROUPS[grouping]
    narrowed = ""
    if keys is not None:
        placeholders, values = one_of("key", keys)
        narrowed, parameters = f"AND {key} IN ({placeholders})", {**parameters, **values}
    # A list of each group is read several times faster than a row of each duration.
    listed = connection.rows(
        f"""
        WITH {_PLACE}, fact AS ({select})
        SELECT {key} AS key, fact.name, fact.sign, {_LISTED[connection.dialect]} AS durations
        FROM fact {join} WHERE fact.duration IS NOT NULL {narrowed} GROUP BY 1, 2, 3
        """,
        parameters,
    )
    return [
        {"key": row["key"], "name": row["name"], "step": duration, "n": row["sign"] * n}
        for row in listed
        for duration, n in Counter(map(int, row["durations"].split(","))).items()
    ]


def timed_events(connection: Connection, grouping: Grouping, selection: PartSelection) -> list[Row]:
    """Return (key, name, channel_id, started_at, ended_at) of each duration of a period."""
    key, join = _GROUPS[grouping]
    return connection.rows(
        f"""
        WITH {_PLACE}
        SELECT {key} AS key, fact.name, fact.channel_id, fact.started_at, fact.ended_at
        FROM metric_event AS fact {join}
        WHERE fact.account_id = :account AND fact.name IN {TIMED} AND fact.started_at IS NOT NULL
          AND fact.ended_at >= :start AND fact.ended_at < :end {selection.narrowed}
        """,
        selection.parameters,
    )


def quarter_hours(connection: Connection, selection: PartSelection) -> list[Row]:
    """Return (bucket, name, n, samples, total) of the quarter hours that begin in the period.

    bucket: the first of those with the same UTC weekday and time, which are one row. name:
    "incoming" or "first_response".
    """
    if selection.filter.label_id:
        return _quarter_hours_of_label(connection, selection)
    return connection.rows(
        f"""
        SELECT MIN(fact.bucket) AS bucket, fact.name, CAST(SUM(fact.n) AS BIGINT) AS n,
          CAST(SUM(fact.samples) AS BIGINT) AS samples, CAST(SUM(fact.total) AS BIGINT) AS total
        FROM rollup AS fact
        WHERE fact.account_id = :account AND fact.grain = {QUARTERS}
          AND fact.bucket >= :start AND fact.bucket < :end
          AND fact.name IN ('{INCOMING}', 'first_response') {selection.narrowed}
        GROUP BY fact.bucket % {WEEK}, fact.name
        """,
        selection.parameters,
    )


def _quarter_hours_of_label(connection: Connection, selection: PartSelection) -> list[Row]:
    return connection.rows(
        f"""
        SELECT fact.created_at - fact.created_at % {QUARTER} AS bucket, '{INCOMING}' AS name,
          COUNT(*) AS n, 0 AS samples, 0 AS total
        {messages_of(selection.filter)}
          AND fact.direction = 0 AND fact.type NOT IN {UNCOUNTED_TYPES}
        GROUP BY 1
        UNION ALL
        SELECT fact.ended_at - fact.ended_at % {QUARTER}, fact.name, COUNT(*),
          COUNT(fact.started_at), CAST(COALESCE(SUM(fact.ended_at - fact.started_at), 0) AS BIGINT)
        FROM ({conversations_of(selection.filter)}) AS own CROSS JOIN metric_event AS fact
        WHERE fact.account_id = :account AND fact.conversation_id = own.conversation_id
          AND fact.name = 'first_response' AND fact.ended_at >= :start AND fact.ended_at < :end
        GROUP BY 1, 2
        """,
        selection.parameters,
    )


def open_now(
    connection: Connection,
    account_id: int,
    filter: ReportFilter,
    awake_at: int | None,
    since: Mapping[str, int],
) -> list[Row]:
    """Return (assignee_id, channel_id, open, waiting, unread, waiting_since) of open conversations.

    assignee_id 0: unassigned. waiting_since: the earliest, None if nobody waits. awake_at:
    conversations snoozed until then or before are open. since: moments by the names of further
    columns, which count the customers who wait since a later one.
    """
    # Conversations with a label have entries and cells of their own.
    narrowed = f"AND fact.label_id = :label {filter.channel} {filter.persons('fact.assignee_id')}"
    entries = f"FROM entry AS fact WHERE fact.account_id = :account {narrowed}"
    later = "".join(
        f", CAST(SUM(CASE WHEN waiting_since > :{name} THEN 1 ELSE 0 END) AS BIGINT) AS {name}"
        for name in since
    )
    awake = f"""
        UNION ALL
        SELECT assignee_id, channel_id, 1, CASE WHEN waiting_since IS NULL THEN 0 ELSE 1 END,
          unread, waiting_since
        {entries} AND state IN (2, 3) AND conversation_id IN (
          SELECT id FROM conversation WHERE account_id = :account AND snoozed_until <= :awake_at)
    """
    return connection.rows(
        f"""
        SELECT assignee_id, channel_id, CAST(SUM(open) AS BIGINT) AS open,
          CAST(SUM(waiting) AS BIGINT) AS waiting, CAST(SUM(unread) AS BIGINT) AS unread,
          MIN(waiting_since) AS waiting_since {later}
        FROM (
          SELECT assignee_id, channel_id, n AS open, 0 AS waiting,
            CASE WHEN unread = 1 THEN n ELSE 0 END AS unread, CAST(NULL AS BIGINT) AS waiting_since
          FROM cell AS fact
          WHERE account_id = :account AND state IN (0, 1) {narrowed}
          UNION ALL
          SELECT assignee_id, channel_id, 0, 1, 0, waiting_since
          {entries} AND state IN (0, 1) AND waiting_since IS NOT NULL
          {"" if awake_at is None else awake}) AS conversations
        GROUP BY assignee_id, channel_id
        """,
        {"account": account_id, "awake_at": awake_at, **filter.parameters, **since},
    )


def overdue(
    connection: Connection,
    account_id: int,
    filter: ReportFilter,
    awake_at: int | None,
    before: Mapping[str, int],
) -> dict[str, int]:
    """Count open conversations whose customer waits since before a moment.

    before: by "first_response" (no person answered in the episode yet) or "reply".
    """
    place = {"account": account_id, "awake_at": awake_at, **filter.parameters}
    return {
        name: first_number(
            connection,
            f"SELECT COUNT(*) AS n FROM {_overdue(name, filter, awake_at)}",
            {**place, "before": moment},
        )
        for name, moment in before.items()
    }


def overdue_by_assignee(
    connection: Connection,
    account_id: int,
    filter: ReportFilter,
    awake_at: int | None,
    before: Mapping[str, int],
) -> list[Row]:
    """Count as `overdue` does: (name, assignee_id, channel_id, n); assignee_id 0: unassigned."""
    place = {"account": account_id, "awake_at": awake_at, **filter.parameters}
    return [
        row
        for name, moment in before.items()
        for row in connection.rows(
            f"""
            SELECT '{name}' AS name, assignee_id, channel_id, COUNT(*) AS n
            FROM {_overdue(name, filter, awake_at)} GROUP BY assignee_id, channel_id
            """,
            {**place, "before": moment},
        )
    ]


def _overdue(name: str, filter: ReportFilter, awake_at: int | None) -> str:
    """Return the table and condition of conversations over the target of a metric."""
    narrowed = filter.condition("fact.assignee_id", "fact.id")
    awake = "" if awake_at is None else "OR snoozed_until <= :awake_at"
    replied = "IS NULL" if name == "first_response" else "IS NOT NULL"
    return f"""
        conversation AS fact WHERE account_id = :account AND (status = 0 {awake})
          AND waiting_since <= :before AND first_reply_at {replied} {narrowed}
    """


def team_places(connection: Connection, account_id: int) -> list[Row]:
    """Return (team_id, user_id, channel_id): each member on each channel of a team."""
    sql = f"WITH {_PLACE} SELECT team_id, user_id, channel_id FROM place"
    return connection.rows(sql, {"account": account_id})


# Key of a group, and what is joined for it.
_GROUPS: Mapping[Grouping, tuple[str, str]] = MappingProxyType(
    {
        "channels": ("fact.channel_id", ""),
        # No column, which a constant in GROUP BY would be taken for.
        "everyone": ("CAST(0 AS BIGINT)", ""),
        "users": ("fact.user_id", ""),
        "teams": (
            "place.team_id",
            "JOIN place ON place.user_id = fact.user_id AND place.channel_id = fact.channel_id",
        ),
        "labels": (
            "labelled.label_id",
            """
            JOIN entry AS labelled ON labelled.account_id = :account
              AND labelled.conversation_id = fact.conversation_id AND labelled.label_id <> 0
            """,
        ),
    }
)
_LISTED: Mapping[Dialect, str] = MappingProxyType(
    {
        "sqlite": "group_concat(fact.duration)",
        "postgresql": "string_agg(CAST(fact.duration AS TEXT), ',')",
    }
)
# Members on the channels of their teams.
_PLACE = """place AS MATERIALIZED (
    SELECT member.team_id, member.user_id, channel.channel_id
    FROM team_member AS member JOIN team_channel AS channel
      ON channel.account_id = member.account_id AND channel.team_id = member.team_id
    WHERE member.account_id = :account)"""


# Whole buckets of a roll-up.
_ROLLED = "fact.account_id = :account AND fact.bucket >= :rolled_from AND fact.bucket < :rolled_to"
_EDGES = ("first", "last")


def _at_edges(select: str) -> str:
    """Complete a SELECT that ends in its time by the edges of a period."""
    time = select.rpartition(" ")[2]
    return " UNION ALL ".join(
        f"{select.format(sign=_sign(edge))} >= :{edge}_from AND {time} < :{edge}_to"
        for edge in _EDGES
    )


def _in_period(select: str) -> str:
    """Complete a SELECT that ends in its time by the whole period."""
    return f"{select.format(sign=1)} >= :start AND {select.rpartition(' ')[2]} < :end"


def _sign(edge: str) -> str:
    return f"CAST(:{edge}_sign AS BIGINT)"


def _written(selection: PartSelection) -> str:
    """Return a SELECT of messages that persons wrote, which ends in their time; n is {sign}."""
    return f"""
        SELECT {WRITER} AS user_id, fact.channel_id, fact.conversation_id, '{WRITTEN}' AS name,
          {{sign}} AS n
        FROM message AS fact
        WHERE fact.account_id = :account AND fact.type NOT IN {UNCOUNTED_TYPES} AND {BY_PERSON}
          {selection.filter.condition(WRITER)} AND fact.created_at"""


def _summed(selection: PartSelection) -> str:
    """Return a SELECT of what each metric event adds to sums, which ends in their time."""
    return f"""
        SELECT fact.user_id, fact.channel_id, fact.name, {{sign}} AS n,
          CASE WHEN fact.started_at IS NULL THEN 0 ELSE {{sign}} END AS samples,
          {{sign}} * COALESCE(fact.ended_at - fact.started_at, 0) AS total
        FROM metric_event AS fact
        WHERE fact.account_id = :account AND fact.name IN {SUMMED_BY_USER} {selection.narrowed}
          AND fact.ended_at"""


def _metric_events(selection: PartSelection, *names: str) -> str:
    """Return a SELECT of metric events that ends in their time."""
    some = ", ".join(map(repr, names))
    return f"""
        SELECT fact.conversation_id, fact.channel_id, fact.name, fact.user_id,
          fact.ended_at - fact.started_at AS duration, {{sign}} AS sign
        FROM metric_event AS fact
        WHERE fact.account_id = :account AND fact.name IN ({some}) {selection.narrowed}
          AND fact.ended_at"""


class _Writers(NamedTuple):
    """SQL of groups of writers (id), the places of one, and the other messages of a group.

    condition: of the roll-up of messages, in the order of its key; same: that `other` is by the
    group of `fact`.
    """

    groups: str
    places: str
    condition: str
    same: str


_WRITERS: Mapping[Grouping, _Writers] = MappingProxyType(
    {
        "users": _Writers(
            "SELECT id FROM writer WHERE id IS NOT NULL",
            "channel AS place",
            "place.account_id = :account AND fact.user_id = one.id AND fact.channel_id = place.id",
            "other.user_id = fact.user_id",
        ),
        "everyone": _Writers(
            "SELECT CAST(0 AS BIGINT) AS id",
            "writer AS anyone CROSS JOIN channel AS place",
            "place.account_id = :account AND fact.user_id = anyone.id"
            " AND fact.channel_id = place.id",
            "1 = 1",
        ),
        "teams": _Writers(
            "SELECT id FROM team WHERE account_id = :account",
            "team_member AS member CROSS JOIN team_channel AS place",
            "member.account_id = :account AND member.team_id = one.id"
            " AND place.account_id = :account AND place.team_id = one.id"
            " AND fact.user_id = member.user_id AND fact.channel_id = place.channel_id",
            """
            EXISTS (
              SELECT 1 FROM team_member AS member WHERE member.account_id = :account
                AND member.team_id = place.team_id AND member.user_id = other.user_id)
            AND EXISTS (
              SELECT 1 FROM team_channel AS team_place WHERE team_place.account_id = :account
                AND team_place.team_id = place.team_id
                AND team_place.channel_id = other.channel_id)
            """,
        ),
    }
)
# All user ids that messages are counted by, found one by one in the order of the key.
_WRITER_IDS = """writer(id) AS (
    SELECT MIN(user_id) FROM conversation_rollup WHERE account_id = :account
    UNION ALL
    SELECT (SELECT MIN(fact.user_id) FROM conversation_rollup AS fact
      WHERE fact.account_id = :account AND fact.user_id > writer.id)
    FROM writer WHERE writer.id IS NOT NULL)"""
# Roll-up of durations of a group, and the length of its buckets.
_DURATION_ROLLUPS: Mapping[Grouping, tuple[str, int]] = MappingProxyType(
    {
        "channels": ("duration_rollup", DAY),
        "users": ("user_duration_rollup", WEEK),
        "teams": ("user_duration_rollup", WEEK),
        "everyone": ("duration_rollup", DAY),
    }
)
