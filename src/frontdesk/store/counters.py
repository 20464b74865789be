"""Conversation filter table and counter cells, updated incrementally with each change."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from frontdesk.store import writes
from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import UNREAD_SQL, EntryRow, is_unread, sum_rows


class Cell(NamedTuple):
    """Key of a counter; label_id 0 counts all conversations."""

    label_id: int
    channel_id: int
    state: int
    assignee_id: int
    awaiting: int
    unread: int


class LabelledConversation(NamedTuple):
    """Conversation row with its label ids, as indexed by the filter table."""

    conversation: Row
    label_ids: frozenset[int]


def state_of(conversation: Row) -> int:
    """Return 2 * status + assigned."""
    return 2 * int(conversation["status"]) + int(conversation["assignee_id"] != 0)


def move(
    connection: Connection,
    account_id: int,
    moves: Iterable[tuple[LabelledConversation | None, LabelledConversation | None]],
) -> None:
    """Apply the difference between old and new states to entries and cells.

    An old state of None is an insert, a new state of None a delete.
    """
    deltas: Counter[Cell] = Counter()
    entries: list[EntryRow] = []
    removed: list[EntryRow] = []
    for was, now in moves:
        before, after = (
            {} if listed is None else entries_of(account_id, listed) for listed in (was, now)
        )
        deltas.update(() if now is None else cells_of(now))
        deltas.subtract(() if was is None else cells_of(was))
        entries += [entry for label, entry in after.items() if before.get(label) != entry]
        removed += [before[label] for label in before.keys() - after.keys()]
    writes.save(connection, "entry", entries)
    writes.drop(connection, "entry", removed)
    writes.add_sums(connection, "cell", cell_rows(account_id, deltas))


def cell_rows(account_id: int, counts: Mapping[Cell, int]) -> Iterator[dict[str, Any]]:
    """Yield rows of the cells whose count is not 0."""
    return sum_rows("cell", account_id, ((cell, (n,)) for cell, n in counts.items()))


def counters(connection: Connection, account_id: int) -> dict[Cell, int]:
    """Return the stored cells."""
    rows = connection.rows(
        """
        SELECT label_id, channel_id, state, assignee_id, awaiting, unread, n FROM cell
        WHERE account_id=:account_id
        """,
        {"account_id": account_id},
    )
    return {_cell(row): row["n"] for row in rows}


def recount(connection: Connection, account_id: int) -> dict[Cell, int]:
    """Recompute the cells from conversations and labels."""
    rows = connection.rows(
        f"""
        SELECT entry.label_id, c.channel_id,
          2 * c.status + CASE WHEN c.assignee_id = 0 THEN 0 ELSE 1 END AS state,
          c.assignee_id, c.awaiting_human AS awaiting, {UNREAD_SQL} AS unread, count(*) AS n
        FROM conversation c JOIN entry
          ON entry.account_id = c.account_id AND entry.conversation_id = c.id
        WHERE c.account_id=:account_id GROUP BY 1, 2, 3, 4, 5, 6
        """,
        {"account_id": account_id},
    )
    return {_cell(row): row["n"] for row in rows}


def misplaced_entries(connection: Connection, account_id: int) -> list[int]:
    """Return ids of conversations whose filter table rows are missing or wrong."""
    rows = connection.rows(
        f"""
        SELECT c.id FROM conversation c LEFT JOIN entry
          ON entry.account_id = c.account_id AND entry.conversation_id = c.id
        WHERE c.account_id=:account_id
        GROUP BY c.id, c.status, c.assignee_id, c.channel_id, c.last_activity_at, c.awaiting_human,
          c.unread_count, c.waiting_since, c.last_inbound_at
        HAVING count(CASE WHEN entry.label_id = 0 THEN 1 END) <> 1 OR count(CASE WHEN
          entry.state <> 2 * c.status + CASE WHEN c.assignee_id = 0 THEN 0 ELSE 1 END
          OR entry.assignee_id <> c.assignee_id OR entry.channel_id <> c.channel_id
          OR entry.last_activity_at <> c.last_activity_at OR entry.awaiting <> c.awaiting_human
          OR entry.unread <> {UNREAD_SQL}
          OR COALESCE(entry.waiting_since, 0) <> COALESCE(c.waiting_since, 0)
          OR COALESCE(entry.last_inbound_at, 0) <> COALESCE(c.last_inbound_at, 0) THEN 1 END) > 0
        ORDER BY c.id
        """,
        {"account_id": account_id},
    )
    return [row["id"] for row in rows]


def _cell(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def cells_of(listed: LabelledConversation) -> list[Cell]:
    """Return the cells that count a conversation: one for all, and one per label."""
    row = listed.conversation
    rest = (
        row["channel_id"],
        state_of(row),
        row["assignee_id"],
        int(row["awaiting_human"]),
        int(is_unread(row)),
    )
    return [Cell(label_id, *rest) for label_id in (0, *listed.label_ids)]


def entries_of(account_id: int, listed: LabelledConversation) -> dict[int, EntryRow]:
    """Return a conversation's filter table rows by label id."""
    row = listed.conversation
    return {
        label_id: {
            "account_id": account_id,
            "conversation_id": row["id"],
            "label_id": label_id,
            "state": state_of(row),
            "assignee_id": row["assignee_id"],
            "channel_id": row["channel_id"],
            "last_activity_at": row["last_activity_at"],
            "awaiting": int(row["awaiting_human"]),
            "unread": int(is_unread(row)),
            "waiting_since": row["waiting_since"],
            "last_inbound_at": row["last_inbound_at"],
        }
        for label_id in (0, *listed.label_ids)
    }
