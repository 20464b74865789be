"""Dialogs that choose: a menu by a letter, a picker by typing, one of filters also several."""

import re
from collections import deque
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.clean import folded, one_line
from frontdesk.tui import sentences
from frontdesk.tui.dialogs.base import AnswerDialog, Choice, Dialog, MenuEntry, TextField, V
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, spread
from frontdesk.tui.widgets.virtual_list import VirtualList

# Lines of a menu besides its entries: border, title, keys. Its least width, and the cells of a line
# besides the words: border and padding, letter, blanks, check mark, scroll bar.
_AROUND_MENU = 4
_LEAST_MENU_WIDTH, _BESIDE_WORDS = 36, 13

_MENU_KEYS = "{menu.previous}{menu.next} move   {menu.take} choose   {menu.leave} back"


class MenuList(VirtualList[MenuEntry[Any]], can_focus=False):
    """List of menu entries, one line each: letter, label, and a check mark at the end."""

    CHOSEN = ("chosen", "chosen")

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        entry = self.rows[position]
        letter, label = ("accent", "text") if entry.available else ("dim", "dim")
        words: list[Piece] = [("text", " "), (letter, entry.letter), (label, f"  {entry.words}")]
        return [spread(words, [("accent", " ✓ ")] if entry.checked else [], width)]


class Menu(Dialog[V | None]):
    """Returns the value of the selected entry, or None if cancelled.

    An entry is selected by its letter, or with the cursor (initially on `current`, which has a
    check mark) by enter or click.
    """

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="menu.leave"),
        Binding("q", "leave_or_take", "Back"),
        Binding("down", "move(1)", "Next", id="menu.next"),
        Binding("up", "move(-1)", "Previous", id="menu.previous"),
        Binding("enter", "take_row", "Choose", id="menu.take"),
        # Bindings work before mounting, so a letter typed ahead is not lost.
        *(
            Binding(letter, f"take({letter!r})")
            for letter in (*ascii_letters, *digits)
            if letter != "q"
        ),
        Binding("full_stop", "take('.')"),
    ]

    def __init__(
        self, title: str, entries: Sequence[MenuEntry[V]], *, current: V | None = None
    ) -> None:
        super().__init__()
        self._title = title
        self._entries = [
            entry._replace(checked=entry.checked or entry.value == current) for entry in entries
        ]
        self._at = next((n for n, entry in enumerate(entries) if entry.value == current), 0)
        self._list = MenuList(id="menu-entries")
        self._values = {entry.letter: entry.value for entry in entries}

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static(self._title, id="menu-title", markup=False)
            yield self._list
            yield HintLine(_MENU_KEYS, id="menu-keys")

    def on_mount(self) -> None:
        if not self.composed:
            return
        menu = self.query_one("#menu")
        menu.styles.height = len(self._entries) + _AROUND_MENU
        longest = max(cell_len(entry.words) for entry in self._entries)
        menu.styles.width = max(_LEAST_MENU_WIDTH, longest + _BESIDE_WORDS)
        rows = FixedRows([(entry.letter, entry) for entry in self._entries])
        self._list.show(rows, cursor=self._at)

    def action_move(self, step: int) -> None:
        """Move the cursor, with wrap-around; also before the list is mounted."""
        self._at = (self._at + step) % len(self._entries)
        self._list.go_to(self._at)

    def action_take_row(self) -> None:
        self.dismiss(self._entries[self._at].value)

    def action_take(self, letter: str) -> None:
        """Return the entry of a letter; ignore other letters."""
        if letter in self._values:
            self.dismiss(self._values[letter])

    def action_leave_or_take(self) -> None:
        """`q` cancels, unless it is the letter of an entry."""
        self.dismiss(self._values.get("q"))

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """Select the clicked entry; a click outside the menu cancels."""
        if event.widget is self:
            self.dismiss(None)
        elif event.widget is self._list and self._list.row is not None:
            self.dismiss(self._list.row.value)


