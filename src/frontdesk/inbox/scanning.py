"""Procedures of a filter or an order that is made here, of the rows that are loaded.

They show the rows anew, and say what has failed.
"""

from typing import TypeVar

from frontdesk.errors import InboxError
from frontdesk.inbox.limits import AFTER_KEY_SECONDS, SCAN_PAUSE_SECONDS
from frontdesk.inbox.local_scan import Scan
from frontdesk.inbox.requests import Answer, Ended, Kind, Steps, Until
from frontdesk.inbox.state import Inbox
from frontdesk.wire import ConversationFilter

T = TypeVar("T")

_SCANNED_PER_STEP = 50


def reported(
    inbox: Inbox, steps: Steps[T], *, beside: bool = False, by_hand: bool = False
) -> Steps[Answer[T] | None]:
    """Do something that may fail; None if it did, which is said here.

    beside: it is not for the list. by_hand: the user has asked for it.
    """
    connection = inbox.connection
    if not connection.may_ask:
        steps.close()
        return None
    connection.tries_by_hand(int(by_hand))
    answer = None
    try:
        answer = Answer((yield from steps))
    except InboxError as error:
        connection.report(error, beside=beside, by_hand=by_hand)
    finally:
        connection.tries_by_hand(-int(by_hand))
        if answer is not None and beside:
            connection.succeeds_beside()
    return answer


def reload(inbox: Inbox, chosen: ConversationFilter | None = None) -> None:
    """Show the present rows of the cache, unless those of another filter are shown by now."""
    view = inbox.view
    if chosen not in (None, view.shown.filter):
        return
    if view.scan is None:
        inbox.show_merged(inbox.reread())
    else:
        view.rescan_due = True
        if Kind.RESCAN not in inbox.tasks:
            inbox.tasks.start(Kind.RESCAN, _rescan(inbox))


def reloaded(inbox: Inbox, chosen: ConversationFilter) -> Steps[None]:
    """Show the present rows of the cache, and wait until they are there."""
    reload(inbox, chosen)
    yield Ended(Kind.RESCAN)


def _rescan(inbox: Inbox) -> Steps[None]:
    """Scan all cached rows again, and show the result when it is complete."""
    view = inbox.view
    while view.rescan_due:
        view.rescan_due = False
        leaves_out = view.kept.leaving_out
        scan = inbox.new_scan(inbox.reread(), keeps_shown=not leaves_out)
        yield from _look_through(inbox, scan)
        view.scan = scan
        if leaves_out:
            # What left was in view until now.
            view.kept.forget_seen()
        inbox.show_scan(scan)


def _look_through(inbox: Inbox, scan: Scan) -> Steps[None]:
    """Scan the cached rows in steps, so that keys are handled in between."""
    more = scan.step(_SCANNED_PER_STEP)
    while more:
        # No page can come between the last step and what the caller does next.
        yield Until(max(inbox.seconds() + SCAN_PAUSE_SECONDS, inbox.input_at + AFTER_KEY_SECONDS))
        while (after_key := inbox.input_at + AFTER_KEY_SECONDS) > inbox.seconds():
            yield Until(after_key)
        more = scan.step(_SCANNED_PER_STEP)


def scan_rest(inbox: Inbox) -> None:
    """Scan the cached rows that were too many to scan before they were shown."""
    scan = inbox.view.scan
    if scan is not None and not scan.ended and scan.looked_at < len(inbox.view.list):
        reload(inbox)


def is_loading_rows(inbox: Inbox) -> bool:
    """True while rows are loaded that the view lacks, or looked through."""
    view = inbox.view
    awaits_order = view.awaits_order and not inbox.connection.failing
    return awaits_order or view.page_since is not None or Kind.RESCAN in inbox.tasks
