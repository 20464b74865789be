"""Virtual list: draws only visible rows; cost is independent of the number of rows.

Cursor and window are anchored to row keys, so inserted, removed or moved rows move neither.

Messages that lists post to their screen.
"""

from asyncio import TimerHandle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.widget import Widget

from frontdesk.inbox.rows import Place, Rows, place_of
from frontdesk.text.clean import folded
from frontdesk.tui.action_groups import MOVE
from frontdesk.tui.widgets.chips import label_at
from frontdesk.tui.widgets.painted_rows import PaintedRows, after_frame

R = TypeVar("R")


class ListMessage(Message):
    """Base of the messages of lists."""

    def __init__(self, widget: Widget, *, row: Any = None) -> None:
        super().__init__()
        self.widget, self.row = widget, row

    @property
    def control(self) -> Widget:
        return self.widget


class Opened(ListMessage):
    """The `row` under the cursor was opened."""


class Marked(ListMessage):
    """The `row` under the cursor was marked or unmarked."""


class NearEnd(ListMessage):
    """The window is near the first row (`top`), the last (`bottom`) or both.

    bound_for: the end, of those, that a key led to: -1 the first row, 1 the last; 0 for none.
    """

    def __init__(self, widget: Widget, *, top: bool, bottom: bool, bound_for: int) -> None:
        super().__init__(widget)
        self.top, self.bottom, self.bound_for = top, bottom, bound_for

    def can_replace(self, message: Message) -> bool:
        """True for a repetition, which replaces this message while it waits."""
        return isinstance(message, NearEnd) and self._ends == message._ends

    @property
    def _ends(self) -> tuple[object, ...]:
        return self.widget, self.top, self.bottom, self.bound_for


class Stopped(ListMessage):
    """A movement to an end stopped at the last loaded row on the way there."""


