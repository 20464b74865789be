"""Inbox screen: the view, the selection, polling, and the keys that work in every pane."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.inbox import refreshing, selecting
from frontdesk.inbox.counting import UNREAD
from frontdesk.mailbox import Mailbox
from frontdesk.query import VIEW_KEYS, Query, Term
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import CommandEntry
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.dialogs.view_table import (
    view_bindings,
)
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

# Cells by which the keys for a wider and a narrower list move the line between the panes.
_SPLIT_STEP = 4


def _show_help(parts: InboxParts) -> None:
    # Deferred, as for the palette: the first paint does not need it.
    from frontdesk.tui.inbox.palette import show_help

    show_help(parts)


# What keys run, by the name in their binding.
_ACTIONS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        **{
            one.__name__: one
            for one in (*pane_actions.ACTIONS, *row_actions.ACTIONS, *view_actions.ACTIONS)
        },
        "enter_pane": lambda parts, name: parts.panes.enter(name),
        "find": lambda parts: parts.search.ask(),
        "find_next": lambda parts, step: parts.search.find_next(step),
        "show_help": _show_help,
        "undo": lambda parts: parts.undoing.take_back(),
    }
)


class InboxScreen(SizedScreen[None]):
    """Channels, conversation list, thread and contact; reads only through the mailbox.

    Thread and contact follow the cursor of the list in the same frame.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "run('enter_pane', 'channels')", "Go to channels", id="pane.channels"),
        Binding("2", "run('enter_pane', 'list')", "Go to conversations", id="pane.list"),
        Binding("3", "run('enter_pane', 'thread')", "Go to thread", id="pane.thread"),
        Binding("4", "run('enter_pane', 'contact')", "Go to contact", id="pane.contact"),
        *(
            Binding(
                digit,
                f"run('show_view_of_key', '{digit}')",
                f"View {digit}",
                id=f"inbox.view_{digit}",
            )
            for digit in VIEW_KEYS
        ),
        Binding("H", "run('step_history', -1)", "Back to the previous view", id="inbox.view_back"),
        Binding("L", "run('step_history', 1)", "Forward to the next view", id="inbox.view_forward"),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", id="pane.before"),
        Binding("h,left", "run('step_pane', -1)", "Pane to the left", id="pane.left"),
        Binding("l,right", "run('step_pane', 1)", "Pane to the right", id="pane.right"),
        Binding("i", "run('toggle_contact')", "Show or hide contact", id="inbox.contact"),
        Binding("f", "run('ask_filter')", "Filter…", id="inbox.filter"),
        Binding("F", "run('edit_filter')", "Edit filter as text…", id="inbox.filter_line"),
        Binding("S", "run('ask_order')", "Sort…", id="inbox.order"),
        Binding(
            "backspace", "run('remove_last_filter')", "Remove last filter", id="inbox.remove_filter"
        ),
        Binding(
            "left_square_bracket,comma",
            "run('step_status', -1)",
            "Previous status",
            id="inbox.before",
        ),
        Binding(
            "right_square_bracket,full_stop",
            "run('step_status', 1)",
            "Next status",
            id="inbox.after",
        ),
        Binding("J", "run('step_conversation', 1)", "Next conversation", id="inbox.next"),
        Binding("K", "run('step_conversation', -1)", "Previous conversation", id="inbox.previous"),
        Binding("u", "run('next_unread', 1)", "Next unread", id="inbox.next_unread"),
        Binding("p", "run('next_unread', -1)", "Previous unread", id="inbox.previous_unread"),
        Binding("W", "run('longest_wait')", "Next longest wait", id="inbox.next_waiting"),
        Binding("minus", "run('last_opened')", "Last opened conversation", id="inbox.swap"),
        Binding("m", "run('toggle_read')", "Mark as read or unread", id="inbox.mark_unread"),
        Binding(
            "M", "run('mark_above_read')", "Mark this and all above as read", id="inbox.mark_above"
        ),
        Binding("z", "run('ask_follow_up')", "Follow up later…", id="inbox.follow_up"),
        Binding("U", "run('undo')", "Undo mark, follow-up or saved view", id="inbox.undo"),
        Binding("slash", "run('find')", "Find in this pane…", id="inbox.find"),
        Binding("n", "run('find_next', 1)", "Next match", id="inbox.next_match"),
        Binding("N", "run('find_next', -1)", "Previous match", id="inbox.previous_match"),
        Binding(
            "s", "run('open_search')", "Search everything on this computer…", id="inbox.search"
        ),
        Binding(
            "ctrl+k",
            "run('open_switcher')",
            "Go to a customer, conversation or view…",
            id="inbox.switch",
        ),
        Binding("t", "run('ask_date')", "Go to a date…", id="inbox.date"),
        Binding(
            "ctrl+e", "run('scroll_thread', 3)", "Scroll the thread down", id="inbox.scroll_down"
        ),
        Binding("ctrl+y", "run('scroll_thread', -3)", "Scroll the thread up", id="inbox.scroll_up"),
        Binding("plus,underscore", "run('toggle_zoom')", "Zoom this pane", id="inbox.zoom"),
        Binding(
            "less_than_sign",
            f"run('move_split', {-_SPLIT_STEP})",
            "Narrower list",
            id="inbox.narrower",
        ),
        Binding(
            "greater_than_sign", f"run('move_split', {_SPLIT_STEP})", "Wider list", id="inbox.wider"
        ),
        Binding("a", "run('toggle_story')", "All conversations of the customer", id="inbox.story"),
        Binding("right_curly_bracket", "run('step_file', 1)", "Next file", id="inbox.next_file"),
        Binding(
            "left_curly_bracket", "run('step_file', -1)", "Previous file", id="inbox.previous_file"
        ),
        Binding("w", "run('show_raw_row')", "Show as JSON", id="inbox.raw_row"),
        Binding("o", "run('open_link')", "Open in the browser", id="inbox.open_link"),
        Binding("y", "run('copy_row')", "Copy message or line", id="inbox.copy"),
        Binding("Y", "run('copy_from_menu')", "Copy…", id="inbox.copy_menu"),
        Binding("E", "run('export_pane')", "Export…", id="inbox.export"),
        Binding("vertical_line", "run('ask_pipe')", "Pipe to a program…", id="inbox.pipe"),
        Binding("x", "run('choose_own_command')", "Own commands…", id="inbox.own_commands"),
        *view_bindings(),
        Binding("ctrl+r,f5", "run('refresh')", "Refresh", id="inbox.refresh"),
        Binding("escape", "run('go_back')", "Back, or stop searching", id="inbox.back"),
        Binding("q", "run('leave')", "Back; press twice in the list to quit", id="inbox.leave"),
        Binding("question_mark,f1", "run('show_help')", "Help", id="inbox.help"),
        Binding("colon", "app.commands", "Commands…", id="inbox.commands"),
        Binding("ctrl+l", "run('redraw')", "Redraw", id="inbox.redraw"),
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
