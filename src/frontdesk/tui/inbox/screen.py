"""Inbox screen: the view, the selection, polling, and the keys that work in every pane."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.inbox import refreshing, selecting
from frontdesk.inbox.counting import UNREAD
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query, Term
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.command_entries import CommandEntry
from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.dialogs.view_table import view_bindings
from frontdesk.tui.inbox import pane_actions, row_actions, view_actions
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.panes import (
    LEAST_ALL_PANES,
    LEAST_CONTACT,
    LEAST_LINES_OF_BOTH,
)
from frontdesk.tui.inbox.parts import InboxParts
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import ThreadPane
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from frontdesk.tui.inbox.own_commands import OwnCommands

_KEYS = (*pane_actions.KEYS, *row_actions.KEYS, *view_actions.KEYS)
# What keys run, by the name in their binding.
_ACTIONS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        one.__name__: one
        for one in (*(key.run for key in _KEYS), *view_actions.PANE_ACTIONS)
        if not isinstance(one, str)
    }
)


class InboxScreen(SizedScreen[None]):
    """Channels, conversation list, thread and contact; reads only through the mailbox.

    Thread and contact follow the cursor of the list in the same frame.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*(key.binding for key in _KEYS), *view_bindings()]
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

    def __init__(
        self, mailbox: Mailbox, clock: Clock, *, title: str, preferences: Preferences = PLAIN
    ) -> None:
        super().__init__()
        parts = InboxParts(self, mailbox, clock, title=title, preferences=preferences)
        self.parts, self.inbox, self.panes = parts, parts.inbox, parts.panes
        self.queue, self.thread, self.contact = parts.queue, parts.thread, parts.contact

    def show_query(self, query: Query) -> None:
        """Show the conversations of a query: at once from the cache, then from the server."""
        self.parts.show_query(query)

    def show_conversation(self, conversation_id: str) -> None:
        """Show a contact's conversations with the cursor on one of them."""
        self.parts.show_conversation(conversation_id)

    def compose(self) -> ComposeResult:
        yield self.parts.bars.header
        yield self.parts.bars.views
        yield self.parts.bars.channel_tabs
        yield self.panes
        yield self.parts.bars.status
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self.parts.clock.tick()
        self.watch(self.queue.list, "selected_key", self._follow_cursor, init=False)
        self.watch(self.queue.list, "selected_by_input", self._begin_rest, init=False)
        # The bars are drawn once the size is known.
        self.queue.driver.note(self.inbox.show)
        self.panes.enter("list")
        self.inbox.connection.begin("connecting…")
        self.set_interval(60.0, self.parts.shown.update_ages)
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        self.queue.driver.close()
        await self.parts.mailbox.close()

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
        self.queue.list.set_density(self.parts.preferences.viewer.density or 2)
        words = sentences.TOO_SMALL.format(width=width, height=height)
        self.query_one("#too-small", Static).update(words)
        self.parts.shown.refresh_bars()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.panes.entered(event.widget)
        # The keys that follow may have left the thread already.
        if event.widget is self.thread.messages is self.focused:
            self.parts.do(selecting.enter_thread, self.inbox)
        self.parts.shown.refresh_bars()

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
            await self.parts.mailbox.connect()
        except InboxError as error:
            # No request can succeed: exit, and let the command line print the error.
            self.app.exit(error)
            return
        self.parts.do(refreshing.begin, self.inbox)

    # Polling

    def record_input(self, event: events.Event) -> None:
        """Record user input."""
        refreshing.note_input(self.inbox)
        self.parts.quitting.withdraw(event)

    def terminal_focused(self, focused: bool) -> None:
        """Handle a focus change of the terminal, which polling depends on."""
        # Deferred: the first frame does not need it.
        from frontdesk.inbox import following

        self.parts.do(following.note_focus, self.inbox, focused)

    # Notifications and bars

    @on(QueuePane.MarksChanged)
    def _show_marks(self) -> None:
        self.parts.shown.draw()

    # Messages of panes

    @on(QueuePane.SelectionOpened)
    def _enter_thread(self, event: QueuePane.SelectionOpened) -> None:
        # A key that was pressed after it may have shown another view already.
        if event.id == self.queue.list.selected_id:
            self.parts.open_selected()
            self.panes.enter("thread")

    @on(ChannelPane.ChannelChosen)
    def _choose_channel(self, event: ChannelPane.ChannelChosen) -> None:
        view_actions.change_channel(self.parts, event.channel)
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
        chip = self.parts.bars.chip_at(event.piece)
        if chip is not None:
            self.show_query(self.inbox.view.query.without(chip))
        elif event.piece < 0:
            is_shown = self.inbox.view.query == UNREAD
            self.show_query(UNREAD.without(Term("unread")) if is_shown else UNREAD)
        elif event.piece >= self.parts.bars.edit_piece:
            view_actions.edit_filter(self.parts)

    @on(QueuePane.OrderPressed)
    def _press_order(self, event: QueuePane.OrderPressed) -> None:
        view_actions.sort(self.parts, event.order)

    @on(VirtualList.LabelPressed)
    def _press_label(self, event: VirtualList.LabelPressed) -> None:
        self.show_query(self.inbox.view.query.toggled(Term("label", event.label)))

    @on(Bar.Pressed, "#views")
    def _choose_view(self, event: Bar.Pressed) -> None:
        view = self.parts.bars.view_at(event.piece)
        if view is None:
            self.action_views()
        else:
            view_actions.show_view(self.parts, view)

    @on(Bar.Pressed, "#channel-tabs")
    def _choose_tab(self, event: Bar.Pressed) -> None:
        channel = self.parts.bars.channel_at(event.piece)
        if channel is not None:
            view_actions.change_channel(self.parts, channel.id)
        elif event.piece < 0:
            view_actions.ask_filter(self.parts)

    # Actions

    def action_run(self, name: str, *arguments: object) -> None:
        """Run an action that is a function of the screen."""
        _ACTIONS[name](self.parts, *arguments)

    def action_view(self, name: str) -> None:
        view_actions.open_overlay(self.parts, name)

    def action_views(self) -> None:
        view_actions.open_views(self.parts)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A page runs no programs of its host."""
        if parameters[:1] in (("ask_pipe",), ("choose_own_command",)) and self.app.is_web:
            return False
        return super().check_action(action, parameters)

    def command_menu(self) -> "OwnCommands":
        return self.parts.own_commands

    def commands(self) -> list[CommandEntry]:
        """Actions, filters, orders, views and screens."""
        from frontdesk.tui.inbox.palette import entries

        return entries(self.parts)
