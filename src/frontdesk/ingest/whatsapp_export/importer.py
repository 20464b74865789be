"""Imports an exported chat in batches, skipping messages that are stored already."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from frontdesk.ingest.apply.batch import InitialStatus, apply_events, wake
from frontdesk.ingest.apply.message_matching import APART, EXPORT, MessageIndex, alike, was_changed
from frontdesk.ingest.archive.importer import Transactions
from frontdesk.ingest.events import (
    CONTENTS,
    IMPORTED_NAME,
    PROFILE_NAME,
    Author,
    ContactUpsert,
    DomainEvent,
    MessageUpsert,
    Person,
)
from frontdesk.ingest.json_reader import phone_of
from frontdesk.ingest.whatsapp_export.parser import Chat, ChatEntry
from frontdesk.store import lookups
from frontdesk.store.database import Connection, Row
from frontdesk.store.erase import contact_ids
from frontdesk.store.rows import packed
from frontdesk.wire.values import MEDIA_TYPES


@dataclass(frozen=True, slots=True)
class MatchedEntry:
    """Export entry with the result of matching.

    stands_for: wamid of a placeholder that must be this message; at: its time.
    """

    entry: ChatEntry
    known: bool
    stands_for: str | None = None
    at: int | None = None


def compared(entries: Sequence[ChatEntry], rows: Sequence[Row]) -> list[MatchedEntry]:
    """Match all entries by time; a row matches at most one entry."""
    ordered = sorted(entries, key=lambda entry: entry.at)
    copies = [_row(number, entry) for number, entry in enumerate(ordered)]
    exact = _ExactTimes(rows)
    known = _matched_copies(copies, set(), exact.take)
    messages = MessageIndex([row for row in rows if row["id"] not in exact.row_ids])
    for take in (messages.take, messages.take_changed):
        known |= _matched_copies(copies, known, take)
    matched: list[MatchedEntry] = []
    for number, entry in enumerate(ordered):
        row = None
        if number not in known and entry.outbound:
            row = messages.take_unknown(entry.at)
        stands_for = (None, None) if row is None else (row["wamid"], row["created_at"])
        matched.append(MatchedEntry(entry, number in known, *stands_for))
    return matched


def _matched_copies(
    copies: Sequence[Row], known: set[int], take: Callable[[Row], Row | None]
) -> set[int]:
    """Return the numbers of unmatched entries that `take` finds a row for."""
    return {
        number
        for number, copy in enumerate(copies)
        if number not in known and take(copy) is not None
    }


class _ExactTimes:
    """Rows by the exact time that an earlier import of the same export assigned."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.row_ids: set[int] = set()
        self._rows: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            for at in {row["created_at"], row["stamped_at"]} - {None}:
                self._rows[at].append(row)

    def take(self, copy: Row) -> Row | None:
        for at in (copy["stamped_at"], copy["created_at"]):
            for row in self._rows.get(at, ()):
                if row["id"] not in self.row_ids and _same(row, copy, at):
                    self.row_ids.add(row["id"])
                    return row
        return None


def _same(row: Row, copy: Row, at: int) -> bool:
    """Check if a row was imported from this entry, even if edited since."""
    if row["wamid"] is not None and row["stamped_at"] == at and was_changed(row):
        return bool(row["direction"] == copy["direction"])
    return alike(row, copy)


def _row(number: int, entry: ChatEntry) -> dict[str, Any]:
    """Convert an entry to the columns that matching compares."""
    contents = entry.contents
    return {
        "id": number,
        "created_at": entry.at,
        "stamped_at": entry.stamped_at,
        "direction": int(entry.outbound or False),
        "type": contents.type,
        "text": contents.text,
        "media_json": packed(contents.media),
        "richness": CONTENTS,
        "edited_at": entry.at if contents.edited else None,
        "deleted_at": entry.at if contents.deleted else None,
    }


MESSAGES_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """Account, channel and person of an imported chat."""

    account_id: int
    channel: str
    person: Person
    me: str
    initial_status: InitialStatus = "auto"


