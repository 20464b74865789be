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
from typing import TYPE_CHECKING, NamedTuple

from frontdesk import settings
from frontdesk.cache import Cache
from frontdesk.cli.beginning import Beginning, today
from frontdesk.cli.configuration import Configuration, Look, Profile, configuration
from frontdesk.cli.ending import say
from frontdesk.cli.origins import database_origin, origin_of
from frontdesk.cli.places import Place, found, key_of, network, where
from frontdesk.errors import BadSettings, InboxError
from frontdesk.first_frame import Frame
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.preferences import Preferences, Switch

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

_SWITCH_SECONDS = 0.0005


class Inbox(NamedTuple):
    """What the viewer opens. `origin`: the name that its pages are kept under."""

    connect: Callable[[], "InboxClient"]
    origin: str
    title: str


def open_viewer(place: Place, begun: Beginning) -> bool:
    """The viewer on a place, and on each profile that the reader goes to from there.

    A profile that cannot be opened is told of in the one that was left for it. True: nothing was
    opened, for the reader wants the demo.

    Raises: UnusableFile: it is no database of ours. BadSettings: the place, the address or the key
    cannot be used, or a database has no such user.
    """
    configured = configuration()
    notices = told_mistakes(configured)
    if place == Place() and not configured.profiles:
        place = _asked_for(configured)
        if place == Place():
            return True
        configured = configuration()
    left: Place | None = None
    while True:
        try:
            switch = _open(place, configured, notices, begun)
        except InboxError as error:
            if left is None:
                raise
            place, left, notices = left, None, (str(error),)
            continue
        if switch is None or _draws_on_a_page():
            # A page shows the inbox that it was served for: no page has a key command run here.
            return False
        left, notices = place, ()
        # Another start like this one does not begin there.
        place, begun = Place(profile=switch.profile), Beginning()


def _asked_for(configured: Configuration) -> Place:
    """Where the reader wants to go at the first start; nowhere is the demo."""
    from frontdesk.cli.connecting import connect

    # A file that cannot be read may have profiles in it: it is not the time for another.
    configured.in_use  # noqa: B018
    place = connect(configured)
    if place is None:
        raise _nothing()
    return place


def _nothing() -> BadSettings:
    return BadSettings(
        "Nothing to open: give --database PATH or --url URL, or try `frontdesk demo`"
    )


def told_mistakes(configured: Configuration) -> tuple[str, ...]:
    """Tell what is wrong with the configuration; gives what the viewer says of it."""
    for mistake in configured.mistakes:
        say(f"{configured.path}, {mistake}")
    return tuple(f"{configured.path.name}, {mistake}" for mistake in configured.mistakes)


def preferences_of(
    configured: Configuration, profile: Profile | None, notices: tuple[str, ...]
) -> Preferences:
    """What the viewer is told of the configuration."""
    look = configured.look
    return Preferences(
        theme=(profile.theme if profile else None) or look.theme,
        density=look.density,
        bell=look.bell,
        quiet_unfocused=look.quiet_unfocused,
        keys=configured.keys,
        profiles={name: where(one) for name, one in configured.profiles.items()},
        profile=profile.name if profile else None,
        notices=notices,
    )


def _open(
    place: Place, configured: Configuration, notices: tuple[str, ...], begun: Beginning
) -> Switch | None:
    """The viewer on one place."""
    place = found(place, configured)
    if not place.url and not place.database:
        raise _nothing()
    profile = configured.profiles.get(place.profile or "")
    preferences = preferences_of(configured, profile, notices)
    if notices or (profile and profile.key_command):
        # Something is said on the terminal before the viewer opens, or may be.
        begun.start = None
    with ExitStack() as ending:
        inbox = _of_server(place, configured) if place.url else _of_database(place, ending)
        return view(inbox, settings.cache_file(), configured.look, preferences, begun=begun)


def _of_server(place: Place, configured: Configuration) -> Inbox:
    url, key = place.url or "", key_of(place, configured)
    # A mistake in it is told before the viewer opens.
    configured.network  # noqa: B018

    def connect() -> "InboxClient":
        import anyio

        from frontdesk.client import InboxClient

        # The first request would have this imported where the screen waits for it.
        anyio.run(anyio.sleep, 0)
        return InboxClient(url, key, network=network(configured))

    return Inbox(connect, origin_of(url, key), place.profile or _host(url))


def _of_database(place: Place, ending: ExitStack) -> Inbox:
    """A database, served in this process; "me" is its user, or nobody."""
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import in_process, user_of
    from frontdesk.store.addresses import short_name

    target = place.database or ""
    database = ending.enter_context(opened(target))
    row = user_of(database, place.user)
    me = int(row["id"]) if row else None
    title = place.profile or short_name(target)
    return Inbox(
        lambda: in_process(database, me, ending),
        database_origin(target, me),
        f"{title} · {row['name']}" if row else title,
    )


def view(
    inbox: Inbox,
    cache_file: Path,
    look: Look,
    preferences: Preferences,
    *,
    begun: Beginning | None = None,
    leaving: Callable[[], None] = lambda: None,
) -> Switch | None:
    """Run the viewer until it is left; for another profile, if that is given back.

    `leaving` is called then, before `connect` is waited for if it is still under way. `begun`: how
    the terminal is, and what another start like this one begins with.
    """
    begun = begun or Beginning()
    if not _draws_on_a_page() and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadSettings("The viewer needs a terminal to draw on and to read keys from")
    # A thread that imports or decodes gives way to the screen at once, not after 5 ms each time.
    sys.setswitchinterval(_SWITCH_SECONDS)
    limit_bytes = settings.cache_limit_bytes(look.cache_mb)
    cache = Cache(cache_file, inbox.origin, limit_bytes=limit_bytes)
    try:
        mailbox = Mailbox(inbox.connect, cache)
        app = FrontdeskApp(mailbox, title=inbox.title, preferences=preferences)
        keep_first_screen = _keeper(begun, cache, inbox.title, preferences)
        if begun.hand_over():
            from frontdesk.tui.portrait import going_on

            app.driver_class = going_on(app.driver_class)
        try:
            ended = asyncio.run(_run(app, leaving, look.mouse))
        except SystemExit:
            # Its terminal is gone, or it was told to end.
            keep_first_screen(app)
            raise
        begun.end()
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
    begun: Beginning, cache: Cache, title: str, preferences: Preferences
) -> Callable[[FrontdeskApp], None]:
    """What keeps, for a viewer that was left, the screen that another start like it begins with."""
    configured_in = str(settings.config_file())
    # As the configuration is now: it may be written while the viewer is open.
    circumstances = begun.circumstances(configured_in)

    def keep(left: FrontdeskApp) -> None:
        if circumstances is not None:
            from frontdesk.tui.portrait import portrait

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
    """Whether `frontdesk web` has started this, and reads what is drawn."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
