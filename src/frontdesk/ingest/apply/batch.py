"""Applies batches of domain events to the store, idempotently and in any order.

Applies a batch in dependency order: contacts, conversations, messages, then the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from frontdesk.ingest import admission
from frontdesk.ingest.apply import rules
from frontdesk.ingest.apply.annotations import Annotations
from frontdesk.ingest.apply.assignment import RoundRobin
from frontdesk.ingest.apply.catalogue import Catalogue, CatalogueUpsert, apply_number_facts
from frontdesk.ingest.apply.contacts import Contacts, Namesakes, Sighting
from frontdesk.ingest.apply.context import ApplyResult, BatchCounts, Tally
from frontdesk.ingest.apply.conversations import BatchConversation, Conversations, conversation_row
from frontdesk.ingest.apply.messages import Messages
from frontdesk.ingest.apply.metrics import MetricDeltas
from frontdesk.ingest.apply.pending import PendingUpdates
from frontdesk.ingest.apply.rules import ConversationState, InitialStatus
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    CustomFieldUpsert,
    DomainEvent,
    IdentityChange,
    LabelUpsert,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    NumberUpdate,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store import counters, lookups, raw_events, writes
from frontdesk.store.counters import LabelledConversation
from frontdesk.store.database import Connection, Row
from frontdesk.store.writes import Ids

Kind = TypeVar("Kind")
Kinds = Mapping[type, Sequence[Any]]

_ABOUT_A_MESSAGE = (ReactionSet, MessageEdit, MessageRevoke)


def by_kind(events: Iterable[DomainEvent]) -> Kinds:
    """Group events by type, keeping their order."""
    kinds: dict[type, list[Any]] = {}
    for event in events:
        kinds.setdefault(type(event), []).append(event)
    return kinds


class Appliers:
    """Contacts, conversations and messages of one batch. Call `load`, then `tell`."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        now: int,
        ids: Ids,
        counted: BatchCounts,
        catalogue: Catalogue,
    ) -> None:
        place = (connection, account_id)
        self.orphans = PendingUpdates(*place)
        self.people = Contacts(*place, now, ids, counted)
        self.threads = Conversations(*place, ids, counted, self.people)
        self.correspondence = Messages(
            *place, ids, counted, catalogue, self.people, self.threads, self.orphans
        )
        self.asides = Annotations(
            *place, ids, counted, catalogue, self.threads, self.correspondence
        )

    def load(self, kinds: Kinds) -> None:
        """Read all rows that the batch refers to, and resolve its persons."""
        moves = kinds.get(IdentityChange, ())
        times = (message.at for message in kinds.get(MessageUpsert, ()))
        self.correspondence.load(_wamids(kinds), times)
        namesakes = [*self._namesakes(kinds)]
        sightings = [*self._sightings(kinds)]
        told = (person for person, _, _ in sightings)
        persons = chain(told, *(persons for persons, _ in namesakes))
        stored = {found[0] for _, found in namesakes if found is not None}
        contact_ids = self.people.load(persons, stored)
        self.people.settle(sightings, namesakes, moves)
        self.threads.load(contact_ids)
        self.threads.regroup(self.people.shares())
        self.correspondence.follow()
        self.asides.load_reactions(kinds.get(ReactionSet, ()))
        self.asides.load_notes(kinds.get(NoteUpsert, ()))
        self.asides.load_happenings(kinds.get(ConversationEvent, ()))

    def tell(self, kinds: Kinds) -> None:
        """Apply events: messages by time, so that ids have this order, then what refers to them."""
        messages = sorted(kinds.get(MessageUpsert, ()), key=_message_order)
        _each(self.people.tell, kinds.get(ContactUpsert, ()))
        _each(self.people.remove, kinds.get(ContactRemove, ()))
        _each(self.correspondence.say, messages)
        _each(self.correspondence.deliver, kinds.get(StatusUpdate, ()))
        _each(self.correspondence.amend, kinds.get(MessageEdit, ()))
        _each(self.correspondence.amend, kinds.get(MessageRevoke, ()))
        _each(self.asides.react, kinds.get(ReactionSet, ()))
        _each(self.asides.note, kinds.get(NoteUpsert, ()))
        _each(self.asides.happen, kinds.get(ConversationEvent, ()))

    def save(self) -> None:
        """Write the facts; conversation rows follow after the fold."""
        self.correspondence.save()
        self.asides.save()

    def _sightings(self, kinds: Kinds) -> Iterator[Sighting]:
        """Yield the persons named by the batch, with times."""
        for event in kinds.get(MessageUpsert, ()):
            yield event.person, event.at, 0 if event.outbound else event.at
        for kind in (ContactUpsert, ContactRemove):
            yield from ((event.person, event.at, event.at) for event in kinds.get(kind, ()))
        for aside in (NoteUpsert, ConversationEvent):
            yield from ((event.person, event.at, 0) for event in kinds.get(aside, ()))
        for move in kinds.get(IdentityChange, ()):
            yield move.old, move.at, 0
            yield move.new, move.at, 0
        named = self.correspondence.named
        for status in kinds.get(StatusUpdate, ()):
            if status.person is not None and not named(status.channel, status.wamid):
                yield status.person, status.at, 0

    def _namesakes(self, kinds: Kinds) -> Iterator[Namesakes]:
        """Yield messages whose person is given in several ways, or differently than stored."""
        persons: dict[tuple[str, str], dict[Person, int]] = {}
        for event in chain(kinds.get(MessageUpsert, ()), kinds.get(StatusUpdate, ())):
            if event.wamid is not None and event.person is not None:
                named = persons.setdefault((event.channel, event.wamid), {})
                named[event.person] = min(event.at, named.get(event.person, event.at))
        stored = {
            place: row
            for place in persons
            if (row := self.correspondence.named(*place)) is not None
        }
        contact_ids = self.threads.contact_ids({row["conversation_id"] for row in stored.values()})
        for place, named in persons.items():
            if place in stored:
                contact_id = contact_ids[stored[place]["conversation_id"]]
                yield named, (contact_id, stored[place]["part"] or contact_id)
            elif len(named) > 1:
                yield named, None


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


