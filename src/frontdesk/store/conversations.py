"""Reads conversations: keyset pages, counts and lookups.

Every function is limited to one account. A page function takes the sort key of the row before the
page (None for the first page) and the maximum number of rows.
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, NamedTuple

from frontdesk.store.conversation_conditions import Condition, Sql, TimeSpan
from frontdesk.store.database import Connection, Dialect, Row, first_number
from frontdesk.store.rows import MESSAGE_ORDER, OPEN, SNOOZED
from frontdesk.text.clean import compact_json
from frontdesk.wire import timestamp

NO_LABEL = 0

# Conversations stored as snoozed whose snooze has expired.
_AWAKE = "SELECT id FROM conversation WHERE account_id = :account AND snoozed_until <= :awake_at"
# Counter cells, corrected for expired snoozes.
_CELLS_AWAKE = f"""(
  SELECT account_id, label_id, channel_id, state, assignee_id, awaiting, unread, n FROM cell
  UNION ALL
  SELECT e.account_id, e.label_id, e.channel_id, e.state + moved.state, e.assignee_id,
    e.awaiting, e.unread, moved.n
  FROM conversation AS c
  JOIN entry AS e ON e.account_id = c.account_id AND e.conversation_id = c.id
  CROSS JOIN (SELECT 0 AS state, -1 AS n UNION ALL SELECT {-2 * SNOOZED}, 1) AS moved
  WHERE c.account_id = :account AND c.snoozed_until <= :awake_at) AS cell"""

_OF_CONTACT = "SELECT id FROM conversation WHERE account_id = :account AND contact_id = :contact"
# Counter cells of the conversations of one contact.
_CELLS_OF_CONTACT = f"""(
  SELECT e.account_id, e.label_id, e.channel_id, e.assignee_id, e.awaiting, 1 AS n,
    e.state - CASE WHEN c.snoozed_until <= :awake_at THEN {2 * SNOOZED} ELSE 0 END AS state,
    e.unread
  FROM conversation AS c
  JOIN entry AS e ON e.account_id = c.account_id AND e.conversation_id = c.id
  WHERE c.account_id = :account AND c.contact_id = :contact) AS cell"""

# Sort key of a row, unique id last.
Position = Sequence[int | str | None]


class FilterPlace(NamedTuple):
    """Values that lead the indexes of the filter table; None: any. assigned: to anybody or not."""

    label_id: int = NO_LABEL
    channel_id: int | None = None
    assignee_id: int | None = None
    assigned: bool | None = None

    def within(self, single: "FilterPlace") -> "FilterPlace":
        """Return this place with the values of another where it has none itself."""
        return FilterPlace(
            self.label_id or single.label_id,
            single.channel_id if self.channel_id is None else self.channel_id,
            single.assignee_id if self.assignee_id is None else self.assignee_id,
            single.assigned if self.assigned is None else self.assigned,
        )

    def has(self, state: int) -> bool:
        """True if conversations of a state may be here."""
        return self.assigned is None or state % 2 == self.assigned


@dataclass(frozen=True, slots=True)
class Order:
    """ORDER BY column of table `entry`, its direction, and the conditions of rows sorted by it.

    The column `created_at` is of table `conversation`. unchanged: for later pages of a walk, leaves
    out rows that moved here since it began.
    """

    column: str
    ascending: bool = False
    conditions: tuple[str, ...] = ()
    unchanged: str = ""

    @property
    def direction(self) -> str:
        return "ASC" if self.ascending else "DESC"

    @property
    def comparison(self) -> str:
        return ">" if self.ascending else "<"

    @property
    def first(self) -> str:
        by = f"{self.column} {self.direction}, conversation_id {self.direction}"
        return f"ORDER BY {by} LIMIT :count"

    def continued(self) -> "Order":
        """Return the order of later pages."""
        if not self.unchanged:
            return self
        return replace(self, conditions=(*self.conditions, self.unchanged))


# Column of the order that has no index of the filter table.
CREATED = "created_at"
# Orders by name; with several, the rows of the first come before those of the second.
ORDERS: Mapping[str, tuple[Order, ...]] = MappingProxyType(
    {
        "activity": (Order("last_activity_at"),),
        "created": (Order(CREATED),),
        "oldest": (Order("last_activity_at", True),),
        "waiting": (
            Order(
                "waiting_since", True, ("waiting_since IS NOT NULL",), "waiting_since <= :began_at"
            ),
            Order(
                "last_activity_at",
                False,
                ("waiting_since IS NULL",),
                # PostgreSQL would join an EXISTS, and takes IS NULL for one row in 200: it would
                # read and sort all to find as many as a page looks at.
                "(SELECT 1 FROM conversation AS c WHERE c.account_id = :account "
                "AND c.id = entry.conversation_id AND c.updated_at <= :began_at LIMIT 1)"
                " IS NOT NULL",
            ),
        ),
        "window": (
            Order(
                "last_inbound_at",
                True,
                ("last_inbound_at > :closed_until",),
                "last_inbound_at <= :began_at",
            ),
            Order(
                "last_activity_at",
                False,
                ("(last_inbound_at IS NULL OR last_inbound_at <= :closed_until)",),
            ),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class ConversationSelection:
    """Filter and order of conversations: states (2 * status + assigned), ids; None: any.

    awake_at: snoozes that end until then count as open; None to ignore the clock. unread: with
    unread messages, or without. sort: "activity" (latest first), "created" (newest first),
    "waiting" (longest first, then those that do not wait by activity) or "window" (the reply window
    that closes first, then the closed ones by activity). closed_until: windows of messages until
    then are closed. began_at: start of the walk. conversation_ids: only some of these. places: one
    of them, in place of label, channel and assignee. conditions: all of them; pages by them are
    those of `conversation_walks`.
    """

    states: tuple[int, ...]
    label_id: int = NO_LABEL
    channel_id: int | None = None
    assignee_id: int | None = None
    awake_at: int | None = None
    contact_id: int | None = None
    awaiting: bool | None = None
    unread: bool | None = None
    sort: str = "activity"
    closed_until: int = 0
    began_at: int = 0
    conversation_ids: tuple[int, ...] | None = None
    places: tuple[FilterPlace, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Check for a selection without a filter."""
        filters = (self.channel_id, self.assignee_id, self.contact_id, self.awaiting, self.unread)
        return (
            len(self.states) == len(states_of(range(3)))
            and self.label_id == NO_LABEL
            and all(value is None for value in (*filters, self.conversation_ids))
            and not (self.places or self.conditions)
        )

    @property
    def is_walked(self) -> bool:
        """True if its pages are those of `conversation_walks`."""
        return bool(self.conditions) or ORDERS[self.sort][0].column == CREATED

    @property
    def all_places(self) -> tuple[FilterPlace, ...]:
        return self.places or (FilterPlace(self.label_id, self.channel_id, self.assignee_id),)

    def spans(self, order: Order) -> list[Sql]:
        """Conditions that are a range of the index of an order."""
        return [
            condition.limits(order.column, number)
            for number, condition in enumerate(self.conditions)
            if isinstance(condition, TimeSpan) and condition.column == order.column
        ]


