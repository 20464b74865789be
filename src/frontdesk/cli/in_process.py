"""Runs the service in this process, with a client connected without a network."""

from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from frontdesk.errors import BadSettings, InboxError

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.store.database import Database, Row

ACCOUNT = 1

# Never resolved: addresses the service within this process.
_BASE_URL = "http://localhost"


def in_process(database: "Database", user_id: int | None, ending: ExitStack) -> "InboxClient":
    """Return a client of a service over `database`, with an in-memory key.

    `ending` stops the service before the database closes, and raises UnusableFile if the service
    failed because the database is damaged. Imports the network stack.
    """
    from frontdesk.client import InboxClient
    from frontdesk.service.app import create_app
    from frontdesk.service.auth import new_guest

    key, guest = new_guest(ACCOUNT, user_id)
    service = create_app(database, guests=[guest])
    ending.callback(service.close)
    ending.push(partial(_tell_damage, database))
    return InboxClient(_BASE_URL, key, app=service)


def _tell_damage(
    database: "Database",
    kind: type[BaseException] | None,
    error: BaseException | None,
    traceback: TracebackType | None,
) -> None:
    """Exit callback. Raises: UnusableFile: the service failed because the file is damaged."""
    if isinstance(error, InboxError) and database.damage is not None:
        raise database.damage from error


def user_of(database: "Database", user: str | None) -> "Row | None":
    """Find a user by e-mail address, name or id; None without `user`.

    Raises: BadSettings: unknown user.
    """
    from frontdesk.store.accounts import user_named

    row = database.read(lambda connection: user_named(connection, ACCOUNT, user)) if user else None
    if user and row is None:
        raise BadSettings(f"The database has no user {user!r}: give an e-mail address")
    return row


def as_sample_agent(database: "Database", ending: ExitStack) -> "InboxClient":
    from frontdesk.sample.demo import ME
    from frontdesk.store.accounts import user_named

    me = database.read(lambda connection: user_named(connection, ACCOUNT, ME))
    return in_process(database, int(me["id"]) if me else None, ending)
