"""Report roll-ups: messages, metrics and pricing per quarter hour and UTC day.

Parts of reports, per day: messages of persons by conversation, messages and metrics by user,
messages, metrics and new conversations by label, and numbers of durations in steps, each a tenth
longer than the one before; these also per week and user.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, repeat, takewhile
from typing import Any, NamedTuple

from frontdesk.store import writes
from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import sum_rows, table_of
from frontdesk.wire import Wire
from frontdesk.wire.reports import Metrics, PersonFigures, sums_of

MINUTE = 60_000
QUARTER, DAY = 15 * MINUTE, 24 * 60 * MINUTE
# `grain` of a bucket: its length in minutes. UTC days, with quarter hours at the ends, make up the
# days of every time zone.
QUARTERS, DAYS = 15, 24 * 60

INCOMING, OUTGOING, STARTED, ANSWERED = "incoming", "outgoing", "started", "answered"
# Types that are not counted as messages, and the same in SQL.
UNCOUNTED = ("call", "reaction", "system")
UNCOUNTED_TYPES = f"({', '.join(map(repr, UNCOUNTED))})"
# A hand-off counts once per conversation and period, so it cannot be summed.
HANDOFF = "bot_handoff"


def _events_of(figures: type[Wire]) -> tuple[str, ...]:
    """Names of the metric events that figures are sums of."""
    names = dict.fromkeys(mark.name for mark in sums_of(figures).values())
    return tuple(name for name in names if name not in _NO_EVENTS)


_NO_EVENTS = (INCOMING, OUTGOING, STARTED, ANSWERED, HANDOFF)
# Metric events that are summed, those that are summed by user, and those with durations.
SUMMED, SUMMED_BY_USER = _events_of(Metrics), _events_of(PersonFigures)
TIMED = tuple(mark.name for mark in sums_of(Metrics).values() if mark.mean)

# Key of a sum: (start of the bucket in epoch milliseconds, channel_id, name, author). The name is
# that of a metric, with "" as its author, or "incoming" or "outgoing".
Figure = tuple[int, int, str, str]
# Deltas of n, samples and total.
_Sums = Sequence[int]


class SignedInterval(NamedTuple):
    """Half-open interval in epoch milliseconds; its sums are added (sign 1) or subtracted (-1)."""

    start: int
    end: int
    sign: int = 1


def cut(interval: SignedInterval, length: int) -> tuple[SignedInterval, list[SignedInterval]]:
    """Return the buckets between the ends nearest to those of an interval, and the differences.

    Without such a bucket, the first is empty and the difference the interval itself.
    """
    start, end = ((at + length // 2) // length * length for at in interval[:2])
    if start >= end:
        return SignedInterval(interval.end, interval.end), [interval]
    edges = (
        _between(interval.start, start, interval.sign),
        _between(end, interval.end, interval.sign),
    )
    whole = SignedInterval(start, end, interval.sign)
    return whole, [edge for edge in edges if edge.start < edge.end]


def _between(start: int, end: int, sign: int) -> SignedInterval:
    return SignedInterval(start, end, sign) if start <= end else SignedInterval(end, start, -sign)


class Rollups:
    """Changes to an account's roll-ups, collected in memory and written together."""

    def __init__(self) -> None:
        self._messages: Counter[Figure] = Counter()
        self._metrics: dict[Figure, list[int]] = {}

    def add_messages(self, figures: Iterable[Figure], by: int) -> None:
        """Count messages; buckets are quarter hours. `by=-1` discounts them."""
        if by > 0:
            self._messages.update(figures)
        else:
            self._messages.subtract(figures)

    def add_metric(self, row: Mapping[str, Any], by: int) -> None:
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

    def rows(self, account_id: int) -> Iterator[dict[str, Any]]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        for grain, figures in self._grains():
            keyed = (((grain, *figure), sums) for figure, sums in sorted(figures.items()))
            yield from sum_rows("rollup", account_id, keyed)

    def _grains(self) -> Iterator[tuple[int, Mapping[Figure, _Sums]]]:
        changes: dict[Figure, _Sums] = {
            figure: (n, 0, 0) for figure, n in self._messages.items() if n
        }
        changes.update((figure, sums) for figure, sums in self._metrics.items() if any(sums))
        yield QUARTERS, changes
        yield DAYS, _daily(changes)


