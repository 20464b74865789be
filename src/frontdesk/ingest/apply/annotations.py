"""Applies reactions, notes and conversation events."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frontdesk.ingest.apply import message_row
from frontdesk.ingest.apply.catalogue import Catalogue
from frontdesk.ingest.apply.context import BatchCounts
from frontdesk.ingest.apply.conversations import BatchConversation, Conversations
from frontdesk.ingest.apply.messages import Messages
from frontdesk.ingest.apply.rules import StateEvent
from frontdesk.ingest.events import ConversationEvent, NoteUpsert, ReactionSet
from frontdesk.store import lookups, writes
from frontdesk.store.database import Connection, Row
from frontdesk.store.writes import Ids


class Annotations:
    """Reactions, notes and events of a batch. `load` the stored ones first."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        ids: Ids,
        counted: BatchCounts,
        catalogue: Catalogue,
        threads: Conversations,
        correspondence: Messages,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._counted = counted
        self._catalogue = catalogue
        self._threads = threads
        self._correspondence = correspondence
        self._reactions: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._reacted: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._notes: dict[str, dict[str, Any]] = {}
        self._noted: dict[str, dict[str, Any]] = {}
        self._happened: set[str] = set()
        self._happenings: list[dict[str, Any]] = []

    def load_reactions(self, events: Sequence[ReactionSet]) -> None:
        by_channel: dict[int, set[str]] = {}
        for event in events:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            by_channel.setdefault(channel_id, set()).add(event.target_wamid)
        for channel_id, names in by_channel.items():
            for row in lookups.reactions(self._connection, self._account_id, channel_id, names):
                self._reactions[channel_id, row["target_wamid"], row["person"]] = dict(row)

    def load_notes(self, events: Sequence[NoteUpsert]) -> None:
        if not self._ids.any("note"):
            return
        names = {event.external_id for event in events}
        for row in lookups.notes(self._connection, self._account_id, names):
            self._notes[row["external_id"]] = dict(row)

    def load_happenings(self, events: Sequence[ConversationEvent]) -> None:
        if not self._ids.any("conversation_event"):
            return
        names = {event.external_id for event in events}
        self._happened |= lookups.event_ids(self._connection, self._account_id, names)

    def react(self, event: ReactionSet) -> None:
        """Apply a reaction: the latest per person and message; at equal times, removal wins."""
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
        target = self._correspondence.known(channel_id, event.target_wamid)
        if target is not None:
            self._threads.holding(target).touched = True
        (self._counted.new if stored is None else self._counted.change)("reactions")

    def note(self, event: NoteUpsert) -> None:
        """Insert a note, or update its text if the event is newer."""
        row = self._notes.get(event.external_id)
        if row is not None:
            if event.at <= row["updated_at"] or event.text == row["text"]:
                self._counted.known("notes")
                return
            row.update(text=event.text, updated_at=event.at)
            thread = self._threads.holding(row)
            self._counted.change("notes")
        else:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            thread = self._threads.of(channel_id, event.person, event.at)
            row = self._new_note(event, thread)
            self._counted.new("notes")
        thread.touched = True
        self._notes[event.external_id] = self._noted[event.external_id] = row

    def happen(self, event: ConversationEvent) -> None:
        """Insert a conversation event unless it is stored."""
        if event.external_id in self._happened:
            self._counted.known("happenings")
            return
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        thread = self._threads.of(channel_id, event.person, event.at)
        part = self._threads.part(event.person)
        thread.happenings.append(
            self.record(thread, event.at, event.name, event.value, event.external_id, part)
        )
        thread.touched = True

    def record(
        self,
        thread: BatchConversation,
        at: int,
        name: str,
        value: Mapping[str, Any],
        external_id: str,
        part: int | None,
    ) -> StateEvent:
        """Insert a new conversation event and return it as the state rules take it."""
        row = {
            "account_id": self._account_id,
            "conversation_id": thread.id,
            "id": self._ids.next("conversation_event"),
            "created_at": at,
            "name": name,
            "value_json": message_row.packed(dict(value)),
            "external_id": external_id,
            "part": part,
        }
        self._happened.add(external_id)
        self._happenings.append(row)
        self._counted.new("happenings")
        return self._happening(row, value)

    def happening(self, row: Row) -> StateEvent:
        """Convert a stored conversation event to what the state rules take."""
        return self._happening(row, json.loads(row["value_json"]))

    def save(self) -> None:
        """Write changes and reset them; may be called again."""
        writes.add(self._connection, "conversation_event", self._happenings)
        for kind, rows in self.put():
            writes.save(self._connection, kind, rows)
        self._happenings, self._noted, self._reacted = [], {}, {}

    def added(self) -> list[dict[str, Any]]:
        return self._happenings

    def put(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yield changed rows by kind."""
        yield "note", list(self._noted.values())
        yield "reaction", list(self._reacted.values())

    def _happening(self, row: Row, value: Mapping[str, Any]) -> StateEvent:
        at = row["created_at"]
        user, title = value.get("user"), value.get("title")
        return StateEvent(
            at=at,
            id=row["id"],
            name=row["name"],
            until=value.get("until"),
            user_id=self._catalogue.user_id(user, at) if user else 0,
            label_id=self._catalogue.label_id(title, at) if title else 0,
            on=bool(value.get("on", True)),
            key=row["external_id"] or "",
        )

    def _new_note(self, event: NoteUpsert, thread: BatchConversation) -> dict[str, Any]:
        author_id, author_name = self._catalogue.author(event.author, event.at)
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
            "part": self._threads.part(event.person),
        }


def _reaction_order(row: Row) -> tuple[int, bool, str]:
    return row["created_at"], not row["emoji"], row["emoji"]
