"""Rows and pages as a server gives them, and a way to read a whole list of them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    Cache,
    FetchedRows,
    Listing,
    ListName,
    files,
    row_of,
)
from frontdesk.cache.eviction import shrink
from frontdesk.cache.timeline import HIGHEST, Key, stretch
from frontdesk.wire import Conversation, Message, Note, PhoneRef, timestamp

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
START = 1_773_480_413_000
OPEN = ListName("conversations?status=open", CONVERSATION)
Value = Conversation | Message | Note
T = TypeVar("T")


def conversation(id: int, second: int, status: str = "open") -> Conversation:
    number = PhoneRef(id="1", name="Sheena Nelson", phone="+16505551234")
    moment = timestamp(START + second * 1000)
    return Conversation(
        id=str(id), status=status, channel=number, contact=number, last_activity_at=moment
    )


def message(id: int, second: int) -> Message:
    moment = timestamp(START + second * 1000)
    return Message(id=str(id), direction="inbound", author="contact", text="Hi", created_at=moment)


def note(id: int, second: int) -> Note:
    return Note(id=str(id), text="Ring back", created_at=timestamp(START + second * 1000))


def newest_first(values: list[Conversation]) -> list[Conversation]:
    return sorted(values, key=lambda value: row_of(value).key, reverse=True)


def fetched(
    values: list[Value], *, upper: Key = HIGHEST, end: bool = False, cursor: str | None = None
) -> FetchedRows:
    rows = [row_of(value) for value in values]
    return FetchedRows.of(rows, stretch([[row.key for row in rows]], upper=upper, end=end), cursor)


async def fill(cache: Cache, values: list[Conversation], page: int = 50) -> None:
    """Read a whole list as a viewer does that scrolls to its end."""
    cursor, upper = "", HIGHEST
    for start in range(0, len(values), page):
        rows: list[Value] = list(values[start : start + page])
        following = f"after {start + page}"
        part = fetched(rows, upper=upper, end=start + page >= len(values), cursor=following)
        if start == 0:
            await cache.save_head(OPEN, part, NOW)
        else:
            await cache.save_older(OPEN, part, cursor)
        cursor, upper = following, row_of(rows[-1]).key


def written(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """Do something in a transaction of another program."""
    with closing(files.writer(files.address_of(path))) as connection:
        connection.execute("BEGIN IMMEDIATE")
        outcome = work(connection)
        connection.execute("COMMIT")
        return outcome


async def shrunk(cache: Cache, path: Path, steps: int = 1) -> bool:
    """Make room, also of what is on screen; whether there was anything to drop the last time."""
    # Any write saves when what was read.
    await cache.save_all(CONTACT, {})
    return [written(path, lambda connection: shrink(connection, ())) for _ in range(steps)][-1]


def ids(listing: Listing[Any]) -> list[str]:
    return [value.id for value in listing]
