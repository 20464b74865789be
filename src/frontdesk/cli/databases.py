"""The database that a command works on: one option, opened in one way."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk.errors import BadSettings, UnusableFile

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database, Row

F = TypeVar("F", bound=Callable[..., object])


def database_option(help_text: str) -> Callable[[F], F]:
    """The option `--database` of a command that cannot do without."""
    return click.option(
        "--database", required=True, type=click.Path(path_type=Path), help=help_text
    )


@contextmanager
def opened(target: Path, *, create: bool = False) -> "Iterator[Database]":
    """A database for the length of a command; with `create`, made if it does not exist.

    What is made is for its owner's eyes alone.

    Raises: UnusableFile: there is no such database, it is not ours, or it is newer.
    """
    from frontdesk.store.sqlite import SQLiteDatabase

    if create and not target.exists():
        _make_private(target)
    database = SQLiteDatabase(target, create=create)
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


def _make_private(path: Path) -> None:
    """Make an empty file, and the directories to it, before anything is written there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise UnusableFile(f"{path} cannot be made: {error.strerror}") from error
