"""Procedures of a filter or an order that is made here: through cached rows, then page by page.

They show the rows anew, and say what has failed.
"""

from typing import TypeVar

from frontdesk.errors import InboxError, NotOffered, Unreachable
from frontdesk.inbox.limits import AFTER_KEY_SECONDS, SCAN_PAUSE_SECONDS
from frontdesk.inbox.local_scan import Scan
from frontdesk.inbox.requests import Answer, Ended, FetchOlder, Kind, Steps, Until, ask
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
    """Scan the cached rows in steps, so that keys are handled in between; show the result."""
    more = scan.step(_SCANNED_PER_STEP)
    while more:
        # No page can come between the last step and what the caller does next.
        yield Until(max(inbox.seconds() + SCAN_PAUSE_SECONDS, inbox.input_at + AFTER_KEY_SECONDS))
        while (after_key := inbox.input_at + AFTER_KEY_SECONDS) > inbox.seconds():
            yield Until(after_key)
        more = scan.step(_SCANNED_PER_STEP)
    if scan is inbox.view.scan:
        inbox.show_scan(scan)


def start_scan(inbox: Inbox, *, by_hand: bool = False) -> None:
    """Scan cached rows, then the server's, for the local filter, unless that is running."""
    if inbox.view.scan is not None and Kind.SCAN not in inbox.tasks:
        urgent = by_hand or inbox.connection.is_urgent
        inbox.tasks.start(Kind.SCAN, _scan(inbox, by_hand=by_hand), urgent=urgent)


def scan_further(inbox: Inbox) -> None:
    """Continue an ended scan."""
    view = inbox.view
    if view.scan is not None and Kind.SCAN not in inbox.tasks and not view.complete:
        view.lengthen_scan()
        start_scan(inbox)


def is_due(inbox: Inbox) -> bool:
    """True if the scan is incomplete, and was neither cancelled nor stopped by an error."""
    return not inbox.view.scan_ended and not inbox.view.awaits_order and _goes_on(inbox)


def _goes_on(inbox: Inbox) -> bool:
    view = inbox.view
    if view.scan is None or view.complete or inbox.matches_nothing:
        return False
    return view.scan.looked_at < view.scan_limit


def is_loading_rows(inbox: Inbox) -> bool:
    """True while rows are loaded that the view lacks."""
    awaits_order = inbox.view.awaits_order and not inbox.connection.failing
    return Kind.SCAN in inbox.tasks or awaits_order


def _scan(inbox: Inbox, *, by_hand: bool) -> Steps[None]:
    """Scan to the end of the list or the limit; escape cancels, a failed scan is retried."""
    with inbox.window.loading_more():
        scan = inbox.view.scan
        if scan is not None and scan.looked_at < len(inbox.view.list):
            yield from _look_through(inbox, scan)
        if not inbox.view.awaits_order:
            yield from reported(inbox, _fetch_and_scan(inbox), by_hand=by_hand)


def _fetch_and_scan(inbox: Inbox) -> Steps[None]:
    """Load pages, and apply the local filter to each; again if the query is planned anew.

    After an error the rows found so far stay, and the next call continues from there.
    """
    planned = None
    while planned != inbox.view.shown:
        planned = inbox.view.shown
        yield from _scan_pages(inbox)


def _scan_pages(inbox: Inbox) -> Steps[None]:
    view, plan, ended = inbox.view, inbox.view.shown, True
    try:
        while _goes_on(inbox):
            extent = view.list.extent
            yield from ask(FetchOlder(plan.filter))
            if view.shown != plan or view.scan is None:
                break
            view.list.reload()
            # Showing an unchanged end would lead a key for the last row on, in a loop.
            if view.list.extent == extent:
                break
            yield from _look_through(inbox, view.scan)
    except Unreachable:
        ended = False
        raise
    except NotOffered:
        if not inbox.replan():
            raise
    finally:
        if view.shown == plan:
            view.scan_ended = ended
            view.follows_top = view.follows_top and not ended
