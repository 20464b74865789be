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
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker

from frontdesk.cache import Coverage, Hit
from frontdesk.conversation_export import (
    MARKED_ENDINGS,
    QUEUE_ENDINGS,
)
from frontdesk.errors import InboxError
from frontdesk.inbox import finding, refreshing
from frontdesk.inbox.counting import UNREAD, counts_of
from frontdesk.inbox.link import RESTED
from frontdesk.inbox.requests import (
    NamesCame,
    OpenSelected,
    Order,
    Refreshed,
    Say,
    ShowBars,
    ShowConversation,
    ShowProgress,
    Warn,
)
from frontdesk.inbox.scanning import reload, start_scan
from frontdesk.mailbox import Mailbox
from frontdesk.query import NEWEST, ORDERS, VIEW_KEYS, Query, SavedView, Term, customer, reference
from frontdesk.request_priority import in_background
from frontdesk.tui import filters, sentences
from frontdesk.tui.action_groups import CommandEntry, active_commands, all_commands
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import Bell, ConnectionMonitor
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
from frontdesk.tui.inbox.open_view import open_view
from frontdesk.tui.inbox.panes import (
    LEAST_ALL_PANES,
    LEAST_LINES_OF_BOTH,
    LEAST_PANES,
    Panes,
)
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import SEARCH, ThreadPane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.saved_views import QueryHistory, SavedViews, ViewHistory
from frontdesk.tui.unsupported import remark_on
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.virtual_list import RowSearch, VirtualList
from frontdesk.typed_dates import HOW_TO, day_of
from frontdesk.wire import Contact, Conversation, PhoneRef

_QUIT_WITHIN = timedelta(seconds=2)

# Delay between a cursor movement and the load of the thread.
PREVIEW_SECONDS = 0.15

