"""Shows the saved first frame before anything else is imported, or refuses it.

It is on the terminal in a tenth of the time that the viewer takes to its own first paint, because
the arguments are compared with those of the saved start, not parsed. Refused is a frame of another
start: other arguments, environment, configuration, size or day. It is read by `first_frame_file.py`
and was drawn by `tui/first_frame_renderer.py`.

Imports here must be cheap. Not supported on Windows.
"""

import os
import sys

from frontdesk import __version__
from frontdesk.system import first_frame_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Environment variables, by prefix and by name, that affect the first frame.
_DECISIVE = ("FRONTDESK_", "TEXTUAL_", "LC_", "XDG_", "PG")
_NAMED = ("LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "HOME")
_SIZE_OVERRIDES = ("COLUMNS", "LINES")

_OPEN = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
_SHUT = b"\x1b[?7h\x1b[?1049l\x1b[?25h"


class FirstFrameDisplay:
    """Startup of the viewer: shows the saved frame, and restores the terminal at the end.

    start: everything that decides what the viewer opens and how it looks, except the configuration;
    None if no frame may be saved.
    """

    def __init__(self, start: str | None = None) -> None:
        self.start = start
        self._attributes: list[Any] | None = None
        self.shows = False

    def show(self) -> None:
        """Show the frame saved for an identical start, and buffer keys typed from now on."""
        if self.start is None:
            return
        frame = first_frame_file.load(_likely_cache())
        if frame is None or (frame.columns, frame.lines, frame.day) != (*_size(), today()):
            return
        if frame.circumstances != self.circumstances(frame.configuration):
            return
        import termios

        self._attributes = termios.tcgetattr(0)
        _disable_echo()
        self.shows = True
        _write(_OPEN + frame.screen)

    def circumstances(self, configuration: str) -> str | None:
        """Hash the start with the contents of the configuration file."""
        if self.start is None:
            return None
        from hashlib import sha256

        try:
            with open(configuration, "rb") as file:
                configured = file.read()
        except OSError:
            configured = b""
        return sha256(self.start.encode(errors="surrogateescape") + configured).hexdigest()

    def hand_over(self) -> bool:
        """Hand the screen over to the viewer; return True if a frame is shown."""
        shows, self.shows = self.shows, False
        return shows

    def restore_terminal(self) -> None:
        """Restore the terminal. The viewer has restored its own changes before."""
        attributes, self._attributes = self._attributes, None
        if attributes is None:
            return
        import termios

        try:
            if self.hand_over():
                _write(_SHUT)
            termios.tcsetattr(0, termios.TCSADRAIN, attributes)
        except (OSError, termios.error):
            # The terminal was closed.
            return


def prepare_first_frame(arguments: list[str]) -> FirstFrameDisplay:
    """Prepare the display for these arguments; nothing is shown yet."""
    viewer = not arguments or arguments[0].startswith("-")
    if not viewer or "--debug" in arguments or any(name in os.environ for name in _SIZE_OVERRIDES):
        return FirstFrameDisplay()
    if sys.platform == "win32" or not all(map(os.isatty, (0, 1, 2))):
        return FirstFrameDisplay()
    decisive = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith(_DECISIVE) or name in _NAMED
    )
    # Paths are relative to the current directory.
    here = os.getcwd() if arguments else ""
    return FirstFrameDisplay("\n".join((__version__, here, repr(arguments), repr(decisive), "")))


def today() -> str:
    """Return the local date."""
    import time

    return time.strftime("%Y-%m-%d")


def _likely_cache() -> str:
    """Return the path of `environment.cache_file` without its imports.

    If it were different, no frame would be shown.
    """
    ours = os.environ.get("XDG_CACHE_HOME", "").strip()
    if not os.path.isabs(ours):
        ours = os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return os.path.join(ours, "frontdesk", "pages.db")


def _size() -> tuple[int, int]:
    """Return (columns, lines) of the terminal, (0, 0) without one."""
    try:
        columns, lines = os.get_terminal_size(1)
    except OSError:
        return 0, 0
    return columns, lines


def _disable_echo() -> None:
    """Put the terminal into a raw-like mode: keys are buffered without echo, Ctrl-C still works."""
    import termios

    attributes = termios.tcgetattr(0)
    attributes[0] &= ~(termios.ICRNL | termios.IXON)
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    off = os.fpathconf(0, "PC_VDISABLE").to_bytes(1, "little")
    for number in (termios.VSUSP, termios.VQUIT):
        attributes[6][number] = off
    termios.tcsetattr(0, termios.TCSANOW, attributes)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(2, data) :]
