"""Requests for the thread of the selected conversation."""

from frontdesk.inbox.limits import POLL
from frontdesk.inbox.requests import Kind, Steps, ask
from frontdesk.inbox.scanning import reload, reported
from frontdesk.inbox.state import Inbox
from frontdesk.wire import Conversation


def request_thread(inbox: Inbox, *, by_hand: bool = False) -> None:
    """Request the open thread, in place of a request that is running."""
    row = inbox.selected
    if row is not None and inbox.selection.opened and inbox.cached.connected:
        steps = _request_thread(inbox, row, by_hand=by_hand)
        inbox.tasks.start(Kind.THREAD, steps, urgent=by_hand)


def _request_thread(inbox: Inbox, row: Conversation, *, by_hand: bool) -> Steps[None]:
    steps = _fetch_thread(inbox, row)
    selection = inbox.selection
    selection.failed = (yield from reported(inbox, steps, beside=True, by_hand=by_hand)) is None
    if selection.failed:
        ask_again(inbox)
        problem = inbox.connection.problem
        inbox.orders.append(lambda panes: panes.show_no_thread(problem))
    else:
        inbox.orders.append(lambda panes: panes.look_ahead())


def ask_again(inbox: Inbox) -> None:
    """Ask soon for what has failed, with the list, though the server says what changes."""
    if inbox.due.poll_at is not None:
        inbox.due.poll_at = min(inbox.due.poll_at, inbox.seconds() + POLL.total_seconds())


def _fetch_thread(inbox: Inbox, row: Conversation) -> Steps[None]:
    """Refresh the thread, and its conversation if that has left the list or was active."""
    fetched = yield from ask(lambda server: server.refresh_open_thread(row))
    if fetched.refreshed:
        inbox.selection.refreshed_to = row.last_activity_at
    inbox.orders.append(lambda panes: panes.show_fetched(row, fetched.unreadable))
    if fetched.error is not None:
        raise fetched.error
    yield from _refresh_conversation(inbox, row.id)


def _refresh_conversation(inbox: Inbox, id: str) -> Steps[None]:
    """Refresh a conversation that left the list, or has newer messages.

    It is requested once for each of these events.
    """
    row = inbox.cached.conversation(id)
    if row is None:
        return
    left = row.id in inbox.window.dimmed and inbox.view.list.position(row.id) is None
    event = row.id, left, inbox.cached.newer_entry(row)
    if event in (inbox.refresh.refreshed_for, (row.id, False, None)):
        return
    changed = yield from ask(lambda server: server.refresh_conversation(row))
    inbox.refresh.refreshed_for = event
    if changed:
        reload(inbox)
        inbox.orders.append(lambda panes: panes.show_renewed())
