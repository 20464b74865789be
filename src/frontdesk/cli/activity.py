"""Polls an inbox for new messages, and yields each message once."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from frontdesk.errors import Forbidden
from frontdesk.wire import Conversation, ConversationFilter, Message, MessagePreview, instant

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, Rows

# Page size of polls; always the same, so that unchanged pages are answered 304.
HEAD = 25
# Messages may arrive later than others that were sent after them.
LATE = timedelta(minutes=5)

Said: TypeAlias = Message | MessagePreview


@dataclass(frozen=True, slots=True)
class Activity:
    """New message with its conversation; None if the key may not read messages."""

    conversation: Conversation
    message: Said | None

    @property
    def at(self) -> datetime | None:
        made = self.message.created_at if self.message else self.conversation.last_activity_at
        return instant(made)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Position in a conversation: time of the last message yielded, and its ids at that time."""

    moment: datetime
    ids: frozenset[str] = frozenset()

    def passed_by(self, message: Message) -> bool:
        """Check if the message is newer than this position."""
        made = instant(message.created_at)
        if made is None:
            return False
        return made > self.moment or (made == self.moment and message.id not in self.ids)


class Feed:
    """New messages of the conversations that match a filter.

    Activity of a conversation never decreases, so polling stops well below the newest one seen.
    """

    def __init__(self, client: "InboxClient", filter: ConversationFilter, since: datetime) -> None:
        """since: start time; messages from then on are new."""
        self._client = client
        self._filter = filter
        self._since = since
        self._floor = since
        self._active: dict[str, str] = {}
        self._marks: dict[str, _Mark] = {}
        self._without_messages = False

    async def latest(self, number: int) -> list[Activity]:
        """Return the newest message of the most recently active conversations, oldest first.

        Later messages are new from now on.
        """
        told: list[Activity] = []
        async for row in self._rows():
            active = instant(row.last_activity_at)
            if not self._active and active is not None:
                self._since = self._floor = active - LATE
            if len(told) < number:
                told.append(Activity(row, row.last_message))
            elif active is not None and active < self._floor:
                break
            self._know(row)
        return told[::-1]

    async def news(self) -> list[Activity]:
        """Return messages since the last call, oldest first."""
        moved = [conversation async for conversation in self._moved()]
        told = {one.id: await self._told(one) for one in moved}
        # No failure is possible from here on, so positions match the returned messages.
        for conversation in moved:
            self._know(conversation, told[conversation.id])
        news = [one for activities in told.values() for one in activities]
        return sorted(news, key=lambda one: one.at or self._since)

    async def _moved(self) -> AsyncIterator[Conversation]:
        """Yield conversations with activity since the last call, newest first."""
        async for conversation in self._rows():
            active = instant(conversation.last_activity_at)
            if active is not None and active < self._floor:
                return
            if self._active.get(conversation.id) != conversation.last_activity_at:
                yield conversation

    def _rows(self) -> "Rows[Conversation]":
        return self._client.conversations(**dict(self._filter), limit=HEAD)

    async def _told(self, conversation: Conversation) -> list[Activity]:
        """Return the new messages of a conversation."""
        if not self._without_messages:
            try:
                messages = await self._messages(conversation.id)
            except Forbidden:
                self._without_messages = True
            else:
                return [Activity(conversation, message) for message in messages]
        return [Activity(conversation, conversation.last_message)]

    async def _messages(self, id: str) -> list[Message]:
        mark = self._mark(id)
        found: list[Message] = []
        async for message in self._client.messages(id, limit=HEAD):
            made = instant(message.created_at)
            if made is not None and made < mark.moment:
                break
            if mark.passed_by(message):
                found.append(message)
        return found

    def _mark(self, id: str) -> _Mark:
        return self._marks.get(id, _Mark(self._since))

    def _know(self, conversation: Conversation, told: Sequence[Activity] = ()) -> None:
        """Advance a conversation's position past its newest message and the given ones."""
        active = instant(conversation.last_activity_at)
        self._active[conversation.id] = conversation.last_activity_at
        if active is not None:
            self._floor = max(self._floor, active - LATE)
        said: list[Said | None] = [one.message for one in told] or [conversation.last_message]
        self._marks[conversation.id] = _advanced(self._mark(conversation.id), said)


def _advanced(mark: _Mark, told: Sequence[Said | None]) -> _Mark:
    """Return the position after some messages."""
    made = [(moment, one.id) for one in told if one and (moment := instant(one.created_at))]
    newest = max((mark.moment, *(moment for moment, _ in made)))
    ids = frozenset(id for moment, id in made if moment == newest)
    return _Mark(newest, mark.ids | ids if newest == mark.moment else ids)
