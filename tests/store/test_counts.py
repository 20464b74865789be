"""Counts from counter cells, against conversations and labels counted one by one."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from tests.service.filter_inbox import AT, fill

from frontdesk.store.conversations import (
    NO_ASSIGNEE,
    CountedCells,
    counts,
    counts_by_assignee,
    counts_by_label,
)
from frontdesk.store.database import Connection, Database, Row

pytestmark = pytest.mark.both_engines

LABELS = (0, 1, 2)
CHANNELS = ((), (1,), (1, 3))
ASSIGNEES = ((), (NO_ASSIGNEE,), (1,), (NO_ASSIGNEE, 2), (1, 2, 3))
# What is cheap to combine is combined in pairs.
NARROWED = ((None, None, None), (True, None, None), (False, None, None), (None, True, None))
NARROWED = (*NARROWED, (None, None, False), (True, True, True))


def selections() -> Iterator[CountedCells]:
    for label, channels, assignees in product(LABELS, CHANNELS, ASSIGNEES):
        for assigned, awaiting, unread in NARROWED:
            yield CountedCells(
                label,
                channels,
                assignees,
                assigned,
                awake_at=AT,
                awaiting=awaiting,
                unread=unread,
            )


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


def is_selected(row: Row, labels: set[int], of: CountedCells) -> bool:
    return (
        of.label_id in {0, *labels}
        and (not of.channel_ids or row["channel_id"] in of.channel_ids)
        and (not of.assignee_ids or row["assignee_id"] in of.assignee_ids)
        and of.assigned in (None, row["assignee_id"] != NO_ASSIGNEE)
        and of.awaiting in (None, bool(row["awaiting_human"]))
        and of.unread in (None, is_unread(row))
    )


def test_counts_are_those_of_the_conversations_one_by_one(database: Database) -> None:
    fill(database)
    found = set[int]()
    every = database.read(conversations)
    for of in selections():
        chosen = [each for each in every if is_selected(each[0], each[1], of)]
        cells = database.read(lambda c, of=of: counts(c, 1, of, user_id=1))  # type: ignore[misc]
        summed = Counter[tuple[str, int, bool, bool]]()
        for cell in cells:
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
    for of in selections():
        owners = database.read(lambda c, of=of: counts_by_assignee(c, 1, of))  # type: ignore[misc]
        chosen = [row for row, labels, _ in every if is_selected(row, labels, of)]
        assert {(row["assignee_id"], row["status"]): row["n"] for row in owners} == Counter(
            (row["assignee_id"], status(row)) for row in chosen
        ), of
        found = database.read(lambda c, of=of: counts_by_label(c, 1, of))  # type: ignore[misc]
        of_any = of._replace(label_id=0)
        assert {(row["title"], row["status"]): row["n"] for row in found} == Counter(
            (titles[label], status(row))
            for row, labels, _ in every
            if is_selected(row, labels, of_any)
            for label in labels
        ), of
