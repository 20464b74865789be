"""The service in this process, and a client of it: the same two as over a network."""

from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from frontdesk.errors import BadSettings, InboxError

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.store.database import Database, Row

ACCOUNT = 1

# Never asked over a network: names the service inside this process.
_BASE_URL = "http://localhost"


def in_process(database: "Database", user_id: int | None, ending: ExitStack) -> "InboxClient":
    """A client of a service over `database`, with a key that lives in memory only.

    The service ends with `ending`, before the database does. Where it failed as the database is
    damaged, `ending` raises an UnusableFile. Imports the network stack.
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
    """An exit callback. Raises: UnusableFile: the service failed as the file is damaged."""
    if isinstance(error, InboxError) and database.damage is not None:
        raise database.damage from error


def user_of(database: "Database", user: str | None) -> "Row | None":
    """The user that somebody means by an e-mail address, a name or an id; None for nobody.

    Raises: BadSettings: there is no such user.
    """
    from frontdesk.store.keys import user_named

    row = database.read(lambda connection: user_named(connection, ACCOUNT, user)) if user else None
    if user and row is None:
        raise BadSettings(f"The database has no user {user!r}: give an e-mail address")
    return row


def as_sample_agent(database: "Database", ending: ExitStack) -> "InboxClient":
    """A client of the sample, as one of its agents."""
    from frontdesk.sample.demo import ME
    from frontdesk.store.keys import user_named

    me = database.read(lambda connection: user_named(connection, ACCOUNT, ME))
    return in_process(database, int(me["id"]) if me else None, ending)
