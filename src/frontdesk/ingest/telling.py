"""Applies a batch in dependency order: contacts, conversations, messages, then the rest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from frontdesk.ingest.applied import Counted
from frontdesk.ingest.asides import Asides
from frontdesk.ingest.catalogue import Catalogue
from frontdesk.ingest.correspondence import Correspondence
from frontdesk.ingest.events import (
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.orphans import Orphans
from frontdesk.ingest.people import Namesakes, People, Sighting
from frontdesk.ingest.threads import Threads
from frontdesk.store.database import Connection
from frontdesk.store.ids import Ids

Kind = TypeVar("Kind")
Kinds = Mapping[type, Sequence[Any]]

_ABOUT_A_MESSAGE = (ReactionSet, MessageEdit, MessageRevoke)


def by_kind(events: Iterable[DomainEvent]) -> Kinds:
    """Group events by type, keeping their order."""
    kinds: dict[type, list[Any]] = {}
    for event in events:
        kinds.setdefault(type(event), []).append(event)
    return kinds


class Telling:
    """Contacts, conversations and messages of one batch. Call `load`, then `tell`."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        now: int,
        ids: Ids,
        counted: Counted,
        catalogue: Catalogue,
    ) -> None:
        place = (connection, account_id)
        self.orphans = Orphans(*place)
        self.people = People(*place, now, ids, counted)
        self.threads = Threads(*place, ids, counted, self.people)
        self.correspondence = Correspondence(
            *place, ids, counted, catalogue, self.people, self.threads, self.orphans
        )
        self.asides = Asides(*place, ids, counted, catalogue, self.threads, self.correspondence)

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
