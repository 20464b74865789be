"""All conversations of one customer as one thread, merged from their cached threads."""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, cast

from frontdesk.cache import Listing, key_of
from frontdesk.cache.rows import unreadable
from frontdesk.errors import InboxError
from frontdesk.text.messages import Entry
from frontdesk.wire import Conversation, ConversationFilter

if TYPE_CHECKING:
    from frontdesk.cache.timeline import Key
    from frontdesk.mailbox.mailbox import Mailbox

# Rows that are kept as they were read.
_READ_LATELY = 100


class _StoryThread:
    """The thread of one conversation of a story. lacks: it could not be loaded."""

    def __init__(self, mailbox: Mailbox, conversation: Conversation) -> None:
        self.conversation = conversation
        self.listing: Listing[Entry] = mailbox.thread(conversation.id)
        self.lacks = False

    @property
    def is_loaded(self) -> bool:
        return self.listing.fetched_at is not None

    @property
    def lowest_known(self) -> Key | None:
        """Key below which nothing is known of the thread; None if it is loaded to its start."""
        if self.listing.complete or self.lacks:
            return None
        lowest = self.listing.lowest() if self.is_loaded else None
        # What is not loaded has nothing after its last activity.
        return lowest or key_of(self.conversation)


class Story:
    """Messages and notes of all conversations of a customer, oldest first.

    It goes back as far as every thread is loaded, or has nothing; what is older waits for
    `load_older`. A thread that begins further back is not loaded; a note in it that is newer than
    its messages comes with them. Like a `Listing`, it shows the state of the last `reload`.
    """

    def __init__(self, mailbox: Mailbox, conversation: Conversation) -> None:
        """conversation: any one of the customer's, which `fetched_at` is of."""
        self._mailbox, self._conversation = mailbox, conversation
        self._parts: dict[str, _StoryThread] = {}
        # Last activity of conversations when they were asked for.
        self._asked: dict[str, str] = {}
        self.reload()

    @property
    def conversations(self) -> list[Conversation]:
        """The customer's conversations, the most recently active first."""
        return [part.conversation for part in self._parts.values()]

    @property
    def fetched_at(self) -> datetime | None:
        """Time of the last refresh of the thread of the conversation that it was made for."""
        return self._parts[self._conversation.id].listing.fetched_at

    @property
    def complete(self) -> bool:
        """True if all threads are loaded to their start."""
        return self._lowest is None

    @property
    def lacks(self) -> list[Conversation]:
        """Conversations of which nothing could be loaded."""
        return [part.conversation for part in self._parts.values() if part.lacks]

    @property
    def extent(self) -> tuple[object, ...]:
        """Changes when older rows are added to one of the threads."""
        return tuple((id, part.listing.extent, part.lacks) for id, part in self._parts.items())

    def reload(self) -> None:
        """Read the current state of the customer's conversations, and of their threads."""
        found = self._mailbox.conversations_of(self._conversation.contact.id)
        if all(row.id != self._conversation.id for row in found):
            found.append(self._conversation)
        before = self._parts
        self._parts = {
            row.id: before.get(row.id) or _StoryThread(self._mailbox, row) for row in found
        }
        for row in found:
            part = self._parts[row.id]
            part.conversation = row
            part.listing.reload()
            part.lacks = part.lacks and not part.is_loaded
        known = [part.lowest_known for part in self._parts.values()]
        self._lowest = max((key for key in known if key is not None), default=None)
        keys = (self._keys_of(part) for part in self._parts.values())
        self._keys = sorted((key, part) for key, part in chain.from_iterable(keys))
        self._positions = {key.row: at for at, (key, _) in enumerate(self._keys)}
        self._read_lately: dict[int, Entry] = {}

    def _keys_of(self, part: _StoryThread) -> list[tuple[Key, str]]:
        listing, id = part.listing, part.conversation.id
        keys = listing.keys() if self._lowest is None else listing.keys(self._lowest)
        return [(key, id) for key in keys]

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, position: int) -> Entry:
        if position < 0:
            position += len(self)
        # The rows in view are read several times in a frame.
        entry = self._read_lately.get(position)
        if entry is None:
            key, id = self._keys[position]
            listing = self._parts[id].listing
            at = listing.position(key.id, key.kind)
            entry = cast(Entry, unreadable(key.kind)) if at is None else listing[at]
            if not entry.conversation_id:
                entry = entry.model_copy(update={"conversation_id": id})
            if len(self._read_lately) >= _READ_LATELY:
                self._read_lately.clear()
            self._read_lately[position] = entry
        return entry

    def key(self, position: int) -> str:
        """Stable key of the row at a position: "kind id"."""
        return " ".join(self._keys[position][0].row)

    def find(self, key: str) -> int | None:
        """Position of the row with this key; None if it is not in this state."""
        kind, _, id = key.partition(" ")
        return self._positions.get((kind, id))

    # Requests

    async def refresh(self) -> None:
        """Request the customer's conversations, and their threads as far as the newest rows need.

        Raises: InboxError: none of the customer's other conversations is known.
        """
        of_customer = ConversationFilter(contact=self._conversation.contact.id)
        try:
            await self._mailbox.refresh_conversations(of_customer)
        except InboxError:
            if len(self._parts) < 2:
                raise
        await self._refresh_stale()
        part = self._next
        while part is not None and not part.is_loaded:
            await self.load_older()
            following = self._next
            part = following if following is not part else None

    async def _refresh_stale(self) -> None:
        self.reload()
        for conversation in self.stale:
            await self._refreshed(conversation)
        self.reload()

    @property
    def stale(self) -> list[Conversation]:
        """Conversations that have newer messages than the story shows, and were not asked for."""
        parts = [part for part in self._parts.values() if part.is_loaded or part.lacks]
        now = self._mailbox.conversations_by_id([part.conversation.id for part in parts])
        return [
            row
            for row in now.values()
            if self._asked.get(row.id) != row.last_activity_at and not self._mailbox.has_newest(row)
        ]

    def ask_again(self) -> None:
        """Let what could not be loaded be asked for again."""
        self._asked.clear()

    async def _refreshed(self, conversation: Conversation) -> bool:
        """Request the newest messages and notes of a conversation; False if that fails."""
        self._asked[conversation.id] = conversation.last_activity_at
        try:
            await self._mailbox.refresh_thread(conversation.id)
            await self._mailbox.refresh_notes(conversation.id)
        except InboxError:
            return False
        return True

    @property
    def _next(self) -> _StoryThread | None:
        """The thread of which the story needs more to go further back."""
        parts = (part for part in self._parts.values() if part.lowest_known == self._lowest)
        return None if self._lowest is None else next(parts, None)

    async def load_older(self) -> None:
        """Load more of the thread of which least is known.

        Raises: InboxError; a thread of which nothing is known is left out instead.
        """
        part = self._next
        if part is None:
            return
        if part.is_loaded:
            await self._mailbox.older_messages(part.conversation.id)
        else:
            part.lacks = not await self._refreshed(part.conversation)
        self.reload()