def _each(tell: Callable[[Kind], None], events: Iterable[Kind]) -> None:
    for event in events:
        tell(event)


def _message_order(event: MessageUpsert) -> tuple[int, str]:
    return event.at, event.wamid or ""


__all__ = ["ApplyResult", "InitialStatus", "Tally", "apply_events"]

_NAMED = (
    UserUpsert,
    LabelUpsert,
    CustomFieldUpsert,
    CannedResponseUpsert,
    TemplateUpsert,
    TeamUpsert,
)


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
    told = events if placeholders else [_without_person(event) for event in events]
    return _Batch(connection, account_id, now).apply(told, initial_status, live=live)


class _Batch:
    """Applies the events of one `apply_events` call."""

    def __init__(self, connection: Connection, account_id: int, now: int) -> None:
        self._connection = connection
        self._account_id = account_id
        self._now = now
        place = (connection, account_id)
        self._ids = Ids(*place)
        self._counted = BatchCounts()
        self._catalogue = Catalogue(*place, self._ids, self._counted)
        self._telling = Appliers(*place, now, self._ids, self._counted, self._catalogue)
        self._reckoning = MetricDeltas(*place, self._ids)

    def apply(
        self, events: Sequence[DomainEvent], initial_status: InitialStatus, *, live: bool
    ) -> ApplyResult:
        telling, kinds = self._telling, by_kind(events)
        # Catalogue rows first, so that events that refer to them find them.
        for upsert in _outermost(kinds.get(ChannelUpsert, ())):
            self._catalogue.tell_channel(upsert)
        apply_number_facts(
            self._catalogue,
            telling.orphans,
            kinds.get(NumberUpdate, ()),
            kinds.get(ChannelUpsert, ()),
        )
        for named in _named(kinds):
            self._catalogue.tell(named)
        telling.load(kinds)
        telling.tell(kinds)
        telling.save()
        self._catalogue.save()
        self._save_conversations(initial_status, live=live)
        self._save_rest()
        if self._counted.changed:
            writes.bump_revision(self._connection, self._account_id)
        return self._counted.applied()

    def _save_rest(self) -> None:
        """Write what the fold of the conversations may have added to."""
        self._telling.asides.save()
        self._reckoning.save()
        self._telling.people.save()
        self._telling.orphans.save()
        self._catalogue.save()
        self._ids.save()
        # Their skipped webhooks can be applied now.
        kinds = map(admission.kind_of, self._catalogue.new_numbers)
        raw_events.wait_for(self._connection, self._account_id, kinds)

    def _save_conversations(self, initial_status: InitialStatus, *, live: bool) -> None:
        """Fold the touched conversations and write their rows, filter entries and counters."""
        threads = self._telling.threads
        rows: list[dict[str, Any]] = []
        moves: list[tuple[LabelledConversation | None, LabelledConversation | None]] = [
            (_listed(thread), None) for thread in threads.gone
        ]
        distribution = RoundRobin(self._connection, self._account_id)
        for thread in threads.touched():
            self._reckoning.count(thread)
            standing = self._stand(thread)
            if live:
                standing = self._assign(distribution, thread, standing)
            row = conversation_row(self._account_id, thread, standing, initial_status, self._now)
            rows.append(row)
            moves.append((_listed(thread), LabelledConversation(row, standing.labels)))
        distribution.save()
        writes.save(self._connection, "conversation", rows)
        counters.move(self._connection, self._account_id, moves)

    def _assign(
        self, distribution: RoundRobin, thread: BatchConversation, standing: ConversationState
    ) -> ConversationState:
        """Assign a newly opened conversation to the next team member in turn, if there is one."""
        turn = distribution.turn(thread, standing)
        if turn is None:
            return standing
        happening = self._telling.asides.record(
            thread, turn.at, "assigned", {"user": turn.user_key}, turn.external_id, turn.part
        )
        return rules.fold(standing, (), (happening,))

    def _stand(self, thread: BatchConversation) -> ConversationState:
        """Fold new facts onto the stored state, or all facts again if they are out of order."""
        stored = thread.stored
        before = ConversationState() if stored is None else _standing(stored, thread.labels)
        if not thread.refold and (
            stored is None or rules.continues(before, thread.messages, thread.happenings)
        ):
            standing = rules.fold(before, thread.messages, thread.happenings)
            self._reckoning.append(thread, standing.measures)
            return standing
        messages = lookups.messages_of(self._connection, self._account_id, thread.id)
        events = lookups.events_of(self._connection, self._account_id, thread.id)
        happenings = map(self._telling.asides.happening, events)
        standing = rules.fold(ConversationState(), messages, happenings)
        self._reckoning.replace(thread, standing.measures)
        return standing


