"""PostgreSQL engine: pooled connections, reads from any server, writes on the primary.

Reads use the URL as it is; if it has several hosts or a `target_session_attrs` that admits
standbys, writes go to whichever of the hosts is the primary.

psycopg adapters that make PostgreSQL accept and return the same values as SQLite.
"""

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from psycopg import adapters as psycopg_adapters
from psycopg import errors, postgres
from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import ConnectionPool, PoolTimeout

from frontdesk.errors import BadSettings, InboxError, QueryTimeout, Unreachable, UnusableFile
from frontdesk.store.database import (
    QUERY_RETRY_SECONDS,
    Connection,
    Dialect,
    FillingConnection,
    Row,
    WouldBlock,
)
from frontdesk.store.dsn import checked, without_password
from frontdesk.store.migrations import Schema, create_schema, is_current


class _BoolDumper(Dumper):
    """Dumps bool as 1 or 0: the schema has no boolean columns."""

    oid = postgres.types["int2"].oid

    def dump(self, obj: bool) -> Buffer | None:
        return b"1" if obj else b"0"


class _TextDumper(StrDumperUnknown):
    """Dumps str without NUL, which PostgreSQL text cannot contain."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd"))


class _NumericLoader(Loader):
    """Loads numeric, the type of sums of BIGINT, as int if integral."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def adapters() -> AdaptersMap:
    ours = AdaptersMap(psycopg_adapters)
    ours.register_dumper(bool, _BoolDumper)
    ours.register_dumper(str, _TextDumper)
    ours.register_loader("numeric", _NumericLoader)
    return ours


T = TypeVar("T")
_Session = psycopg.Connection[dict[str, Any]]

# Time limit for getting a connection from the pool, and the pools' sizes.
WAIT_SECONDS = 3.0
READERS, WRITERS = 8, 4
RETRY_SECONDS = 1.0

# Attempts after a conflict between transactions, and the first pause between them.
TRIES = 8
PAUSE_SECONDS = 0.01

# "fdsk": key of the advisory lock for schema creation and upgrades.
_LAYOUT_LOCK = 0x6664736B

# Detects a dead server in seconds instead of hours.
_DEFAULTS: Mapping[str, str] = {
    "application_name": "frontdesk",
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_WRITABLE = ("any", "read-write", "primary")

_ENGINE_FAULTS = (
    *(InboxError, OSError, MemoryError),
    *(psycopg.OperationalError, psycopg.InternalError),
)
_CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected, errors.UniqueViolation)
# Matches strings and casts to leave them alone; percent signs must be doubled for psycopg.
_NAMES = re.compile(r"('(?:[^']|'')*')|(%)|::|(?<![:\w]):([A-Za-z_]\w*)")


