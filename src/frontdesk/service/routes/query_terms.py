"""Parameter `query`: the query language, with a condition for each of its terms.

The keys of `_MAKERS` are those of `query.terms.TABLE`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal, NamedTuple

from frontdesk.query import dates
from frontdesk.query.language import (
    AI,
    ASSIGNED,
    ID,
    ME,
    PHONE,
    UNASSIGNED,
    WORDS_OF,
    Query,
    Term,
    analyse,
    comparison,
    is_duration,
    is_positive,
)
from frontdesk.query.masked import refusal
from frontdesk.query.names import (
    FieldNames,
    QueryNames,
    TeamNames,
    alternatives,
    field_key,
    is_handle,
    meaning,
    unknown_name,
)
from frontdesk.query.terms import (
    ACTIVE,
    AD,
    ASSIGNEE,
    AUTHOR,
    CHANNEL,
    CONTACT,
    CONTENTS,
    COUNTED_OVERVIEW,
    CREATED,
    FIELD,
    HAS,
    HOURS,
    KINDS,
    LABEL,
    NEEDS,
    NEWEST,
    SAID,
    SENT,
    SORT,
    STATUS,
    TEAM,
    UNREAD,
    WAITING,
    WINDOW,
    WORDS,
)
from frontdesk.service import masking, serializers
from frontdesk.service.api_keys import MEDIA_SCOPE
from frontdesk.service.business_time import BusinessTime
from frontdesk.service.calendar_buckets import zone_of
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import row_id
from frontdesk.service.problems import lacking
from frontdesk.service.routes import filters
from frontdesk.store import ads, catalogues, conversations, message_search, reports
from frontdesk.store.business_hours import hours_of
from frontdesk.store.catalogues import CatalogueTable
from frontdesk.store.contacts import (
    contact_by_phone,
    contact_by_user_id,
    label_key,
    named_contacts,
)
from frontdesk.store.conversation_conditions import Condition, FromAd, HasField, TimeSpan, WrittenBy
from frontdesk.store.database import Row
from frontdesk.store.query_conditions import (
    AnyOf,
    HasContent,
    HasFileText,
    HasNote,
    OfContacts,
    OfCustomer,
    Placed,
    Says,
    SentIn,
)
from frontdesk.store.rows import FILE, OWN
from frontdesk.text import custom_fields
from frontdesk.text.clean import folded, one_line
from frontdesk.text.phones import is_user_id, phone_pattern
from frontdesk.text.search import Terms, contact_words
from frontdesk.wire.queries import MOST_QUERY_CHARACTERS, MOST_QUERY_TERMS
from frontdesk.wire.values import STATUSES

# What a key needs to name one of these; their ids it may have without.
_NAME_SCOPES: Mapping[str, str] = MappingProxyType(
    {
        ASSIGNEE: "users:read",
        AUTHOR: "users:read",
        TEAM: "teams:read",
        CHANNEL: "channels:read",
    }
)
_COLUMNS: Mapping[
    str, Literal["created_at", "last_activity_at", "waiting_since", "last_inbound_at"]
] = MappingProxyType(
    {
        WAITING: "waiting_since",
        ACTIVE: "last_activity_at",
        WINDOW: "last_inbound_at",
        CREATED: "created_at",
    }
)
_COUNTED = (
    f"counts take {COUNTED_OVERVIEW}, and of labels one that is not excluded; the first page of"
    " the list has the number of others as `total`"
)
_LINK = Terms((("http://", "https://", "www."),))


class AskedQuery(NamedTuple):
    """A query as a server reads it.

    sort: its order, None where it has none. remark: sentence on where its words are not looked for.
    words: each one is enough, for the messages to show beside conversations; None without any.
    """

    conditions: tuple[Condition, ...] = ()
    sort: str | None = None
    remark: str = ""
    words: Terms | None = None


class _Unanswerable(Exception):
    """A term that cannot be answered, with a sentence."""


def read_query(
    request: EndpointRequest, values: dict[str, str], *, counted: bool = False
) -> AskedQuery | None:
    """Parse `query`, recorded in `values`; a fault for its mistakes. None without it.

    counted: it may only have terms that counters are kept by.

    Raises: ApiError: the key may not read what a term looks at.
    """
    text = request.parameters.filter_value("query")
    if text is None:
        return None
    query, problems = analyse(text)
    mistakes, reason = [problem.message for problem in problems], "malformed"
    if len(text) > MOST_QUERY_CHARACTERS or len(query.terms) > MOST_QUERY_TERMS:
        most = f"{MOST_QUERY_CHARACTERS:,} characters and {MOST_QUERY_TERMS} terms"
        mistakes = [f"A query has {most} at most."]
        query = Query()
    if request.grant.masked and (unsafe := refusal(query)):
        mistakes.append(unsafe)
        query = Query()
    if counted and query.uncounted:
        reason = reason if mistakes else "unavailable"
        mistakes.append(f"Leave out {' '.join(map(str, query.uncounted))}: {_COUNTED}.")
        query = Query()
    values["query"] = str(query)
    terms = _QueryTerms(request, query)
    conditions: list[Condition] = []
    for term in query.filters:
        try:
            conditions += terms.conditions(term)
        except _Unanswerable as mistake:
            reason = reason if mistakes else "unknown_value"
            mistakes.append(str(mistake))
    if mistakes:
        request.parameters.add_fault(
            "invalid_filter", "query", reason, " ".join(mistakes).rstrip(".")
        )
    order = query.value(SORT)
    sort = None if order is None else "activity" if order == NEWEST else order
    words = (
        None
        if terms.remark
        else Terms.any_of(
            term.value
            for term in query.terms
            if is_positive(term, WORDS) or is_positive(term, SAID)
        )
    )
    return AskedQuery(tuple(conditions), sort, terms.remark, words)


class _QueryTerms:
    """Makes the conditions of the terms of one query."""

    def __init__(self, request: EndpointRequest, query: Query) -> None:
        self._request, self._query = request, query
        self._names = _names(request, {term.kind for term in query.terms})
        self.remark = ""

    def conditions(self, term: Term) -> list[Condition]:
        """Return the conditions of a term, all of which must match; none of an order.

        Raises: _Unanswerable; ApiError: the key may not read what the term looks at.
        """
        kind = KINDS[term.kind]
        if kind.local:
            raise _Unanswerable(f"No server knows {term}: the viewer that hides them does.")
        if term.kind == HOURS:
            return []
        if kind.scope:
            self._demand(kind.scope)
        if term.kind == WAITING and any(other.kind == HOURS for other in self._query.terms):
            found = self._business_wait(term)
            return [AnyOf(tuple(found), every=True, negated=True)] if term.negated else found
        ways = alternatives(term, self._names)
        for one in ways:
            self._check_name(one)
        parts = tuple(map(_MAKERS[term.kind], [self] * len(ways), ways))
        joined = _joined(parts)
        if term.negated:
            return [AnyOf((joined,), negated=True)]
        return [joined]

    def _demand(self, scope: str) -> None:
        scopes = self._request.grant.scopes
        if scope not in scopes:
            raise lacking(scope, tuple(sorted(scopes)))

    def _check_name(self, term: Term) -> None:
        """Raises: _Unanswerable: nobody and nothing is called so, or is meant by "me"."""
        is_word = term.value in WORDS_OF.get(term.kind, ())
        if term.value == ME and is_word and self._request.grant.user_id is None:
            filters.add_no_me(self._request, "query")
            return
        scope = _NAME_SCOPES.get(term.kind)
        if scope is not None and not is_word and not term.value.startswith(ID):
            self._demand(scope)
        if term.kind in (*_NAME_SCOPES, LABEL) and (words := unknown_name(term, self._names)):
            raise _Unanswerable(words)

    def status(self, term: Term) -> Condition:
        return Placed("state", conversations.states_of((STATUSES.index(term.value),)))

    def assignee(self, term: Term) -> Condition:
        if term.value in (ASSIGNED, UNASSIGNED):
            return _of_assignment(assigned=term.value == ASSIGNED)
        return Placed("assignee_id", self._users(term))

    def _users(self, term: Term) -> tuple[int, ...]:
        return tuple(id for id in map(row_id, sorted(meaning(term, self._names) or ())) if id)

    def team(self, term: Term) -> Condition:
        ids = meaning(term, self._names) or ()
        teams = [self._names.teams[id] for id in sorted(ids) if id in self._names.teams]
        return AnyOf(
            tuple(
                AnyOf(
                    (
                        Placed("channel_id", self._channel_ids(team.channels)),
                        AnyOf(
                            (
                                _of_assignment(assigned=False),
                                Placed("assignee_id", tuple(sorted(map(int, team.members)))),
                            )
                        ),
                    ),
                    every=True,
                )
                for team in teams
            )
        )

    def channel(self, term: Term) -> Condition:
        return Placed("channel_id", self._channel_ids(meaning(term, self._names) or ()))

    def _channel_ids(self, numbers: Sequence[str] | frozenset[str]) -> tuple[int, ...]:
        account = self._request.account
        found = (conversations.channel_id(*account, number) for number in sorted(numbers))
        return tuple(id for id in found if id is not None)

    def label(self, term: Term) -> Condition:
        titles = meaning(term, self._names)
        account = self._request.account
        found = (
            conversations.label_id(*account, label_key(title))
            for title in sorted((term.value,) if titles is None else titles)
        )
        ids = tuple(id for id in found if id is not None)
        if not ids:
            raise _Unanswerable(f"No label fits {term.value}.")
        return Placed("label_id", ids)

    def customer(self, term: Term) -> Condition:
        account = self._request.account
        if term.value.startswith(ID):
            return OfContacts((row_id(term.value.removeprefix(ID)) or 0,))
        if self._request.grant.masked:
            stand_in = masking.mask_of(self._request).pseudonyms.contact_id(term.value)
            return OfContacts((row_id(stand_in or "") or 0,))
        self._demand("contacts:read")
        if is_user_id(term.value):
            contact = contact_by_user_id(*account, term.value)
            return OfContacts(() if contact is None else (contact["id"],))
        if is_handle(term.value):
            return OfContacts(tuple(row["id"] for row in named_contacts(*account, term.value)))
        number = phone_pattern(term.value)
        # Also one that the customer had before.
        for phone in number.whole if number is not None else ():
            if (contact := contact_by_phone(*account, phone)) is not None:
                return OfContacts((contact["id"],))
        if not contact_words(term.value):
            raise _Unanswerable(f"There is no word in {term}.")
        return _of_customer(term.value)

    def author(self, term: Term) -> Condition:
        if term.value in (PHONE, AI):
            return WrittenBy((), (term.value,))
        return WrittenBy(self._users(term))

    def field(self, term: Term) -> Condition:
        key = field_key(term.key, self._names) or term.key
        if not conversations.is_field(*self._request.account, key):
            raise _Unanswerable(f"No contact has a field {term.key}.")
        today = self._local_now().date()
        values = [dates.absolute(value, today) for value in term.values]
        if not term.sign:
            return HasField(key)
        if term.sign not in ("=", "!="):
            return HasField(key, custom_fields.compared(term.sign, values[0]))
        tests = [custom_fields.equal_to(value) for value in values]
        wanted = custom_fields.EntryTest(
            tuple(dict.fromkeys(entry for test in tests for entry in test.equal)),
            tuple(entry for test in tests for entry in test.ranges),
        )
        return HasField(key, wanted, other=term.sign == "!=")

    def ad(self, term: Term) -> Condition:
        if not (ids := ads.ad_ids(*self._request.account, (term.value,))):
            raise _Unanswerable(f"No message came from an ad {term.value}.")
        return FromAd(ids)

    def has(self, term: Term) -> Condition:
        match term.value:
            case "note":
                self._demand("notes:read")
                return HasNote()
            case "link":
                self._require_index(term)
                return Says(_LINK)
            case "text":
                self._demand(MEDIA_SCOPE)
                self._require_index(term)
                return HasFileText()
        return HasContent(tuple(CONTENTS[term.value]))

    def said(self, term: Term) -> Condition:
        """A program read it in a file."""
        self._require_index(term)
        return Says(_whole(term), (FILE,))

    def _require_index(self, term: Term) -> None:
        if (lack := message_search.lack(*self._request.account)) is not None:
            raise _Unanswerable(f"{term} is not found: {lack}.")

    def span(self, term: Term) -> Condition:
        column, now = _COLUMNS[term.kind], self._request.now
        if not is_duration(term.value):
            first, end = dates.moments(term.value, self._local_now())
            return TimeSpan(column, _milliseconds(first), _milliseconds(end))
        sign, length = _compared(term)
        if term.kind == WINDOW:
            closed = now - serializers.SERVICE_WINDOW
            if sign == "<":
                return TimeSpan(column, closed + 1, closed + length)
            return TimeSpan(column, closed + length + 1)
        since = now - length
        return TimeSpan(column, None, since) if sign == ">" else TimeSpan(column, since + 1)

    def sent(self, term: Term) -> Condition:
        first, end = dates.moments(term.value, self._local_now())
        return SentIn(_milliseconds(first), _milliseconds(end))

    def _business_wait(self, term: Term) -> list[Condition]:
        """Return the conditions of an age of waiting in the business hours of each channel."""
        if not is_duration(term.value):
            return [self.span(term)]
        account, now = self._request.account, self._request.now
        rows = catalogues.all_rows(*account, catalogues.CHANNELS)
        hours = hours_of(*account)
        numbers = {row["id"]: row["phone_number_id"] for row in rows}
        time = BusinessTime(hours, numbers, now, now)
        sign, length = _compared(term)
        spans: dict[TimeSpan, list[int]] = {}
        for channel_id in numbers:
            if sign == ">":
                span = TimeSpan("waiting_since", None, time.before(channel_id, length + 1) + 1)
            else:
                span = TimeSpan("waiting_since", time.before(channel_id, length) + 1)
            spans.setdefault(span, []).append(channel_id)
        if not spans:
            return [self.span(term)]
        # All of them are in one range of the index.
        every = (
            TimeSpan("waiting_since", None, max(span.end or 0 for span in spans))
            if sign == ">"
            else TimeSpan("waiting_since", min(span.first or 0 for span in spans))
        )
        if len(spans) == 1:
            return [every]
        of_channels = (
            AnyOf((Placed("channel_id", tuple(ids)), span), every=True)
            for span, ids in spans.items()
        )
        return [every, AnyOf(tuple(of_channels))]

    def words(self, term: Term) -> Condition:
        """A message says it, or the customer or a label is called so."""
        terms = _whole(term)
        text = " ".join(folded(term.value).split())
        named = self._label_ids(text)
        ways: list[Condition] = [Placed("label_id", named)] if named else []
        if contact_words(term.value):
            ways.append(_of_customer(term.value))
        if lack := self._unsearched():
            self.remark = f"Words are looked for in names, numbers and labels only: {lack}."
        else:
            parts = (OWN, FILE)
            ways.append(Says(terms, parts[: 1 + self._request.reads_files]))
        return AnyOf(tuple(ways))

    def _unsearched(self) -> str:
        """Return why messages are not searched; "" if they are."""
        if "messages:read" not in self._request.grant.scopes:
            return "the key lacks the scope messages:read"
        return message_search.lack(*self._request.account) or ""

    def _label_ids(self, text: str) -> tuple[int, ...]:
        rows = catalogues.all_rows(*self._request.account, catalogues.LABELS)
        return tuple(row["id"] for row in rows if text in folded(row["title"]))

    def _local_now(self) -> datetime:
        """Return the time in the zone of the account."""
        zone = zone_of(reports.account_timezone(*self._request.account)) or UTC
        return datetime.fromtimestamp(self._request.now / 1000, zone)


def _of_assignment(*, assigned: bool) -> Condition:
    return Placed("state", conversations.states_of(range(len(STATUSES)), assigned=assigned))


def _of_customer(text: str) -> Condition:
    return OfCustomer(tuple(contact_words(text)))


def _whole(term: Term) -> Terms:
    """Raises: _Unanswerable: it has no word."""
    terms = Terms.whole(term.value)
    if not terms.spellings:
        raise _Unanswerable(f"There is no word in {term}.")
    return terms


def _joined(parts: tuple[Condition, ...]) -> Condition:
    """Return the condition that one of several is true."""
    if len(parts) == 1:
        return parts[0]
    placed = [part for part in parts if isinstance(part, Placed)]
    if len(placed) == len(parts) and len({part.column for part in placed}) == 1:
        every = dict.fromkeys(value for part in placed for value in part.values)
        return Placed(placed[0].column, tuple(every))
    return AnyOf(parts)


def _compared(term: Term) -> tuple[str, int]:
    sign, length = comparison(term.value)
    return sign, round(length.total_seconds() * 1000)


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)


def _names(request: EndpointRequest, kinds: set[str]) -> QueryNames:
    """Return the names of those catalogues that terms of these kinds name."""

    def rows(catalogue: CatalogueTable, *of: str) -> list[Row]:
        return catalogues.all_rows(*request.account, catalogue) if kinds & {*of} else []

    channels = rows(catalogues.CHANNELS, CHANNEL, TEAM)
    teams = rows(catalogues.TEAMS, TEAM)
    ids = [row["id"] for row in teams]
    of_channels = serializers.grouped(catalogues.team_channels(*request.account, ids), "team_id")
    of_members = serializers.grouped(catalogues.team_members(*request.account, ids), "team_id")
    may_list_labels = "labels:read" in request.grant.scopes
    return QueryNames(
        users={
            str(row["id"]): one_line(row["name"])
            for row in rows(catalogues.USERS, ASSIGNEE, AUTHOR)
        },
        channels={row["phone_number_id"]: one_line(row["name"]) for row in channels},
        phones={row["phone_number_id"]: row["phone"] or "" for row in channels},
        labels=tuple(
            one_line(row["title"])
            for row in (rows(catalogues.LABELS, LABEL) if may_list_labels else ())
        ),
        me="" if request.grant.user_id is None else str(request.grant.user_id),
        teams={
            str(row["id"]): TeamNames(
                one_line(row["name"]),
                frozenset(one["phone_number_id"] for one in of_channels[row["id"]]),
                frozenset(str(one["id"]) for one in of_members[row["id"]]),
            )
            for row in teams
        },
        fields={
            row["key"]: FieldNames(one_line(row["name"]))
            for row in rows(catalogues.CUSTOM_FIELDS, FIELD)
        },
    )


Maker = Callable[[_QueryTerms, Term], Condition]
_MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        STATUS: _QueryTerms.status,
        ASSIGNEE: _QueryTerms.assignee,
        TEAM: _QueryTerms.team,
        LABEL: _QueryTerms.label,
        CHANNEL: _QueryTerms.channel,
        CONTACT: _QueryTerms.customer,
        AUTHOR: _QueryTerms.author,
        FIELD: _QueryTerms.field,
        AD: _QueryTerms.ad,
        HAS: _QueryTerms.has,
        NEEDS: lambda terms, term: Placed("awaiting", (1,)),
        UNREAD: lambda terms, term: Placed("unread", (1,)),
        **dict.fromkeys(_COLUMNS, _QueryTerms.span),
        SENT: _QueryTerms.sent,
        SAID: _QueryTerms.said,
        WORDS: _QueryTerms.words,
    }
)
# Kinds that a server answers, and those that only say how.
ANSWERED = frozenset({*_MAKERS, HOURS, SORT})
