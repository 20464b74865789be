"""What is on the terminal before the viewer is: the screen that was kept for this start.

Only what is cheap is imported here, for it goes before everything else. Windows has no such
beginning: its terminal is not ours to prepare.
"""

import os
import sys

from frontdesk import __version__, first_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Of the environment, all that begins so or is so named decides what a start opens or shows.
_DECISIVE = ("FRONTDESK_", "TEXTUAL_", "LC_", "XDG_", "PG")
_NAMED = ("LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "HOME")
# A terminal's size that is said there is not the terminal's.
_SIZES = ("COLUMNS", "LINES")

_OPEN = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
_SHUT = b"\x1b[?7h\x1b[?1049l\x1b[?25h"


class Beginning:
    """A start on a terminal: shows what was kept for it, and gives the terminal back.

    start: all that decides what this start opens and how it looks, but for the configuration; None
    where nothing may be kept for another like it.
    """

    def __init__(self, start: str | None = None) -> None:
        self.start = start
        self._attributes: list[Any] | None = None
        self.shows = False

    def show(self) -> None:
        """Show the screen that was kept for such a start, and keep what is typed from now on."""
        if self.start is None:
            return
        frame = first_frame.kept(_likely_cache())
        if frame is None or (frame.columns, frame.lines, frame.day) != (*_size(), today()):
            return
        if frame.circumstances != self.circumstances(frame.configuration):
            return
        import termios

        self._attributes = termios.tcgetattr(0)
        _be_quiet()
        self.shows = True
        _write(_OPEN + frame.screen)

    def circumstances(self, configuration: str) -> str | None:
        """A digest of the start and of the configuration, as it is now in the file of that path."""
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
        """From here on the viewer has the screen; whether something is on it."""
        shows, self.shows = self.shows, False
        return shows

    def end(self) -> None:
        """Leave the terminal as it was; what the viewer had taken over it has given back."""
        attributes, self._attributes = self._attributes, None
        if attributes is None:
            return
        import termios

        try:
            if self.hand_over():
                _write(_SHUT)
            termios.tcsetattr(0, termios.TCSADRAIN, attributes)
        except (OSError, termios.error):
            # The terminal is gone.
            return


def beginning(arguments: list[str], environment: "Mapping[str, str]") -> Beginning:
    """The beginning of a start with these arguments; nothing is shown yet."""
    viewer = not arguments or arguments[0].startswith("-")
    if not viewer or "--debug" in arguments or any(name in environment for name in _SIZES):
        return Beginning()
    if sys.platform == "win32" or not all(map(os.isatty, (0, 1, 2))):
        return Beginning()
    decisive = sorted(
        f"{name}={value}"
        for name, value in environment.items()
        if name.startswith(_DECISIVE) or name in _NAMED
    )
    # A database may be named from where the reader is.
    here = os.getcwd() if arguments else ""
    return Beginning("\n".join((__version__, here, repr(arguments), repr(decisive), "")))


def today() -> str:
    """The day where the reader is."""
    import time

    return time.strftime("%Y-%m-%d")


def _likely_cache() -> str:
    """Where `settings.cache_file` finds the cache, told without what that has to import.

    Were it wrong somewhere, nothing would be shown there.
    """
    ours = os.environ.get("XDG_CACHE_HOME", "").strip()
    if not os.path.isabs(ours):
        ours = os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return os.path.join(ours, "frontdesk", "pages.db")


def _size() -> tuple[int, int]:
    """Columns and lines of the terminal; none where there is no terminal."""
    try:
        columns, lines = os.get_terminal_size(1)
    except OSError:
        return 0, 0
    return columns, lines


def _be_quiet() -> None:
    """Have the terminal keep what is typed, unseen, as the viewer will read it. ^C still works."""
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
