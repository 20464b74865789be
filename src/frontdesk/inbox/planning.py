"""Plans of queries: names, filters of the server, and rows that are known here."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from frontdesk.inbox.cached import Cached, ServerClock
from frontdesk.inbox.customers import QueryCustomers
from frontdesk.inbox.limits import MOST_PLANS_KEPT, MOST_ROWS_COMPLETED
from frontdesk.inbox.marks import ReadMarks
from frontdesk.inbox.server_counts import count_for
from frontdesk.inbox.view import View
from frontdesk.query import Matcher, Query, QueryNames, QueryPlan, Term, analyse, cannot, plan
from frontdesk.query.language import DATED, HIDDEN, ME, is_positive
from frontdesk.query.names import contact_id, unknown_name
from frontdesk.query.plan import ALL_FILTERS, IN_PART, Test
from frontdesk.query.terms import ASSIGNEE, CONTACT, FIELD, FOLLOW_UP, UNREAD, WORDS
from frontdesk.wire import Conversation, ConversationFilter, Counts, PhoneRef
from frontdesk.wire.values import STATUSES

# Terms whose values may be days, which depend on the time.
_BY_DAY = frozenset((*DATED, FIELD))


class Planning:
    """Plans of queries, by the names and the filters of the server that are known."""

    def __init__(self, cached: Cached, clock: ServerClock, marks: ReadMarks) -> None:
        self._cached, self._clock, self._marks = cached, clock, marks
        self.customers = QueryCustomers(cached)
        self.hidden = marks.follow_ups.hidden()
        self._names: QueryNames | None = None
        self._said: dict[str, Collection[str]] = {}
        # Plans by these names that hold at any time, by query and filters of the server.
        self._plans: dict[tuple[Query, frozenset[str]], QueryPlan] = {}

    @property
    def names(self) -> QueryNames:
        """Names that queries may use; read again after `forget_names`."""
        if self._names is None or self._names.me != self._cached.me:
            names = self._cached.names(self.customers.contacts)
            self._names = self.customers.with_results(names)
            self._plans.clear()
        return self._names

    def forget_names(self) -> None:
        """Read the names again: they have changed."""
        self._names = None
        self._said.clear()

    def names_for(self, view: View) -> QueryNames:
        """Names that queries may use, with the customers of loaded rows for completion."""
        first = [view.list[at].contact for at in range(min(len(view.list), MOST_ROWS_COMPLETED))]
        return self._cached.names((*self.customers.contacts, *first))

    def add_contact(self, contact: PhoneRef) -> None:
        """Make a contact known, so that its number leads to its conversations."""
        self.customers.add(contact)
        self.forget_names()

    def matcher(self, terms: Iterable[Term]) -> Test:
        """The test of terms for rows as they are now; it leaves hidden rows out."""
        terms = tuple(terms)
        return self._without_hidden(terms, self.test(terms))

    def matcher_of(self, query: Query, shown: QueryPlan) -> Test:
        """The same of a whole query, for rows of the list of a plan of it."""
        told = shown.vouched
        terms = [term for term in query.terms if term not in told]
        matches = self.test(terms, is_answered=not self.cannot(query))
        return self._without_hidden(query.terms, matches)

    def test(
        self, terms: Iterable[Term], *, is_answered: bool = False, is_unread: Test | None = None
    ) -> Matcher:
        """The test of terms alone, for rows as they are now. is_answered: see `Matcher`.

        is_unread: by default, what is unread on this computer.
        """
        now, follows = self._clock.server_now(), self._is_follow_up
        return Matcher(
            terms,
            self.names,
            now,
            is_unread or self.is_unread,
            follows,
            is_answered=is_answered,
            saying=self._saying,
        )

    def _saying(self, text: str) -> Collection[str]:
        """Ids of conversations of which a message here has a text, read once for these names."""
        if text not in self._said:
            self._said[text] = self._cached.conversations_saying(text)
        return self._said[text]

    def _without_hidden(self, terms: Iterable[Term], matches: Test) -> Test:
        hidden = self.hidden_in(terms)
        return (lambda row: row.id not in hidden and matches(row)) if hidden else matches

    def hidden_in(self, terms: Iterable[Term]) -> Mapping[str, datetime]:
        """Hidden conversations that a view leaves out: all but of a customer, and follow-ups."""
        shows = any(is_positive(term, kind) for term in terms for kind in (FOLLOW_UP, CONTACT))
        return {} if shows else self.hidden

    def read_hidden(self) -> None:
        """Read again which conversations are hidden."""
        self.hidden = self._marks.follow_ups.hidden()

    def _is_follow_up(self, conversation: Conversation) -> bool:
        return conversation.id in self._marks.follow_ups.among((conversation,))

    def is_unread(self, conversation: Conversation) -> bool:
        """True if a conversation is unread on this computer."""
        return conversation.id in self._marks.unread_among((conversation,))

    def plan_of(self, query: Query, only: frozenset[str] = ALL_FILTERS) -> QueryPlan:
        """Plan for the filters that the server answers, as far as they are among `only`."""
        names, of = self.names, (query, self._cached.capabilities.offered & only)
        if any(term.kind in _BY_DAY for term in query.terms):
            return plan(query, names, of[1], self._clock.server_now())
        if of not in self._plans:
            if len(self._plans) >= MOST_PLANS_KEPT:
                self._plans.clear()
            self._plans[of] = plan(query, names, of[1])
        return self._plans[of]

    def plans_of(self, query: Query) -> tuple[QueryPlan, QueryPlan]:
        """Plan of a query, and the plan for loaded rows while its own list was never loaded.

        The latter sorts the rows of the list by activity here, or filters those of the status, if
        they are all that was loaded.
        """
        wanted = self.plan_of(query)
        if has_hidden_terms(query):
            return wanted, wanted
        unsorted = wanted._replace(filter=unsorted_filter(wanted.filter))
        if self.was_loaded(wanted) or self.was_loaded(unsorted):
            return wanted, wanted if self.was_loaded(wanted) else unsorted
        of_status = self.plan_of(query, frozenset({"status"}))
        here = self.was_loaded(of_status) or self.known_rows(query) or self.found(of_status)
        return wanted, of_status if here and not self.lacks_me(of_status) else unsorted

    def was_loaded(self, plan: QueryPlan) -> bool:
        """True if the rows of a plan were loaded, now or by an earlier start."""
        return self._cached.conversations(plan.filter).fetched_at is not None

    def lacks_me(self, plan: QueryPlan) -> bool:
        """True if rows cannot be filtered here, because it is not known who "me" is."""
        return not self.names.me and any(
            term.kind == ASSIGNEE and term.value == ME for term in plan.rest
        )

    def known_rows(self, query: Query, selected: str | None = None) -> list[Conversation]:
        """Cached rows that match, which may be on no page.

        Those of the query's contact, those marked unread here, follow-ups, and the selected one.
        """
        row = self._cached.conversation(selected) if selected else None
        known = [row] if row is not None else []
        contact = contact_id(query.value(CONTACT) or "", self.names)
        plan = self.plan_of(query)
        if has_hidden_terms(query) or plan.vouched:
            # A row does not show if it matches.
            return []
        if contact is not None:
            known += self._cached.conversations_of(contact)
        if shows_unread(query):
            known += self._marks.marked_unread()
        if any(is_positive(term, FOLLOW_UP) for term in query.terms):
            known += self._marks.follow_ups.all()
        return list(filter(self.matcher_of(query, plan), known))

    def found(self, plan: QueryPlan) -> list[Conversation]:
        """Cached rows that a plan for loaded rows matches by words or a customer, on any page."""
        rest = [term for term in plan.rest if term.kind in IN_PART and not term.negated]
        if not rest or plan.filter.parameters().keys() - {"status"}:
            return []
        found: dict[str, Conversation] = {}
        for value in rest[0].values:
            found |= {row.id: row for row in self._cached.conversations_found(value)}
            if rest[0].kind == WORDS:
                found |= self._cached.conversations_by_id(self._saying(value))
        status, matches = plan.filter.status, self.matcher(plan.rest)
        return [row for row in found.values() if status in (None, row.status) and matches(row)]

    def why_nothing(self, query: Query) -> list[str]:
        """Sentences on why nothing matches: unknown names, or what the server cannot filter by."""
        unknown = [words for term in query.terms if (words := unknown_name(term, self.names))]
        return unknown or [words for words in (self.cannot(query),) if words]

    def cannot(self, query: Query) -> str:
        """Sentence on terms that the server cannot filter by; "" if there are none."""
        return cannot(self.plan_of(query)) if has_hidden_terms(query) else ""

    def view_of(self, query: Query) -> View:
        """A view by the present plans."""
        if self.customers.recognise(query):
            self.forget_names()
        wanted, shown = self.plans_of(query)
        rows = self._cached.conversations(shown.filter)
        return View(query, wanted, shown, self.matcher_of(query, shown), rows)


def first_query(counts: Counts | None) -> Query:
    """Default query: the first status that has conversations."""
    chosen = (ConversationFilter(status=status) for status in STATUSES)
    first = next((filter for filter in chosen if count_for(counts, filter)), None)
    return Query.of(Term("is", (first and first.status) or STATUSES[0]))


def stored_query(text: str | None) -> Query | None:
    """Parse a stored query; None if it is missing or invalid."""
    if text is None:
        return None
    query, problems = analyse(text)
    return None if problems else query


def unsorted_filter(filter: ConversationFilter) -> ConversationFilter:
    """A filter without its order."""
    return filter.model_copy(update={"sort": None})


def has_hidden_terms(query: Query) -> bool:
    """True if a query has terms that rows do not show, so that only a server can test them."""
    return any(term.kind in HIDDEN for term in query.terms)


def shows_unread(query: Query) -> bool:
    """True if a query asks for unread conversations."""
    return any(is_positive(term, UNREAD) for term in query.terms)
