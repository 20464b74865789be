"""Orders of the inbox, carried out on its panes and bars."""

from functools import partial

from textual.screen import Screen

from frontdesk.inbox import selecting
from frontdesk.mailbox import Mailbox
from frontdesk.tui import sentences
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.inbox.background import Background
from frontdesk.tui.inbox.bars import Bars
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.panes import LEAST_PANES, Panes
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import ThreadPane
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.widgets.painted_rows import after_frame
from frontdesk.wire import Conversation


class Display:
    """The panes and bars of an inbox screen, as what carries out orders."""

    def __init__(
        self,
        screen: Screen[None],
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        *,
        queue: QueuePane,
        thread: ThreadPane,
        contact: ContactPane,
        panes: Panes,
        bars: Bars,
        preferences: Preferences,
    ) -> None:
        self._screen, self._mailbox, self._clock = screen, mailbox, clock
        self._connection, self._preferences = connection, preferences
        self._queue, self._thread, self._contact = queue, thread, contact
        self._panes, self._bars = panes, bars
        self.background = Background(
            screen, mailbox, clock, connection, queue, preferences, self.warn
        )
        self._is_due = False
        self._warned: str | None = None

    # Words

    def say(self, words: str) -> None:
        say(self._screen, words)

    def warn(self, words: str) -> None:
        self._screen.notify(words, severity="warning", timeout=10, markup=False)

    def warn_of_view(self, sentence: str) -> None:
        """Warn until another view is shown, whose own request may succeed."""
        if isinstance(self._screen.app, CrashReportingApp):
            self._screen.app.notify_of_view(sentence, severity="warning")
        else:
            self.warn(sentence)

    def end_notices(self) -> None:
        if isinstance(self._screen.app, CrashReportingApp):
            self._screen.app.end_view_notices()

    def ring(self) -> None:
        if self._preferences.viewer.bell:
            self._screen.app.bell()

    # Panes

    def enter_pane(self, name: str) -> None:
        self._panes.enter(name)

    def show_selected(self, *, open_cached: bool) -> None:
        row = self._queue.list.row
        self._thread.select(row, open_cached=open_cached)
        if row is not None and self._thread.listing is not None:
            self._contact.show(row, keep_place=False)
        else:
            self._contact.select(row)

    def open_thread(self) -> None:
        conversation = self._thread.open()
        if conversation is not None:
            self._contact.show(conversation, keep_place=False)

    def read_shown(self, id: str) -> None:
        self._queue.driver.do(selecting.read_shown, self._queue.inbox, id)

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None:
        self._thread.show_fetched(conversation, unreadable)

    def show_no_thread(self, problem: str) -> None:
        self._thread.show_problem(problem)

    def show_entry(self, key: str) -> None:
        self._panes.enter("thread")
        if not self._thread.go_to(key):
            self._thread.load_then(partial(self._thread.fetch_entry, key), self._say_unless)

    def _say_unless(self, found: bool) -> None:
        if not found:
            self.say(sentences.NOT_IN_THREAD)

    def show_renewed(self) -> None:
        self._thread.renew()
        if self._thread.conversation is not None and self._thread.listing is not None:
            self._contact.show(self._thread.conversation)

    def highlight_new(self) -> None:
        self._queue.highlight_new()

    def draw_ahead(self) -> None:
        self._screen.call_after_refresh(after_frame, self._screen, self._draw_beside)

    def _draw_beside(self) -> None:
        """Draw the cached threads above and below, one of which the next key may select."""
        # The names of users, which the bars learn first, change what is drawn.
        self._draw_if_due()
        for conversation in self._queue.list.beside():
            self._thread.draw_ahead(conversation)

    # The background

    def look_ahead(self) -> None:
        self.background.prefetch(self._draw_beside)

    def begin_background(self) -> None:
        self.background.start_mirror()
        self.background.show_alerts()
        # Deferred: the first frame does not need it.
        from frontdesk.inbox import following

        self._queue.driver.note(following.follow, self._queue.inbox)

    # Bars

    def update_ages(self) -> None:
        """Show all ages as they are now."""
        self._clock.tick()
        self._queue.list.update_ages()
        self.show_renewed()
        self.refresh_bars()

    def draw(self) -> None:
        """Draw the bars from the state, once for what comes together.

        The status line is drawn at once: the next frame may have other rows, and says if they are
        current.
        """
        self._draw_status()
        if not self._is_due:
            self._is_due = True
            self._screen.call_later(self._draw_if_due)

    def _draw_if_due(self) -> None:
        if self._is_due:
            self.refresh_bars()

    @property
    def _is_whole(self) -> bool:
        """False while the application ends, when its widgets go one by one."""
        return self._queue.list.is_attached and self._bars.are_attached

    def refresh_bars(self) -> None:
        """Draw the bars now; one whose text is unchanged is not repainted."""
        self._is_due = False
        if not self._is_whole:
            return
        if self._mailbox.warning not in (None, self._warned):
            self._warned = self._mailbox.warning
            self.warn(self._warned or "")
        self._bars.refresh()
        me = self._queue.inbox.planning.names.me
        self._thread.set_me(me)
        self._contact.set_context(me, self._queue.label_colours)
        self._thread.refresh_bars()
        self._thread.refresh_stale_story()
        self._draw_status()

    def _draw_status(self) -> None:
        if not self._is_whole:
            return
        zoomed = self._panes.has_class("-zoomed")
        skips_wait = self._connection.counts_down and self._screen.size.width >= LEAST_PANES
        self._bars.show_status(
            self._panes.at, self._connection.state, zoomed=zoomed, skips_wait=skips_wait
        )
