"""A generated inbox, and the program on it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.sample.demo import ME, create_demo
from frontdesk.service.api_keys import SCOPES
from tests.cli.servers import Serve, serving

Shell = Callable[..., str]


@pytest.fixture(scope="session")
def current_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the sample as it is now; not to be written to."""
    path = tmp_path_factory.mktemp("current") / "inbox.db"
    create_demo(path, now=time.time_ns() // 1_000_000)
    return path


@pytest.fixture
def inbox(current_sample: Path, tmp_path: Path) -> Path:
    """The sample in a database of the test's own."""
    return Path(shutil.copy(current_sample, tmp_path / "inbox.db"))


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
def key(inbox: Path) -> str:
    """A key of the sample's agent."""
    return str(make_key(inbox, KeyOrder("default", "a", ME, SCOPES, None), now=0)["key"])


@pytest.fixture
def serve() -> Iterator[Serve]:
    with serving() as start:
        yield start
