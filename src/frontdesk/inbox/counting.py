"""Numbers of conversations: as the server counts them, or of complete cached rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.inbox.limits import (
    MOST_MARKS_COUNTED,
    MOST_ROWS_COUNTED,
    MOST_ROWS_TALLIED,
    MOST_VIEWS_COUNTED,
)
from frontdesk.inbox.local_scan import Scan
from frontdesk.inbox.planning import unsorted_filter
from frontdesk.inbox.rows import CachedList
from frontdesk.inbox.server_counts import (
    count_for,
    counted_filter,
    counts_by,
    narrowed_filter,
)
from frontdesk.inbox.state import EVERY, Inbox
from frontdesk.query import Query, QueryPlan, parse
from frontdesk.query.plan import MEMBERS, is_counted
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, STATUS
from frontdesk.text.clean import AtLeast
from frontdesk.wire import Conversation, ConversationFilter, Counts

# What the number of unread conversations counts, in every view, and what it leads to.
UNREAD = parse("is:open unread")


def counts_of(inbox: Inbox, filter: ConversationFilter) -> Counts | None:
    """Cached counts that have the number of a filter; None if there are none."""
    return _cached_counts(inbox, counted_filter(filter))


def _cached_counts(inbox: Inbox, counted: ConversationFilter) -> Counts | None:
    """Cached counts for a request; None if the server sends those of all instead.

    Counts by what is asked for as a query come only from a server that takes it.
    """
    counts = inbox.cached.counts(counted)
    is_checked = counted == EVERY or bool(counted.parameters().keys() - {"channel", "label"})
    return None if not is_checked and counts == inbox.all_counts else counts


def total(inbox: Inbox) -> int | None:
    """Number of rows of the shown list, as the server counts them."""
    return _counted_of(inbox, inbox.view.shown.filter)


def _counted_of(inbox: Inbox, filter: ConversationFilter) -> int | None:
    """Number of conversations of a filter, as the server counts them.

    Where that ended early, the loaded rows may be more; when they are complete, they are all.
    """
    number = count_for(counts_of(inbox, filter), filter)
    if number is None and filter.query is not None:
        number = inbox.cached.total(filter)
    if isinstance(number, AtLeast):
        listing = inbox.cached.conversations(filter)
        return len(listing) if listing.complete else AtLeast(max(number, len(listing)))
    return number


class UnreadCount(NamedTuple):
    """Number of unread open conversations, None if it is not known.

    of_server: as the server counts them, which does not know what was read on this computer.
    """

    number: int | None
    of_server: bool = False


def unread_count(inbox: Inbox) -> UnreadCount:
    """Number of open conversations that are unread on this computer.

    They are counted if all of them, or all that are open, are loaded; else it is the server's
    number, see `_put_right`.
    """
    known, counts = count_of(inbox, UNREAD), inbox.all_counts
    if known is None and counts is not None:
        opened = inbox.planning.plan_of(UNREAD, frozenset({"status"}))
        known = _count_rows(inbox, opened, inbox.planning.known_rows(UNREAD))
    if known is not None or counts is None or counts.unread is None:
        return UnreadCount(known)
    number = _put_right(inbox, UNREAD, counts.unread)
    return UnreadCount(counts.unread, of_server=True) if number is None else UnreadCount(number)


def _put_right(inbox: Inbox, query: Query, number: int) -> int | None:
    """The server's number of a query by what is unread, with what was read here.

    Where that ended early, it is no less than the loaded rows. None if there are too many marks.
    """
    changed, view = _changed_here(inbox, query), inbox.view
    if changed is None:
        return None
    if isinstance(number, AtLeast):
        scan = view.scan if view.query == query else None
        return number if scan is None else AtLeast(max(number, scan.matches))
    return max(0, number + changed - _hidden_among(inbox, query))


def _numbered(plan: QueryPlan) -> ConversationFilter | None:
    """Filter by which the server counts the conversations of a plan, but for what was read here.

    None if it cannot, or if rows do not show which of those that were read match.
    """
    return None if plan.rest and plan.vouched else plan.counted


def _changed_here(inbox: Inbox, query: Query) -> int | None:
    """How many more conversations a query has by what was read here, than by what the server knows.

    None if there are too many marks.
    """
    memo, key = inbox.refresh.counted, ("read here", query, inbox.refresh.reloads)
    if key not in memo:
        rows = _read_otherwise(inbox)
        of_server = inbox.planning.test(query.terms, is_unread=lambda row: row.is_unread)
        here = inbox.planning.test(query.terms, is_unread=lambda row: not row.is_unread)
        _note(memo, key, None if rows is None else sum(here(row) - of_server(row) for row in rows))
    return memo[key]


def _read_otherwise(inbox: Inbox) -> list[Conversation] | None:
    """Conversations that are read here and unread on the server, or the reverse."""
    memo, key = inbox.refresh.read_otherwise, inbox.refresh.reloads
    if key not in memo:
        marked = inbox.marks.marked_here(MOST_MARKS_COUNTED)
        unread = inbox.marks.unread_among(marked or ())
        memo.clear()
        memo[key] = marked and [row for row in marked if row.is_unread != (row.id in unread)]
    return memo[key]


def counted_filters(inbox: Inbox) -> list[ConversationFilter]:
    """Filters of the requests for counts of the list, the tabs and the pickers, but all counts."""
    tabs = [inbox.planning.plan_of(view.query) for view in inbox.views.all() if view.key]
    plans = [inbox.view.shown, *tabs]
    counted = [counted_filter(plan.filter) for plan in plans if is_counted(plan.filter)]
    # The first page of the shown list has its own number.
    counted += [
        counted_filter(filter) if is_counted(filter) else unsorted_filter(filter)
        for filter in map(_numbered, plans)
        if filter is not None and filter.query is not None and filter != plans[0].filter
    ]
    if inbox.all_counts is not None and inbox.all_counts.by_assignee is not None:
        queries = (_without(inbox.view.query, kind) for kind in TALLIED)
        filters = (_filter_counted(inbox, query) for query in queries)
        counted += [narrowed_filter(filter) for filter in filters if filter is not None]
    return [filter for filter in dict.fromkeys(counted) if filter != EVERY]


def count_of(inbox: Inbox, query: Query) -> int | None:
    """Number of conversations of a query: the server's, or that of a complete list.

    Of a query by what is unread, the latter comes first: the server does not know what was read
    here, and what is known here of other conversations may be old.
    """
    if inbox.planning.why_nothing(query):
        return None
    plan = inbox.planning.plan_of(query)
    number = None if plan.rest else _counted_of(inbox, plan.filter)
    if number is not None:
        return number if isinstance(number, AtLeast) else number - _hidden_among(inbox, query)
    loaded, filter = _count_loaded(inbox, query, plan), _numbered(plan)
    if loaded is not None or filter is None or not plan.rest:
        return loaded
    number = _counted_of(inbox, filter)
    return None if number is None else _put_right(inbox, query, number)


def _count_loaded(inbox: Inbox, query: Query, plan: QueryPlan) -> int | None:
    """Number of the conversations of a query that are loaded; None unless they are all."""
    if inbox.planning.lacks_me(plan):
        return None
    if inbox.all_counts is None and not inbox.cached.capabilities.lacking("counts"):
        # The server's answer is awaited; rows of an inbox that is being filled are a part.
        return None
    view = inbox.view
    if plan == view.wanted and view.scan is not None:
        return view.scan.matches if view.complete else None
    known = inbox.planning.known_rows(query)
    filters = dict.fromkeys((plan.filter, unsorted_filter(plan.filter)))
    counted = (_count_rows(inbox, plan._replace(filter=filter), known) for filter in filters)
    return next((number for number in counted if number is not None), None)


def hidden_rows(inbox: Inbox, query: Query) -> list[Conversation]:
    """Conversations that are hidden on this computer, where the list of a query leaves them out."""
    hidden = inbox.planning.hidden_in(query.terms)
    return list(inbox.cached.conversations_by_id(hidden).values()) if hidden else []


def _hidden_among(inbox: Inbox, query: Query) -> int:
    """Number of conversations of a query that are hidden on this computer, which no list shows."""
    rows = hidden_rows(inbox, query)
    return sum(map(inbox.planning.test(query.terms), rows)) if rows else 0


def note_tallies(inbox: Inbox) -> None:
    """Note the numbers of the view's conversations by the values of each kind of `TALLIED`.

    Whatever of the kind the view has; see `counts_by`. They are the server's, else those of the
    rows. Not when a picker is opened: a key waits for no rows.
    """
    view, rows = inbox.view, dict[Query, list[Conversation] | None]()
    view.tallies = {}
    for kind, values_of in TALLIED.items():
        query = _without(view.query, kind)
        numbers = _counted_by(inbox, query, kind)
        if numbers is None:
            if query not in rows:
                rows[query] = _whole_rows(inbox, query)
            counted = rows[query]
            if counted is None:
                continue
            numbers = Counter(value for row in counted for value in values_of(row))
        view.tallies[kind] = numbers


def count_with(inbox: Inbox, kind: str, value: str) -> int | None:
    """Number of the view's conversations with another value of a kind; None if it is not known.

    As it was last counted: rows are not looked at. value: a status, a word for assignees, the id
    of a user or channel, or the title of a label.
    """
    numbers = inbox.view.tallies.get(kind)
    number = None if numbers is None else _tallied(inbox, numbers, kind, value)
    if number is not None or inbox.view.shown.rest:
        return number
    others = inbox.planning.plan_of(_without(inbox.view.query, kind)).filter
    if numbers is None:
        numbers = counts_by(_cached_counts(inbox, narrowed_filter(others)), others, kind)
        number = None if numbers is None else _tallied(inbox, numbers, kind, value)
    if number is not None:
        return number
    changed = others.model_copy(update={MEMBERS[kind]: value})
    return count_for(counts_of(inbox, changed), changed)


def _tallied(inbox: Inbox, numbers: Mapping[str, int], kind: str, value: str) -> int | None:
    """Number of a value, as `TALLIED` has it; None of "me" if that is nobody known."""
    match kind, value:
        case "assignee", "me":
            me = inbox.planning.names.me
            return numbers.get(me, 0) if me else None
        case "assignee", "unassigned":
            return numbers.get("", 0)
        case "assignee", "assigned":
            return sum(number for id, number in numbers.items() if id)
    return numbers.get(value.casefold() if kind == LABEL else value, 0)


def _counted_by(inbox: Inbox, query: Query, kind: str) -> Mapping[str, int] | None:
    """Numbers of a query by value that came with the view's counts, see `counted_filters`."""
    filter = _filter_counted(inbox, query)
    if filter is None:
        return None
    return counts_by(_cached_counts(inbox, narrowed_filter(filter)), filter, kind)


