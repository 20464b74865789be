"""Opens the viewer on a server, or on a database served in this process.

Imports dominate the start-up time. This module imports what the first paint needs; `connect`
imports the network stack and the service, in a thread after the first paint.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from frontdesk import settings
from frontdesk.cache import Cache
from frontdesk.cli.config import Configuration, Look, Profile, configuration
from frontdesk.cli.exit_codes import say
from frontdesk.cli.startup import StartupFrame, today
from frontdesk.cli.target import (
    Target,
    api_key_of,
    database_origin,
    network,
    origin_of,
    resolve,
    where,
)
from frontdesk.errors import BadSettings, InboxError
from frontdesk.first_frame import Frame
from frontdesk.mailbox import Mailbox
from frontdesk.query import SavedView, parse
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.preferences import Preferences, Switch, Targets

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.tui.reports.query import Asked


_SWITCH_SECONDS = 0.0005


class Inbox(NamedTuple):
    """Inbox to open. origin: the cache origin of its pages."""

    connect: Callable[[], "InboxClient"]
    origin: str
    title: str


def open_viewer(target: Target, startup: StartupFrame) -> bool:
    """Open the viewer on a target, and on each profile that the user switches to.

    If a profile cannot be opened, the previous one is shown with the error. Returns True if nothing
    was opened because the user chose the demo.

    Raises: UnusableFile: not a frontdesk database. BadSettings: invalid target, URL or key, or
    unknown user.
    """
    configured = configuration()
    notices = told_mistakes(configured)
    if target == Target() and not configured.profiles:
        target = _asked_for(configured)
        if target == Target():
            return True
        configured = configuration()
    left: Target | None = None
    while True:
        try:
            switch = _open(target, configured, notices, startup)
        except InboxError as error:
            if left is None:
                raise
            target, left, notices = left, None, (str(error),)
            continue
        if switch is None or _draws_on_a_page():
            # A page is limited to its own inbox, and must not run key commands of other profiles.
            return False
        left, notices = target, ()
        # Another start with the same arguments does not open this profile.
        target, startup = Target(profile=switch.profile), StartupFrame()


def _asked_for(configured: Configuration) -> Target:
    """Return the user's choice on the first run; an empty target is the demo."""
    from frontdesk.cli.first_run import connect

    # An unreadable file may contain profiles, so no new one is created.
    configured.in_use  # noqa: B018
    target = connect(configured)
    if target is None:
        raise _nothing()
    return target


def _nothing() -> BadSettings:
    return BadSettings(
        "Nothing to open: give --database PATH or --url URL, or try `frontdesk demo`"
    )


def told_mistakes(configured: Configuration) -> tuple[str, ...]:
    """Print configuration errors; return them for display in the viewer."""
    for mistake in configured.mistakes:
        say(f"{configured.path}, {mistake}")
    return tuple(f"{configured.path.name}, {mistake}" for mistake in configured.mistakes)


def preferences_of(
    configured: Configuration, profile: Profile | None, notices: tuple[str, ...]
) -> Preferences:
    """Return the preferences passed to the viewer."""
    look = configured.look
    return Preferences(
        theme=(profile.theme if profile else None) or look.theme,
        density=look.density,
        bell=look.bell,
        quiet_unfocused=look.quiet_unfocused,
        mark_read_after=look.mark_read_after,
        conversation_link=configured.open.conversation,
        keys=configured.keys,
        profiles={name: where(one) for name, one in configured.profiles.items()},
        profile=profile.name if profile else None,
        views=tuple(SavedView(one.name, parse(one.query), one.key) for one in configured.views),
        notices=notices,
        targets=targets_of(configured),
    )


def targets_of(configured: Configuration) -> Targets:
    return Targets(configured.targets.first_response, configured.targets.reply)


def _open(
    target: Target, configured: Configuration, notices: tuple[str, ...], startup: StartupFrame
) -> Switch | None:
    """Run the viewer on one target."""
    target = resolve(target, configured)
    if not target.url and not target.database:
        raise _nothing()
    profile = configured.profiles.get(target.profile or "")
    preferences = preferences_of(configured, profile, notices)
    if notices or (profile and profile.key_command):
        # Output on the terminal before the viewer opens rules out a saved first frame.
        startup.start = None
    with ExitStack() as resources:
        inbox = _inbox_of(target, configured, resources)
        return view(inbox, settings.cache_file(), configured.look, preferences, startup=startup)


