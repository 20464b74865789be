"""Opens the viewer: on the built-in sample, on a database in this process, or on a server.

What a start costs is imports. Only what the first paint needs is imported before it; the network
stack and the service are built by `connect`, which the viewer runs in a thread after it.
"""

import gc
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

import frontdesk
from frontdesk import settings
from frontdesk.cli.commands import Command
from frontdesk.errors import BadSettings, UnusableFile

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.store.database import Database

_ACCOUNT = 1

# Never asked over a network: names the service inside this process.
_IN_PROCESS = "http://localhost"


@click.command("demo", cls=Command)
def demo_command() -> None:
    """Open the viewer on a built-in sample inbox: no server, no network, no set-up."""
    with ExitStack() as ending:
        where = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-")))
        maker = _start_sample(where / "inbox.db")
        ending.callback(maker.kill)

        def connect() -> "InboxClient":
            if maker.wait():
                raise UnusableFile("The sample inbox could not be made")
            return _as_sample_agent(where / "inbox.db", ending)

        _view(connect, where / "pages.db", "sample", title="demo")


def open_database(path: Path, user: str | None) -> None:
    """The viewer on a database, served in this process; "me" is `user`, or nobody.

    Raises: UnusableFile: it is no database of ours. BadSettings: it has no such user.
    """
    from frontdesk.store.keys import user_named
    from frontdesk.store.sqlite import SQLiteDatabase

    with ExitStack() as ending:
        database = SQLiteDatabase(path)
        ending.callback(database.close)
        row = database.read(lambda c: user_named(c, _ACCOUNT, user)) if user else None
        if user and row is None:
            raise BadSettings(f"The database has no user {user!r}: give an e-mail address")
        me = int(row["id"]) if row else None
        origin = f"{path.absolute()} {me or ''}"
        title = f"{path.stem} · {row['name']}" if row else path.stem
        cache_file = settings.cache_file()
        _view(lambda: _in_process(database, me, ending), cache_file, origin, title=title)


def open_url(url: str) -> None:
    """The viewer on a server, with the key from the environment.

    Raises: BadSettings: the address or the key cannot be used.
    """
    key = settings.api_key()

    def connect() -> "InboxClient":
        from frontdesk.client import InboxClient

        return InboxClient(url, key)

    fingerprint = hashlib.sha256(key.encode()).hexdigest()[:16]
    _view(connect, settings.cache_file(), f"{url.rstrip('/')} {fingerprint}", title=_host(url))


def _view(
    connect: Callable[[], "InboxClient"], cache_file: Path, origin: str, *, title: str
) -> None:
    """Run the viewer until it is left.

    No garbage is collected before the first paint: what a start makes is there to stay.
    """
    gc.disable()
    from frontdesk.cache import Cache
    from frontdesk.mailbox import Mailbox
    from frontdesk.tui.app import FrontdeskApp

    cache = Cache(cache_file, origin)
    try:
        FrontdeskApp(Mailbox(connect, cache), title=title).run()
    finally:
        cache.close()


def _start_sample(path: Path) -> "subprocess.Popen[bytes]":
    """Make the sample in a process beside this one, which is busy with imports meanwhile."""
    package = str(Path(frontdesk.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "frontdesk.ingest.sample", str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([package, *sys.path])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _as_sample_agent(path: Path, ending: ExitStack) -> "InboxClient":
    """A client of the sample, as one of its agents."""
    from frontdesk.ingest.sample import ME
    from frontdesk.store.keys import user_named
    from frontdesk.store.sqlite import SQLiteDatabase

    database = SQLiteDatabase(path, durable=False)
    ending.callback(database.close)
    me = database.read(lambda connection: user_named(connection, _ACCOUNT, ME))
    return _in_process(database, int(me["id"]) if me else None, ending)


def _in_process(database: "Database", user_id: int | None, ending: ExitStack) -> "InboxClient":
    """A client of a service in this process, with a key that lives in memory only.

    The service ends with `ending`, before the database does.
    """
    from frontdesk.client import InboxClient
    from frontdesk.service.app import create_app
    from frontdesk.service.auth import new_guest

    key, guest = new_guest(_ACCOUNT, user_id)
    service = create_app(database, guests=[guest])
    ending.callback(service.close)
    return InboxClient(_IN_PROCESS, key, app=service)


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
