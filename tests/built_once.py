"""Files that are slow to make are made once in a run, by the first worker that needs them."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def built_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a file that `make` writes the first time; copy it to change it.

    The workers of pytest-xdist share the parent of their temporary directories. Who comes while it
    is made waits for a lock, which ends with the process that holds it.
    """
    directory = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        directory = directory.parent
    path = directory / f"built-{name}"
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            partial = path.with_name(f"{path.name}.partial")
            make(partial)
            # What a process that was killed had begun is never taken for the whole.
            partial.rename(path)
    return path
