"""Screen base that applies size breakpoints before the first paint and keeps a focused widget."""

from typing import TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

R = TypeVar("R")


class SizedScreen(Screen[R]):
    """Sets the breakpoint classes on mounting; Textual sets them only after the first paint.

    Subclasses adapt their widgets in `fit`. When the focused widget is hidden, Textual removes the
    focus; this screen moves it to a visible widget.
    """

    _focused_last: Widget | None = None

    def fit(self, size: Size) -> None:
        """Called with the size of the terminal when the screen is mounted or resized."""

    @property
    def focus_home(self) -> Widget | None:
        """Widget to focus if none is: the last focused one, or else the first focusable."""
        chain = self.focus_chain
        return self._focused_last if self._focused_last in chain else next(iter(chain), None)

    def keep_focus(self) -> None:
        """Move the focus to a visible widget if it is missing or on a hidden one."""
        if self.is_attached and self.focused not in self.focus_chain:
            self.set_focus(self.focus_home)

    def take_classes(self, size: Size, *, update: bool = True) -> None:
        """Set the breakpoint classes for a size."""
        points = (self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or [])
        reached = {
            max(point for point in along if point[0] <= extent)[1]
            for extent, along in zip(size, points, strict=True)
            if along
        }
        classes = {name: name in reached for along in points for _, name in along}
        self.update_classes(classes, update=update, animate=False)

    def on_mount(self) -> None:
        self.watch(self, "focused", self._focus_moved, init=False)
        self._adapt(self.app.size)

    def on_resize(self, event: events.Resize) -> None:
        self._adapt(event.size)
        self.call_after_refresh(self.keep_focus)

    def _adapt(self, size: Size) -> None:
        self.take_classes(size)
        self.fit(size)

    def _focus_moved(self, before: Widget | None, now: Widget | None) -> None:
        if now is not None:
            self._focused_last = now
        elif before is not None:
            self.call_after_refresh(self.keep_focus)