# Share of the server's rate limit that requests of the background may take, and the least time
# between two of them.
_SHARE, _SPACING_SECONDS = 0.5, 0.2

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
    _bars_due = False
    # The first answer for the list has come.
    _begun = False
    # What was open before there was a connection.
    _opened_before: str | None = None
    _thread_request: Worker[None] | None = None

    def __init__(
        self, mailbox: Mailbox, clock: Clock, *, title: str, preferences: Preferences = PLAIN
    ) -> None:
        super().__init__()
        self._mailbox = mailbox
        self._clock = clock
        self._title = title
        self._preferences = preferences
        self._bell = Bell()
        self._connection = ConnectionMonitor(
            mailbox,
            clock,
            self._warn_of_view,
            changed=self._refresh_bars_soon,
            state_changed=self._show_status,
            seen_at=lambda: self.inbox.view.list.fetched_at,
            schedule_poll=self._schedule_poll,
            quiet_unfocused=preferences.quiet_unfocused,
        )
        self._keys = KeyNames((type(self), ConversationList), preferences.keys)
        self._views = SavedViews(mailbox, preferences.views)
        # Stored views before the last change of them, and words for it.
        self._undo: tuple[str, str] | None = None
        self._history = ViewHistory()
        self.channels = ChannelPane(mailbox)
        self.queue = QueuePane(
            mailbox, clock, self._connection, self._keys, self._views, self._carry_out
        )
        self.inbox, self._do = self.queue.inbox, self.queue.driver.do
        self.thread = ThreadPane(mailbox, clock, self._connection, self._keys)
        self.contact = ContactPane(mailbox, clock)
        self.panes = Panes(self.channels, self.queue, self.thread, self.contact)
        self._bars = Bars(self.queue, self.channels, self._views, title, self._keys)
        self._opened_id: str | None = None
        self._preview: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._resting: Timer | None = None
        self._next_poll: Timer | None = None
        self._countdown: Timer | None = None
        self._find_text = ""
        self._warned: str | None = None
        self._pace = mailbox.pace(
            _SHARE,
            lambda: self._connection.is_busy,
            least_seconds=_SPACING_SECONDS,
        )
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
        self.watch(self.queue.list, "selected_by_input", self._start_reading, init=False)
        self._do(self.inbox.show)
        self.panes.enter("list")
        self._connection.begin("connecting…")
        self.set_interval(60.0, self._update_ages)
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        for call in (self._preview, self._reading):
            if call is not None:
                call.cancel()
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
        self._refresh_bars()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.panes.entered(event.widget)
        if event.widget is self.thread.messages:
            self._open_selected()
            self._mark_read()
        self._refresh_bars()

    def on_screen_suspend(self) -> None:
        """Forget what waits for an answer: it would move the selection behind another screen."""
        self._do(finding.forget_awaited, self.inbox)

    # The view and the selection

    def show_query(self, query: Query) -> None:
        """Show the conversations of a query: at once from the cache, then from the server."""
        if query != self.inbox.view.query:
            self._history.leave(self.inbox.view.query, self.selected_id)
        self._show_query(query)

    def _show_query(self, query: Query, selected: str | None = None) -> None:
        if query != self.inbox.view.query and isinstance(self.app, CrashReportingApp):
            self.app.end_view_notices()
        self._do(refreshing.show_query, self.inbox, query, selected)
        if self.focused is self.thread.messages:
            # Its thread is read, even if the row comes with a later answer.
            self.queue.list.take_for_input()
        self._connection.begin()
        self._open_selected()
        self._refresh_bars()
        self._refresh_queue()
        self._do(start_scan, self.inbox)

    def _follow_cursor(self) -> None:
        row = self.queue.list.row
        self.selected_id = row.id if row is not None else None

    def watch_selected_id(self, before: str | None, now: str | None) -> None:
        """Show the row's data at once, and the thread when the cursor rests.

        A cached thread is shown at once too, unless the cursor is moving on.
        """
        if before is not None and self.queue.list.selected_by_input:
            self._do(finding.forget_awaited, self.inbox)
        row = self.queue.list.row
        self.thread.select(row, open_cached=self._preview is None)
        if row is not None and self.thread.listing is not None:
            self.contact.show(row, keep_place=False)
        else:
            self.contact.select(row)
        self._opened_id = None
        self._start_reading()
        if before is None or now is None:
            self._open_selected()
            return
        self._stop_preview()
        self._preview = self._call_after(PREVIEW_SECONDS, self._open_selected)

    def _call_after(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back once, as `set_timer` does with a task, too much for a move of the cursor."""
        return asyncio.get_running_loop().call_later(seconds, self.call_next, callback)

    def _stop_preview(self) -> None:
        if self._preview is not None:
            self._preview.cancel()
            self._preview = None

    def _show_thread(self) -> None:
        """Show the cached thread of the selected conversation."""
        conversation = self.thread.open()
        if conversation is not None:
            self.contact.show(conversation, keep_place=False)

    def _open_selected(self) -> None:
        """Show and refresh the thread of the selected conversation, unless that was done."""
        self._stop_preview()
        self._show_thread()
        conversation = self.thread.conversation
        if conversation is not None and conversation.id != self._opened_id:
            self._opened_id = conversation.id
            self.inbox.note_opened(conversation)
            self.call_after_refresh(self._draw_ahead)
            if self._mailbox.connected:
                self._refresh_thread()
            if self.focused is self.thread.messages and self.queue.list.selected_by_input:
                self._mark_read()

    def _draw_ahead(self) -> None:
        """Draw the cached threads above and below, one of which the next key may select."""
        for conversation in self.queue.list.beside():
            self.thread.draw_ahead(conversation)

    def _start_reading(self) -> None:
        """Mark the selected conversation as read if it stays selected for some seconds.

        Only one that a key or a click selected, and whose newest message is displayed, is read that
        way.
        """
        if self._reading is not None:
            self._reading.cancel()
        seconds = self._preferences.mark_read_after
        selected = self.selected_id is not None and self.queue.list.selected_by_input
        rests = isinstance(seconds, (int, float)) and selected
        self._reading = self._call_after(float(seconds), self._mark_shown) if rests else None

    def _mark_shown(self) -> None:
        """Mark the selected conversation as read if its newest message is displayed.

        One that was marked as unread stays so until it is opened.
        """
        by_hand = self._mailbox.is_marked_unread(self.selected_id or "")
        if self.thread.shows_newest and self.is_active and not by_hand:
            self._mark_read()

    def on_screen_resume(self) -> None:
        """Count the seconds anew that a dialog covered."""
        self._start_reading()

    def _mark_read(self) -> None:
        """Mark the selected conversation as read on this computer."""
        if self._reading is not None:
            self._reading.cancel()
        if self._preferences.mark_read_after != "never" and self.selected_id is not None:
            self._do(self.inbox.mark, self.selected_id, read=True)

    def action_mark_unread(self) -> None:
        """Mark the selected conversation as unread on this computer, until it is read again."""
        if self._reading is not None:
            self._reading.cancel()
        if self.selected_id is not None:
            self._do(self.inbox.mark, self.selected_id, read=False)
            self._notify(sentences.MARKED_UNREAD)

    def show_conversation(self, conversation_id: str, entry: str = "") -> None:
        """Show a contact's conversations with the cursor on one of them, and on an entry in it."""
        conversation = self._mailbox.conversation(conversation_id)
        if conversation is None:
            self._notify(sentences.NOT_ON_THIS_COMPUTER)
            return
        self._show_contact(conversation.contact)
        if not self._go_to_conversation(conversation_id, entry):
            self.queue.list.go_to(0)
            self._open_selected()
            self._do(finding.show_when_known, self.inbox, conversation_id, entry)

    def _go_to_conversation(self, conversation_id: str, entry: str) -> bool:
        """Select a conversation, and an entry in it; False if it is not in the list."""
        if not self.inbox.go_to(conversation_id):
            return False
        self._open_selected()
        if entry.startswith(("message ", "note ")):
            self._go_to_entry(entry)
        return True

    def _go_to_entry(self, entry: str) -> None:
        self.panes.enter("thread")
        if not self.thread.go_to(entry):
            self.thread.load_then(partial(self.thread.fetch_entry, entry), self._notify_unless)

    def _notify_unless(self, found: bool) -> None:
        if not found:
            self._notify(sentences.NOT_IN_THREAD)

    def _show_contact(self, contact: PhoneRef | Contact) -> None:
        """Show the conversations of a contact, on all channels and of any status."""
        id, phone = contact.id, contact.phone
        self.inbox.add_contact(PhoneRef(id=id, name=contact.name, phone=phone))
        before = self.inbox.view.query
        self.show_query(Query.of(customer(id, phone)))
        self.panes.enter("list")
        if self.inbox.view.query != before:
            self._notify(sentences.CUSTOMER_VIEW.format(key=self._keys["inbox.view_back"]))

    def _carry_out(self, order: Order) -> None:
        """Do what the inbox says."""
        match order:
            case Say(words):
                self._notify(words)
            case Warn(words):
                self._warn(words)
            case OpenSelected():
                self._open_selected()
            case ShowConversation(id, entry):
                self._go_to_conversation(id, entry)
            case ShowProgress():
                self._show_status()
            case ShowBars():
                self._refresh_bars_soon()
            case NamesCame():
                # They may have changed what was drawn.
                self._refresh_bars()
                self._draw_ahead()
            case Refreshed(answered, was_failing):
                self._follow_refresh(answered=answered, was_failing=was_failing)

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
        self._opened_before = self._opened_id
        self._refresh_queue()
        self._do(refreshing.request_names, self.inbox)

    def _refresh(self) -> None:
        """Refresh the conversation list, and the open thread unless it is being requested."""
        self._refresh_queue()
        if self._thread_request is None or self._thread_request.is_finished:
            self._refresh_thread()

    def _refresh_queue(self, *, by_hand: bool = False) -> None:
        self._do(refreshing.refresh, self.inbox, by_hand=by_hand)
        self._schedule_status()
        self._schedule_poll()

    def _follow_refresh(self, *, answered: bool, was_failing: bool) -> None:
        """Do what follows an answer for the list, or its failure."""
        if answered:
            self.queue.highlight_new()
            if self._bell.rings(self.queue.unread()) and self._preferences.bell:
                self.app.bell()
        if not self._begun:
            self._begin_rest()
        elif answered and was_failing:
            # Its own request may be waiting for an answer that was lost.
            self._refresh_thread()
        self._renew_selected()
        self._refresh_bars()
        self._schedule_poll()
        if answered:
            self._prefetch()

    def _begin_rest(self) -> None:
        """Begin what follows the first answer for the list."""
        self._begun = True
        if self._opened_id == self._opened_before:
            # A thread that is opened with a connection is refreshed at once; this one was not.
            self._refresh_thread()
        self._do(start_scan, self.inbox)
        self.start_mirror()
        if self._preferences.alerts.kinds:
            self._show_alerts()

    def _refresh_thread(self, *, by_hand: bool = False) -> None:
        """Request the open thread in place of the one that is being requested."""
        self._thread_request = self._request_thread(by_hand=by_hand)

    @work(group="thread", exclusive=True)
    async def _request_thread(self, *, by_hand: bool) -> None:
        listing = self.thread.listing
        answer = await self._connection.ask(self._fetch_thread, beside=True, by_hand=by_hand)
        if listing is not self.thread.listing:
            # Another conversation was selected meanwhile.
            return
        if answer is None:
            self.thread.show_problem(self._connection.problem)
        else:
            self._prefetch()

    async def _fetch_thread(self) -> None:
        """Refresh the thread, and its conversation if that has left the list or was active."""
        await self.thread.fetch()
        conversation = self.thread.conversation
        if conversation is not None and await self._refresh_conversation(conversation.id):
            self._do(reload, self.inbox)
            self._renew_selected()
            self._refresh_bars()

    async def _refresh_conversation(self, id: str) -> bool:
        """Refresh a conversation that left the list, or has newer messages; True if it changed.

        It is requested once for each of these events.
        """
        row = self._mailbox.conversation(id)
        event = refreshing.departure(self.inbox, row) if row is not None else None
        if row is None or event is None:
            return False
        changed = await self._mailbox.refresh_conversation(row)
        refreshing.note_departure(self.inbox, event)
        return changed

    @work(group="ahead", exclusive=True)
    async def _prefetch(self) -> None:
        """Prefetch the newest messages of the next conversation, or else the next page."""
        await self._prefetch_once(self.queue.ids_ahead()[:1])
        self._draw_ahead()
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(RESTED / timedelta(seconds=1), self._prefetch_threads)

    @work(group="ahead", exclusive=True)
    async def _prefetch_threads(self) -> None:
        """Prefetch threads that are likely to be opened, unless the user goes on; then later."""
        ids = self.queue.ids_ahead()
        with in_background(self._pace.rest):
            while not self._connection.is_busy and await self._prefetch_once(ids):
                continue

    async def _prefetch_once(self, ids: list[str]) -> bool:
        position = self.inbox.loaded_position or 0
        loaded = await self._mailbox.prefetch(self.inbox.view.shown.filter, position, *ids)
        if loaded:
            self._do(reload, self.inbox)
            self._refresh_bars()
        return loaded

    @work(group="mirror", exclusive=True)
    async def start_mirror(self) -> None:
        """Fill the cache with the conversations to keep, while the user rests."""
        # Deferred: most starts keep nothing.
        from frontdesk.cache import KeepRule
        from frontdesk.mailbox.mirror import Mirror
        from frontdesk.mailbox.power_source import on_battery

        keep = KeepRule.parse(self._mailbox.keep_rule)
        if keep is not None:
            suspended = (lambda: False) if self._preferences.fill_on_battery else on_battery
            mirror = Mirror(
                self._mailbox, keep, self._pace, full=self._warn_full, suspended=suspended
            )
            await mirror.run()

    def _warn_full(self, coverage: Coverage) -> None:
        self._warn(sentences.MIRROR_IS_FULL.format(kept=coverage.words))

    @work(group="alerts", exclusive=True)
    async def _show_alerts(self) -> None:
        # Deferred: most viewers have none.
        from frontdesk.tui.inbox.alert_notifier import AlertNotifier

        settings = self._preferences.alerts
        notifier = AlertNotifier(
            self, self._mailbox, self._clock, self._connection, settings, self._warn
        )
        await notifier.run()

    def _renew_selected(self) -> None:
        """Show the cached state of the selected conversation."""
        self.thread.renew()
        if self.thread.conversation is not None and self.thread.listing is not None:
            self.contact.show(self.thread.conversation)

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
        self.inbox.note_input()
        if self._connection.used():
            self._refresh()

    def terminal_focused(self, focused: bool) -> None:
        """Handle a focus change of the terminal, which polling depends on."""
        self._connection.focus(focused)
        if focused:
            self.record_input()
        self._schedule_poll()
        self._show_status()

    def _schedule_poll(self) -> None:
        """Schedule the next refresh; a running refresh schedules it when it ends."""
        if self._next_poll is not None:
            self._next_poll.stop()
        wait = self._connection.poll_in
        if wait is not None and self.is_attached:
            self._next_poll = self.set_timer(wait / timedelta(seconds=1), self._refresh)

    # Notifications and bars

    def _warn(self, sentence: str) -> None:
        self.notify(sentence, severity="warning", timeout=10, markup=False)

    def _warn_of_view(self, sentence: str) -> None:
        """Warn until another view is shown, whose own request may succeed."""
        if isinstance(self.app, CrashReportingApp):
            self.app.notify_of_view(sentence, severity="warning")
        else:
            self._warn(sentence)

    def _notify(self, sentence: str) -> None:
        say(self, sentence)

    def _update_ages(self) -> None:
        self._clock.tick()
        self.queue.list.update_ages()
        self._renew_selected()
        self._refresh_bars()

    @on(QueuePane.MarksChanged)
    def _refresh_bars_soon(self) -> None:
        """Update all bars once for changes that come together."""
        if not self._bars_due:
            self._bars_due = True
            self.call_later(self._refresh_due_bars)

    @property
    def _is_whole(self) -> bool:
        """False while the application ends, when its widgets go one by one."""
        return self.queue.list.is_attached and self._bars.are_attached

    def _refresh_due_bars(self) -> None:
        if self._bars_due:
            self._refresh_bars()

    def _refresh_bars(self) -> None:
        """Update all bars; a bar whose text is unchanged is not repainted."""
        self._bars_due = False
        if not self._is_whole:
            return
        if self._mailbox.warning not in (None, self._warned):
            self._warned = self._mailbox.warning
            self._warn(self._warned or "")
        self._bars.refresh()
        self.thread.set_me(self.inbox.names.me)
        self.contact.set_context(self.inbox.names.me, self.queue.label_colours)
        self.thread.refresh_bars()
        self._show_status()

    def _show_status(self) -> None:
        if not self._is_whole:
            return
        if self._connection.use_early_retry():
            self._refresh_queue()
        zoomed = self.panes.has_class("-zoomed")
        skips_wait = self._connection.counts_down and self.size.width >= LEAST_PANES
        self._bars.show_status(
            self.panes.at, self._connection.state, zoomed=zoomed, skips_wait=skips_wait
        )
        self._schedule_status()

    def _schedule_status(self) -> None:
        """Update the status line in a second, during a request or a countdown to the next."""
        if self._countdown is not None:
            self._countdown.stop()
        if self._connection.failing or self._connection.asking:
            self._countdown = self.set_timer(1.0, self._show_status)

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
        # The seconds count from when there is something to read.
        self._start_reading()
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
        self._show_status()

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
                self._refresh_bars()
            case _ if self.inbox.view.query.value("from") and self._history.has_before:
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
        visit = self._history.step(step, self.inbox.view.query, self.selected_id)
        if visit is None:
            self._notify(sentences.NO_VIEW_BEFORE if step < 0 else sentences.NO_VIEW_AFTER)
        else:
            self._show_query(visit.query, visit.selected)

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
        channel = reference(id, self.inbox.names.channels) if id else None
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
        self._refresh_bars()

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
            self._refresh_bars()

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
        if self.inbox.go_to_last_opened():
            self._open_selected()
        else:
            self._notify(sentences.NO_PREVIOUS)

    def action_switch(self) -> None:
        """Open the quick switcher."""
        from frontdesk.tui.dialogs.switcher import Switcher

        switcher = Switcher(self._mailbox, self.inbox.names, self._views.all())
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

        names, offered = self.inbox.all_names, filters.offered(self._mailbox)
        search = SearchScreen(self._mailbox, self._clock, names, offered)
        self.app.push_screen(search, self._show_hit)

    def _show_hit(self, hit: Hit | Query | str | None) -> None:
        if isinstance(hit, str):
            self._mailbox.choose_keep(hit)
            self._notify(sentences.KEEPING_NOTHING if hit == "off" else sentences.KEEPING_OPEN)
            if hit != "off":
                self.start_mirror()
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
        if self._do(refreshing.refresh_by_hand, self.inbox):
            self._schedule_status()
            self._schedule_poll()
            self._refresh_thread(by_hand=True)

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
            for term, words, synonyms in filters.filter_terms(self.inbox.names)
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
