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
    """few: conversations that are sorted; listed: rows read to find out; walked: candidates.

    slowly: candidates whose messages are read; counted: those for a count. sources: indexes that
    are tried.
    """

    few: int = 5_000
    listed: int = 20_000
    walked: int = 20_000
    slowly: int = 1_000
    counted: int = 200
    sources: int = 4


# With 20,000 conversations a page takes less than a tenth of a second then. With a million, one by
# a frequent or very rare word takes several.
LIMITS: Mapping[Dialect, WalkLimits] = MappingProxyType(
    {"sqlite": WalkLimits(), "postgresql": WalkLimits(walked=6_000, slowly=500, counted=200)}
)
# Matches that are counted.
MOST_COUNTED = 10_000


class MatchCount(NamedTuple):
    """Number of matches; capped: there may be more."""

    number: int
    capped: bool


class WalkPage(NamedTuple):
    """Rows of a page. stopped: the position where it ended early; None if it did not."""

    rows: list[Row]
    stopped: Position | None = None


def filtered_page(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    after: Position | None,
    count: int,
    limits: WalkLimits | None = None,
) -> WalkPage:
    """Return up to `count` conversations of a selection behind a position, in its order."""
    statements = _PageStatements(
        connection, account_id, selection, limits or LIMITS[connection.dialect]
    )
    orders = ORDERS[selection.sort]
    if not any(map(statements.is_tested, orders)):
        return WalkPage(conversation_page(connection, account_id, selection, after, count))
    few = statements.few_ids()
    group, position = 0, after
    if after is not None and len(orders) > 1:
        group, position = int(after[0] or 0), after[2:]
    rows: list[Row] = []
    for number, order in enumerate(orders[group:], group):
        if not statements.may_have(order):
            continue
        order = order if after is None else order.continued()
        rows += statements.page(order, position, count - len(rows), few)
        if len(rows) == count:
            break
        last = statements.last_candidate(order, position) if few is None else None
        if last is not None:
            place = (number, selection.began_at, *last) if len(orders) > 1 else last
            return WalkPage(rows, place)
        position = None
    return WalkPage(rows)


def match_count(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    limits: WalkLimits | None = None,
) -> MatchCount:
    """Count the conversations of a selection, whatever its order, as far as a page would look."""
    spans = {each.column for each in selection.conditions if isinstance(each, TimeSpan)}
    # In the order of a time that the selection limits, its conversations are one range.
    sort = next((name for name, orders in ORDERS.items() if orders[0].column in spans), "activity")
    limits = limits or LIMITS[connection.dialect]
    limits = limits._replace(slowly=min(limits.slowly, limits.counted))
    statements = _PageStatements(connection, account_id, replace(selection, sort=sort), limits)
    return statements.count(ORDERS[sort][0])


