"""Command line: entry point and commands. Only this package reads settings."""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from frontdesk.cli.first_frame_display import FirstFrameDisplay

_GRACE_SECONDS = 5


def main() -> None:
    """Entry point of `frontdesk`. Imports the command line late: some processes need none."""
    # Objects created at start live until exit: skip garbage collection before the first paint.
    gc.disable()
    from frontdesk.cli.first_frame_display import prepare_first_frame

    first_frame = prepare_first_frame(sys.argv[1:], os.environ)
    try:
        first_frame.show()
        _exit_on_signals()
        _run(first_frame)
    except KeyboardInterrupt:
        # During imports; `commands` handles interrupts later.
        sys.exit(130)
    finally:
        first_frame.restore_terminal()


def _run(first_frame: "FirstFrameDisplay") -> None:
    """Run the command line. Imported only after the first frame is on the terminal."""
    _use_user_locale()
    _disable_pydantic_plugins()
    from frontdesk.cli.base import run
    from frontdesk.cli.main import frontdesk

    run(frontdesk, first_frame)


def _exit_on_signals() -> None:
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


def _disable_pydantic_plugins() -> None:
    """Skip pydantic's search for plugins, which reads the metadata of all installed packages."""
    from frontdesk.subprocess_environment import set_only_here

    set_only_here("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _use_user_locale() -> None:
    """Format dates in the user's locale; a missing locale falls back to "C"."""
    import locale
    from contextlib import suppress

    with suppress(locale.Error):
        locale.setlocale(locale.LC_TIME, "")
