"""Marks on this computer: conversations that were read, are unread, or are hidden until a time.

They are settings of the cache; the server is not informed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime

from frontdesk.inbox.cached import Cached
from frontdesk.text.entries import NewSinceVisit
from frontdesk.wire import Conversation, instant

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
# Name of the setting, before the id of the conversation, with the time of the last visit, and of
# then the number of unread messages that the server counted and the id of the newest message.
_READ = "looked at/"
# Stored in place of the time of a visit.
_UNREAD = "unread"
# Likewise, of a conversation that was hidden and has come back.
_CAME_BACK = "follow up"
# Name of the setting, before the id of the conversation, with the time until which it is hidden,
# and that of the customer's last message when it was.
_HIDDEN = "hidden until/"


class ReadMarks:
    """Visits to conversations, and those that are unread until the next visit."""

    def __init__(self, cached: Cached, now: Callable[[], datetime]) -> None:
        self._cached, self._now = cached, now
        self.follow_ups = FollowUps(cached)

    def unread_among(self, conversations: Iterable[Conversation]) -> dict[str, int]:
        """Numbers of new messages by id, of the conversations that are unread on this computer.

        These have unread messages newer than the last visit here, or were marked as unread; then
        the number may be 0.
        """
        shown = {conversation.id: conversation for conversation in conversations}
        marks = self._cached.get_settings([_read_name(id) for id in shown])
        counts = {id: _unread(row, marks.get(_read_name(id))) for id, row in shown.items()}
        return {id: count for id, count in counts.items() if count is not None}

    def new_messages(self, conversation: Conversation) -> NewSinceVisit:
        """What is new of a conversation on this computer."""
        mark = self._cached.get_setting(_read_name(conversation.id))
        read = (mark or "").split(" ", 2)[2:]
        return NewSinceVisit(_unread(conversation, mark), conversation.last_message, "".join(read))

    def mark_read(self, conversation_id: str) -> None:
        """Store a visit to a conversation."""
        row = self._cached.conversation(conversation_id)
        count = (row and row.unread_count) or 0
        newest = row.last_message.id if row and row.last_message else ""
        mark = f"{self._now().astimezone(UTC).isoformat()} {count} {newest}"
        self._cached.set_setting(_read_name(conversation_id), mark.rstrip())

    def mark_unread(self, conversation_id: str) -> None:
        """Store that a conversation is unread until the next visit."""
        self._cached.set_setting(_read_name(conversation_id), _UNREAD)

    def stored(self, conversation_ids: Collection[str]) -> dict[str, str]:
        """What is stored of visits, by id, for `restore`; "" without a visit."""
        stored = self._cached.get_settings([_read_name(id) for id in conversation_ids])
        return {id: stored.get(_read_name(id), "") for id in conversation_ids}

    def restore(self, marks: Mapping[str, str]) -> None:
        """Store again what `stored` returned."""
        for id, mark in marks.items():
            self._cached.set_setting(_read_name(id), mark)

    def is_marked_unread(self, conversation_id: str) -> bool:
        """True if a conversation was marked as unread, and not read since."""
        return self._cached.get_setting(_read_name(conversation_id)) in (_UNREAD, _CAME_BACK)

    def marked_unread(self) -> list[Conversation]:
        """Cached conversations that were marked as unread, and not read since."""
        marked = (self._cached.settings_with(mark) for mark in (_UNREAD, _CAME_BACK))
        ids = [name.removeprefix(_READ) for names in marked for name in names]
        return [*self._cached.conversations_by_id(ids).values()]

    def marked_here(self, most: int) -> list[Conversation] | None:
        """Cached conversations that were read or marked; None if those are over `most`."""
        ids = self._cached.settings_beginning_with(_READ)
        return None if len(ids) > most else [*self._cached.conversations_by_id(ids).values()]


class FollowUps:
    """Conversations that are hidden until a time, and come back unread."""

    def __init__(self, cached: Cached) -> None:
        self._cached = cached

    def hidden(self) -> dict[str, datetime]:
        """Times until which conversations are hidden, by id."""
        stored = self._cached.settings_beginning_with(_HIDDEN).items()
        return {id: _until(value) for id, value in stored}

    def hide(self, conversations: Iterable[Conversation], until: datetime) -> dict[str, str]:
        """Hide conversations until a time; returns what is stored before, for `restore`."""
        before = {}
        for row in conversations:
            name = f"{_HIDDEN}{row.id}"
            before[row.id] = self._cached.get_setting(name) or ""
            self._cached.set_setting(name, f"{until.isoformat()} {row.last_inbound_at or ''}")
        return before

    def restore(self, before: Mapping[str, str]) -> None:
        """Store again what `hide` returned."""
        for id, value in before.items():
            self._cached.set_setting(f"{_HIDDEN}{id}", value)

    def due(self, now: datetime) -> list[str]:
        """Ids of hidden conversations whose time has come, or whose customer has written since."""
        stored = self._cached.settings_beginning_with(_HIDDEN)
        return [
            id for id, value in stored.items() if _until(value) <= now or self._wrote(id, value)
        ]

    def _wrote(self, id: str, hidden: str) -> bool:
        row = self._cached.conversation(id)
        return row is not None and (row.last_inbound_at or "") > hidden.partition(" ")[2]

    def bring_back(self, conversation_ids: Iterable[str]) -> None:
        """Hide conversations no more; they are unread until the next visit."""
        for id in conversation_ids:
            self._cached.set_setting(_read_name(id), _CAME_BACK)
            self._cached.set_setting(f"{_HIDDEN}{id}", "")

    def all(self) -> list[Conversation]:
        """Cached conversations that are hidden, or have come back and were not read."""
        back = (name.removeprefix(_READ) for name in self._cached.settings_with(_CAME_BACK))
        ids = dict.fromkeys((*self.hidden(), *back))
        return [*self._cached.conversations_by_id(ids).values()]

    def among(self, conversations: Iterable[Conversation]) -> dict[str, datetime | None]:
        """When conversations come back, by id; None for those that have, and were not read."""
        names = {row.id: (f"{_HIDDEN}{row.id}", _read_name(row.id)) for row in conversations}
        stored = self._cached.get_settings([name for both in names.values() for name in both])
        found: dict[str, datetime | None] = {}
        for id, (hidden, read) in names.items():
            if until := stored.get(hidden):
                found[id] = _until(until)
            elif stored.get(read) == _CAME_BACK:
                found[id] = None
        return found


def _until(stored: str) -> datetime:
    # A damaged time has passed.
    return instant(stored.partition(" ")[0]) or _LONG_AGO


def _read_name(conversation_id: str) -> str:
    return f"{_READ}{conversation_id}"


def _unread(conversation: Conversation, mark: str | None) -> int | None:
    """Number of messages that are new here; None if the conversation is read.

    mark: what `mark_read` stores, `_UNREAD`, `_CAME_BACK`, or None.
    """
    count = conversation.unread_count or 0
    if mark in (_UNREAD, _CAME_BACK):
        return count
    if mark is None or not conversation.is_unread:
        return count if conversation.is_unread else None
    time, number, *_ = [*mark.split(" ", 2), ""]
    visited, active = instant(time), conversation.last_activity_time
    if visited is None:
        return count
    if conversation.unread_count is None:
        active = conversation.last_inbound_time or active
    if active is not None and active <= visited:
        return None
    waits_since = conversation.waiting_since_time
    is_unanswered = waits_since is not None and waits_since <= visited
    # Until somebody answers, the server goes on counting what was read here.
    new = count - int(number) if is_unanswered and number.isdecimal() else count
    return new if new > 0 else count
