"""Pages of conversations by conditions that the index of their order does not have.

If another index lists few conversations that match a condition, these are sorted. Otherwise the
order is walked, each candidate is tested, and a page ends after so many of them: it may be short or
empty, and goes on where it stopped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.store.conversation_conditions import (
    OF_CANDIDATE,
    Condition,
    Source,
    Sql,
    TimeSpan,
    one_row,
)
from frontdesk.store.conversations import (
    CREATED,
    ORDERS,
    ConversationSelection,
    FilterPlace,
    IndexRanges,
    Order,
    Position,
    among,
    conversation_page,
    of_place,
    of_states,
    page_rows,
    selected_ids,
    states_of,
)
from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.query_conditions import is_slow


class WalkLimits(NamedTuple):
    """few: conversations that are sorted; repeated: rows of each that are read to find out.

    walked: candidates of a page and of a count; slowly: those whose messages are read. sources:
    indexes that are tried.
    """

    few: int = 5_000
    repeated: int = 2
    walked: int = 10_000
    slowly: int = 500
    sources: int = 4


# With a million conversations a page takes less than a tenth of a second then, by whatever term.
LIMITS: Mapping[Dialect, WalkLimits] = MappingProxyType(
    {"sqlite": WalkLimits(), "postgresql": WalkLimits(walked=6_000)}
)
# Matches that are counted.
MOST_COUNTED = 10_000


class MatchCount(NamedTuple):
    """Number of matches; capped: there may be more."""

    number: int
    capped: bool


class WalkPage(NamedTuple):
    """Rows of a page. stopped: the position where it ended early; None if it did not.

    total: of all its pages, if it was asked for.
    """

    rows: list[Row]
    stopped: Position | None = None
    total: MatchCount | None = None


def filtered_page(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    after: Position | None,
    count: int,
    limits: WalkLimits | None = None,
    *,
    counted: bool = False,
) -> WalkPage:
    """Return up to `count` conversations of a selection behind a position, in its order.

    counted: with the number of all of them, as far as they are looked at.
    """
    statements = _PageStatements(
        connection, account_id, selection, limits or LIMITS[connection.dialect]
    )
    if not any(map(statements.is_tested, ORDERS[selection.sort])):
        number = statements.count() if counted else None
        rows = conversation_page(connection, account_id, selection, after, count)
        return WalkPage(rows, total=number)
    statements.narrow()
    rows, stopped = _walked(statements, selection, after, count)
    total = None
    if counted:
        # A page that ends early has tested all that match, or as many as a count would.
        ends_early = len(rows) < count and (stopped is None or statements.is_slow)
        known = MatchCount(len(rows), stopped is not None)
        total = known if ends_early else statements.count()
    return WalkPage(rows, stopped, total)


def _walked(
    statements: "_PageStatements",
    selection: ConversationSelection,
    after: Position | None,
    count: int,
) -> tuple[list[Row], Position | None]:
    """Return the rows of a page, and the position where it ended early."""
    orders = ORDERS[selection.sort]
    group, position = 0, after
    if after is not None and len(orders) > 1:
        group, position = int(after[0] or 0), after[2:]
    rows: list[Row] = []
    for at, order in enumerate(orders[group:], group):
        if not statements.may_have(order):
            continue
        order = order if after is None else order.continued()
        rows += statements.page(order, position, count - len(rows))
        if len(rows) == count:
            break
        last = statements.last_candidate(order, position)
        if last is not None:
            return rows, ((at, selection.began_at, *last) if len(orders) > 1 else last)
        position = None
    return rows, None


def few_ids(
    connection: Connection, account_id: int, selection: ConversationSelection, most: int
) -> list[int] | None:
    """Return the ids of all conversations of a selection; None if there seem to be more."""
    plain = replace(selection, conditions=())
    if not selection.conditions:
        ids = selected_ids(connection, account_id, plain, most + 1)
        return ids if len(ids) <= most else None
    statements = _PageStatements(connection, account_id, selection, LIMITS[connection.dialect])
    statements.narrow()
    listed = statements.few
    if listed is None:
        listed = selected_ids(connection, account_id, plain, most + 1)
        if len(listed) > most:
            return None
    ids = statements.among(ORDERS["activity"][0], listed)
    return ids if len(ids) <= most else None


def matching_ids(
    connection: Connection, account_id: int, selection: ConversationSelection, ids: Sequence[int]
) -> list[int]:
    """Return those of some conversations that are in a selection."""
    selection = replace(selection, sort="activity")
    statements = _PageStatements(connection, account_id, selection, LIMITS[connection.dialect])
    return statements.among(ORDERS["activity"][0], [*ids])


class _PageStatements:
    """Statements for one selection."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        selection: ConversationSelection,
        limits: WalkLimits,
    ) -> None:
        self._connection, self._account_id = connection, account_id
        self._selection, self._limits = selection, limits
        self.few: list[int] | None = None
        self._listed_by: int | None = None
        self._plain = replace(selection, conditions=())
        self._walked_selection = selection
        if len(selection.places) > 1:
            self._walked_selection = ConversationSelection(
                states_of(range(3)),
                sort=selection.sort,
                closed_until=selection.closed_until,
                began_at=selection.began_at,
                conditions=selection.conditions,
            )

    def is_tested(self, order: Order) -> bool:
        """True if candidates of an order have to be tested."""
        return order.column == CREATED or bool(self._tested(order))

    def may_have(self, order: Order) -> bool:
        """False for the part of an order with those that do not wait, if all have to."""
        waits = any(
            isinstance(condition, TimeSpan) and condition.column == "waiting_since"
            for condition in self._selection.conditions
        )
        return not (waits and "waiting_since IS NULL" in order.conditions)

    def narrow(self) -> None:
        """Look only at the conversations that a condition lists, if they are few.

        The rarest of several is tried first: each with a tenth of what is few.
        """
        sources = self._sources()[: self._limits.sources]
        for most in (self._limits.few // 10, self._limits.few):
            for number, source in sources:
                if (ids := self._listed(source, most)) is not None:
                    self.few, self._listed_by = ids, number if source.exact else None
                    return

    def _sources(self) -> list[tuple[int | None, Source]]:
        """Return what lists conversations, with the numbers of the conditions."""
        dialect = self._connection.dialect
        tested = dict(
            each for order in ORDERS[self._selection.sort] for each in self._tested(order)
        )
        found: list[tuple[int | None, Source]] = [
            (number, source)
            for number, condition in tested.items()
            if (source := condition.source(dialect, number)) is not None
        ]
        if any(map(self._tests_places, ORDERS[self._selection.sort])):
            placed = self._ranges(self._plain, ORDERS["activity"][0]).unsorted()
            listed = f"SELECT conversation_id AS id FROM ({placed.text}) AS placed"
            found.append((None, Source(Sql(listed, placed.parameters))))
        return found

    def _tests_places(self, order: Order) -> bool:
        """True if no index has an order by place, or many ranges of it are slow to merge."""
        by_creation = order.column == CREATED
        return len(self._plain.places) > 1 or (by_creation and not self._plain.is_everything)

    @property
    def is_slow(self) -> bool:
        """True if messages of candidates have to be read."""
        conditions = self._tested(ORDERS["activity"][0])
        return any(is_slow(condition) for _, condition in conditions)

    @property
    def _walked_at_most(self) -> int:
        return self._limits.slowly if self.is_slow else self._limits.walked

    def count(self) -> MatchCount:
        """Return how many conversations match."""
        spans = {each.column for each in self._selection.conditions if isinstance(each, TimeSpan)}
        # In the order of a time that the selection limits, its conversations are one range.
        columns = (orders[0].column for orders in ORDERS.values())
        order = Order(next((name for name in columns if name in spans), "last_activity_at"))
        candidates, tests = self._ranges(self._selection, order).merged(), Sql("", {})
        if self.few is not None or self.is_tested(order):
            candidates, tests = self._candidates(order, None), self._tests(order)
        most = self._walked_at_most if tests.text else MOST_COUNTED + 1
        matches = first_number(
            self._connection,
            f"SELECT COUNT(*) AS n FROM ({candidates.text}) AS candidate {tests.text}",
            candidates.parameters | tests.parameters | {"count": most},
        )
        capped = matches > MOST_COUNTED
        if tests.text and not capped:
            capped = self._candidate(order, most) is not None
        return MatchCount(min(matches, MOST_COUNTED), capped)

    def among(self, order: Order, ids: list[int]) -> list[int]:
        """Return those of some conversations that match."""
        candidates, tests = self._some(order, None, ids), self._tests(order)
        rows = self._connection.rows(
            f"SELECT conversation_id FROM ({candidates.text}) AS candidate {tests.text}",
            candidates.parameters | tests.parameters,
        )
        return [row["conversation_id"] for row in rows]

    def page(self, order: Order, position: Position | None, count: int) -> list[Row]:
        """Return the next conversations of an order."""
        candidates, tests = self._candidates(order, position), self._tests(order)
        # In the order of the candidates: SQLite would read them all to sort them again.
        last = "LIMIT :wanted"
        if self._connection.dialect == "postgresql":
            last = order.first.replace(":count", ":wanted")
        limits = {"count": self._walked_at_most, "wanted": count}
        page = Sql(
            f"SELECT * FROM ({candidates.text}) AS candidate {tests.text} {last}",
            candidates.parameters | tests.parameters | limits,
        )
        return page_rows(self._connection, self._selection, order, page)

    def last_candidate(self, order: Order, position: Position | None) -> Position | None:
        """Return the position of the last candidate of a page, if there are as many."""
        last = self._candidate(order, self._walked_at_most - 1, position)
        return None if last is None else (last[order.column], last["conversation_id"])

    def _candidate(self, order: Order, number: int, position: Position | None = None) -> Row | None:
        """Return a candidate behind a position by its number, from 0; None if there are fewer."""
        if self.few is not None and len(self.few) <= number:
            return None
        candidates = self._candidates(order, position)
        return self._connection.row(
            f"SELECT * FROM ({candidates.text}) AS candidate LIMIT 1 OFFSET :skipped",
            candidates.parameters | {"count": number + 1, "skipped": number},
        )

    def _ranges(
        self, selection: ConversationSelection, order: Order, position: Position | None = None
    ) -> IndexRanges:
        dialect = self._connection.dialect
        return IndexRanges(dialect, self._account_id, selection, order, position)

    def _tested(self, order: Order) -> list[tuple[int, Condition]]:
        """Return the conditions, with their numbers, that are no range of an order.

        Without that which lists the few.
        """
        return [
            (number, condition)
            for number, condition in enumerate(self._selection.conditions)
            if number != self._listed_by
            and not (isinstance(condition, TimeSpan) and condition.column == order.column)
        ]

    def _listed(self, source: Source, few: int) -> list[int] | None:
        """Return the ids of the conversations of a source, if they are so few."""
        own = {"account": self._account_id}
        most = few if source.of_contacts else few * self._limits.repeated
        if source.estimate is not None:
            text, values = source.estimate
            parameters = values | own | {"most": most + 1}
            if first_number(self._connection, text, parameters) > most:
                return None
        text, values = source.sql
        listed = f"SELECT id FROM ({text} LIMIT {most + 1}) AS listed"
        rows = self._connection.rows(
            f"SELECT id, COUNT(*) AS n FROM ({listed}) AS every GROUP BY id LIMIT {few + 1}",
            values | own,
        )
        if len(rows) > few or sum(row["n"] for row in rows) > most:
            return None
        ids = [row["id"] for row in rows]
        return self._of_contacts(ids) if source.of_contacts else ids

    def _of_contacts(self, contact_ids: list[int]) -> list[int]:
        """Return the ids of the conversations of contacts."""
        contacts = among(self._connection.dialect, "contact_id", contact_ids)
        rows = self._connection.rows(
            f"SELECT id FROM conversation WHERE account_id = :account AND {contacts.text}",
            {"account": self._account_id, **contacts.parameters},
        )
        return [row["id"] for row in rows]

    def _tests(self, order: Order) -> Sql:
        tests = [
            condition.test(self._connection.dialect, number)
            for number, condition in sorted(self._tested(order), key=lambda each: is_slow(each[1]))
        ]
        if self._tests_places(order):
            tests.append(self._is_selected(order))
        texts = " AND ".join(test.text for test in tests)
        values = dict(item for test in tests for item in test.parameters.items())
        return Sql(f"WHERE {texts}" if texts else "", values)

    def _is_selected(self, order: Order) -> Sql:
        """Return the test that the filter table has a candidate at one of the places."""
        # The first place is that of the candidates, with the same names of parameters.
        numbered = replace(self._plain, places=(FilterPlace(), *self._selection.all_places))
        ways = (
            " AND ".join((*of_place(numbered, place, None), of_states(numbered, place[1])))
            for place in [*enumerate(numbered.places)][1:]
        )
        either = " OR ".join(f"({way})" for way in ways)
        values = self._ranges(numbered, order).parameters
        return Sql(one_row(f"entry WHERE {OF_CANDIDATE} AND ({either})"), values)

    def _candidates(self, order: Order, position: Position | None) -> Sql:
        """Return a statement for the candidates behind a position, up to `:count`, in order."""
        if self.few is not None:
            some = self._some(order, position, self.few)
            return Sql(f"{some.text} {order.first}", some.parameters)
        if order.column != CREATED:
            return self._ranges(self._walked_selection, order, position).merged()
        page = self._created(order, position)
        return Sql(f"{page.text} {order.first}", page.parameters)

    def _some(self, order: Order, position: Position | None, ids: list[int]) -> Sql:
        """Return a statement for those of some conversations that are behind a position."""
        if order.column == CREATED:
            some = among(self._connection.dialect, "id", ids)
            listed = self._created(order, position, some)
        else:
            selection = replace(self._walked_selection, conversation_ids=tuple(ids))
            listed = self._ranges(selection, order, position).unsorted()
        return Sql(
            f"WITH listed AS MATERIALIZED ({listed.text})"
            f" SELECT DISTINCT {order.column}, conversation_id FROM listed",
            listed.parameters,
        )

    def _created(self, order: Order, position: Position | None, some: Sql | None = None) -> Sql:
        """Return a statement for the conversations of the account that began in a span."""
        further = [*self._selection.spans(order), *([] if some is None else [some])]
        conditions = ["account_id = :account", *(each.text for each in further)]
        if position is not None:
            conditions.append(f"(created_at, id) {order.comparison} (:after_key, :after_id)")
        parameters = self._ranges(self._selection, order, position).parameters
        return Sql(
            "SELECT created_at, id AS conversation_id FROM conversation"
            f" WHERE {' AND '.join(conditions)}",
            parameters | ({} if some is None else some.parameters),
        )