@dataclass(frozen=True, slots=True)
class IndexRanges:
    """Index ranges of the filter table with the rows of a selection behind a position in an order.

    One for each state and place, as neither engine merges ranges of `IN (...)`. position: None for
    the beginning.
    """

    dialect: Dialect
    account_id: int
    selection: ConversationSelection
    order: Order
    position: Position | None = None

    def merged(self) -> Sql:
        """Return a statement for keys and ids, in order, each once: up to `:count`."""
        arms, several = list(self._arms()), len(self.selection.places) > 1
        if self.dialect == "postgresql" or several:
            # Without a limit for each, PostgreSQL may sort a whole range; SQLite merges slower.
            first = self.order.first
            arms = [f"SELECT * FROM ({arm} {first}) AS arm{n}" for n, arm in enumerate(arms)]
        together = " UNION " if several else " UNION ALL "
        return Sql(f"{together.join(arms)} {self.order.first}", self.parameters)

    def unsorted(self) -> Sql:
        """Return a statement for keys and ids, in any order and with repetitions."""
        if self.selection.conversation_ids is None:
            return Sql(" UNION ALL ".join(self._arms()), self.parameters)
        # All states at once, by the primary key.
        some = among(self.dialect, "conversation_id", self.selection.conversation_ids)
        arms = (
            self._arm(place, None, some.text, of_states(self.selection, place[1]))
            for place in enumerate(self.selection.all_places)
        )
        return Sql(" UNION ALL ".join(arms), self.parameters | some.parameters)

    @property
    def parameters(self) -> dict[str, object]:
        selection, position = self.selection, self.position
        parameters: dict[str, object] = {
            "account": self.account_id,
            "contact": selection.contact_id,
            "closed_until": selection.closed_until,
            "began_at": selection.began_at,
            "awake_at": selection.awake_at,
        }
        for number, place in enumerate(selection.all_places):
            parameters |= {
                f"label{number}": place.label_id,
                f"channel{number}": place.channel_id,
                f"assignee{number}": place.assignee_id,
            }
        if position is not None:
            parameters |= {"after_key": position[0], "after_id": position[1]}
        for span in selection.spans(self.order):
            parameters |= span.parameters
        return parameters

    def _arms(self) -> Iterator[str]:
        """Yield a range per place and state, and more if expired snoozes change states."""
        asleep = f"IN ({_AWAKE})"
        for place, state in product(enumerate(self.selection.all_places), self.selection.states):
            if not place[1].has(state):
                continue
            if self.selection.awake_at is None:
                yield self._arm(place, state)
            elif state // 2 == SNOOZED:
                yield self._arm(place, state, f"conversation_id NOT {asleep}")
            else:
                yield self._arm(place, state)
                if state // 2 == OPEN:
                    yield self._arm(place, state + 2 * SNOOZED, f"conversation_id {asleep}")

    def _arm(self, numbered: tuple[int, FilterPlace], state: int | None, *also: str) -> str:
        order = self.order
        conditions = [
            *of_place(
                self.selection, numbered, state, _indexed(self.selection, order, numbered[1])
            ),
            *order.conditions,
            *also,
            *(span.text for span in self.selection.spans(order)),
        ]
        if self.position is not None:
            behind = f"{order.comparison} (:after_key, :after_id)"
            conditions.append(f"({order.column}, conversation_id) {behind}")
        return f"SELECT {order.column}, conversation_id FROM entry WHERE {' AND '.join(conditions)}"


