"""Numbers of conversations in the server's answer to a request for counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from frontdesk.query import Query
from frontdesk.query.plan import asked_terms, is_counted, statuses_of
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, STATUS
from frontdesk.wire import (
    AssigneeCounts,
    ChannelCounts,
    ConversationFilter,
    Counts,
    CountSet,
    LabelCounts,
)
from frontdesk.wire.queries import ASSIGNEE_WORDS
from frontdesk.wire.values import STATUSES

# Conversations of one value.
ValueCounts = AssigneeCounts | ChannelCounts | LabelCounts


def narrowed_filter(filter: ConversationFilter) -> ConversationFilter:
    """Filter of the request for counts of a filter's conversations by value, in every status."""
    terms = (term for term in asked_terms(filter) if term.kind != STATUS)
    query = str(Query.of(*terms)) or None
    return filter.model_copy(update={"status": None, "sort": None, "query": query})


def counted_filter(filter: ConversationFilter) -> ConversationFilter:
    """Filter of the request for counts whose answer has the number of a filter.

    Counts of any assignee have those of each, of those who need a human, and of the unread ones.
    """
    if _needs_own_counts(filter) and not _is_open_unread(filter):
        return narrowed_filter(filter)
    return ConversationFilter(channel=filter.channel, label=filter.label)


def _is_open_unread(filter: ConversationFilter) -> bool:
    """True for the open conversations with unread messages, of a channel and a label."""
    terms = ["unread"] if filter.unread else []
    others = filter.parameters().keys() - {"status", "channel", "label", "unread", "query", "sort"}
    is_unread = [*terms, *map(str, asked_terms(filter))] == ["unread"]
    return filter.status == "open" and not others and is_unread


def _needs_own_counts(filter: ConversationFilter) -> bool:
    one = filter.assignee is not None and filter.awaiting_human is not None
    return one or any(term.kind != STATUS for term in asked_terms(filter))


def count_for(counts: Counts | None, filter: ConversationFilter) -> int | None:
    """Number of conversations of a filter; None if the counts do not contain it.

    counts: the answer to a request for its `counted_filter`.
    """
    if counts is not None and _is_open_unread(filter):
        return counts.unread
    if counts is None or not is_counted(filter):
        return None
    names = _names(filter)
    if _needs_own_counts(filter):
        return _sum(getattr(counts, name) for name in names)
    if filter.assignee is not None and filter.assignee not in ASSIGNEE_WORDS:
        anyone = filter.model_copy(update={"assignee": None})
        owned = counts_by(counts, anyone, ASSIGNEE)
        return None if owned is None else owned.get(filter.assignee, 0)
    if counts.by_status is None:
        # Flat counts have no assignees.
        is_plain = filter.assignee is None and filter.awaiting_human is None
        return _sum(getattr(counts, name) for name in names) if is_plain else None
    sets = [getattr(counts.by_status, name) for name in statuses_of(filter)]
    return _sum(_count_in(count_set, filter) for count_set in sets)


def counts_by(
    counts: Counts | None, filter: ConversationFilter, kind: str
) -> Mapping[str, int] | None:
    """Numbers of a filter by the values of a kind of term, of which it has none itself.

    By status, by the id of a channel or user ("" for nobody), or by the casefolded title of a
    label. Other values may be left out if they have none. None if the counts do not contain them.

    counts: the answer to a request for its `narrowed_filter`.
    """
    if counts is None or not is_counted(filter):
        return None
    if kind == STATUS:
        numbers = {status: getattr(counts, status) for status in STATUSES}
        return None if None in numbers.values() else numbers
    rows = _valued(counts, kind)
    if rows is None or (kind == LABEL and filter.label is not None):
        return None
    names = _names(filter)
    found = Counter[str]()
    for value, row in rows:
        number = _sum(getattr(row, name) for name in names)
        if number is None:
            return None
        found[value] += number
    return found


def _valued(counts: Counts, kind: str) -> Sequence[tuple[str, ValueCounts]] | None:
    """Counts by the values of a kind; None if there are none of that kind."""
    if kind == CHANNEL and counts.by_channel:
        return [(one.channel, one) for one in counts.by_channel]
    if kind == ASSIGNEE and counts.by_assignee is not None:
        return [(one.assignee or "", one) for one in counts.by_assignee]
    if kind == LABEL and counts.by_label is not None:
        return [(one.label.casefold(), one) for one in counts.by_label]
    return None


def _names(filter: ConversationFilter) -> Sequence[str]:
    """Members of counts that have the conversations of a filter, one or several."""
    statuses = statuses_of(filter)
    return ("all",) if len(statuses) == len(STATUSES) else statuses


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Sum of numbers; None if one is not known."""
    known = [*numbers]
    return None if None in known else sum(number or 0 for number in known)


def _count_in(counts: CountSet, filter: ConversationFilter) -> int | None:
    if filter.awaiting_human is not None:
        return counts.awaiting_human if filter.awaiting_human else None
    match filter.assignee:
        case None:
            return counts.all
        case "me":
            return counts.mine
        case "unassigned":
            return counts.unassigned
        case "assigned":
            return counts.assigned
    return None
