"""The viewer in a pseudo-terminal whose output is recorded and read as a screen."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from frontdesk.tui.inbox.panes import pane_widths
from tests.patience import HANG_SECONDS
from tests.pseudo_terminal import COLUMNS, FRAME_END, ROWS, PseudoTerminal

FRAME_START = b"\x1b[?2026h"

# Where the thread begins at 120 columns.
THREAD = pane_widths(COLUMNS).list
TITLE_ROW, FIRST_ROW, LAST_ROW = 3, 4, ROWS - 2


class Recorded(PseudoTerminal):
    """A terminal that keeps every byte that was sent to it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.received = bytearray()
        super().__init__(command, environment)

    def _take(self, data: bytes) -> None:
        self.received += data[len(self._pending) :]
        super()._take(data)

    def row(self, y: int, start: int = 0, end: int = COLUMNS) -> str:
        """Some cells of a line, as text."""
        return "".join(self._screen.buffer[y][x].data for x in range(start, end))

    @property
    def thread(self) -> str:
        """Text to the right of the queue."""
        return "\n".join(self.row(y, THREAD) for y in range(TITLE_ROW, ROWS - 1))

    @property
    def title(self) -> str:
        """The line above the thread, which names its customer."""
        return self.row(TITLE_ROW, THREAD)

    @property
    def entries(self) -> str:
        """Text of the thread, without its bar, scroll mark and footer."""
        rows = range(FIRST_ROW, LAST_ROW)
        return "\n".join(self.row(y, THREAD + 1, COLUMNS - 1) for y in rows)

    @property
    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(self.row(y) for y in range(ROWS))

    @property
    def header(self) -> str:
        """The first line."""
        return self.row(0)

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def until(self, *words: str, within: str = "text", gone: str = "") -> None:
        """Read until all words are on the screen and `gone` is not.

        Raises: AssertionError: that did not happen, or the program ended.
        """
        deadline = time.monotonic() + HANG_SECONDS
        while not self._shows(words, within, gone):
            assert self._process.poll() is None, f"it has ended:\n{self.text}"
            assert time.monotonic() < deadline, f"{words} not shown:\n{self.text}"
            self._read(0.1)

    def changes(self, within: str = "text") -> None:
        """Read until something else than before is shown, by a frame that is complete."""
        before, deadline = getattr(self, within), time.monotonic() + HANG_SECONDS
        while getattr(self, within) == before or not self._complete:
            assert time.monotonic() < deadline, f"nothing changed:\n{before}"
            self._read(0.1)

    @property
    def _complete(self) -> bool:
        return self.received.rfind(FRAME_END) > self.received.rfind(FRAME_START)

    def find(self, words: str, start: int = 0) -> tuple[int, int]:
        """Column and line, from 1, of words of one cell a character."""
        for y in range(ROWS):
            at = self.row(y).find(words, start)
            if at >= 0:
                return at + 1, y + 1
        raise AssertionError(f"{words!r} is not shown:\n{self.text}")

    def ended(self) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.monotonic() + HANG_SECONDS
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"it goes on:\n{self.text}"
            self._read(0.1)
        while self._read(0.1) is not None and time.monotonic() < deadline:
            pass
        return self._process.wait()

    def _shows(self, words: Sequence[str], within: str, gone: str) -> bool:
        shown = getattr(self, within)
        return all(word in shown for word in words) and (not gone or gone not in self.text)


def viewer_on(database: Path, me: str, home: Path) -> Recorded:
    """The viewer on a database, its files in `home`."""
    return viewer_with(home, "--database", str(database), "--as", me)


@contextmanager
def viewer_at_gallery(database: Path, me: str, home: Path) -> Iterator[Recorded]:
    """The viewer on an inbox whose newest thread is a gallery, when it has shown all of that."""
    terminal = viewer_on(database, me, home)
    try:
        terminal.until("end of the gallery", within="thread")
        terminal.until("live")
        yield terminal
    finally:
        terminal.close()


def viewer_at(url: str, home: Path, key: str = "fd_live_of_a_test") -> Recorded:
    """The viewer on a server, its files in `home`."""
    return viewer_with(home, "--url", url, FRONTDESK_API_KEY=key)


def viewer_with(home: Path, *arguments: str, **variables: str) -> Recorded:
    """The viewer with these arguments and variables, its files in `home`."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        **variables,
    }
    return Recorded([sys.executable, "-m", "frontdesk", *arguments], environment)