_QUARTERS_RECOUNTED = f"""
    SELECT {QUARTERS} AS grain, created_at - created_at % {QUARTER} AS bucket, channel_id,
      CASE WHEN direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END AS name, author,
      COUNT(*) AS n, 0 AS samples, 0 AS total
    FROM message WHERE account_id = :account AND type NOT IN {UNCOUNTED_TYPES}
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT {QUARTERS} AS grain, ended_at - ended_at % {QUARTER} AS bucket, channel_id, name,
      '' AS author, COUNT(*) AS n, COUNT(started_at) AS samples,
      CAST(COALESCE(SUM(ended_at - started_at), 0) AS BIGINT) AS total
    FROM metric_event WHERE account_id = :account AND name <> '{HANDOFF}'
    GROUP BY 1, 2, 3, 4, 5
"""
_DAYS_OF_QUARTERS = f"""
    SELECT {DAYS} AS grain, bucket - bucket % {DAY} AS bucket, channel_id, name, author,
      CAST(SUM(n) AS BIGINT), CAST(SUM(samples) AS BIGINT), CAST(SUM(total) AS BIGINT)
    FROM quarter GROUP BY 1, 2, 3, 4, 5
"""


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

    def add(self, channel_id: int, messages: Iterable[Row], by: int) -> None:
        """Count messages with a known pricing; `by=-1` discounts them."""
        for row in messages:
            if row["priced_at"] is not None:
                figure = _figure(channel_id, row)
                self._n[figure] += by
                self._billable[figure] += by * (row["billable"] or 0)

    def save(self, connection: Connection, account_id: int) -> None:
        writes.add_sums(connection, "pricing_rollup", self.rows(account_id))

    def rows(self, account_id: int) -> Iterator[dict[str, Any]]:
        """Yield the rows that `save` would write to an empty table, in key order."""
        days: tuple[Counter[PricingFigure], Counter[PricingFigure]] = (Counter(), Counter())
        for sums, daily in zip((self._n, self._billable), days, strict=True):
            for (bucket, *rest), count in sums.items():
                daily[bucket - bucket % DAY, *rest] += count  # type: ignore[index]
        for grain, (n, billable) in ((QUARTERS, (self._n, self._billable)), (DAYS, days)):
            keyed = (((grain, *figure), (n[figure], billable[figure])) for figure in sorted(n))
            yield from sum_rows("pricing_rollup", account_id, keyed)


# Pricing columns of a message, truncated as in the sums.
WORDS = (
    f"substr(COALESCE(category, ''), 1, {WORD_LIMIT}) AS category, "
    f"substr(COALESCE(pricing_type, ''), 1, {WORD_LIMIT}) AS type"
)
_PRICING_RECOUNTED = " UNION ALL ".join(
    f"""
    SELECT {grain} AS grain, created_at - created_at % {length} AS bucket, channel_id, author,
      {WORDS}, COUNT(*) AS n, CAST(SUM(COALESCE(billable, 0)) AS BIGINT) AS billable
    FROM message WHERE account_id = :account AND priced_at IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6
    """
    for grain, length in ((QUARTERS, QUARTER), (DAYS, DAY))
)


def _figure(channel_id: int, row: Mapping[str, Any]) -> PricingFigure:
    moment = row["created_at"]
    category, type_ = row["category"] or "", row["pricing_type"] or ""
    bucket = moment - moment % QUARTER
    return bucket, channel_id, row["author"], category[:WORD_LIMIT], type_[:WORD_LIMIT]


WEEK = 7 * DAY
# Messages that persons wrote.
WRITTEN = "written"

