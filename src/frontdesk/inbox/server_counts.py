"""Numbers of conversations in the server's answer to a request for counts."""

from collections import Counter
from collections.abc import Mapping

from frontdesk.query.language import ASSIGNEE, LABEL
from frontdesk.wire import ConversationFilter, Counts, CountSet
from frontdesk.wire.queries import ASSIGNEE_WORDS, LATER
from frontdesk.wire.values import STATUSES


def counted_filter(filter: ConversationFilter) -> ConversationFilter:
    """Filter of the request for counts, whose answer has all statuses and assignees."""
    return ConversationFilter(channel=filter.channel, label=filter.label)


def count_for(counts: Counts | None, filter: ConversationFilter) -> int | None:
    """Number of conversations of a filter; None if the counts do not contain it."""
    if counts is None or filter.contact is not None or filter.unread is not None:
        return None
    if LATER & filter.parameters().keys():
        return None
    if filter.assignee is not None and filter.assignee not in ASSIGNEE_WORDS:
        anyone = filter.model_copy(update={"assignee": None})
        owned = counts_by(counts, anyone, ASSIGNEE)
        return None if owned is None else owned.get(filter.assignee, 0)
    if counts.by_status is None:
        return getattr(counts, _flat_count(filter), None)
    sets = [getattr(counts.by_status, filter.status)] if filter.status in STATUSES else None
    if sets is None:
        sets = [getattr(counts.by_status, status) for status in STATUSES]
    numbers = [_count_in(count_set, filter) for count_set in sets]
    return None if None in numbers else sum(number or 0 for number in numbers)


def counts_by(
    counts: Counts | None, filter: ConversationFilter, kind: str
) -> Mapping[str, int] | None:
    """Numbers of a filter by assignee (id of a user) or by label (casefolded title).

    The values that have none are left out. None if the counts do not contain them.
    """
    named = filter.parameters().keys() <= {"status", "channel", "label", "sort"}
    if counts is None or not named or filter.status not in (None, *STATUSES):
        return None
    status = filter.status or "all"
    numbers = Counter[str]()
    if kind == ASSIGNEE and counts.by_assignee is not None:
        for one in counts.by_assignee:
            numbers[one.assignee or ""] += getattr(one, status)
    elif kind == LABEL and counts.by_label is not None and filter.label is None:
        for each in counts.by_label:
            numbers[each.label.casefold()] += getattr(each, status)
    else:
        return None
    return numbers


def _flat_count(filter: ConversationFilter) -> str:
    """Name of the count in a response without counts by assignee; "" if there is none."""
    if filter.assignee is not None or filter.awaiting_human is not None:
        return ""
    return filter.status or "all"


def _count_in(counts: CountSet, filter: ConversationFilter) -> int | None:
    if filter.awaiting_human is not None:
        alone = filter.awaiting_human and filter.assignee is None
        return counts.awaiting_human if alone else None
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
