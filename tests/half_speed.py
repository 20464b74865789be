"""Runs a command on half of a processor: stops it, and all that it started, half of the time.

python -m tests.half_speed .venv/bin/pytest -n auto
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

# Long enough that a wait of either side ends while the command is stopped.
_LONGEST_SECONDS = 0.4


def main(command: list[str]) -> int:
    chance = random.Random(1)
    process = subprocess.Popen(command)
    while process.poll() is None:
        pause = chance.uniform(0.0, _LONGEST_SECONDS)
        time.sleep(pause)
        stopped = _descendants(process.pid)
        _signal(stopped, signal.SIGSTOP)
        time.sleep(pause)
        _signal(stopped, signal.SIGCONT)
    return process.returncode


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in parentheses, may have blanks.
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found = [root]
    for process in found:
        found.extend(children.get(process, ()))
    return found


def _signal(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
