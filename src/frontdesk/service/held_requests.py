"""Long polling: requests that wait for the next change of their account (`Prefer: wait`, RFC 7240).

One task of a worker reads the revisions of the accounts that somebody waits for, as long as anybody
does. Nothing tells it of writes: other workers, imports and other computers write too, and a
standby has what has reached it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.types import Receive

from frontdesk.service.access_log import Telemetry
from frontdesk.service.endpoint import JsonBody
from frontdesk.service.executors import Reads
from frontdesk.service.problems import ApiError
from frontdesk.store.changes import revisions

# Between two looks at the revisions.
LOOK_SECONDS = 0.2
# Proxies cut off what says nothing for 60 seconds.
LONGEST_SECONDS = 50
# Requests that a worker holds, and those of them that are read again at once after a change.
MOST_HELD = 2_000
MOST_READ_AGAIN = 16
# Bodies that are kept after a change for others who waited for the same.
_MOST_BODIES = 16

_WAIT = re.compile(r'\s*wait\s*=\s*("?)([0-9]{1,9})\1\s*', re.IGNORECASE)


def preferred_seconds(headers: Sequence[str]) -> int:
    """Return the seconds of `wait` in `Prefer` headers, 50 at most; 0 without a usable one."""
    preferences = [text.partition(";")[0] for text in ",".join(headers).split(",")]
    waits = (match for text in preferences if (match := _WAIT.fullmatch(text)))
    return min(next((int(match[2]) for match in waits), 0), LONGEST_SECONDS)


class Unchanged(NamedTuple):
    """State of an account that an answer without news is of. until: time alone changes it then.

    Times are epoch milliseconds.
    """

    account_id: int
    revision: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """Span in which a request may wait, in epoch milliseconds. seconds: its length."""

    since: int
    seconds: int

    def lasts(self, now: int, until: int | None = None) -> bool:
        """Check that it has not ended, nor `until` come. A clock that is set back ends it too."""
        end = self.since + self.seconds * 1000
        return self.since <= now < (end if until is None else min(end, until))


class HeldRequests:
    """Requests that wait until the revision of their account is another one.

    clock: now in epoch milliseconds. pause: waits for so many seconds between two looks.
    """

    def __init__(
        self,
        reads: Reads,
        clock: Callable[[], int],
        telemetry: Telemetry,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._reads, self._clock, self._telemetry, self._pause = reads, clock, telemetry, pause
        self._held = 0
        self._waiting: dict[asyncio.Future[None], tuple[Hold, Unchanged]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._released = False
        self._bodies: dict[object, JsonBody[Any]] = {}
        self.reading = asyncio.Semaphore(MOST_READ_AGAIN)

    @contextmanager
    def hold(self, seconds: int) -> Iterator[Hold | None]:
        """Take one of the places, for a request that may wait; None if it is answered at once."""
        if self._released or self._held >= MOST_HELD:
            yield None
            return
        self._held += 1
        try:
            with self._telemetry.held():
                yield Hold(self._clock(), seconds)
        finally:
            self._held -= 1
            if not self._held:
                self._bodies.clear()

    def lasts(self, hold: Hold) -> bool:
        """Check that the request may go on waiting."""
        return not self._released and hold.lasts(self._clock())

    async def wait(self, hold: Hold, unchanged: Unchanged, gone: "asyncio.Future[None]") -> None:
        """Wait for another revision, for the time at which it ends, or until the client has gone.

        Raises: the error by which the revisions could not be read.
        """
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[woken] = hold, unchanged
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            await asyncio.wait((woken, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._waiting[woken]
            if not self._waiting:
                # It is cancelled by the next turn of the loop; who waits by then needs another one.
                self._looking.cancel()
                self._looking = None
        if woken.done():
            woken.result()

    def shared_body(self, key: object, read: Callable[[], JsonBody[Any]]) -> JsonBody[Any]:
        """Read a body, unless another request that was held has read the one of this key."""
        body = self._bodies.get(key)
        if body is None:
            body = read()
            if len(self._bodies) >= _MOST_BODIES:
                self._bodies.clear()
            self._bodies[key] = body
        return body

    def release(self) -> None:
        """Answer all that is held, and hold nothing any more."""
        self._released = True
        for woken in self._waiting:
            _wake(woken)

    async def _look(self) -> None:
        try:
            while not all(woken.done() for woken in self._waiting):
                await self._pause(LOOK_SECONDS)
                await self._wake_changed()
        except Exception as error:
            # Of all that wait: each answers with it, and the next one to wait looks again.
            for woken in self._waiting:
                if not woken.done():
                    woken.set_exception(error)

    async def _wake_changed(self) -> None:
        now = self._clock()
        for woken, (hold, unchanged) in self._waiting.items():
            if not hold.lasts(now, unchanged.until):
                _wake(woken)
        ids = {unchanged.account_id for _, unchanged in self._waiting.values()}
        try:
            found = await self._reads.read(lambda connection, _: revisions(connection, ids), now)
        except ApiError:
            # Too much comes at once; the next look is soon.
            return
        changed = [
            woken
            for woken, (_, unchanged) in self._waiting.items()
            # An account that nobody waited for before the read is looked at the next time.
            if unchanged.account_id in ids and found.get(unchanged.account_id) != unchanged.revision
        ]
        if changed:
            # They are of earlier revisions.
            self._bodies.clear()
        for woken in changed:
            _wake(woken)


async def until_gone(receive: Receive) -> None:
    """Wait until the client has gone: the server cancels no request."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _wake(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
