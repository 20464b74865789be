"""Opens a database by target: a SQLite path or a PostgreSQL URL."""

from pathlib import Path

from frontdesk.errors import BadSettings
from frontdesk.store.database import Database
from frontdesk.store.dsn import is_address


def open_database(
    target: str | Path,
    *,
    create: bool = False,
    upgrade: bool = False,
    durable: bool = True,
    read_target: str | None = None,
    statement_seconds: float | None = None,
) -> Database:
    """Open the store at `target`.

    create: create the tables in an empty database, and upgrade an older one. upgrade: only the
    latter; commands that only read refuse an older database. durable: commits survive a loss of
    power. read_target: URL of the same PostgreSQL database for reads, such as a replica.
    statement_seconds: time limit of a statement, after which it raises QueryTimeout.

    Raises: UnusableFile: it does not exist, is not ours, newer, or older without `upgrade`.
    Unreachable: the server does not answer. BadSettings: the URL is malformed, or the PostgreSQL
    driver is not installed.
    """
    if not is_address(target):
        from frontdesk.store.sqlite import SQLiteDatabase

        return SQLiteDatabase(
            Path(target),
            create=create,
            upgrade=upgrade,
            durable=durable,
            statement_seconds=statement_seconds,
        )
    try:
        from frontdesk.store.postgres import PostgresDatabase
    except ImportError as error:
        raise BadSettings(
            "PostgreSQL needs more than the base install: pip install 'frontdesk[postgres]'"
        ) from error
    return PostgresDatabase(
        str(target),
        create=create,
        upgrade=upgrade,
        durable=durable,
        read_address=read_target,
        statement_seconds=statement_seconds,
    )
