"""Message list of the thread pane: messages and notes in chronological order.

Each is rendered as lines: author, time, contents, delivery status. WhatsApp markup is *bold*,
_italic_, ~strike~, `code` and ```code```.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message as WidgetMessage
from textual.strip import Strip

from frontdesk.inbox.rows import FixedRows, Place, Rows
from frontdesk.text import limits
from frontdesk.text.clean import counted, humanize, one_line
from frontdesk.text.entries import REACHED_BY_REACTIONS, NewSinceVisit, is_shown_above
from frontdesk.text.messages import (
    AD,
    BUTTON,
    CARD,
    DELETED,
    DETAIL,
    FAILURE,
    FOOTER,
    HEADER,
    ITEM,
    MACHINE,
    MACHINE_MARK,
    PLACEHOLDER,
    REMARK,
    TEXT,
    Entry,
    MessageLine,
    author_parts,
    content_lines,
    event_words,
    found_pieces,
    head_marks,
    machine_facts,
    machine_read,
    person_word,
    plain,
    plain_text,
    quoted_text,
    reaction_words,
)
from frontdesk.text.times import long_date, time_of_day
from frontdesk.tui.action_groups import READ
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.glyphs import EMOJI, MessageSymbols
from frontdesk.tui.widgets.text_layout import (
    PICTURE,
    Piece,
    cut,
    spread,
    width_of,
    wrap,
    wrap_pieces,
)
from frontdesk.tui.widgets.virtual_list import ListMessage, VirtualList
from frontdesk.wire import Message, Note

if TYPE_CHECKING:
    from frontdesk.own_commands.results import Results
    from frontdesk.tui.widgets.picture_rows import DrawnPictures, ShownPicture

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

# Columns after which text wraps, and at which times end.
TEXT_WIDTH, REACH = 90, 97

# Longer texts are truncated on screen; the copy action takes all of it. No text that somebody wrote
# to be read has so many lines of its own.
SHOWN_CHARACTERS, SHOWN_LINES = limits.TEXT, 1_000

_MARKS = frozenset("*_~`")
# Message types rendered as centred lines.
_EVENTS = ("system", "reaction")
# Messages of one author within this time have one head.
_GROUP_SECONDS = 300
# Lines of what a program read in a file that are shown before they are unfolded.
FOLDED_LINES = 4
# A picture is at most a third of the window.
_PICTURES_OF_WINDOW = 3
# Height from which groups have a blank line between them.
_LEAST_HEIGHT_OF_GAPS = 30

# Voices by author, each with an ink of its name; the shape of the bar differs too.
_VOICES: Mapping[str, str] = MappingProxyType(
    {
        "contact": "customer",
        "user": "team",
        "ai_agent": "ai",
        "phone": "phone",
        "campaign": "campaign",
        "api": "campaign",
        "automation": "campaign",
        "system": "campaign",
    }
)
_BARS: Mapping[str, str] = MappingProxyType(
    {"customer": "│", "team": "┃", "ai": "║", "campaign": "┇", "phone": "╏"}
)
_TICK_INKS: Mapping[str, str] = MappingProxyType(
    {"read": "read", "played": "read", "failed": "error"}
)

# Text that is wrapped, or a line of pieces that is truncated.
Block: TypeAlias = Piece | list[Piece]

_PARTS_OF_ROLES: Mapping[str, str] = MappingProxyType(
    {
        TEXT: "text",
        HEADER: "strong",
        FOOTER: "dim italic",
        ITEM: "text",
        DETAIL: "dim",
        AD: "dim",
        REMARK: "dim",
        PLACEHOLDER: "dim",
        DELETED: "dim italic",
        FAILURE: "error",
    }
)
# Told from the words of the sender by their style alone.
_WITHOUT_BRACKETS = (AD, REMARK, FAILURE)


class MessageContext(NamedTuple):
    """State that messages depend on besides their own.

    open_key, save_key, unfold_key: keys that open and save media, and show all that a program read
    in it. me: id of the own user, or "". picture_lines: height of pictures, at most; 0: none are
    shown. unfolded: all is shown that a program read.
    """

    clock: Clock
    contact: str = ""
    me: str = ""
    open_key: str = ""
    save_key: str = ""
    unfold_key: str = ""
    symbols: MessageSymbols = EMOJI
    picture_lines: int = 0
    unfolded: bool = False


def voice(author: str, direction: str = "outbound") -> str:
    """Kind of author: customer, team, ai, campaign (and other automation), phone."""
    return _VOICES.get(author, "customer" if direction == "inbound" else "campaign")


def rule(words: str, width: int, *, new: int = 0) -> Line:
    """Rule over the width of a thread with centred words, and the number of new messages."""
    reach = min(width, REACH)
    dash, line = ("━", "accent") if new else ("─", "line")
    tail = cut(f" {new} new {dash}", reach) if new else ""
    words = cut(words, reach - width_of([("", tail)]) - 4)
    label = f" {words} " if words else ""
    rest = max(0, reach - width_of([("", label), ("", tail)]))
    before = min(max(0, (reach - width_of([("", label)])) // 2), rest)
    pieces = [(line, dash * before), ("text" if new else "dim", label)]
    return spread([*pieces, (line, dash * (rest - before) + tail)], [], width)


def note_lines(note: Note, context: MessageContext, width: int) -> list[Line]:
    """Lines of a note, on a ground of their own over the whole width."""
    head = [("early bold", "NOTE "), ("note bold", f" {author_parts(note, context.contact)[0]}")]
    head += [("note", "  only the team sees this")] if width >= 60 else []
    time = [("note", f" {_time(note.created_at, context.clock)}")]
    reach = max(0, min(width - 1, REACH))
    lines = [spread(head, time, reach), *_text_lines(note.text, reach, "note")]
    return [on_ground(spread(line, [], width), "note-ground") for line in lines]


def result_lines(name: str, text: str, width: int) -> list[Line]:
    """Lines of what a program wrote, with its name; nobody in the thread has."""
    indent = 4 if width >= 24 else 0
    reach = max(0, min(width - 1, REACH))
    rows = [[("dim bold", name), ("dim", "  a program's, on this computer only")]]
    rows += _text_lines(text, reach - indent - 2, "dim")
    bar = [("line", f"{' ' * indent}┊ ")]
    return [spread(spread([*bar, *row], [], reach), [], width) for row in rows]


def on_ground(line: Line, ground: str) -> Line:
    return [(f"{part}@{ground}", text) for part, text in line]


def message_lines(
    message: Message, context: MessageContext, width: int, *, head: bool = True, timed: bool = True
) -> list[Line]:
    """Lines of a message; `head`: with its author; `timed`: with its time."""
    if message.type in _EVENTS:
        return _event_lines(message, context, width)
    speaker, indent = voice(message.author, message.direction), _indent(message, width)
    bar = [("text", " " * indent), (speaker, f"{_BARS[speaker]} ")]
    reach = max(0, min(width - 1, REACH))
    rows = [_who(message, context)] if head else []
    rows += _content_lines(message, context, _room(message, width))
    came_from = (line.text for line in content_lines(message) if line.role == AD)
    lines = [line for text in came_from for line in _centred(text, width)]
    for at, row in enumerate(rows):
        meta = _meta(message, context, timed=timed) if not at else []
        if not head and width_of([*bar, *row, *meta]) >= reach:
            meta = []
        lines.append(spread(spread([*bar, *row], meta, reach), [], width))
    return lines


def _indent(message: Message, width: int) -> int:
    """Columns before the bar of a message: none for the customer's."""
    return 0 if voice(message.author, message.direction) == "customer" or width < 24 else 4


