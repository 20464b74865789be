"""`frontdesk demo` in a terminal: what it shows, how it is left, and what it leaves behind."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.ingest import sample
from frontdesk.ingest.events import ContactUpsert

LEAVE = b"\x11"
SCREEN_OPENS = rb"\x1b\[\?1049h"
FAILED = "frontdesk: The sample inbox could not be made"
_SEQUENCES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


class Terminal:
    """A program in a terminal of 120 by 40, with a directory of its own for temporary files."""

    def __init__(self, program: str, temporary: Path) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._said = b""
        home = {name: str(temporary.parent) for name in ("HOME", "XDG_CACHE_HOME")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **home, "TERM": "xterm-256color", "TMPDIR": str(temporary)},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def wait_for(self, shown: bytes) -> None:
        """Read until a pattern was written."""
        while not re.search(shown, self._said):
            assert self._read(), f"The program ended without {shown!r}"

    def press(self, key: bytes) -> None:
        os.write(self._master, key)

    def ending(self) -> tuple[int, str]:
        """Read to the end: the exit code, and all words that were written."""
        while self._read():
            pass
        return self.process.wait(), _SEQUENCES.sub(b"", self._said).decode(errors="replace")

    def processes(self) -> bool:
        """Whether any process of the program is still there."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def close(self) -> None:
        if self.processes():
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


Run = Callable[..., Terminal]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    path = tmp_path / "temporary"
    path.mkdir()
    return path


@pytest.fixture
def run(temporary: Path) -> Iterator[Run]:
    terminals: list[Terminal] = []

    def start(before: str = "pass") -> Terminal:
        program = (
            f"import sys; sys.argv[1:] = ['demo']; {before}; import frontdesk.cli as c; c.main()"
        )
        terminals.append(Terminal(program, temporary))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def test_it_shows_the_newest_conversations_and_leaves_nothing(run: Run, temporary: Path) -> None:
    newest = next(sample.slices(sample.SEED, 0))
    name = next(event.name for event in newest if isinstance(event, ContactUpsert))
    terminal = run()
    terminal.wait_for(str(name).encode())
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


def test_left_before_anything_is_shown_it_leaves_nothing(run: Run, temporary: Path) -> None:
    terminal = run()
    terminal.wait_for(SCREEN_OPENS)
    terminal.press(LEAVE)
    terminal.ending()
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "maker", ["raise SystemExit(1)", "print(1, flush=True); raise SystemExit(1)"]
)
def test_a_sample_that_cannot_be_made_is_one_line(run: Run, temporary: Path, maker: str) -> None:
    terminal = run(f"import frontdesk.cli.demo as d; d._MAKER = {maker!r}")
    code, words = terminal.ending()
    assert code == 2
    assert FAILED in words
    assert "Traceback" not in words
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []
