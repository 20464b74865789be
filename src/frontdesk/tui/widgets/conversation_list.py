"""Conversation list with one, two or three lines per row."""

from collections.abc import Callable, Container, Iterable, Sequence, Set
from datetime import datetime, timedelta
from typing import ClassVar, TypeAlias

from textual.binding import Binding, BindingType
from textual.strip import Strip

from frontdesk.text import ago, duration, first_said, long_duration, one_line, words
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets import virtual_list
from frontdesk.tui.widgets.line_widget import Piece, cut, fit, spread, width_of
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation, MessagePreview

Line = list[Piece]
UnreadAmong = Callable[[Sequence[Conversation]], set[str]]

_AGE_WIDTH = 7
_AUTHORS = {
    "user": "Agent",
    "ai_agent": "AI",
    "phone": "Phone",
    "campaign": "Campaign",
    "api": "API",
    "automation": "Auto",
    "system": "System",
}

# Message types whose text is shown without the name of the type.
_SPEAK_FOR_THEMSELVES = ("text", "template", "interactive")


MARK = "*"

# Time for which the age of a row with new activity is highlighted.
CUE = timedelta(seconds=5)


def _unread_among(conversations: Sequence[Conversation]) -> set[str]:
    return {one.id for one in conversations if one.unread_count}