def _room(message: Message, width: int) -> int:
    """Columns for the contents of a message."""
    reach = max(0, min(width - 1, REACH))
    return max(1, min(TEXT_WIDTH, reach - _indent(message, width) - 2))


def picture_of(entry: Entry, width: int, lines: int) -> "ShownPicture | None":
    """The picture that is drawn with an entry, in at most `lines` lines; None if there is none."""
    return _picture_in(entry, _room(entry, width), lines) if isinstance(entry, Message) else None


def _picture_in(message: Message, room: int, lines: int) -> "ShownPicture | None":
    if message.media is None or not lines:
        return None
    from frontdesk.tui.widgets.picture_rows import ShownPicture

    return ShownPicture.of(message, message.media, room, lines=lines)


def _content_lines(message: Message, context: MessageContext, room: int) -> list[Line]:
    """Quote, contents, why a message failed, reactions."""
    lines = _quote(message, context, room)
    contents = [line for line in content_lines(message) if line.role != AD]
    shown = _picture_in(message, room, context.picture_lines)
    failed = message.delivery_status == "failed"
    for is_button, group in groupby(contents, lambda line: line.role == BUTTON):
        if is_button:
            titles = [line.text for line in group]
            lines += [[("strong", line)] for line in _button_lines(titles, room)]
            continue
        for line in group:
            if line.role == MACHINE:
                lines += _machine_lines(message, line.text, context, room)
                continue
            block = block_of(line, context.symbols, hint=_file_hint(message, context))
            lines += _block_lines(block, room, failed=failed)
            if line.role == CARD:
                lines += [[row] for row in shown.rows] if shown else []
    if message.reactions:
        lines.append([("dim", cut(_reactions(message, context), room))])
    return lines