class PostgresDatabase:
    """PostgreSQL database. `read` and `write` may be called from any thread."""

    damage: UnusableFile | None = None

    def __init__(
        self,
        address: str,
        *,
        create: bool = False,
        upgrade: bool = False,
        durable: bool = True,
        read_address: str | None = None,
        statement_seconds: float | None = None,
        schema: Schema | None = None,
    ) -> None:
        """Connect to an existing database; `create` creates the tables if it is empty.

        The other parameters are those of `open_database`.

        Raises: UnusableFile, Unreachable, BadSettings.
        """
        self._name = without_password(address)
        self._durable = durable
        self._statement_seconds = statement_seconds
        reading = _parameters(read_address or address)
        primary = _to_primary(_parameters(address))
        changing = create or upgrade
        self._check_reachable(primary if changing else reading)
        self._primary = self._pool(primary, WRITERS, reading=False)
        self._readers = self._pool(reading, READERS, reading=True)
        try:
            self._prepare(schema or Schema(), create=create, changing=changing)
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[Connection], T]) -> T:
        for pause in _pauses():
            try:
                return self._within(self._readers, work)
            except _CONFLICTS as error:
                # A standby cancels queries that conflict with the replay of changes.
                self._wait(pause, error)
            except errors.ProgramLimitExceeded:
                raise
            except psycopg.OperationalError as error:
                if pause is None or isinstance(error, PoolTimeout | errors.QueryCanceled):
                    raise self._expected(error) from error
                # The connection was lost: retry, so that the pool connects to another server.
        raise AssertionError("the last try returns or raises")

    def read_inline(self, work: Callable[[Connection], T]) -> T:
        # Every query needs the network, and possibly a new connection.
        raise WouldBlock

    def read_latest(self, work: Callable[[Connection], T]) -> T:
        return self.write(work)

    def write(self, work: Callable[[Connection], T]) -> T:
        for pause in _pauses():
            try:
                return self._within(self._primary, work)
            except _CONFLICTS as error:
                self._wait(pause, error)
            except errors.ProgramLimitExceeded:
                raise
            except (psycopg.OperationalError, errors.ReadOnlySqlTransaction) as error:
                raise self._expected(error) from error
        raise AssertionError("the last try returns or raises")

    def rewrite(self) -> None:
        pass

    def truncate_log(self, *, patience_seconds: float = 0.0) -> bool:
        return True

    def is_engine_fault(self, error: Exception) -> bool:
        if isinstance(error, errors.ProgramLimitExceeded):
            return False
        # The server's own: a missing table or permission. Those of psycopg are about values.
        if isinstance(error, psycopg.ProgrammingError):
            return error.sqlstate is not None
        return isinstance(error, _ENGINE_FAULTS)

    @contextmanager
    def filling(self) -> Iterator[FillingConnection]:
        with self._primary.connection() as session:
            yield _PostgresConnection(session)
        with self._primary.connection() as session:
            session.commit()
            session.autocommit = True
            # Index-only scans need the visibility map.
            session.execute("VACUUM ANALYZE")
            session.autocommit = False

    def close(self) -> None:
        self._readers.close()
        self._primary.close()

    def _within(self, pool: ConnectionPool[_Session], work: Callable[[Connection], T]) -> T:
        with pool.connection() as session:
            return work(_PostgresConnection(session))

    def _wait(self, pause: float | None, error: psycopg.Error) -> None:
        """Pause before the next attempt.

        Raises: Unreachable: no attempt is left. UniqueViolation: the row exists permanently, which
        is a bug.
        """
        if pause is None:
            if isinstance(error, errors.UniqueViolation):
                raise error
            raise Unreachable("The database is busy", retry_after=RETRY_SECONDS) from error
        time.sleep(random.uniform(0, pause))

    def _expected(self, error: psycopg.Error) -> Unreachable:
        if isinstance(error, errors.QueryCanceled):
            return QueryTimeout(
                f"A query took longer than {self._statement_seconds:g} seconds",
                retry_after=QUERY_RETRY_SECONDS,
            )
        if isinstance(error, errors.ReadOnlySqlTransaction):
            return Unreachable("The database takes no writes now", retry_after=RETRY_SECONDS)
        return Unreachable("The database does not answer", retry_after=RETRY_SECONDS)

    def _check_reachable(self, parameters: Mapping[str, Any]) -> None:
        """Connect once, to report an error in the URL in full instead of a pool timeout."""
        try:
            psycopg.connect(make_conninfo(**parameters)).close()
        except psycopg.OperationalError as error:
            reason = " ".join(str(error).split())
            raise Unreachable(
                f"{self._name} does not answer: {reason}", retry_after=RETRY_SECONDS
            ) from error

    def _pool(
        self, parameters: Mapping[str, Any], size: int, *, reading: bool
    ) -> ConnectionPool[_Session]:
        def configure(session: _Session) -> None:
            session.autocommit = True
            if self._statement_seconds is not None:
                milliseconds = max(1, round(self._statement_seconds * 1000))
                session.execute(f"SET statement_timeout TO {milliseconds}".encode())
            if not self._durable:
                session.execute("SET synchronous_commit TO off")
            if reading:
                # By the tenth page, a plan for any values would replace those for the values asked
                # for, although a label may be that of half of the conversations or of two.
                session.execute("SET plan_cache_mode TO force_custom_plan")
            session.autocommit = False
            # Not False: a read-only server would then refuse the setting with an unclear error.
            session.read_only = reading or None
            session.isolation_level = (
                psycopg.IsolationLevel.REPEATABLE_READ
                if reading
                else psycopg.IsolationLevel.READ_COMMITTED
            )

        return ConnectionPool(
            make_conninfo(**parameters),
            kwargs={"row_factory": dict_row, "context": adapters()},
            min_size=0,
            max_size=size,
            timeout=WAIT_SECONDS,
            # The pauses between attempts double until then: with the default of minutes, a server
            # that is back would be found minutes later.
            reconnect_timeout=WAIT_SECONDS,
            check=ConnectionPool.check_connection,
            configure=configure,
            open=True,
        )

    def _prepare(self, schema: Schema, *, create: bool, changing: bool) -> None:
        """Create the tables or upgrade them, as permitted."""
        version = self.read(_version) if not changing else self.write(_version)
        if version is None and not create:
            raise UnusableFile(f"There is no inbox in {self._name}")
        if version is not None and self._is_current(version, schema, changing):
            return
        self.write(lambda connection: self._change(connection, schema))

    def _is_current(self, version: int, schema: Schema, changing: bool) -> bool:
        if version < 0:
            raise UnusableFile(
                f"{self._name} is not a frontdesk database: there are other tables in it"
            )
        return is_current(self._name, version, schema, upgrade=changing)

    def _change(self, connection: Connection, schema: Schema) -> None:
        """Create or upgrade, unless another process did so while this one waited for the lock."""
        connection.run("SELECT pg_advisory_xact_lock(:lock)", {"lock": _LAYOUT_LOCK})
        version = _version(connection)
        if version is None:
            create_schema(connection)
        elif self._is_current(version, schema, True):
            return
        else:
            schema.upgrades[version](connection)
        connection.run(
            """
            INSERT INTO meta(name, value) VALUES ('schema_version', :version)
            ON CONFLICT(name) DO UPDATE SET value = excluded.value
            """,
            {"version": str(schema.version)},
        )


