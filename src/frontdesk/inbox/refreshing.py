"""Procedures that load the list, its further pages, and the names that queries may use."""

from frontdesk.errors import BadResponse, Forbidden, InboxError, NotFound
from frontdesk.inbox import scanning
from frontdesk.inbox.counting import counted_filters, total
from frontdesk.inbox.requests import (
    FetchCounts,
    FetchHead,
    FetchNames,
    FetchOlder,
    FindMe,
    Kind,
    NamesCame,
    Refreshed,
    ShowProgress,
    Steps,
    ask,
    rows_known,
)
from frontdesk.inbox.scanning import reloaded, reported, scan_further, start_scan
from frontdesk.inbox.state import (
    CONVERSATION_SETTING,
    EVERY,
    QUERY_SETTING,
    Inbox,
    first_query,
)
from frontdesk.query import Query
from frontdesk.query.language import ASSIGNEE, CONTACT, ME
from frontdesk.wire import Conversation, ConversationFilter

# Every sixth refresh also detects rows further down that no longer match the filter.
REFRESHES_UNTIL_THOROUGH = 6

# An answer may tell of a filter that the server lacks, and the next one of another.
_MOST_PLANS = 8

# A refresh by hand takes the place of one that has been running for this long.
_AGAIN_SECONDS = 1.0

# What ends with the shown view.
_OF_VIEW = (Kind.REFRESH, Kind.OLDER, Kind.SCAN, Kind.RESCAN, Kind.FIND)


def show_query(inbox: Inbox, query: Query, selected: str | None = None) -> None:
    """Show another query, and store it for the next start.

    A query with another order starts at its top, unless a conversation is to be selected.
    """
    inbox.tasks.stop(*_OF_VIEW)
    reordered = query.order != inbox.view.query.order
    offline = inbox.connection.failing or not inbox.cached.connected
    if offline and inbox.customers.recognise_here(query):
        inbox.forget_names()
    inbox.view = inbox.view_of(query)
    inbox.is_chosen = True
    inbox.cached.set_setting(QUERY_SETTING, str(query))
    if selected is not None:
        inbox.cached.set_setting(CONVERSATION_SETTING, selected)
    inbox.show(at_top=reordered and selected is None)
    inbox.window.take_for_input()


def refresh_by_hand(inbox: Inbox) -> bool:
    """Request the list, and drop rows that no longer match; False while that is being done.

    A held key does not end its own requests.
    """
    inbox.view.kept.leaving_out = True
    since = inbox.by_hand_since
    if since is not None and inbox.seconds() - since < _AGAIN_SECONDS:
        return False
    refresh(inbox, by_hand=True)
    return True


def refresh(inbox: Inbox, *, by_hand: bool = False) -> None:
    """Request the list, in place of a request that is running."""
    inbox.connection.asks()
    was_failing = inbox.connection.failing
    if scanning.is_due(inbox):
        # Before the refresh, whose requests could use up what a rate limit allows.
        start_scan(inbox, by_hand=by_hand)
    urgent = by_hand or inbox.connection.is_urgent
    steps = _refresh(inbox, was_failing=was_failing, by_hand=by_hand)
    inbox.tasks.start(Kind.REFRESH, steps, urgent=urgent)


def _refresh(inbox: Inbox, *, was_failing: bool, by_hand: bool) -> Steps[None]:
    """Refresh the list, then go on with what waits for it."""
    inbox.by_hand_since = inbox.seconds() if by_hand else None
    try:
        answered = (yield from reported(inbox, _fetch(inbox), by_hand=by_hand)) is not None
    finally:
        inbox.by_hand_since = None
    if answered:
        inbox.connection.is_live()
        if scanning.is_due(inbox):
            start_scan(inbox, by_hand=by_hand)
    inbox.orders.append(Refreshed(answered, was_failing))
    inbox.tasks.rows_known(answered)


def _fetch(inbox: Inbox) -> Steps[None]:
    """Refresh counts and the first page; `new_ids` has the rows that moved to the top."""
    inbox.new_ids = ()
    inbox.forget_names()
    yield from ask(FetchCounts(EVERY))
    if not inbox.is_chosen and not inbox.view.list:
        view = inbox.view_of(first_query(inbox.all_counts))
        view.bound_for_last, inbox.view = inbox.view.bound_for_last, view
        inbox.show()
    yield from _find_contact(inbox)
    if any(term.value == ME for term in inbox.view.shown.rest if term.kind == ASSIGNEE):
        yield from ask(FindMe())
    if not inbox.matches_nothing:
        yield from _fetch_planned_rows(inbox)
    # After the rows, which the reader waits for: there may be many tabs, and a slow server.
    for filter in counted_filters(inbox):
        yield from ask(FetchCounts(filter))
    if not inbox.matches_nothing and inbox.replan():
        yield from _fetch_planned_rows(inbox)


def _find_contact(inbox: Inbox) -> Steps[None]:
    """Ask for the contact of a `from:` with a number, unless it is known."""
    value = inbox.view.query.value(CONTACT) or ""
    try:
        if (yield from inbox.customers.find(value, inbox.names)):
            inbox.forget_names()
            inbox.replan()
    except (NotFound, Forbidden, BadResponse):
        pass
    if inbox.matches_nothing:
        inbox.tasks.stop(Kind.SCAN)