def few_ids(
    connection: Connection, account_id: int, selection: ConversationSelection, most: int
) -> list[int] | None:
    """Return the ids of all conversations of a selection; None if there seem to be more."""
    plain = replace(selection, conditions=())
    if not selection.conditions:
        ids = selected_ids(connection, account_id, plain, most + 1)
        return ids if len(ids) <= most else None
    statements = _PageStatements(connection, account_id, selection, LIMITS[connection.dialect])
    listed = statements.few_ids()
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
        if any(map(is_slow, selection.conditions)):
            self._limits = limits._replace(walked=min(limits.walked, limits.slowly))
        self._plain = replace(selection, conditions=())
        # No index has the order of beginnings by place, and many ranges are slow to merge.
        by_creation = ORDERS[selection.sort][0].column == CREATED
        self._tests_places = len(selection.places) > 1 or (
            by_creation and not self._plain.is_everything
        )
        self._walked_selection = selection
        if self._tests_places:
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

    def few_ids(self) -> list[int] | None:
        """Return the ids of the conversations of one condition, if they are few."""
        tested = {
            number: condition
            for order in ORDERS[self._selection.sort]
            for number, condition in self._tested(order)
        }
        dialect, found = self._connection.dialect, []
        for number, condition in tested.items():
            if (source := condition.source(dialect, number)) is not None:
                found.append(source)
        for source in found[: self._limits.sources]:
            if (ids := self._listed(source)) is not None:
                return ids
        if not self._tests_places:
            return None
        placed = self._ranges(self._plain, ORDERS["activity"][0]).unsorted()
        listed = f"SELECT conversation_id AS id FROM ({placed.text}) AS placed"
        return self._listed(Source(Sql(listed, placed.parameters)))

    def count(self, order: Order) -> MatchCount:
        """Return how many conversations of an order match."""
        is_tested = self.is_tested(order)
        few = self.few_ids() if is_tested else None
        if few is not None:
            matching = self._among(order, None, few)
        else:
            candidates, tests = self._candidates(order, None), self._tests(order)
            matching = Sql(
                f"SELECT conversation_id FROM ({candidates.text}) AS candidate {tests.text}",
                candidates.parameters
                | tests.parameters
                | {"count": self._limits.walked if is_tested else MOST_COUNTED + 1},
            )
        number = first_number(
            self._connection,
            f"SELECT COUNT(*) AS n FROM ({matching.text} LIMIT {MOST_COUNTED + 1}) AS matching",
            matching.parameters,
        )
        ended = (
            few is not None or not is_tested or self._candidate(order, self._limits.walked) is None
        )
        return MatchCount(min(number, MOST_COUNTED), not ended or number > MOST_COUNTED)

    def among(self, order: Order, ids: list[int]) -> list[int]:
        """Return those of some conversations that match."""
        some = self._among(order, None, ids)
        return [row["conversation_id"] for row in self._connection.rows(*some)]

    def page(
        self, order: Order, position: Position | None, count: int, few: list[int] | None
    ) -> list[Row]:
        """Return the next conversations of an order. few: the only ones that may be on it."""
        page = self._walked(order, position, count)
        if few is not None:
            page = self._sorted(order, position, count, few)
        return page_rows(self._connection, self._selection, order, page)

    def last_candidate(self, order: Order, position: Position | None) -> Position | None:
        """Return the position of the last candidate of a page, if there are as many."""
        last = self._candidate(order, self._limits.walked - 1, position)
        return None if last is None else (last[order.column], last["conversation_id"])

    def _candidate(self, order: Order, number: int, position: Position | None = None) -> Row | None:
        """Return a candidate behind a position by its number, from 0; None if there are fewer."""
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
        """Return the conditions, with their numbers, that are no range of an order."""
        return [
            (number, condition)
            for number, condition in enumerate(self._selection.conditions)
            if not (isinstance(condition, TimeSpan) and condition.column == order.column)
        ]

    def _listed(self, source: Source) -> list[int] | None:
        """Return the ids of the conversations of a source, if they are few."""
        text, values = source.sql
        own = {"account": self._account_id}
        if source.estimate is not None:
            estimated = source.estimate.text, source.estimate.parameters | own
            if first_number(self._connection, *estimated) > self._limits.listed:
                return None
        parameters = values | own
        listed = f"SELECT id FROM ({text} LIMIT {self._limits.listed + 1}) AS listed"
        counted = f"SELECT COUNT(*) AS n FROM ({listed}) AS counted"
        if first_number(self._connection, counted, parameters) > self._limits.listed:
            return None
        distinct = f"SELECT DISTINCT id FROM ({listed}) AS every LIMIT {self._limits.few + 1}"
        ids = [row["id"] for row in self._connection.rows(distinct, parameters)]
        if len(ids) > self._limits.few:
            return None
        return self._of_contacts(ids) if source.of_contacts else ids

    def _of_contacts(self, contact_ids: list[int]) -> list[int]:
        """Return the ids of the conversations of contacts."""
        contacts = among(self._connection.dialect, "contact_id", contact_ids)
        rows = self._connection.rows(
            f"SELECT id FROM conversation WHERE account_id = :account AND {contacts.text}",
            {"account": self._account_id, **contacts.parameters},
        )
        return [row["id"] for row in rows]

    def _walked(self, order: Order, position: Position | None, count: int) -> Sql:
        """Return a statement for the first candidates that match."""
        candidates, tests = self._candidates(order, position), self._tests(order)
        # In the order of the candidates: SQLite would read them all to sort them again.
        last = "LIMIT :wanted"
        if self._connection.dialect == "postgresql":
            last = order.first.replace(":count", ":wanted")
        limits = {"count": self._limits.walked, "wanted": count}
        return Sql(
            f"SELECT * FROM ({candidates.text}) AS candidate {tests.text} {last}",
            candidates.parameters | tests.parameters | limits,
        )

    def _sorted(self, order: Order, position: Position | None, count: int, ids: list[int]) -> Sql:
        """Return a statement for those of few conversations that match, sorted."""
        some = self._among(order, position, ids)
        return Sql(f"{some.text} {order.first}", some.parameters | {"count": count})

    def _among(self, order: Order, position: Position | None, ids: list[int]) -> Sql:
        """Return a statement for those of few conversations that match, in any order."""
        tests = self._tests(order)
        if order.column == CREATED:
            some = among(self._connection.dialect, "id", ids)
            candidates = self._created(order, position, some)
        else:
            selection = replace(self._walked_selection, conversation_ids=tuple(ids))
            candidates = self._ranges(selection, order, position).unsorted()
        return Sql(
            f"WITH candidate AS MATERIALIZED ({candidates.text})"
            f" SELECT DISTINCT {order.column}, conversation_id FROM candidate"
            f" {tests.text}",
            candidates.parameters | tests.parameters,
        )

    def _tests(self, order: Order) -> Sql:
        tests = [
            condition.test(self._connection.dialect, number)
            for number, condition in self._tested(order)
        ]
        if self._tests_places:
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
        if order.column != CREATED:
            return self._ranges(self._walked_selection, order, position).merged()
        page = self._created(order, position)
        return Sql(f"{page.text} {order.first}", page.parameters)

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
