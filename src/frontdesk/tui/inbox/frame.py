"""Base of the inbox screen without its key bindings: panes, bars, state and polling."""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial

from textual import work
from textual.app import ComposeResult
from textual.timer import Timer
from textual.worker import Worker, WorkerCancelled, get_current_worker

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import Bell, Connection
from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.inbox.bars import Bars
from frontdesk.tui.inbox.panes import Panes
from frontdesk.tui.inbox.queue_pane import Queue
from frontdesk.tui.inbox.thread_pane import Reading
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.local_filter import View
from frontdesk.tui.polling import Pulse
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.channel_list import ChannelList
from frontdesk.tui.widgets.contact_panel import ContactPanel
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.glyphs import symbols_for
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.wire import Conversation

# Delay between a cursor movement and the load of the thread.
PREVIEW_SECONDS = 0.15

# Worker group that scans the list for rows that match the local filter.
SIFTING = "sifting"


class InboxFrame(SizedScreen[None]):
    """Owns the selection and the connection state; reads only through the mailbox."""

    def __init__(
        self, mailbox: Mailbox, clock: Clock, *, title: str, preferences: Preferences = PLAIN
    ) -> None:
        super().__init__()
        self._mailbox = mailbox
        self._clock = clock
        symbols = symbols_for(os.environ)
        self._list = ConversationList(clock, unread_among=self._unread_among, symbols=symbols)
        self._keys = KeyNames((type(self), ConversationList), preferences.keys)
        self._thread = Thread(clock, open_key=self._keys["inbox.open_link"])
        self._channels, self._contact = ChannelList(), ContactPanel()
        self._panes = Panes(
            channels=self._channels, list=self._list, thread=self._thread, contact=self._contact
        )
        self._queue = Queue(mailbox, clock, self._list, self._channels)
        self._reading = Reading(mailbox, clock, self._thread, self._contact, self._keys)
        self._bars = Bars(self, self._queue, title, self._keys)
        self._preferences, self._bell = preferences, Bell()
        self._pulse = Pulse(clock.now(), quiet_unfocused=preferences.quiet_unfocused)
        self._connection = Connection(mailbox, clock, self._tell, self._pulse)
        self._preview: Timer | None = None
        self._next_question: Timer | None = None
        self._refreshing: Worker[None] | None = None
        self._tick: Timer | None = None
        self._cues: Timer | None = None
        self._warned: str | None = None
        self._described_at = ""

    def compose(self) -> ComposeResult:
        yield Bar(id="header", ground="bar")
        yield Bar(id="channel-tabs")
        yield self._panes
        yield Bar(id="status", ground="bar")
        yield Bar(id="too-small")

    def on_mount(self) -> None:
        self.watch(self._list, "selected_key", self._follow_selection, init=False)
        self._queue.show()
        self._panes.enter("list")
        self._connection.begins(self._queue.listing.fetched_at)
        self.set_interval(60.0, self._time_passed)
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        await self._mailbox.close()

    def used(self) -> None:
        """Record user input; refresh at once if polling had slowed down."""
        if self._pulse.used(self._clock.now()):
            self._ask_now()

    def terminal_focused(self, focused: bool) -> None:
        """Handle a focus change of the terminal, which polling depends on."""
        self._pulse.focus(focused)
        if focused:
            self.used()
        self._ask_later()

    # Contents

    def _unread_among(self, conversations: Sequence[Conversation]) -> set[str]:
        return self._queue.unread_among(conversations)

    def _choose(self, view: View) -> None:
        """Switch the conversation list to another view."""
        self.workers.cancel_group(self, SIFTING)
        self._queue.choose(view)
        self._open_selected()
        self._describe()
        self._refresh_queue()
        if not view.sieve.idle:
            self._sift()

    def _follow_selection(self, before: str | None, now: str | None) -> None:
        """Show the head of the newly selected conversation, and load its thread after a delay.

        The row under the cursor is the selection; no other state says which conversation is shown.
        """
        self._reading.select(self._list.row)
        if before is None or now is None:
            self._open_selected()
            return
        self._reading.describe(self._panes)
        if self._preview is not None:
            self._preview.stop()
        self._preview = self.set_timer(PREVIEW_SECONDS, self._open_selected)

    def _open_selected(self) -> None:
        """Show the thread of the selected conversation, unless it is shown already."""
        if self._preview is not None:
            self._preview.stop()
        conversation = self._reading.open()
        if conversation is not None:
            self._queue.remember(conversation)
            if self._mailbox.connected:
                self._refresh_thread()
        self._reading.describe(self._panes)

    def _go_to(self, position: int) -> None:
        """Move the cursor to a row of the conversation list, and open it."""
        self._list.go_to(position)
        self._open_selected()

    def _cue(self, ids: Sequence[str]) -> None:
        """Highlight conversations with new activity for a moment."""
        if ids:
            self._list.cue(ids)
            self._end_cues()

    def _end_cues(self) -> None:
        rest = self._list.end_cues()
        if self._cues is not None:
            self._cues.stop()
        self._cues = self.set_timer(rest / timedelta(seconds=1), self._end_cues) if rest else None

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
        # Choosing another view cancels this worker for a newer one; closing cancels all.
        with suppress(WorkerCancelled):
            await self._refresh_queue().wait()
        if get_current_worker().is_cancelled:
            return
        await self._ask(self._queue.refresh_names, beside=True)
        self._refresh_thread()
        if not self._queue.sieve.idle:
            self._sift()

    def _ask_now(self) -> None:
        """Refresh the conversation list and the open thread."""
        self._refresh_queue()
        self._refresh_thread()

    def _refresh_by_hand(self) -> None:
        """Refresh without regard to a back-off, unless such a refresh is running."""
        if self._refreshing is None or self._refreshing.is_finished:
            self._refreshing = self._refresh_queue(by_hand=True)
            self._refresh_thread(by_hand=True)

    @work(group="queue", exclusive=True)
    async def _refresh_queue(self, *, by_hand: bool = False) -> None:
        self._pulse.asks()
        self._ask_later()
        if await self._ask(self._queue.refresh, by_hand=by_hand):
            self._connection.is_live()
            if self._queue.sift_is_due:
                self._sift()
            self._cue(self._queue.news)
            if self._bell.rings(self._queue.unread()) and self._preferences.bell:
                self.app.bell()
        self._reading.renew()
        self._describe()
        self._ask_later()
        self._read_ahead()

    @work(group="thread", exclusive=True)
    async def _refresh_thread(self, *, by_hand: bool = False) -> None:
        listing = self._reading.listing
        answered = await self._ask(self._reading.refresh, beside=True, by_hand=by_hand)
        if listing is not self._reading.listing:
            # Another conversation was selected meanwhile.
            return
        if not answered:
            self._reading.say_why_empty(self._connection.problem)
        else:
            self._read_ahead()

    @work(group="older conversations")
    async def _load_older_conversations(self) -> None:
        await self._ask(self._queue.older)

    @work(group="older messages")
    async def _load_older_messages(self) -> None:
        await self._ask(self._reading.older, beside=True)

    def _sift(self) -> None:
        """Start the scan for the local filter, unless it is running."""
        if not self._queue.looking:
            self._look_through()

    @work(group=SIFTING, exclusive=True)
    async def _look_through(self) -> None:
        """Scan cached rows, then the server's; escape cancels, and a failed scan is retried."""
        await self._queue.sift_held()
        if not await self._ask(partial(self._queue.sift, self._describe)):
            self._ask_later()

    @work(group="ahead", exclusive=True)
    async def _read_ahead(self) -> None:
        """Prefetch the newest messages of the next conversation, or else the next page."""
        rows, below = self._list.rows, self._list.cursor + 1
        beneath = rows[below].id if rows is not None and below < len(rows) else None
        if await self._mailbox.prefetch(self._queue.filter, self._list.cursor, beneath):
            await self._queue.reload()
            self._describe()

    async def _ask(
        self,
        question: Callable[[], Awaitable[None]],
        *,
        beside: bool = False,
        by_hand: bool = False,
    ) -> bool:
        """Run a request; True on success. `beside`: it is not for the conversation list."""
        seen_at = self._queue.listing.fetched_at
        try:
            return await self._connection.ask(question, seen_at, beside=beside, by_hand=by_hand)
        finally:
            self._describe()

    def _ask_later(self) -> None:
        """Schedule the next refresh; a running refresh schedules it when it ends."""
        if self._next_question is not None:
            self._next_question.stop()
        wait = None if self._pulse.asking else self._pulse.wait(self._clock.now())
        if wait is not None and self.is_attached:
            self._next_question = self.set_timer(wait / timedelta(seconds=1), self._ask_now)

    # Notifications and bars

    def _tell(self, sentence: str) -> None:
        self.notify(sentence, severity="warning", timeout=10, markup=False)

    def _say(self, sentence: str) -> None:
        say(self, sentence)

    def _time_passed(self) -> None:
        self._list.update_ages()
        self._describe()

    def _describe(self) -> None:
        """Update all bars; a bar whose text is unchanged is not repainted."""
        if not self._list.is_attached:
            return
        self._described_at = self._panes.at
        if self._mailbox.warning not in (None, self._warned):
            self._warned = self._mailbox.warning
            self._tell(self._warned or "")
        self._bars.describe(
            self._panes["list"].title,
            self._panes["channels"].title,
            problem=self._connection.problem,
        )
        self._reading.describe(self._panes)
        self._tell_state()

    def _tell_state(self) -> None:
        """Update the status line, every second during a countdown to the next attempt."""
        self._bars.tell(self._panes.at, self._connection.state)
        if self._tick is not None:
            self._tick.stop()
        if self._connection.failing:
            self._tick = self.set_timer(1.0, self._tell_state)
