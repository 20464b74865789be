"""Widgets and screens that are laid out and painted once, and not again without a change."""

from collections.abc import Iterator
from typing import Any, TypeVar

from textual import events, messages
from textual._compositor import Compositor
from textual._time import get_time
from textual.geometry import Region, Size
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

R = TypeVar("R")

_NOTICES = "#textual-toastrack"


class Laid(Widget):
    """Its contents always fit into it.

    Textual would lay out and paint the whole screen again when its size has changed, for there
    may have to be other scrollbars.
    """

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        return super()._size_updated(size, virtual_size, container_size, layout=False)


class Even(Laid):
    """Every line looks the same where its contents do not cover it: one is drawn for all."""

    def render_lines(self, crop: Region) -> list[Strip]:
        line = Region(crop.x, crop.y, crop.width, 1)
        return super().render_lines(line) * crop.height


class _Compositor(Compositor):
    """Has only those widgets draw of which something is needed; Textual has nearly all draw."""

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterator[tuple[Region, Region, list[Strip]]]:
        needed = crop or self.size.region
        # From the front to the back.
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if seen.overlaps(needed):
                yield region, clip, widget.render_lines(seen.translate(-region.offset))
                if seen.contains_region(needed):
                    return


class LaidScreen(Screen[R], Laid):
    """A screen of such widgets. Textual would paint it four times at a start."""

    _fitted_to = Size(0, 0)
    _focused_last: Widget | None = None
    _laid_out_at = _painted_at = 0.0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._compositor = _Compositor()

    def fit(self, size: Size) -> None:
        """Called when everything has another size, before any of that is painted."""

    @property
    def focus_home(self) -> Widget | None:
        """Where the focus goes if nothing has it: where it was, or the first that takes it."""
        chain = self.focus_chain
        return self._focused_last if self._focused_last in chain else next(iter(chain), None)

    def keep_focus(self) -> None:
        """Focus what is shown, where nothing has the focus or it is on what is not shown.

        Textual takes the focus from a widget that is hidden and does not give it back.
        """
        if self.is_attached and self.focused not in self.focus_chain:
            self.set_focus(self.focus_home)

    def _focus_moved(self, before: Widget | None, now: Widget | None) -> None:
        if now is not None:
            self._focused_last = now
        elif before is not None:
            self.call_after_refresh(self.keep_focus)

    def take_classes(self, size: Size, *, update: bool = True) -> None:
        """Have the classes of the breakpoints that a size reaches, before it is laid out for it."""
        points = (self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or [])
        reached = {
            max(point for point in along if point[0] <= extent)[1]
            for extent, along in zip(size, points, strict=True)
            if along
        }
        classes = {name: name in reached for along in points for _, name in along}
        self.update_classes(classes, update=update, animate=False)

    def _on_mount(self, event: events.Mount) -> None:
        # The timer counts frames from its first use: what a first key changes would wait for one.
        self._update_timer.resume()
        self.watch(self, "focused", self._focus_moved, init=False)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        if not self._painted_at:
            # Every widget was styled when it was mounted.
            event.refresh_styles = False
            self.take_classes(self.app.size)
            self.query_children(_NOTICES).set(display=bool(self.app._notifications))
        if self._size == self.app.size:
            super()._on_screen_resume(event)
            return
        self._is_laid_out()
        super()._on_screen_resume(event)
        if not self.app._batch_count:
            # In a batch nothing is painted, and has to be afterwards.
            self._is_painted()

    def _is_laid_out(self) -> None:
        """Everything will be laid out now: who has asked for that, gets it."""
        self._laid_out_at = get_time()
        self._layout_widgets.clear()
        for widget in self.walk_children(Widget, with_self=True):
            widget._layout_required = False

    def _is_painted(self) -> None:
        """Everything was painted: who has asked for that, has got it."""
        self._painted_at = get_time()
        self._dirty_widgets.clear()
        for widget in self.walk_children(Widget, with_self=True):
            widget._repaint_required = False
            widget._repaint_regions.clear()

    async def _on_update(self, message: messages.Update) -> None:
        _drop_late(message, self._painted_at)

    async def _on_layout(self, message: messages.Layout) -> None:
        _drop_late(message, self._laid_out_at)

    def _screen_resized(self, size: Size) -> None:
        # A terminal tells its size more often than it has another.
        if size != self._size:
            self.take_classes(size)
            super()._screen_resized(size)

    def _compositor_refresh(self) -> None:
        if self._size != self._fitted_to:
            self._fitted_to = self._size
            self.fit(self._size)
            self.call_after_refresh(self.keep_focus)
        if self is not self.app.screen and self in self.app._background_screens:
            self._have_seen_through()
        else:
            super()._compositor_refresh()

    def _have_seen_through(self) -> None:
        """Send what has changed of it and is seen through those before it.

        Textual would have the same drawn and sent once more in the next frame.
        """
        changed = self._compositor._dirty_regions.copy()
        self._compositor._dirty_regions.clear()
        self._dirty_widgets.clear()
        if changed and self.app.screen.styles.background.a < 1:
            stack = self.app.screen_stack
            for screen in stack[stack.index(self) + 1 :]:
                screen._set_dirty(*changed)
            self.app.screen._dirty_widgets.add(self.app.screen)
            self.app.screen.check_idle()

    def render(self) -> Any:
        stack, color = self.app.screen_stack, self.styles.background
        if color.a == 1 or self not in stack[1:]:
            return super().render()
        from frontdesk.tui.widgets.behind import Behind

        return Behind(stack[stack.index(self) - 1], color)


def _drop_late(asked: Message, done_at: float) -> None:
    """Nothing is done again for what was asked before it was done."""
    if asked.time < done_at:
        asked.stop()
        asked.prevent_default()
