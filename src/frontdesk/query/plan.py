"""Splits a query into the server's filter and terms that are applied to loaded rows; sorts rows."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from frontdesk.query import dates
from frontdesk.query.language import (
    ACTIVE,
    ASSIGNED,
    ASSIGNEE,
    CHANNEL,
    CONTACT,
    CREATED,
    DATED,
    FOLLOW_UP,
    ID,
    LABEL,
    ME,
    NEEDS,
    NEWEST,
    SORT,
    STATUS,
    UNASSIGNED,
    UNREAD,
    WAITING,
    WINDOW,
    Query,
    Term,
    comparison,
    is_duration,
)
from frontdesk.query.names import (
    QueryNames,
    alternatives,
    contact_id,
    is_contact,
    meaning,
    reference,
)
from frontdesk.text.clean import folded
from frontdesk.text.phones import phone_pattern
from frontdesk.wire import Conversation, ConversationFilter

STANDARD = frozenset({"status", "assignee", "channel", "label"})
_SERVER_ORDERS = (WAITING, WINDOW)

# The server takes reply windows as open until the minute after that in which they close.
_JUST_CLOSED = timedelta(minutes=2)

_MOST_DIGITS = 18

# Digits that are a part of a phone number rather than any other number.
_LEAST_DIGITS = 5


class QueryPlan(NamedTuple):
    """Parts of a query by where they are applied.

    rest: terms for loaded rows. order: order of the rows to show.
    """

    filter: ConversationFilter
    rest: tuple[Term, ...] = ()
    order: str = NEWEST

    @property
    def exact(self) -> bool:
        """True if the server's list is the answer: no term is left, and the order is its own."""
        return not self.rest and self.is_sorted

    @property
    def is_sorted(self) -> bool:
        """True if the server's list has the order of the query."""
        return self.order == (self.filter.sort or NEWEST)

    def is_beyond(self, row: Conversation, now: datetime) -> bool:
        """True if no row from this one on in the server's list can match.

        That is known where the list is in the order of a time that the query limits.
        """
        return any(_is_beyond(term, row, now) for term in self.limits)

    @property
    def limits(self) -> tuple[Term, ...]:
        """Terms that no row can match from some row of the server's list on.

        They limit the time by which it is sorted, or match only rows that are known here.
        """
        by = (self.filter.sort, FOLLOW_UP) if self.filter.sort else (ACTIVE, CREATED, FOLLOW_UP)
        return tuple(term for term in self.rest if term.kind in by and not term.negated)


def plan(query: Query, names: QueryNames, offered: Collection[str] = STANDARD) -> QueryPlan:
    """Split a query. offered: members of `ConversationFilter` that the server answers."""
    members: dict[str, Any] = {}
    rest: list[Term] = []
    for term in query.filters:
        name, value = _member(_single(term, names), names)
        if value is None or name in members or name not in offered:
            rest.append(term)
            continue
        members[name] = value
        if term.kind == UNREAD:
            # What was read on this computer is unread on the server.
            rest.append(term)
    sort = _server_order(query) if "sort" in offered else None
    return QueryPlan(ConversationFilter(**members, sort=sort), tuple(rest), query.order)


def branches(
    query: Query, names: QueryNames, offered: Collection[str], most: int
) -> tuple[QueryPlan, ...]:
    """Split a query into several, at most `most`, whose lists together are those of its plan.

    A term of several values, each of which the server can filter by, becomes one of them in each
    branch. A conversation may be in more than one.
    """
    queries = [query]
    for term in query.filters:
        ways = () if term.negated else alternatives(term, names)
        if not 1 < len(ways) * len(queries) <= most or len(ways) == 1:
            continue
        split = [(one, each.without(term).with_term(one)) for each in queries for one in ways]
        if all(one not in plan(each, names, offered).rest for one, each in split):
            queries = [each for _, each in split]
    return tuple(plan(each, names, offered) for each in queries)


def _single(term: Term, names: QueryNames) -> Term:
    """The term itself, or with one value if its several are a name with commas."""
    ways = alternatives(term, names)
    return ways[0] if len(ways) == 1 else term


def _server_order(query: Query) -> str | None:
    """Order in which the server's list is read; None for its own.

    A list in the order of a time that the query limits begins with the rows that match.
    """
    kinds = (query.order, *(term.kind for term in query.filters if not term.negated))
    return next((kind for kind in kinds if kind in _SERVER_ORDERS), None)


