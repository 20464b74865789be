"""Opens a store by what the user calls it: a path, or the address of a PostgreSQL database."""

from pathlib import Path

from frontdesk.errors import BadSettings
from frontdesk.store.addresses import is_address
from frontdesk.store.database import Database


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

    create: lay out an empty database, and upgrade an older one. upgrade: only the latter; a
    command that only reads refuses an older database. durable: what was written survives a loss
    of power. read_target: another address of the same PostgreSQL database, which reads are sent
    to. statement_seconds: how long any statement may take before it ends in a QueryTimeout.

    Raises: UnusableFile: it does not exist, is not ours, newer, or older and not to be changed.
    Unreachable: the server does not answer. BadSettings: the address cannot be read, or the
    program lacks what PostgreSQL needs.
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