def states_of(statuses: Iterable[int], *, assigned: bool | None = None) -> tuple[int, ...]:
    """Return the states of statuses, both assigned and unassigned unless `assigned` is set."""
    kinds = (0, 1) if assigned is None else (int(assigned),)
    return tuple(2 * status + kind for status in statuses for kind in kinds)


def conversation_page(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    after: Position | None,
    count: int,
) -> list[Row]:
    """Return conversations with channel, contact and assignee, in the order of the selection."""
    orders = ORDERS[selection.sort]
    group, position = 0, after
    if after is not None and len(orders) > 1:
        group, position = int(after[0] or 0), after[2:]
    rows: list[Row] = []
    for order in orders[group:]:
        rows += _ordered_page(
            connection,
            account_id,
            selection,
            order if after is None else order.continued(),
            position,
            count - len(rows),
        )
        if len(rows) == count:
            break
        position = None
    return rows


def position_of(row: Row, selection: ConversationSelection) -> Position:
    """Return the sort key of a row of a page: with groups, theirs first and the walk's start."""
    orders = ORDERS[selection.sort]
    if len(orders) == 1:
        return row[orders[0].column], row["id"]
    key = row[orders[0].column]
    group = int(key is None or (selection.sort == "window" and key <= selection.closed_until))
    return group, selection.began_at, row[orders[group].column], row["id"]


def _ordered_page(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    order: Order,
    position: Position | None,
    count: int,
) -> list[Row]:
    page = IndexRanges(connection.dialect, account_id, selection, order, position).merged()
    parameters = page.parameters | {"count": count}
    return page_rows(connection, selection, order, Sql(page.text, parameters))


