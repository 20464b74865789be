"""Cached lists: merges fetched pages into them, and reads them by position or key.

Each function runs in one transaction. Positions come from an order-statistics index: two levels of
counted nodes.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from frontdesk.cache import objects
from frontdesk.cache.coverage import unmark
from frontdesk.cache.rows import CONVERSATION, MESSAGE, NOTE, Row, key_of, sort_text
from frontdesk.cache.timeline import HIGHEST, LOWEST, Key, Stretch, merge
from frontdesk.text.search import members_of
from frontdesk.wire import Conversation, body_of

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


def create_tables(connection: sqlite3.Connection, number: int) -> None:
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


_MOST_PAGES_DROPPED = 40
# The order in the name of a list, which is the query of its request.
_SORT = re.compile(r"[?&]sort=([a-z]+)")
_SORTED = (
    "SELECT list.number, name, fetched_at, complete, sort, size, entry.id, kind"
    " FROM entry JOIN list ON list.number = entry.list"
    " WHERE kind = ? AND entry.id = ? AND origin = ? AND name LIKE '%sort=%'"
)
_HOLDING = (
    "SELECT list.number, name, fetched_at, complete, followed IS NOT NULL AND followed = ?, sort,"
    " size, entry.id, kind FROM list"
    " LEFT JOIN entry ON entry.list = list.number AND kind = ? AND entry.id = ?"
    " WHERE origin = ? AND name GLOB 'conversations[?]*'"
)
_BODY = (
    "SELECT body FROM entry JOIN object ON object.number = entry.object"
    " WHERE entry.kind = ? AND entry.id = ? AND list = ?"
)
_INSERT = (
    "INSERT INTO entry VALUES (?, ?, ?, ?, ?,"
    " (SELECT object.number FROM list CROSS JOIN object ON object.origin = list.origin"
    "  AND object.kind = ? AND object.id = ? WHERE list.number = ?))"
)


class ListName(NamedTuple):
    """Name of a list, kind of its rows, and the conversation if it is part of a thread."""

    name: str
    kind: str
    conversation_id: str | None = None

    @property
    def order(self) -> str:
        """Order of a list of conversations; "" for the latest activity first."""
        sort = _SORT.search(self.name)
        return sort[1] if sort else ""


def thread_name(conversation_id: str) -> ListName:
    """List of a conversation's messages, merged with its notes."""
    return ListName(f"thread/{conversation_id}", MESSAGE, conversation_id)


def notes_name(conversation_id: str) -> ListName:
    """List of a conversation's notes."""
    return ListName(f"notes/{conversation_id}", NOTE, conversation_id)


class FetchedRows(NamedTuple):
    """Consecutive rows of a list, as fetched.

    `cursor` follows the last row; None at the end.
    """

    bodies: Mapping[Key, bytes]
    stretch: Stretch
    cursor: str | None

    @classmethod
    def of(cls, rows: Iterable[Row], stretch: Stretch, cursor: str | None) -> "FetchedRows":
        """The rows of `stretch`, by key."""
        bodies = {row.key: row.body for row in rows}
        return cls({key: bodies[key] for key in stretch.keys}, stretch, cursor)


class SaveResult(NamedTuple):
    """Result of a save. `added`: ids of the rows newer than all cached ones, newest first.

    `restarted`: the cached rows were replaced, because of a gap.
    """

    changed: bool
    added: tuple[str, ...] = ()
    restarted: bool = False


def save_head(
    connection: sqlite3.Connection,
    origin: int,
    which: ListName,
    fetched: FetchedRows,
    now: datetime,
    *,
    until: str = HIGHEST.sort,
    restart: bool = False,
    began: str | None = None,
    thorough: bool = False,
) -> SaveResult:
    """Merge the first pages of a list; they replace the cached rows after a gap.

    until: latest time of the row that is the newest, unless all are later; see `Key.sort`. began:
    the feed of changes when they were requested, see `cache.followed`. thorough: as many of the
    cached rows were gone over as is done.
    """
    number = _opened(connection, origin, which.name)
    top, oldest_key = _bounds(connection, number, which.kind, until)
    later = set(_entries(connection, number, which.kind, top, HIGHEST)) if top else set()
    restarted = top is not None and (restart or not fetched.stretch.meets(top))
    if restarted:
        _cut(connection, number)
        if which.conversation_id is not None:
            unmark(connection, origin, which.conversation_id)
    changed = _save_objects(connection, origin, which, fetched.bodies)
    moved = _merge(connection, origin, number, which, fetched.stretch)
    covers = restarted or oldest_key is None or fetched.stretch.lowest <= oldest_key
    if covers:
        _continue_at(connection, number, fetched)
    if restarted or (began is not None and (covers or thorough)):
        follow(connection, origin, which.name, began)
    _merge_notes(connection, origin, which.conversation_id)
    connection.execute(
        "UPDATE list SET fetched_at = ? WHERE number = ?", (int(now.timestamp() * 1000), number)
    )
    added = [
        key.id for key in fetched.stretch.keys if top is not None and key > top and key not in later
    ]
    return SaveResult(changed or moved or restarted, tuple(added), restarted)


