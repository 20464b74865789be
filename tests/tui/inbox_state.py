"""What the inbox holds while tests press its keys."""

from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.screens.inbox import InboxScreen
from frontdesk.wire import Conversation


def screen_of(app: FrontdeskApp) -> InboxScreen:
    screen = app.screen
    assert isinstance(screen, InboxScreen)
    return screen


def queue_names(app: FrontdeskApp) -> list[str]:
    """The ids in the queue, as far as they are held."""
    rows = screen_of(app)._list.rows
    assert rows is not None
    return [rows[position].id for position in range(len(rows))]


def open_conversation(app: FrontdeskApp) -> Conversation:
    conversation = screen_of(app)._reading.conversation
    assert conversation is not None
    return conversation
