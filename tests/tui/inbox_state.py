"""State of the inbox screen, read by tests."""

from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.wire import Conversation


def screen_of(app: FrontdeskApp) -> InboxScreen:
    screen = app.screen
    assert isinstance(screen, InboxScreen)
    return screen


def queue(app: FrontdeskApp) -> list[Conversation]:
    """The conversations in the queue, as far as they are held."""
    rows = screen_of(app).queue.list.rows
    return [rows[at] for at in range(len(rows))]


def queue_names(app: FrontdeskApp) -> list[str]:
    """Their ids."""
    return [conversation.id for conversation in queue(app)]


def open_conversation(app: FrontdeskApp) -> Conversation:
    conversation = screen_of(app).thread.conversation
    assert conversation is not None
    return conversation
