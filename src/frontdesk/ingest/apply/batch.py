"""Applies batches of domain events to the store, idempotently and in any order."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar

from frontdesk.ingest import admission
from frontdesk.ingest.apply import conversation_rules
from frontdesk.ingest.apply.annotations import Annotations
from frontdesk.ingest.apply.bounds import bounded
from frontdesk.ingest.apply.catalogue import CATALOGUE_EVENTS, Catalogue, apply_number_facts
from frontdesk.ingest.apply.contacts import Contacts, Copies, Sighting
from frontdesk.ingest.apply.context import ApplyResult, BatchContext, PendingUpdates, Tally
from frontdesk.ingest.apply.conversation_rules import ConversationState, InitialStatus
from frontdesk.ingest.apply.conversations import (
    BatchConversation,
    Conversations,
    RoundRobin,
    conversation_row,
)
from frontdesk.ingest.apply.messages import Messages
from frontdesk.ingest.apply.metrics import MetricDeltas
from frontdesk.ingest.events import (
    ChannelUpsert,
    ContactMention,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    ConversationUpsert,
    DomainEvent,
    IdentityChange,
    MessageEdit,
    MessageRead,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    NumberUpdate,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.store import counters, lookups, raw_events, writes
from frontdesk.store.changes import NAMES
from frontdesk.store.conversations import due_snoozes
from frontdesk.store.counters import LabelledConversation
from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import ConversationRow
from frontdesk.store.writes import Ids

# A mention of a stored contact must not move its creation time back.
_LATEST = 1 << 62
# Number of expired snoozes that are ended at once.
_SNOOZES_BATCH = 500

Kind = TypeVar("Kind")
Kinds = Mapping[type, Sequence[Any]]

_ABOUT_A_MESSAGE = (ReactionSet, MessageEdit, MessageRevoke, MessageRead)


def by_kind(events: Iterable[DomainEvent]) -> Kinds:
    """Group events by type, keeping their order."""
    kinds: dict[type, list[Any]] = {}
    for event in events:
        kinds.setdefault(type(event), []).append(event)
    return kinds


class Batch:
    """Applies the events of one transaction.

    catalogue: that of an earlier batch of the same context, if there is one.
    """

    def __init__(
        self, context: BatchContext, catalogue: Catalogue | None = None, *, live: bool = False
    ) -> None:
        self._context = context
        self._live = live
        self._pending = PendingUpdates(context)
        self._assignments = RoundRobin(context)
        self.catalogue = catalogue or Catalogue(context)
        self.metrics = MetricDeltas(context)
        self.contacts = Contacts(context)
        self.conversations = Conversations(context, self.contacts, self.metrics.labels)
        self.messages = Messages(
            context, self.catalogue, self.contacts, self.conversations, self._pending
        )
        self.annotations = Annotations(context, self.catalogue, self.conversations, self.messages)

    def run(self, events: Iterable[DomainEvent], initial_status: InitialStatus) -> None:
        """Apply the events and save all rows that changed."""
        self.load_and_apply(events)
        self._save(initial_status)

    def load_and_apply(self, events: Iterable[DomainEvent]) -> None:
        """Apply the events to rows in memory. The order matters: each step needs the one before."""
        kinds = by_kind(events)
        self._apply_catalogue(kinds)
        contact_ids, copies = self._load(kinds)
        self._settle(kinds, contact_ids, copies)
        self._apply(kinds)

    def merge_contacts(self, phones: Iterable[str], initial_status: InitialStatus) -> None:
        """Merge the stored contacts that are one person's; each number is that of one of them."""
        persons = [Person(phone) for phone in phones]
        contact_ids = self.contacts.load(persons)
        self.contacts.settle(((person, _LATEST, 0) for person in persons), (), ())
        self.conversations.load(contact_ids)
        self.conversations.regroup(self.contacts.moves())
        self._save(initial_status)

    def fill_templates(self, names: Iterable[str], initial_status: InitialStatus) -> None:
        """Give stored messages the text of the stored templates of these names."""
        self.messages.fill_templates(names)
        self._save(initial_status)

    def fold_again(self, conversation_ids: Collection[int], initial_status: InitialStatus) -> None:
        """Compute stored conversations from all their facts."""
        self.conversations.fold_again(conversation_ids)
        self._context.counts.changed = True
        self._save(initial_status)

    def _load(self, kinds: Kinds) -> tuple[list[int], list[Copies]]:
        """Read all rows that the batch refers to.

        Returns the ids of its stored contacts, and the persons that copies of one message name.
        """
        times = (message.at for message in kinds.get(MessageUpsert, ()))
        self.messages.load(_wamids(kinds), times)
        copies = [*self._copies(kinds)]
        persons = chain(
            (person for person, _, _ in self._sightings(kinds)),
            *(persons for persons, _ in copies),
            (
                Person.named(name)
                for mention in kinds.get(ContactMention, ())
                for name in mention.former_names
            ),
        )
        stored = {ids[0] for _, ids in copies if ids is not None}
        self.annotations.load_reactions(kinds.get(ReactionSet, ()))
        self.annotations.load_notes(kinds.get(NoteUpsert, ()))
        self.annotations.load_events(kinds.get(ConversationEvent, ()))
        return self.contacts.load(persons, stored), copies

    def _settle(self, kinds: Kinds, contact_ids: Sequence[int], copies: Iterable[Copies]) -> None:
        """Resolve persons to contacts, and move conversations to the contacts that result."""
        moves, mentions = kinds.get(IdentityChange, ()), kinds.get(ContactMention, ())
        self.contacts.settle(self._sightings(kinds), copies, moves, mentions)
        self.conversations.load(contact_ids)
        self.conversations.regroup(self.contacts.moves())
        self.messages.update_places()

    def _apply(self, kinds: Kinds) -> None:
        """Apply events: messages by time, so that ids have this order, then what refers to them.

        Those of one time keep the order in which they come.
        """
        messages = sorted(kinds.get(MessageUpsert, ()), key=attrgetter("at"))
        _each(self.contacts.apply, kinds.get(ContactUpsert, ()))
        _each(self.contacts.remove, kinds.get(ContactRemove, ()))
        for mention in kinds.get(ContactMention, ()):
            if mention.active_at is not None:
                self.contacts.record_activity(mention.person, mention.active_at)
        _each(self.messages.apply_message, messages)
        self.messages.fill_templates(self.catalogue.new_templates)
        _each(self.messages.apply_status, kinds.get(StatusUpdate, ()))
        _each(self.messages.apply_amendment, kinds.get(MessageEdit, ()))
        _each(self.messages.apply_amendment, kinds.get(MessageRevoke, ()))
        _each(self.annotations.apply_reaction, kinds.get(ReactionSet, ()))
        _each(self.annotations.apply_note, kinds.get(NoteUpsert, ()))
        _each(self.annotations.apply_event, kinds.get(ConversationEvent, ()))
        _each(self.annotations.apply_read, kinds.get(MessageRead, ()))
        for conversation in kinds.get(ConversationUpsert, ()):
            channel_id = self.catalogue.channel_id(conversation.channel, conversation.at)
            self.conversations.apply(conversation, channel_id)
        self.annotations.apply_parked_reads()

    def _apply_catalogue(self, kinds: Kinds) -> None:
        upserts = kinds.get(ChannelUpsert, ())
        for upsert in _outermost(upserts):
            self.catalogue.apply_channel(upsert)
        updates = kinds.get(NumberUpdate, ())
        apply_number_facts(self.catalogue, self._pending, updates, upserts)
        for kind in CATALOGUE_EVENTS:
            _each(self.catalogue.apply, kinds.get(kind, ()))

    def _save(self, initial_status: InitialStatus) -> None:
        connection, account_id = self._context.account
        # Conversations may be folded from all stored facts, those of this batch included.
        self.messages.save()
        self.annotations.save()
        self.catalogue.save()
        self._save_conversations(initial_status)
        # The fold may have added events, and users and labels that these name.
        self.annotations.save()
        self.metrics.save()
        changed = self.conversations.changed_ids(self.contacts.changed_ids)
        self.contacts.save()
        self._pending.save()
        self.catalogue.save()
        self._context.ids.save()
        # Skipped webhooks of new channels can be applied now.
        kinds = map(admission.kind_of, self.catalogue.new_numbers)
        raw_events.wait_for(connection, account_id, kinds)
        if self._context.counts.changed:
            tallies = self._context.counts.result()
            if any(tally.new or tally.changed for tally in (tallies.channels, tallies.catalogue)):
                changed.add(NAMES)
            writes.bump_revision(connection, account_id, changed)

    def _save_conversations(self, initial_status: InitialStatus) -> None:
        """Fold the touched conversations and write their rows, filter entries and counters."""
        connection, account_id = self._context.account
        rows: list[ConversationRow] = []
        moves: list[tuple[LabelledConversation | None, LabelledConversation | None]] = [
            (_labelled(conversation), None) for conversation in self.conversations.removed
        ]
        for conversation in self.conversations.touched():
            self.metrics.count(conversation)
            state = self._fold(conversation)
            if self._live:
                state = self._assign(conversation, state)
            row = conversation_row(self._context, conversation, state, initial_status)
            rows.append(row)
            self.metrics.label(conversation, row["created_at"], state.labels)
            moves.append((_labelled(conversation), LabelledConversation(row, state.labels)))
        self._assignments.save()
        writes.save(connection, "conversation", rows)
        counters.move(connection, account_id, moves)

    def _assign(
        self, conversation: BatchConversation, state: ConversationState
    ) -> ConversationState:
        """Assign a newly opened conversation to the next team member in turn, if there is one."""
        assignment = self._assignments.next_assignment(conversation, state)
        if assignment is None:
            return state
        event = self.annotations.add_event(
            conversation,
            assignment.at,
            "assigned",
            {"user": assignment.user_key},
            assignment.external_id,
            assignment.part,
        )
        return conversation_rules.fold(state, (), (event,))

    def _fold(self, conversation: BatchConversation) -> ConversationState:
        """Fold new facts onto the stored state, or all facts again if they are out of order."""
        stored = conversation.stored
        before = ConversationState() if stored is None else _state_of(stored, conversation.labels)
        if not conversation.refold and (
            stored is None
            or conversation_rules.continues(
                before,
                conversation.messages,
                conversation.events,
                in_last_moment=self._ends_with_questions(conversation, before),
            )
        ):
            state = conversation_rules.fold(before, conversation.messages, conversation.events)
            self.metrics.append(conversation, state.metrics)
            return state
        messages = lookups.messages_of(*self._context.account, conversation.id)
        events = lookups.events_of(*self._context.account, conversation.id)
        state_events = map(self.annotations.state_event, events)
        state = conversation_rules.fold(ConversationState(), messages, state_events)
        self.metrics.replace(conversation, state.metrics)
        return state

    def _ends_with_questions(
        self, conversation: BatchConversation, before: ConversationState
    ) -> bool:
        """Check if new messages are of the time of the newest ones, which are questions alone."""
        at = before.folded_at
        return (
            any(message["created_at"] == at for message in conversation.messages)
            and conversation_rules.ends_with_questions(before)
            and not lookups.any_answer_at(*self._context.account, conversation.id, at)
        )

    def _sightings(self, kinds: Kinds) -> Iterator[Sighting]:
        """Yield the persons named by the batch, with times."""
        for event in kinds.get(MessageUpsert, ()):
            is_sighting = event.is_sighting and not event.outbound
            yield event.person, event.at, event.at if is_sighting else 0
        for event in chain(kinds.get(ContactUpsert, ()), kinds.get(ContactRemove, ())):
            yield event.person, event.at, event.at if event.is_sighting else 0
        for aside in (NoteUpsert, ConversationEvent, ConversationUpsert):
            yield from ((event.person, event.at, 0) for event in kinds.get(aside, ()))
        for move in kinds.get(IdentityChange, ()):
            yield move.old, move.at, 0
            yield move.new, move.at, 0
        for mention in kinds.get(ContactMention, ()):
            yield from _times_of(mention)
        stored = self.messages.stored
        for status in kinds.get(StatusUpdate, ()):
            if status.person is not None and not stored(status.channel, status.wamid):
                yield status.person, status.at, 0

    def _copies(self, kinds: Kinds) -> Iterator[Copies]:
        """Yield messages whose person is given in several ways, or differently than stored."""
        persons: dict[tuple[str, str], dict[Person, int]] = {}
        for event in chain(kinds.get(MessageUpsert, ()), kinds.get(StatusUpdate, ())):
            if event.wamid is not None and event.person is not None:
                named = persons.setdefault((event.channel, event.wamid), {})
                named[event.person] = min(event.at, named.get(event.person, event.at))
        stored = {
            place: row for place in persons if (row := self.messages.stored(*place)) is not None
        }
        contact_ids = self.conversations.contact_ids(
            {row["conversation_id"] for row in stored.values()}
        )
        for place, named in persons.items():
            if place in stored:
                contact_id = contact_ids[stored[place]["conversation_id"]]
                yield named, (contact_id, stored[place]["part"] or contact_id)
            elif len(named) > 1:
                yield named, None