def page_rows(
    connection: Connection, selection: ConversationSelection, order: Order, page: Sql
) -> list[Row]:
    """Return the conversations of a statement for ids, in an order."""
    rows = _listed(connection, f"({page.text}) AS page", page.parameters, selection.awake_at)
    # SQLite would copy every column into a table for it.
    return sorted(rows, key=itemgetter(order.column, "id"), reverse=not order.ascending)


def conversations_by_id(
    connection: Connection,
    account_id: int,
    conversation_ids: Sequence[int],
    awake_at: int | None,
) -> dict[int, Row]:
    """Return conversations as those of a page, by id."""
    placeholders, parameters = one_of("only", conversation_ids)
    # The limit keeps SQLite from looking through all contacts first.
    source = (
        "(SELECT id AS conversation_id FROM conversation WHERE account_id = :account"
        f" AND id IN ({placeholders}) LIMIT {len(conversation_ids)}) AS page"
    )
    rows = _listed(connection, source, {"account": account_id, **parameters}, awake_at)
    return {row["id"]: row for row in rows}


def _listed(
    connection: Connection,
    source: str,
    parameters: Mapping[str, object],
    awake_at: int | None,
) -> list[Row]:
    """Return the conversations of `source`, whose alias is page, in any order."""
    rows = connection.rows(
        f"""
        SELECT c.id, c.status, c.awaiting_human, c.handed_over_at, c.episode_at,
          c.snoozed_until, c.unread_count, c.waiting_since, c.first_reply_at,
          c.last_inbound_at, c.last_activity_at, c.last_message_json,
          c.created_at, c.updated_at, c.contact_id, c.assignee_id,
          channel.phone_number_id, channel.name AS channel_name, channel.phone AS channel_phone,
          contact.name AS contact_name, contact.phone AS contact_phone,
          contact.username AS contact_username, app_user.name AS assignee
        FROM {source}
        JOIN conversation AS c ON c.account_id = :account AND c.id = page.conversation_id
        JOIN channel ON channel.account_id = :account AND channel.id = c.channel_id
        JOIN contact ON contact.account_id = :account AND contact.id = c.contact_id
        LEFT JOIN app_user ON app_user.account_id = :account AND app_user.id = c.assignee_id
        """,
        parameters,
    )
    return rows if awake_at is None else [_awake(row, awake_at) for row in rows]


def selected_ids(
    connection: Connection, account_id: int, selection: ConversationSelection, count: int
) -> list[int]:
    """Return the ids of up to `count` conversations of a selection, in any order.

    Conditions are left aside.
    """
    order = ORDERS["activity"][0]
    selected = IndexRanges(connection.dialect, account_id, selection, order).unsorted()
    # As many as there may be of one conversation: PostgreSQL would read all to find the distinct.
    first = f"SELECT conversation_id FROM ({selected.text}) AS selected LIMIT :most"
    most = count * len(selection.all_places)
    rows = connection.rows(
        f"SELECT DISTINCT conversation_id FROM ({first}) AS first LIMIT :count",
        selected.parameters | {"count": count, "most": most},
    )
    return [row["conversation_id"] for row in rows]


def among(dialect: Dialect, column: str, ids: Sequence[int]) -> Sql:
    """Return the condition that a column has one of many ids."""
    if dialect == "postgresql":
        return Sql(f"{column} = ANY(:some)", {"some": [*ids]})
    listed = "SELECT value FROM json_each(:some)"
    return Sql(f"{column} IN ({listed})", {"some": json.dumps([*ids])})


def of_states(selection: ConversationSelection, place: FilterPlace) -> str:
    """Return the condition of a row of the filter table by its state now."""
    state = "state"
    if selection.awake_at is not None:
        snoozed = f"state / 2 = {SNOOZED} AND conversation_id IN ({_AWAKE})"
        state = f"state - CASE WHEN {snoozed} THEN {2 * SNOOZED} ELSE 0 END"
    states = ", ".join(str(each) for each in selection.states if place.has(each))
    return f"{state} IN ({states or 'NULL'})"


