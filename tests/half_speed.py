"""Runs a command on half of a processor: stops its process group half of the time.

    python -m tests.half_speed .venv/bin/pytest -n auto

Programs in terminals of their own have groups of their own, and go on: one that is continued
draws its screen anew.
"""

import os
import random
import signal
import subprocess
import sys
import time

# Long enough that a wait of either side ends while the command is stopped.
_LONGEST_SECONDS = 0.4


def main(command: list[str]) -> int:
    chance = random.Random(1)
    process = subprocess.Popen(command, process_group=0)
    while process.poll() is None:
        pause = chance.uniform(0.0, _LONGEST_SECONDS)
        time.sleep(pause)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(pause)
        os.killpg(process.pid, signal.SIGCONT)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
