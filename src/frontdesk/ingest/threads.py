"""The conversations that a batch touches, and the messages, notes and events that go into them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk.ingest import letters
from frontdesk.ingest.applied import Counted
from frontdesk.ingest.catalogue import Catalogue
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.letters import Letter
from frontdesk.ingest.people import People
from frontdesk.ingest.rules import QUIET_TYPES, Happening
from frontdesk.store import changes, known
from frontdesk.store.database import Connection, Row
from frontdesk.store.ids import Ids

_NAMELESS = tuple[int, int, int, str, str | None]


@dataclass(slots=True)
class Thread:
    """A conversation of this batch. stored: its row and label ids before; None if it is new.

    first_at: its earliest fact in this batch. refold: stored facts changed beneath the standing.
    rewritten: stored messages that changed. touched: readers see a difference.
    """

    id: int
    contact_id: int
    channel_id: int
    first_at: int
    stored: Row | None = None
    labels: frozenset[int] = frozenset()
    messages: list[Letter] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    rewritten: dict[int, Letter] = field(default_factory=dict)
    refold: bool = False
    touched: bool = False


class Threads:
    """Puts a batch's facts in their conversations. `load` what the batch names first."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        ids: Ids,
        counted: Counted,
        catalogue: Catalogue,
        people: People,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._counted = counted
        self._catalogue = catalogue
        self._people = people
        self._threads: dict[int, Thread] = {}
        self._by_pair: dict[tuple[int, int], Thread] = {}
        self._letters: dict[tuple[int, str], Letter] = {}
        self._nameless: dict[int, set[_NAMELESS]] = {}
        self._reactions: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._reacted: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._notes: dict[str, dict[str, Any]] = {}
        self._noted: dict[str, dict[str, Any]] = {}
        self._happened: set[str] = set()
        self._happenings: list[dict[str, Any]] = []

    def load_conversations(self, contact_ids: Sequence[int]) -> None:
        """Read the conversations of known contacts."""
        stored = known.conversations_of(self._connection, self._account_id, contact_ids)
        self._keep(stored)

    def load_messages(self, wamids: Iterable[tuple[str, str, int]]) -> None:
        """Read the messages that the batch names, by channel, wamid and time."""
        if not self._ids.any("message"):
            return
        by_channel: dict[int, set[str]] = {}
        for channel, wamid, at in wamids:
            by_channel.setdefault(self._catalogue.channel_id(channel, at), set()).add(wamid)
        for channel_id, names in by_channel.items():
            for row in known.messages(self._connection, self._account_id, channel_id, names):
                self._letters[channel_id, row["wamid"]] = {
                    **row,
                    "was": row,
                    "was_at": row["created_at"],
                }

    def load_reactions(self, events: Sequence[ReactionSet]) -> None:
        """Read the reactions to the messages that the batch names."""
        by_channel: dict[int, set[str]] = {}
        for event in events:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            by_channel.setdefault(channel_id, set()).add(event.target_wamid)
        for channel_id, names in by_channel.items():
            for row in known.reactions(self._connection, self._account_id, channel_id, names):
                self._reactions[channel_id, row["target_wamid"], row["person"]] = dict(row)

    def load_notes(self, events: Sequence[NoteUpsert]) -> None:
        """Read the notes that the batch names."""
        if not self._ids.any("note"):
            return
        names = {event.external_id for event in events}
        for row in known.notes(self._connection, self._account_id, names):
            self._notes[row["external_id"]] = dict(row)

    def load_happenings(self, events: Sequence[ConversationEvent]) -> None:
        """Learn which of the batch's conversation events are stored."""
        if not self._ids.any("conversation_event"):
            return
        names = {event.external_id for event in events}
        self._happened |= known.event_ids(self._connection, self._account_id, names)

    def touched(self) -> list[Thread]:
        """Conversations with anything new, in the order of their ids."""
        return sorted(
            (thread for thread in self._threads.values() if thread.touched),
            key=lambda thread: thread.id,
        )

    def say(self, event: MessageUpsert) -> None:
        """A message: new, a richer copy of one, or known."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self._letters.get((channel_id, event.wamid)) if event.wamid else None
        author_id, author_name = self._author(event.author, event.at)
        copy = letters.letter(event, author_id, author_name)
        if row is not None:
            before = letters.standing_parts(row)
            changed = letters.enrich(row, copy)
            self._rewrite(row, before, "messages", event.person, changed=changed)
            return
        thread = self._thread(channel_id, event.person, event.at)
        if event.wamid is None and self._is_known_nameless(thread, copy):
            self._counted.known("messages")
            return
        self._append(thread, copy)
        if event.type not in QUIET_TYPES:
            self._people.seen(thread.contact_id, event.at)
        self._counted.new("messages")

    def deliver(self, event: StatusUpdate) -> None:
        """A delivery step of a message; one of an unknown message makes a placeholder."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self._letters.get((channel_id, event.wamid))
        if event.status not in letters.STATUSES or (row is not None and not row["direction"]):
            self._counted.ignore()
            return
        if row is not None:
            before = letters.standing_parts(row)
            changed = letters.deliver(row, event)
            self._rewrite(row, before, "statuses", event.person, changed=changed)
            return
        if event.person is None:
            self._counted.ignore()
            return
        row = letters.stand_in(event)
        letters.deliver(row, event)
        thread = self._thread(channel_id, event.person, event.at)
        self._append(thread, row)
        self._people.seen(thread.contact_id, event.at)
        self._counted.new("statuses")

    def react(self, event: ReactionSet) -> None:
        """One person's latest reaction to a message; of two at one moment, taking away wins."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        key = (channel_id, event.target_wamid, event.person)
        row = {
            "account_id": self._account_id,
            "channel_id": channel_id,
            "target_wamid": event.target_wamid,
            "person": event.person,
            "emoji": event.emoji or "",
            "direction": int(event.outbound),
            "author": event.author,
            "created_at": event.at,
        }
        stored = self._reactions.get(key)
        if stored is not None and _reaction_order(row) <= _reaction_order(stored):
            self._counted.known("reactions")
            return
        self._reactions[key] = self._reacted[key] = row
        target = self._letters.get((channel_id, event.target_wamid))
        if target is not None:
            self._thread_of(target).touched = True
        (self._counted.new if stored is None else self._counted.change)("reactions")

    def note(self, event: NoteUpsert) -> None:
        """A note, or a later wording of one."""
        row = self._notes.get(event.external_id)
        if row is not None:
            if event.at <= row["updated_at"] or event.text == row["text"]:
                self._counted.known("notes")
                return
            row.update(text=event.text, updated_at=event.at)
            thread = self._thread_of(row)
            self._counted.change("notes")
        else:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            thread = self._thread(channel_id, event.person, event.at)
            row = self._new_note(event, thread)
            self._counted.new("notes")
        thread.touched = True
        self._notes[event.external_id] = self._noted[event.external_id] = row

    def happen(self, event: ConversationEvent) -> None:
        """A conversation event, once."""
        if event.external_id in self._happened:
            self._counted.known("happenings")
            return
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        thread = self._thread(channel_id, event.person, event.at)
        row = {
            "account_id": self._account_id,
            "conversation_id": thread.id,
            "id": self._ids.next("conversation_event"),
            "created_at": event.at,
            "name": event.name,
            "value_json": letters.packed(dict(event.value)),
            "external_id": event.external_id,
        }
        thread.happenings.append(self._happening(row, event.value))
        thread.touched = True
        self._happened.add(event.external_id)
        self._happenings.append(row)
        self._counted.new("happenings")

    def happening(self, row: Row) -> Happening:
        """A stored conversation event as the state rules take it."""
        return self._happening(row, json.loads(row["value_json"]))

    def save(self) -> None:
        """Write the facts; the conversations' own rows come after, from the fold."""
        rewritten = [row for thread in self.touched() for row in thread.rewritten.values()]
        changes.change_messages(self._connection, rewritten)
        for kind, rows in self.added():
            changes.add(self._connection, kind, rows)
        for kind, rows in self.put():
            changes.save(self._connection, kind, rows)

    def added(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Facts that are new, by their kind."""
        yield (
            "message",
            [
                row
                for thread in self.touched()
                for row in sorted(thread.messages, key=lambda row: (row["created_at"], row["id"]))
            ],
        )
        yield "conversation_event", self._happenings

    def put(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Facts that are new or replace what was known, by their kind."""
        yield "note", list(self._noted.values())
        yield "reaction", list(self._reacted.values())

    def _thread(self, channel_id: int, person: Person, at: int) -> Thread:
        """The one conversation of a channel and a person, which is made if it is unknown (R1)."""
        contact_id = self._people.contact_id(person, at)
        thread = self._by_pair.get((contact_id, channel_id))
        if thread is None:
            thread = Thread(self._ids.next("conversation"), contact_id, channel_id, at)
            self._threads[thread.id] = self._by_pair[contact_id, channel_id] = thread
            self._counted.new("conversations")
        thread.first_at = min(thread.first_at, at)
        return thread

    def _thread_of(self, row: Row) -> Thread:
        """The conversation of a stored row."""
        conversation_id = row["conversation_id"]
        if conversation_id not in self._threads:
            self._keep([known.conversation(self._connection, self._account_id, conversation_id)])
        return self._threads[conversation_id]

    def _keep(self, stored: Sequence[Row]) -> None:
        labels = known.labels_of(self._connection, self._account_id, [row["id"] for row in stored])
        for row in stored:
            thread = Thread(row["id"], row["contact_id"], row["channel_id"], row["created_at"])
            thread.stored, thread.labels = row, frozenset(labels.get(row["id"], ()))
            self._threads[thread.id] = thread
            self._by_pair[thread.contact_id, thread.channel_id] = thread

    def _append(self, thread: Thread, row: Letter) -> None:
        row["account_id"] = self._account_id
        row["conversation_id"] = thread.id
        row["channel_id"] = thread.channel_id
        row["id"] = self._ids.next("message")
        thread.messages.append(row)
        thread.touched = True
        if row["wamid"] is not None:
            self._letters[thread.channel_id, row["wamid"]] = row

    def _rewrite(
        self,
        row: Letter,
        before: tuple[object, ...],
        kind: str,
        person: Person | None,
        *,
        changed: bool,
    ) -> None:
        """Note that a known message may have changed, and its time with it."""
        if not changed:
            self._counted.known(kind)
            return
        self._counted.change(kind)
        thread = self._thread_of(row)
        thread.touched = True
        thread.first_at = min(thread.first_at, row["created_at"])
        if person is not None:
            self._people.contact_id(person, row["created_at"])
        if "was_at" in row:
            thread.rewritten[row["id"]] = row
            thread.refold = thread.refold or letters.standing_parts(row) != before

    def _is_known_nameless(self, thread: Thread, row: Letter) -> bool:
        """Messages without a wamid are told apart by what they say and when."""
        if thread.id not in self._nameless:
            stored: Sequence[Row] = ()
            if thread.stored is not None:
                stored = known.nameless_messages(self._connection, self._account_id, thread.id)
            self._nameless[thread.id] = {_nameless(thread.id, other) for other in stored}
        identity = _nameless(thread.id, row)
        if identity in self._nameless[thread.id]:
            return True
        self._nameless[thread.id].add(identity)
        return False

    def _author(self, author: Author, at: int) -> tuple[int | None, str | None]:
        """The id of an author who is a user, and the author's name as far as it is known."""
        if author.user is None:
            return None, author.name
        user_id = self._catalogue.user_id(author.user, at)
        return user_id, author.name or self._catalogue.user_name(author.user)

    def _happening(self, row: Row, value: Mapping[str, Any]) -> Happening:
        at = row["created_at"]
        user, title = value.get("user"), value.get("title")
        return Happening(
            at=at,
            id=row["id"],
            name=row["name"],
            until=value.get("until"),
            user_id=self._catalogue.user_id(user, at) if user else 0,
            label_id=self._catalogue.label_id(title, at) if title else 0,
            on=bool(value.get("on", True)),
        )

    def _new_note(self, event: NoteUpsert, thread: Thread) -> dict[str, Any]:
        author_id, author_name = self._author(event.author, event.at)
        return {
            "account_id": self._account_id,
            "conversation_id": thread.id,
            "id": self._ids.next("note"),
            "created_at": event.at,
            "updated_at": event.at,
            "text": event.text,
            "author": event.author.kind,
            "author_id": None if author_id is None else str(author_id),
            "author_name": author_name,
            "external_id": event.external_id,
        }


def _nameless(conversation_id: int, row: Row) -> _NAMELESS:
    return conversation_id, row["created_at"], row["direction"], row["type"], row["text"]


def _reaction_order(row: Row) -> tuple[int, bool, str]:
    return row["created_at"], not row["emoji"], row["emoji"]
