"""Four panes side by side, folding away in a planned order when the terminal is narrow.

channels  list  thread  contact
160 columns and more: all four. 100 to 159: list and thread, the contact at the right on demand.
80 to 99: the contact takes the list's place. Under 80: one pane at a time. The stylesheet says
which pane is how wide; this says which one the reader is in.
"""

from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from frontdesk.tui.screens.find import Finding
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.laid import Even
from frontdesk.tui.widgets.virtual_list import VirtualList

ORDER = ("channels", "list", "thread", "contact")


class Pane(Vertical, Even):
    """A title, the pane's list, and for the thread a foot."""

    def __init__(self, name: str, body: VirtualList[Any], *, foot: bool = False) -> None:
        super().__init__(id=f"{name}-pane", classes="pane")
        self.title = Bar(id=f"{name}-title", marked=True)
        self.body = body
        self.foot = Bar(id=f"{name}-foot") if foot else None

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.body
        if self.foot is not None:
            yield self.foot


class Panes(Horizontal, Even):
    """Holds the panes by name and moves the focus between those that can be shown."""

    def __init__(self, **bodies: VirtualList[Any]) -> None:
        super().__init__(id="panes", classes="-at-list")
        self._panes = {name: Pane(name, bodies[name], foot=name == "thread") for name in ORDER}
        self.at = "list"

    def compose(self) -> ComposeResult:
        yield from self._panes.values()

    def __getitem__(self, name: str) -> Pane:
        return self._panes[name]

    def show_contact(self, shown: bool) -> None:
        """Ask for the contact pane, or put it away, also where it is there unasked."""
        self.set_class(shown, "-contact")
        self.set_class(not shown, "-no-contact")

    def toggle_zoom(self) -> None:
        """Show the pane with the focus alone, or all again."""
        self.toggle_class("-zoomed")

    def finding(self, sought: str, step: int) -> Finding:
        """Looks for the next row with these words in the pane with the focus."""
        return Finding(self._panes[self.at].body, sought, step)

    def copied(self) -> str:
        """What copying takes from the pane with the focus."""
        return self._panes[self.at].body.copied()

    def enter(self, name: str) -> None:
        """Bring a pane to the front, where only one or some are shown, and focus it."""
        if name == "contact" and not self._panes[name].display:
            self.show_contact(True)
        self._note(name)
        pane = self._panes[name]
        if pane.display:
            # Keys that are typed meanwhile are for this pane already.
            self.screen.set_focus(pane.body)
        self.call_after_refresh(self.screen.set_focus, pane.body)

    def entered(self, widget: Widget) -> None:
        """A widget has the focus: remember in which pane that is."""
        for name, pane in self._panes.items():
            if pane.body is widget:
                self._note(name)

    def step(self, direction: int) -> None:
        """Go to the next pane to the right (1) or left (-1), if there is one."""
        names = [name for name in ORDER if name == self.at or self._reachable(name)]
        at = names.index(self.at) + direction
        if 0 <= at < len(names):
            self.enter(names[at])

    def _reachable(self, name: str) -> bool:
        return self._panes[name].display or self.screen.has_class("-single")

    def _note(self, name: str) -> None:
        if name != self.at:
            self.remove_class(f"-at-{self.at}")
            self.at = name
            self.add_class(f"-at-{name}")
        for pane in self._panes.values():
            pane.title.mark(pane is self._panes[name])