def _awake(row: Row, awake_at: int) -> Row:
    """Return a conversation as it is after its snooze expired."""
    until = row["snoozed_until"]
    if until is None or until > awake_at:
        return row
    opened = {"status": OPEN, "snoozed_until": None, "updated_at": max(row["updated_at"], until)}
    return {**row, **opened}


def of_place(
    selection: ConversationSelection,
    numbered: tuple[int, FilterPlace],
    state: int | None,
    indexed: frozenset[str] = frozenset(),
) -> Iterator[str]:
    """Yield the conditions of rows of the filter table, by a place and its number.

    indexed: columns by which an index is chosen; the others only filter its rows.
    """
    number, place = numbered
    yield "account_id = :account"
    yield f"label_id = :label{number}"
    for name, value, operand in (
        ("state", state, str(state)),
        ("assignee_id", place.assignee_id, f":assignee{number}"),
        ("channel_id", place.channel_id, f":channel{number}"),
        ("awaiting", selection.awaiting, str(int(selection.awaiting or 0))),
        ("unread", selection.unread, str(int(selection.unread or 0))),
    ):
        if value is not None:
            # A plus keeps both engines from using an index on the column.
            yield f"{'' if name in indexed else '+'}{name} = {operand}"
    if selection.contact_id is not None:
        yield f"conversation_id IN ({_OF_CONTACT})"


def _indexed(selection: ConversationSelection, order: Order, place: FilterPlace) -> frozenset[str]:
    """Return the columns by which an index is chosen."""
    if selection.contact_id is not None or selection.conversation_ids is not None:
        return frozenset()
    if order.column == "last_inbound_at":
        return frozenset({"state"})
    column = "channel_id" if place.assignee_id is None else "assignee_id"
    if order.column == "waiting_since":
        return frozenset({"state", column})
    for name, value in (("awaiting", selection.awaiting), ("unread", selection.unread)):
        if value:
            return frozenset({"state", name, column})
    return frozenset({"state", "assignee_id", "channel_id"})


def labels_of(
    connection: Connection, account_id: int, conversation_ids: Sequence[int]
) -> list[Row]:
    """Return (conversation_id, title) of all labels on the conversations, by title."""
    if not conversation_ids:
        return []
    placeholders, parameters = one_of("id", conversation_ids)
    return connection.rows(
        f"""
        SELECT entry.conversation_id, label.title
        FROM entry JOIN label ON label.account_id = :account AND label.id = entry.label_id
        WHERE entry.account_id = :account AND entry.conversation_id IN ({placeholders})
          AND entry.label_id <> {NO_LABEL}
        ORDER BY label.title
        """,
        {"account": account_id, **parameters},
    )


class CountedCells(NamedTuple):
    """Counter cells of some conversations.

    tests: what is true for a row of `cell`. awake_at: conversations snoozed until then or before
    count as open.
    """

    label_id: int = NO_LABEL
    tests: tuple[Sql, ...] = ()
    awake_at: int | None = None
    contact_id: int | None = None

    @property
    def source(self) -> str:
        """FROM and WHERE of a statement, without the condition on the label."""
        cells = "cell" if self.awake_at is None else _CELLS_AWAKE
        if self.contact_id is not None:
            cells = _CELLS_OF_CONTACT
        conditions = ["cell.account_id = :account", *(test.text for test in self.tests)]
        return f"FROM {cells} WHERE {' AND '.join(conditions)}"

    def parameters(self, account_id: int) -> dict[str, object]:
        return {
            "account": account_id,
            "label": self.label_id,
            "awake_at": self.awake_at,
            "contact": self.contact_id,
            **dict(item for test in self.tests for item in test.parameters.items()),
        }