def _member(term: Term, names: QueryNames) -> tuple[str, str | bool | None]:
    """Name and value of the `/v1` filter that a term means; value None if there is none."""
    name = "" if term.negated or term.others else _MEMBERS.get(term.kind, "")
    match name:
        case "status":
            return name, term.value
        case "assignee" if term.value in (ME, UNASSIGNED, ASSIGNED):
            return name, term.value
        case "contact":
            return name, contact_id(term.value, names)
        case "awaiting_human" | "unread":
            return name, True
    named = _only(meaning(term, names)) if name else None
    return name, named or (term.value if name == "label" else None)


_MEMBERS: Mapping[str, str] = MappingProxyType(
    {
        STATUS: "status",
        ASSIGNEE: "assignee",
        CHANNEL: "channel",
        LABEL: "label",
        CONTACT: "contact",
        NEEDS: "awaiting_human",
        UNREAD: "unread",
    }
)


def query_of(filter: ConversationFilter, names: QueryNames) -> Query:
    """Query that means a filter of the server."""
    terms = {
        STATUS: filter.status,
        ASSIGNEE: filter.assignee and _name(filter.assignee, names.users),
        CHANNEL: filter.channel and reference(filter.channel, names.channels),
        LABEL: filter.label,
        CONTACT: filter.contact and f"{ID}{filter.contact}",
    }
    return Query.of(*(Term(kind, value) for kind, value in terms.items() if value))


def _name(assignee: str, users: Mapping[str, str]) -> str:
    return assignee if assignee in (ME, UNASSIGNED, ASSIGNED) else reference(assignee, users)


def _only(ids: frozenset[str] | None) -> str | None:
    return next(iter(ids)) if ids is not None and len(ids) == 1 else None


Test = Callable[[Conversation], bool]


class Matcher:
    """Tests conversations against terms. now: the server's time.

    is_unread: see `unread`; is_follow_up: see `is:followup`.
    """

    def __init__(
        self,
        terms: Iterable[Term],
        names: QueryNames,
        now: datetime,
        is_unread: Test = lambda row: row.is_unread,
        is_follow_up: Test = lambda row: False,
    ) -> None:
        self._names, self._now = names, now
        self._is_unread, self._is_follow_up = is_unread, is_follow_up
        self._tests = [(self._test(term), term.negated) for term in terms if term.kind != SORT]

    def __call__(self, row: Conversation) -> bool:
        """True if a conversation matches all terms."""
        return all(test(row) != negated for test, negated in self._tests)

    def _test(self, term: Term) -> Test:
        ways = alternatives(term, self._names)
        if len(ways) == 1:
            return self._single_test(ways[0])
        tests = [self._single_test(one) for one in ways]
        return lambda row: any(test(row) for test in tests)

    def _single_test(self, term: Term) -> Test:
        makers: Mapping[str, Callable[[Term], Test]] = {
            STATUS: lambda term: lambda row: row.status == term.value,
            ASSIGNEE: self._assignee,
            CHANNEL: self._channel,
            LABEL: self._label,
            CONTACT: self._contact,
            NEEDS: lambda term: lambda row: bool(row.awaiting_human),
            UNREAD: lambda term: self._is_unread,
            FOLLOW_UP: lambda term: self._is_follow_up,
        }
        if term.kind in DATED and not is_duration(term.value):
            return self._dated(term)
        if term.kind in _SPANS:
            return self._duration(term)
        return makers.get(term.kind, _words)(term)

    def _assignee(self, term: Term) -> Test:
        if term.value in (UNASSIGNED, ASSIGNED):
            return lambda row: (row.assignee is None) == (term.value == UNASSIGNED)
        ids, text = meaning(term, self._names), folded(term.value)
        if ids is not None:
            return lambda row: row.assignee is not None and row.assignee.id in ids
        if term.value == ME:
            return lambda row: False
        return lambda row: row.assignee is not None and text in folded(row.assignee.name)

    def _contact(self, term: Term) -> Test:
        id = contact_id(term.value, self._names)
        if id is not None:
            return lambda row: row.contact.id == id
        return lambda row: is_contact(term.value, row.contact)

    def _channel(self, term: Term) -> Test:
        ids, text = meaning(term, self._names), folded(term.value)
        if ids is not None:
            return lambda row: row.channel.id in ids
        number = phone_pattern(term.value)
        if number is not None:
            return lambda row: number.matches(row.channel.phone)
        return lambda row: text in folded(row.channel.name or "")

    def _label(self, term: Term) -> Test:
        title = folded(term.value)
        return lambda row: any(folded(label) == title for label in row.labels)

    def _dated(self, term: Term) -> Test:
        begin, end = dates.moments(term.value, self._now)
        moment_of = _MOMENTS[term.kind]

        def test(row: Conversation) -> bool:
            moment = moment_of(row)
            if moment is None:
                return False
            return (begin is None or moment >= begin) and (end is None or moment < end)

        return test

    def _duration(self, term: Term) -> Test:
        sign, length = comparison(term.value)
        span = _SPANS[term.kind]

        def test(row: Conversation) -> bool:
            passed = span(row, self._now)
            if passed is None:
                return False
            return passed > length if sign == ">" else passed < length

        return test


