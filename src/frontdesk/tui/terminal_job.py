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

# Colours, cursor, mouse modes, pasting and the alternate screen, as a terminal begins.
_RESET = b"\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1049l"


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
        env=None if job.environment is None else dict(job.environment),
        cwd=job.directory,
        **options,
    )


@contextmanager
def _foreground() -> Iterator[int]:
    """The terminal, which is as before afterwards; this process is not stopped meanwhile."""
    import termios

    terminal = os.open("/dev/tty", os.O_RDWR)
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
            return process.returncode
        with suppress(ProcessLookupError, PermissionError):
            os.tcsetpgrp(terminal, process.pid)
            os.killpg(process.pid, signal.SIGCONT)