def _machine_lines(message: Message, text: str, context: MessageContext, room: int) -> list[Line]:
    """What a program read in a file, marked: its first lines; unfolded all, and by whom."""
    mark = ("dim", f"{MACHINE_MARK} ")
    read = [[mark, ("dim italic", line)] for line in wrap(_beginning(text), max(1, room - 2))]
    more = len(read) - FOLDED_LINES
    if context.unfolded:
        by = message.media.text if message.media else None
        moment = context.clock.local(by.at) if by else None
        when = f", {long_date(moment)} {time_of_day(moment)}" if moment else ""
        facts = f"{machine_facts(message)}{when}"
        return [*read, *([("dim", f"  {line}")] for line in wrap(facts, max(1, room - 2)))]
    if more <= 0:
        return read
    words = f"  {counted(more, 'more line')}, {context.unfold_key} shows all"
    return [*read[:FOLDED_LINES], [("dim", cut(words, room))]]


def _file_hint(message: Message, context: MessageContext) -> str:
    """Keys for the file of a message, or the address of another server's."""
    media, open_key = message.media, context.open_key
    if media is None or not media.url or not open_key:
        return ""
    if media.key is None:
        return f"{open_key} opens it"
    if media.status not in (None, "available", "pending"):
        return ""
    opens = "plays" if message.type == "audio" else "opens"
    return f"{open_key} {opens}, {context.save_key} saves"


def block_of(line: MessageLine, symbols: MessageSymbols = EMOJI, *, hint: str = "") -> Block:
    """A line as a block that starts on a new line; not for buttons.

    hint: words after a card, on keys for its file.
    """
    if line.role == CARD:
        return _card(line, symbols, hint)
    if line.role == DELETED:
        return _PARTS_OF_ROLES[DELETED], f"{symbols.deleted} {line.text}"
    return _PARTS_OF_ROLES[line.role], line.text if line.role in _WITHOUT_BRACKETS else plain(line)


def _card(line: MessageLine, symbols: MessageSymbols, hint: str) -> list[Piece]:
    """📷 photo · 240 KB, on a ground of its own."""
    details = f"· {line.text} " if line.text else ""
    card = [("strong@card", f" {symbols.of(line.type).words} "), ("text@card", details)]
    return [*card, ("dim", f"  {hint}")] if hint else card


def _block_lines(block: Block, room: int, *, failed: bool) -> list[Line]:
    if isinstance(block, list):
        return [spread(block, [], min(room, width_of(block)))]
    part, text = block
    return _text_lines(text, room, "dim" if failed and part != "error" else part)


def _button_lines(titles: Sequence[str], room: int) -> list[str]:
    """As many buttons in a line as fit; a longer one is cut, so that both brackets are there."""
    lines: list[str] = []
    for title in titles:
        button = f"[ {cut(title, max(1, room - 4))} ]"
        longer = f"{lines[-1]}  {button}" if lines else ""
        if lines and width_of([("", longer)]) <= room:
            lines[-1] = longer
        else:
            lines.append(button)
    return [cut(line, room) for line in lines]