def _times_of(mention: ContactMention) -> Iterator[Sighting]:
    """Yield a contact as it is now, and the latest times of its number and its user id."""
    person, at = mention.person, mention.at
    yield person, at, 0
    if person.phone is not None:
        yield Person(person.phone, person.wa_id), max(at, mention.phone_at), mention.phone_at
    if person.wa_user_id is not None:
        yield Person(wa_user_id=person.wa_user_id), max(at, mention.user_at), mention.user_at


def _wamids(kinds: Kinds) -> Iterator[tuple[str, str, int]]:
    """Yield (channel, wamid, time) of messages that the batch refers to."""
    for message in kinds.get(MessageUpsert, ()):
        if message.wamid is not None:
            yield message.channel, message.wamid, message.at
    for status in kinds.get(StatusUpdate, ()):
        yield status.channel, status.wamid, status.at
    for kind in _ABOUT_A_MESSAGE:
        for event in kinds.get(kind, ()):
            yield event.channel, event.target_wamid, event.at


def _each(apply: Callable[[Kind], None], events: Iterable[Kind]) -> None:
    for event in events:
        apply(event)


__all__ = ["ApplyResult", "InitialStatus", "Tally", "apply_events"]


def apply_events(
    connection: Connection,
    account_id: int,
    events: Sequence[DomainEvent],
    *,
    now: int,
    initial_status: InitialStatus = "auto",
    live: bool = False,
    placeholders: bool = True,
) -> ApplyResult:
    """Apply `events` to an account, inside one write transaction.

    Events may come in any order and more than once. The account's revision is incremented only if
    something changed. now: time of the change, epoch milliseconds. initial_status: status of
    conversations known only from back-fill; "auto" decides by their age at `now`. live: assign
    newly opened conversations by the round robin of their channel's teams, recorded as an event.
    placeholders: create placeholder rows for messages of which only delivery steps are known.
    """
    bound = [bounded(event) for event in events]
    if not placeholders:
        bound = [_without_person(event) for event in bound]
    context = BatchContext(connection, account_id, now, Ids(connection, account_id))
    Batch(context, live=live).run(bound, initial_status)
    return context.counts.result()


