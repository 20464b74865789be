"""Menu dialog with one-letter entries."""

from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.choices import MenuEntry, V
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece, fit
from frontdesk.tui.widgets.virtual_list import FixedRows, VirtualList

# Lines of a menu besides its entries: border, title, keys.
_AROUND = 4

_KEYS = "{menu.take} choose   {menu.leave} back"


class MenuList(VirtualList[MenuEntry[Any]], can_focus=False):
    """List of menu entries, one line each: letter and label."""

    CHOSEN = ("chosen", "chosen")

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        entry = self.rows[position]
        words = fit(f"  {entry.words}", max(0, width - 2))
        return [[("text", " "), ("accent", entry.letter), ("text", words)]]


class Menu(Dialog[V | None]):
    """Returns the value of the selected entry, or None if cancelled.

    An entry is selected by its letter, or with the cursor (initially on `current`) by enter or
    click.
    """

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="menu.leave"),
        Binding("q", "leave_or_take", "Back", show=False),
        Binding("down", "move(1)", "Next", id="menu.next", show=False),
        Binding("up", "move(-1)", "Previous", id="menu.previous", show=False),
        Binding("enter", "take_row", "Choose", id="menu.take", show=False),
        # Bindings work before mounting, so a letter typed ahead is not lost.
        *(
            Binding(letter, f"take({letter!r})", show=False)
            for letter in (*ascii_letters, *digits)
            if letter != "q"
        ),
    ]

    def __init__(
        self, title: str, entries: Sequence[MenuEntry[V]], *, current: V | None = None
    ) -> None:
        super().__init__()
        self._title = title
        self._entries = entries
        self._at = next((n for n, entry in enumerate(entries) if entry.value == current), 0)
        self._list = MenuList(id="menu-entries")
        self._values = {entry.letter: entry.value for entry in entries}

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static(self._title, id="menu-title", markup=False)
            yield self._list
            yield HintLine(_KEYS, id="menu-keys")

    def on_mount(self) -> None:
        if not self.composed:
            return
        self.query_one("#menu").styles.height = len(self._entries) + _AROUND
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
