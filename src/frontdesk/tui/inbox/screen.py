"""Inbox screen: the view, the selection, polling, and the keys that work in every pane."""

import asyncio
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import ClassVar
from urllib.parse import quote

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.cache import Hit
from frontdesk.conversation_export import (
    MARKED_ENDINGS,
    QUEUE_ENDINGS,
)
from frontdesk.errors import InboxError
from frontdesk.inbox import finding, navigating, refreshing, selecting
from frontdesk.inbox.counting import UNREAD, counts_of
from frontdesk.mailbox import Mailbox
from frontdesk.query import NEWEST, ORDERS, VIEW_KEYS, Query, SavedView, Term, reference
from frontdesk.tui import filters, sentences
from frontdesk.tui.action_groups import CommandEntry, active_commands, all_commands
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, SizedScreen
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending
from frontdesk.tui.dialogs.view_table import (
    Opening,
    OverlayView,
    view_bindings,
    view_commands,
    view_entries,
)
from frontdesk.tui.inbox.bars import Bars
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.display import Display
from frontdesk.tui.inbox.open_view import open_view
from frontdesk.tui.inbox.panes import (
    LEAST_ALL_PANES,
    LEAST_LINES_OF_BOTH,
    Panes,
)
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import SEARCH, ThreadPane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.saved_views import QueryHistory, SavedViews
from frontdesk.tui.unsupported import remark_on
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.virtual_list import RowSearch, VirtualList
from frontdesk.typed_dates import HOW_TO, day_of
from frontdesk.wire import Contact, Conversation, PhoneRef

_QUIT_WITHIN = timedelta(seconds=2)

# Rows searched synchronously on a find, then per step of the worker.
_ROWS_AT_ONCE, _ROWS_PER_STEP = 1_000, 200


