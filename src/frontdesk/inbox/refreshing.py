"""Procedures that load the list, its further pages, and the names that queries may use."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from math import inf

from frontdesk.errors import BadResponse, Forbidden, InboxError, NotFound
from frontdesk.inbox.counting import counted_filters, note_tallies, total
from frontdesk.inbox.limits import (
    AGED,
    COUNTS_SECONDS,
    FOLLOWED,
    MOST_VISITS,
    POLL,
    REPLACED_SECONDS,
    ROWS_AT_TOP,
    THOROUGH_SECONDS,
)
from frontdesk.inbox.planning import first_query
from frontdesk.inbox.requests import (
    Kind,
    Steps,
    Until,
    ask,
    rows_known,
)
from frontdesk.inbox.scanning import reloaded, reported, scan_rest
from frontdesk.inbox.state import (
    CONVERSATION_SETTING,
    EVERY,
    QUERY_SETTING,
    Inbox,
)
from frontdesk.inbox.threads import ask_again, request_thread
from frontdesk.inbox.view import ViewPlace
from frontdesk.query import Query
from frontdesk.query.language import ME
from frontdesk.query.plan import STANDARD
from frontdesk.query.terms import ASSIGNEE, CONTACT, KINDS
from frontdesk.text.clean import AtLeast
from frontdesk.wire import ConversationFilter

# An answer may tell of a filter that the server lacks, and the next one of another.
_MOST_PLANS = 8

# Filters and orders that have a row until it changes; sorted by window, rows close.
_STEADY = frozenset({*STANDARD, "contact", "awaiting_human", "unread", "query"})

# What ends with the shown view.
_OF_VIEW = (Kind.REFRESH, Kind.OLDER, Kind.RESCAN, Kind.FIND)


def show_query(inbox: Inbox, query: Query, place: ViewPlace | None = None) -> None:
    """Show another query where it was left, and store it for the next start.

    Without a place, one with another order starts at its top.
    """
    inbox.tasks.stop(*_OF_VIEW)
    reordered = query.order != inbox.view.query.order
    offline = inbox.connection.failing or not inbox.cached.connected
    if offline and inbox.planning.customers.recognise_here(query):
        inbox.planning.forget_names()
    inbox.view = inbox.planning.view_of(query)
    inbox.refresh.is_chosen = True
    inbox.cached.set_setting(QUERY_SETTING, str(query))
    if place is not None and place.selected is not None:
        inbox.cached.set_setting(CONVERSATION_SETTING, place.selected)
    inbox.show(at_top=reordered and place is None)
    if place is not None:
        place.restore(inbox.window)
    inbox.window.take_for_input()


def refresh_by_hand(inbox: Inbox) -> None:
    """Request list and thread without regard to a back-off, and drop rows that no longer match.

    A held key does not end its own requests.
    """
    inbox.view.kept.leaving_out = True
    since = inbox.refresh.by_hand_since
    if since is None or inbox.seconds() >= since + REPLACED_SECONDS:
        refresh(inbox, by_hand=True)
        request_thread(inbox, by_hand=True)


def refresh(inbox: Inbox, *, by_hand: bool = False) -> None:
    """Request the list, in place of a request that is running."""
    inbox.connection.asks()
    schedule_poll(inbox)
    was_failing = inbox.connection.failing
    urgent = by_hand or inbox.connection.is_urgent
    steps = _refresh(inbox, was_failing=was_failing, by_hand=by_hand)
    inbox.tasks.start(Kind.REFRESH, steps, urgent=urgent)


def _refresh(inbox: Inbox, *, was_failing: bool, by_hand: bool) -> Steps[None]:
    """Refresh the list, then go on with what waits for it."""
    inbox.refresh.by_hand_since = inbox.seconds() if by_hand else None
    try:
        answered = (yield from reported(inbox, _fetch(inbox), by_hand=by_hand)) is not None
    finally:
        inbox.refresh.by_hand_since = None
    if answered:
        inbox.connection.is_live()
        if inbox.refresh.has_begun and was_failing:
            # Its own request may be waiting for an answer that was lost.
            request_thread(inbox)
    if not inbox.refresh.has_begun:
        _begin_rest(inbox)
    inbox.tasks.rows_known(answered)
    if answered:
        note_tallies(inbox)
    inbox.orders.append(lambda panes: panes.show_renewed())
    schedule_poll(inbox)
    if answered:
        inbox.orders.append(lambda panes: panes.look_ahead())


def _go_on_with_rows(inbox: Inbox) -> None:
    """Do what follows when the rows of the list have changed."""
    _tell_news(inbox)
    inbox.orders.append(lambda panes: panes.show_renewed())
    if inbox.planning.hidden:
        # Their customers may have written.
        inbox.due.follow_ups_at = inbox.seconds()


def show_changes(inbox: Inbox, ids: Collection[str]) -> Steps[None]:
    """Show what the server says changed: from the cache, where the list has it; else ask for it.

    ids: of the conversations that changed.
    """
    chosen, view = inbox.view.wanted.filter, inbox.view
    has_rows = chosen == view.shown.filter and inbox.cached.follows(chosen)
    if not (has_rows and inbox.connection.is_current):
        refresh(inbox)
        return
    inbox.refresh.new_ids = ()
    yield from reloaded(inbox, chosen)
    if view is inbox.view:
        _note_added(inbox, chosen, list(_at_top(inbox, ids)))
        _go_on_with_rows(inbox)
        inbox.orders.append(lambda panes: panes.look_ahead())
    if Kind.COUNTS not in inbox.tasks:
        inbox.tasks.start(Kind.COUNTS, _count(inbox))


def _at_top(inbox: Inbox, ids: Collection[str]) -> Iterator[str]:
    """Yield those of the ids that are of the first rows of the list, without another between."""
    rows = inbox.view.list
    for row in (rows[at] for at in range(len(rows))):
        if row.id not in ids:
            return
        yield row.id


def _count(inbox: Inbox) -> Steps[None]:
    """Ask for the counts after news; what has changed meanwhile is counted with it."""
    if inbox.refresh.counted_at is not None:
        yield Until(inbox.refresh.counted_at + COUNTS_SECONDS)
    if (yield from reported(inbox, _fetch_counts(inbox), beside=True)) is None:
        ask_again(inbox)
        return
    note_tallies(inbox)
    inbox.orders.append(lambda panes: panes.show_renewed())
    if _disagrees(inbox):
        refresh(inbox)


def _fetch_counts(inbox: Inbox) -> Steps[None]:
    inbox.refresh.counted_at = inbox.seconds()
    for filter in (EVERY, *counted_filters(inbox)):
        yield from _refresh_counts(filter)


def _refresh_counts(filter: ConversationFilter) -> Steps[bool]:
    return ask(lambda server: server.refresh_counts(filter))


def _tell_news(inbox: Inbox) -> None:
    """Highlight what moved to the top, and ring for new unread activity."""
    rows = inbox.window.rows
    first = [rows[at] for at in range(min(ROWS_AT_TOP, len(rows)))]
    unread = inbox.marks.unread_among(first)
    inbox.orders.append(lambda panes: panes.highlight_new())
    if inbox.refresh.bell.rings(row for row in first if row.id in unread):
        inbox.orders.append(lambda panes: panes.ring())


def begin(inbox: Inbox) -> None:
    """Request everything that is shown: there is a connection."""
    inbox.refresh.opened_unconnected = inbox.selection if inbox.selection.opened else None
    refresh(inbox)
    request_names(inbox)


def _begin_rest(inbox: Inbox) -> None:
    """Begin what follows the first answer for the list."""
    inbox.refresh.has_begun = True
    if inbox.refresh.opened_unconnected is inbox.selection:
        # A thread that is opened with a connection is requested at once; this one was not.
        request_thread(inbox)
    scan_rest(inbox)
    inbox.orders.append(lambda panes: panes.begin_background())


def poll(inbox: Inbox) -> None:
    """Request the list, and the open thread unless it is being requested."""
    refresh(inbox)
    if Kind.THREAD not in inbox.tasks:
        request_thread(inbox)


def schedule_poll(inbox: Inbox) -> None:
    """Set when the list is requested by itself; the end of a running request sets it again."""
    followed = POLL if inbox.selection.failed else AGED if _ages(inbox) else FOLLOWED
    wait = inbox.connection.poll_in(followed)
    inbox.due.poll_at = None if wait is None else inbox.seconds() + wait.total_seconds()


def _ages(inbox: Inbox) -> bool:
    """True if rows may come into the view or leave it without a change of them."""
    view = inbox.view
    is_steady = (
        view.wanted == view.shown
        and not view.shown.rest
        and _STEADY.issuperset(view.shown.filter.parameters())
        and all(KINDS[term.kind].counted for term in view.shown.asked)
    )
    return not is_steady


def note_input(inbox: Inbox) -> None:
    """Record input of the user: a scan and the background pause."""
    inbox.input_at = inbox.seconds()
    inbox.connection.used()


def _fetch(inbox: Inbox) -> Steps[None]:
    """Refresh the first page and the counts; `new_ids` has the rows that moved to the top."""
    inbox.refresh.new_ids = ()
    inbox.planning.forget_names()
    yield from _find_contact(inbox)
    if any(term.value == ME for term in inbox.view.shown.rest if term.kind == ASSIGNEE):
        yield from ask(lambda server: server.find_me())
    if not inbox.matches_nothing:
        yield from _fetch_planned_rows(inbox)
    is_chosen = inbox.refresh.is_chosen or bool(inbox.view.list)
    if is_chosen:
        _go_on_with_rows(inbox)
    # After the rows, which the reader waits for: there may be many tabs, and a slow server.
    inbox.refresh.counted_at = inbox.seconds()
    yield from _refresh_counts(EVERY)
    if not is_chosen:
        first = first_query(inbox.all_counts)
        if first != inbox.view.query:
            view = inbox.planning.view_of(first)
            view.bound_for_last, inbox.view = inbox.view.bound_for_last, view
            inbox.show()
            yield from _fetch_planned_rows(inbox)
        _go_on_with_rows(inbox)
    for filter in counted_filters(inbox):
        yield from _refresh_counts(filter)
    if inbox.matches_nothing:
        return
    if inbox.replan():
        yield from _fetch_planned_rows(inbox)
    elif _disagrees(inbox):
        yield from _go_over(inbox, inbox.view.wanted.filter)


def _find_contact(inbox: Inbox) -> Steps[None]:
    """Ask for the contact of a `from:` with a number, unless it is known."""
    value = inbox.view.query.value(CONTACT) or ""
    try:
        if (yield from inbox.planning.customers.find(value, inbox.planning.names)):
            inbox.planning.forget_names()
            inbox.replan()
    except (NotFound, Forbidden, BadResponse):
        pass


def _fetch_planned_rows(inbox: Inbox) -> Steps[None]:
    """Fetch the rows of the query; anew by each plan that the answers lead to."""
    planned = None
    for tries_left in reversed(range(_MOST_PLANS)):
        if planned == inbox.view.wanted or inbox.matches_nothing:
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
    """Fetch the first rows, and from time to time all pages, as rows further down may have left.

    A long list shows what is new before it has gone over those. Rows that have left are let go of
    at once, with the last answer.
    """
    view, chosen = inbox.view, inbox.view.wanted.filter
    # Once, where it is followed from then on.
    before = -inf if inbox.connection.followed else inbox.seconds()
    gone_over_at = inbox.refresh.gone_over_at.setdefault(chosen, before)
    is_due = inbox.seconds() >= gone_over_at + THOROUGH_SECONDS and not inbox.cached.follows(chosen)
    is_long = chosen == view.shown.filter and len(view.list) > ROWS_AT_TOP
    if not is_due or (is_long and not view.kept.leaving_out):
        yield from _fetch_head(inbox, chosen, thorough=False)
    if is_due and chosen == view.wanted.filter:
        yield from _go_over(inbox, chosen)
    for oldest in list(inbox.refresh.gone_over_at)[:-MOST_VISITS]:
        del inbox.refresh.gone_over_at[oldest]


def _go_over(inbox: Inbox, chosen: ConversationFilter) -> Steps[None]:
    """Fetch all pages of a list, from which rows may have left."""
    yield from _fetch_head(inbox, chosen, thorough=True)
    inbox.refresh.gone_over_at[chosen] = inbox.seconds()


def _fetch_head(inbox: Inbox, chosen: ConversationFilter, *, thorough: bool) -> Steps[None]:
    view = inbox.view
    try:
        fetched = yield from ask(
            lambda server: server.refresh_conversations(chosen, thorough=thorough)
        )
    except InboxError:
        yield from reloaded(inbox, chosen)
        raise
    if chosen == view.wanted.filter:
        inbox.replan()
    view.unreadable = fetched.unreadable
    if thorough:
        view.unreadable_below = 0
    _note_added(inbox, chosen, fetched.added)
    view.refreshed_before = chosen
    yield from reloaded(inbox, chosen)
    view.kept.answered = view.kept.answered or chosen == view.shown.filter


def _note_added(inbox: Inbox, chosen: ConversationFilter, added: Sequence[str]) -> None:
    """Note the rows that have come to the top of a list."""
    view = inbox.view
    if chosen == view.shown.filter and not inbox.window.at_start:
        view.added_above += len(added)
    # Not after the first refresh of a filter: the cached rows may be old.
    if chosen == view.refreshed_before:
        inbox.refresh.new_ids = (*inbox.refresh.new_ids, *added)


def _disagrees(inbox: Inbox) -> bool:
    """True if the server counts another number of rows than a complete list has."""
    counted, rows = total(inbox), inbox.view.list
    is_exact = counted is not None and not isinstance(counted, AtLeast)
    return rows.complete and is_exact and counted != len(rows)


def load_older(inbox: Inbox) -> None:
    """Load the next page, unless one is being loaded."""
    if Kind.OLDER not in inbox.tasks:
        inbox.tasks.start(Kind.OLDER, _older(inbox), urgent=inbox.connection.is_urgent)


def _older(inbox: Inbox) -> Steps[None]:
    # A key leads on over the rows that are loaded, unless few of them may match.
    with inbox.window.loading_more() if inbox.view.goes_on else nullcontext():
        yield from reported(inbox, fetch_older(inbox))


def fetch_older(inbox: Inbox) -> Steps[None]:
    """Load the next page; do nothing if one is being loaded or the list is complete."""
    view, chosen = inbox.view, inbox.view.shown.filter
    if view.page_since is not None or view.list.complete or not len(view.list):
        return
    view.page_since, held = inbox.seconds(), view.list.extent
    try:
        older = yield from ask(lambda server: server.older_conversations(chosen))
        view.unreadable_below += older.unreadable
    except InboxError:
        yield from _reload_if_longer(inbox, chosen, held)
        raise
    finally:
        view.page_since = None
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
    if not bottom or view.complete:
        return
    if by_key and not view.goes_on:
        inbox.window.stop()
        load_older(inbox)
    elif view.goes_on and (by_key or inbox.loaded_position is not None):
        load_older(inbox)


def request_names(inbox: Inbox) -> None:
    """Request the names of channels, users, labels and fields, until they are there."""
    inbox.tasks.start(Kind.NAMES, _request_names(inbox))


def _request_names(inbox: Inbox) -> Steps[None]:
    """After the first rows, which the reader waits for; then whenever the list is back."""
    yield from rows_known()
    while (yield from reported(inbox, _fetch_names(inbox), beside=True)) is None:
        yield from _list_is_back(inbox)
    # They may change what was drawn.
    inbox.orders.append(lambda panes: panes.draw_ahead())


def _list_is_back(inbox: Inbox) -> Steps[None]:
    """Wait for the first answer for the list after a failure."""
    failing = inbox.connection.failing
    while not ((yield from rows_known()) and failing):
        failing = inbox.connection.failing


def _fetch_names(inbox: Inbox) -> Steps[None]:
    yield from ask(lambda server: server.refresh_catalogues())
    if inbox.all_counts is not None and inbox.all_counts.mine:
        yield from ask(lambda server: server.find_me())
    inbox.planning.forget_names()
    inbox.replan()
