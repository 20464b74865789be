"""Counts from counter cells, against conversations and labels counted one by one."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from operator import itemgetter

import pytest
from tests.service.filter_inbox import AT, fill

from frontdesk.store.conversation_conditions import Condition
from frontdesk.store.conversations import (
    ConversationSelection,
    CountedCells,
    counts,
    counts_by_assignee,
    counts_by_label,
    number_of_cells,
    states_of,
)
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.query_conditions import AnyOf, HasNote, Placed, counted_cells

pytestmark = pytest.mark.both_engines

LABELS = (0, 1, 2)
NO_ASSIGNEE = 0
Test = Callable[[Row], bool]


def placed(column: str, *values: int) -> tuple[Condition, Test]:
    """A condition, and what it means."""
    tests: dict[str, Callable[[Row], int]] = {
        "state": lambda row: 2 * status(row) + (row["assignee_id"] != NO_ASSIGNEE),
        "awaiting": lambda row: int(row["awaiting_human"]),
        "unread": lambda row: int(is_unread(row)),
    }
    of = tests.get(column, itemgetter(column))
    return Placed(column, values), lambda row: of(row) in values  # type: ignore[arg-type]


def any_of(*parts: tuple[Condition, Test], every: bool = False) -> tuple[Condition, Test]:
    combined = all if every else any
    condition = AnyOf(tuple(part for part, _ in parts), every)
    return condition, lambda row: combined(test(row) for _, test in parts)


def negated(part: tuple[Condition, Test]) -> tuple[Condition, Test]:
    return AnyOf((part[0],), negated=True), lambda row: not part[1](row)


TEAM = any_of(
    placed("channel_id", 1, 3),
    any_of(placed("state", 0, 2, 4), placed("assignee_id", 2)),
    every=True,
)
CHANNELS = ((), (placed("channel_id", 1),), (negated(placed("channel_id", 1, 3)),))
ASSIGNEES = (
    (),
    (placed("assignee_id", NO_ASSIGNEE),),
    (placed("assignee_id", NO_ASSIGNEE, 2),),
    (negated(placed("assignee_id", 1, 2, 3)),),
    (TEAM,),
    (negated(TEAM),),
)
# What is cheap to combine is combined in pairs.
NARROWED = (
    (),
    (placed("state", 1, 3, 5),),
    (placed("state", 0, 1), placed("awaiting", 1)),
    (placed("unread", 0), negated(placed("state", 2, 3))),
    (placed("state", 1, 3, 5), placed("awaiting", 1), placed("unread", 1)),
)


def cells(conditions: Sequence[Condition], label: int = 0) -> CountedCells | None:
    return counted_cells(
        ConversationSelection(states_of(range(3)), label, awake_at=AT, conditions=tuple(conditions))
    )


def selections() -> Iterator[tuple[CountedCells, Callable[[Row, set[int]], bool]]]:
    for label, *parts in product(LABELS, CHANNELS, ASSIGNEES, NARROWED):
        conditions = [part for each in parts for part in each]
        of = cells([condition for condition, _ in conditions], label)
        assert of is not None
        tests = [test for _, test in conditions]

        def matches(
            row: Row, labels: set[int], label: int = label, tests: list[Test] = tests
        ) -> bool:
            return label in {0, *labels} and all(test(row) for test in tests)

        yield of, matches


def conversations(connection: Connection) -> list[tuple[Row, set[int], str]]:
    """Every conversation, its labels, and the id of its channel as the provider has it."""
    rows = connection.rows(
        """
        SELECT c.*, channel.phone_number_id FROM conversation AS c
        JOIN channel ON channel.account_id = c.account_id AND channel.id = c.channel_id
        WHERE c.account_id = 1
        """
    )
    labels: dict[int, set[int]] = {row["id"]: set() for row in rows}
    for row in connection.rows("SELECT conversation_id, label_id FROM entry WHERE label_id > 0"):
        labels[row["conversation_id"]].add(row["label_id"])
    return [(row, labels[row["id"]], row["phone_number_id"]) for row in rows]


def status(row: Row) -> int:
    asleep = row["snoozed_until"] is not None and row["snoozed_until"] <= AT
    return 0 if asleep else int(row["status"])


def is_unread(row: Row) -> bool:
    if row["unread_count"] is None:
        return row["last_inbound_at"] is not None
    return bool(row["unread_count"])


@pytest.mark.parametrize(
    "conditions",
    [
        (Placed("label_id", (1, 2)),),
        (Placed("label_id", (1,)), Placed("label_id", (2,))),
        (AnyOf((Placed("label_id", (1,)),), negated=True),),
        (AnyOf((Placed("channel_id", (1,)), HasNote())),),
        (HasNote(),),
    ],
)
def test_cells_tell_one_label_and_nothing_that_is_not_a_place(
    conditions: tuple[Condition, ...],
) -> None:
    assert cells(conditions) is None
    assert cells((Placed("label_id", (1,)),), 2) is None
    one = cells((Placed("label_id", (1,)),))
    assert one is not None
    assert one.label_id == 1


def test_counts_are_those_of_the_conversations_one_by_one(database: Database) -> None:
    fill(database)
    found = set[int]()
    every = database.read(conversations)
    for of, matches in selections():
        chosen = [each for each in every if matches(each[0], each[1])]
        assert database.read(partial(number_of_cells, account_id=1, of=of)) == len(chosen)
        summands = database.read(lambda c, of=of: counts(c, 1, of, user_id=1))  # type: ignore[misc]
        summed = Counter[tuple[str, int, bool, bool]]()
        for cell in summands:
            key = cell["phone_number_id"], cell["status"], bool(cell["mine"]), bool(cell["unread"])
            summed[key] += cell["n"]
        assert summed == Counter(
            (channel, status(row), row["assignee_id"] == 1, is_unread(row))
            for row, _, channel in chosen
        ), of
        found.add(len(chosen))
    assert len(found) > 10


def test_counts_by_a_value_are_those_of_the_conversations_one_by_one(database: Database) -> None:
    fill(database)
    every = database.read(conversations)
    titles = {
        row["id"]: row["title"]
        for row in database.read(lambda c: c.rows("SELECT id, title FROM label"))
    }
    for of, matches in selections():
        owners = database.read(lambda c, of=of: counts_by_assignee(c, 1, of))  # type: ignore[misc]
        chosen = [row for row, labels, _ in every if matches(row, labels)]
        assert {(row["assignee_id"], row["status"]): row["n"] for row in owners} == Counter(
            (row["assignee_id"], status(row)) for row in chosen
        ), of
        found = database.read(lambda c, of=of: counts_by_label(c, 1, of))  # type: ignore[misc]
        assert {(row["title"], row["status"]): row["n"] for row in found} == Counter(
            (titles[label], status(row))
            for row, labels, _ in every
            if matches(row, {*labels, of.label_id})
            for label in labels
        ), of