def open_wall(target: Target, asked: "Asked") -> None:
    """Show the live counts and today's metrics until the user ends it.

    Raises: InboxError.
    """
    from frontdesk.reports.metrics import glyphs_for
    from frontdesk.tui.reports.wall import WallApp

    _check_terminal()
    configured = configuration()
    target = resolve(target, configured)
    if not target.url and not target.database:
        raise _nothing()
    look = configured.look
    with ExitStack() as resources:
        inbox = _inbox_of(target, configured, resources)
        limit_bytes = settings.cache_limit_bytes(look.cache_mb)
        cache = Cache(settings.cache_file(), inbox.origin, limit_bytes=limit_bytes)
        resources.callback(cache.close)
        app = WallApp(
            Mailbox(inbox.connect, cache),
            asked,
            title=inbox.title,
            glyphs=glyphs_for(os.environ),
            theme=look.theme,
            targets=targets_of(configured),
        )
        asyncio.run(app.run_async(mouse=False))
    if app.crash is not None:
        raise app.crash


def _inbox_of(target: Target, configured: Configuration, resources: ExitStack) -> Inbox:
    return _of_server(target, configured) if target.url else _of_database(target, resources)


def _check_terminal() -> None:
    if not _draws_on_a_page() and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadSettings("The viewer needs a terminal to draw on and to read keys from")


def _of_server(target: Target, configured: Configuration) -> Inbox:
    url, key = target.url or "", api_key_of(target, configured)
    # Report invalid network settings before the viewer opens.
    configured.network  # noqa: B018

    def connect() -> "InboxClient":
        import anyio

        from frontdesk.client import InboxClient

        # Imports anyio's back end here, not in the first request while the screen waits.
        anyio.run(anyio.sleep, 0)
        return InboxClient(url, key, network=network(configured))

    return Inbox(connect, origin_of(url, key), target.profile or _host(url))


def _of_database(target: Target, resources: ExitStack) -> Inbox:
    """Serve a database in this process; `target.user` is the user meant by "me"."""
    from frontdesk.cli.database import opened
    from frontdesk.cli.target import in_process, user_of
    from frontdesk.store.dsn import short_name

    address = target.database or ""
    database = resources.enter_context(opened(address))
    row = user_of(database, target.user)
    me = int(row["id"]) if row else None
    title = target.profile or short_name(address)
    return Inbox(
        lambda: in_process(database, me, resources),
        database_origin(address, me),
        f"{title} · {row['name']}" if row else title,
    )


def view(
    inbox: Inbox,
    cache_file: Path,
    look: Look,
    preferences: Preferences,
    *,
    startup: StartupFrame | None = None,
    leaving: Callable[[], None] = lambda: None,
) -> Switch | None:
    """Run the viewer until it is closed; return the profile to switch to, if any.

    `leaving` is called on exit, before waiting for a running `connect`. startup: state of the
    terminal, and where the first frame of the next start is saved.
    """
    startup = startup or StartupFrame()
    _check_terminal()
    # Background threads yield to the UI thread sooner than after the default 5 ms.
    sys.setswitchinterval(_SWITCH_SECONDS)
    limit_bytes = settings.cache_limit_bytes(look.cache_mb)
    cache = Cache(cache_file, inbox.origin, limit_bytes=limit_bytes)
    try:
        mailbox = Mailbox(inbox.connect, cache)
        app = FrontdeskApp(mailbox, title=inbox.title, preferences=preferences)
        keep_first_screen = _keeper(startup, cache, inbox.title, preferences)
        if startup.release():
            from frontdesk.tui.first_frame import going_on

            app.driver_class = going_on(app.driver_class)
        try:
            ended = asyncio.run(_run(app, leaving, look.mouse))
        except SystemExit:
            # SIGTERM, or the terminal was closed.
            keep_first_screen(app)
            raise
        startup.end()
        if ended is None and not app.return_code:
            keep_first_screen(app)
    finally:
        cache.close()
    if isinstance(ended, InboxError):
        raise ended
    if app.crash is not None:
        raise app.crash
    return ended


def _keeper(
    startup: StartupFrame, cache: Cache, title: str, preferences: Preferences
) -> Callable[[FrontdeskApp], None]:
    """Return a function that saves a closed viewer's first frame for the next identical start."""
    configured_in = str(settings.config_file())
    # Computed now, as the configuration may be edited while the viewer is open.
    circumstances = startup.circumstances(configured_in)

    def keep(left: FrontdeskApp) -> None:
        if circumstances is not None:
            from frontdesk.tui.first_frame import portrait

            drawn = asyncio.run(portrait(cache, title, preferences, *left.size))
            cache.keep_frame(
                Frame(
                    circumstances=circumstances,
                    configuration=configured_in,
                    columns=left.size.width,
                    lines=left.size.height,
                    day=today(),
                    screen=drawn.encode(),
                )
            )

    return keep


async def _run(
    app: FrontdeskApp, leaving: Callable[[], None], mouse: bool
) -> InboxError | Switch | None:
    try:
        return await app.run_async(mouse=mouse)
    finally:
        leaving()


def _draws_on_a_page() -> bool:
    """Check if the viewer was started by `frontdesk web`."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
