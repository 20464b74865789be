"""Applies reactions, notes and conversation events."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frontdesk.ingest.apply.catalogue import Catalogue
from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import INBOUND, StateEvent
from frontdesk.ingest.apply.conversations import BatchConversation, Conversations
from frontdesk.ingest.apply.messages import Messages
from frontdesk.ingest.events import ConversationEvent, MessageRead, NoteUpsert, ReactionSet
from frontdesk.store import lookups, writes
from frontdesk.store.database import Row
from frontdesk.store.rows import ConversationEventRow, MessageRow, NoteRow, ReactionRow, packed


class Annotations:
    """Reactions, notes and events of a batch. `load` the stored ones first."""

    def __init__(
        self,
        context: BatchContext,
        catalogue: Catalogue,
        conversations: Conversations,
        messages: Messages,
    ) -> None:
        self._context = context
        self._catalogue = catalogue
        self._conversations = conversations
        self._messages = messages
        self._reactions: dict[tuple[int, str, str], ReactionRow] = {}
        self._unsaved_reactions: dict[tuple[int, str, str], ReactionRow] = {}
        self._notes: dict[str, NoteRow] = {}
        self._unsaved_notes: dict[str, NoteRow] = {}
        self._event_ids: set[str] = set()
        self._unsaved_events: list[ConversationEventRow] = []

    def load_reactions(self, events: Sequence[ReactionSet]) -> None:
        by_channel: dict[int, set[str]] = {}
        for event in events:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            by_channel.setdefault(channel_id, set()).add(event.target_wamid)
        for channel_id, names in by_channel.items():
            for row in lookups.reactions(*self._context.account, channel_id, names):
                self._reactions[channel_id, row["target_wamid"], row["person"]] = row

    def load_notes(self, events: Sequence[NoteUpsert]) -> None:
        if not self._context.ids.any("note"):
            return
        names = {event.external_id for event in events}
        for row in lookups.notes(*self._context.account, names):
            self._notes[str(row["external_id"])] = row

    def load_events(self, events: Sequence[ConversationEvent]) -> None:
        if not self._context.ids.any("conversation_event"):
            return
        names = {event.external_id for event in events}
        self._event_ids |= lookups.event_ids(*self._context.account, names)

    def apply_reaction(self, event: ReactionSet) -> None:
        """Apply a reaction: the latest per person and message; at equal times, removal wins."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        key = (channel_id, event.target_wamid, event.person)
        row: ReactionRow = {
            "account_id": self._context.account_id,
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
            self._context.counts.add("reactions", "known")
            return
        self._reactions[key] = self._unsaved_reactions[key] = row
        target = self._messages.find(channel_id, event.target_wamid)
        if target is not None:
            self._conversations.owner_of(target).touched = True
        self._context.counts.add("reactions", "new" if stored is None else "changed")

    def apply_note(self, event: NoteUpsert) -> None:
        """Insert a note, or update its text if the event is newer."""
        row = self._notes.get(event.external_id)
        if row is not None:
            if event.at <= row["updated_at"] or event.text == row["text"]:
                self._context.counts.add("notes", "known")
                return
            row["text"], row["updated_at"] = event.text, event.at
            conversation = self._conversations.owner_of(row)
            self._context.counts.add("notes", "changed")
        else:
            channel_id = self._catalogue.channel_id(event.channel, event.at)
            created_at = event.at if event.created_at is None else event.created_at
            conversation = self._conversations.get_or_create(channel_id, event.person, created_at)
            row = self._new_note(event, conversation, created_at)
            self._context.counts.add("notes", "new")
        conversation.touched = True
        self._notes[event.external_id] = self._unsaved_notes[event.external_id] = row

    def apply_event(self, event: ConversationEvent) -> None:
        """Insert a conversation event unless it is stored."""
        if event.external_id in self._event_ids:
            self._context.counts.add("events", "known")
            return
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        conversation = self._conversations.get_or_create(channel_id, event.person, event.at)
        part = self._conversations.part(event.person)
        conversation.events.append(
            self.add_event(conversation, event.at, event.name, event.value, event.external_id, part)
        )
        conversation.touched = True

    def apply_read(self, event: MessageRead) -> None:
        """Move the read marker to a message; park the event if the message is unknown."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self._messages.find(channel_id, event.target_wamid)
        if row is not None:
            self._mark_read(row, event.at)
        elif self._messages.park_read(channel_id, event):
            self._context.counts.add("events", "new")
        else:
            self._context.counts.add("events", "known")

    def apply_parked_reads(self) -> None:
        """Move read markers to messages that were read before they were known."""
        for row, at in self._messages.read_before:
            self._mark_read(row, at)

    def _mark_read(self, row: MessageRow, at: int) -> None:
        external_id = f"marked:{row['wamid']}"
        stored = lookups.event_ids(*self._context.account, (external_id,))
        if row["direction"] != INBOUND or stored or external_id in self._event_ids:
            self._context.counts.add("events", "known")
            return
        conversation = self._conversations.owner_of(row)
        value = {"until": row["created_at"]}
        event = self.add_event(conversation, at, "read_marker", value, external_id, row["part"])
        conversation.events.append(event)
        conversation.touched = True

    def add_event(
        self,
        conversation: BatchConversation,
        at: int,
        name: str,
        value: Mapping[str, Any],
        external_id: str,
        part: int | None,
    ) -> StateEvent:
        """Insert a new conversation event and return it as the state rules take it."""
        row: ConversationEventRow = {
            "account_id": self._context.account_id,
            "conversation_id": conversation.id,
            "id": self._context.ids.next("conversation_event"),
            "created_at": at,
            "name": name,
            "value_json": packed(value) or "{}",
            "external_id": external_id,
            "part": part,
        }
        self._event_ids.add(external_id)
        self._unsaved_events.append(row)
        self._context.counts.add("events", "new")
        return self._state_event(row, value)

    def state_event(self, row: Row) -> StateEvent:
        """Convert a stored conversation event to what the state rules take."""
        return self._state_event(row, json.loads(row["value_json"]))

    def save(self) -> None:
        """Write changes and reset them; may be called again."""
        writes.add(self._context.connection, "conversation_event", self._unsaved_events)
        for kind, rows in self.changed():
            writes.save(self._context.connection, kind, rows)
        self._unsaved_events, self._unsaved_notes, self._unsaved_reactions = [], {}, {}

    def added(self) -> list[ConversationEventRow]:
        return self._unsaved_events

    def changed(self) -> Iterator[tuple[str, Sequence[Row]]]:
        yield "note", list(self._unsaved_notes.values())
        yield "reaction", list(self._unsaved_reactions.values())

    def _state_event(self, row: Row, value: Mapping[str, Any]) -> StateEvent:
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

    def _new_note(
        self, event: NoteUpsert, conversation: BatchConversation, created_at: int
    ) -> NoteRow:
        author_id, author_name = self._catalogue.author(event.author, event.at)
        return {
            "account_id": self._context.account_id,
            "conversation_id": conversation.id,
            "id": self._context.ids.next("note"),
            "created_at": created_at,
            "updated_at": event.at,
            "text": event.text,
            "author": event.author.kind,
            "author_id": None if author_id is None else str(author_id),
            "author_name": author_name,
            "external_id": event.external_id,
            "part": self._conversations.part(event.person),
        }


def _reaction_order(row: ReactionRow) -> tuple[int, bool, str]:
    return row["created_at"], not row["emoji"], row["emoji"]
