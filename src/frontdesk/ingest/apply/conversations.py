"""Finds or creates the conversations of a batch; merges and splits them with their contacts.

Builds conversation rows from folded state.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk.ingest.apply import rules
from frontdesk.ingest.apply.contact_merge import PartMove
from frontdesk.ingest.apply.contacts import Contacts
from frontdesk.ingest.apply.context import BatchCounts
from frontdesk.ingest.apply.message_row import MessageRow
from frontdesk.ingest.apply.rules import ConversationState, InitialStatus, StateEvent
from frontdesk.ingest.events import Person
from frontdesk.store import lookups, writes
from frontdesk.store.conversations import preview_json, previewed_id
from frontdesk.store.database import Connection, Row
from frontdesk.store.writes import Ids

# (conversation id, part id or None), as in the columns.
_Place = tuple[int, int | None]


@dataclass(slots=True)
class BatchConversation:
    """Conversation in this batch. stored: its row before, None if it is new; labels: its label ids.

    first_at: earliest fact in this batch. refold: stored facts changed, so that all must be folded
    again. rewritten: changed stored messages by id. touched: readers see a difference. divided:
    some facts moved elsewhere, so that the stored row is void.
    """

    id: int
    contact_id: int
    channel_id: int
    first_at: int
    stored: Row | None = None
    labels: frozenset[int] = frozenset()
    messages: list[MessageRow] = field(default_factory=list)
    happenings: list[StateEvent] = field(default_factory=list)
    rewritten: dict[int, MessageRow] = field(default_factory=dict)
    refold: bool = False
    touched: bool = False
    divided: bool = False


class Conversations:
    """Conversations of a batch. `load` those of its contacts first."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        ids: Ids,
        counted: BatchCounts,
        people: Contacts,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._counted = counted
        self._people = people
        # Conversations merged into others.
        self.gone: list[BatchConversation] = []
        self._threads: dict[int, BatchConversation] = {}
        self._by_pair: dict[tuple[int, int], BatchConversation] = {}
        # Moved parts: old to new (conversation, part); merged conversations: old to new id.
        self._handed: dict[_Place, _Place] = {}
        self._into: dict[int, int] = {}
        # Start of the facts received from other conversations, by conversation id.
        self._received: dict[int, int] = {}

    def load(self, contact_ids: Sequence[int]) -> None:
        stored = lookups.conversations_of(self._connection, self._account_id, contact_ids)
        self._keep(stored)

    def contact_ids(self, conversation_ids: Collection[int]) -> dict[int, int]:
        return lookups.contact_ids_of(self._connection, self._account_id, conversation_ids)

    def regroup(self, shares: Mapping[int, Sequence[PartMove]]) -> None:
        """Move conversations to the contacts that theirs were merged or split into."""
        for thread in list(self._threads.values()):
            present = [
                share
                for share in shares.get(thread.contact_id, ())
                if share.began is None or thread.channel_id in share.began
            ]
            if present:
                self._regroup(thread, present)

    def place(self, row: Row) -> tuple[int, int | None]:
        """Return the current conversation and part of a row that was read before a move."""
        before = row["conversation_id"], row["part"]
        conversation_id, part = self._handed.get(before, before)
        return self._into.get(conversation_id, conversation_id), part

    def touched(self) -> list[BatchConversation]:
        """Return changed conversations by id."""
        return sorted(
            (thread for thread in self._threads.values() if thread.touched),
            key=lambda thread: thread.id,
        )

    def of(self, channel_id: int, person: Person, at: int) -> BatchConversation:
        """Return the conversation of a channel and a person; creates it if unknown."""
        contact_id = self._people.contact_id(person, at)
        thread = self._by_pair.get((contact_id, channel_id))
        if thread is None:
            thread = BatchConversation(self._ids.next("conversation"), contact_id, channel_id, at)
            self._threads[thread.id] = self._by_pair[contact_id, channel_id] = thread
            self._counted.new("conversations")
        self.reach(thread, self._people.part(person), at)
        return thread

    def part(self, person: Person) -> int | None:
        """Return the part id for a person, as stored in a column `part`."""
        return self._people.part(person)

    def reach(self, thread: BatchConversation, part: int | None, at: int) -> None:
        """Extend a conversation and a part back to `at`."""
        thread.first_at = min(thread.first_at, at)
        self._people.reach(part or thread.contact_id, thread.channel_id, at)

    def began(self, row: Row, at: int) -> None:
        """Extend a message's conversation back to `at`."""
        thread = self.holding(row)
        if at < thread.first_at:
            thread.touched = self._counted.changed = True
        self.reach(thread, row["part"], at)

    def holding(self, row: Row) -> BatchConversation:
        """Return the conversation of a stored row."""
        conversation_id = row["conversation_id"]
        if conversation_id not in self._threads:
            self._keep([lookups.conversation(self._connection, self._account_id, conversation_id)])
        return self._threads[conversation_id]

    def _regroup(self, thread: BatchConversation, shares: Sequence[PartMove]) -> None:
        """Move everything to the contact of its part; the thread stays if any part does.

        Facts of the contact's own part have no part id, so they are moved first.
        """
        own, channel_id = thread.contact_id, thread.channel_id
        homes = {share.contact for share in shares}
        keeper = own if own in homes or thread.id in self._received else min(homes)
        since = thread.first_at if thread.stored is None else thread.stored["created_at"]
        staying = [self._received[thread.id]] if thread.id in self._received else []
        for share in sorted(shares, key=lambda share: (share.id != own, share.id)):
            at = since if share.began is None else share.began[channel_id]
            self._people.reach(share.part, channel_id, at)
            if share.contact == keeper:
                staying.append(at)
                self._hand_over(thread, thread, share)
            else:
                self._hand_over(thread, self._receiver(channel_id, share.contact, at), share)
                thread.divided = thread.refold = thread.touched = True
        thread.first_at = min(staying)
        if keeper != own:
            into = self._move(thread, keeper)
            if into is not thread:
                self._into[thread.id] = into.id
                self._receive(into, thread.first_at)

    def _hand_over(
        self, thread: BatchConversation, target: BatchConversation, share: PartMove
    ) -> None:
        before = thread.id, None if share.id == thread.contact_id else share.id
        after = target.id, None if share.part == share.contact else share.part
        if before != after:
            writes.move_facts(self._connection, self._account_id, before, after)
            self._handed[before] = after

    def _receiver(self, channel_id: int, contact_id: int, at: int) -> BatchConversation:
        """Find or create the conversation that receives facts from another."""
        thread = self._by_pair.get((contact_id, channel_id))
        if thread is None:
            thread = BatchConversation(self._ids.next("conversation"), contact_id, channel_id, at)
            self._threads[thread.id] = self._by_pair[contact_id, channel_id] = thread
        thread.refold = thread.touched = True
        self._receive(thread, at)
        return thread

    def _receive(self, thread: BatchConversation, at: int) -> None:
        thread.first_at = min(thread.first_at, at)
        self._received[thread.id] = min(at, self._received.get(thread.id, at))

    def _move(self, thread: BatchConversation, contact_id: int) -> BatchConversation:
        """Move a conversation to a contact, merging it if the contact has one on that channel.

        Returns the resulting conversation.
        """
        del self._by_pair[thread.contact_id, thread.channel_id]
        other = self._by_pair.get((contact_id, thread.channel_id))
        if other is None:
            writes.release_contact(self._connection, self._account_id, thread.id)
            thread.contact_id, thread.touched = contact_id, True
            self._by_pair[contact_id, thread.channel_id] = thread
            return thread
        writes.merge_conversation(self._connection, self._account_id, thread.id, other.id)
        self.gone.append(self._threads.pop(thread.id))
        other.first_at = min(other.first_at, thread.first_at)
        other.touched = other.refold = True
        self._counted.change("conversations")
        return other

    def _keep(self, stored: Sequence[Row]) -> None:
        labels = lookups.labels_of(
            self._connection, self._account_id, [row["id"] for row in stored]
        )
        for row in stored:
            thread = BatchConversation(
                row["id"], row["contact_id"], row["channel_id"], row["created_at"]
            )
            thread.stored, thread.labels = row, frozenset(labels.get(row["id"], ()))
            self._threads[thread.id] = thread
            self._by_pair[thread.contact_id, thread.channel_id] = thread


