"""A generated inbox, and the program on it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.sample.demo import ME, create_demo
from tests.cli.servers import Serve, serving

Shell = Callable[..., str]


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """The sample in a database of the test's own."""
    path = tmp_path / "inbox.db"
    create_demo(path, now=time.time_ns() // 1_000_000)
    return path


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs a command of the program that has to succeed; gives what it prints."""
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8"}

    def run(*arguments: str, **variables: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "frontdesk", *arguments],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**home, **variables},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def key(inbox: Path, shell: Shell) -> str:
    """A key of the sample's agent."""
    place = ("--database", str(inbox), "--json", "key")
    made = shell("keys", "create", "--name", "a", "--user", ME, "--all-read", *place)
    key: str = json.loads(made)["key"]
    return key


@pytest.fixture
def serve() -> Iterator[Serve]:
    with serving() as start:
        yield start