class _PostgresConnection:
    dialect: Dialect = "postgresql"

    def __init__(self, session: _Session) -> None:
        self._session = session

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        return [*self._session.execute(translate(sql), parameters or {})]

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return self._session.execute(translate(sql), parameters or {}).fetchone()

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        return self._session.execute(translate(sql), parameters or {}).rowcount

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        with self._session.cursor() as cursor:
            cursor.executemany(translate(sql), parameters)

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        order = f"COPY {table}({', '.join(columns)}) FROM STDIN"
        with self._session.cursor() as cursor, cursor.copy(order.encode()) as copy:
            for row in rows:
                copy.write_row(row)


@lru_cache(maxsize=1024)
def translate(sql: str) -> bytes:
    """Translate `:name` to psycopg's `%(name)s`, and double literal percent signs."""

    def translate(match: re.Match[str]) -> str:
        literal, percent, name = match.groups()
        if name:
            return f"%({name})s"
        return match[0].replace("%", "%%") if literal or percent else match[0]

    return _NAMES.sub(translate, sql).encode()


def _version(connection: Connection) -> int | None:
    """Return the schema version, None for an empty database, -1 for another application's."""
    tables = {
        row["relname"]
        for row in connection.rows(
            """
            SELECT relname FROM pg_class
            WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p')
            """
        )
    }
    if not tables:
        return None
    if not tables >= {"meta", "account", "conversation"}:
        return -1
    row = connection.row("SELECT value FROM meta WHERE name = 'schema_version'")
    return -1 if row is None else int(row["value"])


def _parameters(address: str) -> dict[str, Any]:
    """Parse a URL into connection parameters.

    Raises: BadSettings: malformed. The message does not repeat it, as it may contain a password.
    """
    try:
        return {**_DEFAULTS, **conninfo_to_dict(checked(address))}
    except psycopg.ProgrammingError:
        raise BadSettings("The database's address is not one of PostgreSQL's") from None


def _to_primary(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters that connect to the primary among the same hosts."""
    session = parameters.get("target_session_attrs", "any")
    several = "," in str(parameters.get("host", "")) + str(parameters.get("hostaddr", ""))
    if session in _WRITABLE and not (session == "any" and several):
        return dict(parameters)
    return {**parameters, "target_session_attrs": "read-write", "load_balance_hosts": "disable"}


def _pauses() -> Iterator[float | None]:
    """Yield the maximum pause after each attempt, None after the last."""
    for attempt in range(TRIES - 1):
        yield PAUSE_SECONDS * 2**attempt
    yield None
