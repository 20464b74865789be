"""Thread pane: messages and notes in chronological order."""

from frontdesk.text import long_date
from frontdesk.transcript import Entry
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.cells import Piece
from frontdesk.tui.widgets.message_lines import (
    centred,
    message_lines,
    note_lines,
    same_sender,
)
from frontdesk.tui.widgets.rows import Place, Rows
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Message, Note


class Thread(VirtualList[Entry]):
    """Draws entries with date lines; the unread line is set once when the thread is opened."""

    HALF_PAGE_AT_EDGE = False
    RESTS_AT_BOTTOM = True

    def __init__(self, clock: Clock, *, open_key: str = "", id: str | None = None) -> None:
        """open_key: name of the key that opens media."""
        super().__init__(id=id)
        self._clock = clock
        self._open_key = open_key
        self._contact = ""
        self._unread_from: str | None = None
        self._unread = 0
        self._top_word = ""

    def open(
        self,
        rows: Rows[Entry],
        *,
        contact: str,
        unread: int,
        top_word: str,
        place: Place | None = None,
    ) -> None:
        """Show a thread at its stored scroll position, else at its end or first unread message."""
        self._contact, self._top_word = contact, top_word
        position = _first_unread(rows, unread)
        self._unread_from = rows.key(position) if position is not None else None
        self._unread = unread
        self.forget_drawn()
        if place is None or not self.return_to(rows, place):
            self.show_end(rows, cursor=position)

    def clear(self, words: str) -> None:
        """Show no entries, but a text."""
        self.say_when_empty(words)
        if self.rows is not None:
            self.show(None)

    def say_at_top(self, words: str) -> None:
        """Set the line above the oldest loaded message: the thread's start, or that more exists."""
        if words != self._top_word:
            self._top_word = words
            self.rows_changed()

    def sources(self, position: int) -> tuple[object, ...]:
        assert self.rows is not None
        if position:
            return self.rows[position], self.rows[position - 1]
        return self.rows[position], self._top_word

    def copied(self) -> str:
        return (self.row.text or "") if self.row else ""

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        return self.rows[position].text or ""

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        entry = self.rows[position]
        previous = self.rows[position - 1] if position else None
        unread_here = self.rows.key(position) == self._unread_from
        lines = self._lines_above(entry, previous, width, unread_here=unread_here)
        head = bool(lines) or not same_sender(entry, previous)
        if isinstance(entry, Note):
            return lines + note_lines(entry, self._clock, width, head=head)
        return lines + message_lines(
            entry,
            self._clock,
            width,
            contact=self._contact,
            head=head,
            open_key=self._open_key,
        )

    def _lines_above(
        self, entry: Entry, previous: Entry | None, width: int, *, unread_here: bool
    ) -> list[list[Piece]]:
        """Lines above an entry: start of the thread, date, unread marker."""
        lines = []
        if previous is None and self._top_word:
            lines.append(centred(self._top_word, width))
        day = self._clock.local(entry.created_at)
        before = self._clock.local(previous.created_at) if previous else None
        if day and (before is None or day.date() != before.date()):
            lines.append(centred(long_date(day), width))
        if unread_here:
            lines.append(centred(f"{self._unread} new", width, "accent"))
        return lines


def _first_unread(rows: Rows[Entry], unread: int) -> int | None:
    """Position of the oldest of the last `unread` inbound messages, searching 500 rows."""
    for position in range(len(rows) - 1, -1, -1):
        entry = rows[position]
        if unread <= 0 or len(rows) - position > 500:
            break
        if isinstance(entry, Message) and entry.direction == "inbound":
            unread -= 1
            if unread == 0:
                return position
    return None
