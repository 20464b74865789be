"""Cached values and their full-text index entries."""

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING

from frontdesk.cache.rows import CONVERSATION, MESSAGE, NOTE

if TYPE_CHECKING:
    from frontdesk.cache.rows import SearchedText

_TAKE_WORDS = (
    "INSERT INTO found(found, rowid, text) SELECT 'delete', number, text FROM said WHERE number = ?"
)
_ABOUT = (
    "SELECT number FROM said WHERE origin = ? AND about = ? AND kind IN ('message', 'note')"
    " AND number > 0"
)


def save(
    connection: sqlite3.Connection,
    origin: int,
    kind: str,
    id: str,
    body: bytes,
    conversation_id: str | None = None,
) -> bool:
    """Save a value; True if it changed.

    `conversation_id`: for a message or note whose JSON does not contain it.
    """
    held = connection.execute(
        "SELECT number, body FROM object WHERE origin = ? AND kind = ? AND id = ?",
        (origin, kind, id),
    ).fetchone()
    if held and held[1] == body:
        return False
    if held:
        number = held[0]
        connection.execute("UPDATE object SET body = ? WHERE number = ?", (body, number))
    else:
        number = connection.execute(
            "INSERT INTO object(origin, kind, id, body) VALUES (?, ?, ?, ?)",
            (origin, kind, id, body),
        ).lastrowid
    _index(connection, origin, number, kind, body, conversation_id, new=not held)
    return True


def number_of(connection: sqlite3.Connection, origin: int, kind: str, id: str) -> int | None:
    """Number of a cached value."""
    row = connection.execute(
        "SELECT number FROM object WHERE origin = ? AND kind = ? AND id = ?", (origin, kind, id)
    ).fetchone()
    return row[0] if row else None


def drop(connection: sqlite3.Connection, origin: int, kind: str, id: str) -> bool:
    """Delete a value; True if it existed."""
    number = number_of(connection, origin, kind, id)
    if number is not None:
        drop_numbers(connection, [number])
    return number is not None


def drop_thread(connection: sqlite3.Connection, origin: int, conversation_id: str) -> None:
    """Delete the messages and notes of a conversation."""
    rows = connection.execute(_ABOUT, (origin, conversation_id)).fetchall()
    drop_numbers(connection, [row[0] for row in rows])


def drop_numbers(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Delete values by number, with their index entries."""
    held = [(number,) for number in numbers]
    # The last message of a conversation is indexed under the conversation's negated number.
    worded = held + [(-number,) for (number,) in held]
    connection.executemany(_TAKE_WORDS, worded)
    connection.executemany("DELETE FROM said WHERE number = ?", worded)
    connection.executemany("DELETE FROM object WHERE number = ?", held)


def thread_was_read(connection: sqlite3.Connection, origin: int, conversation_id: str) -> None:
    """Remove the index entry of a conversation's last message, which is cached itself now."""
    number = number_of(connection, origin, CONVERSATION, conversation_id)
    if number is not None:
        _remove_text(connection, -number)


def _index(
    connection: sqlite3.Connection,
    origin: int,
    number: int,
    kind: str,
    body: bytes,
    conversation_id: str | None,
    *,
    new: bool,
) -> None:
    # Deferred: the first paint does not need it.
    from frontdesk.cache.rows import preview_in, searched_text_in
    from frontdesk.text.search import members_of

    value = members_of(body)
    searched = searched_text_in(kind, value)
    if searched is None:
        return
    if kind in (MESSAGE, NOTE) and conversation_id is not None:
        searched = searched._replace(about=conversation_id)
    _index_text(connection, origin, number, kind, searched, new=new)
    if kind == CONVERSATION and (preview := preview_in(value)):
        words = searched_text_in(MESSAGE, preview)
        if words and number_of(connection, origin, MESSAGE, str(preview.get("id"))) is None:
            words = words._replace(about=value.get("id"))
            _index_text(connection, origin, -number, MESSAGE, words, new=new)


def _index_text(
    connection: sqlite3.Connection,
    origin: int,
    number: int,
    kind: str,
    searched: "SearchedText",
    *,
    new: bool,
) -> None:
    if not new:
        _remove_text(connection, number)
    text = searched.text
    connection.execute(
        "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?)",
        (number, origin, kind, searched.about, searched.sort, text),
    )
    connection.execute("INSERT INTO found(rowid, text) VALUES (?, ?)", (number, text))


def _remove_text(connection: sqlite3.Connection, number: int) -> None:
    connection.execute(_TAKE_WORDS, (number,))
    connection.execute("DELETE FROM said WHERE number = ?", (number,))
