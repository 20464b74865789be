"""Real objects for every test: databases, the sample in one, the service over it, a client."""

import gc
import os
import shutil
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.sample.demo import ME, create_demo
from frontdesk.service.api_keys import EphemeralKey, new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.store.accounts import user_named
from frontdesk.store.database import Database
from frontdesk.store.sqlite import SQLiteDatabase
from tests.stores import Engine, PostgresServer, postgres_engine, postgres_server, sqlite_store

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
NOW_MILLISECONDS = int(NOW.timestamp() * 1000)

# Programs ask their own terminals for the size. These are of the terminal of pytest:
# GNU readline, which it imports, hands them down to its processes.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
# A shell that starts the tests in the background, or nohup, has these ignored, and programs inherit
# that. A program that is started here has the usual ends instead.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)
# On sixteen colours the viewer has a theme of its own.
os.environ["COLORTERM"] = "truecolor"
# Some terminals draw emoji sequences whole, and others only plain characters.
os.environ["TERM"] = "xterm-256color"

# Each viewer makes many objects that live as long as it does, so that collections find little.
gc.set_threshold(20_000, 10, 10)

# How long an example takes says nothing on a machine that is busy with other things.
# Each run draws other examples; `--hypothesis-profile thorough` draws many at once.
settings.register_profile("frontdesk", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile("frontdesk")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-screenshots",
        action="store_true",
        help="rewrite the pictures in screenshots/ and the texts in tests/tui/drawings/",
    )
    parser.addoption(
        "--update-documents", action="store_true", help="rewrite the listed parts of docs/"
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for the whole run."""
    with postgres_server() as server:
        yield server


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Stores are those of SQLite, and of PostgreSQL too where a test or module says so."""
    if "engine" in metafunc.fixturenames:
        names: list[object] = ["sqlite"]
        if metafunc.definition.get_closest_marker("both_engines"):
            names.append(pytest.param("postgresql", marks=pytest.mark.postgres))
        metafunc.parametrize("engine", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Makes empty stores, see `pytest_generate_tests`."""
    if request.param == "sqlite":
        yield Engine("sqlite", sqlite_store)
    else:
        with postgres_engine(request.getfixturevalue("postgres")) as engine:
            yield engine


@pytest.fixture
def database(engine: Engine) -> Iterator[Database]:
    """An empty store of the test's own."""
    with engine.fresh() as database:
        yield database


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A database with the sample as it is at NOW; not to be written to."""
    path = tmp_path_factory.mktemp("sample") / "inbox.db"
    create_demo(path, now=NOW_MILLISECONDS)
    before = _revisions(path)
    yield path
    assert _revisions(path) == before, "A test has written to the sample of all tests"


def _revisions(path: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT revision FROM account").fetchall()


@pytest.fixture
def sample_database(sample_file: Path, tmp_path: Path) -> Iterator[SQLiteDatabase]:
    """The sample in a database of the test's own."""
    path = tmp_path / "inbox.db"
    shutil.copy(sample_file, path)
    database = SQLiteDatabase(path, durable=False)
    yield database
    database.close()


@pytest.fixture
def agent(sample_database: SQLiteDatabase) -> tuple[str, EphemeralKey]:
    """A key of the sample's agent, and the guest that the service knows it by."""
    me = sample_database.read(lambda connection: user_named(connection, 1, ME))
    assert me is not None
    return new_ephemeral_key(1, int(me["id"]))


@pytest.fixture
def service(
    sample_database: SQLiteDatabase, agent: tuple[str, EphemeralKey]
) -> Iterator[Application]:
    """The service over the sample, at NOW."""
    service = create_app(sample_database, ephemeral_keys=[agent[1]], clock=lambda: NOW_MILLISECONDS)
    yield service
    service.close()


@pytest.fixture
async def client(
    service: Application, agent: tuple[str, EphemeralKey]
) -> AsyncIterator[InboxClient]:
    """A client of the service, in process."""
    async with InboxClient("http://localhost", agent[0], app=service) as client:
        yield client


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    """An empty cache."""
    cache = Cache(tmp_path / "pages.db", "test")
    yield cache
    cache.close()
