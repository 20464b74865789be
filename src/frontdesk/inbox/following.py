"""Procedure that asks the server for what changes, and shows it as soon as it has."""

from frontdesk.errors import InboxError, NotOffered, Refused
from frontdesk.inbox.refreshing import request_names, schedule_poll, show_changes
from frontdesk.inbox.requests import Ended, Kind, Steps, ask, rows_known
from frontdesk.inbox.state import Inbox
from frontdesk.inbox.threads import request_thread


def follow(inbox: Inbox) -> None:
    """Follow the server, unless it is followed already or cannot say what changes."""
    if Kind.NEWS not in inbox.tasks and inbox.connection.may_follow:
        inbox.tasks.start(Kind.NEWS, _follow(inbox))


def stop_following(inbox: Inbox) -> None:
    """Ask for nothing but the list, at its interval."""
    inbox.tasks.stop(Kind.NEWS)
    _poll(inbox)


def note_focus(inbox: Inbox, focused: bool) -> None:
    """Record a focus change of the terminal, without which nothing may be asked for."""
    inbox.connection.focus(focused)
    if focused:
        follow(inbox)
    elif inbox.connection.awaits_focus:
        stop_following(inbox)
    schedule_poll(inbox)


def _follow(inbox: Inbox) -> Steps[None]:
    """Ask for what changed, again and again; after a failure, once the list was answered.

    The server holds each request until something changes. The first answer is for the position
    alone: what changed just before it comes with the next request for the list, which stays due.
    """
    while True:
        try:
            changes = yield from ask(lambda server: server.next_changes())
        except (NotOffered, Refused):
            inbox.connection.cannot_follow()
            _poll(inbox)
            return
        except InboxError:
            # The list says what is wrong, and when it is asked for again.
            was_followed = inbox.connection.followed
            _poll(inbox)
            if was_followed:
                inbox.due.poll_at = inbox.seconds()
            while not (yield from rows_known()):
                pass
            continue
        if changes.reset or not inbox.connection.followed:
            inbox.refresh.gone_over_at.clear()
        inbox.connection.follow(True)
        if changes.reset:
            request_names(inbox)
        ids = frozenset((*(row.id for row in changes.data), *changes.gone))
        if ids or changes.reset:
            yield Ended(Kind.REFRESH)
            yield from show_changes(inbox, ids)
        row = inbox.selected
        if row is not None and ids & {row.id, *inbox.reader.shown_beside}:
            yield Ended(Kind.THREAD)
            request_thread(inbox)


def _poll(inbox: Inbox) -> None:
    inbox.connection.follow(False)
    schedule_poll(inbox)