class InboxScreen(SizedScreen[None]):
    """Channels, conversation list, thread and contact; reads only through the mailbox.

    selected_id: id of the conversation under the cursor of the list, which thread and contact
    follow in the same frame.
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
        Binding("U", "unread(-1)", "Previous unread", id="inbox.previous_unread"),
        Binding("W", "waiting", "Next longest wait", id="inbox.next_waiting"),
        Binding("minus", "swap", "Last opened conversation", id="inbox.swap"),
        Binding("m", "mark_unread", "Mark as unread", id="inbox.mark_unread"),
        Binding("slash", "find", "Find in this pane…", id="inbox.find"),
        Binding("n", "find_next(1)", "Next match", id="inbox.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="inbox.previous_match"),
        Binding("s", "search", "Search everything on this computer…", id="inbox.search"),
        Binding("ctrl+k", "switch", "Go to a customer, conversation or view…", id="inbox.switch"),
        Binding("t", "date", "Go to a date…", id="inbox.date"),
        Binding("plus,underscore", "zoom", "Zoom this pane", id="inbox.zoom"),
        Binding("w", "raw_row", "Show as JSON", id="inbox.raw_row"),
        Binding("o", "open_link", "Open in the browser", id="inbox.open_link"),
        Binding("y", "copy", "Copy message or line", id="inbox.copy"),
        Binding("Y", "copy_menu", "Copy…", id="inbox.copy_menu"),
        Binding("E", "export", "Export…", id="inbox.export"),
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

    selected_id: var[str | None] = var(None, init=False)

    def __init__(
        self, mailbox: Mailbox, clock: Clock, *, title: str, preferences: Preferences = PLAIN
    ) -> None:
        super().__init__()
        self._mailbox, self._clock, self._title = mailbox, clock, title
        self._preferences = preferences
        connection = ConnectionMonitor(
            mailbox,
            clock,
            lambda sentence: self._display.warn_of_view(sentence),
            changed=lambda: self._display.show_bars(),
            state_changed=lambda: self._display.show_progress(),
            seen_at=lambda: self.inbox.view.list.fetched_at,
            schedule_poll=lambda: refreshing.schedule_poll(self.inbox),
            quiet_unfocused=preferences.quiet_unfocused,
        )
        self._keys = keys = KeyNames((type(self), ConversationList), preferences.keys)
        self._views = SavedViews(mailbox, preferences.views)
        # Stored views before the last change of them, and words for it.
        self._undo: tuple[str, str] | None = None
        self.channels, self.contact = ChannelPane(mailbox), ContactPane(mailbox, clock)
        self.thread = ThreadPane(mailbox, clock, connection, keys)
        self.queue = QueuePane(
            mailbox,
            clock,
            connection,
            keys,
            self._views,
            self.thread,
            lambda order: order.carry_out(self._display),
            read_after=preferences.mark_read_after,
        )
        self.inbox, self._do = self.queue.inbox, self.queue.driver.do
        self.panes = Panes(self.channels, self.queue, self.thread, self.contact)
        self._bars = Bars(self.queue, self.channels, self._views, title, keys)
        self._display = Display(
            self,
            mailbox,
            clock,
            connection,
            queue=self.queue,
            thread=self.thread,
            contact=self.contact,
            panes=self.panes,
            bars=self._bars,
            preferences=preferences,
        )
        self._find_text = ""
        self._quit_asked = clock.now() - _QUIT_WITHIN

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
        self._do(self.inbox.show)
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
        if event.widget is self.thread.messages:
            self._do(selecting.enter_thread, self.inbox)
        self._display.refresh_bars()

    def on_screen_suspend(self) -> None:
        """Forget what waits for an answer: it would move the selection behind another screen."""
        self._do(self.inbox.forget_awaited)

    def on_screen_resume(self) -> None:
        """Count the seconds again that a dialog covered."""
        self._begin_rest()

    @on(ThreadPane.Loaded)
    def _begin_rest(self) -> None:
        """Count the seconds after which the selected conversation is read."""
        self._do(selecting.begin_rest, self.inbox)

    # The view and the selection

    def show_query(self, query: Query) -> None:
        """Show the conversations of a query: at once from the cache, then from the server."""
        self._do(navigating.show, self.inbox, query)

    def _follow_cursor(self) -> None:
        row = self.queue.list.row
        self.selected_id = row.id if row is not None else None

    def watch_selected_id(self) -> None:
        """Show the row's data at once, and the thread when the cursor rests."""
        self._do(selecting.select, self.inbox)

    def _open_selected(self) -> None:
        """Show and refresh the thread of the selected conversation, unless that was done."""
        self._do(selecting.open_selected, self.inbox)

    def action_mark_unread(self) -> None:
        """Mark the selected conversation as unread on this computer, until it is read again."""
        self._do(selecting.mark_unread, self.inbox)

    def show_conversation(self, conversation_id: str, entry: str = "") -> None:
        """Show a contact's conversations with the cursor on one of them, and on an entry in it."""
        self._do(navigating.show_conversation, self.inbox, conversation_id, entry)

    def _show_contact(self, contact: PhoneRef | Contact) -> None:
        """Show the conversations of a contact, on all channels and of any status."""
        self._do(navigating.show_customer, self.inbox, contact)

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

    def withdraw_quit(self, event: events.Event) -> None:
        """Forget that the user asked to quit, unless this is the key that asks again."""
        if self._clock.now() - self._quit_asked < _QUIT_WITHIN:
            key = event.key if isinstance(event, events.Key) else ""
            bound = self.active_bindings.get(key)
            if bound is None or bound.binding.id != "inbox.leave":
                self._quit_asked = self._clock.now() - _QUIT_WITHIN

    def record_input(self) -> None:
        """Record user input; refresh at once if polling had slowed down."""
        self._do(refreshing.note_input, self.inbox)

    def terminal_focused(self, focused: bool) -> None:
        """Handle a focus change of the terminal, which polling depends on."""
        self._do(refreshing.note_focus, self.inbox, focused)

    # Notifications and bars

    def _notify(self, sentence: str) -> None:
        say(self, sentence)

    @on(QueuePane.MarksChanged)
    def _show_marks(self) -> None:
        self._display.show_bars()

    # Messages of panes

    @on(QueuePane.SelectionOpened)
    def _enter_thread(self, event: QueuePane.SelectionOpened) -> None:
        # A key that was pressed after it may have shown another view already.
        if event.id == self.selected_id:
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
        if self.panes.at == "channels" and self.has_class("-triple"):
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

    def action_zoom(self) -> None:
        self.panes.toggle_zoom()
        self._display.show_progress()

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
                self.panes.show_contact(self.has_class("-quad"))
                self.panes.enter(self.panes.before_contact)
            case "thread" | "channels":
                self.panes.enter("list")
            case _ if self.queue.list.marked:
                self.queue.list.unmark_all()
                self._display.refresh_bars()
            case _ if self.inbox.view.query.value("from") and self.inbox.history.has_before:
                self.action_history(-1)

    def action_leave(self) -> None:
        """Go back one level; in the list, twice within two seconds quits."""
        if self.panes.at != "list":
            self.action_back()
            return
        now = self._clock.now()
        if now - self._quit_asked < _QUIT_WITHIN:
            self.app.exit()
        self._quit_asked = now
        self._notify(sentences.PRESS_AGAIN_TO_QUIT.format(key=self._keys["inbox.leave"]))

    # Actions on the view

    def action_saved_view(self, key: str) -> None:
        view = self._views.of(key)
        if view is not None:
            self._show_view(view)

    def _show_view(self, view: SavedView) -> None:
        self._views.choose(view)
        self.show_query(view.query)
        self.panes.enter("list")

    def action_history(self, step: int) -> None:
        """Go back (-1) or forward (1) through the views, to their selection."""
        self._do(navigating.step_history, self.inbox, step)

    def action_remove_filter(self) -> None:
        """Remove the last chip of the view."""
        chip = self._bars.last_chip()
        if chip is not None:
            self.show_query(self.inbox.view.query.without(chip))

    def action_status(self, step: int) -> None:
        """Select the next or previous status."""
        self._change_filter("is", self.queue.status_beside(step))

    def action_channel(self, step: int) -> None:
        """Select the next or previous channel; all channels come before the first."""
        channel = self.queue.channel_beside(step)
        if channel is None:
            self._notify(self.inbox.cached.lacking("channels") or sentences.NO_CHANNEL)
        else:
            self._change_filter("in", channel)

    def action_order(self) -> None:
        """Open the menu of sort orders."""
        menu = dialogs.menu("Sort", filters.ORDER_MENU, current=self.inbox.view.query.order)
        dialogs.ask(self.app, menu, self._sort)

    def _sort(self, order: str) -> None:
        self._change_filter("sort", None if order == NEWEST else order)

    def action_filter_line(self) -> None:
        """Edit the query as text."""
        from frontdesk.tui.dialogs.filter_line import FilterLine

        history = QueryHistory(self._mailbox)
        line = FilterLine(self.inbox.view.query, self.inbox.all_names, history.all())

        def use(query: Query) -> None:
            history.add(str(query))
            self.show_query(query)

        dialogs.ask(self.app, line, use)

    def action_filter(self) -> None:
        """Open the filter menu, then a picker of values."""
        has_me = not self.inbox.cached.lacking("me")
        menu = dialogs.menu("Filter by", filters.filter_menu(self.inbox.view.query, has_me=has_me))
        dialogs.ask(self.app, menu, self._filter)

    def _filter(self, name: str) -> None:
        """Apply an entry of the filter menu; open a picker if it needs a value.

        The picker is pushed synchronously, so that the next key goes to it.
        """
        no_me = self.inbox.cached.lacking("me") if name == "@me" else ""
        query = filters.apply_entry(self.inbox.view.query, name)
        if no_me:
            self._notify(no_me)
        elif query is not None:
            self.show_query(query)
        elif name == "save":
            self.action_save_view()
        elif name == "line":
            self.action_filter_line()
        elif name == "words":
            text = self.inbox.view.query.value("words") or ""
            prompt = dialogs.prompt("text ", value=text, placeholder="words of the row")
            dialogs.ask(self.app, prompt, partial(self._change_filter, "words"))
        else:
            self._pick_filter(name)

    def _pick_filter(self, kind: str) -> None:
        """Open a picker of values for a kind of filter."""
        query, shown = self.inbox.view.query, self.inbox.view.shown
        picker = dialogs.picker(
            f"Filter by {filters.KIND_NAMES[kind]}",
            filters.choices_for(kind, shown, self._mailbox, counts_of(self.inbox, shown.filter)),
            current=query.value(kind) or filters.ANY,
            remark=remark_on(self._mailbox, filters.KIND_NAMES[kind]),
        )
        dialogs.ask(self.app, picker, partial(self._change_filter, kind))

    def _change_filter(self, kind: str, value: str | None) -> None:
        """Set a term of a kind, or remove all of it; a label comes to those that are there."""
        query = self.inbox.view.query
        if kind == "label" and value:
            self.show_query(query.toggled(Term(kind, value)))
        else:
            self.show_query(query.with_value(kind, value or None))

    def _change_channel(self, id: str | None) -> None:
        channel = reference(id, self.inbox.planning.names.channels) if id else None
        self._change_filter("in", channel)

    def action_save_view(self) -> None:
        """Ask for a name and a key, and save the query as a view."""
        query = self.inbox.view.query
        view = self._views.named(query)

        def ask_for_key(name: str) -> None:
            # What enter chooses replaces no other view.
            current = view.key if view and view.key else filters.NO_KEY
            menu = dialogs.menu(f"Save “{name}” as", filters.key_menu(self._views), current=current)
            dialogs.ask(self.app, menu, lambda key: self._save_view(query, key, name))

        self._ask_for_view_name(view.name if view else "", ask_for_key)

    def _ask_for_view_name(
        self, name: str, use: Callable[[str], object], problem: str = ""
    ) -> None:
        prompt = dialogs.prompt("name of the view ", value=name, problem=problem)
        dialogs.ask(self.app, prompt, use)

    def _save_view(self, query: Query, key: str, name: str) -> None:
        """Save a view; ask for another name while a view that it does not replace has this one."""
        view = SavedView(name, query, "" if key == filters.NO_KEY else key)
        namesake = self._views.namesake(view)
        if namesake is not None:
            words = sentences.VIEW_NAME_TAKEN if namesake.key else sentences.MENU_NAME_TAKEN
            problem = words.format(key=namesake.key, name=name)
            self._ask_for_view_name(name, partial(self._save_view, query, key), problem)
            return
        replaced = self._views.of(view.key) if view.key else None
        self._undo = (self._views.snapshot(), sentences.SAVING_VIEW.format(name=name))
        self._views.save(view)
        saved = sentences.VIEW_SAVED.format(key=key)
        words = saved if view.key else sentences.VIEW_SAVED_IN_MENU
        if replaced is not None:
            words = sentences.VIEW_REPLACES.format(saved=words, name=replaced.name)
        if self._preferences.is_demo:
            words = sentences.VIEW_OF_DEMO.format(saved=words)
        self._say_undoable(words)

    def _say_undoable(self, words: str) -> None:
        keys = f"{self._keys['view.menu']} {filters.UNDO}"
        self._notify(sentences.VIEW_CAN_BE_UNDONE.format(saved=words, keys=keys))
        self._display.refresh_bars()

    def action_remove_view(self) -> None:
        """Ask which of the views saved here to remove."""
        choices = [Choice(view, view.name, str(view.query)) for view in self._views.saved()]
        dialogs.ask(self.app, dialogs.picker("Remove", choices, current=None), self._remove_view)

    def _remove_view(self, view: SavedView) -> None:
        self._undo = (self._views.snapshot(), sentences.REMOVING_VIEW.format(name=view.name))
        self._views.remove(view)
        self._say_undoable(sentences.VIEW_REMOVED.format(name=view.name))

    def _undo_view(self) -> None:
        if self._undo is not None:
            self._views.restore(self._undo[0])
            self._notify(sentences.VIEWS_RESTORED)
            self._undo = None
            self._display.refresh_bars()

    # Actions on the selection

    def action_conversation(self, step: int) -> None:
        """Open the next or previous conversation; the focus stays in its pane."""
        self.queue.list.action_move(step)
        self._open_selected()

    def action_unread(self, step: int) -> None:
        """Go to the next or previous unread conversation; downwards further pages are loaded."""
        self._do(finding.next_unread, self.inbox, step)

    def action_waiting(self) -> None:
        """Go to the longest waiting conversation; repeated, to the next longest."""
        self._do(finding.longest_wait, self.inbox)

    def action_swap(self) -> None:
        """Go back to the previously opened conversation; repeated, forth again."""
        self._do(navigating.go_to_last_opened, self.inbox)

    def action_switch(self) -> None:
        """Open the quick switcher."""
        from frontdesk.tui.dialogs.switcher import Switcher

        switcher = Switcher(self._mailbox, self.inbox.planning.names, self._views.all())
        self.app.push_screen(switcher, self._go_to)

    def _go_to(
        self,
        destination: OverlayView | SavedView | Query | Contact | Conversation | PhoneRef | None,
    ) -> None:
        match destination:
            case Conversation():
                self.show_conversation(destination.id)
            case OverlayView():
                self.action_view(destination.name)
            case SavedView():
                self._show_view(destination)
            case Contact() | PhoneRef():
                self._show_contact(destination)
            case Query():
                self.show_query(destination)
                self.panes.enter("list")

    def action_search(self) -> None:
        """Open the full-text search."""
        from frontdesk.tui.dialogs.search import SearchScreen

        names, offered = (
            self.inbox.all_names,
            filters.offered(self._mailbox),
        )
        search = SearchScreen(self._mailbox, self._clock, names, offered)
        self.app.push_screen(search, self._show_hit)

    def _show_hit(self, hit: Hit | Query | str | None) -> None:
        if isinstance(hit, str):
            self._mailbox.choose_keep(hit)
            self._notify(sentences.KEEPING_NOTHING if hit == "off" else sentences.KEEPING_OPEN)
            if hit != "off":
                self._display.background.start_mirror()
        elif hit is None or isinstance(hit, Query):
            self._go_to(hit)
        elif hit.conversation_id is not None:
            self.show_conversation(hit.conversation_id, f"{hit.kind} {hit.id}")
        elif contact := self._mailbox.known_contact(hit.id):
            self._show_contact(contact)

    # Actions that find, copy and save

    def action_find(self) -> None:
        """Ask for text, and go to the next matching row of the focused pane."""
        words = sentences.FIND_IN_PANE
        prompt = dialogs.prompt("/ ", value=self._find_text, placeholder=words)
        dialogs.ask(self.app, prompt, self._find_first)

    def _find_first(self, text: str) -> None:
        self._find_text = text
        if self._find(1):
            after, before = self._keys["inbox.next_match"], self._keys["inbox.previous_match"]
            self._notify(sentences.FOUND.format(text=text, next=after, previous=before))

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous match of the last search text."""
        if self._find_text:
            self._find(step)
        else:
            key, find = self._keys["inbox.find"], sentences.FIND_IN_PANE
            self._notify(sentences.NOTHING_TO_FIND_AGAIN.format(key=key, find=find))

    def _find(self, step: int) -> bool:
        """Search for the text; True if it was found at once."""
        search = self.panes.search(self._find_text, step)
        if search.run(_ROWS_AT_ONCE):
            key = self._keys["inbox.back"]
            self._notify(sentences.SEARCHING.format(text=self._find_text, key=key))
            self._continue_search(search)
            return False
        self._notify_unless_found(search)
        return search.found

    @work(group=SEARCH, exclusive=True)
    async def _continue_search(self, search: RowSearch) -> None:
        """Search a long list in steps, so that keys are handled in between."""
        more = True
        while more:
            await asyncio.sleep(0)
            more = search.run(_ROWS_PER_STEP)
        self._notify_unless_found(search)

    def _notify_unless_found(self, search: RowSearch) -> None:
        if not search.found:
            self._notify(sentences.NO_MATCH_IN_PANE.format(text=search.text))

    def action_date(self) -> None:
        """Ask for a date and go there; older messages are loaded as needed."""
        today = self._clock.now().date()
        prompt = dialogs.prompt(
            "day ",
            placeholder=HOW_TO.removeprefix("write "),
            check=lambda text: None if day_of(text, today) else HOW_TO,
        )
        dialogs.ask(self.app, prompt, self._go_to_day)

    def _go_to_day(self, text: str) -> None:
        day = day_of(text, self._clock.now().date())
        if day is None:
            return

        def notify(found: date | None) -> None:
            if found is None:
                self._notify(sentences.NO_MESSAGES_SINCE.format(day=day))
            elif found != day:
                self._notify(sentences.NO_MESSAGES_ON.format(day=day, next=found))

        self.panes.enter("thread")
        self.thread.load_then(partial(self.thread.fetch_day, day), notify)

    def action_copy(self) -> None:
        """Copy the text of the row under the cursor."""
        copy(self, self.panes.copied())

    def action_copy_menu(self) -> None:
        self.thread.copy_from_menu()

    def action_open_link(self) -> None:
        """Open the link of the message in the thread, or else the conversation in the web inbox."""
        template, id = self._preferences.conversation_link, self.selected_id
        if id is None:
            self._notify(sentences.NO_CONVERSATION)
        elif template is not None and not (self.panes.at == "thread" and self.thread.links):
            self.thread.open_address(template.replace("{id}", quote(id, safe="")))
        elif self.thread.links:
            self.thread.open_link()
        else:
            self._notify(sentences.NO_LINK)

    def action_raw_row(self) -> None:
        """Show the row under the cursor as JSON, as it was received."""
        from frontdesk.tui.dialogs.raw_row import RawRow

        body = self.thread.messages if self.panes.at == "thread" else self.queue.list
        if body.row is not None:
            title = f"{type(body.row).__name__} {body.row.id}, as received"
            self.app.push_screen(RawRow(title, body.row))

    def action_export(self, pane: str = "") -> None:
        """Save the thread; in the list the selected conversations, or else all loaded ones."""
        in_thread = (pane or self.panes.at) in ("thread", "contact")
        if in_thread and self.thread.conversation is not None:
            self.thread.action_export()
        elif self.queue.list.marked:
            ask_for_name(self, "selected", self._clock, MARKED_ENDINGS, self._save_marked)
        else:
            self.queue.export()

    def _save_marked(self, name: str) -> None:
        """Save rows as they are cached (CSV, JSON), or load the threads (Markdown, text)."""
        if ending(name) in QUEUE_ENDINGS:
            self.queue.save_marked(name)
        else:
            self.thread.save_threads(name, self.queue.marked)

    # Actions on the application

    def action_refresh(self) -> None:
        """Refresh without regard to a back-off, and drop rows that no longer match the filter."""
        self._do(refreshing.refresh_by_hand, self.inbox)

    def action_redraw(self) -> None:
        """Repaint every cell, after another program wrote to the terminal."""
        self.refresh(layout=True)

    def action_help(self) -> None:
        from frontdesk.tui.dialogs.help import SIGNS, show_help

        show_help(self, [*SIGNS, *self._with_view_names(active_commands(self))])

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
            for term, words, synonyms in filters.filter_terms(self.inbox.planning.names)
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
        if self._undo is not None:
            undo = sentences.UNDO_VIEW_COMMAND.format(change=self._undo[1])
            save.append(CommandEntry(undo, f"{menu} {filters.UNDO}", self._undo_view, "restore"))
        actions = self._with_view_names(all_commands(self))
        screens = view_commands(self._keys, self.action_view)
        return [*actions, *orders, *queries, *views, *save, *screens]

    def _toggle_filter(self, term: Term) -> None:
        query = self.inbox.view.query
        replaces = term.kind in ("is", "assignee", "in")
        self.show_query(query.with_term(term) if replaces else query.toggled(term))

    def action_views(self) -> None:
        """Open the menu of saved views and screens."""
        undo = sentences.UNDO_VIEW.format(change=self._undo[1]) if self._undo else ""
        entries = filters.view_menu(self._views, view_entries(self._keys), undo)
        dialogs.ask(self.app, dialogs.menu("Views", entries), self._open_view_entry)

    def _open_view_entry(self, entry: SavedView | str) -> None:
        if isinstance(entry, SavedView):
            self._show_view(entry)
        elif entry == filters.SAVE:
            self.action_save_view()
        elif entry == filters.REMOVE:
            self.action_remove_view()
        elif entry == filters.UNDO:
            self._undo_view()
        else:
            self.action_view(entry)

    def action_view(self, name: str) -> None:
        """Open a view over the inbox."""
        opening = Opening(
            self._mailbox,
            self._clock,
            self._title,
            contact=self.thread.conversation.contact if self.thread.conversation else None,
            targets=self._preferences.targets,
        )
        open_view(self.app, name, opening, self._go_to)