def _text_lines(text: str, room: int, part: str) -> list[Line]:
    text = _beginning(text)
    room = max(1, min(room, TEXT_WIDTH))
    if part == "text" and _MARKS.intersection(text):
        return wrap_pieces(marked_pieces(text), room)
    return [[(part, line)] for line in wrap(text, room)]


def _beginning(text: str) -> str:
    """As much of a text as is shown, and how much is not."""
    if len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + f"\n[{len(text) - SHOWN_CHARACTERS} more characters]"
    lines = text.split("\n", SHOWN_LINES)
    if len(lines) <= SHOWN_LINES:
        return text
    more = lines.pop().count("\n") + 1
    return "\n".join([*lines, f"[{more} more lines]"])


def _who(message: Message, context: MessageContext) -> Line:
    name, beside = author_parts(message, context.contact)
    what = ["you" if _is_own(message, context.me) else beside, *head_marks(message)]
    details = "".join(f" · {text}" for text in what if text)
    return [(f"{voice(message.author, message.direction)} bold", name), ("dim", details)]


def _is_own(message: Message, me: str) -> bool:
    author = message.author_ref if message.author == "user" else None
    return bool(me and author and author.id == me)


def _meta(message: Message, context: MessageContext, *, timed: bool) -> Line:
    """edited · time · ticks, at the right end of a message's first line."""
    time: Line = [("dim italic", " edited")] if message.edited_at else []
    if timed:
        time.append(("dim", f" {_time(message.created_at, context.clock)}"))
    status = message.delivery_status
    if message.direction != "outbound" or not status:
        return time
    tick = context.symbols.ticks.get(status, humanize(status))
    return [*time, (_TICK_INKS.get(status, "dim"), f" {tick}")]


def _time(timestamp: str, clock: Clock) -> str:
    moment = clock.local(timestamp)
    return time_of_day(moment) if moment else one_line(timestamp)


def _quote(message: Message, context: MessageContext, room: int) -> list[Line]:
    """The beginning of the quoted message, with whose words they are."""
    reply = message.reply_to
    if reply is None:
        return []
    kind = context.symbols.of(reply.kind).words if reply.kind else "a message"
    who: Line = []
    if reply.author:
        speaker = voice(reply.author, reply.direction or "outbound")
        who = [(speaker, f"{person_word(reply.author, context.contact)}: ")]
    pieces = [("dim", "> "), *who, ("dim italic", quoted_text(reply) or kind)]
    return [spread(pieces, [], min(room, width_of(pieces)))]


def _reactions(message: Message, context: MessageContext) -> str:
    return f"{context.symbols.reaction} {'  '.join(reaction_words(message, context.contact))}"


def _event_lines(message: Message, context: MessageContext, width: int) -> list[Line]:
    """A reaction or system message, centred, with its time first."""
    return _centred(
        f"{_time(message.created_at, context.clock)}  {_event(message, context)}", width
    )


