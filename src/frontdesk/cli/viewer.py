"""Opens the viewer: on a database in this process, or on a server.

What a start costs is imports. Here is what the first paint needs; the network stack and the
service are imported by `connect`, which the viewer runs in a thread after it.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk import settings
from frontdesk.cache import Cache
from frontdesk.cli.origins import database_origin, origin_of
from frontdesk.errors import BadSettings, InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp

if TYPE_CHECKING:
    from frontdesk.client import InboxClient


def open_database(target: str, user: str | None) -> None:
    """The viewer on a database, served in this process; "me" is `user`, or nobody.

    target: a path, or the address of a PostgreSQL database.

    Raises: UnusableFile: it is no database of ours. BadSettings: it has no such user.
    """
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import in_process, user_of
    from frontdesk.store.addresses import short_name

    with ExitStack() as ending:
        database = ending.enter_context(opened(target))
        row = user_of(database, user)
        me = int(row["id"]) if row else None
        origin = database_origin(target, me)
        title = f"{short_name(target)} · {row['name']}" if row else short_name(target)
        cache_file = settings.cache_file()
        view(lambda: in_process(database, me, ending), cache_file, origin, title=title)


def open_url(url: str) -> None:
    """The viewer on a server, with the key from the environment.

    Raises: BadSettings: the address or the key cannot be used.
    """
    key = settings.api_key()

    def connect() -> "InboxClient":
        from frontdesk.client import InboxClient

        return InboxClient(url, key)

    view(connect, settings.cache_file(), origin_of(url, key), title=_host(url))


def view(
    connect: Callable[[], "InboxClient"],
    cache_file: Path,
    origin: str,
    *,
    title: str,
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """Run the viewer until it is left.

    `leaving` is called then, before `connect` is waited for if it is still under way.
    """
    if not (_draws_on_a_page() or (sys.stdin.isatty() and sys.stderr.isatty())):
        raise BadSettings("The viewer needs a terminal to draw on and to read keys from")
    cache = Cache(cache_file, origin, limit_bytes=settings.cache_limit_bytes())
    try:
        app = FrontdeskApp(Mailbox(connect, cache), title=title)
        failure = asyncio.run(_run(app, leaving))
    finally:
        cache.close()
    if failure is not None:
        raise failure
    if app.return_code:
        # A bug: the viewer has shown its traceback.
        sys.exit(app.return_code)


async def _run(app: FrontdeskApp, leaving: Callable[[], None]) -> InboxError | None:
    try:
        return await app.run_async()
    finally:
        leaving()


def _draws_on_a_page() -> bool:
    """Whether `frontdesk web` has started this, and reads what is drawn."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
