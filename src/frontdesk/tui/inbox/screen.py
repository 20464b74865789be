"""Inbox screen: channels, conversation list, thread with notes, contact."""

from datetime import timedelta
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget

from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import open as dialogs
from frontdesk.tui.filters import DIGITS, with_filter, without
from frontdesk.tui.inbox.frame import SIFTING, InboxFrame
from frontdesk.tui.inbox.open_view import open_view, view_bindings, view_entries
from frontdesk.tui.inbox.panes import LEAST_ALL_PANES, LEAST_LINES_OF_BOTH
from frontdesk.tui.inbox.passages import Passages
from frontdesk.tui.inbox.triage import Triage
from frontdesk.tui.local_filter import View
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.line_widget import PARTS

_QUIT_WITHIN = timedelta(seconds=2)

# Keys reserved for writing; each shows a message while `/v1` is read-only.
_READ_ONLY = {
    "r": "reply",
    "P": "write a note",
    "e": "resolve",
    "z": "snooze",
    "a": "assign",
    "L": "label",
    "m": "mark as read",
}


class InboxScreen(Triage, Passages, InboxFrame):
    """Key bindings and message handlers; `InboxFrame` has contents and requests."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "pane('channels')", "Channels", id="pane.channels"),
        Binding("2", "pane('list')", "Conversations", id="pane.list"),
        Binding("3", "pane('thread')", "Thread", id="pane.thread"),
        Binding("4", "pane('contact')", "Contact", id="pane.contact"),
        *(
            Binding(digit, f"kept_view('{digit}')", f"Kept view {digit}", id=f"inbox.view_{digit}")
            for digit in DIGITS
        ),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", id="pane.before"),
        Binding("h,left", "step(-1)", "Pane to the left", id="pane.left"),
        Binding("l,right", "step(1)", "Pane to the right", id="pane.right"),
        Binding("i", "contact", "Contact on or off", id="inbox.contact"),
        Binding("f", "filter", "Filter; in the thread: what is shown", id="inbox.filter"),
        Binding("S", "order", "Order of the conversations", id="inbox.order"),
        Binding("backspace", "take_off", "Take off the last filter", id="inbox.take_off"),
        Binding(
            "left_square_bracket,comma",
            "section(-1)",
            "Previous status, day of the thread, part of the contact",
            id="inbox.before",
        ),
        Binding(
            "right_square_bracket,full_stop",
            "section(1)",
            "Next status, day of the thread, part of the contact",
            id="inbox.after",
        ),
        Binding("J", "beside(1)", "Next channel; elsewhere: next conversation", id="inbox.next"),
        Binding(
            "K",
            "beside(-1)",
            "Previous channel; elsewhere: previous conversation",
            id="inbox.previous",
        ),
        Binding("u", "unread(1)", "Next unread", id="inbox.next_unread"),
        Binding("U", "unread(-1)", "Previous unread", id="inbox.previous_unread"),
        Binding("W", "waiting", "Next longest waiting", id="inbox.next_waiting"),
        Binding("minus", "swap", "The conversation before this one", id="inbox.swap"),
        Binding("slash", "find", "Find in this pane", id="inbox.find"),
        Binding("n", "find_next(1)", "Next match", id="inbox.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="inbox.previous_match"),
        Binding("s", "search", "Search everything seen here", id="inbox.search"),
        Binding("ctrl+k", "switch", "Go to a customer, channel, label…", id="inbox.switch"),
        Binding("t", "date", "Go to a date", id="inbox.date"),
        Binding("plus,underscore", "zoom", "This pane alone, and back", id="inbox.zoom"),
        Binding("w", "received", "What is this: the row as received", id="inbox.received"),
        Binding("o", "open_link", "Open the link of the message", id="inbox.open_link"),
        Binding("y", "copy", "Copy the message or line", id="inbox.copy"),
        Binding("Y", "copy_menu", "Copy something else", id="inbox.copy_menu"),
        Binding("E", "export", "Save the thread; the marked; the list", id="inbox.export"),
        *view_bindings(),
        Binding("ctrl+r,f5", "refresh", "Ask the server now", id="inbox.refresh"),
        Binding("escape", "back", "One level back; stops what is looked for", id="inbox.back"),
        Binding("q", "leave", "Back; twice in the list: quit", id="inbox.leave"),
        Binding("question_mark,f1", "help", "Keys", id="inbox.help"),
        Binding("colon", "app.commands", "Commands", id="inbox.commands"),
        Binding("ctrl+l", "redraw", "Draw the screen anew", id="inbox.redraw"),
        Binding("ctrl+z", "app.suspend_process", "Suspend", id="inbox.suspend"),
        *(
            Binding(key, f"read_only('{what}')", f"Not yet: {what}", id=f"not_yet.{key}")
            for key, what in _READ_ONLY.items()
        ),
    ]
    AUTO_FOCUS = ""
    COMPONENT_CLASSES = PARTS
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (40, "-single"),
        (80, "-double"),
        (100, "-triple"),
        (LEAST_ALL_PANES, "-quad"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (10, "-short"),
        (LEAST_LINES_OF_BOTH, "-middle"),
        (50, "-tall"),
    ]

    def __init__(
        self, mailbox: Mailbox, clock: Clock, *, title: str, preferences: Preferences = PLAIN
    ) -> None:
        super().__init__(mailbox, clock, title=title, preferences=preferences)
        self._inbox_title = title
        self._quit_asked = clock.now() - _QUIT_WITHIN

    def take_classes(self, size: Size, *, update: bool = True) -> None:
        super().take_classes(size, update=update)
        self._panes.fit_to(size)

    @property
    def focus_home(self) -> Widget | None:
        return self._panes.focus_home

    def fit(self, size: Size) -> None:
        if not self._list.is_attached:
            # The application is exiting.
            return
        width, height = size
        self._list.set_density(self._preferences.density or 2)
        words = f"40x10 needed, this is {width}x{height}"
        self.query_one("#too-small", Bar).show([("warning", words)])
        self._describe()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._panes.entered(event.widget)
        if self._panes.at == "thread":
            self._open_selected()
        if self._panes.at != self._described_at:
            self._describe()

    # Keys

    def action_pane(self, name: str) -> None:
        """Focus a pane; without a channels pane, open a picker of channels."""
        if name == "channels" and not self._panes["channels"].display and self.size.width >= 80:
            self._ask_for("channel")
        else:
            self._panes.enter(name)

    def action_step(self, direction: int) -> None:
        self._panes.step(direction)

    def action_contact(self) -> None:
        """Show or hide the contact pane; focus it if it replaces another pane."""
        shown = self._panes["contact"].display
        self._panes.show_contact(not shown)
        if shown and self._panes.at == "contact":
            self._panes.enter("thread")
        elif not shown and (self.has_class("-single") or self._panes.replaces_list):
            self._panes.enter("contact")

    def action_section(self, step: int) -> None:
        """Next or previous section of the focused pane: a day, a group of facts, a status."""
        match self._panes.at:
            case "thread":
                self.action_day(step)
            case "contact":
                self._contact.step_group(step)
            case _:
                self.action_status(step)

    def action_beside(self, step: int) -> None:
        """Next or previous channel in the list panes, conversation elsewhere."""
        if self._panes.at in ("list", "channels"):
            self.action_channel(step)
        else:
            self.action_conversation(step)

    def action_filter(self) -> None:
        """Open the filter menu of the conversation list, or of the thread."""
        if self._panes.at == "thread":
            self.action_part()
        else:
            super().action_filter()

    def action_back(self) -> None:
        """Cancel running searches; else contact to thread, thread to list, and unmark rows."""
        if any([self.workers.cancel_group(self, group) for group in ("looking", SIFTING)]):
            self._describe()
            return
        match self._panes.at:
            case "contact":
                self._panes.show_contact(self.has_class("-quad"))
                self._panes.enter("thread")
            case "thread" | "channels":
                self._panes.enter("list")
            case _ if self._list.marked:
                self._list.unmark_all()
                self._describe()

    def action_leave(self) -> None:
        """Go back one level; in the list, twice within two seconds quits."""
        if self._panes.at != "list":
            self.action_back()
            return
        now = self._clock.now()
        if now - self._quit_asked < _QUIT_WITHIN:
            self.app.exit()
        self._quit_asked = now
        self._say(f"{self._keys['inbox.leave']} again quits")

    def action_zoom(self) -> None:
        self._panes.toggle_zoom()

    def action_refresh(self) -> None:
        """Refresh at once, and drop rows that no longer match the filter."""
        self._queue.leave_out_stale()
        self._refresh_by_hand()

    def action_redraw(self) -> None:
        """Repaint every cell, after another program wrote to the terminal."""
        self.refresh(layout=True)

    def action_help(self) -> None:
        from frontdesk.tui.dialogs.help import show_help

        show_help(self)

    def action_read_only(self, what: str) -> None:
        """Show that writing is not supported yet."""
        self._say(f"This version only reads: it cannot {what}")

    def action_views(self) -> None:
        self.app.push_screen(dialogs.menu("Go to", view_entries(self._keys)), self._go_to_view)

    def action_view(self, name: str) -> None:
        open_view(
            self.app,
            name,
            self._mailbox,
            self._clock,
            title=self._inbox_title,
            on_chosen=self._show_chosen,
        )

    def _go_to_view(self, name: str | None) -> None:
        if name is not None:
            self.action_view(name)

    def _show_chosen(self, chosen: View | None) -> None:
        """Show the conversations that were selected in another view."""
        if chosen is not None:
            self._choose(chosen)
            self._panes.enter("list")

    # Messages of widgets

    @on(ConversationList.Highlighted)
    def _describe_place(self, event: ConversationList.Highlighted) -> None:
        """Update the thread footer, which shows if there are rows below."""
        event.stop()
        if event.widget is self._thread:
            self._reading.describe(self._panes)

    @on(ConversationList.Opened)
    def _enter_row(self, event: ConversationList.Opened) -> None:
        event.stop()
        if event.widget is self._list:
            self._open_selected()
            self._panes.enter("thread")
        elif event.widget is self._channels:
            self._choose(with_filter(self._queue.view, channel=event.row.id or None))
            self._panes.enter("list")
        elif event.widget is self._contact and event.row.conversation_id:
            self._show_found(f"{event.row.conversation_id} ")

    @on(ConversationList.Marked)
    def _count_marked(self, event: ConversationList.Marked) -> None:
        event.stop()
        self._describe()

    @on(ConversationList.NearEnd)
    def _load_more(self, event: ConversationList.NearEnd) -> None:
        event.stop()
        if event.widget is self._list and not event.top:
            if self._queue.sieve.idle:
                self._load_older_conversations()
            elif event.asked and self._queue.sift_further():
                self._sift()
        elif event.widget is self._thread:
            if event.top:
                self._load_older_messages()
            self._reading.describe(self._panes)

    @on(Bar.Pressed)
    def _press(self, event: Bar.Pressed) -> None:
        """Remove the clicked chip, or select the clicked channel or status."""
        event.stop()
        if event.bar.id == "header":
            chip = self._bars.chip_at(event.piece)
            if chip is not None:
                self._choose(without(self._queue.view, chip))
        elif event.bar.id == "channel-tabs":
            channel = self._bars.channel_at(event.piece)
            if channel is not None:
                self._choose(with_filter(self._queue.view, channel=channel.id or None))
        elif event.bar is self._panes["list"].title:
            status = self._bars.status_at(event.piece)
            if status is not None:
                self._choose(with_filter(self._queue.view, status=status))
