"""Folds domain events into the store: many at once, in any order, as often as they come."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from frontdesk.ingest import rules
from frontdesk.ingest.applied import Applied, Counted, Tally
from frontdesk.ingest.catalogue import Catalogue, CatalogueUpsert
from frontdesk.ingest.conversations import conversation_row
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    ContactUpsert,
    ConversationEvent,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.ingest.people import People
from frontdesk.ingest.reckoning import Reckoning
from frontdesk.ingest.rules import InitialStatus, Standing
from frontdesk.ingest.threads import Thread, Threads
from frontdesk.store import changes, counters, known
from frontdesk.store.counters import Listed
from frontdesk.store.database import Connection, Row
from frontdesk.store.ids import Ids

__all__ = ["Applied", "InitialStatus", "Tally", "apply_events"]

Kind = TypeVar("Kind")


def apply_events(
    connection: Connection,
    account_id: int,
    events: Sequence[DomainEvent],
    *,
    now: int,
    initial_status: InitialStatus = "auto",
) -> Applied:
    """Fold `events` into an account, inside one write transaction.

    Events may come in any order and more than once: those that tell nothing new change nothing,
    and only if something changed is the account's revision raised. `now` is the time of the
    change, epoch milliseconds; with `initial_status` it decides R11.
    """
    return _Batch(connection, account_id, events, now, initial_status).apply()


class _Batch:
    """One call of `apply_events`."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        events: Sequence[DomainEvent],
        now: int,
        initial_status: InitialStatus,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._now = now
        self._initial_status = initial_status
        self._kinds: dict[type, list[Any]] = {}
        for event in events:
            self._kinds.setdefault(type(event), []).append(event)
        self._ids = Ids(connection, account_id)
        self._counted = Counted()
        self._catalogue = Catalogue(connection, account_id, self._ids, self._counted)
        self._people = People(connection, account_id, now, self._ids, self._counted)
        self._threads = Threads(
            connection, account_id, self._ids, self._counted, self._catalogue, self._people
        )
        self._reckoning = Reckoning(connection, account_id, self._ids)

    def apply(self) -> Applied:
        self._tell_catalogue()
        self._load()
        self._tell_threads()
        self._threads.save()
        self._save_conversations()
        self._reckoning.save()
        self._people.save()
        self._catalogue.save()
        self._ids.save()
        if self._counted.changed:
            changes.raise_revision(self._connection, self._account_id)
        return self._counted.applied()

    def _of(self, kind: type[Kind]) -> list[Kind]:
        return self._kinds.get(kind, [])

    def _tell_catalogue(self) -> None:
        """Named things first, so that what refers to them finds them."""
        for event in self._of(ChannelUpsert):
            self._catalogue.tell_channel(event)
        for named in self._named():
            self._catalogue.tell(named)

    def _named(self) -> Iterator[CatalogueUpsert]:
        yield from self._of(UserUpsert)
        yield from self._of(LabelUpsert)
        yield from self._of(CustomFieldUpsert)
        yield from self._of(CannedResponseUpsert)
        yield from self._of(TemplateUpsert)
        yield from self._of(TeamUpsert)

    def _load(self) -> None:
        """Read all that the batch touches."""
        contact_ids = self._people.load(self._persons())
        self._threads.load_conversations(contact_ids)
        self._threads.load_messages(self._wamids())
        self._threads.load_reactions(self._of(ReactionSet))
        self._threads.load_notes(self._of(NoteUpsert))
        self._threads.load_happenings(self._of(ConversationEvent))

    def _persons(self) -> Iterator[Person]:
        yield from (event.person for event in self._of(ContactUpsert))
        yield from (event.person for event in self._of(MessageUpsert))
        yield from (event.person for event in self._of(NoteUpsert))
        yield from (event.person for event in self._of(ConversationEvent))
        for status in self._of(StatusUpdate):
            if status.person is not None:
                yield status.person

    def _wamids(self) -> Iterator[tuple[str, str, int]]:
        for message in self._of(MessageUpsert):
            if message.wamid is not None:
                yield message.channel, message.wamid, message.at
        for status in self._of(StatusUpdate):
            yield status.channel, status.wamid, status.at
        for reaction in self._of(ReactionSet):
            yield reaction.channel, reaction.target_wamid, reaction.at

    def _tell_threads(self) -> None:
        """Messages before what refers to them."""
        for contact in self._of(ContactUpsert):
            self._people.tell(contact)
        for message in self._of(MessageUpsert):
            self._threads.say(message)
        for status in self._of(StatusUpdate):
            self._threads.deliver(status)
        for reaction in self._of(ReactionSet):
            self._threads.react(reaction)
        for note in self._of(NoteUpsert):
            self._threads.note(note)
        for happening in self._of(ConversationEvent):
            self._threads.happen(happening)

    def _save_conversations(self) -> None:
        """Fold the touched conversations and write what became of them."""
        rows: list[dict[str, Any]] = []
        moves: list[tuple[Listed | None, Listed]] = []
        for thread in self._threads.touched():
            self._reckoning.count(thread)
            standing = self._stand(thread)
            row = conversation_row(
                self._account_id, thread, standing, self._initial_status, self._now
            )
            rows.append(row)
            was = None if thread.stored is None else Listed(thread.stored, thread.labels)
            moves.append((was, Listed(row, standing.labels)))
        changes.save(self._connection, "conversation", rows)
        counters.move(self._connection, self._account_id, moves)

    def _stand(self, thread: Thread) -> Standing:
        """Fold what is new onto the stored standing, or everything from the first."""
        stored = thread.stored
        before = Standing() if stored is None else _standing(stored, thread.labels)
        if stored is None or (
            not thread.refold and rules.continues(before, thread.messages, thread.happenings)
        ):
            standing = rules.fold(before, thread.messages, thread.happenings)
            self._reckoning.append(thread, standing.measures)
            return standing
        messages = known.messages_of(self._connection, self._account_id, thread.id)
        events = known.events_of(self._connection, self._account_id, thread.id)
        standing = rules.fold(Standing(), messages, map(self._threads.happening, events))
        self._reckoning.replace(thread, standing.measures)
        return standing


def _standing(stored: Row, labels: frozenset[int]) -> Standing:
    """What a stored conversation's row says of the fold so far."""
    return Standing(
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
