"""Inbox screen: the view, the selection, polling, and the keys that work in every pane."""

from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.inbox import finding, refreshing, selecting
from frontdesk.inbox.counting import UNREAD
from frontdesk.query import ORDERS, VIEW_KEYS, Term
from frontdesk.tui import filters, sentences
from frontdesk.tui.action_groups import CommandEntry, active_commands, all_commands
from frontdesk.tui.dialogs.view_table import (
    view_bindings,
    view_commands,
)
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.inbox_base import split_setting
from frontdesk.tui.inbox.panes import (
    LEAST_ALL_PANES,
    LEAST_CONTACT,
    LEAST_LINES_OF_BOTH,
)
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.row_actions import RowActions
from frontdesk.tui.inbox.thread_pane import ThreadPane
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.virtual_list import VirtualList

_QUIT_WITHIN = timedelta(seconds=2)

# Cells by which the keys for a wider and a narrower list move the line between the panes.
_SPLIT_STEP = 4


class InboxScreen(RowActions):
    """Channels, conversation list, thread and contact; reads only through the mailbox.

    Thread and contact follow the cursor of the list in the same frame.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "pane('channels')", "Go to channels", id="pane.channels"),
        Binding("2", "pane('list')", "Go to conversations", id="pane.list"),
        Binding("3", "pane('thread')", "Go to thread", id="pane.thread"),
        Binding("4", "pane('contact')", "Go to contact", id="pane.contact"),
        *(
            Binding(digit, f"saved_view('{digit}')", f"View {digit}", id=f"inbox.view_{digit}")
            for digit in VIEW_KEYS
        ),
        Binding("H", "history(-1)", "Back to the previous view", id="inbox.view_back"),
        Binding("L", "history(1)", "Forward to the next view", id="inbox.view_forward"),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", id="pane.before"),
        Binding("h,left", "step(-1)", "Pane to the left", id="pane.left"),
        Binding("l,right", "step(1)", "Pane to the right", id="pane.right"),
        Binding("i", "contact", "Show or hide contact", id="inbox.contact"),
        Binding("f", "filter", "Filter…", id="inbox.filter"),
        Binding("F", "filter_line", "Edit filter as text…", id="inbox.filter_line"),
        Binding("S", "order", "Sort…", id="inbox.order"),
        Binding("backspace", "remove_filter", "Remove last filter", id="inbox.remove_filter"),
        Binding("left_square_bracket,comma", "status(-1)", "Previous status", id="inbox.before"),
        Binding("right_square_bracket,full_stop", "status(1)", "Next status", id="inbox.after"),
        Binding("J", "conversation(1)", "Next conversation", id="inbox.next"),
        Binding("K", "conversation(-1)", "Previous conversation", id="inbox.previous"),
        Binding("u", "unread(1)", "Next unread", id="inbox.next_unread"),
        Binding("p", "unread(-1)", "Previous unread", id="inbox.previous_unread"),
        Binding("W", "waiting", "Next longest wait", id="inbox.next_waiting"),
        Binding("minus", "swap", "Last opened conversation", id="inbox.swap"),
        Binding("m", "toggle_read", "Mark as read or unread", id="inbox.mark_unread"),
        Binding("M", "mark_above_read", "Mark this and all above as read", id="inbox.mark_above"),
        Binding("z", "follow_up", "Follow up later…", id="inbox.follow_up"),
        Binding("U", "undo", "Undo mark, follow-up or saved view", id="inbox.undo"),
        Binding("slash", "find", "Find in this pane…", id="inbox.find"),
        Binding("n", "find_next(1)", "Next match", id="inbox.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="inbox.previous_match"),
        Binding("s", "search", "Search everything on this computer…", id="inbox.search"),
        Binding("ctrl+k", "switch", "Go to a customer, conversation or view…", id="inbox.switch"),
        Binding("t", "date", "Go to a date…", id="inbox.date"),
        Binding("ctrl+e", "scroll_thread(3)", "Scroll the thread down", id="inbox.scroll_down"),
        Binding("ctrl+y", "scroll_thread(-3)", "Scroll the thread up", id="inbox.scroll_up"),
        Binding("plus,underscore", "zoom", "Zoom this pane", id="inbox.zoom"),
        Binding(
            "less_than_sign", f"move_split({-_SPLIT_STEP})", "Narrower list", id="inbox.narrower"
        ),
        Binding("greater_than_sign", f"move_split({_SPLIT_STEP})", "Wider list", id="inbox.wider"),
        Binding("a", "story", "All conversations of the customer", id="inbox.story"),
        Binding("right_curly_bracket", "file(1)", "Next file", id="inbox.next_file"),
        Binding("left_curly_bracket", "file(-1)", "Previous file", id="inbox.previous_file"),
        Binding("w", "raw_row", "Show as JSON", id="inbox.raw_row"),
        Binding("o", "open_link", "Open in the browser", id="inbox.open_link"),
        Binding("y", "copy", "Copy message or line", id="inbox.copy"),
        Binding("Y", "copy_menu", "Copy…", id="inbox.copy_menu"),
        Binding("E", "export", "Export…", id="inbox.export"),
        Binding("vertical_line", "pipe", "Pipe to a program…", id="inbox.pipe"),
        Binding("x", "own_commands", "Own commands…", id="inbox.own_commands"),
        *view_bindings(),
        Binding("ctrl+r,f5", "refresh", "Refresh", id="inbox.refresh"),
        Binding("escape", "back", "Back, or stop searching", id="inbox.back"),
        Binding("q", "leave", "Back; press twice in the list to quit", id="inbox.leave"),
        Binding("question_mark,f1", "help", "Help", id="inbox.help"),
        Binding("colon", "app.commands", "Commands…", id="inbox.commands"),
        Binding("ctrl+l", "redraw", "Redraw", id="inbox.redraw"),
        Binding("ctrl+z", "app.suspend_process", "Suspend", id="inbox.suspend"),
    ]
    AUTO_FOCUS = ""
    # Bars and panes cover it, so that its own lines need not be drawn.
    BLANK = True
    COMPONENT_CLASSES = PARTS
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (40, "-single"),
        (80, "-double"),
        (100, "-triple"),
        (LEAST_CONTACT, "-trio"),
        (LEAST_ALL_PANES, "-quad"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (10, "-short"),
        (LEAST_LINES_OF_BOTH, "-middle"),
        (50, "-tall"),
    ]

    # When quitting was asked for, until another key is pressed.
    _quit_asked: datetime | None = None

    def compose(self) -> ComposeResult:
        yield self._bars.header
        yield self._bars.views
        yield self._bars.channel_tabs
        yield self.panes
        yield self._bars.status
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self._clock.tick()
        self.watch(self.queue.list, "selected_key", self._follow_cursor, init=False)
        self.watch(self.queue.list, "selected_by_input", self._begin_rest, init=False)
        # The bars are drawn once the size is known.
        self.queue.driver.note(self.inbox.show)
        self.panes.enter("list")
        self.inbox.connection.begin("connecting…")
        self.set_interval(60.0, self._display.update_ages)
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        self.queue.driver.close()
        await self._mailbox.close()

    # Layout and focus

    def take_classes(self, size: Size, *, update: bool = True) -> None:
        super().take_classes(size, update=update)
        self.panes.fit_to(size)

    @property
    def focus_home(self) -> Widget | None:
        return self.panes.focus_home

    def fit(self, size: Size) -> None:
        if not self.queue.list.is_attached:
            # The application is exiting.
            return
        width, height = size
        self.queue.list.set_density(self._preferences.density or 2)
        words = sentences.TOO_SMALL.format(width=width, height=height)
        self.query_one("#too-small", Static).update(words)
        self._display.refresh_bars()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.panes.entered(event.widget)
        # The keys that follow may have left the thread already.
        if event.widget is self.thread.messages is self.focused:
            self._do(selecting.enter_thread, self.inbox)
        self._display.refresh_bars()

    def on_screen_suspend(self) -> None:
        """Forget what waits for an answer: it would move the selection behind another screen."""
        self.queue.driver.note(self.inbox.forget_awaited)

    def on_screen_resume(self) -> None:
        """Count the seconds again that a dialog covered."""
        self._begin_rest()

    @on(ThreadPane.Loaded)
    def _begin_rest(self) -> None:
        """Count the seconds after which the selected conversation is read."""
        self.queue.driver.note(selecting.begin_rest, self.inbox)

    # The view and the selection

    def _follow_cursor(self) -> None:
        """Show the row's data at once, and the thread when the cursor rests."""
        self.queue.driver.note(selecting.select, self.inbox)

    # Requests

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        """Connect after the first paint, then refresh everything that this screen shows."""
        try:
            await self._mailbox.connect()
        except InboxError as error:
            # No request can succeed: exit, and let the command line print the error.
            self.app.exit(error)
            return
        self._do(refreshing.begin, self.inbox)

    # Polling

    def record_input(self, event: events.Event) -> None:
        """Record user input."""
        refreshing.note_input(self.inbox)
        self._withdraw_quit(event)

    def _withdraw_quit(self, event: events.Event) -> None:
        """Forget that the user asked to quit, unless this is the key that asks again."""
        if self._asks_to_quit:
            key = event.key if isinstance(event, events.Key) else ""
            bound = self.active_bindings.get(key)
            if bound is None or bound.binding.id != "inbox.leave":
                self._quit_asked = None

    @property
    def _asks_to_quit(self) -> bool:
        """True for some seconds after the user asked to quit."""
        asked = self._quit_asked
        return asked is not None and self._clock.now() - asked < _QUIT_WITHIN

    def terminal_focused(self, focused: bool) -> None:
        """Handle a focus change of the terminal, which polling depends on."""
        # Deferred: the first frame does not need it.
        from frontdesk.inbox import following

        self._do(following.note_focus, self.inbox, focused)

    # Notifications and bars

    @on(QueuePane.MarksChanged)
    def _show_marks(self) -> None:
        self._display.draw()

    # Messages of panes

    @on(QueuePane.SelectionOpened)
    def _enter_thread(self, event: QueuePane.SelectionOpened) -> None:
        # A key that was pressed after it may have shown another view already.
        if event.id == self.queue.list.selected_id:
            self._open_selected()
            self.panes.enter("thread")

    @on(ChannelPane.ChannelChosen)
    def _choose_channel(self, event: ChannelPane.ChannelChosen) -> None:
        self._change_channel(event.channel)
        self.panes.enter("list")

    @on(ContactPane.ConversationOpened)
    def _show_other_conversation(self, event: ContactPane.ConversationOpened) -> None:
        self.show_conversation(event.conversation_id)

    @on(ThreadPane.Loaded)
    def _show_loaded_facts(self) -> None:
        if self.thread.conversation is not None:
            self.contact.show(self.thread.conversation)

    @on(Bar.Pressed, "#header")
    def _press_header(self, event: Bar.Pressed) -> None:
        """Remove a chip; edit the filter; show the counted unread conversations, or all open."""
        chip = self._bars.chip_at(event.piece)
        if chip is not None:
            self.show_query(self.inbox.view.query.without(chip))
        elif event.piece < 0:
            is_shown = self.inbox.view.query == UNREAD
            self.show_query(UNREAD.without(Term("unread")) if is_shown else UNREAD)
        elif event.piece >= self._bars.edit_piece:
            self.action_filter_line()

    @on(QueuePane.OrderPressed)
    def _press_order(self, event: QueuePane.OrderPressed) -> None:
        self._sort(event.order)

    @on(VirtualList.LabelPressed)
    def _press_label(self, event: VirtualList.LabelPressed) -> None:
        self.show_query(self.inbox.view.query.toggled(Term("label", event.label)))

    @on(Bar.Pressed, "#views")
    def _choose_view(self, event: Bar.Pressed) -> None:
        view = self._bars.view_at(event.piece)
        if view is None:
            self.action_views()
        else:
            self._show_view(view)

    @on(Bar.Pressed, "#channel-tabs")
    def _choose_tab(self, event: Bar.Pressed) -> None:
        channel = self._bars.channel_at(event.piece)
        if channel is not None:
            self._change_channel(channel.id)
        elif event.piece < 0:
            self.action_filter()

    # Actions on panes

    def action_pane(self, name: str) -> None:
        """Focus a pane; the channels come in place of the list where they have no column."""
        self.panes.enter(name)

    def action_step(self, direction: int) -> None:
        """Focus the pane beside; from channels that are shown in a line, select the next one."""
        if self.panes.at == "channels" and self._bars.channel_tabs.display:
            self.action_channel(direction)
        else:
            self.panes.step(direction)

    def action_contact(self) -> None:
        """Show or hide the contact pane; focus it if it replaces another pane."""
        shown = self.contact.display
        self.panes.show_contact(not shown)
        if shown and self.panes.at == "contact":
            self.panes.enter(self.panes.before_contact)
        elif not shown and (self.has_class("-single") or self.panes.replaces_list):
            self.panes.enter("contact")

    def action_move_split(self, cells: int) -> None:
        """Move the line between list and thread, and remember where it is."""
        if not self.panes.shows_split:
            self._notify(sentences.NOT_SIDE_BY_SIDE)
        elif self.panes.move_split(cells):
            name = split_setting(self.panes.least_width)
            self._mailbox.set_setting(name, str(self.panes.split))
        else:
            self._notify(sentences.SPLIT_AT_END)

    def action_zoom(self) -> None:
        self.panes.toggle_zoom()
        self._display.refresh_bars()

    def action_back(self) -> None:
        """Cancel running searches; else leave contact, then thread, and unmark rows in the list."""
        stopped = [rows.stop() for rows in (self.queue.list, self.thread.messages)]
        stopped.append(self._do(finding.stop, self.inbox))
        searches = (self, self.queue, self.thread)
        cancelled = [self.workers.cancel_group(node, SEARCH) for node in searches]
        if any([*stopped, *cancelled]):
            return
        match self.panes.at:
            case "contact":
                self.panes.show_contact(self.panes.has_contact_column)
                self.panes.enter(self.panes.before_contact)
            case "thread" | "channels":
                self.panes.enter("list")
            case _ if self.queue.list.marked:
                self.queue.list.mark_only(())
                self._display.refresh_bars()
            case _ if self.inbox.view.query.value("from") and self.inbox.history.has_before:
                self.action_history(-1)

    def action_leave(self) -> None:
        """Go back one level; in the list, twice within two seconds quits."""
        if self.panes.at != "list":
            self.action_back()
            return
        if self._asks_to_quit:
            self.app.call_later(self.app.run_action, "quit")
            return
        self._quit_asked = self._clock.now()
        self._notify(sentences.PRESS_AGAIN_TO_QUIT.format(key=self._keys["inbox.leave"]))

    # Actions on the application

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A page runs no programs of its host."""
        if action in ("pipe", "own_commands") and self.app.is_web:
            return False
        return super().check_action(action, parameters)

    def action_refresh(self) -> None:
        """Refresh without regard to a back-off, and drop rows that no longer match the filter."""
        self._do(refreshing.refresh_by_hand, self.inbox)

    def action_redraw(self) -> None:
        """Repaint every cell, after another program wrote to the terminal."""
        self.refresh(layout=True)

    def action_help(self) -> None:
        from frontdesk.tui.dialogs.help import SIGNS, show_help

        own = [] if self.app.is_web else self.own_commands.entries()
        show_help(self, [*SIGNS, *self._with_view_names(active_commands(self)), *own])

    def _with_view_names(self, commands: list[CommandEntry]) -> list[CommandEntry]:
        """Commands with the names of the views that have a key."""
        names = {f"View {view.key}": f"View: {view.name}" for view in self._views.all()}
        return [one._replace(title=names.get(one.title, one.title)) for one in commands]

    def commands(self) -> list[CommandEntry]:
        """Actions, filters, orders, views and screens."""
        orders = [
            CommandEntry(f"Sort: {words}", "", partial(self._sort, order), "order")
            for order, words in ORDERS.items()
        ]
        queries = [
            CommandEntry(f"Filter: {words}", "", partial(self._toggle_filter, term), synonyms)
            for term, words, synonyms in filters.filter_terms(
                self.inbox.planning.names, self._clock.server_now()
            )
        ]
        views = [
            CommandEntry(f"View: {view.name}", "", partial(self._show_view, view))
            for view in self._views.all()
            if not view.key
        ]
        menu = self._keys["view.menu"]
        save = [
            CommandEntry(
                "Save view…", f"{menu} {filters.SAVE}", self.action_save_view, "keep store name key"
            )
        ]
        if self._views.saved():
            keys = f"{menu} {filters.REMOVE}"
            save.append(CommandEntry("Remove view…", keys, self.action_remove_view, "delete"))
        actions = self._with_view_names(all_commands(self))
        screens = view_commands(self._keys, self.action_view)
        own = [] if self.app.is_web else self.own_commands.entries()
        return [*actions, *own, *orders, *queries, *views, *save, *screens]