def merge_contacts(
    connection: Connection, account_id: int, phones: Sequence[str], *, now: int
) -> ApplyResult:
    """Merge the stored contacts of these numbers that are one person's, in a write transaction.

    phones: E.164; each is a current or former number of a stored contact.
    """
    context = BatchContext(connection, account_id, now, Ids(connection, account_id))
    Batch(context).merge_contacts(phones, "auto")
    return context.counts.result()


def fill_templates(
    connection: Connection, account_id: int, names: Sequence[str], *, now: int
) -> ApplyResult:
    """Give stored messages the text of the stored templates of these names, in a write
    transaction."""
    context = BatchContext(connection, account_id, now, Ids(connection, account_id))
    Batch(context).fill_templates(names, "auto")
    return context.counts.result()


def fold_again(
    connection: Connection, account_id: int, conversation_ids: Collection[int], *, now: int
) -> None:
    """Compute stored conversations from all their facts, in a write transaction.

    The status of one that is known only from back-fill stays as it was chosen.
    """
    resolved = lookups.assumed_resolved(connection, account_id, conversation_ids)
    chosen: Mapping[InitialStatus, set[int]] = {
        "resolved": resolved,
        "open": {*conversation_ids} - resolved,
    }
    for status, ids in chosen.items():
        if ids:
            context = BatchContext(connection, account_id, now, Ids(connection, account_id))
            Batch(context).fold_again(ids, status)


