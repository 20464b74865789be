"""Splits a query into the server's filter and terms that are applied to loaded rows; sorts rows."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from frontdesk.query import dates
from frontdesk.query.language import (
    ASSIGNED,
    DATED,
    HIDDEN,
    ID,
    ME,
    UNASSIGNED,
    WORDS_OF,
    Query,
    Term,
    analyse,
    comparison,
    is_duration,
    is_positive,
)
from frontdesk.query.names import (
    QueryNames,
    alternatives,
    contact_id,
    field_key,
    is_contact,
    meaning,
    reference,
)
from frontdesk.query.terms import (
    ACTIVE,
    ASSIGNEE,
    AUTHOR,
    CHANNEL,
    CONTACT,
    CREATED,
    FIELD,
    FOLLOW_UP,
    HOURS,
    KINDS,
    LABEL,
    NEEDS,
    NEWEST,
    SORT,
    STATUS,
    TEAM,
    UNREAD,
    WAITING,
    WINDOW,
    WORDS,
)
from frontdesk.text.clean import folded
from frontdesk.text.phones import phone_pattern
from frontdesk.wire import Conversation, ConversationFilter
from frontdesk.wire.queries import (
    EXTENSIONS,
    LATER_ORDERS,
    MOST_QUERY_CHARACTERS,
    MOST_QUERY_TERMS,
    MOST_VALUES,
    SORT_LATER,
)
from frontdesk.wire.values import STATUSES

STANDARD = frozenset({"status", "assignee", "channel", "label"})
ALL_FILTERS = STANDARD | EXTENSIONS
_SERVER_ORDERS = (WAITING, WINDOW)

# The server takes reply windows as open until the minute after that in which they close.
_JUST_CLOSED = timedelta(minutes=2)

_MOST_DIGITS = 18


class QueryPlan(NamedTuple):
    """Parts of a query by where they are applied.

    rest: terms for loaded rows. order: order of the rows to show. asked: terms that the server
    answers as such, in `filter.query`. counted: filter by which it counts the whole query, but for
    what was read on this computer; None if it cannot.
    """

    filter: ConversationFilter
    rest: tuple[Term, ...] = ()
    order: str = NEWEST
    asked: tuple[Term, ...] = ()
    counted: ConversationFilter | None = None

    @property
    def hidden(self) -> tuple[Term, ...]:
        """Terms of the rest that no row shows: the query cannot be answered."""
        return tuple(term for term in self.rest if term.kind in HIDDEN)

    @property
    def vouched(self) -> tuple[Term, ...]:
        """Terms for which the server vouches, as a row does not show all that they look at."""
        return tuple(term for term in self.asked if term.kind in (*IN_PART, *HIDDEN))

    @property
    def exact(self) -> bool:
        """True if the server's list is the answer: no term is left, and the order is its own."""
        return not self.rest and self.is_sorted

    @property
    def narrowed(self) -> bool:
        """True if the server's list is the answer but for what was read on this computer."""
        return self.is_sorted and self.counted is not None

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


def plan(
    query: Query,
    names: QueryNames,
    offered: Collection[str] = STANDARD,
    now: datetime | None = None,
) -> QueryPlan:
    """Split a query. offered: members of `ConversationFilter` that the server answers.

    now: the server's time in the reader's zone, for days; None leaves them to the rows.
    """
    members: dict[str, Any] = {}
    rest: list[Term] = []
    asked: dict[Term, str] = {}
    # What is found here is tested here.
    of_rows = IN_PART if any(is_positive(term, FOLLOW_UP) for term in query.terms) else ()
    for term in query.filters:
        name, value = _member(_single(term, names), names)
        is_member = value is not None and name in offered and name not in members
        if is_member:
            members[name] = value
        elif (
            "query" in offered
            and term.kind not in of_rows
            and (text := _asked(term, names, now)) is not None
        ):
            asked[term] = text
        else:
            rest.append(term)
        if is_member and term.kind == UNREAD:
            # What was read on this computer is unread on the server.
            rest.append(term)
    if not _is_taken(asked.values()):
        return plan(query, names, frozenset(offered) - {"query"}, now)
    sort = _server_order(query.order, rest, offered)
    filter = ConversationFilter(**members, query=" ".join(asked.values()) or None, sort=sort)
    counted = _counted(filter, rest, asked, offered)
    return QueryPlan(filter, tuple(rest), query.order, tuple(asked), counted)


def _counted(
    filter: ConversationFilter,
    rest: Sequence[Term],
    asked: Mapping[Term, str],
    offered: Collection[str],
) -> ConversationFilter | None:
    """Filter that counts the rows of another one which match the rest of a query, if it can be."""
    if not rest or any(term.kind != UNREAD for term in rest):
        return None if rest else filter
    terms = (*asked.values(), *map(str, rest))
    if "query" in offered and _is_taken(terms):
        return filter.model_copy(update={"unread": None, "query": " ".join(terms)})
    return filter if filter.unread else None


def _is_taken(terms: Collection[str]) -> bool:
    """True if a server takes so many terms as one query."""
    return len(terms) <= MOST_QUERY_TERMS and len(" ".join(terms)) <= MOST_QUERY_CHARACTERS


