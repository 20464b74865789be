"""Report metrics of a batch: metric events, and deltas of roll-ups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.apply.rules import OUTBOUND, QUIET_TYPES, MetricEvent
from frontdesk.store import lookups, writes
from frontdesk.store.database import Row
from frontdesk.store.rollups import INCOMING, OUTGOING, QUARTER, Figure, PricingRollups, Rollups
from frontdesk.store.rows import MetricEventRow


class MetricDeltas:
    """Collects the deltas of a batch's conversations and writes them together."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._rollups = Rollups()
        self._pricing = PricingRollups()
        self._new: list[MetricEventRow] = []
        self._gone: list[MetricEventRow] = []

    def count(self, conversation: BatchConversation) -> None:
        """Count new messages, and replace the counts of changed ones."""
        channel_id, rewritten = conversation.channel_id, conversation.rewritten.values()
        self._rollups.add_messages(figures(channel_id, conversation.messages))
        self._pricing.add(channel_id, conversation.messages)
        if rewritten:
            before = [change.before for change in rewritten]
            after = [change.row for change in rewritten]
            self._rollups.discount_messages(figures(channel_id, before))
            self._rollups.add_messages(figures(channel_id, after))
            self._pricing.add(channel_id, before, -1)
            self._pricing.add(channel_id, after)

    def append(self, conversation: BatchConversation, metrics: Iterable[MetricEvent]) -> None:
        """Add metric events newer than all stored ones of the conversation."""
        for name, ended_at, started_at, user_id in metrics:
            row: MetricEventRow = {
                "account_id": self._context.account_id,
                "conversation_id": conversation.id,
                "id": self._context.ids.next("metric_event"),
                "channel_id": conversation.channel_id,
                "name": name,
                "ended_at": ended_at,
                "started_at": started_at,
                "user_id": user_id,
            }
            self._new.append(row)
            self._rollups.add_metric(row)

    def replace(self, conversation: BatchConversation, metrics: Sequence[MetricEvent]) -> None:
        """Replace the conversation's metric events; equal ones are kept."""
        missing = Counter(metrics)
        for row in lookups.metric_events_of(*self._context.account, conversation.id):
            metric = MetricEvent(row["name"], row["ended_at"], row["started_at"], row["user_id"])
            if missing[metric]:
                missing[metric] -= 1
            else:
                self._gone.append(row)
                self._rollups.add_metric(row, -1)
        self.append(conversation, missing.elements())

    def drain(self) -> list[MetricEventRow]:
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
        writes.drop(self._context.connection, "metric_event", self._gone)
        writes.add(self._context.connection, "metric_event", self._new)
        self._rollups.save(*self._context.account)
        self._pricing.save(*self._context.account)


def figures(channel_id: int, rows: Iterable[Row]) -> Iterator[Figure]:
    """Yield the roll-up key of each message."""
    for row in rows:
        if row["type"] not in QUIET_TYPES:
            moment = row["created_at"]
            name = OUTGOING if row["direction"] == OUTBOUND else INCOMING
            yield moment - moment % QUARTER, channel_id, name, row["author"]