def wake(connection: Connection, account_id: int, now: int) -> int:
    """Reopen all conversations with an expired snooze; return the number.

    The event has the time at which the snooze ended. Needs a write transaction.
    """
    opened = 0
    while due := due_snoozes(connection, account_id, now, _SNOOZES_BATCH):
        events = [status_event(row, _wake_id(row), row["snoozed_until"], "opened") for row in due]
        new = apply_events(connection, account_id, events, now=now).events.new
        if not new:
            break
        opened += new
    return opened


def status_event(row: Row, external_id: str, at: int, name: str) -> ConversationEvent:
    """Build an event of a conversation that was read with its channel and contact."""
    person = Person(row["phone"], row["wa_id"], row["wa_user_id"])
    return ConversationEvent(row["phone_number_id"], person, external_id, at, name)


def _wake_id(row: Row) -> str:
    """Return a deterministic event id, equal in every store."""
    who = row["wa_user_id"] or row["phone"] or row["wa_id"]
    return f"snooze:{row['phone_number_id']}:{who}:{row['snoozed_until']}"


def _without_person(event: DomainEvent) -> DomainEvent:
    """Remove the person, so that a status of an unknown message is parked and creates nothing."""
    return replace(event, person=None) if isinstance(event, StatusUpdate) else event


def _outermost(upserts: Sequence[ChannelUpsert]) -> Iterator[ChannelUpsert]:
    """Yield the first and the last of identical upserts, which most are."""
    alike: dict[tuple[object, ...], list[ChannelUpsert]] = {}
    for upsert in upserts:
        facts = (
            upsert.phone_number_id,
            upsert.phone,
            upsert.display_phone_number,
            upsert.waba_id,
            upsert.alias,
        )
        alike.setdefault((*facts, repr(upsert.details) if upsert.details else ""), []).append(
            upsert
        )
    for group in alike.values():
        first, last = min(group, key=attrgetter("at")), max(group, key=attrgetter("at"))
        yield first
        if last is not first:
            yield last


def _labelled(conversation: BatchConversation) -> LabelledConversation | None:
    """Return a conversation's filter entry before the batch."""
    return (
        None
        if conversation.stored is None
        else LabelledConversation(conversation.stored, conversation.labels)
    )


def _state_of(stored: ConversationRow, labels: frozenset[int]) -> ConversationState:
    """Restore the fold's state from a conversation row."""
    return ConversationState(
        status=stored["status"] if stored["status_known"] else None,
        assignee_id=stored["assignee_id"],
        awaiting_human=bool(stored["awaiting_human"]),
        snoozed_until=stored["snoozed_until"],
        read_marker=stored["read_marker"],
        unread_count=stored["unread_count"],
        waiting_since=stored["unanswered_since"],
        first_reply_at=stored["first_reply_at"],
        last_inbound_at=stored["last_inbound_at"],
        folded_at=stored["folded_at"],
        episode_at=stored["episode_at"],
        handed_over_at=stored["handed_over_at"],
        bot_spoke_at=stored["bot_spoke_at"],
        phone_spoke_at=stored["phone_spoke_at"],
        labels=labels,
    )
