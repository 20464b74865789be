"""Command line: entry point and commands. Only this package reads settings."""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from frontdesk.cli.startup import StartupFrame

_GRACE_SECONDS = 5


def main() -> None:
    """Entry point of `frontdesk`. Imports the command line late: some processes need none."""
    # Objects created at start live until exit: skip garbage collection before the first paint.
    gc.disable()
    from frontdesk.cli.startup import startup_frame

    startup = startup_frame(sys.argv[1:], os.environ)
    try:
        startup.show()
        _leave_when_told()
        _run(startup)
    except KeyboardInterrupt:
        # During imports; `commands` handles interrupts later.
        sys.exit(130)
    finally:
        startup.end()


def _run(startup: "StartupFrame") -> None:
    """Run the command line. Imported only after the first frame is on the terminal."""
    _speak_as_the_user()
    from frontdesk.cli.base import run
    from frontdesk.cli.main import frontdesk

    run(frontdesk, startup)


def _leave_when_told() -> None:
    """Turn SIGTERM and SIGHUP into SystemExit, so that resources are closed.

    A process that has not ended after `_GRACE_SECONDS`, because a terminal that is gone or stalled
    takes no more output, is ended by SIGALRM.
    """
    import signal

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, frame: "FrameType | None") -> None:
    import signal

    if hasattr(signal, "alarm"):
        signal.alarm(_GRACE_SECONDS)
    # Closing a terminal also sends SIGCONT, on which the viewer would draw to a closed event loop.
    if hasattr(signal, "SIGCONT"):
        signal.signal(signal.SIGCONT, lambda number, frame: None)
    raise SystemExit(128 + number)


def _speak_as_the_user() -> None:
    """Format dates in the user's locale; a missing locale falls back to "C"."""
    import locale
    from contextlib import suppress

    with suppress(locale.Error):
        locale.setlocale(locale.LC_TIME, "")
