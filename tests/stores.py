"""Empty stores for tests, on either engine."""

import _sqlite3
import ctypes
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from frontdesk.store.database import Connection, Database, Row, WouldBlock
from frontdesk.store.postgres import PostgresDatabase
from frontdesk.store.sqlite import SQLiteDatabase
from tests.postgres_servers import Server, server_directory

SERVER_VARIABLE = "FRONTDESK_TEST_POSTGRES"


@dataclass(frozen=True)
class Engine:
    """Makes empty stores: `fresh(**options)` is a context with a Database, one at a time."""

    name: str
    fresh: Callable[..., AbstractContextManager[Database]]


class NeverAtOnce:
    """A database that leaves all that is read to threads, as one on a server does."""

    def read_inline(self, work: Callable[[Connection], Any]) -> Any:
        raise WouldBlock


@contextmanager
def sqlite_store(**options: Any) -> Iterator[Database]:
    """An empty file. `options` are those of `open_database`."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "inbox.db"
        database = SQLiteDatabase(path, create=True, durable=False, **options)
        try:
            yield database
        finally:
            database.close()


@contextmanager
def without_secure_delete() -> Iterator[None]:
    """Connections as a SQLite opens them that was built without SQLITE_SECURE_DELETE."""
    library = ctypes.CDLL(_sqlite3.__file__)

    def turn_off(connection: int, error: int, functions: int) -> int:
        pragma = b"PRAGMA secure_delete=OFF"
        done: int = library.sqlite3_exec(ctypes.c_void_p(connection), pragma, None, None, None)
        return done

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    function = kind(turn_off)
    library.sqlite3_auto_extension(function)
    try:
        yield
    finally:
        library.sqlite3_cancel_auto_extension(function)


def bytes_of(path: Path) -> bytes:
    """All that the files of a database hold: its log and its index of the log too."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


class PostgresServer:
    """A server that makes databases, each gone with the test that asked for it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._made = 0

    @contextmanager
    def database(self) -> Iterator[str]:
        """The address of an empty database of the test's own."""
        self._made += 1
        name = f"frontdesk_test_{os.getpid()}_{self._made}"
        with psycopg.connect(self._address, autocommit=True) as session:
            session.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
            try:
                yield _with_database(self._address, name)
            finally:
                session.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """The server that the environment names, or one of our own."""
    if address := os.environ.get(SERVER_VARIABLE):
        yield PostgresServer(address)
        return
    with server_directory() as servers:
        server = Server(servers, "main")
        server.make()
        server.start()
        try:
            yield PostgresServer(server.address())
        finally:
            server.stop()


@contextmanager
def postgres_engine(server: PostgresServer) -> Iterator[Engine]:
    """Stores that are one database, emptied each time: much faster than a new one."""
    with server.database() as address:
        laid_out = PostgresDatabase(address, create=True)
        account = laid_out.read(lambda connection: connection.row("SELECT * FROM account"))
        laid_out.close()
        assert account is not None

        @contextmanager
        def fresh(**options: Any) -> Iterator[Database]:
            database = PostgresDatabase(address, durable=False, **options)
            try:
                database.write(lambda connection: _empty(connection, account))
                yield database
            finally:
                database.close()

        yield Engine("postgresql", fresh)


def _empty(connection: Connection, account: Row) -> None:
    """Make it as it was when it was laid out."""
    tables = connection.rows(
        """
        SELECT relname FROM pg_class
        WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'r'
          AND relname <> 'meta'
        """
    )
    deletes = "".join(f"DELETE FROM {table['relname']};" for table in tables)
    connection.run(f"DO $$ BEGIN {deletes} END $$")
    columns = ", ".join(account)
    values = ", ".join(f":{name}" for name in account)
    connection.run(f"INSERT INTO account({columns}) VALUES ({values})", account)


def _with_database(address: str, name: str) -> str:
    """The address with another database's name."""
    parameters = {**conninfo_to_dict(address), "dbname": name}
    return "postgresql://?" + urlencode(parameters, quote_via=quote)
