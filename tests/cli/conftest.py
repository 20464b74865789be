"""A database that is served, a key to it, and the program that serves it."""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from servers import Serve, serving, serving_once

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import LabelUpsert
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.sqlite import SQLiteDatabase

VARIABLES = (
    *("API_KEY", "CACHE_MB", "DATABASE", "PROFILE", "URL"),
    *("WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN"),
)


@pytest.fixture(autouse=True)
def configuration_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the configuration is; like variables, caches and logs not of whoever runs the tests."""
    home = tmp_path / "configuration"
    for name in VARIABLES:
        monkeypatch.delenv(f"FRONTDESK_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return home / "frontdesk"


def make_inbox(path: Path) -> Path:
    """A database with one label."""
    database = SQLiteDatabase(path, create=True)
    labels = [LabelUpsert("billing", 0)]
    database.write(lambda connection: apply_events(connection, 1, labels, now=0))
    database.close()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_inbox(tmp_path / "inbox.db")


def key_to(path: Path) -> str:
    return str(make_key(path, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])


@pytest.fixture
def key(path: Path) -> str:
    return key_to(path)


@pytest.fixture(scope="module")
def served_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the servers that tests of a module share."""
    return make_inbox(tmp_path_factory.mktemp("served") / "inbox.db")


@pytest.fixture(scope="module")
def served(served_path: Path) -> Iterator[Callable[..., str]]:
    """Gives the address of a server with these options, which tests of a module share."""
    with serving_once(served_path) as address:
        yield address


@pytest.fixture(scope="module")
def served_key(served_path: Path) -> str:
    return key_to(served_path)


@pytest.fixture
def serve(path: Path) -> Iterator[Serve]:
    """Starts the program over `path`; gives the process and the address that it prints."""
    with serving() as start:
        yield partial(start, "--database", str(path))


@pytest.fixture
def inbox(sample_file: Path, tmp_path: Path) -> Path:
    """The sample in a file of the test's own."""
    path = tmp_path / "sample.db"
    shutil.copy(sample_file, path)
    return path
