"""The database that a command works on: one option, opened in one way."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk import private
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.store.accounts import DEFAULT_ACCOUNT

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database, Row

F = TypeVar("F", bound=Callable[..., object])


def database_option(help_text: str) -> Callable[[F], F]:
    """The option `--database` of a command that cannot do without."""
    return click.option("--database", required=True, metavar="PATH|ADDRESS", help=help_text)


def account_option(help_text: str) -> Callable[[F], F]:
    """The option `--account`: one of the accounts of the database, by the name in commands."""
    return click.option("--account", default=DEFAULT_ACCOUNT, show_default=True, help=help_text)


@contextmanager
def opened(
    target: str | Path,
    *,
    create: bool = False,
    upgrade: bool = False,
    read_target: str | None = None,
    statement_seconds: float | None = None,
) -> "Iterator[Database]":
    """A database for the length of a command; see `open_database` for what may be asked for.

    A file that is made is for its owner's eyes alone.

    Raises: UnusableFile, Unreachable, BadSettings.
    """
    from frontdesk.store.addresses import is_address
    from frontdesk.store.opening import open_database

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
    """An account by the name that commands use.

    Raises: BadSettings: there is none.
    """
    from frontdesk.store.accounts import account_by_slug

    account = account_by_slug(connection, slug)
    if account is None:
        raise BadSettings(f"The database has no account {slug!r}")
    return account


def _make(path: Path) -> None:
    """Make an empty file, and the directories to it, before anything is written there."""
    try:
        private.make_directories(path)
        private.make(path)
    except OSError as error:
        raise UnusableFile(f"{path} cannot be made: {error.strerror}") from error
