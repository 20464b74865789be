"""Ends the process on SIGTERM and SIGHUP, with its resources closed."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_GRACE_SECONDS = 5


def exit_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into SystemExit, unless they are ignored.

    A process that has not ended after `_GRACE_SECONDS`, because a terminal that is gone or stalled
    takes no more output, is ended by SIGALRM.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


@contextmanager
def on_signals(leave: Callable[[int], object]) -> Iterator[None]:
    """Within it, SIGTERM and SIGHUP call `leave` with the exit code, once, instead of raising.

    An event loop needs that: an exception would end it between any two instructions, half closed,
    or be lost in a callback whose exceptions Python ignores.
    """
    handled = [number for number in signal.valid_signals() if signal.getsignal(number) is _raise]

    def leave_once(number: int, frame: "FrameType | None") -> None:
        for caught in handled:
            signal.signal(caught, _ignore)
        _begin_grace()
        leave(128 + number)

    for number in handled:
        signal.signal(number, leave_once)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is leave_once:
                signal.signal(number, _raise)


def _raise(number: int, frame: "FrameType | None") -> None:
    _begin_grace()
    raise SystemExit(128 + number)


def _ignore(number: int, frame: "FrameType | None") -> None:
    """Handler for signals that change nothing any more; a child process does not inherit it."""


def _begin_grace() -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(_GRACE_SECONDS)
    # Closing a terminal also sends SIGCONT, on which the viewer would draw to a closed event loop.
    if hasattr(signal, "SIGCONT"):
        signal.signal(signal.SIGCONT, _ignore)
