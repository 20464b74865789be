"""`--account` option, and opening of the database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.system import private_files

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database, Row

F = TypeVar("F", bound=Callable[..., object])


def account_option(command: F) -> F:
    """Add the option `--account`, the account's slug."""
    option = click.option("--account", default=DEFAULT_ACCOUNT, show_default=True, help="Account.")
    return option(command)


@contextmanager
def opened(
    target: str | Path,
    *,
    create: bool = False,
    upgrade: bool = False,
    read_target: str | None = None,
    statement_seconds: float | None = None,
) -> "Iterator[Database]":
    """Open a database for the duration of a command; parameters as of `open_database`.

    A new file is readable by its owner only.

    Raises: UnusableFile, Unreachable, BadSettings.
    """
    from frontdesk.store.connect import open_database
    from frontdesk.store.dsn import is_address

    if read_target is not None and not (is_address(target) and is_address(read_target)):
        raise BadSettings("Only a PostgreSQL database can be read at another address")
    if create and not is_address(target) and not Path(target).exists():
        _make(Path(target))
    database = open_database(
        target,
        create=create,
        upgrade=upgrade,
        read_target=read_target,
        statement_seconds=statement_seconds,
    )
    try:
        yield database
    finally:
        database.close()


def account_named(connection: "Connection", slug: str) -> "Row":
    """Return an account by slug.

    Raises: BadSettings: it does not exist.
    """
    from frontdesk.store.accounts import account_by_slug

    account = account_by_slug(connection, slug)
    if account is None:
        raise BadSettings(f"The database has no account {slug!r}")
    return account


def _make(path: Path) -> None:
    """Create an empty private file and its directories."""
    try:
        private_files.make_directories(path)
        private_files.make(path)
    except OSError as error:
        raise UnusableFile(f"{path} cannot be made: {error.strerror}") from error