def conversation_row(
    account_id: int,
    thread: BatchConversation,
    standing: ConversationState,
    choice: InitialStatus,
    now: int,
) -> dict[str, Any]:
    """Build a row of `conversation`.

    now: time of the change. choice: status of conversations known only from back-fill.
    """
    stored = _still_told(thread)
    last_activity_at = _last_activity(thread, standing)
    status = rules.initial_status(standing, choice, now, last_activity_at)
    hidden = standing.status is None and status == rules.RESOLVED
    return {
        "account_id": account_id,
        "id": thread.id,
        "contact_id": thread.contact_id,
        "channel_id": thread.channel_id,
        "status": status,
        "assignee_id": standing.assignee_id,
        "awaiting_human": int(standing.awaiting_human),
        "snoozed_until": standing.snoozed_until,
        "unread_count": standing.unread_count,
        "read_marker": standing.read_marker,
        "waiting_since": None if hidden else standing.waiting_since,
        "first_reply_at": standing.first_reply_at,
        "last_inbound_at": standing.last_inbound_at,
        "last_activity_at": last_activity_at,
        "last_message_json": _preview(thread, standing),
        "folded_at": standing.folded_at,
        "told": int(standing.status is not None),
        "unanswered_since": standing.waiting_since,
        "episode_at": standing.episode_at,
        "handed_over_at": standing.handed_over_at,
        "bot_spoke_at": standing.bot_spoke_at,
        "created_at": thread.first_at
        if stored is None
        else min(stored["created_at"], thread.first_at),
        "updated_at": now,
    }


def _still_told(thread: BatchConversation) -> Row | None:
    """Return the stored row unless some of its facts moved to another conversation."""
    return None if thread.divided else thread.stored


def _last_activity(thread: BatchConversation, standing: ConversationState) -> int:
    """Return the newest message's time; never decreases."""
    newest_at = standing.newest_at
    stored = _still_told(thread)
    if stored is None:
        return thread.first_at if newest_at is None else newest_at
    before = int(stored["last_activity_at"])
    return before if newest_at is None else max(before, newest_at)


def _preview(thread: BatchConversation, standing: ConversationState) -> str | None:
    """Return the newest message's preview; the stored one if no newer message was folded."""
    if standing.last_message is not None:
        return preview_json(standing.last_message)
    stored = _still_told(thread)
    if stored is None:
        return None
    preview: str | None = stored["last_message_json"]
    rewritten = thread.rewritten.get(previewed_id(preview) or 0)
    return preview if rewritten is None else preview_json(rewritten)