def _words(term: Term) -> Test:
    text, number = folded(term.value), phone_pattern(term.value)
    if number is None or len(number.text) < _LEAST_DIGITS:
        return lambda row: text in folded(searchable(row))
    return lambda row: number.matches(row.contact.phone) or text in folded(searchable(row))


def searchable(row: Conversation) -> str:
    """Text of a row that words are searched in: name, number, last message, labels."""
    contact, preview = row.contact, row.last_message
    words = [contact.name, contact.phone, preview.text if preview else None]
    return " ".join([*(word for word in words if word), *row.labels])


def _waiting(row: Conversation, now: datetime) -> timedelta | None:
    since = waiting_since(row)
    return now - since if since else None


def _active(row: Conversation, now: datetime) -> timedelta | None:
    last = row.last_activity_time
    return now - last if last else None


def _window(row: Conversation, now: datetime) -> timedelta | None:
    ends = row.service_window_expires_time
    return ends - now if ends and ends > now else None


_SPANS: Mapping[str, Callable[[Conversation, datetime], timedelta | None]] = MappingProxyType(
    {WAITING: _waiting, ACTIVE: _active, WINDOW: _window}
)


def waiting_since(row: Conversation) -> datetime | None:
    """Since when the customer has had no answer; a resolved conversation does not wait."""
    return row.waiting_since_time if row.status != "resolved" else None


_MOMENTS: Mapping[str, Callable[[Conversation], datetime | None]] = MappingProxyType(
    {
        WAITING: waiting_since,
        ACTIVE: lambda row: row.last_activity_time,
        CREATED: lambda row: row.created_time,
    }
)


def _is_beyond(term: Term, row: Conversation, now: datetime) -> bool:
    if term.kind == FOLLOW_UP:
        return True
    if term.kind in DATED and not is_duration(term.value):
        return _is_beyond_days(term, row, now)
    sign, length = comparison(term.value)
    if term.kind == WINDOW:
        ends = row.service_window_expires_time
        return ends is None or ends < now - _JUST_CLOSED or (sign == "<" and ends - now >= length)
    passed = _SPANS[term.kind](row, now)
    if passed is None:
        return True
    if term.kind == WAITING:
        return sign == ">" and passed <= length
    return sign == "<" and passed >= length


def _is_beyond_days(term: Term, row: Conversation, now: datetime) -> bool:
    """`_is_beyond` for days. No conversation was created after it was active last."""
    begin, end = dates.moments(term.value, now)
    if term.kind == WAITING:
        since = waiting_since(row)
        return since is None or (end is not None and since >= end)
    active = row.last_activity_time
    return active is not None and begin is not None and active < begin


# Rows of a group, in the order of its time, then of the number of the row.
SortKey = tuple[int, int, int]


def sort_key(order: str, now: datetime) -> Callable[[Conversation], SortKey]:
    """Key by which rows of an order are sorted, ascending, as the server sorts them.

    Rows without the time come last, the latest activity first.
    """

    def key(row: Conversation) -> SortKey:
        moment = _moment(row, order, now)
        number = int(row.id) if len(row.id) <= _MOST_DIGITS and row.id.isdecimal() else 0
        if moment is None:
            return 1, -_milliseconds(row.last_activity_time), -number
        return 0, _milliseconds(moment), number

    return key


def _moment(row: Conversation, order: str, now: datetime) -> datetime | None:
    """Time by which a row is sorted, earliest first; None if it is sorted by latest activity."""
    match order:
        case "waiting":
            return waiting_since(row)
        case "window":
            ends = row.service_window_expires_time
            return ends if ends and ends > now else None
        case "oldest":
            return row.last_activity_time
    return None


def _milliseconds(moment: datetime | None) -> int:
    return round(moment.timestamp() * 1000) if moment else 0


def closed_windows(rows: Sequence[Conversation], now: datetime) -> int:
    """Position in a page by reply windows of the first row whose window is closed.

    A window that has just closed is recognised by its place: it closed before that of the row
    above. now: the server's time, to some seconds.
    """
    last: datetime | None = None
    for position, row in enumerate(rows):
        ends = row.service_window_expires_time
        if ends is None or ends < now - _JUST_CLOSED or (last is not None and ends < last):
            return position
        last = ends
    return len(rows)
