"""Which conversations are asked for: every shape of filter, at any depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from frontdesk.store.conversations import ConversationSelection, Position, states_of
from frontdesk.store.database import Connection

ACCOUNT = 1
PAGE = 26


@dataclass(frozen=True)
class Asked:
    """A page that is asked for."""

    selection: ConversationSelection
    after: Position | None


@dataclass(frozen=True)
class Inbox:
    """What filters of an inbox can name, the most used first, and when anything happened in it."""

    channels: Sequence[int]
    assignees: Sequence[int]
    labels: Sequence[int]
    first: int
    last: int


def inbox(connection: Connection) -> Inbox:
    """Look at an inbox."""

    def most_used(column: str, condition: str) -> list[int]:
        rows = connection.rows(
            f"SELECT {column} AS id, SUM(n) AS n FROM cell WHERE account_id = 1 AND {condition}"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return [row["id"] for row in rows]

    moments = connection.row(
        "SELECT MIN(last_activity_at) AS first, MAX(last_activity_at) AS last"
        " FROM entry WHERE account_id = 1 AND label_id = 0"
    )
    assert moments is not None
    return Inbox(
        most_used("channel_id", "label_id = 0"),
        most_used("assignee_id", "label_id = 0 AND assignee_id <> 0"),
        most_used("label_id", "label_id <> 0"),
        moments["first"],
        moments["last"],
    )


def every_shape(inbox: Inbox, samples: int, random: Random) -> list[Asked]:
    """All 32 shapes of filter, each with so many values and depths."""
    asked = []
    shapes = product((None, 0, 1, 2), (False, True), (False, True), (False, True))
    for status, assignee, channel, label in shapes:
        for number in range(samples):
            selection = ConversationSelection(
                states_of(range(3) if status is None else (status,), assigned=assignee or None),
                random.choice(inbox.labels) if label else 0,
                random.choice(inbox.channels) if channel else None,
                random.choice(inbox.assignees) if assignee else None,
            )
            moment = random.randint(inbox.first, inbox.last)
            asked.append(Asked(selection, (moment, 0) if number else None))
    return asked


def at_depth(
    connection: Connection, selection: ConversationSelection, depth: float
) -> Position | None:
    """The row behind which that share of a selection's conversations is left."""
    states = ", ".join(map(str, selection.states))
    conditions = f"account_id = 1 AND label_id = {selection.label_id} AND state IN ({states})"
    if selection.channel_id is not None:
        conditions += f" AND channel_id = {selection.channel_id}"
    if selection.assignee_id is not None:
        conditions += f" AND assignee_id = {selection.assignee_id}"
    total = connection.row(f"SELECT COUNT(*) AS n FROM entry WHERE {conditions}")
    assert total is not None
    row = connection.row(
        f"""
        SELECT last_activity_at, conversation_id FROM entry WHERE {conditions}
        ORDER BY last_activity_at DESC, conversation_id DESC LIMIT 1 OFFSET :skipped
        """,
        {"skipped": int(depth * total["n"])},
    )
    return None if row is None else (row["last_activity_at"], row["conversation_id"])