def save_older(
    connection: sqlite3.Connection, origin: int, which: ListName, fetched: FetchedRows, after: str
) -> SaveResult:
    """Append the rows after the cursor `after`; ignored if the list's cursor has changed."""
    number = _opened(connection, origin, which.name)
    cursor = connection.execute("SELECT cursor FROM list WHERE number = ?", (number,)).fetchone()
    if cursor[0] != after:
        return SaveResult(False)
    fetched = _without_outdated(connection, number, fetched)
    changed = _save_objects(connection, origin, which, fetched.bodies)
    moved = _merge(connection, origin, number, which, fetched.stretch)
    _continue_at(connection, number, fetched)
    _merge_notes(connection, origin, which.conversation_id)
    return SaveResult(changed or moved)


def _without_outdated(
    connection: sqlite3.Connection, number: int, fetched: FetchedRows
) -> FetchedRows:
    """Drop rows that are cached with later activity: its time only increases."""
    newer = {
        key
        for key, body in fetched.bodies.items()
        for (held,) in connection.execute(_BODY, (key.kind, key.id, number))
        if _activity(held) > _activity(body)
    }
    if not newer:
        return fetched
    keys = tuple(key for key in fetched.stretch.keys if key not in newer)
    bodies = {key: body for key, body in fetched.bodies.items() if key not in newer}
    return FetchedRows(bodies, fetched.stretch._replace(keys=keys), fetched.cursor)


def _activity(body: bytes) -> str:
    return sort_text(str(members_of(body).get("last_activity_at") or ""))


def forget(connection: sqlite3.Connection, origin: int, conversation_id: str) -> None:
    """Delete a conversation with its thread, from all lists."""
    held = connection.execute(
        "SELECT entry.list, sort, size, entry.id, entry.kind FROM entry JOIN list"
        " ON list.number = entry.list WHERE entry.kind = ? AND entry.id = ? AND list.origin = ?",
        (CONVERSATION, conversation_id, origin),
    ).fetchall()
    for number, *key in held:
        _change(connection, number, insert=(), remove=(Key(*key),))
    drop_thread(connection, origin, conversation_id)
    objects.drop(connection, origin, CONVERSATION, conversation_id)


def drop_thread(connection: sqlite3.Connection, origin: int, conversation_id: str) -> None:
    """Delete the messages and notes of a conversation, with their lists."""
    drop_list(connection, origin, thread_name(conversation_id).name)
    drop_list(connection, origin, notes_name(conversation_id).name)
    unmark(connection, origin, conversation_id)
    objects.drop_thread(connection, origin, conversation_id)


def drop_named(connection: sqlite3.Connection, origin: int, name: str) -> None:
    """Delete a list; for a thread or its notes, the whole thread."""
    what, _, conversation_id = name.partition("/")
    if what in ("thread", "notes"):
        drop_thread(connection, origin, conversation_id)
    else:
        drop_list(connection, origin, name)


def drop_list(connection: sqlite3.Connection, origin: int, name: str) -> None:
    """Delete a list, but not its rows."""
    number = _number(connection, origin, name)
    if number is not None:
        _empty(connection, number)
        connection.execute("DELETE FROM list WHERE number = ?", (number,))


def drop_tail(connection: sqlite3.Connection, number: int) -> None:
    """Drop up to `_MOST_PAGES_DROPPED` of the oldest pages of a list; at least one page stays.

    The list continues with the cursor of the last remaining page. The rows are not deleted.
    """
    pages = connection.execute(
        "SELECT sort, size, id, kind, cursor FROM bookmark WHERE list = ?"
        " ORDER BY sort, size, id, kind LIMIT ?",
        (number, _MOST_PAGES_DROPPED + 1),
    ).fetchall()
    *place, cursor = pages[-1]
    end = Key(*place)
    dropped = connection.execute(
        "SELECT sort, size, id, kind FROM entry WHERE list = ?"
        " AND (sort, size, id, kind) < (?, ?, ?, ?)",
        (number, *end),
    ).fetchall()
    _change(connection, number, insert=(), remove=[Key(*row) for row in dropped])
    connection.execute(
        "DELETE FROM bookmark WHERE list = ? AND (sort, size, id, kind) < (?, ?, ?, ?)",
        (number, *end),
    )
    connection.execute(
        "UPDATE list SET cursor = ?, complete = 0 WHERE number = ?", (cursor, number)
    )


