"""The inbox: channels, the filtered queue, the thread with its notes, the contact."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import WorkerCancelled, get_current_worker

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens import inbox_words as say
from frontdesk.tui.screens.connection import Connection
from frontdesk.tui.screens.filters import ANY, FilterMenu, choices_for
from frontdesk.tui.screens.find import FindPrompt
from frontdesk.tui.screens.help import HelpScreen
from frontdesk.tui.screens.panes import Panes
from frontdesk.tui.screens.picker import Picker
from frontdesk.tui.screens.queue import Queue
from frontdesk.tui.screens.reading import Reading
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.cells import Piece, width_of
from frontdesk.tui.widgets.channel_list import ChannelList
from frontdesk.tui.widgets.contact_panel import ContactPanel
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.painted import PARTS
from frontdesk.tui.widgets.thread import Thread
from frontdesk.wire import ConversationFilter

POLL_SECONDS = 15.0
PREVIEW_SECONDS = 0.15
_QUIT_WITHIN = timedelta(seconds=2)

_KEYS = {
    "channels": ("j/k move", "↵ choose", "f filter", "2 list"),
    "list": ("j/k move", "↵ open", "f filter", "[ ] status", "i contact"),
    "thread": ("j/k move", "J/K next conversation", "esc back", "i contact", "g/G ends"),
    "contact": ("j/k move", "i close", "esc back"),
}


class InboxScreen(Screen[None]):
    """Owns the place of the reader and the state of the connection; asks only the mailbox."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "pane('channels')", "Channels", id="pane.channels", show=False),
        Binding("2", "pane('list')", "Conversations", id="pane.list", show=False),
        Binding("3", "pane('thread')", "Thread", id="pane.thread", show=False),
        Binding("4", "pane('contact')", "Contact", id="pane.contact", show=False),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next", show=False),
        Binding("shift+tab", "app.focus_previous", "Previous pane", id="pane.before", show=False),
        Binding("h,left", "step(-1)", "Pane to the left", id="pane.left", show=False),
        Binding("l,right", "step(1)", "Pane to the right", id="pane.right", show=False),
        Binding("i", "contact", "Contact on or off", id="inbox.contact"),
        Binding("f", "filter", "Filter", id="inbox.filter"),
        Binding("left_square_bracket,comma", "status(-1)", "Previous status", id="inbox.before"),
        Binding("right_square_bracket,full_stop", "status(1)", "Next status", id="inbox.after"),
        Binding("J", "conversation(1)", "Next conversation", id="inbox.next"),
        Binding("K", "conversation(-1)", "Previous conversation", id="inbox.previous"),
        Binding("u", "unread(1)", "Next unread", id="inbox.next_unread"),
        Binding("U", "unread(-1)", "Previous unread", id="inbox.previous_unread"),
        Binding("minus", "swap", "The conversation before this one", id="inbox.swap"),
        Binding("slash", "find", "Find in this pane", id="inbox.find"),
        Binding("n", "find_next(1)", "Next match", id="inbox.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="inbox.previous_match"),
        Binding("plus,underscore", "zoom", "This pane alone, and back", id="inbox.zoom"),
        Binding("y", "copy", "Copy the message or line", id="inbox.copy"),
        Binding("ctrl+r,f5", "refresh", "Ask the server now", id="inbox.refresh"),
        Binding("escape", "back", "One level back", id="inbox.back"),
        Binding("q", "leave", "Back; twice in the list: quit", id="inbox.leave"),
        Binding("question_mark,f1", "help", "Keys", id="inbox.help"),
        Binding("colon", "app.command_palette", "Commands", id="inbox.commands"),
        Binding("ctrl+z", "app.suspend_process", "Suspend", id="inbox.suspend", show=False),
    ]
    AUTO_FOCUS = ""
    COMPONENT_CLASSES = PARTS
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (40, "-single"),
        (80, "-double"),
        (100, "-triple"),
        (160, "-quad"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-short"), (32, "-middle"), (50, "-tall")]

    def __init__(self, mailbox: Mailbox, clock: Clock, *, title: str) -> None:
        super().__init__()
        self._mailbox = mailbox
        self._clock = clock
        self._inbox_title = title
        self._list = ConversationList(clock)
        self._thread = Thread(clock)
        self._channels, self._contact = ChannelList(), ContactPanel()
        self._panes = Panes(
            channels=self._channels, list=self._list, thread=self._thread, contact=self._contact
        )
        self._queue = Queue(mailbox, self._list, self._channels)
        self._reading = Reading(mailbox, clock, self._thread, self._contact)
        self._preview: Timer | None = None
        self._connection = Connection(mailbox, clock, self._tell)
        self._sought = ""
        self._warned: str | None = None
        self._quit_asked = clock.now() - _QUIT_WITHIN

    def compose(self) -> ComposeResult:
        yield Bar(id="header")
        yield Bar(id="channel-tabs")
        yield self._panes
        yield Bar(id="status")
        yield Bar(id="too-small")

    def on_mount(self) -> None:
        self._queue.show()
        self._panes.enter("list")
        self._open_highlighted()
        self._describe()
        self.set_interval(POLL_SECONDS, self.action_refresh)
        self.set_interval(60.0, self._time_passed)
        self.call_after_refresh(self._begin)

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self._list.set_density(1 if height < 32 else 3 if height >= 50 and width >= 160 else 2)
        words = f"40x10 needed, this is {width}x{height}"
        self.query_one("#too-small", Bar).show([("warning", words)])
        self._describe()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._panes.entered(event.widget)
        self._describe()

    async def on_unmount(self) -> None:
        await self._mailbox.close()

    # Keys

    def action_pane(self, name: str) -> None:
        """Go to a pane; where channels have no pane, choose one from a list."""
        if name == "channels" and not self._panes["channels"].display and self.size.width >= 80:
            self._ask_for("channel")
        else:
            self._panes.enter(name)

    def action_step(self, direction: int) -> None:
        self._panes.step(direction)

    def action_contact(self) -> None:
        """Show the contact, or put it away; where it takes another pane's place, go there."""
        shown = self._panes["contact"].display
        self._panes.show_contact(not shown)
        if shown and self._panes.at == "contact":
            self._panes.enter("thread")
        elif not shown and (self.has_class("-single") or self.has_class("-double")):
            self._panes.enter("contact")

    def action_back(self) -> None:
        """Contact to thread, thread to list."""
        match self._panes.at:
            case "contact":
                self._panes.show_contact(self.has_class("-quad"))
                self._panes.enter("thread")
            case "thread" | "channels":
                self._panes.enter("list")

    def action_leave(self) -> None:
        """One level back; in the list, twice within two seconds quits."""
        if self._panes.at != "list":
            self.action_back()
            return
        now = self._clock.now()
        if now - self._quit_asked < _QUIT_WITHIN:
            self.app.exit()
        self._quit_asked = now
        self.notify("q again quits", timeout=2, markup=False)

    def action_status(self, step: int) -> None:
        self._choose({"status": self._queue.status_beside(step)})

    def action_conversation(self, step: int) -> None:
        """The next or previous conversation, without leaving the pane."""
        self._list.action_move(step)
        self._open_highlighted()

    def action_unread(self, step: int) -> None:
        """The next or previous unread conversation among those that are loaded."""
        position = self._queue.unread_beside(self._list.cursor, step)
        if position is None:
            where = "below" if step > 0 else "above"
            self.notify(f"No unread conversation {where}, of those loaded", markup=False)
        else:
            self._list.go_to(position)
            self._open_highlighted()

    def action_swap(self) -> None:
        """Back to the conversation that was open before, and back again."""
        position = self._queue.position_before(self._reading.conversation)
        if position is None:
            self.notify("There is no conversation before this one here", markup=False)
        else:
            self._list.go_to(position)
            self._open_highlighted()

    def action_find(self) -> None:
        """Ask for words and go to the next row of this pane that has them."""
        self.app.push_screen(FindPrompt(self._sought), self._find_first)

    def _find_first(self, sought: str | None) -> None:
        if sought is not None:
            self._sought = sought
            self.action_find_next(1)

    def action_find_next(self, step: int) -> None:
        """The next or previous row with the words that were asked for last."""
        if self._sought and not self._panes.find(self._sought, step):
            self.notify(f"“{self._sought}” is not in what is loaded here", markup=False)

    def action_zoom(self) -> None:
        self._panes.toggle_zoom()

    def action_copy(self) -> None:
        """Hand the text under the cursor to the terminal's clipboard (OSC 52 has no answer)."""
        text = self._panes.copied()
        if text:
            self.app.copy_to_clipboard(text)
            self.notify("Sent to the terminal's clipboard", timeout=2, markup=False)

    def action_refresh(self) -> None:
        """Ask the server for the queue and the open conversation."""
        self._refresh_queue()
        self._refresh_thread()

    def action_filter(self) -> None:
        """Ask by what to filter, then for its value."""
        self.app.push_screen(FilterMenu(), self._ask_for)

    def action_help(self) -> None:
        """All keys that work where the focus is."""
        keys: dict[str, str] = {}
        for active in self.active_bindings.values():
            binding = active.binding
            if binding.description and binding.id:
                shown = self.app.get_key_display(binding)
                keys[binding.description] = f"{keys.get(binding.description, '')} {shown}".strip()
        self.app.push_screen(HelpScreen([(shown, words) for words, shown in keys.items()]))

    # Filters

    def _ask_for(self, name: str | None) -> None:
        """Let the reader choose a value for a filter, or clear the filters.

        Screens are pushed at once, not from a worker: the next key is already theirs.
        """
        if name == "clear":
            self._choose(dict.fromkeys(("assignee", "channel", "label")))
        elif name is not None:
            current = getattr(self._queue.filter, name)
            choices = choices_for(name, self._queue.filter, self._mailbox, self._queue.counts)
            picker = Picker(f"Filter by {name}", choices, current=current or ANY)
            self.app.push_screen(picker, partial(self._take_choice, name))

    def _take_choice(self, name: str, value: str | None) -> None:
        if value is not None:
            self._choose({name: value or None})

    def _choose(self, changes: dict[str, str | None]) -> None:
        chosen = ConversationFilter(**{**dict(self._queue.filter), **changes})
        self._queue.choose(chosen)
        self._open_highlighted()
        self._describe()
        self._refresh_queue()

    # What the widgets report

    @on(ConversationList.Highlighted)
    def _preview_soon(self, event: ConversationList.Highlighted) -> None:
        """Show the conversation under the cursor once the cursor rests."""
        event.stop()
        if event.widget is self._list:
            if self._preview is not None:
                self._preview.stop()
            self._preview = self.set_timer(PREVIEW_SECONDS, self._open_highlighted)
        elif event.widget is self._thread:
            self._reading.describe(self._panes)

    @on(ConversationList.Opened)
    def _enter_row(self, event: ConversationList.Opened) -> None:
        event.stop()
        if event.widget is self._list:
            self._open_highlighted()
            self._panes.enter("thread")
        elif event.widget is self._channels:
            self._choose({"channel": event.row.id or None})
            self._panes.enter("list")

    @on(ConversationList.NearEnd)
    def _load_more(self, event: ConversationList.NearEnd) -> None:
        event.stop()
        if event.widget is self._list and not event.top:
            self._load_older_conversations()
        elif event.widget is self._thread:
            if event.top:
                self._load_older_messages()
            self._reading.describe(self._panes)

    def _open_highlighted(self) -> None:
        if self._preview is not None:
            self._preview.stop()
        conversation = self._list.row
        if conversation is None:
            self._reading.close()
        elif self._reading.open(conversation):
            self._queue.remember(conversation)
            self._refresh_thread()
        self._reading.describe(self._panes)

    # The server

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        """After the first paint: connect, then everything that this screen shows."""
        try:
            await self._mailbox.connect()
        except InboxError as error:
            # There is nothing to ask, now or later: the command line says why.
            self.app.exit(error)
            return
        # Choosing a filter meanwhile ends this question for another; leaving ends everything.
        with suppress(WorkerCancelled):
            await self._refresh_queue().wait()
        if get_current_worker().is_cancelled:
            return
        await self._ask(self._queue.refresh_names, beside=True)
        self._refresh_thread()

    @work(group="queue", exclusive=True)
    async def _refresh_queue(self) -> None:
        if await self._ask(self._queue.refresh):
            self._connection.is_live()
        self._reading.renew()
        if self._panes.at in ("list", "channels") or self._reading.conversation is None:
            self._open_highlighted()
        self._describe()

    @work(group="thread", exclusive=True)
    async def _refresh_thread(self) -> None:
        if not await self._ask(self._reading.refresh, beside=True):
            self._reading.say_why_empty(self._connection.problem)

    @work(group="older conversations")
    async def _load_older_conversations(self) -> None:
        await self._ask(self._queue.older)

    @work(group="older messages")
    async def _load_older_messages(self) -> None:
        await self._ask(self._reading.older, beside=True)

    async def _ask(self, question: Callable[[], Awaitable[None]], *, beside: bool = False) -> bool:
        """Ask the server for something; True if that went well. `beside`: not for the queue."""
        seen_at = self._queue.listing.fetched_at
        went_well = await self._connection.ask(question, seen_at, beside=beside)
        self._describe()
        return went_well

    def _tell(self, sentence: str) -> None:
        self.notify(sentence, severity="warning", timeout=10, markup=False)

    def _time_passed(self) -> None:
        self._list.update_ages()
        self._describe()

    def _describe(self) -> None:
        """Bring every bar up to date; bars that say the same as before are not redrawn."""
        if not self.is_attached:
            return
        if self._mailbox.warning not in (None, self._warned):
            self._warned = self._mailbox.warning
            self._tell(self._warned or "")
        self._queue.describe(
            self.query_one("#header", Bar),
            self.query_one("#channel-tabs", Bar),
            self._panes,
            title=self._inbox_title,
            problem=self._connection.problem,
        )
        self._reading.describe(self._panes)
        right: list[Piece] = [*self._connection.state, ("dim", f" · {self._queue.loaded_words()} ")]
        keys = say.key_words(_KEYS[self._panes.at], self.size.width - width_of(right) - 2)
        self.query_one("#status", Bar).show([("dim", keys)], right)
