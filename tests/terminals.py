"""Pseudo-terminal for programs under test: their output and exit."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

from tests.patience import HANG_SECONDS

LEAVE = b"\x11"

_SEQUENCES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


class Terminal:
    """A program in a terminal of 120 by 40, with a directory of its own for temporary files."""

    def __init__(self, program: str, temporary: Path, **variables: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._said = b""
        home = {name: str(temporary.parent) for name in ("HOME", "XDG_CACHE_HOME")}
        shown = {"TERM": "xterm-256color", "TMPDIR": str(temporary)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **home, **shown, **variables},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    @property
    def said(self) -> bytes:
        """What was written so far."""
        return self._said

    @property
    def words(self) -> str:
        """What was written so far, without the sequences that move the cursor and colour."""
        return _SEQUENCES.sub(b"", self._said).decode(errors="replace")

    def wait_for(self, shown: bytes) -> None:
        """Read until a pattern was written, for a minute at most while anything is written."""
        deadline = time.monotonic() + HANG_SECONDS
        while not re.search(shown, self._said):
            assert self._read(), f"The program ended without {shown!r}: {self.words[-2000:]}"
            assert time.monotonic() < deadline, f"No {shown!r} so far: {self.words[-2000:]}"

    def press(self, key: bytes) -> None:
        os.write(self._master, key)

    def ending(self) -> tuple[int, str]:
        """Read to the end: the exit code, and all words that were written."""
        while self._read():
            pass
        return self.process.wait(), self.words

    def processes(self) -> bool:
        """Whether any process of the program is still there."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def close(self) -> None:
        # They may end by themselves meanwhile.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)

    def _read(self) -> bool:
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            # The other end of a terminal is gone.
            return False
        self._said += data
        return bool(data)