class ChoiceList(VirtualList[Choice[Any]], can_focus=False):
    """List of the choices that match the typed text."""

    CHOSEN = ("chosen", "chosen")

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        choice = self.rows[position]
        hint = cut(f" {one_line(choice.hint)}", max(0, width // 2))
        left = [("text", " "), *_pieces(choice), *([("accent", " ✓")] if choice.checked else [])]
        line = spread(left, [("dim", f"{hint} ")], width)
        return [*_heading(choice.heading, position, width), line]

    def height_of(self, position: int) -> int:
        return 1 + len(_heading(self.rows[position].heading, position, 1))


def _heading(heading: str, position: int, width: int) -> list[list[Piece]]:
    """Lines above the first choice of a group, outside of the selection's ground."""
    if not heading:
        return []
    blank = [("text@ground", fit("", width))]
    return [*([blank] if position else []), [("accent@ground", fit(heading, width))]]


def _pieces(choice: Choice[Any]) -> list[Piece]:
    """The label as pieces, with the highlighted spans."""
    pieces: list[Piece] = []
    at = 0
    for start, end in choice.spans:
        pieces += [("text", choice.words[at:start]), ("accent", choice.words[start:end])]
        at = end
    rest = choice.words[at:] if choice.spans else one_line(choice.words)
    return [*pieces, ("text", rest)]


def containing(choices: Sequence[Choice[V]], typed: str) -> list[Choice[V]]:
    """Choices that contain every typed word: starts of the label first, then of words, then others.

    Choices of equal rank keep their order.
    """
    ranks = [match_rank(choice, typed) for choice in choices]
    ranked = sorted((rank, at) for at, rank in enumerate(ranks) if rank < _NOT_IN_IT)
    return [choices[at] for _, at in ranked]


_NOT_IN_IT = 4


def match_rank(choice: Choice[Any], typed: str) -> int:
    """Where a choice has the typed text: 0 at the start of its label, higher for worse matches.

    Of several words that are not together at the start, the worst match counts.
    """
    words = folded(typed).split()
    if folded(choice.words).startswith(" ".join(words)):
        return 0
    return max(_word_rank(choice, word) for word in words)


def _word_rank(choice: Choice[Any], word: str) -> int:
    label, synonyms = folded(choice.words), folded(choice.synonyms)
    starts = (label.startswith(word), _starts_word(label, word), _starts_word(synonyms, word))
    return next((rank for rank, fits in enumerate((*starts, word in label)) if fits), _NOT_IN_IT)


def _starts_word(text: str, word: str) -> bool:
    """True if a word of a text starts so; with signs in it, what begins after a blank."""
    starts = any(part.startswith(word) for part in _BETWEEN_WORDS.split(text))
    return starts or f" {word}" in f" {text}"


def has_whole_words(label: str, typed: str) -> bool:
    """True if every typed word is a whole word of a label."""
    parts = set(_BETWEEN_WORDS.split(folded(label)))
    return parts.issuperset(folded(typed).split())


_BETWEEN_WORDS = re.compile(r"[^\w+]+")


def matching(choices: Sequence[Choice[V]], typed: str) -> list[Choice[V]]:
    """Choices that contain every typed word, see `containing`; then those of which it is short."""
    if not typed.strip():
        return list(choices)
    exact, words = containing(choices, typed), folded(typed).split()
    short = [choice for choice in choices if _is_short_for(words, folded(choice.words))]
    found = exact + [choice for choice in short if choice not in exact]
    return [choice._replace(heading="") for choice in found]


def _is_short_for(words: Sequence[str], label: str) -> bool:
    """True if each word abbreviates a word of a label, or all are its initials: unrd, nu.

    Blanks may be left out: nextunread.
    """
    parts = [part for part in _BETWEEN_WORDS.split(label) if part]
    initials = "".join(part[0] for part in parts)
    together = "".join(words)
    return (
        together in "".join(parts)
        or together in initials
        or all(any(_abbreviates(word, part) for part in parts) for word in words)
    )


def _abbreviates(word: str, part: str) -> bool:
    """True if a word has letters of another one in their order, and its first."""
    letters = iter(part)
    return part.startswith(word[0]) and all(letter in letters for letter in word)


class Picker(AnswerDialog[V]):
    """Returns the value of the selected choice, or None if cancelled."""

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="picker.leave"),
        Binding("down", "move(1)", "Next", id="picker.next"),
        Binding("up", "move(-1)", "Previous", id="picker.previous"),
        Binding("pagedown", "page(1)", "Page down", id="picker.page_down"),
        Binding("pageup", "page(-1)", "Page up", id="picker.page_up"),
    ]

    def __init__(
        self, title: str, choices: Sequence[Choice[V]], *, current: V | None, remark: str = ""
    ) -> None:
        """`remark`: a note on the choices, shown below them."""
        super().__init__()
        self._title = title
        self._remark = remark
        self._remark_lines = 2 if remark else 0
        self._choices = [
            choice._replace(checked=current is not None and choice.value == current)
            for choice in choices
        ]
        self._looked_for = ""
        # Filled before it is mounted, so that it is drawn once.
        self.list = ChoiceList(id="picker-list")
        at = next((n for n, choice in enumerate(choices) if choice.value == current), 0)
        self.list.show(_rows(self._choices), cursor=at)
        self.list.say_when_empty(sentences.NO_MATCH)

    PLACEHOLDER = "type to narrow the list"
    KEYS = "{enter} choose   {picker.leave} back"
    FIELD: type[TextField] = TextField
    # Lines of choices at first; None: all that the screen has.
    MOST_SHOWN: int | None = 12
    # Lines besides the choices: border, title, field and its border, keys.
    AROUND = 6

    def compose(self) -> ComposeResult:
        with Vertical(id="picker") as around:
            if self.MOST_SHOWN is not None:
                lines = sum(map(self.list.height_of, range(len(self._choices))))
                around.styles.height = self._lines_with(min(lines, self.MOST_SHOWN))
            yield Static(self._title, id="picker-title", markup=False)
            yield self.FIELD(placeholder=self.PLACEHOLDER, id="picker-input")
            yield self.list
            if self._remark:
                yield Static(self._remark, id="picker-remark", markup=False)
            yield HintLine(self.KEYS, id="picker-keys")

    @on(Input.Changed)
    def follow(self, event: Input.Changed) -> None:
        """Filter the list, but skip a change that a newer one has already replaced."""
        if event.value == event.input.value:
            self._look_for(event.value)

    def _look_for(self, typed: str) -> None:
        self._looked_for = typed
        self.narrow(typed)

    def narrow(self, typed: str) -> None:
        """Show the choices that match the typed text."""
        self.offer(matching(self._choices, typed))

    def make_room(self, count: int) -> None:
        """Set the height for a number of choices; the list shrinks if the screen is smaller."""
        self.query_one("#picker").styles.height = self._lines_with(count)

    def _lines_with(self, count: int) -> int:
        return max(3, count) + self.AROUND + self._remark_lines

    def say_when_empty(self, words: str) -> None:
        """Text of the list while no choice matches."""
        self.list.say_when_empty(words)

    def show_title(self, words: str) -> None:
        if self.composed and words != self._title:
            self._title = words
            self.query_one("#picker-title", Static).update(words)

    def offer(self, choices: Sequence[Choice[V]], *, cursor: int = 0) -> None:
        """Show these choices, with the cursor by default on the first."""
        self.list.show(_rows(choices), cursor=cursor)

    @on(Input.Submitted)
    def take(self, event: Input.Submitted) -> None:
        """Return the selected choice, after filtering by all the text typed before enter."""
        if event.value != self._looked_for:
            # The change event of the last keys has not been handled yet.
            self._look_for(event.value)
        if self.is_ready():
            self.take_row()

    def is_ready(self) -> bool:
        """True if enter selects a choice now; a picker that awaits choices selects it later."""
        return True

    def take_row(self) -> None:
        """Return the selected choice."""
        choice = self.list.row
        if choice is not None:
            self.dismiss(choice.value)

    async def on_key(self, event: events.Key) -> None:
        """Move before an "enter" that follows; Textual would run the action after it."""
        for binding in BindingsMap(Picker.BINDINGS).key_to_bindings.get(event.key, ()):
            event.stop()
            await self.run_action(binding.action)
            if binding.action == "leave":
                # The key does not come to the application, which holds back those that follow.
                self.app.post_message(TextField.EnterHandled())

    def action_move(self, step: int) -> None:
        self.list.action_move(step)

    def action_page(self, pages: int) -> None:
        self.list.action_page(pages)

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(ChoiceList.Opened)
    def take_clicked(self) -> None:
        """A double click selects the row."""
        self.take_row()


