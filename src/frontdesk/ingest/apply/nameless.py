"""Deduplicates messages without a wamid by time and text, and matches them with later copies."""

from collections.abc import Iterable

from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.apply.matching import APART, EXPORT, MessageIndex, alike, was_changed
from frontdesk.ingest.apply.message_row import MessageRow
from frontdesk.ingest.apply.rules import QUIET_TYPES
from frontdesk.store import lookups
from frontdesk.store.database import Connection, Row

_Identity = tuple[int, int, str, str | None]


class _StoredMessages:
    """Messages of one conversation. identified: by the export's time."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.known: set[_Identity] = set()
        self.identified: dict[tuple[int, int], Row] = {}
        exported: list[MessageRow] = []
        for row in rows:
            if row["wamid"] is not None:
                self.identified[row["stamped_at"], row["direction"]] = row
                continue
            self.known.add(_identity(row))
            if row["source"] == EXPORT:
                exported.append({**row, "was": row, "was_at": row["created_at"]})
        self.exported = MessageIndex(exported)


class NamelessMessages:
    """Stored messages near the batch's times, in its conversations. Call `load` first."""

    def __init__(self, connection: Connection, account_id: int) -> None:
        self._connection = connection
        self._account_id = account_id
        self._span = (0, -1)
        self._threads: dict[int, _StoredMessages] = {}

    def load(self, times: Iterable[int]) -> None:
        """Set the period. times: of all messages and deliveries of the batch."""
        told = sorted(times)
        self._span = (told[0] - APART, told[-1] + APART) if told else (0, -1)

    def is_known(self, thread: BatchConversation, copy: MessageRow) -> bool:
        """Check if a message without a wamid is stored, or occurred earlier in this batch."""
        stored = self._of(thread)
        other = stored.identified.get((copy["created_at"], copy["direction"]))
        if _identity(copy) in stored.known:
            return True
        stored.known.add(_identity(copy))
        return other is not None and (was_changed(other) or alike(other, copy))

    def take(self, thread: BatchConversation, copy: MessageRow) -> MessageRow | None:
        """Find the exported message that a message with a wamid is a copy of."""
        if copy["source"] == EXPORT or copy["type"] in QUIET_TYPES:
            return None
        exported = self._of(thread).exported
        found = exported.take(copy) or exported.take_changed(copy)
        return None if found is None else dict(found)

    def take_sent(self, thread: BatchConversation, at: int) -> MessageRow | None:
        """Find any exported message that was sent at that time."""
        found = self._of(thread).exported.take_sent(at)
        return None if found is None else dict(found)

    def _of(self, thread: BatchConversation) -> _StoredMessages:
        if thread.id not in self._threads:
            rows: list[Row] = []
            if thread.stored is not None or thread.refold:
                rows = lookups.nameless_messages(
                    self._connection, self._account_id, thread.id, *self._span
                )
            self._threads[thread.id] = _StoredMessages(rows)
        return self._threads[thread.id]


def _identity(row: Row) -> _Identity:
    return row["created_at"], row["direction"], row["type"], row["text"]
