"""Parts of an inbox screen, and what its actions have in common."""

import re
from collections.abc import Callable
from typing import NamedTuple

from frontdesk.inbox import navigating, refreshing, selecting
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.inbox.bars import Bars
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.contact_pane import ContactPane
from frontdesk.tui.inbox.display import Display
from frontdesk.tui.inbox.panes import (
    LEAST_PANES,
    LEASTS,
    Panes,
)
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.inbox.thread_pane import ThreadPane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.wire import Contact, PhoneRef


def split_setting(least_width: int) -> str:
    """Name of the setting with cells by which the list is wider than by itself.

    least_width: see `Panes.least_width`.
    """
    return "inbox.split" if least_width == LEAST_PANES else f"inbox.split/{least_width}"


def stored_splits(mailbox: Mailbox) -> dict[int, int]:
    """Stored places of the line between list and thread, by `Panes.least_width`."""
    stored = {least: mailbox.get_setting(split_setting(least)) or "0" for least in LEASTS}
    return {
        least: int(text) for least, text in stored.items() if re.fullmatch(r"-?[0-9]{1,4}", text)
    }


class Undo(NamedTuple):
    """How the last change is taken back, and what is said afterwards."""

    take_back: Callable[[], object]
    done: str


class InboxBase(SizedScreen[None]):
    """The panes of an inbox, the state that they show, and ways to other conversations."""

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
            state_changed=lambda: self._do(refreshing.schedule_poll, self.inbox),
            seen_at=lambda: self.inbox.view.list.fetched_at,
            schedule_poll=lambda: refreshing.schedule_poll(self.inbox),
            quiet_unfocused=preferences.quiet_unfocused,
        )
        self._keys = keys = KeyNames(
            (type(self), ThreadPane, Thread, ConversationList), preferences.keys
        )
        self._views = SavedViews(mailbox, preferences.views)
        self._undo: Undo | None = None
        self.channels, self.contact = ChannelPane(mailbox), ContactPane(mailbox, clock)
        self.thread = ThreadPane(mailbox, clock, connection, keys, preferences.media)
        self.queue = QueuePane(
            mailbox,
            clock,
            connection,
            keys,
            self._views,
            self.thread,
            lambda order: order(self._display),
            lambda: self._display.draw(),
            read_after=preferences.mark_read_after,
        )
        self.inbox, self._do = self.queue.inbox, self.queue.driver.do
        self.panes = Panes(
            self.channels, self.queue, self.thread, self.contact, splits=stored_splits(mailbox)
        )
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

    def show_query(self, query: Query) -> None:
        """Show the conversations of a query: at once from the cache, then from the server."""
        self._do(navigating.show, self.inbox, query)

    def show_conversation(self, conversation_id: str, entry: str = "") -> None:
        """Show a contact's conversations with the cursor on one of them, and on an entry in it."""
        self._do(navigating.show_conversation, self.inbox, conversation_id, entry)

    def _show_contact(self, contact: PhoneRef | Contact) -> None:
        """Show the conversations of a contact, on all channels and of any status."""
        self._do(navigating.show_customer, self.inbox, contact)

    def _open_selected(self) -> None:
        """Show and refresh the thread of the selected conversation, unless that was done."""
        self._do(selecting.open_selected, self.inbox)

    def key_of_action(self, id: str) -> str:
        """Name of the key of an action."""
        return self._keys[id]

    def _notify(self, sentence: str) -> None:
        say(self, sentence)