def mark_read(connection: sqlite3.Connection, origin: int, reads: Mapping[str, datetime]) -> None:
    """Store when lists were last shown, by name."""
    connection.executemany(
        "UPDATE list SET read_at = ? WHERE origin = ? AND name = ?",
        [(int(at.timestamp() * 1000), origin, name) for name, at in reads.items()],
    )


def _save_objects(
    connection: sqlite3.Connection, origin: int, which: ListName, bodies: Mapping[Key, bytes]
) -> bool:
    changed = [
        (key, body)
        for key, body in bodies.items()
        if objects.save(connection, origin, key.kind, key.id, body, which.conversation_id)
    ]
    if which.conversation_id is not None and changed:
        objects.thread_was_read(connection, origin, which.conversation_id)
    if which.kind == CONVERSATION:
        for key, body in changed:
            _reorder(connection, origin, key.id, body)
    return bool(changed)


def _reorder(connection: sqlite3.Connection, origin: int, id: str, body: bytes) -> None:
    """Move a changed conversation to its place in the lists that are not sorted by activity."""
    held = connection.execute(_SORTED, (CONVERSATION, id, origin)).fetchall()
    for number, name, fetched_at, complete, *key in held:
        value = Conversation.model_validate_json(body)
        place = _place(value, name, fetched_at)
        _move(connection, number, place, Key(*key), complete=complete)


def _place(value: Conversation, name: str, fetched_at: int | None) -> Key:
    """Key of a conversation in a list, as of the time when that was fetched."""
    now = datetime.fromtimestamp((fetched_at or 0) / 1000, UTC)
    return key_of(value, ListName(name, CONVERSATION).order, now)


def _move(
    connection: sqlite3.Connection, number: int, place: Key, held: Key | None, *, complete: bool
) -> None:
    """Put a row into its place in a list; out of it, if that is loaded down to a row above."""
    if place != held:
        lowest = _loaded_down_to(connection, number)
        reached = complete or (lowest is not None and place >= lowest)
        _change(
            connection,
            number,
            insert=(place,) if reached else (),
            remove=() if held is None else (held,),
        )


def _loaded_down_to(connection: sqlite3.Connection, number: int) -> Key | None:
    """Where the next page of a list of conversations begins, or its oldest row; None if empty."""
    rows = connection.execute(
        "SELECT sort, size, id, kind FROM entry WHERE list = ?"
        " UNION ALL SELECT sort, size, id, kind FROM bookmark WHERE list = ?"
        " ORDER BY sort, size, id, kind LIMIT 1",
        (number, number),
    ).fetchall()
    return Key(*rows[0]) if rows else None


def follow(connection: sqlite3.Connection, origin: int, name: str, began: str | None) -> None:
    """Record the feed by which a list is kept current; see `cache.followed`."""
    connection.execute(
        "UPDATE list SET followed = ? WHERE origin = ? AND name = ?", (began, origin, name)
    )


def follow_none(connection: sqlite3.Connection, origin: int) -> None:
    """Record that no list is kept current."""
    connection.execute("UPDATE list SET followed = NULL WHERE origin = ?", (origin,))


def save_changed(
    connection: sqlite3.Connection,
    origin: int,
    value: Conversation,
    began: str | None,
    test_of: Callable[[str], Callable[[Conversation], bool] | None],
) -> None:
    """Save a conversation, and put it into its place in all lists.

    Only lists that are followed by the feed `began` take a row that they do not have. test_of: see
    `cache.followed.TestOf`; a list without a test is followed no more.
    """
    objects.save(connection, origin, CONVERSATION, value.id, body_of(value))
    found = connection.execute(_HOLDING, (began, CONVERSATION, value.id, origin)).fetchall()
    for number, name, fetched_at, complete, followed, *key in found:
        held, test = Key(*key) if key[0] is not None else None, test_of(name)
        if test is not None and not test(value):
            _change(connection, number, insert=(), remove=() if held is None else (held,))
            continue
        if test is None and followed:
            follow(connection, origin, name, None)
            followed = False
        if followed or (held is not None and ListName(name, CONVERSATION).order):
            _move(connection, number, _place(value, name, fetched_at), held, complete=complete)


def _opened(connection: sqlite3.Connection, origin: int, name: str) -> int:
    """Number of a list, which is created if needed."""
    number = _number(connection, origin, name)
    if number is None:
        connection.execute("INSERT INTO list(origin, name) VALUES (?, ?)", (origin, name))
        number = _number(connection, origin, name)
        assert number is not None
        create_tables(connection, number)
    return number


def _number(connection: sqlite3.Connection, origin: int, name: str) -> int | None:
    row = connection.execute(
        "SELECT number FROM list WHERE origin = ? AND name = ?", (origin, name)
    ).fetchone()
    return row[0] if row else None


