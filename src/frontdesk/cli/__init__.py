"""The commands of frontdesk: builds everything, passes it in, alone reads settings."""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from frontdesk.cli.beginning import Beginning


def main() -> None:
    """The program `frontdesk`. Imported late: not every process of it has a command line."""
    # What a start makes is there to stay: no garbage is looked for before the first paint.
    gc.disable()
    from frontdesk.cli.beginning import beginning

    begun = beginning(sys.argv[1:], os.environ)
    try:
        begun.show()
        _leave_when_told()
        _run(begun)
    except KeyboardInterrupt:
        # While something was imported; what commands do about it is told in `commands`.
        sys.exit(130)
    finally:
        begun.end()


def _run(begun: "Beginning") -> None:
    """The command line. Nothing of it was imported before what has begun is on the terminal."""
    _speak_as_the_user()
    from frontdesk.cli.commands import run
    from frontdesk.cli.program import frontdesk

    run(frontdesk, begun)


def _leave_when_told() -> None:
    """A program that is told to end, or whose terminal is gone, puts away what it has opened."""
    import signal

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, frame: "FrameType | None") -> None:
    import signal

    # A terminal that is closed also wakes its programs up; the viewer, which would go on drawing
    # then, has no loop any more to do that in.
    if hasattr(signal, "SIGCONT"):
        signal.signal(signal.SIGCONT, lambda number, frame: None)
    raise SystemExit(128 + number)


def _speak_as_the_user() -> None:
    """Days and times are written as the user's locale has them; one not there is the plain one."""
    import locale
    from contextlib import suppress

    with suppress(locale.Error):
        locale.setlocale(locale.LC_TIME, "")