@dataclass(slots=True)
class ChatImportResult:
    """Import result. messages: new ones by side; skipped: known messages.

    filled: new messages that replaced a placeholder.
    """

    messages: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    edited: int = 0
    deleted: int = 0
    filled: int = 0


def import_chat(
    database: Transactions,
    chat: Chat,
    place: ChatPlace,
    clock: Callable[[], int],
    advance: Callable[[int], object],
) -> ChatImportResult:
    """Import unknown messages; `advance` is called with the number of entries processed.

    Each batch is consistent by itself, so an interrupted import can be repeated.
    """
    outcome = ChatImportResult()
    rows = database.write(lambda connection: _rows_of_chat(connection, chat, place))
    each = compared(chat.entries, rows)
    for start in range(0, len(each), MESSAGES_AT_ONCE):
        some = each[start : start + MESSAGES_AT_ONCE]
        if any(not entry.known for entry in some):
            events: list[DomainEvent] = [*_names(chat, place), *_messages(some, place)]
            database.write(partial(_apply, place, events, clock()))
        _count(outcome, some)
        advance(len(some))
    return outcome


def _apply(
    place: ChatPlace, events: Sequence[DomainEvent], now: int, connection: Connection
) -> None:
    wake(connection, place.account_id, now)
    apply_events(connection, place.account_id, events, now=now, initial_status=place.initial_status)


def _rows_of_chat(connection: Connection, chat: Chat, place: ChatPlace) -> list[Row]:
    """Return the stored messages in the export's period."""
    person, account_id = place.person, place.account_id
    assert person.phone is not None
    ids = contact_ids(connection, account_id, (person.phone,))
    channel = lookups.catalogue_row(
        connection, account_id, "channel", "phone_number_id", place.channel
    )
    if channel is None or not ids or not chat.entries:
        return []
    times = [entry.at for entry in chat.entries]
    rows: list[Row] = []
    for conversation in lookups.conversations_of(connection, account_id, ids):
        if conversation["channel_id"] == channel["id"]:
            span = (min(times) - APART, max(times) + APART)
            rows += lookups.messages_between(connection, account_id, conversation["id"], *span)
    return rows


def _names(chat: Chat, place: ChatPlace) -> Iterator[ContactUpsert]:
    """Yield the other side's name, unless it is only the number."""
    if chat.other is not None and phone_of(chat.other) is None:
        at = max(entry.at for entry in chat.entries)
        rank = PROFILE_NAME if chat.other_is_profile else IMPORTED_NAME
        yield ContactUpsert(place.person, at, name=chat.other, name_rank=rank)


def _messages(matches: Sequence[MatchedEntry], place: ChatPlace) -> Iterator[MessageUpsert]:
    for match in matches:
        if match.known:
            continue
        entry, contents = match.entry, match.entry.contents
        at = entry.at if match.at is None else match.at
        yield MessageUpsert(
            channel=place.channel,
            person=place.person,
            wamid=match.stands_for,
            at=at,
            outbound=bool(entry.outbound),
            author=_author(entry.outbound, place.me),
            type=contents.type,
            source=EXPORT,
            text=contents.text,
            content=contents.content,
            media=contents.media,
            live=False,
            stamped_at=entry.stamped_at,
            edited_at=at if contents.edited else None,
            deleted_at=at if contents.deleted else None,
            compared=True,
        )


def _author(outbound: bool | None, me: str) -> Author:
    if outbound is None:
        return Author("system")
    return Author("phone", name=me) if outbound else Author("contact")


def _count(outcome: ChatImportResult, matches: Sequence[MatchedEntry]) -> None:
    for match in matches:
        entry, contents = match.entry, match.entry.contents
        if match.known:
            outcome.skipped += 1
            continue
        side = {None: "notices", True: "sent", False: "received"}[entry.outbound]
        outcome.messages[side] += 1
        outcome.edited += contents.edited
        outcome.deleted += contents.deleted
        outcome.filled += match.stands_for is not None
        if contents.type in MEDIA_TYPES:
            outcome.files[
                "named" if contents.media and contents.media["filename"] else "left out"
            ] += 1
        elif contents.type == "unsupported":
            outcome.files["left out"] += 1
