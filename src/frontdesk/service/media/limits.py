"""Limits of a program that reads a file of a stranger: `limits.py PARENT MEMORY CPU ARGUMENT…`.

Runs in a process of its own, which becomes the program: nice, without core dumps, with at most
MEMORY bytes and CPU seconds, and on Linux ended with the process PARENT that started it. Imports
nothing but the standard library.
"""

import ctypes
import os
import signal
import sys

NICE = 10
_PR_SET_PDEATHSIG = 1
# Of shells: the program was not found, or could not be run.
NOT_RUN = 127


def main() -> None:
    # Programs are run without this module where there is none.
    import resource

    parent, memory, cpu = map(int, sys.argv[1:4])
    arguments = sys.argv[4:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have ended before.
        if os.getppid() != parent:
            sys.exit(NOT_RUN)
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: cpu}
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = memory
    try:
        os.nice(NICE)
        for limit, value in limits.items():
            _, most = resource.getrlimit(limit)
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(limit, (value, value))
    except (OSError, ValueError) as error:
        # A unit of systemd may forbid it.
        sys.exit(f"the limits of the program cannot be set: {error}")
    try:
        os.execvp(arguments[0], arguments)
    except OSError as error:
        sys.exit(f"{arguments[0]} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
