"""Pseudo-terminal that answers queries like a real one, and keeps its screen."""

import errno
import fcntl
import os
import re
import selectors
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyte

from tests.patience import HANG_SECONDS

COLUMNS, ROWS = 120, 40
# Seconds after which what is waited for does not come any more.
FRAME_END = b"\x1b[?2026l"
SUPPORTED_MODES = {2026}

_SEQUENCE = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    rb"|\x1bP[^\x1b]*\x1b\\"  # DCS
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[\]P][^\x07\x1b]*\x1b?)?$")
# What pyte would print instead of skipping: private sequences that are not modes, and strings.
_OTHER_SCREEN = (b"\x1b[?1049h", b"\x1b[?1049l")
_SKIPPED = re.compile(rb"\x1b\[[<=>]|\x1b\[\?[0-9;]*[^0-9;hl]|\x1b\[[0-9;]*[$\"' ]|\x1b[\]P]")

# To interpret what was sent takes longer than to read it: that waits for so short a silence.
_PAUSE = 0.004


class Moment(NamedTuple):
    """When something came, in seconds since the start, and what the program had used by then.

    cpu: seconds of the processor, without children.
    """

    wall: float
    cpu: float


class PseudoTerminal:
    """A program in a terminal. Times are seconds.

    What is sent is read and answered at once, and shown on the screen when somebody looks there.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int] = (COLUMNS, ROWS),
    ) -> None:
        """size: columns and rows."""
        columns, rows = size
        self._canvas = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._canvas)
        self._pending = b""
        self._unseen: list[tuple[Moment, bytes]] = []
        # When something was sent last.
        self.now = Moment(0.0, 0.0)
        self.sent_bytes = 0
        self.frames = 0
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._master, selectors.EVENT_READ)
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)

    @property
    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(self._screen.display)

    def ground(self, line: int) -> str:
        """Background of the first cell of a line, as rrggbb."""
        return str(self._screen.buffer[line][0].bg)

    @property
    def _screen(self) -> pyte.Screen:
        while self._unseen:
            self._see()
        return self._canvas

    def wait_for(self, shown: Callable[[str], bool], timeout: float = HANG_SECONDS) -> Moment:
        """Read until the screen shows something; when the bytes that show it came.

        Raises: TimeoutError: it did not, or the program ended; with the screen as the reason.
        """
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            ended = self._process.poll() is not None
            came = self._read(min(0.1, timeout))
            while came is not None:
                came = self._read(_PAUSE)
            while self._unseen:
                moment = self._see()
                if shown("\n".join(self._canvas.display)):
                    return moment
            if ended:
                break
        raise TimeoutError(f"Not shown:\n{self.text}")

    def wait_for_words(self, words: re.Pattern[bytes], timeout: float = HANG_SECONDS) -> Moment:
        """Read until words are sent that match; nothing is interpreted but where sequences end.

        Raises: TimeoutError: they were not, or the program ended; with the screen as the reason.
        """
        deadline, sent, taken = time.perf_counter() + timeout, b"", 0
        while time.perf_counter() < deadline:
            ended = self._process.poll() is not None
            came = self._read(0.1)
            sent += b"".join(data for _, data in self._unseen[taken:])
            taken = len(self._unseen)
            if came is not None and words.search(_SEQUENCE.sub(b"", sent)):
                return came
            if ended:
                break
        raise TimeoutError(f"Not sent: {words.pattern!r}\n{self.text}")

    def press(self, key: bytes, timeout: float = HANG_SECONDS) -> float:
        """Send a key; seconds until a frame is complete in which something is drawn."""
        return self._until_frame(lambda: self.write(key), timeout, repr(key))

    def resize(self, columns: int, rows: int, timeout: float = HANG_SECONDS) -> float:
        """Give the terminal another size; seconds until a frame is complete that is for it."""
        self._screen.resize(rows, columns)

        def report() -> None:
            size = struct.pack("HHHH", rows, columns, 0, 0)
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

        return self._until_frame(report, timeout, f"{columns}x{rows}")

    def _until_frame(self, act: Callable[[], None], timeout: float, what: str) -> float:
        # What was sent before is taken in, so that only what follows is unseen.
        shown, frames = self.text, self.frames
        acted = time.perf_counter()
        act()
        deadline = acted + timeout
        while time.perf_counter() < deadline:
            came = self._read(0.1)
            if came is not None and self.frames > frames:
                sent = b"".join(data for _, data in self._unseen)
                if _SEQUENCE.sub(b"", sent).strip(b"\r\n"):
                    return self.started + came.wall - acted
        raise TimeoutError(f"Nothing was drawn after {what}:\n{shown}")

    def write(self, keys: bytes) -> None:
        """Send keys without waiting for what they do."""
        os.write(self._master, keys)

    def attributes(self) -> list[Any]:
        """How the terminal is set, see `termios.tcgetattr`."""
        return termios.tcgetattr(self._master)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    def hang_up(self, timeout: float) -> int:
        """Close the terminal, as one closes a window; how the program ended then.

        Raises: subprocess.TimeoutExpired: it did not.
        """
        self._ready.unregister(self._master)
        os.close(self._master)
        self._master = -1
        return self._process.wait(timeout)

    def ending(self, timeout: float = HANG_SECONDS) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.perf_counter() + timeout
        while self._process.poll() is None and time.perf_counter() < deadline:
            self._read(0.05)
        while self._read(0.0) is not None:
            pass
        return self._process.wait(0)

    def stop_output(self) -> None:
        """Let the program write nothing more: what it writes has to wait."""
        terminal = os.open(f"/proc/{self._process.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(terminal, termios.TCOOFF)
        os.close(terminal)

    def settle(self, quiet: float, timeout: float = HANG_SECONDS) -> None:
        """Read until nothing was sent for `quiet` seconds, but no longer than `timeout`."""
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline and self._read(quiet) is not None:
            pass

    def rest(self, timeout: float = HANG_SECONDS) -> None:
        """Read until the program neither sends nor works, for as long as a frame of 20 takes."""
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            used = self.own_cpu()
            if self._read(0.05) is None and self.own_cpu() - used < 0.0005:
                break

    def own_cpu(self) -> float:
        """Seconds of processor time of the program so far, without its children."""
        # By the clock that Linux has for every process.
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def resident_megabytes(self) -> float:
        """Memory of the program itself."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0

    def close(self) -> None:
        """End the program and all that it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._ready.close()
        if self._master >= 0:
            os.close(self._master)

    def _read(self, timeout: float) -> Moment | None:
        """Take in what was sent; when it came, None if nothing did."""
        if not self._ready.select(timeout):
            return None
        came = self.now = Moment(time.perf_counter() - self.started, self._cpu_now())
        try:
            data = os.read(self._master, 1 << 16)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            time.sleep(0.01)
            return None
        self.sent_bytes += len(data)
        self._take(self._pending + data)
        return came

    def _cpu_now(self) -> float:
        try:
            return self.own_cpu()
        except OSError:
            return 0.0  # it has ended

    def _take(self, data: bytes) -> None:
        """Answer the sequences that ask; keep an unfinished one for later."""
        cut = _UNFINISHED.search(data)
        end = cut.start() if cut else len(data)
        self._pending = data[end:]
        data = data[:end]
        self.frames += data.count(FRAME_END)
        answers = b"".join(answer(found[0]) for found in _SEQUENCE.finditer(data))
        if answers:
            self.write(answers)
        self._unseen.append((self.now, data))

    def _see(self) -> Moment:
        """Show the oldest of what was sent and not shown yet; when it came."""
        came, data = self._unseen.pop(0)
        self._stream.feed(_SEQUENCE.sub(_shown, data))
        return came


def _take_terminal() -> None:
    """In the program's process: its standard input is its terminal, and it can be interrupted."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Who runs in the background of a shell ignores it, and so would what is started.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def answer(sequence: bytes) -> bytes:
    """What a terminal says to a query, nothing to anything else."""
    if mode := re.fullmatch(rb"\x1b\[\?(\d+)\$p", sequence):
        state = 2 if int(mode[1]) in SUPPORTED_MODES else 0
        return b"\x1b[?%b;%d$y" % (mode[1], state)
    if colour := re.match(rb"\x1b\](1[01]);\?", sequence):
        shade = b"ffff/ffff/ffff" if colour[1] == b"10" else b"1010/1010/1010"
        return b"\x1b]%b;rgb:%b\x1b\\" % (colour[1], shade)
    return _ANSWERS.get(sequence, b"")


_ANSWERS = {
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[0c": b"\x1b[?62;22c",
    b"\x1b[>c": b"\x1b[>1;10;0c",
    b"\x1b[5n": b"\x1b[0n",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[>q": b"\x1bP>|bench 1\x1b\\",
    b"\x1b[>0q": b"\x1bP>|bench 1\x1b\\",
    b"\x1b[14t": b"\x1b[4;%d;%dt" % (ROWS * 16, COLUMNS * 8),
    b"\x1b[16t": b"\x1b[6;16;8t",
    b"\x1b[18t": b"\x1b[8;%d;%dt" % (ROWS, COLUMNS),
}


def _shown(found: re.Match[bytes]) -> bytes:
    if found[0] in _OTHER_SCREEN:
        # The other screen is empty: the second one is cleared by whoever goes there.
        return b"\x1b[2J\x1b[H"
    return b"" if _SKIPPED.match(found[0]) else found[0]
