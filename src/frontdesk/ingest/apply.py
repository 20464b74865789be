"""Applies batches of domain events to the store, idempotently and in any order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from frontdesk.ingest import admission, rules
from frontdesk.ingest.applied import Applied, Counted, Tally
from frontdesk.ingest.catalogue import Catalogue, CatalogueUpsert
from frontdesk.ingest.conversations import conversation_row
from frontdesk.ingest.distribution import Distribution
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    NumberUpdate,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.ingest.numbers import tell_numbers
from frontdesk.ingest.reckoning import Reckoning
from frontdesk.ingest.rules import InitialStatus, Standing
from frontdesk.ingest.telling import Kinds, Telling, by_kind
from frontdesk.ingest.threads import Thread
from frontdesk.store import changes, counters, known, raw_events
from frontdesk.store.counters import Listed
from frontdesk.store.database import Connection, Row
from frontdesk.store.ids import Ids

__all__ = ["Applied", "InitialStatus", "Tally", "apply_events"]

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
) -> Applied:
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
        self._counted = Counted()
        self._catalogue = Catalogue(*place, self._ids, self._counted)
        self._telling = Telling(*place, now, self._ids, self._counted, self._catalogue)
        self._reckoning = Reckoning(*place, self._ids)

    def apply(
        self, events: Sequence[DomainEvent], initial_status: InitialStatus, *, live: bool
    ) -> Applied:
        telling, kinds = self._telling, by_kind(events)
        # Catalogue rows first, so that events that refer to them find them.
        for upsert in _outermost(kinds.get(ChannelUpsert, ())):
            self._catalogue.tell_channel(upsert)
        tell_numbers(
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
            changes.raise_revision(self._connection, self._account_id)
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
        moves: list[tuple[Listed | None, Listed | None]] = [
            (_listed(thread), None) for thread in threads.gone
        ]
        distribution = Distribution(self._connection, self._account_id)
        for thread in threads.touched():
            self._reckoning.count(thread)
            standing = self._stand(thread)
            if live:
                standing = self._assign(distribution, thread, standing)
            row = conversation_row(self._account_id, thread, standing, initial_status, self._now)
            rows.append(row)
            moves.append((_listed(thread), Listed(row, standing.labels)))
        distribution.save()
        changes.save(self._connection, "conversation", rows)
        counters.move(self._connection, self._account_id, moves)

    def _assign(self, distribution: Distribution, thread: Thread, standing: Standing) -> Standing:
        """Assign a newly opened conversation to the next team member in turn, if there is one."""
        turn = distribution.turn(thread, standing)
        if turn is None:
            return standing
        happening = self._telling.asides.record(
            thread, turn.at, "assigned", {"user": turn.user_key}, turn.external_id, turn.part
        )
        return rules.fold(standing, (), (happening,))

    def _stand(self, thread: Thread) -> Standing:
        """Fold new facts onto the stored state, or all facts again if they are out of order."""
        stored = thread.stored
        before = Standing() if stored is None else _standing(stored, thread.labels)
        if not thread.refold and (
            stored is None or rules.continues(before, thread.messages, thread.happenings)
        ):
            standing = rules.fold(before, thread.messages, thread.happenings)
            self._reckoning.append(thread, standing.measures)
            return standing
        messages = known.messages_of(self._connection, self._account_id, thread.id)
        events = known.events_of(self._connection, self._account_id, thread.id)
        happenings = map(self._telling.asides.happening, events)
        standing = rules.fold(Standing(), messages, happenings)
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


def _listed(thread: Thread) -> Listed | None:
    """Return a conversation's filter entry before the batch."""
    return None if thread.stored is None else Listed(thread.stored, thread.labels)


def _standing(stored: Row, labels: frozenset[int]) -> Standing:
    """Restore the fold's state from a conversation row."""
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
