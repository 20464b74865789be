"""`frontdesk serve` in a subprocess, for tests."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.patience import HANG_SECONDS

# Takes options; gives the process, and the address that it prints.
Serve = Callable[..., tuple["subprocess.Popen[str]", str]]


@contextmanager
def serving() -> Iterator[Serve]:
    """Starts the program on free ports, each time with the options given; ends all in the end."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> tuple["subprocess.Popen[str]", str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "frontdesk", "serve", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().strip()
        assert address, f"It did not start: {process.stderr.read()}"
        return process, address

    try:
        yield start
    finally:
        # In good order where they can, so that what they ran is measured.
        for process in started:
            process.terminate()
        for process in started:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=HANG_SECONDS)
            kill(process)
            process.communicate()


@contextmanager
def serving_once(database: Path) -> Iterator[Callable[..., str]]:
    """Starts the program once for the same options, and gives its address.

    In the end none has written anything else.
    """
    started: dict[tuple[str, ...], tuple[subprocess.Popen[str], str]] = {}

    with serving() as start:

        def address(*options: str) -> str:
            if options not in started:
                started[options] = start("--database", str(database), *options)
            return started[options][1]

        yield address
        for process, _ in started.values():
            process.terminate()
            assert process.communicate() == ("", "")


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again, and fail after a long time."""
    until = time.monotonic() + HANG_SECONDS
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < until, "It did not come true in time"
        pause.wait(0.02)


def kill(process: "subprocess.Popen[str]") -> None:
    """Kill the program and its workers at one moment: none is there to replace another."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
