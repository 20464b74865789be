"""Prefetching during idle time, and the spacing of its requests."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from frontdesk.system.request_priority import is_background

if TYPE_CHECKING:
    from frontdesk.client import Server
    from frontdesk.wire import Conversation

T = TypeVar("T")

# Prefetch the next page if the cursor is this close to the end of the cached rows.
NEXT_PAGE_MARGIN_ROWS = 50
# First rows of the list, and rows searched for an unread one, whose threads are prefetched.
THREAD_PREFETCH_ROWS = 20

_THREADS_KEPT_IN_MIND = 500
_BUSY_SECONDS = 0.25


class RequestCount:
    """Counts the requests of a mailbox: `answers`, and running ones of the foreground."""

    def __init__(self) -> None:
        self._foreground = 0
        self.answers = 0

    @property
    def busy(self) -> bool:
        """True while a request that is not of the background is running."""
        return self._foreground > 0

    async def track(self, request: Awaitable[T]) -> T:
        """Await a request and count it."""
        foreground = not is_background()
        self._foreground += foreground
        try:
            answer = await request
        finally:
            self._foreground -= foreground
        self.answers += 1
        return answer


class Pace:
    """Spaces requests of the background: a share of the rate limit, or else of the time."""

    def __init__(
        self,
        share: float,
        server: Callable[[], Server | None],
        busy: Callable[[], bool],
        *,
        least_seconds: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """share: of what the server allows, up to 1. busy: the user or the foreground goes first.

        least_seconds: between two requests, whatever the server allows. clock: seconds.
        """
        self._share, self._least_seconds = share, least_seconds
        self._server, self._busy = server, busy
        self._clock, self._sleep = clock, sleep
        self._next_at = 0.0

    async def rest(self) -> None:
        """Wait until the next request may be sent."""
        await self._sleep(max(self._next_at - self._clock(), 0))
        while self._busy():
            await self._sleep(_BUSY_SECONDS)
        seconds = max(self._seconds / self._share, self._least_seconds)
        self._next_at = self._clock() + seconds

    @property
    def _seconds(self) -> float:
        """Time of a request that leaves nothing to others."""
        server = self._server()
        if server is None:
            return 0.0
        if server.spacing is not None:
            return server.spacing
        return server.latency / timedelta(seconds=1) if server.latency else 0.0


class PrefetchedThreads:
    """Remembers in which state of its conversation a thread was prefetched; the last 500."""

    def __init__(self) -> None:
        # Time and message of the last activity, by conversation.
        self._read: OrderedDict[str, tuple[str, str]] = OrderedDict()

    def is_read(self, conversation: Conversation) -> bool:
        """True if the thread was prefetched in this state of the conversation."""
        return self._read.get(conversation.id) == _activity(conversation)

    def mark_read(self, conversation: Conversation) -> None:
        """Record that the thread was prefetched in this state of the conversation."""
        self._read[conversation.id] = _activity(conversation)
        self._read.move_to_end(conversation.id)
        if len(self._read) > _THREADS_KEPT_IN_MIND:
            self._read.popitem(last=False)


def _activity(conversation: Conversation) -> tuple[str, str]:
    last = conversation.last_message
    return conversation.last_activity_at, last.id if last else ""
