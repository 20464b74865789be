"""Report metrics of a batch: metric events, and deltas of roll-ups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import (
    HUMANS,
    OUTBOUND,
    MetricEvent,
    writer_of,
)
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.store import lookups, rollups, writes
from frontdesk.store.database import Row
from frontdesk.store.rollups import (
    DAY,
    INCOMING,
    OUTGOING,
    QUARTER,
    STARTED,
    SUMMED,
    UNCOUNTED,
    Figure,
    LabelFact,
    LabelRollups,
    MessageFigure,
    PartRollups,
    PricingRollups,
    Rollups,
)
from frontdesk.store.rows import MessageRow, MetricEventRow


class MetricDeltas:
    """Collects the deltas of a batch's conversations and writes them together."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self.rollups = Rollups()
        self.pricing = PricingRollups()
        self.parts = PartRollups()
        self.labels = LabelRollups()
        # Conversation ids, with the labels that roll-ups lack, and those that they have too many.
        self._relabelled: list[tuple[int, frozenset[int], frozenset[int]]] = []
        self._new: list[MetricEventRow] = []
        self._removed: list[MetricEventRow] = []

    def count(self, conversation: BatchConversation) -> None:
        """Count new messages, and replace the counts of changed ones."""
        rewritten = conversation.rewritten.values()
        self._add_messages(conversation, conversation.messages, 1)
        self._add_messages(conversation, [change.before for change in rewritten], -1)
        self._add_messages(conversation, [change.row for change in rewritten], 1)

    def _add_messages(
        self, conversation: BatchConversation, messages: Sequence[MessageRow], by: int
    ) -> None:
        channel_id = conversation.channel_id
        self.rollups.add_messages(figures(channel_id, messages), by)
        self.pricing.add(channel_id, messages, by)
        self.parts.add_messages(part_figures(conversation.id, channel_id, messages), by)
        self.labels.add(conversation.summed_labels, message_facts(channel_id, messages), by)

    def label(
        self, conversation: BatchConversation, created_at: int, label_ids: frozenset[int]
    ) -> None:
        """Count a conversation, whose row and labels these are, by its labels."""
        summed = conversation.summed_labels
        if conversation.stored is not None and conversation.stored["created_at"] != created_at:
            was = LabelFact(STARTED, conversation.stored["created_at"], conversation.channel_id)
            self.labels.add(summed, [was], -1)
            self.labels.add(summed, [was._replace(at=created_at)])
        if summed != label_ids:
            self._relabelled.append((conversation.id, label_ids - summed, summed - label_ids))

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
            self._add_metric(conversation, row, 1)

    def replace(self, conversation: BatchConversation, metrics: Sequence[MetricEvent]) -> None:
        """Replace the conversation's metric events; equal ones are kept."""
        missing = Counter(metrics)
        for row in lookups.metric_events_of(*self._context.account, conversation.id):
            metric = MetricEvent(row["name"], row["ended_at"], row["started_at"], row["user_id"])
            if missing[metric]:
                missing[metric] -= 1
            else:
                self._removed.append(row)
                self._add_metric(conversation, row, -1)
        self.append(conversation, missing.elements())

    def _add_metric(self, conversation: BatchConversation, row: MetricEventRow, by: int) -> None:
        self.rollups.add_metric(row, by)
        self.parts.add_metric(row, by)
        self.labels.add(conversation.summed_labels, metric_facts(row), by)

    def drain(self) -> list[MetricEventRow]:
        """Return new metric events and clear them, instead of saving."""
        rows, self._new = self._new, []
        return rows

    def save(self) -> None:
        """Write the changes; all other rows of the batch must have been written before."""
        writes.drop(self._context.connection, "metric_event", self._removed)
        writes.add(self._context.connection, "metric_event", self._new)
        self.rollups.save(*self._context.account)
        self.pricing.save(*self._context.account)
        for kind, rows in self.parts.rows(self._context.account_id):
            writes.add_sums(self._context.connection, kind, rows)
        for conversation_id, added, removed in self._relabelled:
            facts = list(rollups.label_facts(*self._context.account, conversation_id))
            self.labels.add(added, facts)
            self.labels.add(removed, facts, -1)
        self.labels.save(*self._context.account)


def figures(channel_id: int, rows: Iterable[Row]) -> Iterator[Figure]:
    """Yield the roll-up key of each message."""
    for row in rows:
        if row["type"] not in UNCOUNTED:
            moment = row["created_at"]
            name = OUTGOING if row["direction"] == OUTBOUND else INCOMING
            yield moment - moment % QUARTER, channel_id, name, row["author"]


def message_facts(channel_id: int, rows: Iterable[Row]) -> Iterator[LabelFact]:
    return (LabelFact(name, at, channel_id) for at, _, name, _ in figures(channel_id, rows))


def metric_facts(row: MetricEventRow) -> Iterator[LabelFact]:
    """Yield what a metric event adds to labels, if anything."""
    if row["name"] in SUMMED:
        started_at, ended_at = row["started_at"], row["ended_at"]
        duration = None if started_at is None else ended_at - started_at
        yield LabelFact(row["name"], ended_at, row["channel_id"], duration)


def part_figures(
    conversation_id: int, channel_id: int, rows: Iterable[Row]
) -> Iterator[MessageFigure]:
    """Yield the key of each message of a person in the roll-up by conversation."""
    for row in rows:
        by_person = row["direction"] == OUTBOUND and row["author"] in HUMANS
        if by_person and row["type"] not in UNCOUNTED:
            day = row["created_at"] - row["created_at"] % DAY
            yield writer_of(row), channel_id, day, conversation_id
