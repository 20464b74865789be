"""Asks the terminal for the colour of its background, by OSC 11.

Imports here must be cheap.
"""

import os
import re
import select
import sys
import time
from typing import NamedTuple

SECONDS = 0.05
# A terminal that does not know the question answers the second one, which all know: what it is.
_QUESTIONS = b"\x1b]11;?\x1b\\\x1b[c"
_COLOUR = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*"
    rb"(?:\x07|\x1b\\)"
)
_KIND = re.compile(rb"\x1b\[\?[\d;]*c")
# Without a way to answer, or known to show the question.
_SILENT_TERMINALS = ("", "dumb", "linux")
_READ_BYTES = 4096


class TerminalBackground(NamedTuple):
    """colour: red, green and blue from 0 to 1; None if the terminal did not say it.

    typed: what else came meanwhile, such as keys, or the beginning of a late answer.
    """

    colour: tuple[float, float, float] | None = None
    typed: bytes = b""

    @property
    def is_light(self) -> bool:
        """True if black is easier to read on it than white."""
        if self.colour is None:
            return False
        linear = (
            one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in self.colour
        )
        luminance = sum(
            share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
        )
        return (luminance + 0.05) ** 2 > 1.05 * 0.05


def parsed(answer: bytes) -> TerminalBackground:
    """Tell the answers in terminal input from the rest.

    >>> parsed(b"j\\x1b]11;rgb:ffff/ffff/ffff\\x1b\\\\k")
    TerminalBackground(colour=(1.0, 1.0, 1.0), typed=b'jk')
    """
    found = _COLOUR.search(answer)
    colour = None
    if found is not None:
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
        colour = red, green, blue
    return TerminalBackground(colour, _KIND.sub(b"", _COLOUR.sub(b"", answer)))


def ask_background(
    keys: int = 0, screen: int = 2, seconds: float = SECONDS, terminal: str | None = None
) -> TerminalBackground:
    """Ask the terminal, and wait for its answer so many seconds at most.

    keys, screen: descriptors that it is read from and written to. terminal: its kind, by default
    that of the environment.
    """
    terminal = os.environ.get("TERM", "") if terminal is None else terminal
    is_possible = sys.platform != "win32" and terminal not in _SILENT_TERMINALS
    if not (is_possible and os.isatty(keys) and os.isatty(screen)):
        return TerminalBackground()
    import termios

    before = termios.tcgetattr(keys)
    attributes = termios.tcgetattr(keys)
    attributes[0] &= ~termios.ICRNL
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    try:
        termios.tcsetattr(keys, termios.TCSANOW, attributes)
        os.write(screen, _QUESTIONS)
        return parsed(_read_until(keys, time.monotonic() + seconds))
    except OSError:
        # The terminal was closed.
        return TerminalBackground()
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)


def _read_until(keys: int, end: float) -> bytes:
    """Read until the terminal has said of what kind it is, or the time has come."""
    answer = b""
    while not _KIND.search(answer):
        left = end - time.monotonic()
        if left <= 0 or not select.select([keys], [], [], left)[0]:
            break
        read = os.read(keys, _READ_BYTES)
        if not read:
            break
        answer += read
    return answer