# Kinds of which a row shows a part.
IN_PART = (CONTACT, WORDS)


def _asked(term: Term, names: QueryNames, now: datetime | None) -> str | None:
    """A term as a server reads it: ids for names, times for days. None if it does not know it."""
    # What was read on this computer is unread on the server.
    if KINDS[term.kind].local or term.kind == UNREAD:
        return None
    if term.kind == FIELD:
        key = field_key(term.key, names)
        values = tuple(dates.absolute(value, now.date()) if now else value for value in term.values)
        return None if key is None else str(_with_values(term._replace(key=key), values))
    if term.kind in DATED and not is_duration(term.value):
        times = "" if now is None else _instants(term.value, now)
        return str(term._replace(value=times)) if times.strip(dates.RANGE) else None
    every = [_asked_value(one, names) for one in alternatives(term, names)]
    # However they are written, it is one list.
    known = sorted({value for each in every for value in each or ()})
    fits = None not in every and 0 < len(known) <= MOST_VALUES
    return str(Term.any_of(term.kind, known, negated=term.negated)) if fits else None


def _asked_value(term: Term, names: QueryNames) -> Sequence[str] | None:
    """Values for a server of a term of one value; None if it names what is not known here."""
    if term.kind == CONTACT:
        id = contact_id(term.value, names)
        return (term.value,) if id is None else (f"{ID}{id}",)
    if term.kind == LABEL:
        titles = meaning(term, names)
        return (term.value,) if titles is None else sorted(titles)
    is_name = term.kind in (ASSIGNEE, AUTHOR, CHANNEL, TEAM)
    if not is_name or term.value in WORDS_OF.get(term.kind, ()):
        return (term.value,)
    ids = meaning(term, names)
    if ids is None and term.kind in (AUTHOR, TEAM):
        # Rows do not show them: the server says what the key may not list.
        return (term.value,)
    return None if ids is None else [f"{ID}{id}" for id in sorted(ids)]


def _with_values(term: Term, values: Sequence[str]) -> Term:
    return term._replace(value=values[0], others=tuple(values[1:]))


def _instants(days: str, now: datetime) -> str:
    """Days as times, which mean the same in every zone; one that no clock can say is no end."""
    ends = (moment and _instant(moment) for moment in dates.moments(days, now))
    return dates.RANGE.join(end or "" for end in ends)


def cannot(plan: QueryPlan) -> str:
    """Sentence on terms that the server does not answer; "" if there are none."""
    if not plan.hidden:
        return ""
    terms = " and ".join(map(str, plan.hidden))
    return f"This server cannot filter by {terms}."


def _single(term: Term, names: QueryNames) -> Term:
    """The term itself, or with one value if its several are a name with commas."""
    ways = alternatives(term, names)
    return ways[0] if len(ways) == 1 else term


def _server_order(order: str, rest: Iterable[Term], offered: Collection[str]) -> str | None:
    """Order in which the server's list is read; None for its own.

    A list in the order of a time that the rest of a query limits begins with the rows that match.
    """
    if "sort" not in offered:
        return None
    if order in _SERVER_ORDERS or (order in LATER_ORDERS and SORT_LATER in offered):
        return order
    kinds = (term.kind for term in rest if not term.negated)
    return next((kind for kind in kinds if kind in _SERVER_ORDERS), None)


def _member(term: Term, names: QueryNames) -> tuple[str, str | bool | None]:
    """Name and value of the member of the filter that a term means; value None without one."""
    name = "" if term.negated or term.others else MEMBERS.get(term.kind, "")
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


def _instant(moment: datetime) -> str:
    """A time for the server; "" if it is outside of what UTC can say, where nothing happened."""
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:
        return ""
    return f"{utc.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


