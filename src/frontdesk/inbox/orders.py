"""Orders of the inbox, which the panes carry out at once."""

from dataclasses import dataclass
from typing import Protocol

from frontdesk.wire import Conversation


class InboxDisplay(Protocol):
    """What carries orders out."""

    def say(self, words: str) -> None: ...

    def warn(self, words: str) -> None: ...

    def end_notices(self) -> None: ...

    def enter_pane(self, name: str) -> None: ...

    def show_selected(self, *, open_cached: bool) -> None: ...

    def open_thread(self) -> None: ...

    def read_shown(self, id: str) -> None: ...

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None: ...

    def show_no_thread(self, problem: str) -> None: ...

    def show_entry(self, key: str) -> None: ...

    def show_renewed(self) -> None: ...

    def draw_ahead(self) -> None: ...

    def look_ahead(self) -> None: ...

    def ring(self) -> None: ...

    def highlight_new(self) -> None: ...

    def begin_background(self) -> None: ...


class DisplayOrder:
    """Something that is done at once."""

    __slots__ = ()

    def carry_out(self, panes: InboxDisplay) -> None:
        """Have it done."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Say(DisplayOrder):
    """Words for the reader, until the next key."""

    words: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.say(self.words)


@dataclass(frozen=True, slots=True)
class Warn(DisplayOrder):
    """A warning."""

    words: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.warn(self.words)


@dataclass(frozen=True, slots=True)
class EndNotices(DisplayOrder):
    """Warnings about the view that was shown so far do not hold any more."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.end_notices()


@dataclass(frozen=True, slots=True)
class EnterPane(DisplayOrder):
    """Focus a pane."""

    name: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.enter_pane(self.name)


@dataclass(frozen=True, slots=True)
class ShowSelected(DisplayOrder):
    """Show the data of the row under the cursor. open_cached: its cached thread too."""

    open_cached: bool

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.show_selected(open_cached=self.open_cached)


@dataclass(frozen=True, slots=True)
class OpenThread(DisplayOrder):
    """Show the cached thread of the selected conversation."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.open_thread()


@dataclass(frozen=True, slots=True)
class ReadShown(DisplayOrder):
    """Read a conversation, now that its thread is shown with what is new in it."""

    id: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.read_shown(self.id)


@dataclass(frozen=True, slots=True)
class ThreadCame(DisplayOrder):
    """A thread was requested: show its present entries. unreadable: messages that were dropped."""

    conversation: Conversation
    unreadable: int

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.show_fetched(self.conversation, self.unreadable)


@dataclass(frozen=True, slots=True)
class NoThread(DisplayOrder):
    """The thread could not be requested."""

    problem: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.show_no_thread(self.problem)


@dataclass(frozen=True, slots=True)
class ShowEntry(DisplayOrder):
    """Go to an entry of the thread, by its key."""

    key: str

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.show_entry(self.key)


@dataclass(frozen=True, slots=True)
class ShowRenewed(DisplayOrder):
    """Show the cached state of the selected conversation."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.show_renewed()


@dataclass(frozen=True, slots=True)
class DrawAhead(DisplayOrder):
    """Draw what the next key may show."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.draw_ahead()


@dataclass(frozen=True, slots=True)
class LookAhead(DisplayOrder):
    """Request what the next keys may need."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.look_ahead()


@dataclass(frozen=True, slots=True)
class Ring(DisplayOrder):
    """There is new unread activity."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.ring()


@dataclass(frozen=True, slots=True)
class Highlight(DisplayOrder):
    """The rows of `Inbox.new_ids` have moved to the top."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.highlight_new()


@dataclass(frozen=True, slots=True)
class Begun(DisplayOrder):
    """The first answer for the list has come, or has failed."""

    def carry_out(self, panes: InboxDisplay) -> None:
        panes.begin_background()
