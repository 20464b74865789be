"""Renders a conversation as two lines, or as one line of a table."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from rich.cells import cell_len

from frontdesk.query.terms import CREATED, NEWEST, OLDEST, WAITING, WINDOW
from frontdesk.text.clean import humanize, one_line
from frontdesk.text.messages import AUTHORS, preview_text
from frontdesk.text.phones import channel_name, contact_name
from frontdesk.text.times import duration, long_duration, mail_time, short_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.chips import HEX_COLOUR, chip
from frontdesk.tui.widgets.glyphs import EMOJI, MessageSymbols
from frontdesk.tui.widgets.text_layout import Piece, cut, spread, width_of
from frontdesk.wire import Conversation, MessagePreview

Line = list[Piece]

MARK = "*"
_GUTTER, _CLOCK_WIDTH, _WINDOW_WIDTH = 3, 7, 9
CLOSED = "closed"
# List width from which the second line says "! needs human", and "unassigned" at all.
_LEAST_FOR_NEEDS, _LEAST_FOR_UNASSIGNED = 36, 28
# Cells that the beginning of a label needs: four letters and an ellipsis.
_LEAST_OF_LABEL = 5

# A waiting time ages by shape and by colour: under 15 minutes, an hour, eight hours, more.
_STAGES = (
    (timedelta(minutes=15), "◔", "text"),
    (timedelta(hours=1), "◑", "early"),
    (timedelta(hours=8), "◕", "warning"),
    (timedelta.max, "●", "overdue"),
)
# A reply window with less time left is said to close, in the colour of a warning.
_CLOSES_SOON = timedelta(hours=1)


class RowContext(NamedTuple):
    """State that rows depend on besides the conversation.

    colours: of labels, by title. same_owner: all rows have the same assignee, so the channel is
    shown instead. plain: labels have no ground, for terminals with sixteen colours. me: id of the
    own user, or "". order: what the rows are sorted by, which the time at their end is of.
    """

    clock: Clock
    now: datetime
    colours: Mapping[str, str] = MappingProxyType({})
    same_owner: bool = False
    plain: bool = False
    symbols: MessageSymbols = EMOJI
    me: str = ""
    order: str = ""


# Before a message that was found and need not be the last one.
_FOUND = "»"


class RowState(NamedTuple):
    """State of a row in the list.

    new: unread, with a number of `unread` messages if that is known; highlighted: just changed.
    follow_up: it was hidden, and has come back. hidden_until: it is hidden in other views.
    excerpt: where the words of the query were found, in place of the last message.
    """

    new: bool = False
    marked: bool = False
    highlighted: bool = False
    unread: int = 0
    follow_up: bool = False
    hidden_until: datetime | None = None
    excerpt: str = ""


def row_lines(
    conversation: Conversation, context: RowContext, state: RowState, width: int, lines: int
) -> list[Line]:
    """The first `lines` (1 to 3) lines of a conversation: name, last message, channel."""
    drawn = [_name_line(conversation, context, state, width)]
    if lines > 1:
        drawn.append(_message_line(conversation, context, state, width))
    if lines > 2:
        drawn.append(_channel_line(conversation, context, width))
    return drawn


def _name_line(
    conversation: Conversation, context: RowContext, state: RowState, width: int
) -> Line:
    """unread count · name · labels · clock"""
    right = [*_clock(conversation, context, state), ("text", " ")]
    sign = _follow_up(context, state)
    room = max(0, width - _GUTTER - width_of(right) - width_of(sign))
    name = contact_name(conversation.contact)
    for_name = min(cell_len(name), max(16, room * 2 // 5))
    chips = _chips(conversation.labels, context, room - for_name - 2)
    chips = [*chips, ("text", " ")] if chips else []
    left = [
        *_unread_column(state),
        *sign,
        _name_piece(name, state, room - width_of(chips) - 1),
    ]
    return spread(left, [*chips, *right], width)


def _message_line(
    conversation: Conversation, context: RowContext, state: RowState, width: int
) -> Line:
    """who: last message · owner"""
    if context.same_owner and not conversation.awaiting_human:
        part, channel = _channel(conversation)
        owner = part, f"in {channel}"
    else:
        owner = _owner(conversation, context.me, width)
    right = [(owner[0], f" {cut(owner[1], max(0, width // 2))}"), ("text", " ")]
    left = [("text", " " * _GUTTER), *_preview_line(conversation, context, state)]
    return spread(left, right, width)


def _channel_line(conversation: Conversation, context: RowContext, width: int) -> Line:
    """channel · time left to reply"""
    window = window_left(conversation, context.clock)
    facts = [_channel(conversation)[1], f"reply window {window[1]}" if window else ""]
    words = " · ".join(fact for fact in facts if fact)
    return spread([("dim", f"{' ' * _GUTTER}{words}")], [], width)


class ConversationColumn(NamedTuple):
    """Column of the table. width 0: the rest. order: the order that sorts by it, if any."""

    name: str
    width: int
    order: str = ""
    numeric: bool = False


LEAST_TABLE_WIDTH = 138
COLUMNS = (
    ConversationColumn("", _GUTTER),
    ConversationColumn("Name", 24),
    ConversationColumn("Last message", 0),
    ConversationColumn("Labels", 26),
    ConversationColumn("Assignee", 15),
    ConversationColumn("Channel", 11),
    ConversationColumn("Waits", _CLOCK_WIDTH, WAITING, numeric=True),
    ConversationColumn("Last", 8, NEWEST, numeric=True),
)
_BETWEEN = 2
# Heading of the waiting times where they are the time left to reply, and marks of the order.
_LEFT, _SORTED, _OLDEST_FIRST = "Left", " ▾", " ▴"


def column_widths(width: int) -> list[int]:
    """Widths of the columns without the blanks between them."""
    fixed = sum(column.width for column in COLUMNS) + _BETWEEN * (len(COLUMNS) - 2)
    return [column.width or max(0, width - 1 - fixed) for column in COLUMNS]


def heading(width: int, order: str) -> Line:
    """Names of the columns; the one that the rows are sorted by is marked."""
    cells = []
    for column in COLUMNS:
        if order == WINDOW and column.order == WAITING:
            column = column._replace(name=_LEFT, order=WINDOW)
        oldest = order == OLDEST and column.order == NEWEST
        by = oldest or (bool(order) and column.order == order)
        mark = _OLDEST_FIRST if oldest else _SORTED
        name = f"{column.name}{mark}" if by else column.name
        cells.append([("accent" if by else "dim", name)])
    return _in_columns(cells, width)


def order_of(heading: str) -> str:
    """Order that the column under a heading sorts by, or ""."""
    orders = {column.name: column.order for column in COLUMNS} | {_LEFT: WINDOW}
    return orders.get(heading.removesuffix(_SORTED).removesuffix(_OLDEST_FIRST), "")


def table_row(conversation: Conversation, context: RowContext, state: RowState, width: int) -> Line:
    """A conversation as one line in `COLUMNS`."""
    sizes = column_widths(width)
    preview = spread(_preview_line(conversation, context, state), [], sizes[2])
    waits = _waits(conversation, context)
    waiting = _waiting(waits, RowState()) if waits is not None else []
    if context.order == WINDOW:
        left = _window(conversation, context)
        waiting = [left] if left is not None else []
    sign = _follow_up(context, state)
    name = contact_name(conversation.contact)
    cells = [
        _unread_column(state),
        [*sign, _name_piece(name, state, sizes[1] - width_of(sign))],
        preview,
        _chips(conversation.labels, context, sizes[3]),
        [_owner(conversation, context.me, width, full=True)],
        [_channel(conversation)],
        waiting,
        [_moment(conversation, context, state)],
    ]
    return _in_columns(cells, width)


def _in_columns(cells: Sequence[Line], width: int) -> Line:
    line: Line = []
    sizes = column_widths(width)
    for at, (column, size, cell) in enumerate(zip(COLUMNS, sizes, cells, strict=True)):
        blank = [("text", "")]
        parts = spread(blank, cell, size) if column.numeric else spread(cell, [], size)
        line += parts
        if 0 < at < len(COLUMNS) - 1:
            line.append(("text", " " * _BETWEEN))
    return spread(line, [], width)


def _unread_column(state: RowState) -> Line:
    count = f"{min(state.unread, 99)}" if state.unread > 0 else "•" if state.new else ""
    mark = MARK if state.marked else "+" if state.unread > 99 else " "
    return [("accent", f"{count:>2}"), ("accent", mark)]


def _follow_up(context: RowContext, state: RowState) -> Line:
    """That a row has come back, or when it will."""
    if state.hidden_until is not None:
        # Deferred: few rows are hidden, and they are drawn in few views.
        from frontdesk.text.later import coming

        until = context.clock.here(state.hidden_until) or state.hidden_until
        return [("dim", f"{context.symbols.follow_up} {coming(until, context.now)} ")]
    return [("warning", f"{context.symbols.follow_up} ")] if state.follow_up else []


def _name_piece(name: str, state: RowState, width: int) -> Piece:
    return "strong" if state.new else "text", cut(name, max(0, width))


def _waits(conversation: Conversation, context: RowContext) -> timedelta | None:
    """Waiting time of the customer; None for resolved conversations."""
    since = context.clock.local(conversation.waiting_since)
    if since is None or conversation.status == "resolved":
        return None
    return max(context.now - since, timedelta())


def _clock(conversation: Conversation, context: RowContext, state: RowState) -> Line:
    """What the rows are sorted by: the wait, the time left to reply, or when they were active.

    The glyph of the wait stands before when they were active.
    """
    if context.order == WINDOW:
        left = _window(conversation, context)
        part, words = left or ("dim", "")
        words = words if words in ("", CLOSED) else f"{words} left"
        return [(part, words.rjust(_WINDOW_WIDTH))]
    waits = _waits(conversation, context)
    if context.order == WAITING:
        return _waiting(waits, state) if waits is not None else [("text", " " * _CLOCK_WIDTH)]
    part, words = _moment(conversation, context, state)
    glyph, colour = stage(waits) if waits is not None else (" ", "text")
    return [(colour, f"{glyph} "), (part, words.rjust(_moment_width()))]


def _window(conversation: Conversation, context: RowContext) -> Piece | None:
    """Colour, and time until the reply window closes or "closed"; None if it is not known."""
    ends = context.clock.local(conversation.service_window_expires_at)
    if ends is None:
        return None
    left = ends - context.now
    if left <= timedelta():
        return "dim", CLOSED
    return "warning" if left < _CLOSES_SOON else "text", duration(left)


def _waiting(waits: timedelta, state: RowState) -> Line:
    glyph, part = stage(waits)
    words = f" {duration(waits)}".rjust(4)
    return [
        ("text", " " * (_CLOCK_WIDTH - 1 - len(words))),
        (part, glyph),
        ("strong" if state.highlighted else part, words),
    ]


def stage(waits: timedelta) -> tuple[str, str]:
    """Glyph and part of a waiting time."""
    return next((glyph, part) for limit, glyph, part in _STAGES if waits < limit)


def _moment(conversation: Conversation, context: RowContext, state: RowState) -> Piece:
    """When a conversation was active last; in their order, when it was created."""
    moment = conversation.last_activity_at
    if context.order == CREATED:
        moment = conversation.created_at or moment
    then = context.clock.local(moment)
    words = mail_time(then, context.now) if then is not None else "?"
    return "strong" if state.highlighted else "dim", words


@cache
def _moment_width() -> int:
    """Width of the widest `mail_time`: 12:39 PM, or 28 Dec in a 24-hour clock."""
    days = [datetime(2025, month, 28, 12, 39, tzinfo=UTC) for month in range(1, 13)]
    return max(cell_len(words(day)) for day in days for words in (time_of_day, short_date))


def _chips(labels: Sequence[str], context: RowContext, room: int) -> Line:
    """Labels that fit, then +2; if none does, the first is cut, or all become squares."""
    chips: Line = []
    for at, label in enumerate(map(one_line, labels)):
        rest = len(labels) - at - 1
        space = room - width_of(chips) - 1 - (3 if rest else 0) - 2
        if cell_len(label) > space and (at or space < _LEAST_OF_LABEL):
            return _overflow(chips, labels[at:], context, room)
        colour = context.colours.get(labels[at])
        chips += [chip(cut(label, space), colour, plain=context.plain), ("text", " ")]
    return chips[:-1]


def _overflow(chips: Line, labels: Sequence[str], context: RowContext, room: int) -> Line:
    """The chips and what there is room for of the other labels: their number, or a square each."""
    number = ("dim", f"+{len(labels)}")
    if chips or context.plain:
        return [*chips, number] if width_of(chips) + 2 <= room else chips[:-1]
    squares = [(_square(context.colours.get(label)), "■") for label in labels[:3]]
    return squares if len(squares) <= room else []


def _square(colour: str | None) -> str:
    return f"■{colour}" if colour and HEX_COLOUR.fullmatch(colour) else "dim"


def owner_name(conversation: Conversation, me: str) -> str:
    """Name of the assignee, "you" for the own user; "" if there is none."""
    assignee = conversation.assignee
    if assignee is None:
        return ""
    return "you" if me and assignee.id == me else one_line(assignee.name)


def _owner(conversation: Conversation, me: str, width: int, *, full: bool = False) -> Piece:
    """First name of the assignee, or unassigned; with ! if a person is needed. full: whole name."""
    name = owner_name(conversation, me)
    short = name if full else name.split(" ")[0]
    if conversation.awaiting_human:
        needs = "needs human" if width >= _LEAST_FOR_NEEDS else "human"
        return "warning", f"! {short or ('unassigned' if full else needs)}"
    if short:
        return "dim", short
    return "text", "unassigned" if width >= _LEAST_FOR_UNASSIGNED else "–"


def _channel(conversation: Conversation) -> Piece:
    return "dim", channel_name(conversation.channel)


def _preview_line(conversation: Conversation, context: RowContext, state: RowState) -> Line:
    """The last message, with its author unless that is the customer; or what was found."""
    preview = conversation.last_message
    if state.excerpt:
        return [("dim", f"{_FOUND} "), ("text" if state.new else "dim", state.excerpt)]
    if preview is None:
        return []
    failed: Line = [("error", "✗ ")] if preview.delivery_status == "failed" else []
    text = "text" if state.new else "dim"
    known = AUTHORS.get(preview.author)
    author = known.short if known else humanize(preview.author).capitalize()
    who = f"{author}: " if preview.direction != "inbound" else ""
    return [*failed, ("dim", who), (text, snippet(preview, context.symbols))]


def snippet(preview: MessagePreview, symbols: MessageSymbols = EMOJI) -> str:
    """The last message in one line, with a symbol for media."""
    shown = preview_text(preview)
    if shown.deleted:
        return f"{symbols.deleted} deleted"
    if not shown.type:
        return shown.text
    symbol = symbols.of(shown.type)
    return f"{symbol.icon} {shown.text}" if shown.text else symbol.words


def wait(conversation: Conversation, clock: Clock) -> Piece | None:
    """Colour and words of how long the customer waits: waits 23h; None if nobody does."""
    since = clock.local(conversation.waiting_since)
    if since is None or conversation.status == "resolved":
        return None
    waits = max(clock.shown_now() - since, timedelta())
    return stage(waits)[1], f"waits {duration(waits)}"


def window_left(conversation: Conversation, clock: Clock) -> Piece | None:
    """Colour and text of the reply window: 23h 58m left, 40m left, closed.

    None if the server does not send its end.
    """
    ends, now = clock.local(conversation.service_window_expires_at), clock.shown_now()
    if ends is None:
        return None
    if ends <= now:
        return "text", CLOSED
    soon = ends - now < _CLOSES_SOON
    return "warning" if soon else "text", f"{long_duration(ends - now)} left"