def counts(
    connection: Connection, account_id: int, of: CountedCells, user_id: int | None = None
) -> list[Row]:
    """Sum the counter cells: (phone_number_id, status, assigned, mine, awaiting, unread, n).

    user_id: whose conversations are `mine`.
    """
    return connection.rows(
        f"""
        SELECT channel.phone_number_id, sums.* FROM (
          SELECT cell.channel_id, cell.state / 2 AS status, cell.state % 2 AS assigned,
            CASE WHEN cell.assignee_id = :user THEN 1 ELSE 0 END AS mine,
            cell.awaiting, cell.unread, SUM(cell.n) AS n
          {of.source} AND cell.label_id = :label
          GROUP BY 1, 2, 3, 4, 5, 6 HAVING SUM(cell.n) <> 0) AS sums
        JOIN channel ON channel.account_id = :account AND channel.id = sums.channel_id
        ORDER BY channel.name_key, channel.id
        """,
        # -1 matches no user.
        of.parameters(account_id) | {"user": -1 if user_id is None else user_id},
    )


def number_of_cells(connection: Connection, account_id: int, of: CountedCells) -> int:
    """Sum the counter cells."""
    return first_number(
        connection,
        f"SELECT COALESCE(SUM(cell.n), 0) AS n {of.source} AND cell.label_id = :label",
        of.parameters(account_id),
    )


def counts_by_assignee(connection: Connection, account_id: int, of: CountedCells) -> list[Row]:
    """Sum the counter cells: (assignee_id, status, n), by id; 0 has those without an assignee."""
    return connection.rows(
        f"""
        SELECT cell.assignee_id, cell.state / 2 AS status, SUM(cell.n) AS n
        {of.source} AND cell.label_id = :label
        GROUP BY 1, 2 HAVING SUM(cell.n) <> 0 ORDER BY 1, 2
        """,
        of.parameters(account_id),
    )


def counts_by_label(connection: Connection, account_id: int, of: CountedCells) -> list[Row]:
    """Sum the counter cells: (title, status, n), by title, whatever `of.label_id` is.

    A conversation with several labels counts in each.
    """
    return connection.rows(
        f"""
        SELECT label.title, sums.status, sums.n FROM (
          SELECT cell.label_id, cell.state / 2 AS status, SUM(cell.n) AS n
          {of.source} AND cell.label_id > {NO_LABEL}
          GROUP BY 1, 2 HAVING SUM(cell.n) <> 0) AS sums
        JOIN label ON label.account_id = :account AND label.id = sums.label_id
        ORDER BY label.title_key, sums.status
        """,
        of.parameters(account_id),
    )


def channel_id(connection: Connection, account_id: int, phone_number_id: str) -> int | None:
    """Return a channel's row id by its phone number id."""
    return _row_id(connection, "channel", "phone_number_id", account_id, phone_number_id)


def label_id(connection: Connection, account_id: int, title_key: str) -> int | None:
    """Return a label's id by its casefolded title."""
    return _row_id(connection, "label", "title_key", account_id, title_key)


def is_user(connection: Connection, account_id: int, user_id: int) -> bool:
    """Check if the account has this user, active or not."""
    return _row_id(connection, "app_user", "id", account_id, user_id) is not None


def is_field(connection: Connection, account_id: int, key: str) -> bool:
    """Check if the account has a custom field with this key, defined or of a contact."""
    row = connection.row(
        """
        SELECT id FROM custom_field WHERE account_id = :account AND key = :key
        UNION ALL
        SELECT contact_id FROM contact_field WHERE account_id = :account AND key = :key LIMIT 1
        """,
        {"account": account_id, "key": key},
    )
    return row is not None


def _row_id(
    connection: Connection, table: str, column: str, account_id: int, value: str | int
) -> int | None:
    row = connection.row(
        f"SELECT id FROM {table} WHERE account_id = :account AND {column} = :value",
        {"account": account_id, "value": value},
    )
    return None if row is None else int(row["id"])


def conversation(connection: Connection, account_id: int, conversation_id: int) -> Row | None:
    """Return (id, channel_id, contact_id, contact_name) of a conversation."""
    return connection.row(
        """
        SELECT c.id, c.channel_id, c.contact_id, contact.name AS contact_name
        FROM conversation AS c
        JOIN contact ON contact.account_id = c.account_id AND contact.id = c.contact_id
        WHERE c.account_id = :account AND c.id = :id
        """,
        {"account": account_id, "id": conversation_id},
    )


