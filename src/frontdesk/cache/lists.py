"""How fetched pages go into the cache: each function is work for one transaction."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from frontdesk.cache import directory, objects
from frontdesk.cache.rows import MESSAGE, NOTE, Row
from frontdesk.timeline import HIGHEST, LOWEST, Key, Stretch, merge


@dataclass(frozen=True)
class ListName:
    """Which list: its name, what its pages hold, and the conversation whose thread it feeds."""

    name: str
    kind: str
    conversation_id: str | None = None


def thread_name(conversation_id: str) -> ListName:
    """The messages of a conversation, and the notes among them."""
    return ListName(f"thread/{conversation_id}", MESSAGE, conversation_id)


def notes_name(conversation_id: str) -> ListName:
    """The notes of a conversation."""
    return ListName(f"notes/{conversation_id}", NOTE, conversation_id)


@dataclass(frozen=True)
class Fetched:
    """Consecutive rows of a list as the server gave them.

    `cursor` follows the last row; None means that there is no way on.
    """

    bodies: Mapping[Key, bytes]
    stretch: Stretch
    cursor: str | None

    @classmethod
    def of(cls, rows: Iterable[Row], stretch: Stretch, cursor: str | None) -> "Fetched":
        """The rows of `stretch`; a row that came twice counts where it is newest."""
        bodies = {row.key: row.body for row in rows}
        return cls({key: bodies[key] for key in stretch.keys}, stretch, cursor)


@dataclass(frozen=True)
class Saved:
    """What a save changed. `added`: ids of the rows above all that was held, newest first.

    `restarted`: the list was cut to what was fetched, as rows between are unknown.
    """

    changed: bool
    added: tuple[str, ...] = ()
    restarted: bool = False


def save_head(
    connection: sqlite3.Connection,
    origin: int,
    which: ListName,
    fetched: Fetched,
    now: datetime,
    *,
    restart: bool = False,
) -> Saved:
    """The newest rows of a list: merged with what is held, or instead of it after a gap."""
    number = _opened(connection, origin, which.name)
    top, floor = _bounds(connection, number, which.kind)
    restarted = top is not None and (restart or not fetched.stretch.meets(top))
    if restarted:
        _cut(connection, number)
    changed = _save_objects(connection, origin, which, fetched.bodies)
    moved = _merge(connection, number, which.kind, fetched.stretch)
    if restarted or floor is None or fetched.stretch.lowest <= floor:
        _continue_at(connection, number, fetched)
    _weave_notes(connection, origin, which.conversation_id)
    connection.execute(
        "UPDATE list SET fetched_at = ? WHERE number = ?", (int(now.timestamp() * 1000), number)
    )
    added = [key.id for key in fetched.stretch.keys if top is not None and key > top]
    return Saved(changed or moved or restarted, tuple(added), restarted)


def save_older(
    connection: sqlite3.Connection, origin: int, which: ListName, fetched: Fetched, after: str
) -> Saved:
    """The rows that follow the cursor `after`. Ignored if the list went another way meanwhile."""
    number = _opened(connection, origin, which.name)
    cursor = connection.execute("SELECT cursor FROM list WHERE number = ?", (number,)).fetchone()
    if cursor[0] != after:
        return Saved(False)
    changed = _save_objects(connection, origin, which, fetched.bodies)
    moved = _merge(connection, number, which.kind, fetched.stretch)
    _continue_at(connection, number, fetched)
    _weave_notes(connection, origin, which.conversation_id)
    return Saved(changed or moved)


def forget(connection: sqlite3.Connection, origin: int, kind: str, id: str) -> None:
    """Take a row out of every list; what is known of it is kept."""
    held = connection.execute(
        "SELECT entry.list, sort, size, entry.id, entry.kind FROM entry JOIN list"
        " ON list.number = entry.list WHERE entry.kind = ? AND entry.id = ? AND list.origin = ?",
        (kind, id, origin),
    ).fetchall()
    for number, *key in held:
        _change(connection, number, insert=(), remove=(Key(*key),))


def _save_objects(
    connection: sqlite3.Connection, origin: int, which: ListName, bodies: Mapping[Key, bytes]
) -> bool:
    changes = [
        objects.save(connection, origin, key.kind, key.id, body, which.conversation_id)
        for key, body in bodies.items()
    ]
    if which.conversation_id is not None and any(changes):
        objects.thread_was_read(connection, origin, which.conversation_id)
    return any(changes)


def _opened(connection: sqlite3.Connection, origin: int, name: str) -> int:
    """The number of a list, which is made if it is new."""
    number = _number(connection, origin, name)
    if number is None:
        connection.execute("INSERT INTO list(origin, name) VALUES (?, ?)", (origin, name))
        number = _number(connection, origin, name)
        assert number is not None
        directory.lay_out(connection, number)
    return number


def _number(connection: sqlite3.Connection, origin: int, name: str) -> int | None:
    row = connection.execute(
        "SELECT number FROM list WHERE origin = ? AND name = ?", (origin, name)
    ).fetchone()
    return row[0] if row else None


def _bounds(
    connection: sqlite3.Connection, number: int, kind: str
) -> tuple[Key, Key] | tuple[None, None]:
    """The newest and the oldest held row of a list, of the kind that its pages hold."""
    bounds = [
        connection.execute(
            "SELECT sort, size, id, kind FROM entry WHERE list = ? AND +kind = ?"
            f" ORDER BY sort {way}, size {way}, id {way} LIMIT 1",
            (number, kind),
        ).fetchone()
        for way in ("DESC", "ASC")
    ]
    return (Key(*bounds[0]), Key(*bounds[1])) if bounds[0] else (None, None)


def _cut(connection: sqlite3.Connection, number: int) -> None:
    """Empty a list."""
    connection.execute("DELETE FROM entry WHERE list = ?", (number,))
    connection.execute("DELETE FROM node WHERE list = ?", (number,))
    directory.lay_out(connection, number)


def _continue_at(connection: sqlite3.Connection, number: int, fetched: Fetched) -> None:
    """From here on the list goes on below what was fetched."""
    connection.execute(
        "UPDATE list SET cursor = ?, complete = ? WHERE number = ?",
        (None if fetched.stretch.end else fetched.cursor, fetched.stretch.end, number),
    )


def _merge(connection: sqlite3.Connection, number: int, kind: str, stretch: Stretch) -> bool:
    held = _entries(connection, number, kind, stretch.lowest, stretch.upper)
    for key in stretch.keys:
        held += connection.execute(
            "SELECT sort, size, id, kind FROM entry WHERE kind = ? AND id = ? AND list = ?",
            (key.kind, key.id, number),
        ).fetchall()
    merged = merge({Key(*key) for key in held}, stretch)
    _change(connection, number, insert=merged.insert, remove=merged.remove)
    return bool(merged.insert or merged.remove)


def _entries(
    connection: sqlite3.Connection, number: int, kind: str, lowest: Key, upper: Key
) -> list[Key]:
    """The held rows of a kind from `lowest` up to, without, `upper`."""
    rows = connection.execute(
        "SELECT sort, size, id, kind FROM entry WHERE list = ? AND +kind = ?"
        " AND (sort, size, id, kind) >= (?, ?, ?, ?) AND (sort, size, id, kind) < (?, ?, ?, ?)",
        (number, kind, *lowest, *upper),
    )
    return [Key(*row) for row in rows]


def _weave_notes(connection: sqlite3.Connection, origin: int, conversation_id: str | None) -> None:
    """Put the notes of a conversation among its messages, as far down as messages are held.

    Below the oldest held message others may be missing, so a note there has no place yet.
    """
    if conversation_id is None:
        return
    thread = _number(connection, origin, thread_name(conversation_id).name)
    notes = _number(connection, origin, notes_name(conversation_id).name)
    if thread is None or notes is None:
        return
    complete = connection.execute("SELECT complete FROM list WHERE number = ?", (thread,))
    floor = LOWEST if complete.fetchone()[0] else _bounds(connection, thread, MESSAGE)[1]
    placed = set() if floor is None else set(_entries(connection, notes, NOTE, floor, HIGHEST))
    shown = set(_entries(connection, thread, NOTE, LOWEST, HIGHEST))
    _change(connection, thread, insert=placed - shown, remove=shown - placed)


def _change(
    connection: sqlite3.Connection, number: int, *, insert: Iterable[Key], remove: Iterable[Key]
) -> None:
    """Change the entries of a list and count them in its directory."""
    removed, inserted = list(remove), list(insert)
    if not removed and not inserted:
        return
    connection.executemany(
        "DELETE FROM entry WHERE list = ? AND (sort, size, id, kind) = (?, ?, ?, ?)",
        [(number, *key) for key in removed],
    )
    connection.executemany(
        "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", [(number, *key) for key in inserted]
    )
    directory.recount(connection, number, removed + inserted)
