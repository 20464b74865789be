"""Report metrics of a batch: metric events, and deltas of roll-ups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.apply.rules import OUTBOUND, QUIET_TYPES, MetricEvent
from frontdesk.store import lookups, writes
from frontdesk.store.database import Connection, Row
from frontdesk.store.pricing import PricingRollups
from frontdesk.store.rollups import INCOMING, OUTGOING, QUARTER, Figure, Rollups
from frontdesk.store.writes import Ids


class MetricDeltas:
    """Collects the deltas of a batch's conversations and writes them together."""

    def __init__(self, connection: Connection, account_id: int, ids: Ids) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._rollups = Rollups()
        self._pricing = PricingRollups()
        self._new: list[dict[str, Any]] = []
        self._gone: list[Row] = []

    def count(self, thread: BatchConversation) -> None:
        """Count new messages, and replace the counts of changed ones."""
        channel_id, rewritten = thread.channel_id, thread.rewritten.values()
        self._rollups.add_messages(figures(channel_id, thread.messages))
        self._pricing.add(channel_id, thread.messages)
        if rewritten:
            before = [row["was"] for row in rewritten]
            self._rollups.take_messages(figures(channel_id, before))
            self._rollups.add_messages(figures(channel_id, rewritten))
            self._pricing.add(channel_id, before, -1)
            self._pricing.add(channel_id, rewritten)

    def append(self, thread: BatchConversation, measures: Iterable[MetricEvent]) -> None:
        """Add metric events newer than all stored ones of the conversation."""
        for name, ended_at, started_at in measures:
            row = {
                "account_id": self._account_id,
                "conversation_id": thread.id,
                "id": self._ids.next("metric_event"),
                "channel_id": thread.channel_id,
                "name": name,
                "ended_at": ended_at,
                "started_at": started_at,
            }
            self._new.append(row)
            self._rollups.add_measure(row)

    def replace(self, thread: BatchConversation, measures: Sequence[MetricEvent]) -> None:
        """Replace the conversation's metric events; equal ones are kept."""
        missing = Counter(measures)
        for row in lookups.metric_events_of(self._connection, self._account_id, thread.id):
            measure = MetricEvent(row["name"], row["ended_at"], row["started_at"])
            if missing[measure]:
                missing[measure] -= 1
            else:
                self._gone.append(row)
                self._rollups.add_measure(row, -1)
        self.append(thread, missing.elements())

    def taken(self) -> list[dict[str, Any]]:
        """Return new metric events and clear them, instead of saving."""
        rows, self._new = self._new, []
        return rows

    @property
    def rollups(self) -> Rollups:
        return self._rollups

    @property
    def pricing(self) -> PricingRollups:
        return self._pricing

    def save(self) -> None:
        writes.drop_metric_events(self._connection, self._gone)
        writes.add(self._connection, "metric_event", self._new)
        self._rollups.save(self._connection, self._account_id)
        self._pricing.save(self._connection, self._account_id)


def figures(channel_id: int, rows: Iterable[Row]) -> Iterator[Figure]:
    """Yield the roll-up key of each message."""
    for row in rows:
        if row["type"] not in QUIET_TYPES:
            moment = row["created_at"]
            name = OUTGOING if row["direction"] == OUTBOUND else INCOMING
            yield moment - moment % QUARTER, channel_id, name, row["author"]