class ConversationList(VirtualList[Conversation]):
    """Draws conversations in `density` lines each; ages are relative to `clock`.

    dimmed: ids of rows that no longer match the view; set it before `rows_changed`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark for saving, or no longer", id="queue.mark"),
    ]

    Marked: TypeAlias = virtual_list.Marked

    def __init__(
        self,
        clock: Clock,
        *,
        unread_among: UnreadAmong = _unread_among,
        id: str | None = None,
    ) -> None:
        """`unread_among`: returns the ids with new unread messages; other unread counts are dim."""
        super().__init__(id=id)
        self._unread_among = unread_among
        self._unread: set[str] = set()
        self._clock = clock
        self._moment = clock.server_now()
        self._density = 2
        self._marked: dict[str, None] = {}
        self._cued: dict[str, datetime] = {}
        self.dimmed: Set[str] = frozenset()

    @property
    def marked(self) -> Sequence[str]:
        """Ids of the marked conversations, in the order of marking."""
        return tuple(self._marked)

    def action_mark(self) -> None:
        """Toggle the mark of the conversation under the cursor."""
        if self.row is not None:
            if self.row.id in self._marked:
                del self._marked[self.row.id]
            else:
                self._marked[self.row.id] = None
            self.refresh_row(self.cursor)
            self.post_message(self.Marked(self, row=self.row))

    def unmark_all(self) -> None:
        self._marked.clear()
        self.refresh()

    def set_density(self, lines: int) -> None:
        """Set the number of lines (1 to 3) per conversation."""
        if lines != self._density:
            self._density = lines
            self.forget_drawn()
            self.rows_changed()

    def update_ages(self) -> None:
        """Redraw the ages; rows that look the same are not repainted."""
        self.forget_drawn()
        self.rows_changed()

    def cue(self, ids: Iterable[str]) -> None:
        """Highlight conversations with new activity for `CUE`."""
        until = self._clock.now() + CUE
        self._cued.update(dict.fromkeys(ids, until))
        self._refresh_rows(self._cued.keys())

    def end_cues(self) -> timedelta | None:
        """End expired highlights; returns the time until the next one expires, or None."""
        now = self._clock.now()
        over = {id for id, until in self._cued.items() if until <= now}
        for id in over:
            del self._cued[id]
        self._refresh_rows(over)
        return min(self._cued.values()) - now if self._cued else None

    def _refresh_rows(self, ids: Container[str]) -> None:
        for position in self.in_view():
            assert self.rows is not None
            if self.rows[position].id in ids:
                self.refresh_row(position)

    def copied(self) -> str:
        """Phone number of the contact."""
        return (self.row.contact.phone or "") if self.row else ""

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        return findable(self.rows[position])

    def height_of(self, position: int) -> int:
        return self._density

    def sources(self, position: int) -> tuple[object, ...]:
        assert self.rows is not None
        conversation = self.rows[position]
        marked, cued = conversation.id in self._marked, conversation.id in self._cued
        dimmed = conversation.id in self.dimmed
        return conversation, conversation.id in self._unread, marked, cued, dimmed

    def begin(self, positions: Iterable[int]) -> None:
        """Prepare to draw these rows: fetch their unread state together, and fix the time."""
        if self.rows is not None:
            self._unread = self._unread_among([self.rows[at] for at in positions])
        self._moment = self._clock.server_now()

    def _lines(self) -> list[Strip]:
        self.begin(self.in_view())
        return super()._lines()

    def draw(self, position: int, width: int) -> list[Line]:
        assert self.rows is not None
        conversation = self.rows[position]
        new, marked = conversation.id in self._unread, conversation.id in self._marked
        age = "strong" if conversation.id in self._cued else "dim"
        lines = [self._name_line(conversation, width, new=new, marked=marked, age=age)]
        if self._density > 1:
            lines.append(_snippet_line(conversation, width, with_label=self._density < 3))
        if self._density > 2:
            lines.append(_facts_line(conversation, self._clock, width))
        if conversation.id in self.dimmed:
            return [[("dim", text) for _, text in line] for line in lines]
        return lines

    def _name_line(
        self, conversation: Conversation, width: int, *, new: bool, marked: bool, age: str
    ) -> Line:
        """unread count · mark · name · !HUMAN · w12m · age"""
        right: Line = []
        if conversation.awaiting_human:
            right.append(("warning", " !H" if width < 40 else " !HUMAN"))
        waiting = self._clock.local(conversation.waiting_since)
        if waiting and conversation.status != "resolved":
            since = self._moment - waiting
            right.append((_urgency(since), f" w{duration(since)}"))
        active = self._clock.local(conversation.last_activity_at)
        right.append((age, (ago(active, self._moment) if active else "?").rjust(_AGE_WIDTH)))
        unread = conversation.unread_count or 0
        mark = f"{min(unread, 99)}{'+' if unread > 99 else ''}" if unread else " ·"[bool(waiting)]
        name = ("strong" if new else "text", f"{'' if marked else ' '}{_name(conversation)}")
        left = [("accent" if new or not unread else "dim", mark.rjust(2))]
        left += [("accent", MARK)] if marked else []
        return spread([*left, name], right, width)


def findable(conversation: Conversation) -> str:
    """Text for searching: name, number, last message, labels."""
    contact, preview = conversation.contact, conversation.last_message
    words = [contact.name, contact.phone, preview.text if preview else None]
    return " ".join([*(word for word in words if word), *conversation.labels])


def _urgency(waiting: timedelta) -> str:
    """Style of a waiting time: warning after 15 minutes, error after an hour."""
    if waiting > timedelta(hours=1):
        return "error"
    return "warning" if waiting > timedelta(minutes=15) else "dim"


def _name(conversation: Conversation) -> str:
    contact = conversation.contact
    return first_said(contact.name, contact.phone, f"contact {contact.id}")


def _snippet_line(conversation: Conversation, width: int, *, with_label: bool) -> Line:
    """Author and text of the last message; at the right a label or the assignee."""
    right = [("dim", f" {cut(_tag(conversation), width // 3)}")] if with_label else []
    preview = conversation.last_message
    if preview is None:
        return spread([("dim", "   ")], right, width)
    failed = preview.delivery_status == "failed"
    left = [("error", "   ✗ ")] if failed else [("dim", "   ")]
    room = width - width_of(left) - width_of(right)
    return spread([*left, ("dim", cut(snippet(preview), room))], right, width)


def _tag(conversation: Conversation) -> str:
    if conversation.labels:
        return f"#{one_line(conversation.labels[0])}"
    return f"@{one_line(conversation.assignee.name)}" if conversation.assignee else "@--"


def snippet(preview: MessagePreview) -> str:
    """The last message in one line, with its author unless that is the contact."""
    said = one_line(preview.text or "")
    if preview.type not in _SPEAK_FOR_THEMSELVES or not said:
        said = f"[{words(preview.type)}] {said}".rstrip()
    if preview.direction == "inbound":
        return said
    return f"{_AUTHORS.get(preview.author, words(preview.author).capitalize())}: {said}"


def _facts_line(conversation: Conversation, clock: Clock, width: int) -> Line:
    """channel · @assignee · #labels · window"""
    channel = conversation.channel
    facts = [one_line(channel.name or channel.phone or channel.id)]
    facts.append(f"@{one_line(conversation.assignee.name)}" if conversation.assignee else "@--")
    if conversation.labels:
        facts.append(" ".join(f"#{one_line(label)}" for label in conversation.labels))
    facts.append(window_left(conversation, clock, short=True))
    return [("dim", fit("   " + " · ".join(fact for fact in facts if fact), width))]


def window_left(conversation: Conversation, clock: Clock, *, short: bool = False) -> str:
    """Time left in the reply window; empty if the server does not send it."""
    ends, now = clock.local(conversation.service_window_expires_at), clock.server_now()
    if ends is None:
        return ""
    if ends <= now:
        return "window closed"
    return f"window {duration(ends - now)}" if short else long_duration(ends - now)
