"""Responsive layout and focus of the four inbox panes: channels, list, thread, contact.

From 180 columns: all four. From 150: list, thread and contact. From 80: list and thread; the
contact goes below the list, or replaces it under 32 lines. Under 80: one pane at a time. The
stylesheet says which panes are shown, `pane_widths` computes their widths, and `Panes` tracks the
focused one.

Incremental text search over the rows of the focused list.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget

from frontdesk.mailbox import Mailbox
from frontdesk.tui.widgets.bar import Bar, Title
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.virtual_list import RowSearch, VirtualList

ORDER = ("channels", "list", "thread", "contact")

# Columns from which there are two, three, and four panes side by side.
LEAST_PANES, LEAST_CONTACT, LEAST_ALL_PANES = LEASTS = 80, 150, 180
LEAST_TABLE = 140
LEAST_LINES_OF_BOTH = 32
# Of list and thread side by side.
LEAST_WIDTH = 30

# Panes that take the focus, in order, when the focused pane is hidden.
_INSTEAD = {
    "channels": ("list", "thread", "contact"),
    "list": ("contact", "thread", "channels"),
    "thread": ("list", "contact", "channels"),
    "contact": ("thread", "list", "channels"),
}


def split_setting(least_width: int) -> str:
    """Name of the setting with cells by which the list is wider than by itself.

    least_width: see `Panes.least_width`.
    """
    return "inbox.split" if least_width == LEAST_PANES else f"inbox.split/{least_width}"


def stored_splits(mailbox: Mailbox) -> dict[int, int]:
    """Stored places of the line between list and thread, by `Panes.least_width`."""
    stored = {least: mailbox.get_setting(split_setting(least)) or "0" for least in LEASTS}
    return {
        least: int(text) for least, text in stored.items() if re.fullmatch(r"-?[0-9]{1,4}", text)
    }


class PaneWidths(NamedTuple):
    """Width of each pane in cells, including the borders between panes."""

    channels: int
    list: int
    thread: int
    contact: int


def pane_widths(columns: int, split: int = 0) -> PaneWidths:
    """Pane widths for a terminal of at least 80 columns; 0 for panes that have no column.

    The thread gets at least 45 %, and grows with the terminal as long as no other pane comes; lines
    wrap at 90 cells. split: cells by which the list is wider than that, or narrower if negative, as
    far as list and thread keep `LEAST_WIDTH`.
    """
    widths = _widths_without_split(columns)
    list = max(LEAST_WIDTH, min(widths.list + split, widths.list + widths.thread - LEAST_WIDTH))
    return widths._replace(list=list, thread=widths.list + widths.thread - list)


def _widths_without_split(columns: int) -> PaneWidths:
    if columns < LEAST_CONTACT:
        thread = min(90, 47 + (columns - LEAST_PANES) * 13 // 20)
        return PaneWidths(0, columns - thread, thread, 0)
    more, thread = max(0, columns - 190), columns * 47 // 100
    contact = min(40, 32 + more // 8)
    channels = min(24, 20 + more // 20) if columns >= LEAST_ALL_PANES else 0
    return PaneWidths(channels, columns - channels - contact - thread, thread, contact)


class Pane(Vertical):
    """A title bar, the list widget, and for the thread a footer."""

    # Its widgets cover it, so that its own lines need not be drawn.
    BLANK = True

    def __init__(self, name: str, body: VirtualList[Any]) -> None:
        super().__init__(id=f"{name}-pane", classes="pane")
        self.title = Title(str(1 + ORDER.index(name)), id=f"{name}-title")
        self.body = body
        self.heading = Bar(id="list-heading") if name == "list" else None
        self.foot = Bar(id="thread-foot") if name == "thread" else None

    def set_edge(self, *, last: bool) -> None:
        """Draw a line to the next pane in the last column, unless this is the last pane."""
        self.title.set_edge("" if last else "│")
        self.body.set_edge(" " if last else "│")
        if self.foot is not None:
            self.foot.set_edge(" " if last else "│")

    def show_deferred(self) -> None:
        """Show what was deferred while the pane was hidden; it may be displayed now."""

    def compose(self) -> ComposeResult:
        yield self.title
        if self.heading is not None:
            yield self.heading
        yield self.body
        if self.foot is not None:
            yield self.foot


class Panes(Horizontal):
    """Container of the panes by name; moves the focus between visible panes."""

    # The panes cover it.
    BLANK = True

    def __init__(self, *panes: Pane, splits: Mapping[int, int] = MappingProxyType({})) -> None:
        """splits: see `pane_widths`, by the columns from which there are so many panes."""
        super().__init__(id="panes", classes="-at-list")
        self._splits = dict(splits)
        self._panes = dict(zip(ORDER, panes, strict=True))
        self.at = self.before_contact = "list"
        self._terminal = Size(0, 0)

    def fit_to(self, size: Size) -> None:
        """Lay the panes out for a terminal of this size."""
        self._terminal = size
        self._lay_out()

    @property
    def replaces_list(self) -> bool:
        """True if the contact pane replaces the list, because there is no room for both."""
        width, height = self._terminal
        narrow = LEAST_PANES <= width < LEAST_CONTACT and height < LEAST_LINES_OF_BOTH
        return narrow and self.has_class("-contact") and not self.has_class("-zoomed")

    @property
    def least_width(self) -> int:
        """Columns from which there are as many panes side by side as here."""
        return max((least for least in LEASTS if least <= self._terminal.width), default=0)

    @property
    def split(self) -> int:
        """Cells by which the list is wider than by itself, at terminals as wide as this one."""
        return self._splits.get(self.least_width, 0)

    @property
    def has_contact_column(self) -> bool:
        """True if the terminal has room for the contact beside list and thread."""
        return self._terminal.width >= LEAST_CONTACT

    def _lay_out(self) -> None:
        """Set the widths of the grid columns; the stylesheet says which panes are in them."""
        columns, contact = ["1fr"], None
        if self._terminal.width >= LEAST_PANES and not self.has_class("-zoomed"):
            widths = pane_widths(self._terminal.width, self.split)
            if widths.contact:
                columns = ["1fr", str(widths.thread), str(widths.contact)]
                columns = columns[:-1] if self.has_class("-no-contact") else columns
                columns = [str(widths.channels), *columns] if widths.channels else columns
            elif self.replaces_list:
                contact = widths.list
            else:
                columns = ["1fr", str(widths.thread)]
        self._panes["contact"].styles.width = contact
        self.styles.grid_size_columns = len(columns)
        self.styles.grid_columns = " ".join(columns)
        conversations = self._panes["list"].body
        if isinstance(conversations, ConversationList):
            is_table = self.has_class("-zoomed") and self._terminal.width >= LEAST_TABLE
            self.set_class(is_table, "-table")
            conversations.set_table(is_table)
        alone = len(columns) == 1 and not self.replaces_list
        is_beside = self.has_contact_column and not self.has_class("-no-contact")
        last = "contact" if is_beside else "thread"
        for name, pane in self._panes.items():
            pane.set_edge(last=alone or name == last)
            pane.show_deferred()

    def compose(self) -> ComposeResult:
        yield from self._panes.values()

    def __getitem__(self, name: str) -> Pane:
        return self._panes[name]

    def show_contact(self, shown: bool) -> None:
        """Show or hide the contact pane, overriding its default for the terminal's width."""
        self.set_class(shown, "-contact")
        self.set_class(not shown, "-no-contact")
        self._lay_out()

    @property
    def shows_split(self) -> bool:
        """True if list and thread are side by side."""
        return self._panes["list"].display and self._panes["thread"].display

    def move_split(self, cells: int) -> bool:
        """Move the line between list and thread to the right; False at the end of its way."""
        columns = self._terminal.width
        before = pane_widths(columns, self.split)
        automatic = pane_widths(columns)
        after = pane_widths(columns, before.list - automatic.list + cells)
        self._splits[self.least_width] = after.list - automatic.list
        self._lay_out()
        return after != before

    def toggle_zoom(self) -> None:
        """Show only the focused pane, or all again."""
        self.toggle_class("-zoomed")
        self._lay_out()

    def search(self, text: str, step: int) -> RowSearch:
        """Search for text in the focused pane; `step` is 1 or -1."""
        return RowSearch(self._panes[self.at].body, text, step)

    def copied(self) -> str:
        """Text that the copy action takes from the focused pane."""
        return self._panes[self.at].body.copied()

    def enter(self, name: str) -> None:
        """Focus a pane, and show it if it is hidden."""
        if name == "contact" and not self._panes[name].display:
            self.show_contact(True)
        elif name in ("channels", "list") and self.replaces_list:
            self.show_contact(False)
        self._note(name)
        if self._panes[name].display:
            # Focus now as well: keys typed before the next refresh belong to this pane.
            self._focus(name)
        self.call_after_refresh(self._focus, name)

    def _focus(self, name: str) -> None:
        """Focus a pane, unless another was entered in the meantime."""
        if self.at == name:
            self.screen.set_focus(self._panes[name].body)

    @property
    def focus_home(self) -> Widget | None:
        """Widget to focus: the current pane's, or that of the pane shown in its place."""
        chain = self.screen.focus_chain
        bodies = [self._panes[name].body for name in (self.at, *_INSTEAD[self.at])]
        return next((body for body in bodies if body in chain), None)

    def entered(self, widget: Widget) -> None:
        """Record the pane of a widget as the current one, unless the focus has moved on."""
        for name, pane in self._panes.items():
            if pane.body is widget is self.screen.focused:
                self._note(name)

    def step(self, direction: int) -> None:
        """Focus the next pane to the right (1) or left (-1), if there is one."""
        names = [name for name in ORDER if name == self.at or self._reachable(name)]
        at = names.index(self.at) + direction
        if 0 <= at < len(names):
            self.enter(names[at])

    def _reachable(self, name: str) -> bool:
        """True for panes that are shown, and of list and channels for the one in whose place."""
        if self._panes[name].display or self.screen.has_class("-single"):
            return True
        return {self.at, name} == {"channels", "list"} and not self.has_class("-zoomed")

    def _note(self, name: str) -> None:
        if name != self.at:
            if name == "contact":
                self.before_contact = self.at
            self.remove_class(f"-at-{self.at}")
            self.at = name
            self.add_class(f"-at-{name}")
        for pane in self._panes.values():
            pane.title.mark(pane is self._panes[name])
