"""Finds or creates the conversations of a batch; merges and splits them with their contacts.

Their rows are built from the folded state; newly opened ones are assigned by round robin.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from frontdesk.ingest.apply import conversation_rules
from frontdesk.ingest.apply.contact_merging import PartMove
from frontdesk.ingest.apply.contacts import Contacts
from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import (
    INBOUND,
    QUIET_TYPES,
    ConversationState,
    InitialStatus,
    StateEvent,
)
from frontdesk.ingest.events import ConversationUpsert, Person
from frontdesk.store import lookups, rollups, writes
from frontdesk.store.conversations import preview_json, previewed_id
from frontdesk.store.database import Row
from frontdesk.store.rows import OPEN, RESOLVED, ConversationRow, MessageRow, NoteRow
from frontdesk.wire.values import STATUSES

# (conversation id, part id or None), as in the columns.
_Part = tuple[int, int | None]


class RewrittenMessage(NamedTuple):
    """Stored message that the batch changes; before: as it is stored."""

    row: MessageRow
    before: MessageRow


@dataclass(slots=True)
class BatchConversation:
    """Conversation in this batch. stored: its row before, None if it is new; labels: its label ids.

    first_at: earliest fact in this batch. refold: stored facts changed, so that all must be folded
    again. rewritten: changed stored messages by id. touched: readers see a difference. divided:
    some facts moved elsewhere, so that the stored row is void. unsummed: roll-ups by label lack it.
    active_at, assumed: as of a ConversationUpsert.
    """

    id: int
    contact_id: int
    channel_id: int
    first_at: int
    stored: ConversationRow | None = None
    labels: frozenset[int] = frozenset()
    messages: list[MessageRow] = field(default_factory=list)
    events: list[StateEvent] = field(default_factory=list)
    rewritten: dict[int, RewrittenMessage] = field(default_factory=dict)
    refold: bool = False
    touched: bool = False
    divided: bool = False
    missing_from_label_rollups: bool = False
    active_at: int = 0
    assumed: InitialStatus = "auto"

    @property
    def summed_labels(self) -> frozenset[int]:
        return frozenset() if self.missing_from_label_rollups else self.labels


class Conversations:
    """Conversations of a batch. `load` those of its contacts first."""

    def __init__(
        self, context: BatchContext, contacts: Contacts, label_rollups: rollups.LabelRollups
    ) -> None:
        self._context = context
        self._contacts = contacts
        self._label_rollups = label_rollups
        # Conversations merged into others.
        self.removed: list[BatchConversation] = []
        self._by_id: dict[int, BatchConversation] = {}
        self._by_pair: dict[tuple[int, int], BatchConversation] = {}
        # Moved parts: old to new (conversation, part); merged conversations: old to new id.
        self._moved_parts: dict[_Part, _Part] = {}
        self._merged_into: dict[int, int] = {}
        # Start of the facts received from other conversations, by conversation id.
        self._received: dict[int, int] = {}

    def load(self, contact_ids: Sequence[int]) -> None:
        stored = lookups.conversations_of(*self._context.account, contact_ids)
        self._add_stored(stored)

    def fold_again(self, conversation_ids: Collection[int]) -> None:
        """Load conversations, to be computed from all their facts."""
        self._add_stored(lookups.conversations(*self._context.account, conversation_ids))
        for conversation_id in conversation_ids:
            conversation = self._by_id[conversation_id]
            conversation.refold = conversation.touched = True

    def contact_ids(self, conversation_ids: Collection[int]) -> dict[int, int]:
        return lookups.contact_ids_of(*self._context.account, conversation_ids)

    def regroup(self, moves: Mapping[int, Sequence[PartMove]]) -> None:
        """Move conversations to the contacts that theirs were merged or split into."""
        for conversation in list(self._by_id.values()):
            present = [
                move
                for move in moves.get(conversation.contact_id, ())
                if move.began is None or conversation.channel_id in move.began
            ]
            if present:
                self._regroup(conversation, present)

    def current_place(self, row: MessageRow) -> tuple[int, int | None]:
        """Return the current conversation and part of a row that was read before a move."""
        before = row["conversation_id"], row["part"]
        conversation_id, part = self._moved_parts.get(before, before)
        return self._merged_into.get(conversation_id, conversation_id), part

    def touched(self) -> list[BatchConversation]:
        """Return changed conversations by id."""
        return sorted(
            (conversation for conversation in self._by_id.values() if conversation.touched),
            key=lambda conversation: conversation.id,
        )

    def changed_ids(self, contact_ids: Collection[int]) -> set[int]:
        """Return the ids of changed and removed conversations, and of those of changed contacts."""
        return {conversation.id for conversation in self.removed} | {
            conversation.id
            for conversation in self._by_id.values()
            if conversation.touched or conversation.contact_id in contact_ids
        }

    def get_or_create(self, channel_id: int, person: Person, at: int) -> BatchConversation:
        """Return the conversation of a channel and a person; creates it if unknown."""
        contact_id = self._contacts.contact_id(person, at)
        conversation = self._by_pair.get((contact_id, channel_id))
        if conversation is None:
            conversation = self._create(channel_id, contact_id, at)
            self._context.counts.add("conversations", "new")
        self.extend_back(conversation, self._contacts.part(person), at)
        return conversation

    def apply(self, event: ConversationUpsert, channel_id: int) -> None:
        """Apply what no other event says of a conversation."""
        conversation = self.get_or_create(channel_id, event.person, event.at)
        conversation.active_at = max(conversation.active_at, event.active_at)
        conversation.assumed = event.assumed or conversation.assumed
        stored = conversation.stored
        if (
            stored is None
            or event.at < stored["created_at"]
            or event.active_at > stored["last_activity_at"]
            or (
                event.assumed is not None
                and not stored["status_known"]
                and STATUSES[stored["status"]] != event.assumed
            )
        ):
            conversation.touched = self._context.counts.changed = True

    def _create(self, channel_id: int, contact_id: int, at: int) -> BatchConversation:
        id_ = self._context.ids.next("conversation")
        conversation = BatchConversation(id_, contact_id, channel_id, at)
        self._by_id[id_] = self._by_pair[contact_id, channel_id] = conversation
        return conversation

    def part(self, person: Person) -> int | None:
        """Return the part id for a person, as stored in a column `part`."""
        return self._contacts.part(person)

    def extend_back(self, conversation: BatchConversation, part: int | None, at: int) -> None:
        """Extend a conversation and a part back to `at`."""
        conversation.first_at = min(conversation.first_at, at)
        self._contacts.extend_back(part or conversation.contact_id, conversation.channel_id, at)

    def extend_back_for(self, row: MessageRow, at: int) -> None:
        """Extend a message's conversation back to `at`."""
        conversation = self.owner_of(row)
        if at < conversation.first_at:
            conversation.touched = self._context.counts.changed = True
        self.extend_back(conversation, row["part"], at)

    def owner_of(self, row: MessageRow | NoteRow) -> BatchConversation:
        conversation_id = row["conversation_id"]
        if conversation_id not in self._by_id:
            self._add_stored([lookups.conversation(*self._context.account, conversation_id)])
        return self._by_id[conversation_id]

    def _regroup(self, conversation: BatchConversation, moves: Sequence[PartMove]) -> None:
        """Move everything to the contact of its part; the conversation stays if any part does.

        Facts of the contact's own part have no part id, so they are moved first.
        """
        own, channel_id = conversation.contact_id, conversation.channel_id
        homes = {move.contact for move in moves}
        keeper = own if own in homes or conversation.id in self._received else min(homes)
        since = (
            conversation.first_at
            if conversation.stored is None
            else conversation.stored["created_at"]
        )
        staying = [self._received[conversation.id]] if conversation.id in self._received else []
        for move in sorted(moves, key=lambda move: (move.id != own, move.id)):
            at = since if move.began is None else move.began[channel_id]
            self._contacts.extend_back(move.part, channel_id, at)
            if move.contact == keeper:
                staying.append(at)
                self._move_part(conversation, conversation, move)
            else:
                self._move_part(conversation, self._receiver(channel_id, move.contact, at), move)
                conversation.divided = conversation.refold = conversation.touched = True
        conversation.first_at = min(staying)
        if keeper != own:
            into = self._move(conversation, keeper)
            if into is not conversation:
                self._merged_into[conversation.id] = into.id
                self._receive(into, conversation.first_at)

    def _move_part(
        self, conversation: BatchConversation, target: BatchConversation, move: PartMove
    ) -> None:
        before = conversation.id, None if move.id == conversation.contact_id else move.id
        after = target.id, None if move.part == move.contact else move.part
        if before != after:
            if conversation is not target:
                self._discount(conversation, target)
            writes.move_facts(*self._context.account, before, after)
            if conversation is not target:
                ids = conversation.id, target.id
                rollups.recount_parts(*self._context.account, ids)
            self._moved_parts[before] = after

    def _discount(self, *conversations: BatchConversation) -> None:
        """Remove conversations from the roll-ups by label before stored facts move between them."""
        for conversation in conversations:
            labels = conversation.summed_labels
            if labels:
                facts = rollups.label_facts(*self._context.account, conversation.id)
                self._label_rollups.add(labels, facts, -1)
            conversation.missing_from_label_rollups = True

    def _receiver(self, channel_id: int, contact_id: int, at: int) -> BatchConversation:
        """Find or create the conversation that receives facts from another."""
        conversation = self._by_pair.get((contact_id, channel_id))
        if conversation is None:
            conversation = self._create(channel_id, contact_id, at)
        conversation.refold = conversation.touched = True
        self._receive(conversation, at)
        return conversation

    def _receive(self, conversation: BatchConversation, at: int) -> None:
        conversation.first_at = min(conversation.first_at, at)
        self._received[conversation.id] = min(at, self._received.get(conversation.id, at))

    def _move(self, conversation: BatchConversation, contact_id: int) -> BatchConversation:
        """Move a conversation to a contact, merging it if the contact has one on that channel.

        Returns the resulting conversation.
        """
        del self._by_pair[conversation.contact_id, conversation.channel_id]
        other = self._by_pair.get((contact_id, conversation.channel_id))
        if other is None:
            writes.release_contact(*self._context.account, conversation.id)
            conversation.contact_id, conversation.touched = contact_id, True
            self._by_pair[contact_id, conversation.channel_id] = conversation
            return conversation
        self._discount(conversation, other)
        writes.merge_conversation(*self._context.account, conversation.id, other.id)
        rollups.recount_parts(*self._context.account, (conversation.id, other.id))
        self.removed.append(self._by_id.pop(conversation.id))
        other.first_at = min(other.first_at, conversation.first_at)
        other.touched = other.refold = True
        self._context.counts.add("conversations", "changed")
        return other

    def _add_stored(self, stored: Sequence[ConversationRow]) -> None:
        labels = lookups.labels_of(*self._context.account, [row["id"] for row in stored])
        for row in stored:
            conversation = BatchConversation(
                row["id"], row["contact_id"], row["channel_id"], row["created_at"]
            )
            conversation.stored, conversation.labels = row, frozenset(labels.get(row["id"], ()))
            self._by_id[conversation.id] = conversation
            self._by_pair[conversation.contact_id, conversation.channel_id] = conversation


