"""Thread pane: messages and notes in chronological order.

Renders messages and notes as lines: author, time, contents, delivery status.

WhatsApp markup: *bold*, _italic_, ~strike~, `code` and ```code```.
"""

import re

from frontdesk.export import Entry, author_word
from frontdesk.text import long_date, one_line, time_of_day, words
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.line_widget import Piece, cut, fit, spread, width_of, wrap, wrap_pieces
from frontdesk.tui.widgets.message_contents import contents
from frontdesk.tui.widgets.virtual_list import Place, Rows, VirtualList
from frontdesk.wire import Message, Note, instant

# A mark opens before a non-space that follows a non-letter, and closes the other way round; only
# ```code``` may span lines.
_MARKED = re.compile(
    r"```(?P<block>.+?)```"
    r"|`(?P<code>[^`\n]+)`"
    r"|(?<![\w*])\*(?P<strong>\S(?:[^*\n]*\S)?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>\S(?:[^_\n]*\S)?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>\S(?:[^~\n]*\S)?)~(?![\w~])",
    re.DOTALL,
)
_CODE = ("block", "code")


def marked_pieces(text: str, part: str = "text") -> list[Piece]:
    """`text` as pieces without the marks; nested marks take the style of the innermost one."""
    pieces: list[Piece] = []
    end = 0
    for match in _MARKED.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        if match.start() > end:
            pieces.append((part, text[end : match.start()]))
        inner = match[kind]
        if kind in _CODE:
            pieces.append(("code", inner.strip("\n")))
        else:
            pieces += marked_pieces(inner, kind)
        end = match.end()
    if end < len(text):
        pieces.append((part, text[end:]))
    return pieces


Line = list[Piece]

# Maximum line length for readability.
READING_WIDTH = 100

# Longer texts are truncated on screen; the copy action takes all of it.
SHOWN_CHARACTERS = 65_536

_MARKS = frozenset("*_~`")
_GUTTER_IN, _GUTTER_OUT, _GUTTER_NOTE = "│ ", "┃ ", "┊ "
# Message types rendered as a single line.
_EVENTS = ("system", "reaction")

_DELIVERY = {"delivered": "dlvd", "pending": "…"}