# Members of the filter, by the kind of a term.
MEMBERS: Mapping[str, str] = MappingProxyType(
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


@lru_cache(maxsize=1_000)
def asked_terms(filter: ConversationFilter) -> tuple[Term, ...]:
    """Terms that a filter asks for as such."""
    return analyse(filter.query or "")[0].terms


def statuses_of(filter: ConversationFilter) -> tuple[str, ...]:
    """Statuses that conversations of a filter may have."""
    terms = [term for term in asked_terms(filter) if term.kind == STATUS]
    return tuple(
        status
        for status in STATUSES
        if filter.status in (None, status)
        and all((status in term.values) != term.negated for term in terms)
    )


def is_counted(filter: ConversationFilter) -> bool:
    """True for a filter by nothing but what counters are kept by."""
    terms, members = asked_terms(filter), filter.parameters().keys()
    return (
        members <= _COUNTED
        and filter.status in (None, *STATUSES)
        and not Query(terms).uncounted
        # A second label is no cell, and no query has two assignees.
        and not any(
            is_positive(term, kind) and MEMBERS[kind] in members
            for term in terms
            for kind in (ASSIGNEE, LABEL)
        )
    )


_COUNTED = frozenset({*STANDARD, "awaiting_human", "query", "sort"})


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

    is_unread: see `unread`; is_follow_up: see `is:followup`. is_answered: the server has tested
    what no row shows; otherwise nothing matches such a term. saying: ids of the conversations of
    which a message has a text, as far as is known here.
    """

    def __init__(
        self,
        terms: Iterable[Term],
        names: QueryNames,
        now: datetime,
        is_unread: Test = lambda row: row.is_unread,
        is_follow_up: Test = lambda row: False,
        *,
        is_answered: bool = False,
        saying: Callable[[str], Collection[str]] = lambda text: (),
    ) -> None:
        self._saying = saying
        self._names, self._now = names, now
        self._is_unread, self._is_follow_up = is_unread, is_follow_up
        terms = tuple(terms)
        self._spans = _SPANS
        if any(term.kind == HOURS for term in terms):
            self._spans = MappingProxyType({**_SPANS, WAITING: _business_waiting(names)})
        shown = (term for term in terms if term.kind not in (SORT, HOURS, *HIDDEN))
        self._tests = [(self._test(term), term.negated) for term in shown]
        if not is_answered and any(term.kind in HIDDEN for term in terms):
            self._tests = [(lambda row: False, False)]

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
            TEAM: self._team,
            CHANNEL: self._channel,
            LABEL: self._label,
            CONTACT: self._contact,
            NEEDS: lambda term: lambda row: bool(row.awaiting_human),
            UNREAD: lambda term: self._is_unread,
            FOLLOW_UP: lambda term: self._is_follow_up,
        }
        if term.kind in DATED and not is_duration(term.value):
            return self._dated(term)
        if term.kind in self._spans:
            return self._duration(term)
        return makers.get(term.kind, self._words)(term)

    def _assignee(self, term: Term) -> Test:
        if term.value in (UNASSIGNED, ASSIGNED):
            return lambda row: (row.assignee is None) == (term.value == UNASSIGNED)
        ids, text = meaning(term, self._names), folded(term.value)
        if ids is not None:
            return lambda row: row.assignee is not None and row.assignee.id in ids
        if term.value == ME:
            return lambda row: False
        return lambda row: row.assignee is not None and text in folded(row.assignee.name)

    def _team(self, term: Term) -> Test:
        ids = meaning(term, self._names) or ()
        teams = [self._names.teams[id] for id in ids if id in self._names.teams]
        return lambda row: any(
            row.channel.id in team.channels
            and (row.assignee is None or row.assignee.id in team.members)
            for team in teams
        )

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

    def _words(self, term: Term) -> Test:
        """A message that is here says it, or the customer or a label is called so."""
        text, saying = " ".join(folded(term.value).split()), frozenset(self._saying(term.value))

        def test(row: Conversation) -> bool:
            said = row.last_message.text if row.last_message else None
            return (
                row.id in saying
                or text in folded(said or "")
                or any(text in folded(label) for label in row.labels)
                or is_contact(term.value, row.contact)
            )

        return test

    def _label(self, term: Term) -> Test:
        title = folded(term.value)
        return lambda row: any(folded(label) == title for label in row.labels)

    def _dated(self, term: Term) -> Test:
        begin, end = dates.moments(term.value, self._now)
        moment_of = MOMENTS[term.kind]

        def test(row: Conversation) -> bool:
            moment = moment_of(row)
            if moment is None:
                # A conversation whose beginning is not told matches neither way.
                return term.negated and term.kind == CREATED
            return (begin is None or moment >= begin) and (end is None or moment < end)

        return test

    def _duration(self, term: Term) -> Test:
        sign, length = comparison(term.value)
        span = self._spans[term.kind]

        def test(row: Conversation) -> bool:
            passed = span(row, self._now)
            if passed is None:
                return False
            return passed > length if sign == ">" else passed < length

        return test


def searchable(row: Conversation) -> str:
    """Text of a row that words are searched in: name, number, last message, labels."""
    contact, preview = row.contact, row.last_message
    words = [contact.name, contact.phone, contact.username, preview.text if preview else None]
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


Span = Callable[[Conversation, datetime], timedelta | None]

_SPANS: Mapping[str, Span] = MappingProxyType({WAITING: _waiting, ACTIVE: _active, WINDOW: _window})


def _business_waiting(names: QueryNames) -> Span:
    """Wait of a conversation in the business hours of its channel."""
    # Deferred: no start needs it.
    from frontdesk.query.business_waits import BusinessWaits

    waits = BusinessWaits(names.hours)

    def waiting(row: Conversation, now: datetime) -> timedelta | None:
        since = waiting_since(row)
        return waits.between(row.channel.id, since, now) if since else None

    return waiting


def waiting_since(row: Conversation) -> datetime | None:
    """Since when the customer has had no answer; a resolved conversation does not wait."""
    return row.waiting_since_time if row.status != "resolved" else None


MOMENTS: Mapping[str, Callable[[Conversation], datetime | None]] = MappingProxyType(
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
    # Of a wait, no more than all of it is in business hours.
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
        if order == CREATED and row.created_time is not None:
            return 0, -_milliseconds(row.created_time), -number
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
