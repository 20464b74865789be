"""The retry loop of all requests, and growing pauses of random length between attempts."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from frontdesk.errors import InboxError

V = TypeVar("V")
E = TypeVar("E", bound=Exception)


class TransientFailure(Exception):
    """A failure that a retry may resolve.

    wait_seconds: for how long the server asks to wait, None if it does not say.
    """

    def __init__(self, reason: InboxError, wait_seconds: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.wait_seconds = wait_seconds


async def retry(
    attempt: Callable[[], Awaitable[V]],
    tries: int,
    on: type[E] | tuple[type[E], ...],
    pause: Callable[[int, E], Awaitable[None]],
) -> V:
    """Call `attempt` up to `tries` times, as long as it raises one of `on`; the last one is raised.

    pause: awaited with the number of the failed attempt, from 1, and its error; it raises the
    error if there is no point in another attempt.
    """
    for number in range(1, tries):
        try:
            return await attempt()
        except on as error:
            failure = error
        await pause(number, failure)
    return await attempt()


def random_pause(number: int, first_seconds: float, chance: Callable[[], float]) -> float:
    """Seconds after a failed attempt: up to `first_seconds` after the first, then twice as many."""
    return chance() * first_seconds * 2.0 ** (number - 1)