def _filter_counted(inbox: Inbox, query: Query) -> ConversationFilter | None:
    """Filter that a query means; None if there are no counts of it, or of all of it."""
    plan = inbox.planning.plan_of(query)
    if plan.rest or inbox.planning.why_nothing(query) or not is_counted(plan.filter):
        return None
    return plan.filter


def _without(query: Query, kind: str) -> Query:
    """The query without what another value of a kind replaces; labels that are excluded stay."""
    excludes = kind == LABEL
    terms = (term for term in query.terms if term.kind != kind or (excludes and term.negated))
    return Query(tuple(terms))


# Kinds of terms whose values are counted, with the values that a conversation has.
TALLIED: Mapping[str, Callable[[Conversation], Iterable[str]]] = MappingProxyType(
    {
        STATUS: lambda row: (row.status,),
        ASSIGNEE: lambda row: (row.assignee.id if row.assignee else "",),
        CHANNEL: lambda row: (row.channel.id,),
        LABEL: lambda row: map(str.casefold, row.labels),
    }
)


def _whole_rows(inbox: Inbox, query: Query) -> list[Conversation] | None:
    """Conversations of a query; None unless all are loaded, and not too many."""
    plan = inbox.planning.plan_of(query)
    listing = inbox.cached.conversations(plan.filter)
    if not (_is_whole(inbox, plan, listing) and len(listing) <= MOST_ROWS_TALLIED):
        return None
    rows = [listing[at] for at in range(len(listing))]
    hidden = inbox.planning.hidden_in(query.terms)
    matches = inbox.planning.matcher(plan.rest) if plan.rest else lambda row: True
    return [row for row in rows if row.id not in hidden and matches(row)]