def due_snoozes(connection: Connection, account_id: int, now: int, count: int) -> list[Row]:
    """Return conversations with an expired snooze and their contacts, earliest end first."""
    return connection.rows(
        """
        SELECT c.id, c.snoozed_until, channel.phone_number_id,
          contact.phone, contact.wa_id, contact.wa_user_id
        FROM conversation AS c
        JOIN channel ON channel.account_id = c.account_id AND channel.id = c.channel_id
        JOIN contact ON contact.account_id = c.account_id AND contact.id = c.contact_id
        WHERE c.account_id = :account AND c.snoozed_until IS NOT NULL AND c.snoozed_until <= :now
        ORDER BY c.snoozed_until LIMIT :count
        """,
        {"account": account_id, "now": now, "count": count},
    )


class SnoozeEnds(NamedTuple):
    """Ends of the stored snoozes of an account around a moment, in epoch milliseconds.

    last: of the latest that has ended, though it is still stored. next: of the first to end.
    """

    last: int | None
    next: int | None


def snooze_ends(connection: Connection, account_id: int, now: int) -> SnoozeEnds:
    row = connection.row(
        """
        SELECT
          (SELECT MAX(snoozed_until) FROM conversation
           WHERE account_id = :account AND snoozed_until <= :now) AS last,
          (SELECT MIN(snoozed_until) FROM conversation
           WHERE account_id = :account AND snoozed_until > :now) AS next
        """,
        {"account": account_id, "now": now},
    )
    assert row is not None
    return SnoozeEnds(row["last"], row["next"])


# Columns by which the pages of each are sorted.
THREAD_ORDERS: Mapping[Literal["message", "note"], tuple[str, ...]] = MappingProxyType(
    {"message": MESSAGE_ORDER, "note": ("created_at", "id")}
)


def thread_page(
    connection: Connection,
    account_id: int,
    table: Literal["message", "note"],
    conversation_id: int,
    after: Position | None,
    count: int,
) -> list[Row]:
    """Return messages of a conversation or notes on it, newest first."""
    ids = {"account": account_id, "conversation": conversation_id}
    parameters: dict[str, object] = {**ids, "count": count}
    order, continued = THREAD_ORDERS[table], ""
    if after is not None:
        places = {f"after_{name}": value for name, value in zip(order, after, strict=True)}
        values = ", ".join(f":{name}" for name in places)
        continued = f"AND ({', '.join(order)}) < ({values})"
        parameters |= places
    descending = ", ".join(f"{name} DESC" for name in order)
    return connection.rows(
        f"""
        SELECT * FROM {table}
        WHERE account_id = :account AND conversation_id = :conversation {continued}
        ORDER BY {descending} LIMIT :count
        """,
        parameters,
    )


def user_names(connection: Connection, account_id: int, user_ids: Sequence[int]) -> dict[str, str]:
    if not user_ids:
        return {}
    placeholders, parameters = one_of("id", user_ids)
    rows = connection.rows(
        f"SELECT id, name FROM app_user WHERE account_id = :account AND id IN ({placeholders})",
        {"account": account_id, **parameters},
    )
    return {str(row["id"]): row["name"] for row in rows}


def quoted_messages(
    connection: Connection, account_id: int, channel_id: int, wamids: Sequence[str]
) -> list[Row]:
    """Return the quotable columns of messages by wamid; unknown ones are missing."""
    if not wamids:
        return []
    placeholders, parameters = one_of("wamid", wamids)
    return connection.rows(
        f"""
        SELECT id, wamid, direction, author, type, text, deleted_at, media_json FROM message
        WHERE account_id = :account AND channel_id = :channel AND wamid IN ({placeholders})
        """,
        {"account": account_id, "channel": channel_id, **parameters},
    )


