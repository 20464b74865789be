"""Orders of the inbox: what the panes are to do at once, each a call of theirs."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from frontdesk.wire import Conversation


class InboxDisplay(Protocol):
    """What carries orders out."""

    def say(self, words: str) -> None:
        """Tell the reader something, until the next key."""

    def warn(self, words: str) -> None:
        """Warn the reader."""

    def end_notices(self) -> None:
        """Warnings about the view that was shown so far do not hold any more."""

    def enter_pane(self, name: str) -> None:
        """Focus a pane."""

    def show_selected(self, *, open_cached: bool) -> None:
        """Show the data of the row under the cursor. open_cached: its cached thread too."""

    def open_thread(self) -> None:
        """Show the cached thread of the selected conversation."""

    def read_shown(self, id: str) -> None:
        """Read a conversation, now that its thread is shown with what is new in it."""

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None:
        """A thread was requested: show its present entries. unreadable: messages dropped."""

    def show_no_thread(self, problem: str) -> None:
        """The thread could not be requested."""

    def show_entry(self, key: str) -> None:
        """Go to an entry of the thread, by its key."""

    def show_renewed(self) -> None:
        """Show the cached state of the selected conversation."""

    def draw_ahead(self) -> None:
        """Draw what the next key may show."""

    def look_ahead(self) -> None:
        """Request what the next keys may need."""

    def ring(self) -> None:
        """There is new unread activity."""

    def highlight_new(self) -> None:
        """The rows of `Inbox.new_ids` have moved to the top."""

    def begin_background(self) -> None:
        """The first answer for the list has come, or has failed."""


Order: TypeAlias = Callable[[InboxDisplay], None]
