"""Gives the whole terminal to a program, and takes it back as it was.

The program is a job of its own, in the foreground of the terminal: its ctrl+c does not reach the
viewer, and what it leaves of modes and colours is undone.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from textual.app import App, SuspendNotSupported

from frontdesk.own_commands.runner import Job, exit_words
from frontdesk.text.clean import clean

# As a terminal begins: colours and their palette, cursor and its shape, mouse modes, focus,
# pasting, keys of the cursor and the keypad, how keys are reported (kitty, xterm), margins,
# insertion, wrapped lines, character sets, updates that are held back, and the alternate screen.
_MODES_OFF = (1, 6, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026)
_SAVE_TITLE, _TITLE_BACK = b"\x1b[22;0t", b"\x1b[23;0t"
_RESET = b"".join(
    (
        b"\x1b[0m\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b[?25h\x1b[0 q",
        *(b"\x1b[?%dl" % mode for mode in _MODES_OFF),
        b"\x1b>\x1b[=0u\x1b[>4;0m\x1b[r\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[?1049l",
        _TITLE_BACK,
    )
)


class NoTerminal(Exception):
    """The viewer is not drawn on a terminal that it can give away."""


def run_in_terminal(app: App[Any], job: Job) -> str:
    """Run a job in the terminal; returns why it failed, or "". Blocks until it ends.

    Raises: NoTerminal.
    """
    try:
        with app.suspend(), tempfile.TemporaryFile() as stdin:
            stdin.write(job.stdin)
            stdin.seek(0)
            return _run(job, stdin.fileno() if job.stdin else None)
    except SuspendNotSupported as error:
        raise NoTerminal from error


def _run(job: Job, stdin: int | None) -> str:
    try:
        if sys.platform == "win32":
            code = _popen(job, stdin).wait()
        else:
            with _foreground() as terminal:
                code = _wait(_start(job, stdin, terminal), terminal)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        return clean(f"{job.arguments[0]} cannot be run: {words}")
    if code:
        # Its last words would be gone with the screen that comes back.
        with suppress(EOFError, OSError, KeyboardInterrupt):
            input(f"\n[{exit_words(code)}: enter returns] ")
    return exit_words(code)


def _popen(job: Job, stdin: int | None, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        job.arguments,
        stdin=stdin,
        env=job.variables,
        **options,
    )


@contextmanager
def _foreground() -> Iterator[int]:
    """The terminal, which is as before afterwards; this process is not stopped meanwhile."""
    import termios

    terminal = os.open("/dev/tty", os.O_RDWR)
    os.write(terminal, _SAVE_TITLE)
    before = termios.tcgetattr(terminal)
    ignored = (signal.SIGTTOU, signal.SIGINT, signal.SIGQUIT)
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in ignored}
    try:
        yield terminal
    finally:
        os.tcsetpgrp(terminal, os.getpgrp())
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        # Keys that the program did not read are not for the viewer.
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, _RESET)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(terminal)


def _start(job: Job, stdin: int | None, terminal: int) -> subprocess.Popen[bytes]:
    """Start a program in a group of its own, in the foreground.

    Signals that are ignored here would be ignored there too, so handlers stand in while it starts.
    """
    ignored = (signal.SIGTTOU, signal.SIGINT, signal.SIGQUIT)
    for number in ignored:
        signal.signal(number, lambda *_: None)
    process = _popen(job, stdin, process_group=0)
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    with suppress(ProcessLookupError, PermissionError):
        os.tcsetpgrp(terminal, process.pid)
        # It may have asked for the terminal before it had it, which stops it.
        os.killpg(process.pid, signal.SIGCONT)
    return process


def _wait(process: subprocess.Popen[bytes], terminal: int) -> int:
    """Wait for the end; a program that stops, as by ctrl+z, goes on, since nothing could."""
    while True:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            with suppress(ProcessLookupError, PermissionError):
                # What it left in the background would read from the terminal and write to it.
                os.killpg(process.pid, signal.SIGHUP)
            return process.returncode
        with suppress(ProcessLookupError, PermissionError):
            os.tcsetpgrp(terminal, process.pid)
            os.killpg(process.pid, signal.SIGCONT)