def _is_whole(inbox: Inbox, plan: QueryPlan, listing: CachedList) -> bool:
    """True if all rows of a plan's list are loaded, as far as the server has counted them."""
    total = _counted_of(inbox, plan.filter)
    return listing.complete and (isinstance(total, AtLeast) or total in (None, len(listing)))


def _count_rows(inbox: Inbox, plan: QueryPlan, known: Sequence[Conversation]) -> int | None:
    """Number of the cached rows that match; None if others may match, or they are too many."""
    listing = inbox.cached.conversations(plan.filter)
    complete = _is_whole(inbox, plan, listing)
    if not plan.limits and not (complete and len(listing) <= MOST_ROWS_COUNTED):
        return None
    now, memo = inbox.clock.server_now().replace(second=0, microsecond=0), inbox.refresh.counted
    of = (plan, inbox.planning.names.me, listing.fetched_at, listing.extent, complete, now)
    counted = (*of, *(row.id for row in known), frozenset(inbox.planning.hidden))
    if counted not in memo:
        scan = Scan(listing, plan, inbox.planning.matcher(plan.rest), now, known=known)
        scan.step(MOST_ROWS_COUNTED)
        whole = scan.ended or (complete and scan.looked_at == len(listing))
        _note(memo, counted, scan.matches if whole else None)
    return memo[counted]


def _note(memo: dict[object, int | None], key: object, number: int | None) -> None:
    for oldest in list(memo)[:-MOST_VIEWS_COUNTED]:
        del memo[oldest]
    memo[key] = number