def centred(text: str, width: int, part: str = "dim") -> Line:
    """Horizontal rule with centred text: a date, or the unread marker."""
    text = f" {cut(text, width - 4)} "
    rest = max(0, width - width_of([(part, text)]))
    return [(part, "─" * (rest // 2) + text + "─" * (rest - rest // 2))]


def note_lines(note: Note, clock: Clock, width: int, *, head: bool) -> list[Line]:
    """Lines of a note, with a gutter and heading of its own."""
    lines: list[Line] = []
    if head:
        left = [("note", f"{_GUTTER_NOTE}NOTE"), ("note", f" · {_who(note)}")]
        if width >= 60:
            left.append(("dim", " · only visible to the team"))
        lines.append(spread(left, [("dim", f" {_time(note.created_at, clock)}")], width))
    lines += _body(note.text, width, _GUTTER_NOTE, "note")
    return lines


def message_lines(
    message: Message,
    clock: Clock,
    width: int,
    *,
    contact: str,
    head: bool = True,
    open_key: str = "",
) -> list[Line]:
    """Lines of a message; `contact`: name of the contact. `head`: with author and time."""
    if message.type in _EVENTS:
        return [[("dim", fit(f"  · {_event(message, contact)}", width))]]
    if message.type == "note":
        return _body(message.text or "", width, _GUTTER_NOTE, "note")
    lines: list[Line] = []
    if head:
        lines.append(_head(message, clock, width, contact))
    gutter = _GUTTER_OUT if message.direction == "outbound" else _GUTTER_IN
    lines += _quote(message, width, gutter)
    for part, text in contents(message, open_key=open_key):
        lines += _body(text, width, gutter, part)
    if message.reactions:
        emoji = " ".join(one_line(reaction.emoji) for reaction in message.reactions)
        lines.append([("dim", gutter), ("text", fit(emoji, max(0, width - 2)))])
    if message.delivery_status == "failed":
        lines += _body(f"✗ {_failure(message)}", width, gutter, "error")
    return lines


def _head(message: Message, clock: Clock, width: int, contact: str) -> Line:
    marks = [_time(message.created_at, clock)]
    if message.edited_at:
        marks.append("edited")
    if message.direction == "outbound" and message.delivery_status:
        status = message.delivery_status
        marks.append("✗ failed" if status == "failed" else _DELIVERY.get(status, words(status)))
    left: Line = [("strong", _who(message, contact))]
    if message.type == "template":
        left.append(
            ("dim", f" · template {one_line(str((message.content or {}).get('name', '')))}")
        )
    if message.forwarded:
        left.append(
            ("dim", " · forwarded" + (" many times" if message.forwarded == "many" else ""))
        )
    return spread(left, [("dim", f" {' '.join(marks)}")], width)


def _who(entry: Message | Note, contact: str = "") -> str:
    name = one_line(entry.author_ref.name) if entry.author_ref and entry.author_ref.name else ""
    role = author_word(entry.author)
    if entry.author == "contact":
        return one_line(name or contact or role)
    if entry.author == "user":
        return name or role
    return f"{role} · {name}" if name else role


def _time(timestamp: str, clock: Clock) -> str:
    moment = clock.local(timestamp)
    return time_of_day(moment) if moment else one_line(timestamp)


def _body(text: str, width: int, gutter: str, part: str) -> list[Line]:
    if len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + f"\n[{len(text) - SHOWN_CHARACTERS} more characters]"
    room = max(1, min(width, READING_WIDTH) - width_of([(part, gutter)]))
    edge = part if part == "note" else "dim"
    rest = " " * max(0, width - READING_WIDTH)
    if part == "text" and _MARKS.intersection(text):
        lines = wrap_pieces(marked_pieces(text), room)
    else:
        lines = [[(part, line)] for line in wrap(text, room)]
    return [[(edge, gutter), *line, (part, " " * (room - width_of(line)) + rest)] for line in lines]


def _quote(message: Message, width: int, gutter: str) -> list[Line]:
    reply = message.reply_to
    if reply is None:
        return []
    quoted = one_line(reply.text or "") or (f"[{words(reply.type)}]" if reply.type else "a message")
    return [[("dim", gutter), ("dim", fit(f"> {quoted}", max(0, width - 2)))]]


def _event(message: Message, contact: str) -> str:
    """Text of a reaction or system message."""
    if message.type == "reaction":
        emoji = one_line(str((message.content or {}).get("emoji") or ""))
        return f"{_who(message, contact)} {f'reacted {emoji}' if emoji else 'took a reaction back'}"
    said = one_line(message.text or "")
    return said or words(str((message.content or {}).get("event") or "system event"))


def _failure(message: Message) -> str:
    error = message.error
    if error is None:
        return "not delivered"
    details = f" — {one_line(error.details)}" if error.details else ""
    return f"{one_line(error.title)} ({error.code}){details}"


def same_sender(entry: Message | Note, previous: Message | Note | None) -> bool:
    """True if an entry follows another of the same author and direction within a minute."""
    if previous is None or type(entry) is not type(previous) or entry.author != previous.author:
        return False
    if isinstance(entry, Message) and isinstance(previous, Message):
        if (
            not {entry.type, previous.type}.isdisjoint(_EVENTS)
            or entry.direction != previous.direction
        ):
            return False
        if entry.delivery_status != previous.delivery_status or entry.type == "template":
            return False
    if entry.author_ref != previous.author_ref:
        return False
    now, then = instant(entry.created_at), instant(previous.created_at)
    return bool(now and then and (now - then).total_seconds() < 60)


class Thread(VirtualList[Entry]):
    """Draws entries with date lines; the unread line is set once when the thread is opened."""

    HALF_PAGE_AT_EDGE = False
    RESTS_AT_BOTTOM = True
    CHOSEN = ("chosen-off", "ground")

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
