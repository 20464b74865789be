"""Effects of time alone: procedures go on, threads are opened and read, the list is requested."""

from frontdesk.inbox.orders import ShowProgress
from frontdesk.inbox.refreshing import poll
from frontdesk.inbox.selecting import open_selected, read_if_shown
from frontdesk.inbox.state import Inbox


def advance(inbox: Inbox) -> None:
    """Time has passed."""
    inbox.tasks.advance()
    now, selection = inbox.seconds(), inbox.selection
    if selection.opens_at is not None and selection.opens_at <= now:
        open_selected(inbox)
    if selection.reads_at is not None and selection.reads_at <= now:
        read_if_shown(inbox)
    if inbox.poll_at is not None and inbox.poll_at <= now:
        poll(inbox)
    if inbox.note_patience():
        inbox.orders.append(ShowProgress())


def rests_until(inbox: Inbox) -> float | None:
    """When `advance` is due although nothing is going on: see `Inbox.wake_at`."""
    times = [inbox.selection.opens_at, inbox.selection.reads_at, inbox.poll_at]
    return min((time for time in times if time is not None), default=None)
