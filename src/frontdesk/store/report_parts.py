"""Report queries by user, team and label, by hour, and of how durations are spread.

They read the messages and metric events of a period; the plain report reads roll-ups.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from frontdesk.store.database import Connection, Row
from frontdesk.store.reports import STARTED
from frontdesk.store.rollups import HANDOFF, INCOMING, OUTGOING, QUARTERS, UNCOUNTED_TYPES

# What rows are grouped by; "all": the key is always 0.
Grouping = Literal["all", "channels", "users", "teams", "labels"]

ANSWERED = "answered"


class PartSelection(NamedTuple):
    """Half-open period in epoch milliseconds, of all channels (None) or one."""

    account_id: int
    channel_id: int | None
    start: int
    end: int

    @property
    def narrowed(self) -> str:
        return "" if self.channel_id is None else "AND fact.channel_id = :channel"

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "account": self.account_id,
            "channel": self.channel_id,
            "start": self.start,
            "end": self.end,
        }


def metrics_by(connection: Connection, grouping: Grouping, selection: PartSelection) -> list[Row]:
    """Return (key, name, n, samples, total) of each group; key 0 of "users": no known user.

    name: a metric, "incoming" or "outgoing" (messages), "answered" (conversations with a message of
    a person) or "started" (conversations, by label only). samples: how many have a duration, with a
    sum of `total` milliseconds. Messages of users and teams are those that persons wrote.
    """
    key, join = _GROUPS[grouping]
    people = "" if grouping == "labels" else _WRITTEN_BY_PEOPLE
    rows = connection.rows(
        f"""
        WITH fact AS ({_MESSAGES.format(narrowed=selection.narrowed, people=people)})
        SELECT {key} AS key, fact.name, COUNT(*) AS n, 0 AS samples, 0 AS total
        FROM fact {join} GROUP BY 1, 2
        UNION ALL
        SELECT {key} AS key, '{ANSWERED}' AS name,
          COUNT(DISTINCT fact.conversation_id) AS n, 0 AS samples, 0 AS total
        FROM fact {join} WHERE fact.written = 1 GROUP BY 1
        """,
        selection.parameters,
    )
    rows += connection.rows(
        f"""
        WITH fact AS ({_metric_events(grouping, selection)})
        SELECT {key} AS key, fact.name,
          CASE WHEN fact.name = '{HANDOFF}' THEN COUNT(DISTINCT fact.conversation_id)
            ELSE COUNT(*) END AS n,
          COUNT(fact.duration) AS samples, CAST(COALESCE(SUM(fact.duration), 0) AS BIGINT) AS total
        FROM fact {join} GROUP BY 1, 2
        """,
        selection.parameters,
    )
    if grouping == "labels":
        rows += connection.rows(
            f"""
            SELECT {key} AS key, '{STARTED}' AS name, COUNT(*) AS n, 0 AS samples, 0 AS total
            FROM (
              SELECT fact.id AS conversation_id FROM conversation AS fact
              WHERE fact.account_id = :account AND fact.created_at >= :start
                AND fact.created_at < :end {selection.narrowed}) AS fact {join}
            GROUP BY 1
            """,
            selection.parameters,
        )
    return rows


def percentiles(connection: Connection, grouping: Grouping, selection: PartSelection) -> list[Row]:
    """Return (key, name, share, duration): the least duration that `share` percent do not exceed.

    share: 50 or 90; duration: milliseconds, an observed one. name: first_response, reply, resolved.
    """
    key, join = _GROUPS[grouping]
    return connection.rows(
        f"""
        WITH fact AS ({_metric_events(grouping, selection)}),
          ranked AS (
            SELECT {key} AS key, fact.name, fact.duration,
              ROW_NUMBER() OVER (PARTITION BY {key}, fact.name ORDER BY fact.duration) AS place,
              COUNT(*) OVER (PARTITION BY {key}, fact.name) AS n
            FROM fact {join} WHERE fact.duration IS NOT NULL AND fact.name IN ({_TIMED})),
          share(share) AS (VALUES (50), (90))
        SELECT ranked.key, ranked.name, share.share, ranked.duration
        FROM ranked CROSS JOIN share WHERE ranked.place = (ranked.n * share.share + 99) / 100
        """,
        selection.parameters,
    )


def within_targets(
    connection: Connection,
    grouping: Grouping,
    selection: PartSelection,
    targets: Mapping[str, int],
) -> list[Row]:
    """Return (key, name, within, samples) of metrics with a target, in milliseconds by name."""
    key, join = _GROUPS[grouping]
    limits = " ".join(f"WHEN '{name}' THEN {limit:d}" for name, limit in targets.items())
    names = ", ".join(f"'{name}'" for name in targets)
    return connection.rows(
        f"""
        WITH fact AS ({_metric_events(grouping, selection)})
        SELECT {key} AS key, fact.name, COUNT(*) AS samples,
          CAST(SUM(CASE WHEN fact.duration <= CASE fact.name {limits} END THEN 1 ELSE 0 END)
            AS BIGINT) AS within
        FROM fact {join} WHERE fact.duration IS NOT NULL AND fact.name IN ({names}) GROUP BY 1, 2
        """,
        selection.parameters,
    )


def quarter_hours(connection: Connection, selection: PartSelection) -> list[Row]:
    """Return (bucket, name, n, samples, total) of the quarter hours that begin in the period.

    name: "incoming" or "first_response".
    """
    return connection.rows(
        f"""
        SELECT fact.bucket, fact.name, CAST(SUM(fact.n) AS BIGINT) AS n,
          CAST(SUM(fact.samples) AS BIGINT) AS samples, CAST(SUM(fact.total) AS BIGINT) AS total
        FROM rollup AS fact
        WHERE fact.account_id = :account AND fact.grain = {QUARTERS}
          AND fact.bucket >= :start AND fact.bucket < :end
          AND fact.name IN ('{INCOMING}', 'first_response') {selection.narrowed}
        GROUP BY fact.bucket, fact.name
        """,
        selection.parameters,
    )


def open_now(
    connection: Connection, account_id: int, channel_id: int | None, awake_at: int | None
) -> list[Row]:
    """Return (assignee_id, channel_id, open, waiting, unread, waiting_since) of open conversations.

    assignee_id 0: unassigned. waiting_since: the earliest, None if nobody waits. awake_at:
    conversations snoozed until then or before are open.
    """
    narrowed = "" if channel_id is None else "AND fact.channel_id = :channel"
    opened = f"{_OPEN.format(narrowed=narrowed)} AND fact.state IN (0, 1)"
    awake = f"UNION ALL {_OPEN.format(narrowed=narrowed)} AND fact.state IN (2, 3) AND {_AWAKE}"
    return connection.rows(
        f"""
        SELECT assignee_id, channel_id, COUNT(*) AS open, COUNT(waiting_since) AS waiting,
          CAST(SUM(unread) AS BIGINT) AS unread, MIN(waiting_since) AS waiting_since
        FROM ({opened} {"" if awake_at is None else awake}) AS conversations
        GROUP BY assignee_id, channel_id
        """,
        {"account": account_id, "channel": channel_id, "awake_at": awake_at},
    )


def overdue(
    connection: Connection,
    account_id: int,
    channel_id: int | None,
    awake_at: int | None,
    before: Mapping[str, int],
) -> dict[str, int]:
    """Count open conversations whose customer waits since before a moment.

    before: by "first_response" (no person answered in the episode yet) or "reply".
    """
    narrowed = "" if channel_id is None else "AND channel_id = :channel"
    awake = "" if awake_at is None else "OR snoozed_until <= :awake_at"
    counts: dict[str, int] = {}
    for name, moment in before.items():
        replied = "IS NULL" if name == "first_response" else "IS NOT NULL"
        row = connection.row(
            f"""
            SELECT COUNT(*) AS n FROM conversation
            WHERE account_id = :account AND (status = 0 {awake}) AND waiting_since <= :before
              AND first_reply_at {replied} {narrowed}
            """,
            {
                "account": account_id,
                "channel": channel_id,
                "awake_at": awake_at,
                "before": moment,
            },
        )
        counts[name] = 0 if row is None else int(row["n"])
    return counts


def people(connection: Connection, account_id: int) -> list[Row]:
    """Return (id, name, availability, active) of all users, by name."""
    return connection.rows(
        """
        SELECT id, name, availability, active FROM app_user WHERE account_id = :account
        ORDER BY name_key, id
        """,
        {"account": account_id},
    )


def teams(connection: Connection, account_id: int) -> list[Row]:
    """Return (id, name) of all teams, by name."""
    return connection.rows(
        "SELECT id, name FROM team WHERE account_id = :account ORDER BY name_key, id",
        {"account": account_id},
    )


def team_places(connection: Connection, account_id: int) -> list[Row]:
    """Return (team_id, user_id, channel_id): each member on each channel of a team."""
    return connection.rows(
        """
        SELECT member.team_id, member.user_id, place.channel_id
        FROM team_member AS member JOIN team_channel AS place
          ON place.account_id = member.account_id AND place.team_id = member.team_id
        WHERE member.account_id = :account
        """,
        {"account": account_id},
    )


def labels(connection: Connection, account_id: int) -> list[Row]:
    """Return (id, title) of all labels, by title."""
    return connection.rows(
        "SELECT id, title FROM label WHERE account_id = :account ORDER BY title_key, id",
        {"account": account_id},
    )


_TIMED = "'first_response', 'reply', 'resolved'"
_WRITTEN_BY_PEOPLE = "AND fact.direction = 1 AND fact.author IN ('user', 'phone')"

# Key of a group, and what is joined for it.
_GROUPS: Mapping[Grouping, tuple[str, str]] = MappingProxyType(
    {
        "all": ("0", ""),
        "channels": ("fact.channel_id", ""),
        "users": ("fact.user_id", ""),
        "teams": (
            "member.team_id",
            """
            JOIN team_member AS member
              ON member.account_id = :account AND member.user_id = fact.user_id
            JOIN team_channel AS place ON place.account_id = :account
              AND place.team_id = member.team_id AND place.channel_id = fact.channel_id
            """,
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
# Archives may name authors by something else than an id.
_WRITER = """CASE WHEN fact.author = 'user' AND LENGTH(fact.author_id) BETWEEN 1 AND 18
        AND TRIM(fact.author_id, '0123456789') = '' THEN CAST(fact.author_id AS BIGINT) END"""
_MESSAGES = f"""
    SELECT fact.conversation_id, fact.channel_id,
      CASE WHEN fact.direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END AS name,
      CASE WHEN fact.direction = 1 AND fact.author IN ('user', 'phone') THEN 1 ELSE 0 END
        AS written,
      COALESCE({_WRITER}, 0) AS user_id
    FROM message AS fact
    WHERE fact.account_id = :account AND fact.created_at >= :start AND fact.created_at < :end
      AND fact.type NOT IN {UNCOUNTED_TYPES} {{people}} {{narrowed}}
"""
_OPEN = """
    SELECT fact.assignee_id, fact.channel_id, fact.waiting_since, fact.unread FROM entry AS fact
    WHERE fact.account_id = :account AND fact.label_id = 0 {narrowed}
"""
_AWAKE = """fact.conversation_id IN (
    SELECT id FROM conversation WHERE account_id = :account AND snoozed_until <= :awake_at)"""


def _metric_events(grouping: Grouping, selection: PartSelection) -> str:
    """Return a SELECT of the period's metric events; users have some kinds only."""
    names = _TIMED if grouping in ("users", "teams") else _ALL
    return f"""
        SELECT fact.conversation_id, fact.channel_id, fact.name, fact.user_id,
          fact.ended_at - fact.started_at AS duration
        FROM metric_event AS fact
        WHERE fact.account_id = :account AND fact.name IN ({names})
          AND fact.ended_at >= :start AND fact.ended_at < :end {selection.narrowed}
    """


_ALL = f"{_TIMED}, 'episode_opened', '{HANDOFF}', 'bot_resolved'"