def _fetch_planned_rows(inbox: Inbox) -> Steps[None]:
    """Fetch the rows of the query; anew by each plan that the answers lead to."""
    planned = None
    for tries_left in reversed(range(_MOST_PLANS)):
        if planned == inbox.view.wanted:
            return
        planned = inbox.view.wanted
        try:
            yield from _fetch_rows(inbox)
            inbox.replan()
        except InboxError:
            # The server may have refused a filter that it lacks.
            if not tries_left or not inbox.replan():
                raise
            planned = None


def _fetch_rows(inbox: Inbox) -> Steps[None]:
    view, chosen = inbox.view, inbox.view.wanted.filter
    thorough = _must_be_thorough(inbox)
    try:
        fetched = yield from ask(FetchHead(chosen, thorough))
    except InboxError:
        yield from reloaded(inbox, chosen)
        raise
    if chosen == view.wanted.filter:
        inbox.replan()
    view.unreadable = fetched.unreadable
    if thorough:
        view.unreadable_below = 0
    if chosen == view.shown.filter and not inbox.window.at_start:
        view.added_above += len(fetched.added)
    # Not after the first refresh of a filter: the cached rows may be old.
    inbox.new_ids = fetched.added if chosen == view.refreshed_before else ()
    view.refreshed_before = chosen
    yield from reloaded(inbox, chosen)
    view.kept.answered = view.kept.answered or chosen == view.shown.filter


def _must_be_thorough(inbox: Inbox) -> bool:
    """True if this refresh has to detect rows further down that left the filter."""
    inbox.refreshes += 1
    counted = total(inbox)
    view = inbox.view
    disagree = view.list.complete and counted is not None and counted != len(view.list)
    return disagree or inbox.refreshes % REFRESHES_UNTIL_THOROUGH == 0


def load_older(inbox: Inbox) -> None:
    """Load the next page, unless one is being loaded."""
    if Kind.OLDER not in inbox.tasks:
        inbox.tasks.start(Kind.OLDER, _older(inbox), urgent=inbox.connection.is_urgent)


def _older(inbox: Inbox) -> Steps[None]:
    try:
        with inbox.window.loading_more():
            inbox.orders.append(ShowProgress())
            yield from reported(inbox, fetch_older(inbox))
    finally:
        inbox.orders.append(ShowProgress())


def fetch_older(inbox: Inbox) -> Steps[None]:
    """Load the next page; do nothing if one is being loaded or the list is complete."""
    view, chosen = inbox.view, inbox.view.shown.filter
    if view.page_since is not None or view.list.complete or not len(view.list):
        return
    view.page_since, held = inbox.seconds(), view.list.extent
    try:
        older = yield from ask(FetchOlder(chosen))
        view.unreadable_below += older.unreadable
    except InboxError:
        yield from _reload_if_longer(inbox, chosen, held)
        raise
    finally:
        view.page_since = None
        inbox.orders.append(ShowProgress())
    yield from _reload_if_longer(inbox, chosen, held)


def _reload_if_longer(
    inbox: Inbox, chosen: ConversationFilter, held: tuple[int, str | None, bool]
) -> Steps[None]:
    # Reloading an unchanged end would trigger the next request at once, in a loop.
    if inbox.cached.conversations(chosen).extent != held:
        yield from reloaded(inbox, chosen)


def near_end(inbox: Inbox, *, bound_for: int, bottom: bool) -> None:
    """The first or last rows are in view.

    bound_for: the end that a key led to, of those: -1 the first row, 1 the last. bottom: the last
    rows are in view.
    """
    view, by_key = inbox.view, bound_for > 0
    if bound_for:
        view.bound_for_last = by_key and not (view.is_loaded or len(inbox.window.rows))
    inbox.note_top()
    if not bottom:
        return
    if view.shown.exact and not view.list.complete:
        if by_key or inbox.loaded_position is not None:
            load_older(inbox)
    elif by_key:
        scan_further(inbox)


def request_names(inbox: Inbox) -> None:
    """Request the names of channels, users, labels and fields, until they are there."""
    inbox.tasks.start(Kind.NAMES, _request_names(inbox))


def _request_names(inbox: Inbox) -> Steps[None]:
    """After the first rows, which the reader waits for; then whenever the list is back."""
    yield from rows_known()
    while (yield from reported(inbox, _fetch_names(inbox), beside=True)) is None:
        yield from _list_is_back(inbox)
    inbox.orders.append(NamesCame())


def _list_is_back(inbox: Inbox) -> Steps[None]:
    """Wait for the first answer for the list after a failure."""
    failing = inbox.connection.failing
    while not ((yield from rows_known()) and failing):
        failing = inbox.connection.failing


def _fetch_names(inbox: Inbox) -> Steps[None]:
    yield from ask(FetchNames())
    if inbox.all_counts is not None and inbox.all_counts.mine:
        yield from ask(FindMe())
    inbox.forget_names()
    inbox.replan()


def departure(inbox: Inbox, row: Conversation) -> tuple[str, bool, str | None] | None:
    """Why a conversation is to be requested by itself: it left the list, or has newer messages.

    None for one that was requested for the same reason, or has none: see `note_departure`.
    """
    left = row.id in inbox.window.dimmed and inbox.view.list.position(row.id) is None
    event = row.id, left, inbox.cached.newer_entry(row)
    return None if event in (inbox.refreshed_for, (row.id, False, None)) else event


def note_departure(inbox: Inbox, event: tuple[str, bool, str | None]) -> None:
    """Record that a conversation was requested for a reason."""
    inbox.refreshed_for = event
