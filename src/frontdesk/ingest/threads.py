"""The conversations that a batch touches, each made on first sight (rule R1)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from frontdesk.ingest.applied import Counted
from frontdesk.ingest.events import Person
from frontdesk.ingest.letters import Letter
from frontdesk.ingest.people import People
from frontdesk.ingest.rules import Happening
from frontdesk.store import changes, known
from frontdesk.store.database import Connection, Row
from frontdesk.store.ids import Ids


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
    """Finds and makes conversations. `load` those of the contacts that the batch names first."""

    def __init__(
        self, connection: Connection, account_id: int, ids: Ids, counted: Counted, people: People
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._counted = counted
        self._people = people
        # Conversations that went into others.
        self.gone: list[Thread] = []
        self._threads: dict[int, Thread] = {}
        self._by_pair: dict[tuple[int, int], Thread] = {}

    def load(self, contact_ids: Sequence[int]) -> None:
        """Read the conversations of known contacts."""
        stored = known.conversations_of(self._connection, self._account_id, contact_ids)
        self._keep(stored)

    def contact_ids(self, conversation_ids: Collection[int]) -> dict[int, int]:
        """Whose some stored conversations are."""
        return known.correspondents(self._connection, self._account_id, conversation_ids)

    def absorb(self, moves: Mapping[int, int]) -> dict[int, int]:
        """Conversations of contacts that became one with another go there too: {from: to}.

        Returns into which conversations others went, in the same way.
        """
        gone: dict[int, int] = {}
        for thread in list(self._threads.values()):
            contact_id = moves.get(thread.contact_id)
            if contact_id is not None:
                into = self._move(thread, contact_id)
                if into is not thread:
                    gone[thread.id] = into.id
        return gone

    def touched(self) -> list[Thread]:
        """Conversations with anything new, in the order of their ids."""
        return sorted(
            (thread for thread in self._threads.values() if thread.touched),
            key=lambda thread: thread.id,
        )

    def of(self, channel_id: int, person: Person, at: int) -> Thread:
        """The one conversation of a channel and a person, which is made if it is unknown (R1)."""
        contact_id = self._people.contact_id(person, at)
        thread = self._by_pair.get((contact_id, channel_id))
        if thread is None:
            thread = Thread(self._ids.next("conversation"), contact_id, channel_id, at)
            self._threads[thread.id] = self._by_pair[contact_id, channel_id] = thread
            self._counted.new("conversations")
        thread.first_at = min(thread.first_at, at)
        return thread

    def began(self, row: Row, at: int) -> None:
        """The conversation of a message is at least that old."""
        thread = self.holding(row)
        if at < thread.first_at:
            thread.first_at, thread.touched = at, True
            self._counted.changed = True

    def holding(self, row: Row) -> Thread:
        """The conversation of a stored row."""
        conversation_id = row["conversation_id"]
        if conversation_id not in self._threads:
            self._keep([known.conversation(self._connection, self._account_id, conversation_id)])
        return self._threads[conversation_id]

    def _move(self, thread: Thread, contact_id: int) -> Thread:
        """Give a conversation to a contact who may have one on that channel; returns that."""
        del self._by_pair[thread.contact_id, thread.channel_id]
        other = self._by_pair.get((contact_id, thread.channel_id))
        if other is None:
            thread.contact_id, thread.touched = contact_id, True
            self._by_pair[contact_id, thread.channel_id] = thread
            return thread
        changes.absorb_conversation(self._connection, self._account_id, thread.id, other.id)
        self.gone.append(self._threads.pop(thread.id))
        other.first_at = min(other.first_at, thread.first_at)
        other.touched = other.refold = True
        self._counted.change("conversations")
        return other

    def _keep(self, stored: Sequence[Row]) -> None:
        labels = known.labels_of(self._connection, self._account_id, [row["id"] for row in stored])
        for row in stored:
            thread = Thread(row["id"], row["contact_id"], row["channel_id"], row["created_at"])
            thread.stored, thread.labels = row, frozenset(labels.get(row["id"], ()))
            self._threads[thread.id] = thread
            self._by_pair[thread.contact_id, thread.channel_id] = thread
