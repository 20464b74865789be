"""Effects of time alone: procedures go on, threads are opened and read, the list is requested."""

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
    if inbox.due.follow_ups_at is not None and inbox.due.follow_ups_at <= now:
        _bring_back_due(inbox)
    if inbox.due.poll_at is not None and inbox.due.poll_at <= now:
        poll(inbox)
    if inbox.due.connection_at is not None and inbox.due.connection_at <= now:
        inbox.due.connection_at = None


def _bring_back_due(inbox: Inbox) -> None:
    # Deferred: most starts have no follow-ups.
    from frontdesk.inbox.follow_ups import bring_back_due

    bring_back_due(inbox)


def rests_until(inbox: Inbox) -> float | None:
    """When `advance` is due although nothing is going on: see `Inbox.wake_at`."""
    _count_seconds(inbox)
    selection = inbox.selection
    times = [selection.opens_at, selection.reads_at, inbox.due.poll_at, inbox.due.connection_at]
    times.append(inbox.due.follow_ups_at)
    return min((time for time in times if time is not None), default=None)


def _count_seconds(inbox: Inbox) -> None:
    """Count the seconds that the status line shows, while it shows any."""
    if not (inbox.connection.failing or inbox.connection.asking):
        inbox.due.connection_at = None
    elif inbox.due.connection_at is None:
        inbox.due.connection_at = inbox.seconds() + 1.0