class LabelPressed(Message):
    """A label of a row was clicked."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label


_WHEEL_LINES = 3

# Pages loaded at most for one press of "first" or "last".
LOADS_PER_KEY = 100


class VirtualList(PaintedRows[R], can_focus=True):
    """Draws a window of `rows`, keeps the scroll position, and posts NearEnd to load more.

    Subclasses implement `draw`, and `sources` if a row's drawing depends on more than the row.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Next", id="list.next", group=MOVE("down")),
        Binding("k,up", "move(-1)", "Previous", id="list.previous", group=MOVE("up")),
        Binding("enter", "open", "Open", id="list.open", group=MOVE("enter select")),
        Binding("g,home", "first", "First", id="list.first", group=MOVE("top beginning home")),
        Binding("G,end", "last", "Last", id="list.last", group=MOVE("bottom end")),
        Binding(
            "ctrl+d", "page(0.5)", "Half a page down", id="list.half_down", group=MOVE("scroll")
        ),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", id="list.half_up", group=MOVE("scroll")),
        Binding(
            "pagedown,space,ctrl+f",
            "page(1)",
            "Page down",
            id="list.page_down",
            group=MOVE("scroll"),
        ),
        Binding("pageup,b,ctrl+b", "page(-1)", "Page up", id="list.page_up", group=MOVE("scroll")),
    ]

    # When the cursor leaves the window, scroll by half its height, which writes a sixth of the
    # bytes of scrolling by line. Threads, which are read by line, disable this.
    HALF_PAGE_AT_EDGE: ClassVar[bool] = True
    # At the end, stay there when rows are added, with the cursor on the last one if it was there.
    FOLLOWS_END: ClassVar[bool] = False

    # Grounds of the row under the cursor, with and without the focus.
    CHOSEN: ClassVar[tuple[str, str]] = ("chosen", "chosen-off")
    # False if rows are only to be looked at.
    shows_cursor = True
    CLICKS_TO_OPEN: ClassVar[int] = 2

    # Key of the row under the cursor, None in an empty list. Watchers run before the next frame,
    # whatever moved the cursor: a key, other rows, or the removal of its row. The window is at its
    # place by then.
    selected_key: var[str | None] = var(None, init=False)
    # True if a key or a click selected that row; False if the wheel or a change of the rows did.
    selected_by_input: var[bool] = var(False, init=False)

    Opened: TypeAlias = Opened
    NearEnd: TypeAlias = NearEnd
    Stopped: TypeAlias = Stopped
    LabelPressed: TypeAlias = LabelPressed

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = 0
        self._top_key: str | None = None
        self._following = self._was_last = False
        self._bound_for = self._loads_left = self._loading_more = 0
        self._coming: TimerHandle | None = None
        # Where the reader was, and whether at the end, before resizes that no movement followed.
        self._unresized: tuple[Place | None, bool] | None = None

    def copied(self) -> str:
        """Text that the copy action takes from the row under the cursor."""
        return ""

    def words_at(self, position: int) -> str:
        """Text for searching a row."""
        return ""

    @property
    def row(self) -> R | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if len(self.rows) else None

    def beside(self) -> list[R]:
        """The rows below and above the cursor."""
        positions = (self.cursor + 1, self.cursor - 1)
        return [self.rows[position] for position in positions if 0 <= position < len(self.rows)]

    def show(self, rows: Rows[R], *, cursor: int = 0) -> None:
        """Show other rows from their start, and reveal the row at `cursor`."""
        self.rows = rows
        self._bound_for = 0
        self._window.forget_heights()
        self._window.to_start()
        self.cursor = self._clamp(cursor)
        self._window.reveal(self.cursor)
        self._settle()

    def show_end(self, rows: Rows[R], *, cursor: int | None = None) -> None:
        """Show other rows from their end; the cursor is on the last row by default."""
        self.rows = rows
        self._bound_for = 0
        self._window.forget_heights()
        self.cursor = self._clamp(self._count() - 1 if cursor is None else cursor)
        self._window.to_end()
        self._window.reveal(self.cursor)
        self._settle()
        self._following = self.FOLLOWS_END and cursor is None

    @property
    def place(self) -> Place | None:
        """Scroll position for `return_to`; None in an empty list."""
        if self._top_key is None or self.selected_key is None:
            return None
        return Place(self._top_key, self._window.top[1], self.selected_key)

    def return_to(self, rows: Rows[R], place: Place) -> bool:
        """Show other rows at a scroll position; False if its rows are gone."""
        top, cursor = rows.find(place.top), rows.find(place.cursor)
        if top is None or cursor is None:
            return False
        self.rows = rows
        self._bound_for = 0
        self._window.forget_heights()
        self.cursor = cursor
        self._window.top = (top, place.line)
        self._window.settle()
        self._settle()
        return True

    def rows_changed(self, shown: Sequence[str] = (), *, cursor: int | None = None) -> None:
        """Update after rows were added, removed or moved; cursor and window keep their rows.

        shown: keys of the rows that were visible before; the row that follows a removed one there
        takes its place. cursor: where the cursor goes, if that is decided elsewhere. At the very
        start the window stays there, so that new rows become visible; at the very end too in a list
        that follows its end.
        """
        self._window.forget_heights()
        if len(self.rows):
            if cursor is None:
                cursor = place_of(self.rows, self.selected_key, shown)
            top = place_of(self.rows, self._top_key, shown)
            on_last = self._following and cursor is not None and self._was_last
            at_start, following = self._window.at_start, self._following
            self.cursor = self._clamp(self.cursor if cursor is None else cursor)
            if following:
                self._window.to_end()
                self.cursor = self._clamp(self._count() - 1) if on_last else self.cursor
            elif not at_start:
                self._window.anchor_at(self._clamp(self._window.top[0] if top is None else top))
            self._window.settle()
            same = self.rows.key(self.cursor) == self.selected_key
            if at_start or following or not same or not self._window.shows(self.cursor):
                self._window.reveal(self.cursor)
        else:
            self._window.to_start()
            self.cursor = 0
        self._settle(moved=False)
        if self.goes_on:
            self._go_on()
        elif self.cursor != (self._clamp(self._count() - 1) if self._bound_for > 0 else 0):
            # Rows came by themselves, for which the selection does not move.
            self._bound_for = 0

    def replace_rows(self, rows: Rows[R]) -> None:
        """Show other rows in place of these, as `rows_changed` does."""
        self.rows = rows
        self.rows_changed()

    @contextmanager
    def loading_more(self) -> Iterator[None]:
        """Context in which rows are loaded at an end: a movement to that end goes on over them."""
        self._loading_more += 1
        try:
            yield
        finally:
            self._loading_more -= 1

    def go_to(self, position: int, *, by_input: bool = True) -> None:
        """Move the cursor to a position and reveal it; sets `selected_by_input`."""
        if not self._count():
            return
        old, top = self.cursor, self._window.top
        extra = self.size.height // 2 if self.HALF_PAGE_AT_EDGE else 0
        self._window.reveal(self._clamp(position), extra=extra)
        self._set_cursor(self._clamp(position), by_input=by_input)
        if self._window.top != top:
            self._settle()
        else:
            self.refresh_row(old)
            self.refresh_row(self.cursor)
            self._ask_for_more()

    def action_move(self, step: int) -> None:
        """Move the cursor; a row taller than the window is scrolled first."""
        hidden = self._window.hidden(self.cursor, step)
        if hidden:
            self._window.scroll(step * min(hidden, max(1, self.size.height // 2)))
            self._settle()
        else:
            self.go_to(self.cursor + step)
            if self.HALF_PAGE_AT_EDGE:
                if self._coming is not None:
                    self._coming.cancel()
                self._coming = after_frame(self, self._draw_coming_rows, step)

    def _draw_coming_rows(self, step: int) -> None:
        """Draw, between keys, the next row as selected and one that the next scroll shows."""
        width, chosen, half = self.size.width, self._chosen, len(self._window.visible()) // 2
        ahead = [(self.cursor + step, chosen), (self.cursor + step * (half + 1), "ground")]
        within = [(at, ground) for at, ground in ahead if width and 0 <= at < self._count()]
        self.begin([at for at, _ in within])
        edge = self._last_column("line", self._edge)
        for at, ground in within:
            for line in self._row_lines(at, width, ground):
                # The strip keeps what it writes to the terminal.
                line.strip(edge, width).render(self.app.console)

    def action_first(self) -> None:
        """Go to the first row, and continue when this loads further rows."""
        self.go_to(0)
        self._bound_for, self._loads_left = -1, LOADS_PER_KEY
        self._ask_for_more()

    def action_last(self) -> None:
        """Go to the last row, and continue when this loads further rows."""
        if not self._count():
            self.post_message(self.NearEnd(self, top=False, bottom=True, bound_for=1))
            return
        self.go_to(self._count() - 1)
        self._window.to_end()
        self._bound_for, self._loads_left = 1, LOADS_PER_KEY
        self._settle()

    def _go_on(self) -> None:
        """Continue to the end after rows were loaded, up to `LOADS_PER_KEY` times."""
        bound_for, left = self._bound_for, self._loads_left - 1
        self._bound_for = 0
        self.go_to(0 if bound_for < 0 else self._count() - 1)
        if left:
            self._bound_for, self._loads_left = bound_for, left
        else:
            self.post_message(self.Stopped(self))

    @property
    def goes_on(self) -> bool:
        """True while rows are loaded for a movement to an end, which goes on over them."""
        return bool(self._bound_for and self._loading_more)

    def stop(self) -> bool:
        """Stop a movement to an end that goes on over rows that are loaded; False if none does."""
        goes_on = self.goes_on
        self._bound_for = 0
        if goes_on:
            self.post_message(self.Stopped(self))
        return goes_on

    def action_page(self, pages: float) -> None:
        """Scroll by a number of window heights, and move the cursor along."""
        placed = self._window.visible()
        if not placed:
            return
        y = next((row.y for row in placed if row.position == self.cursor), 0)
        top = self._window.top
        self._window.scroll(int(self.size.height * pages))
        if self._window.top == top:
            self._set_cursor(self._count() - 1 if pages > 0 else 0)
        else:
            position = self._window.position_at(max(0, y))
            last = self._window.visible()[-1].position
            self._set_cursor(self._window.nearest_shown(last if position is None else position))
        self._settle()

    def action_open(self) -> None:
        if self.row is not None:
            self.post_message(self.Opened(self, row=self.row))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._wheel(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._wheel(-1)

    def on_click(self, event: events.Click) -> None:
        thumb, page = self._window.thumb(), max(1, self.size.height - 2)
        if thumb and event.x == self.size.width - 1:
            # The thumb may be drawn at an end before that is reached.
            if event.y < max(1, thumb.start):
                self.scroll_lines(-page)
            elif event.y >= min(self.size.height - 1, thumb.stop):
                self.scroll_lines(page)
            return
        position = self._window.position_at(event.y)
        if position is not None:
            # Going there may scroll the row away from where it was clicked.
            label = self._label_at(position, event.x, event.y) if event.chain == 1 else None
            self.go_to(position)
            if label is not None:
                self.post_message(self.LabelPressed(label))
            elif event.chain == self.CLICKS_TO_OPEN:
                self.action_open()

    def _label_at(self, position: int, x: int, y: int) -> str | None:
        """Label of a row whose chip is at a cell of the window."""
        labels = self.labels_of(position)
        tops = [row.y for row in self._window.visible() if row.position == position]
        if not labels or not tops:
            return None
        self.begin([position])
        line = self.draw(position, max(1, self.size.width - 2))[y - tops[0]]
        return label_at(line, x - 1, labels)

    def labels_of(self, position: int) -> Sequence[str]:
        """Labels that a row shows as chips; a click on one posts LabelPressed."""
        return ()

    def _wheel(self, direction: int) -> None:
        """Scroll by about three lines, and by whole rows if all have the same small height."""
        heights = {row.height for row in self._window.visible()}
        height = heights.pop() if len(heights) == 1 else 1
        whole = height if 0 < height <= _WHEEL_LINES else 1
        self.scroll_lines(direction * whole * round(_WHEEL_LINES / whole))

    def scroll_lines(self, lines: int) -> None:
        """Scroll, and keep the cursor among the visible rows, which is no input of the user."""
        if self._count():
            self._window.scroll(lines)
            self._bound_for = 0
            cursor = self._window.nearest_shown(self.cursor)
            if cursor != self.cursor:
                self._set_cursor(cursor, by_input=False)
            self._settle()

    # Layout

    def on_resize(self) -> None:
        self._fit_window()
        self._settle(moved=False)

    def on_focus(self) -> None:
        self.refresh_row(self.cursor)

    on_blur = on_focus

    def _fit_window(self) -> None:
        """Keep the scroll position on a resize; also called before the first resize event."""
        if self.size == self._fitted:
            return
        if self.row_layout(self.size) != self.row_layout(self._fitted):
            self.forget_drawn()
        if self._fitted and self._unresized is None:
            self._unresized = self.place, self._following
        self._fitted = self.size
        self._window.height = self.size.height
        # Two windows of rows of two lines, each at most on two grounds; or three threads.
        self._drawings.limit = 2 * self.size.height
        if self._unresized is not None:
            place, self._following = self._unresized
            top = self.rows.find(place.top) if place is not None else None
            if place is not None and top is not None:
                self._window.top = (top, place.line)
        if self._following:
            self._window.to_end()
        self._window.settle()
        self._window.reveal(self.cursor)

    def _set_cursor(self, position: int, *, by_input: bool = True) -> None:
        self.selected_by_input = by_input
        self.cursor = position
        self._bound_for = 0
        self.selected_key = self.rows.key(position)
        self._was_last = position == self._clamp(self._count() - 1)

    def _settle(self, *, moved: bool = True) -> None:
        """Store the position by key, repaint, and post NearEnd if needed."""
        if moved:
            self._unresized = None
        if len(self.rows):
            self._top_key = self.rows.key(self._window.top[0])
            key = self.rows.key(self._clamp(self.cursor))
            if self.selected_key not in (None, key):
                self.selected_by_input = False
            self.selected_key = key
            self._was_last = self.cursor == self._clamp(len(self.rows) - 1)
        else:
            self._top_key = self.selected_key = None
        at_end = not self._window.at_start and self._window.at_end
        self._following = self.FOLLOWS_END and at_end
        self._refresh_changed()
        self._ask_for_more()
        if moved and self.size:
            self.call_after_refresh(self._read_ahead)

    def _read_ahead(self) -> None:
        """Access a row of the next page between keys, so that it is read from disk in advance."""
        ahead = self._window.ahead()
        if ahead is not None:
            self.rows[ahead]

    def _ask_for_more(self) -> None:
        margin, count, top = self.size.height, self._count(), self._window.top[0]
        if not count or not margin:
            return
        at_top, at_bottom = top <= margin, top + 2 * margin >= count
        led = at_top if self._bound_for < 0 else at_bottom
        if at_top or at_bottom:
            bound_for = self._bound_for if led else 0
            self.post_message(self.NearEnd(self, top=at_top, bottom=at_bottom, bound_for=bound_for))

    # Drawing

    def _ground(self, position: int) -> str:
        return self._chosen if position == self.cursor else "ground"

    @property
    def _chosen(self) -> str:
        if not self.shows_cursor:
            return "ground"
        return self.CHOSEN[0 if self.has_focus else 1]


class RowSearch:
    """Search for the next matching row without case and accents, run in steps of limited length.

    `step` is 1 (down) or -1 (up). The search wraps around and ends with the row under the cursor.
    """

    def __init__(self, body: VirtualList[Any], text: str, step: int) -> None:
        self.text = text
        self._body = body
        self._rows = body.rows
        self._start, self._step = body.cursor, step
        self._looked_at = 0
        self.found = False
        self._position = -1
        self.number = self.total = 0

    def run(self, most: int) -> bool:
        """Test up to `most` further rows, and go to a match; False when the search is over."""
        if self._rows is not self._body.rows:
            # The list shows other rows now: abandon the search.
            self.found = True
            return False
        count = len(self._rows)
        text = folded(self.text)
        last = min(count, self._looked_at + most)
        for away in range(self._looked_at + 1, last + 1):
            position = (self._start + self._step * away) % count
            if text in folded(self._body.words_at(position)):
                self._body.go_to(position)
                self.found, self._position = True, position
                return False
        self._looked_at = last
        return last < count

    def count(self, most: int) -> bool:
        """Count the matches; False if there are more than `most` rows, or another one is selected.

        Afterwards `total` is their number, and `number` is which of them, from 1, was gone to.
        """
        is_there = self._rows is self._body.rows and self._body.cursor == self._position
        if not is_there or len(self._rows) > most:
            return False
        text = folded(self.text)
        at = [n for n in range(len(self._rows)) if text in folded(self._body.words_at(n))]
        self.total, self.number = len(at), at.index(self._position) + 1
        return True