def conversation_row(
    context: BatchContext,
    conversation: BatchConversation,
    state: ConversationState,
    choice: InitialStatus,
) -> ConversationRow:
    """Build a row of `conversation`.

    choice: status of conversations known only from back-fill.
    """
    stored = _unmoved_row(conversation)
    last_activity_at = _last_activity(conversation, state)
    if choice == "auto":
        choice = conversation.assumed
    status = conversation_rules.initial_status(state, choice, context.now, last_activity_at)
    hidden = state.status is None and status == RESOLVED
    return {
        "account_id": context.account_id,
        "id": conversation.id,
        "contact_id": conversation.contact_id,
        "channel_id": conversation.channel_id,
        "status": status,
        "assignee_id": state.assignee_id,
        "awaiting_human": int(state.awaiting_human),
        "snoozed_until": state.snoozed_until,
        "unread_count": state.unread_count,
        "read_marker": state.read_marker,
        "waiting_since": None if hidden else state.waiting_since,
        "first_reply_at": state.first_reply_at,
        "last_inbound_at": state.last_inbound_at,
        "last_activity_at": last_activity_at,
        "last_message_json": _preview(conversation, state),
        "folded_at": state.folded_at,
        "status_known": int(state.status is not None),
        "unanswered_since": state.waiting_since,
        "episode_at": state.episode_at,
        "handed_over_at": state.handed_over_at,
        "bot_spoke_at": state.bot_spoke_at,
        "phone_spoke_at": state.phone_spoke_at,
        "created_at": conversation.first_at
        if stored is None
        else min(stored["created_at"], conversation.first_at),
        "updated_at": context.now,
    }