def _without_person(event: DomainEvent) -> DomainEvent:
    """Remove the person, so that a status of an unknown message is parked and creates nothing."""
    return replace(event, person=None) if isinstance(event, StatusUpdate) else event


def _named(kinds: Kinds) -> Iterator[CatalogueUpsert]:
    for kind in _NAMED:
        yield from kinds.get(kind, ())


def _outermost(upserts: Sequence[ChannelUpsert]) -> Iterator[ChannelUpsert]:
    """Yield the first and the last of identical upserts, which most are."""
    alike: dict[tuple[object, ...], list[ChannelUpsert]] = {}
    for one in upserts:
        told = (one.phone_number_id, one.phone, one.display_phone_number, one.waba_id, one.alias)
        alike.setdefault((*told, repr(one.details) if one.details else ""), []).append(one)
    for group in alike.values():
        first, last = min(group, key=_moment), max(group, key=_moment)
        yield first
        if last is not first:
            yield last


def _moment(upsert: ChannelUpsert) -> int:
    return upsert.at


def _listed(thread: BatchConversation) -> LabelledConversation | None:
    """Return a conversation's filter entry before the batch."""
    return None if thread.stored is None else LabelledConversation(thread.stored, thread.labels)


def _standing(stored: Row, labels: frozenset[int]) -> ConversationState:
    """Restore the fold's state from a conversation row."""
    return ConversationState(
        status=stored["status"] if stored["told"] else None,
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
        labels=labels,
    )
