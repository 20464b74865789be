"""Prefetching during idle time, suspended while the server is unavailable."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from frontdesk.errors import InboxError, Unauthorised, Unreachable

T = TypeVar("T")

# Prefetch the next page if the cursor is this close to the end of the cached rows.
ROWS_AHEAD = 50

REST_SECONDS = 30.0
_UNTIL_AN_ANSWER = datetime.max.replace(tzinfo=UTC)
_THREADS_KEPT_IN_MIND = 500


class ServerHealth:
    """Tracks the availability of the server, so that prefetching pauses after errors."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._rests_until: datetime | None = None

    @property
    def free(self) -> bool:
        """True if the last request succeeded, or the pause after a failure is over."""
        return self._rests_until is None or self._clock() >= self._rests_until

    async def track(self, request: Awaitable[T]) -> T:
        """Await a request and record its outcome."""
        try:
            answer = await request
        except Unreachable as error:
            seconds = REST_SECONDS if error.retry_after is None else error.retry_after
            self._rests_until = self._clock() + timedelta(seconds=seconds)
            raise
        except Unauthorised:
            self._rests_until = _UNTIL_AN_ANSWER
            raise
        self._rests_until = None
        return answer


class Prefetcher:
    """Runs one prefetch at a time, when the caller is idle; there is no timer."""

    def __init__(self, line: ServerHealth) -> None:
        self._line = line
        self._under_way = False
        self._read: OrderedDict[str, str] = OrderedDict()

    def is_read(self, conversation_id: str, last_activity: str) -> bool:
        """True if the thread was prefetched in this state of the conversation."""
        return self._read.get(conversation_id) == last_activity

    def mark_read(self, conversation_id: str, last_activity: str) -> None:
        """Record that the thread was prefetched in this state of the conversation."""
        self._read[conversation_id] = last_activity
        self._read.move_to_end(conversation_id)
        if len(self._read) > _THREADS_KEPT_IN_MIND:
            self._read.popitem(last=False)

    async def step(self, read: Callable[[], Awaitable[bool]]) -> bool:
        """Run `read` unless prefetching is paused or running; True if anything changed.

        Errors are ignored: an explicit request reports them.
        """
        if self._under_way or not self._line.free:
            return False
        self._under_way = True
        try:
            return await read()
        except InboxError:
            return False
        finally:
            self._under_way = False