_YEARS = 20 * 365 * DAY
# Shortest duration of each step from the second on, in milliseconds; steps count from 1.
BOUNDS = tuple(
    takewhile(lambda bound: bound < _YEARS, accumulate(repeat(1000), lambda at, _: at * 11 // 10))
)

# (user_id, channel_id, start of the day, conversation_id)
MessageFigure = tuple[int, int, int, int]


class PartRollups:
    """Changes to an account's roll-ups of parts, collected in memory and written together."""

    def __init__(self) -> None:
        self._messages: Counter[MessageFigure] = Counter()
        # By (start of the day, user_id, channel_id, name): n, samples and total.
        self._users: dict[tuple[int, int, int, str], list[int]] = {}
        # By (start of the day, channel_id, name, step), and of the week with a user_id.
        self._durations: Counter[tuple[int, int, str, int]] = Counter()
        self._user_durations: Counter[tuple[int, int, int, str, int]] = Counter()

    def add_messages(self, figures: Iterable[MessageFigure], by: int) -> None:
        """Count messages that persons wrote; `by=-1` discounts them."""
        for figure in figures:
            self._messages[figure] += by
            user_id, channel_id, day, _ = figure
            self._add_of_user((day, user_id, channel_id, WRITTEN), (by, 0, 0))

    def add_metric(self, row: Mapping[str, Any], by: int) -> None:
        """Add a row of `metric_event`; `by=-1` removes it."""
        name, channel_id, user_id = row["name"], row["channel_id"], row["user_id"]
        ended_at, started_at = row["ended_at"], row["started_at"]
        if name not in SUMMED_BY_USER:
            return
        day, week = ended_at - ended_at % DAY, ended_at - ended_at % WEEK
        duration = None if started_at is None else ended_at - started_at
        sums = (by, 0, 0) if duration is None else (by, by, by * duration)
        self._add_of_user((day, user_id, channel_id, name), sums)
        if duration is not None and name in TIMED:
            step = step_of(duration)
            self._durations[day, channel_id, name, step] += by
            self._user_durations[week, channel_id, user_id, name, step] += by

    def _add_of_user(self, figure: tuple[int, int, int, str], changes: _Sums) -> None:
        sums = self._users.setdefault(figure, [0, 0, 0])
        for place, change in enumerate(changes):
            sums[place] += change

    def rows(self, account_id: int) -> Iterator[tuple[str, Iterator[Mapping[str, Any]]]]:
        """Yield each kind of rows with its changes, in key order."""
        numbers: Mapping[str, Counter[Any]] = {
            "conversation_rollup": self._messages,
            "duration_rollup": self._durations,
            "user_duration_rollup": self._user_durations,
        }
        for kind, counter in numbers.items():
            keyed = ((figure, (n,)) for figure, n in sorted(counter.items()))
            yield kind, sum_rows(kind, account_id, keyed)
        yield "user_rollup", sum_rows("user_rollup", account_id, sorted(self._users.items()))


class LabelFact(NamedTuple):
    """Message, metric event or beginning of a conversation."""

    name: str
    at: int
    channel_id: int
    duration: int | None = None


class LabelRollups:
    """Changes to an account's roll-ups by label, collected in memory and written together."""

    def __init__(self) -> None:
        # By (name, label_id, start of the day, channel_id).
        self._sums: dict[tuple[str, int, int, int], list[int]] = {}

    def add(self, label_ids: Iterable[int], facts: Iterable[LabelFact], by: int = 1) -> None:
        """Add facts to each label; `by=-1` removes them."""
        labels = tuple(label_ids)
        for fact in facts if labels else ():
            for label_id in labels:
                day = fact.at - fact.at % DAY
                sums = self._sums.setdefault((fact.name, label_id, day, fact.channel_id), [0, 0, 0])
                sums[0] += by
                if fact.duration is not None:
                    sums[1] += by
                    sums[2] += by * fact.duration

    def save(self, connection: Connection, account_id: int) -> None:
        rows = sum_rows("label_rollup", account_id, self._sums.items())
        writes.add_sums(connection, "label_rollup", rows)


def label_facts(
    connection: Connection, account_id: int, conversation_id: int
) -> Iterator[LabelFact]:
    """Yield all that a conversation adds to its labels."""
    rows = connection.rows(
        facts_of_labels("{conversation} = :conversation"),
        {"account": account_id, "conversation": conversation_id},
    )
    return (LabelFact(*(row[name] for name in LabelFact._fields)) for row in rows)


def facts_of_labels(condition: str) -> str:
    """Return a SELECT of (conversation_id and the fields of LabelFact).

    condition: names {time} and {conversation}.
    """
    return " UNION ALL ".join(
        f"""
        SELECT fact.account_id, {conversation} AS conversation_id, {name} AS name, {time} AS at,
          fact.channel_id, {duration} AS duration
        FROM {table} AS fact WHERE fact.account_id = :account AND {chosen}
          AND {condition.format(time=time, conversation=conversation)}
        """
        for table, conversation, name, time, duration, chosen in _FACTS_OF_LABELS
    )


def step_of(duration: int) -> int:
    return bisect_right(BOUNDS, duration) + 1


def limits_of(step: int) -> tuple[int, int]:
    """Return the shortest and the longest duration of a step from 1 on, in milliseconds."""
    longest = BOUNDS[step - 1] - 1 if step <= len(BOUNDS) else BOUNDS[-1]
    return (0 if step == 1 else BOUNDS[step - 2]), longest


def recount_parts(connection: Connection, account_id: int, conversation_ids: Iterable[int]) -> None:
    """Count the messages of conversations again, after messages moved between these."""
    columns = _columns("conversation_rollup")
    for conversation_id in conversation_ids:
        place = {"account": account_id, "conversation": conversation_id}
        connection.run(
            "DELETE FROM conversation_rollup"
            " WHERE account_id = :account AND conversation_id = :conversation",
            place,
        )
        connection.run(
            f"INSERT INTO conversation_rollup({columns}) {_MESSAGES_RECOUNTED}"
            f" AND fact.conversation_id = :conversation {_BY_MESSAGE}",
            place,
        )


def fill_parts(connection: Connection, account_id: int, *tables: str) -> None:
    """Count everything into empty tables."""
    for table in tables:
        into = f"{table}({_columns(table)})"
        connection.run(f"INSERT INTO {into} {_PARTS_RECOUNTED[table]}", {"account": account_id})


def rollup_differences(connection: Connection, account_id: int) -> Iterator[tuple[str, Row]]:
    """Yield table and row of the roll-ups that differ from a recount.

    The row has side, "stored" or "counted", and all columns but the account.
    """
    for table, counted in _RECOUNTED.items():
        columns = ", ".join(table_of(table).columns[1:])
        rows = connection.rows(
            f"""
            WITH counted AS ({counted}),
              stored AS (SELECT {columns} FROM {table} WHERE account_id = :account)
            SELECT 'stored' AS side, surplus.*
            FROM (SELECT * FROM stored EXCEPT SELECT {columns} FROM counted) AS surplus
            UNION ALL
            SELECT 'counted' AS side, missing.*
            FROM (SELECT {columns} FROM counted EXCEPT SELECT * FROM stored) AS missing
            ORDER BY side DESC, {columns}
            """,
            {"account": account_id},
        )
        yield from ((table, row) for row in rows)


def _columns(table: str) -> str:
    return ", ".join(table_of(table).columns)


# Archives may name authors by something else than an id.
WRITER = """CAST(COALESCE(CASE WHEN fact.author = 'user' AND LENGTH(fact.author_id) BETWEEN 1 AND 18
    AND TRIM(fact.author_id, '0123456789') = '' THEN CAST(fact.author_id AS BIGINT) END, 0)
    AS BIGINT)"""
BY_PERSON = "fact.direction = 1 AND fact.author IN ('user', 'phone')"
_STEP = f"""CASE {
    " ".join(
        f"WHEN fact.ended_at - fact.started_at < {bound} THEN {step}"
        for step, bound in enumerate(BOUNDS, start=1)
    )
}
    ELSE {len(BOUNDS) + 1} END"""
_BY_MESSAGE = "GROUP BY 1, 2, 3, 4, 5"
_MESSAGES_RECOUNTED = f"""
    SELECT fact.account_id, {WRITER} AS user_id, fact.channel_id,
      fact.created_at - fact.created_at % {DAY} AS bucket, fact.conversation_id, COUNT(*) AS n
    FROM message AS fact
    WHERE fact.account_id = :account AND fact.type NOT IN {UNCOUNTED_TYPES} AND {BY_PERSON}
"""
_USERS_RECOUNTED = f"""
    SELECT fact.account_id, fact.created_at - fact.created_at % {DAY} AS bucket,
      {WRITER} AS user_id, fact.channel_id, '{WRITTEN}' AS name, COUNT(*) AS n, 0 AS samples,
      CAST(0 AS BIGINT) AS total
    FROM message AS fact
    WHERE fact.account_id = :account AND fact.type NOT IN {UNCOUNTED_TYPES} AND {BY_PERSON}
    GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT fact.account_id, fact.ended_at - fact.ended_at % {DAY}, fact.user_id, fact.channel_id,
      fact.name, COUNT(*), COUNT(fact.started_at),
      CAST(COALESCE(SUM(fact.ended_at - fact.started_at), 0) AS BIGINT)
    FROM metric_event AS fact
    WHERE fact.account_id = :account AND fact.name IN {SUMMED_BY_USER}
    GROUP BY 1, 2, 3, 4, 5
"""


def _durations_recounted(length: int, key: str) -> str:
    return f"""
        SELECT fact.account_id, fact.ended_at - fact.ended_at % {length} AS bucket, {key},
          {_STEP} AS step, COUNT(*) AS n
        FROM metric_event AS fact
        WHERE fact.account_id = :account AND fact.name IN {TIMED} AND fact.started_at IS NOT NULL
        GROUP BY fact.account_id, bucket, {key}, step
    """


# Each a table, and its conversation, name, time, duration and condition.
_FACTS_OF_LABELS = (
    (
        "message",
        "fact.conversation_id",
        f"CASE WHEN fact.direction = 0 THEN '{INCOMING}' ELSE '{OUTGOING}' END",
        "fact.created_at",
        "CAST(NULL AS BIGINT)",
        f"fact.type NOT IN {UNCOUNTED_TYPES}",
    ),
    (
        "metric_event",
        "fact.conversation_id",
        "fact.name",
        "fact.ended_at",
        "fact.ended_at - fact.started_at",
        f"fact.name IN {SUMMED}",
    ),
    (
        "conversation",
        "fact.id",
        f"'{STARTED}'",
        "fact.created_at",
        "CAST(NULL AS BIGINT)",
        # The index of beginnings is by channel.
        "fact.channel_id IN (SELECT id FROM channel WHERE account_id = :account)",
    ),
)
LABEL_SUMS = """COUNT(*) AS n, COUNT(fact.duration) AS samples,
    CAST(COALESCE(SUM(fact.duration), 0) AS BIGINT) AS total"""
_LABELS_RECOUNTED = f"""
    SELECT fact.account_id, fact.name, labelled.label_id, fact.at - fact.at % {DAY} AS bucket,
      fact.channel_id, {LABEL_SUMS}
    FROM ({facts_of_labels("1 = 1")}) AS fact JOIN entry AS labelled
      ON labelled.account_id = fact.account_id AND labelled.label_id <> 0
        AND labelled.conversation_id = fact.conversation_id
    GROUP BY 1, 2, 3, 4, 5
"""
_PARTS_RECOUNTED = {
    "conversation_rollup": f"{_MESSAGES_RECOUNTED} {_BY_MESSAGE}",
    "user_rollup": _USERS_RECOUNTED,
    "duration_rollup": _durations_recounted(DAY, "fact.channel_id, fact.name"),
    "user_duration_rollup": _durations_recounted(WEEK, "fact.channel_id, fact.user_id, fact.name"),
    "label_rollup": _LABELS_RECOUNTED,
}
_RECOUNTED = {
    "rollup": (
        f"WITH quarter AS ({_QUARTERS_RECOUNTED})"
        f" SELECT * FROM quarter UNION ALL {_DAYS_OF_QUARTERS}"
    ),
    **_PARTS_RECOUNTED,
    "pricing_rollup": _PRICING_RECOUNTED,
}
