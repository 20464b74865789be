"""Thread pane of the inbox: messages and notes of the selected conversation, newest at the end.

A thread filter shows only the messages of people, only notes, or everything but system messages.
"""

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from frontdesk.inbox.sentences import LOADED_SO_FAR
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.inbox.thread_exports import ThreadExports
from frontdesk.tui.inbox.thread_view import ALL, DEPTH, FILTER_MENU, nearest
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.tui.widgets.virtual_list import VirtualList


class ThreadPane(ThreadExports):
    """Shows one conversation from the cache and refreshes it from the server."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter messages…", id="inbox.filter"),
        Binding("left_square_bracket,comma", "day(-1)", "Previous day", id="inbox.before"),
        Binding("right_square_bracket,full_stop", "day(1)", "Next day", id="inbox.after"),
        Binding("E", "export", "Export thread…", id="inbox.export"),
        Binding("d", "save_file", "Save the file…", id="inbox.save_file"),
    ]

    def on_mount(self) -> None:
        self.watch(self.messages, "selected_key", self._show_end, init=False)

    def action_filter(self) -> None:
        """Open the menu of thread filters."""
        menu = dialogs.menu("Show", FILTER_MENU, current=self.filter)
        dialogs.ask(self.app, menu, self._set_filter)

    def _set_filter(self, filter: str) -> None:
        """Apply a thread filter at the row under the cursor, or the one before it.

        Without a filter, the reader who has not moved returns to the place before it.
        """
        messages, row = self.messages, self.messages.row
        if filter == self.filter:
            return
        if self.filter == ALL:
            unfiltered = None if messages.at_end else messages.place
            self._of_shown = self._of_shown._replace(unfiltered=unfiltered)
        # Other rows: what of them was seen is not known.
        self._of_shown = self._of_shown._replace(seen_to=None)
        before = self._of_shown.unfiltered
        moved = messages.selected_key != self._of_shown.filtered_at
        self.filter, self._depth = filter, DEPTH
        if self.listing is not None:
            self._show_rows()
            rows = self._rows()
            if row is not None and (filter != ALL or moved):
                messages.show_end(rows, cursor=nearest(rows, row))
            elif before is None or not messages.return_to(rows, before):
                messages.show_end(rows)
            self._of_shown = self._of_shown._replace(filtered_at=messages.selected_key)
        self.refresh_bars()

    def action_save_file(self) -> None:
        """Save the file of the message."""
        if not self.save_file():
            say(self.screen, sentences.NO_FILE)

    @on(VirtualList.Opened)
    def _show_file(self, event: VirtualList.Opened) -> None:
        event.stop()
        if not self.show_file():
            say(self.screen, sentences.NO_FILE)

    @on(Thread.PicturesWanted)
    def _load_pictures(self, event: Thread.PicturesWanted) -> None:
        event.stop()
        if self.files is not None:
            self.files.load_pictures()

    def go_to_file(self, step: int, *, from_end: bool) -> None:
        """Go to the next (1) or previous (-1) file; older messages are loaded as needed.

        from_end: look from below the last message.
        """
        if self.conversation is None:
            say(self.screen, sentences.NO_CONVERSATION)
        elif not self.step_file(step, from_end=from_end):
            if step > 0:
                say(self.screen, sentences.NO_LATER_FILE)
            else:
                self.load_then(self.fetch_file, self._say_if_no_file)

    def _say_if_no_file(self, found: bool) -> None:
        if not found:
            say(self.screen, sentences.NO_EARLIER_FILE)

    def action_day(self, step: int) -> None:
        """Go to the first entry of the next or previous day."""
        if self.conversation is None:
            say(self.screen, sentences.NO_CONVERSATION)
        elif not self._step_day(step):
            earlier = sentences.NO_EARLIER_DAY.format(key=self._keys["inbox.date"])
            say(self.screen, sentences.NO_LATER_DAY if step > 0 else earlier)

    @on(Bar.Pressed, "#thread-foot")
    def _press_foot(self, event: Bar.Pressed) -> None:
        """Go to the newest message, if some are below."""
        event.stop()
        if event.piece == -1 and not self.messages.at_end:
            self.messages.action_last()

    @on(VirtualList.NearEnd)
    def _load_at_top(self, event: VirtualList.NearEnd) -> None:
        event.stop()
        if event.top and self._has_older:
            self._load_older()
        self._show_end()

    @on(VirtualList.Stopped)
    def _say_how_far(self, event: VirtualList.Stopped) -> None:
        """Say that the first row is not that of the thread."""
        event.stop()
        if self._has_older:
            rows, key = bar_texts.entry_words([*(self.listing or ())]), self._keys["list.first"]
            say(self.screen, LOADED_SO_FAR.format(rows=rows, key=key))