def reactions_to(
    connection: Connection, account_id: int, channel_id: int, wamids: Sequence[str]
) -> list[Row]:
    """Return current reactions to messages by wamid, oldest first."""
    if not wamids:
        return []
    placeholders, parameters = one_of("wamid", wamids)
    return connection.rows(
        f"""
        SELECT target_wamid, emoji, direction, author, created_at FROM reaction
        WHERE account_id = :account AND channel_id = :channel AND target_wamid IN ({placeholders})
          AND emoji <> ''
        ORDER BY created_at, person
        """,
        {"account": account_id, "channel": channel_id, **parameters},
    )


def one_of(name: str, values: Sequence[object]) -> tuple[str, dict[str, object]]:
    """Return the placeholders of an `IN (...)` list and their parameters; NULL if it is empty."""
    parameters = {f"{name}{number}": value for number, value in enumerate(values)}
    return ", ".join(f":{key}" for key in parameters) or "NULL", parameters


# Open, unassigned and assigned: separate states in the filter table.
_OPEN_STATES = (0, 1)


def idle_since(
    connection: Connection, account_id: int, before: int, count: int, *, except_waiting: bool
) -> list[Row]:
    """Return open conversations without activity since `before`, with their contacts.

    (id, folded_at, phone_number_id, phone, wa_id, wa_user_id): up to `count` of the assigned and as
    many of the unassigned, oldest activity first. Conversations known only from back-fill are
    excluded, as are, with `except_waiting`, those in which a customer waits.
    """
    rows: list[Row] = []
    for state in _OPEN_STATES:
        rows += connection.rows(
            f"""
            SELECT c.id, c.folded_at, channel.phone_number_id,
              contact.phone, contact.wa_id, contact.wa_user_id
            FROM entry
            JOIN conversation AS c ON c.account_id = entry.account_id
              AND c.id = entry.conversation_id
            JOIN channel ON channel.account_id = c.account_id AND channel.id = c.channel_id
            JOIN contact ON contact.account_id = c.account_id AND contact.id = c.contact_id
            WHERE entry.account_id = :account AND entry.label_id = 0 AND entry.state = :state
              AND entry.last_activity_at < :before AND c.status_known = 1
              {"AND c.waiting_since IS NULL" if except_waiting else ""}
            ORDER BY entry.last_activity_at, entry.conversation_id LIMIT :count
            """,
            {"account": account_id, "state": state, "before": before, "count": count},
        )
    return rows


TEXT_LIMIT = 200

_JOINER = "\u200d"


def preview_json(message: Row) -> str:
    """Encode a row of `message` as a MessagePreview."""
    text, deleted_at = message["text"], message["deleted_at"]
    return compact_json(
        {
            "id": str(message["id"]),
            "direction": "outbound" if message["direction"] else "inbound",
            "author": message["author"],
            "type": message["type"],
            "text": None if text is None else shortened(text, TEXT_LIMIT),
            "delivery_status": message["delivery_status"],
            "created_at": timestamp(message["created_at"]),
            **({} if deleted_at is None else {"deleted_at": timestamp(deleted_at)}),
        },
    )


def previewed_id(preview: str | None) -> int | None:
    return None if preview is None else int(json.loads(preview)["id"])


def shortened(text: str, limit: int) -> str:
    """Truncate a text to `limit` characters at a grapheme boundary."""
    if len(text) <= limit:
        return text
    cut = limit
    while cut and _joined(text, cut):
        cut -= 1
    return text[: cut or limit]


def _joined(text: str, cut: int) -> bool:
    """Check if the characters on both sides of `cut` belong to one grapheme."""
    before, after = text[cut - 1], text[cut]
    if after.isascii():
        return before == "\r" and after == "\n"
    if _is_flag_half(after):
        return _flag_halves_before(text, cut) % 2 == 1
    return _JOINER in (before, after) or _extends(after)


def _extends(character: str) -> bool:
    """Check for marks, variation selectors, skin tones and tags, which extend a grapheme."""
    return (
        unicodedata.category(character).startswith("M")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, cut: int) -> int:
    start = cut
    while start and _is_flag_half(text[start - 1]):
        start -= 1
    return cut - start