def _centred(text: str, width: int) -> list[Line]:
    reach = min(width, REACH)
    lines = wrap(text, max(1, reach - 4))
    blanks = [max(0, (reach - width_of([("", line)])) // 2) for line in lines]
    return [
        spread([("dim italic", " " * blank + line)], [], width)
        for blank, line in zip(blanks, lines, strict=True)
    ]


def _event(message: Message, context: MessageContext) -> str:
    """Text of a reaction or system message."""
    words = event_words(message)
    if message.type == "reaction":
        return f"{author_parts(message, context.contact)[0]} {words}"
    return words


def same_sender(entry: Entry, previous: Entry | None) -> bool:
    """True if a message follows another of the same author within five minutes, and quotes none."""
    if not isinstance(entry, Message) or not isinstance(previous, Message):
        return False
    alike = (
        (entry.author, entry.author_ref, entry.direction, entry.forwarded)
        == (previous.author, previous.author_ref, previous.direction, previous.forwarded)
    ) and entry.reply_to is None
    if not alike or entry.type == "template" or {entry.type, previous.type} & {*_EVENTS}:
        return False
    now, then = entry.created_time, previous.created_time
    return bool(now and then and (now - then).total_seconds() <= _GROUP_SECONDS)


class ThreadContents(NamedTuple):
    """Entries of a thread, oldest first, and what is drawn with them.

    contact: name of the customer. new: what is new on this computer; None: the line above the first
    new message stays. top_words: text above the first entry. results: what programs wrote about
    entries. parts: words of a conversation, by its id, where entries of several are shown.
    """

    rows: Rows[Entry]
    contact: str
    new: NewSinceVisit | None
    top_words: str
    results: "Results" = MappingProxyType({})
    parts: Mapping[str, str] = MappingProxyType({})


class PicturesWanted(ListMessage):
    """Pictures are in view that are not there yet."""

    def can_replace(self, message: WidgetMessage) -> bool:
        return isinstance(message, PicturesWanted)


class Thread(VirtualList[Entry]):
    """Draws entries with date lines, and a line above the first new message.

    That line is set once, as soon as the rows are not older than what is new.
    """

    PicturesWanted: TypeAlias = PicturesWanted

    HALF_PAGE_AT_EDGE = False
    FOLLOWS_END = True
    RESTS_AT_BOTTOM = True
    CHOSEN = ("chosen-off", "ground")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space",
            "unfold",
            "Show all that was read in a file",
            id="thread.unfold",
            group=READ("transcript voice text document ocr whole"),
        ),
    ]

    def __init__(
        self,
        clock: Clock,
        *,
        open_key: str = "",
        save_key: str = "",
        unfold_key: str = "",
        symbols: MessageSymbols = EMOJI,
        picture_lines: Callable[[], int] = lambda: 0,
        id: str | None = None,
    ) -> None:
        """open_key, save_key, unfold_key: names of the keys for media, see `MessageContext`.

        picture_lines: returns the height of pictures, at most; called with the first of them.
        """
        super().__init__(id=id)
        self._find_picture_lines = picture_lines
        self._most_picture_lines: int | None = None
        self._clock = clock
        self._message_context = MessageContext(
            clock,
            open_key=open_key,
            save_key=save_key,
            unfold_key=unfold_key,
            symbols=symbols,
        )
        # Ids of messages of which all is shown that a program read in their file.
        self._unfolded: set[str] = set()
        self._new = NewSinceVisit()
        self._new_from: str | None = None
        self._number_new = 0
        self._top_word = ""
        self._results: Results = {}
        self._parts: Mapping[str, str] = {}

    def open(self, contents: ThreadContents, *, place: Place | None = None) -> None:
        """Show a thread at its stored scroll position, else at its end or first unread message."""
        position = self._use(contents)
        if place is None or not self.return_to(contents.rows, place):
            self.show_end(contents.rows, cursor=position)

    def draw_ahead(self, contents: ThreadContents) -> None:
        """Draw the end of another thread, so that `open` finds its drawings."""
        rows, context = self.rows, self._message_context
        new, top_word = (self._new, self._new_from, self._number_new), self._top_word
        results, parts = self._results, self._parts
        try:
            self.rows = contents.rows
            self._use(contents)
            room = self.size.height
            for position in reversed(range(len(self.rows))):
                room -= self.height_of(position)
                if room <= 0:
                    break
        finally:
            self.rows, self._message_context = rows, context
            (self._new, self._new_from, self._number_new), self._top_word = new, top_word
            self._results, self._parts = results, parts

    def _use(self, contents: ThreadContents) -> int | None:
        """Draw with the words of a thread; returns the position of its first new message."""
        rows, contact, new, self._top_word, self._results, self._parts = contents
        self._message_context = self._message_context._replace(contact=contact)
        if new is None:
            return None
        self._new, self._new_from, self._number_new = new, None, 0
        return self._find_new(rows)

    def _find_new(self, rows: Rows[Entry]) -> int | None:
        """Set the line above the first new message, and return its position, once that is known."""
        if not self._new.are_in(rows):
            return None
        first, self._new = self._new.first_in(rows), NewSinceVisit()
        if first is None:
            return None
        position, self._number_new = first
        self._new_from = rows.key(position)
        return position

    def replace_rows(self, rows: Rows[Entry]) -> None:
        self._find_new(rows)
        super().replace_rows(rows)

    def set_me(self, me: str) -> None:
        """Set the id of the own user, whose messages say so."""
        if me != self._message_context.me:
            self._message_context = self._message_context._replace(me=me)
            self.forget_drawn()
            self.refresh()

    def clear(self, words: str) -> None:
        """Show no entries, but a text."""
        self.say_when_empty(words, restart=True)
        if len(self.rows):
            self.show(FixedRows())
        else:
            self.rows = FixedRows()

    def say_at_top(self, words: str) -> None:
        """Set the line above the oldest loaded message: the thread's start, or that more exists."""
        if words != self._top_word:
            self._top_word = words
            self.rows_changed()

    def show_results(self, results: "Results") -> None:
        """Show what programs wrote about entries, below each of them or at the end."""
        self._results = results
        self.rows_changed()

    def _results_below(self, position: int) -> tuple[tuple[str, str], ...]:
        """Names of programs with what they wrote, below a row."""
        if not self._results:
            return ()
        at_end = self._results.get("", ()) if position == len(self.rows) - 1 else ()
        return (*self._results.get(self.rows.key(position), ()), *at_end)

    def sources(self, position: int) -> tuple[object, ...]:
        entry = self.rows[position]
        previous = self.rows[position - 1] if position else self._top_word
        new = self._number_new if self.rows.key(position) == self._new_from else 0
        hidden = self._is_shown_above(entry, position)
        shown = self._picture_of(entry)
        picture = shown and self.pictures.state(shown)
        context = self._message_context
        below = self._results_below(position)
        part = self._part_of(entry)
        own = (self._has_gaps, hidden, new, entry.id in self._unfolded, picture, below, part)
        return entry, previous, context.contact, *own

    def _part_of(self, entry: Entry | None) -> str:
        """Words of the conversation of an entry, where there are several."""
        return self._parts.get(entry.conversation_id or "", "") if entry is not None else ""

    @cached_property
    def pictures(self) -> "DrawnPictures":
        """Pictures that are decoded; see `wanted_pictures`."""
        from frontdesk.tui.widgets.picture_rows import DrawnPictures

        return DrawnPictures()

    def _picture_of(self, entry: Entry) -> "ShownPicture | None":
        """The picture that is drawn with an entry."""
        if not isinstance(entry, Message) or entry.media is None or entry.media.key is None:
            return None
        return picture_of(entry, max(1, self.size.width - 2), self._picture_lines)

    @property
    def _picture_lines(self) -> int:
        if self._most_picture_lines is None:
            self._most_picture_lines = self._find_picture_lines()
        return min(self._most_picture_lines, self.size.height // _PICTURES_OF_WINDOW)

    def wanted_pictures(self) -> "list[tuple[Message, ShownPicture]]":
        """Pictures in view that are neither there nor said to be missing, the newest first."""
        wanted = []
        for position in reversed(self.in_view()):
            entry = self.rows[position]
            shown = self._picture_of(entry)
            if shown and isinstance(entry, Message) and self.pictures.is_wanted(shown):
                wanted.append((entry, shown))
        return wanted

    def begin(self, positions: Sequence[int]) -> None:
        if self.wanted_pictures():
            self.post_message(self.PicturesWanted(self))

    def show_pictures(self) -> None:
        """Draw the pictures that have come."""
        self._refresh_changed()

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        pieces = [*pieces]
        if not any(part.startswith(PICTURE) for part, _ in pieces):
            return super().segments(pieces, ground)
        segments: list[Segment] = []
        for is_picture, group in groupby(pieces, lambda piece: piece[0].startswith(PICTURE)):
            if not is_picture:
                segments += super().segments(group, ground)
            else:
                for part, blank in group:
                    drawn = self.pictures.row(part)
                    row = super().segments([self.pictures.blank(part)], ground)
                    if drawn is not None:
                        blanks = row[0].style or Style.null()
                        row = [*Segment.apply_style(drawn, Style(bgcolor=blanks.bgcolor))]
                    segments += Strip(row).crop(0, len(blank))
        return segments

    @property
    def _has_gaps(self) -> bool:
        return _has_gaps(self.size)

    def row_layout(self, size: Size) -> object:
        """The width, the height of pictures, and if groups of messages have a line between them."""
        lines = min(self._most_picture_lines or 0, size.height // _PICTURES_OF_WINDOW)
        return size.width, lines, _has_gaps(size)

    def _is_shown_above(self, reaction: Entry, position: int) -> bool:
        first = max(0, position - REACHED_BY_REACTIONS)
        return is_shown_above(reaction, (self.rows[at] for at in range(first, position)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enter opens what is behind a message: its file, if it has one."""
        return action != "open" or self.has_file

    @property
    def has_file(self) -> bool:
        """True if the message under the cursor has a file that the server may give out."""
        return has_file(self.row)

    def action_unfold(self) -> None:
        """Show all that a program read in a file, or its beginning; elsewhere a page down."""
        entry = self.row
        if not isinstance(entry, Message) or not machine_read(entry):
            self.action_page(1)
            return
        self._unfolded ^= {entry.id}
        self.rows_changed()

    def action_move(self, step: int) -> None:
        """Move to the next row that is drawn; a row taller than the window is scrolled first."""
        sign = 1 if step > 0 else -1
        while 0 <= self.cursor + step < len(self.rows):
            if not self._is_shown_above(self.rows[self.cursor + step], self.cursor + step):
                break
            step += sign
        super().action_move(step)

    def _clamp(self, position: int) -> int:
        """The position of a row that is drawn."""
        position = super()._clamp(position)
        while position > 0:
            if not self._is_shown_above(self.rows[position], position):
                break
            position -= 1
        return position

    def copied(self) -> str:
        return self.row.text or plain_text(self.row) if self.row else ""

    def words_at(self, position: int) -> str:
        entry = self.rows[position]
        if isinstance(entry, Message):
            return " ".join(found_pieces(entry))
        return entry.text or ""

    def draw(self, position: int, width: int) -> list[Line]:
        entry = self.rows[position]
        previous = self.rows[position - 1] if position else None
        below = [
            line
            for name, text in self._results_below(position)
            for line in result_lines(name, text, width)
        ]
        if self._is_shown_above(entry, position):
            return below
        new = self._number_new if self.rows.key(position) == self._new_from else 0
        above = self._lines_above(entry, previous, width, new)
        head = bool(above) or not same_sender(entry, previous)
        if head and previous is not None and self._has_gaps:
            above.insert(0, [("text", " " * width)])
        # The selection is a message without the lines above it.
        above = [on_ground(line, "ground") for line in above]
        if isinstance(entry, Note):
            return above + note_lines(entry, self._message_context, width) + below
        context = self._message_context._replace(unfolded=entry.id in self._unfolded)
        if entry.media is not None and entry.media.key is not None:
            context = context._replace(picture_lines=self._picture_lines)
        # The time of a minute is said once.
        timed = head or previous is None or not _is_same_minute(entry, previous)
        return above + message_lines(entry, context, width, head=head, timed=timed) + below

    def _lines_above(
        self, entry: Entry, previous: Entry | None, width: int, new: int
    ) -> list[Line]:
        """Lines above an entry: start of the thread, and one for its date and what is new."""
        lines = []
        if previous is None and self._top_word:
            lines.append(rule(self._top_word, width))
        day = self._clock.local(entry.created_at)
        before = self._clock.local(previous.created_at) if previous else None
        another = day is not None and (before is None or day.date() != before.date())
        if another or new:
            date = long_date(day) if another and day else ""
            lines.append(rule(date, width, new=new))
        part = self._part_of(entry)
        if part != self._part_of(previous):
            lines.append(rule(part, width))
        return lines


def _is_same_minute(entry: Entry, previous: Entry) -> bool:
    """True if two entries have the same time as it is shown."""
    now, then = entry.created_time, previous.created_time
    return bool(
        now
        and then
        and now.replace(second=0, microsecond=0) == then.replace(second=0, microsecond=0)
    )


def has_file(entry: Entry | None) -> bool:
    """True for a message whose file the server may give out."""
    media = entry.media if isinstance(entry, Message) else None
    return media is not None and media.key is not None and media.status != "absent"


def _has_gaps(size: Size) -> bool:
    return size.height > _LEAST_HEIGHT_OF_GAPS