class MarkingField(TextField):
    """Text field of which space takes the text, and goes to the picker in the order of keys.

    taken: texts that space has ended, and that the picker has not handled yet.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.taken: deque[str] = deque()

    async def on_key(self, event: events.Key) -> None:
        if event.key == "space":
            event.prevent_default()
            self.take_text()

    def take_text(self) -> None:
        """End the text with a mark."""
        self.taken.append(self.value)
        self.value = ""


class FilterPicker(Picker[Any]):
    """Returns the marked values, else the selected one, as a tuple; or None if cancelled.

    current: the values at first, marked if they are several; a single one is with the first mark
    of another. The first choice means any value: a mark on it takes all others away.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark several", id="picker.mark")
    ]
    FIELD = MarkingField
    KEYS = "{enter} choose   {picker.mark} mark several   {picker.leave} back"

    def __init__(
        self, title: str, choices: Sequence[Choice[str]], *, current: Sequence[str], remark: str
    ) -> None:
        super().__init__(title, choices, current=current[0], remark=remark)
        self._any = choices[0].value
        self._in_force = current[0]
        self._marked = list(current) if len(current) > 1 else []
        if self._marked:
            self._show_marks()
            self.offer(self._choices, cursor=self.list.cursor)

    async def on_key(self, event: events.Key) -> None:
        """Mark before an "enter" that follows."""
        if event.key == "space":
            event.stop()
            self.action_mark()

    def action_mark(self) -> None:
        """Mark the selected choice, or take its mark away."""
        typed = self.query_one(MarkingField).taken.popleft()
        if typed != self._looked_for:
            self.narrow(typed)
        choice, self._looked_for = self.list.row, ""
        if choice is None:
            values = [one.value for one in self._choices]
            self.offer(self._choices, cursor=values.index(self._in_force))
            return
        if not self._marked and self._in_force not in (self._any, choice.value):
            self._marked = [self._in_force]
        if choice.value == self._any:
            self._marked = []
        elif choice.value in self._marked:
            self._marked.remove(choice.value)
        else:
            self._marked.append(choice.value)
        self._show_marks()
        values = [one.value for one in self._choices]
        self.offer(self._choices, cursor=values.index(choice.value))

    def narrow(self, typed: str) -> None:
        """Show the choices that match; with the cursor where it is if all are shown already."""
        if typed or len(self.list.rows) < len(self._choices):
            super().narrow(typed)

    def _show_marks(self) -> None:
        self._choices = [
            choice._replace(checked=choice.value in self._marked) for choice in self._choices
        ]

    async def type_in(self, event: events.Key) -> None:
        """Mark too: a space may be typed before the field is there."""
        if event.key == "space":
            event.stop()
            self.query_one(MarkingField).take_text()
            self.action_mark()
        else:
            await super().type_in(event)

    def take_row(self) -> None:
        """Return the marked values, else the selected one."""
        choice = self.list.row
        if self._marked:
            self.dismiss(tuple(self._marked))
        elif choice is not None:
            self.dismiss((choice.value,))


def _rows(choices: Sequence[Choice[V]]) -> FixedRows[Choice[V]]:
    return FixedRows([(str(at), choice) for at, choice in enumerate(choices)])