def _unmoved_row(conversation: BatchConversation) -> ConversationRow | None:
    """Return the stored row unless some of its facts moved to another conversation."""
    return None if conversation.divided else conversation.stored


def _last_activity(conversation: BatchConversation, state: ConversationState) -> int:
    """Return the newest message's time; never decreases."""
    stored = _unmoved_row(conversation)
    times = [conversation.active_at, state.newest_at or 0]
    if stored is not None:
        times.append(int(stored["last_activity_at"]))
    return max(times) or conversation.first_at


def _preview(conversation: BatchConversation, state: ConversationState) -> str | None:
    """Return the newest message's preview; the stored one if no newer message was folded."""
    if state.last_message is not None:
        return preview_json(state.last_message)
    stored = _unmoved_row(conversation)
    if stored is None:
        return None
    preview: str | None = stored["last_message_json"]
    rewritten = conversation.rewritten.get(previewed_id(preview) or 0)
    return preview if rewritten is None else preview_json(rewritten.row)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Assignment to a user. at: epoch milliseconds; user_key: key of a `UserUpsert`.

    part: contact part of the message that opened the conversation.
    """

    user_key: str
    at: int
    external_id: str
    part: int | None


class RoundRobin:
    """Round-robin state of an account's teams while one batch is applied.

    Members are eligible if active and neither offline nor busy. The first team of the channel with
    eligible members assigns the one after its last assignee.
    """

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._members: dict[int, list[Row]] = {}
        self._last: dict[int, int] = {}

    def next_assignment(
        self, conversation: BatchConversation, state: ConversationState
    ) -> Assignment | None:
        """Return the assignment if a live inbound message has just opened the conversation."""
        if state.assignee_id or state.status != OPEN:
            return None
        if conversation.stored is not None and conversation.stored["status"] == OPEN:
            return None
        opening = max(filter(_opens, conversation.messages), key=_arrival, default=None)
        if opening is None:
            return None
        external_id = f"round-robin:{opening['wamid'] or opening['id']}"
        if lookups.event_ids(*self._context.account, (external_id,)):
            return None
        member = self._next(conversation.channel_id)
        if member is None:
            return None
        # Ordered after other events of the same moment, which preceded the decision.
        clash = any(event.at == state.folded_at for event in conversation.events)
        return Assignment(
            member["user_key"], state.folded_at + int(clash), external_id, opening["part"]
        )

    def save(self) -> None:
        """Store each team's last assignee."""
        writes.save_last_assigned(*self._context.account, self._last)

    def _next(self, channel_id: int) -> Row | None:
        members = self._eligible(channel_id)
        if not members:
            return None
        team_id = members[0]["team_id"]
        last = self._last.get(team_id, members[0]["last_assigned"])
        after = [member for member in members if member["user_id"] > last]
        chosen = (after or members)[0]
        self._last[team_id] = chosen["user_id"]
        return chosen

    def _eligible(self, channel_id: int) -> list[Row]:
        """Return the eligible members, by id, of the channel's team with the lowest id."""
        if channel_id not in self._members:
            rows = lookups.rotation(*self._context.account, channel_id)
            self._members[channel_id] = [
                row for row in rows if row["team_id"] == rows[0]["team_id"]
            ]
        return self._members[channel_id]


def _opens(message: MessageRow) -> bool:
    """Check for a live inbound message."""
    return bool(
        message["live"] and message["direction"] == INBOUND and message["type"] not in QUIET_TYPES
    )


def _arrival(message: MessageRow) -> tuple[int, str]:
    return message["created_at"], message["wamid"] or ""
