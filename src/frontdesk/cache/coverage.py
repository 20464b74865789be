"""Coverage of the cache: conversations that are cached whole, and the lease of their filler."""

import os
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple

from frontdesk.cache.rows import CONVERSATION
from frontdesk.cache.timeline import Key
from frontdesk.settings import KeepRule
from frontdesk.wire import Wire

Read = Callable[[str, tuple[object, ...]], list[Any]]
Write = Callable[[Callable[[sqlite3.Connection], Any]], Awaitable[Any]]

# A lease that is not renewed, since its process was killed, ends by itself.
LEASE_SECONDS = 10

# Names in the table of settings; a mark is followed by the id of its conversation.
_FILL, _LEASE = "fill", "fill/lease"
_MARK = "filled/"

# The state of a conversation: its place by activity and its last message, as times are not unique.
_KEPT = (
    "SELECT entry.sort, entry.size, entry.id, entry.kind, entry.sort || ' ' ||"
    " coalesce(json_extract(CAST(body AS TEXT), '$.last_message.id'), '') AS state, value"
    " FROM list CROSS JOIN entry ON entry.list = list.number"
    " JOIN object ON object.number = entry.object"
    " LEFT JOIN memory ON memory.origin = list.origin"
    f" AND memory.name = '{_MARK}' || entry.id"
    f" WHERE list.origin = ? AND list.name = ? AND entry.kind = '{CONVERSATION}'"
    " AND entry.sort >= ?"
)
_COVERED = f"SELECT count(*), coalesce(sum(state IS value), 0) FROM ({_KEPT})"
_MISSING = (
    f"SELECT sort, size, id, kind, state FROM ({_KEPT}) WHERE state IS NOT value"
    " AND (sort, size, id, kind) < (?, ?, ?, ?)"
    " ORDER BY sort DESC, size DESC, id DESC, kind DESC LIMIT ?"
)
_REACH = (
    "SELECT complete, sort, size, id, kind FROM list LEFT JOIN entry ON entry.list = list.number"
    " WHERE origin = ? AND name = ? ORDER BY sort, size, id, kind LIMIT 1"
)
_SET = (
    "INSERT INTO memory VALUES (?, ?, ?)"
    " ON CONFLICT(origin, name) DO UPDATE SET value = excluded.value"
)


class Coverage(NamedTuple):
    """How many of the conversations to keep are cached whole, as counted in the file.

    known: number of those to keep, as far as the server said. as_of: start of the last complete
    pass. filling: a process fills the cache now. whole: nothing is missing. full: the rest does
    not fit.
    """

    keep: str
    complete: int
    known: int
    filling: bool = False
    as_of: datetime | None = None
    full: bool = False
    whole: bool = False

    @property
    def words(self) -> str:
        """Phrase for "in …" and "of …"."""
        keep = KeepRule.parse(self.keep)
        noun = keep.noun if keep else "conversations"
        if self.whole:
            return f"all {self.known:,} {noun}"
        state = " (the rest does not fit)" if self.full else " (filling)" if self.filling else ""
        return f"{self.complete:,} of {self.known:,} {noun}{state}"


class FillState(Wire):
    """State of filling. name: list of the conversations, from `since` on. total: as counted."""

    keep: str
    name: str
    since: str = ""
    total: int = 0
    as_of: str | None = None
    full: bool = False


class FillProgress:
    """Progress of filling the cache of one origin, shared by all processes that use the file."""

    def __init__(
        self, read: Read, write: Write, origin: int, clock: Callable[[], datetime]
    ) -> None:
        """read: for any thread."""
        self._read, self._write = read, write
        self._origin = origin
        self._clock = clock
        self._holder = os.urandom(8).hex()

    def coverage(self) -> Coverage | None:
        """Count what is cached whole; None if nothing was ever filled."""
        state = self.state()
        if state is None:
            return None
        counted = self._read(_COVERED, (self._origin, state.name, state.since))
        if not counted:
            return None
        listed, complete = counted[0]
        reached = self.reach(state.name, state.since)[0]
        known = listed if reached else max(listed, state.total)
        as_of = datetime.fromisoformat(state.as_of) if state.as_of else None
        return Coverage(
            state.keep,
            complete,
            known,
            self._is_leased(self._read(*self._named(_LEASE))),
            as_of,
            state.full,
            reached and complete == known and as_of is not None,
        )

    def state(self) -> FillState | None:
        rows = self._read(*self._named(_FILL))
        return FillState.model_validate_json(rows[0][0]) if rows and rows[0][0] else None

    def reach(self, name: str, since: str) -> tuple[bool, Key | None]:
        """True if a list is cached down to a sort text; and its oldest cached row."""
        rows = self._read(_REACH, (self._origin, name))
        complete, *oldest = rows[0] if rows else (False, None)
        if oldest[0] is None:
            return bool(complete), None
        return bool(complete) or oldest[0] < since, Key(*oldest)

    def missing(self, state: FillState, below: Key, limit: int) -> list[tuple[Key, str]]:
        """Next conversations that are not cached whole, newest first, with their state."""
        values = (self._origin, state.name, state.since, *below, limit)
        return [(Key(*key), mark) for *key, mark in self._read(_MISSING, values)]

    async def save(self, state: FillState) -> None:
        text = state.model_dump_json()
        await self._write(
            lambda connection: connection.execute(_SET, (self._origin, _FILL, text)).rowcount
        )

    async def mark(self, conversation_id: str, state: str) -> None:
        """Record that a conversation is cached whole in a state, if its thread is complete."""
        await self._write(
            lambda connection: (
                connection.execute(
                    "INSERT OR REPLACE INTO memory SELECT origin, ?, ? FROM list"
                    " WHERE origin = ? AND name = ? AND complete",
                    (_MARK + conversation_id, state, self._origin, f"thread/{conversation_id}"),
                ).rowcount
            )
        )

    async def claim(self) -> bool:
        """Take or renew the lease; False if another process holds it."""

        def work(connection: sqlite3.Connection) -> bool:
            rows = connection.execute(*self._named(_LEASE)).fetchall()
            free = self._holder == _holder(rows) or not self._is_leased(rows)
            if free:
                value = f"{self._holder} {self._now + LEASE_SECONDS:.3f}"
                connection.execute(_SET, (self._origin, _LEASE, value))
            return free

        return bool(await self._write(work))

    async def release(self) -> None:
        """End the lease, if this process holds it."""
        await self._write(
            lambda connection: (
                connection.execute(
                    "DELETE FROM memory WHERE origin = ? AND name = ? AND value GLOB ?",
                    (self._origin, _LEASE, f"{self._holder} *"),
                ).rowcount
            )
        )

    @property
    def _now(self) -> float:
        return self._clock().timestamp()

    def _is_leased(self, rows: list[Any]) -> bool:
        """True for a lease that has not ended; one of a wrong clock counts as ended."""
        left = float(rows[0][0].partition(" ")[2]) - self._now if rows else 0.0
        return 0 < left <= LEASE_SECONDS

    def _named(self, name: str) -> tuple[str, tuple[object, ...]]:
        return "SELECT value FROM memory WHERE origin = ? AND name = ?", (self._origin, name)


def _holder(rows: list[Any]) -> str:
    return str(rows[0][0].partition(" ")[0]) if rows else ""


def unmark(connection: sqlite3.Connection, origin: int, conversation_id: str) -> None:
    """Forget that a conversation is cached whole."""
    connection.execute(
        "DELETE FROM memory WHERE origin = ? AND name = ?", (origin, _MARK + conversation_id)
    )
