"""Renders messages and notes as lines: author, time, contents, delivery status."""

from frontdesk.text import one_line, time_of_day, words
from frontdesk.transcript import author_word
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.cards import contents
from frontdesk.tui.widgets.cells import Piece, cut, fit, spread, width_of, wrap, wrap_pieces
from frontdesk.tui.widgets.markup import marked_pieces
from frontdesk.wire import Message, Note, instant

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
