"""Deduplicates messages without a wamid by time and text, and matches them with later copies."""

from collections.abc import Iterable

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.apply.matching import APART, EXPORT, MessageIndex, alike, was_changed
from frontdesk.ingest.apply.rules import QUIET_TYPES
from frontdesk.store import lookups
from frontdesk.store.rows import MessageRow

_Identity = tuple[int, int, str, str | None]


class _StoredMessages:
    """Messages of one conversation. identified: by the export's time."""

    def __init__(self, rows: Iterable[MessageRow]) -> None:
        self.known: set[_Identity] = set()
        self.identified: dict[tuple[int, int], MessageRow] = {}
        exported: list[MessageRow] = []
        for row in rows:
            if row["wamid"] is not None:
                self.identified[row["stamped_at"] or row["created_at"], row["direction"]] = row
                continue
            self.known.add(_identity(row))
            if row["source"] == EXPORT:
                exported.append(row)
        self.exported = MessageIndex(exported)


class NamelessMessages:
    """Stored messages near the batch's times, in its conversations. Call `load` first."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._span = (0, -1)
        self._by_conversation: dict[int, _StoredMessages] = {}

    def load(self, times: Iterable[int]) -> None:
        """Set the period. times: of all messages and deliveries of the batch."""
        ordered = sorted(times)
        self._span = (ordered[0] - APART, ordered[-1] + APART) if ordered else (0, -1)

    def is_known(self, conversation: BatchConversation, copy: MessageRow) -> bool:
        """Check if a message without a wamid is stored, or occurred earlier in this batch."""
        stored = self._of(conversation)
        other = stored.identified.get((copy["created_at"], copy["direction"]))
        if _identity(copy) in stored.known:
            return True
        stored.known.add(_identity(copy))
        return other is not None and (was_changed(other) or alike(other, copy))

    def take(self, conversation: BatchConversation, copy: MessageRow) -> MessageRow | None:
        """Find the exported message that a message with a wamid is a copy of."""
        if copy["source"] == EXPORT or copy["type"] in QUIET_TYPES:
            return None
        exported = self._of(conversation).exported
        return exported.take(copy) or exported.take_changed(copy)

    def take_sent(self, conversation: BatchConversation, at: int) -> MessageRow | None:
        """Find any exported message that was sent at that time."""
        return self._of(conversation).exported.take_sent(at)

    def _of(self, conversation: BatchConversation) -> _StoredMessages:
        if conversation.id not in self._by_conversation:
            rows: list[MessageRow] = []
            if conversation.stored is not None or conversation.refold:
                rows = lookups.nameless_messages(
                    *self._context.account, conversation.id, *self._span
                )
            self._by_conversation[conversation.id] = _StoredMessages(rows)
        return self._by_conversation[conversation.id]


def _identity(row: MessageRow) -> _Identity:
    return row["created_at"], row["direction"], row["type"], row["text"]
