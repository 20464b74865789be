"""Reads ahead of the reader: what will be asked for next, while nothing else is asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from frontdesk.errors import InboxError, Unauthorised, Unreachable

T = TypeVar("T")

# How near the end of what is held the reader must be: about two pages.
ROWS_AHEAD = 50

REST_SECONDS = 30.0
_UNTIL_AN_ANSWER = datetime.max.replace(tzinfo=UTC)
_THREADS_KEPT_IN_MIND = 500


class Line:
    """Whether the server is asked for more than the reader needs: not while it asks for rest."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._rests_until: datetime | None = None

    @property
    def free(self) -> bool:
        """The last answer was one, or it is long enough ago."""
        return self._rests_until is None or self._clock() >= self._rests_until

    async def watch(self, asked: Awaitable[T]) -> T:
        """What was asked for; how it ended is kept in mind."""
        try:
            answer = await asked
        except Unreachable as error:
            seconds = REST_SECONDS if error.retry_after is None else error.retry_after
            self._rests_until = self._clock() + timedelta(seconds=seconds)
            raise
        except Unauthorised:
            self._rests_until = _UNTIL_AN_ANSWER
            raise
        self._rests_until = None
        return answer


class Ahead:
    """One step of reading ahead at a time. It has no timer: whoever is idle asks for the step."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._under_way = False
        self._read: OrderedDict[str, str] = OrderedDict()

    def is_read(self, conversation_id: str, last_activity: str) -> bool:
        """This state of the conversation was read ahead once: that is enough."""
        return self._read.get(conversation_id) == last_activity

    def mark_read(self, conversation_id: str, last_activity: str) -> None:
        """The thread was asked for at this state of the conversation."""
        self._read[conversation_id] = last_activity
        self._read.move_to_end(conversation_id)
        if len(self._read) > _THREADS_KEPT_IN_MIND:
            self._read.popitem(last=False)

    async def step(self, read: Callable[[], Awaitable[bool]]) -> bool:
        """Read, unless the server rests or a step is under way; True if anything changed.

        What fails here is asked for again, and told, when somebody needs it.
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
