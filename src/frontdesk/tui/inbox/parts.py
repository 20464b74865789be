"""Parts of an inbox screen that its actions work on: panes, bars, state, and the last change."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import events
from textual.app import App
from textual.screen import Screen

from frontdesk.inbox import navigating, refreshing, selecting
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.inbox.bars import Bars
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.display import Display
from frontdesk.tui.inbox.panes import Panes, stored_splits
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import ThreadPane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.wire import Contact, PhoneRef

if TYPE_CHECKING:
    from frontdesk.tui.inbox.own_commands import OwnCommands
    from frontdesk.tui.inbox.pane_search import PaneSearch


_QUIT_WITHIN = timedelta(seconds=2)
_ID = "inbox.leave"


class QuitKey:
    """The key that leaves the list quits when it is pressed twice within two seconds."""

    def __init__(self, screen: Screen[Any], keys: KeyNames, clock: Clock) -> None:
        self._screen, self._keys, self._clock = screen, keys, clock
        # When that was asked for, until another key is pressed.
        self._asked: datetime | None = None

    def ask(self) -> None:
        """Quit if that was asked for just now; else say that it takes a second time."""
        if self._is_asked:
            self._screen.app.call_later(self._screen.app.run_action, "quit")
        else:
            self._asked = self._clock.now()
            say(self._screen, sentences.PRESS_AGAIN_TO_QUIT.format(key=self._keys[_ID]))

    def withdraw(self, event: events.Event) -> None:
        """Forget that it was asked for, unless this is the key that asks again."""
        if self._is_asked:
            key = event.key if isinstance(event, events.Key) else ""
            bound = self._screen.active_bindings.get(key)
            if bound is None or bound.binding.id != _ID:
                self._asked = None

    @property
    def _is_asked(self) -> bool:
        return self._asked is not None and self._clock.now() - self._asked < _QUIT_WITHIN


class Undo(NamedTuple):
    """How a change is taken back, and what is said afterwards."""

    take_back: Callable[[], object]
    done: str


class LastChange:
    """The change that the key of undo takes back; each is taken back once."""

    def __init__(
        self, screen: Screen[Any], keys: KeyNames, refresh_bars: Callable[[], object]
    ) -> None:
        self._screen, self._keys, self._refresh_bars = screen, keys, refresh_bars
        self._undo: Undo | None = None

    def offer(self, words: str, undo: Undo) -> None:
        """Say what was changed, and by which key it is taken back."""
        self._undo = undo
        key = self._keys["inbox.undo"]
        say(self._screen, sentences.CAN_BE_UNDONE.format(done=words, key=key))
        self._refresh_bars()

    def take_back(self) -> None:
        """Take back the last change."""
        undo, self._undo = self._undo, None
        if undo is None:
            say(self._screen, sentences.NOTHING_TO_UNDO)
        else:
            undo.take_back()
            say(self._screen, undo.done)
            self._refresh_bars()


class InboxParts:
    """The panes of an inbox, the state that they show, and ways to other conversations."""

    def __init__(
        self,
        screen: Screen[None],
        mailbox: Mailbox,
        clock: Clock,
        *,
        title: str,
        preferences: Preferences,
    ) -> None:
        self.screen, self.mailbox, self.clock, self.title = screen, mailbox, clock, title
        self.preferences = preferences
        connection = ConnectionMonitor(
            mailbox,
            clock,
            lambda sentence: self.shown.warn_of_view(sentence),
            state_changed=lambda: self.do(refreshing.schedule_poll, self.inbox),
            seen_at=lambda: self.inbox.view.list.fetched_at,
            schedule_poll=lambda: refreshing.schedule_poll(self.inbox),
            settings=preferences.viewer,
        )
        self.keys = keys = KeyNames(
            (type(screen), ThreadPane, Thread, ConversationList), preferences.keys
        )
        self.views = SavedViews(mailbox, preferences.views)
        self.channels, self.contact = ChannelPane(mailbox), ContactPane(mailbox, clock)
        self.thread = ThreadPane(mailbox, clock, connection, keys, preferences)
        self.queue = QueuePane(
            mailbox,
            clock,
            connection,
            keys,
            self.views,
            self.thread,
            lambda order: order(self.shown),
            lambda: self.shown.draw(),
            settings=preferences.viewer,
        )
        self.inbox, self.do = self.queue.inbox, self.queue.driver.do
        self.panes = Panes(
            self.channels, self.queue, self.thread, self.contact, splits=stored_splits(mailbox)
        )
        self.bars = Bars(self.queue, self.channels, self.views, title, keys)
        self.shown = Display(
            screen,
            mailbox,
            clock,
            connection,
            queue=self.queue,
            thread=self.thread,
            contact=self.contact,
            panes=self.panes,
            bars=self.bars,
            preferences=preferences,
        )
        self.undoing = LastChange(screen, keys, self.shown.refresh_bars)
        self.quitting = QuitKey(screen, keys, clock)

    def show_query(self, query: Query) -> None:
        """Show the conversations of a query: at once from the cache, then from the server."""
        self.do(navigating.show, self.inbox, query)

    def show_conversation(self, conversation_id: str, entry: str = "") -> None:
        """Show a contact's conversations with the cursor on one of them, and on an entry in it."""
        self.do(navigating.show_conversation, self.inbox, conversation_id, entry)

    def show_contact(self, contact: PhoneRef | Contact) -> None:
        """Show the conversations of a contact, on all channels and of any status."""
        self.do(navigating.show_customer, self.inbox, contact)

    def open_selected(self) -> None:
        """Show and refresh the thread of the selected conversation, unless that was done."""
        self.do(selecting.open_selected, self.inbox)

    @property
    def app(self) -> App[Any]:
        """The application, for dialogs."""
        return self.screen.app

    def say(self, sentence: str) -> None:
        """Tell the reader something."""
        say(self.screen, sentence)

    @cached_property
    def search(self) -> "PaneSearch":
        """The search for text in the focused pane."""
        # Deferred, as the programs.
        from frontdesk.tui.inbox.pane_search import PaneSearch

        return PaneSearch(self.screen, self.panes, self.keys)

    @cached_property
    def own_commands(self) -> "OwnCommands":
        """Programs of the user."""
        # Deferred: the first paint does not need them.
        from frontdesk.tui.inbox.own_commands import OwnCommands

        return OwnCommands(
            self.screen,
            self.queue,
            self.thread,
            self.panes,
            self.mailbox,
            self.clock,
            self.preferences,
        )
