"""Imports an exported chat in batches, skipping messages that are stored already."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from frontdesk.ingest.apply import InitialStatus, apply_events
from frontdesk.ingest.events import (
    IMPORTED_NAME,
    PROFILE_NAME,
    Author,
    ContactUpsert,
    DomainEvent,
    MessageUpsert,
    Person,
)
from frontdesk.ingest.exported_chat.chat import Chat
from frontdesk.ingest.exported_chat.overlap import Compared, compared
from frontdesk.ingest.importing import Transactions
from frontdesk.ingest.matching import APART, EXPORT
from frontdesk.ingest.snoozes import wake
from frontdesk.ingest.value import phone_of
from frontdesk.store import known
from frontdesk.store.database import Connection, Row
from frontdesk.text import shortened
from frontdesk.wire.words import MEDIA_TYPES

MESSAGES_AT_ONCE = 1_000
NAME_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Place:
    """Account, channel and person of an imported chat."""

    account_id: int
    channel: str
    person: Person
    me: str
    initial_status: InitialStatus = "auto"


@dataclass(slots=True)
class Outcome:
    """Import result. taken: new messages by side; skipped: known messages.

    filled: new messages that replaced a placeholder.
    """

    taken: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    edited: int = 0
    deleted: int = 0
    filled: int = 0


def put_in(
    database: Transactions,
    chat: Chat,
    place: Place,
    clock: Callable[[], int],
    advance: Callable[[int], object],
) -> Outcome:
    """Import unknown messages; `advance` is called with the number of entries processed.

    Each batch is consistent by itself, so an interrupted import can be repeated.
    """
    outcome = Outcome()
    rows = database.write(lambda connection: _known(connection, chat, place))
    each = compared(chat.entries, rows)
    for start in range(0, len(each), MESSAGES_AT_ONCE):
        some = each[start : start + MESSAGES_AT_ONCE]
        if any(not one.known for one in some):
            events: list[DomainEvent] = [*_names(chat, place), *_messages(some, place)]
            database.write(partial(_apply, place, events, clock()))
        _count(outcome, some)
        advance(len(some))
    return outcome


def _apply(place: Place, events: Sequence[DomainEvent], now: int, connection: Connection) -> None:
    wake(connection, place.account_id, now)
    apply_events(connection, place.account_id, events, now=now, initial_status=place.initial_status)


def _known(connection: Connection, chat: Chat, place: Place) -> list[Row]:
    """Return the stored messages in the export's period."""
    person, account_id = place.person, place.account_id
    assert person.phone is not None
    found = known.contacts(
        connection,
        account_id,
        phones={person.phone},
        wa_ids={person.phone.removeprefix("+")},
        wa_user_ids=(),
    )
    aliased = known.aliased_contacts(connection, account_id, {person.phone})
    contact_ids = {row["id"] for row in (*found, *aliased.values())}
    channel = known.catalogue_row(
        connection, account_id, "channel", "phone_number_id", place.channel
    )
    if channel is None or not contact_ids or not chat.entries:
        return []
    times = [entry.at for entry in chat.entries]
    rows: list[Row] = []
    for conversation in known.conversations_of(connection, account_id, contact_ids):
        if conversation["channel_id"] == channel["id"]:
            span = (min(times) - APART, max(times) + APART)
            rows += known.messages_between(connection, account_id, conversation["id"], *span)
    return rows


def _names(chat: Chat, place: Place) -> Iterator[ContactUpsert]:
    """Yield the other side's name, unless it is only the number."""
    if chat.other is not None and phone_of(chat.other) is None:
        at = max(entry.at for entry in chat.entries)
        rank = PROFILE_NAME if chat.other_is_profile else IMPORTED_NAME
        yield ContactUpsert(
            place.person, at, name=shortened(chat.other, NAME_LIMIT), name_rank=rank
        )


def _messages(some: Sequence[Compared], place: Place) -> Iterator[MessageUpsert]:
    for one in some:
        if one.known:
            continue
        entry, said = one.entry, one.entry.said
        at = entry.at if one.at is None else one.at
        yield MessageUpsert(
            channel=place.channel,
            person=place.person,
            wamid=one.stands_for,
            at=at,
            outbound=bool(entry.outbound),
            author=_author(entry.outbound, place.me),
            type=said.type,
            source=EXPORT,
            text=said.text,
            content=said.content,
            media=said.media,
            live=False,
            stamped_at=entry.stamped_at,
            edited_at=at if said.edited else None,
            deleted_at=at if said.deleted else None,
        )


def _author(outbound: bool | None, me: str) -> Author:
    if outbound is None:
        return Author("system")
    return Author("phone", name=me) if outbound else Author("contact")


def _count(outcome: Outcome, some: Sequence[Compared]) -> None:
    for one in some:
        entry, said = one.entry, one.entry.said
        if one.known:
            outcome.skipped += 1
            continue
        side = {None: "notices", True: "sent", False: "received"}[entry.outbound]
        outcome.taken[side] += 1
        outcome.edited += said.edited
        outcome.deleted += said.deleted
        outcome.filled += one.stands_for is not None
        if said.type in MEDIA_TYPES:
            outcome.files["named" if said.media and said.media["filename"] else "left out"] += 1
        elif said.type == "unsupported":
            outcome.files["left out"] += 1