def _bounds(
    connection: sqlite3.Connection, number: int, kind: str, until: str = HIGHEST.sort
) -> tuple[Key, Key] | tuple[None, None]:
    """Newest and oldest row of the given kind; until: see `save_head`."""

    def bound(way: str, until: str = HIGHEST.sort) -> Key | None:
        row = connection.execute(
            "SELECT sort, size, id, kind FROM entry WHERE list = ? AND +kind = ? AND sort <= ?"
            f" ORDER BY sort {way}, size {way}, id {way} LIMIT 1",
            (number, kind, until),
        ).fetchone()
        return Key(*row) if row else None

    newest, oldest = bound("DESC", until) or bound("DESC"), bound("ASC")
    return (newest, oldest) if newest and oldest else (None, None)


def _cut(connection: sqlite3.Connection, number: int) -> None:
    """Empty a list that is refilled in the same transaction."""
    _empty(connection, number)
    create_tables(connection, number)


def _empty(connection: sqlite3.Connection, number: int) -> None:
    for table in ("entry", "node", "bookmark"):
        connection.execute(f"DELETE FROM {table} WHERE list = ?", (number,))


def _continue_at(connection: sqlite3.Connection, number: int, fetched: FetchedRows) -> None:
    """Set the cursor of the list to that of the fetched rows."""
    connection.execute(
        "UPDATE list SET cursor = ?, complete = ? WHERE number = ?",
        (None if fetched.stretch.end else fetched.cursor, fetched.stretch.end, number),
    )
    if fetched.cursor is not None and fetched.stretch.keys and not fetched.stretch.end:
        connection.execute(
            "INSERT OR REPLACE INTO bookmark VALUES (?, ?, ?, ?, ?, ?)",
            (number, *fetched.stretch.lowest, fetched.cursor),
        )


def _merge(
    connection: sqlite3.Connection, origin: int, number: int, which: ListName, stretch: Stretch
) -> bool:
    held = _entries(connection, number, which.kind, stretch.lowest, stretch.upper)
    for key in stretch.keys:
        held += connection.execute(
            "SELECT sort, size, id, kind FROM entry WHERE kind = ? AND id = ? AND list = ?",
            (key.kind, key.id, number),
        ).fetchall()
    merged = merge({Key(*key) for key in held}, stretch)
    _change(connection, number, insert=merged.insert, remove=merged.remove)
    if which.conversation_id is not None:
        # A message belongs to one thread only: if it is not there any more, it was deleted.
        listed = {key.row for key in stretch.keys}
        for key in merged.remove:
            if key.row not in listed:
                objects.drop(connection, origin, *key.row)
    return bool(merged.insert or merged.remove)


def _entries(
    connection: sqlite3.Connection, number: int, kind: str, lowest: Key, upper: Key
) -> list[Key]:
    """Rows of a kind from `lowest` up to but excluding `upper`."""
    rows = connection.execute(
        "SELECT sort, size, id, kind FROM entry WHERE list = ? AND +kind = ?"
        " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)",
        (number, kind, *lowest, *upper),
    )
    return [Key(*row) for row in rows]


def _notes_in(connection: sqlite3.Connection, number: int) -> list[Key]:
    """Notes of a list. The partial index on notes requires the kind as a literal."""
    rows = connection.execute(
        f"SELECT sort, size, id, kind FROM entry WHERE list = ? AND kind = '{NOTE}'", (number,)
    )
    return [Key(*row) for row in rows]


def _merge_notes(connection: sqlite3.Connection, origin: int, conversation_id: str | None) -> None:
    """Merge the notes of a conversation into its thread, down to the oldest cached message.

    Below that, messages may be missing, so a note has no position yet.
    """
    if conversation_id is None:
        return
    thread = _number(connection, origin, thread_name(conversation_id).name)
    notes = _number(connection, origin, notes_name(conversation_id).name)
    if thread is None or notes is None:
        return
    complete = connection.execute("SELECT complete FROM list WHERE number = ?", (thread,))
    oldest_key = LOWEST if complete.fetchone()[0] else _bounds(connection, thread, MESSAGE)[1]
    placed = (
        set() if oldest_key is None else set(_entries(connection, notes, NOTE, oldest_key, HIGHEST))
    )
    shown = set(_notes_in(connection, thread))
    _change(connection, thread, insert=placed - shown, remove=shown - placed)


def _change(
    connection: sqlite3.Connection, number: int, *, insert: Iterable[Key], remove: Iterable[Key]
) -> None:
    """Insert and delete entries of a list, and update its index."""
    removed, inserted = list(remove), list(insert)
    if not removed and not inserted:
        return
    connection.executemany(
        "DELETE FROM entry WHERE list = ? AND (sort, size, id, kind) = (?, ?, ?, ?)",
        [(number, *key) for key in removed],
    )
    connection.executemany(_INSERT, [(number, *key, key.kind, key.id, number) for key in inserted])
    recount(connection, number, removed + inserted)
