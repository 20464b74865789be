"""Order-statistics index of a list: two levels of counted nodes, for access by position."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import pairwise

from frontdesk.timeline import HIGHEST, LOWEST, Key

BLOCKS = 1
RUNS = 2
_MOST_CHILDREN = {BLOCKS: 100, RUNS: 128}
MOST_ROWS = {BLOCKS: 100, RUNS: 100 * 128}

_CHILDREN = {
    BLOCKS: (
        "SELECT sort, size, id, kind, 1 FROM entry WHERE list = ?"
        " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)"
        " ORDER BY sort, size, id, kind"
    ),
    RUNS: (
        "SELECT sort, size, id, kind, count FROM node WHERE list = ? AND level = 1"
        " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)"
        " ORDER BY sort, size, id, kind"
    ),
}


def lay_out(connection: sqlite3.Connection, number: int) -> None:
    """Create the index of an empty list: one node per level, covering all keys."""
    connection.executemany(
        "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, 0)",
        [(number, level, *LOWEST) for level in (BLOCKS, RUNS)],
    )


def recount(connection: sqlite3.Connection, number: int, changed: Iterable[Key]) -> None:
    """Update the index after entries with these keys were inserted or deleted."""
    for level in (BLOCKS, RUNS):
        changed = _recount_level(connection, number, level, changed)


def _recount_level(
    connection: sqlite3.Connection, number: int, level: int, changed: Iterable[Key]
) -> list[Key]:
    """Recount the nodes that contain these keys; returns the keys of all changed nodes."""
    touched: list[Key] = []
    upper = LOWEST
    for key in sorted(changed):
        if key < upper:
            continue
        lower, upper = _reach(connection, number, level, key)
        touched += _recount_node(connection, number, level, lower, upper)
    return touched


def _reach(connection: sqlite3.Connection, number: int, level: int, key: Key) -> tuple[Key, Key]:
    """Key of the node that contains `key`, and of the next node."""
    lower = connection.execute(
        "SELECT sort, size, id, kind FROM node WHERE list = ? AND level = ?"
        " AND (sort, size, id, kind) <= (?, ?, ?, ?)"
        " ORDER BY sort DESC, size DESC, id DESC, kind DESC LIMIT 1",
        (number, level, *key),
    ).fetchone()
    upper = connection.execute(
        "SELECT sort, size, id, kind FROM node WHERE list = ? AND level = ?"
        " AND (sort, size, id, kind) > (?, ?, ?, ?) ORDER BY sort, size, id, kind LIMIT 1",
        (number, level, *key),
    ).fetchone()
    return Key(*lower), Key(*upper) if upper else HIGHEST


def _recount_node(
    connection: sqlite3.Connection, number: int, level: int, lower: Key, upper: Key
) -> list[Key]:
    """Recount one node; split it if it is too large, delete it if it is empty.

    A run starts at its first block; if that was deleted, it starts at the next one.
    """
    children = connection.execute(_CHILDREN[level], (number, *lower, *upper)).fetchall()
    connection.execute(
        "DELETE FROM node WHERE list = ? AND level = ? AND (sort, size, id, kind) = (?, ?, ?, ?)",
        (number, level, *lower),
    )
    nodes = _nodes(level, lower, children)
    connection.executemany(
        "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(number, level, *key, count) for key, count in nodes],
    )
    return [lower, *(key for key, _ in nodes if key != lower)]


def _nodes(
    level: int, lower: Key, children: list[tuple[str, int, str, str, int]]
) -> list[tuple[Key, int]]:
    """Keys and counts of the nodes for these children; the lowest node always exists."""
    if not children:
        return [(lower, 0)] if lower == LOWEST else []
    nodes = []
    for start, end in pairwise((*_starts(level, lower, len(children)), len(children))):
        first = lower if level == BLOCKS and start == 0 else Key(*children[start][:4])
        nodes.append((first, sum(child[4] for child in children[start:end])))
    return nodes


def _starts(level: int, lower: Key, count: int) -> Sequence[int]:
    """Start indexes of nodes among `count` children.

    Lists grow by pages at the lower end, so the runs left behind there stay full.
    """
    most = _MOST_CHILDREN[level]
    if count <= most:
        return (0,)
    if level == RUNS and lower == LOWEST:
        return (0, *range(count % most or most, count, most))
    return range(0, count, most // 2)
