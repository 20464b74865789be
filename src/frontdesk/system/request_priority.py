"""Priority of requests, as context variables: urgent ones by hand, and ones in the background.

`client/throttle.py` lets urgent requests skip its pauses and its circuit breaker;
`mailbox/lists.py` pauses before each page in the background.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Pause = Callable[[], Awaitable[None]]

_urgent: ContextVar[bool] = ContextVar("urgent", default=False)
_pause: ContextVar[Pause | None] = ContextVar("background_pause", default=None)


@contextmanager
def urgent() -> Iterator[None]:
    """Requests made in this context, and in tasks created in it, skip the back-off."""
    token = _urgent.set(True)
    try:
        yield
    finally:
        _urgent.reset(token)


def is_urgent() -> bool:
    """True inside `urgent`."""
    return _urgent.get()


@contextmanager
def in_background(pause: Pause) -> Iterator[None]:
    """Requests made in this context, and in tasks created in it, wait for `pause` first."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def is_background() -> bool:
    """True inside `in_background`."""
    return _pause.get() is not None


async def wait_in_background() -> None:
    """Wait before a request in the background; return at once for any other."""
    pause = _pause.get()
    if pause is not None:
        await pause()
