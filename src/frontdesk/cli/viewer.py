"""Opens the viewer on a server, or on a database served in this process.

Imports dominate the start-up time. This module imports what the first paint needs; `connect`
imports the network stack and the service, in a thread after the first paint.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.cache import Cache
from frontdesk.cli.config import Configuration, cache_limit_bytes, configuration
from frontdesk.cli.exit_codes import discard_unwritable_output, say
from frontdesk.cli.first_frame_display import FirstFrameDisplay, today
from frontdesk.cli.signals import on_signals
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
from frontdesk.mailbox import Mailbox
from frontdesk.query import SavedView, parse
from frontdesk.settings import Profile, TargetSettings
from frontdesk.system import environment
from frontdesk.system.first_frame_file import FirstFrame
from frontdesk.tui.app import FrontdeskApp, theme_of_terminal
from frontdesk.tui.app_base import CrashReportingApp, Outcome
from frontdesk.tui.garbage_collection import IdleGarbageCollector
from frontdesk.tui.preferences import Preferences, Switch
from frontdesk.tui.terminal_input import reading_any_key

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.tui.reports.query import ReportOptions


_SWITCH_SECONDS = 0.0005

# Exit codes above it have the number of a signal added.
_ENDED_BY_SIGNAL = 128


class OpenedInbox(NamedTuple):
    """Inbox to open. origin: the cache origin of its pages. me: id of the own user, if known."""

    connect: Callable[[], "InboxClient"]
    origin: str
    title: str
    me: str = ""


def open_viewer(target: Target, first_frame: FirstFrameDisplay) -> bool:
    """Open the viewer on a target, and on each profile that the user switches to.

    If a profile cannot be opened, the previous one is shown with the error. Returns True if nothing
    was opened because the user chose the demo.

    Raises: UnusableFile: not a frontdesk database. BadSettings: invalid target, URL or key, or
    unknown user.
    """
    configured = configuration()
    notices = report_mistakes(configured)
    if target == Target() and not configured.profiles:
        target = _chosen_target(configured)
        if target == Target():
            return True
        configured = configuration()
    left: Target | None = None
    while True:
        try:
            switch = _open(target, configured, notices, first_frame)
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
        target, first_frame = Target(profile=switch.profile), FirstFrameDisplay()


def _chosen_target(configured: Configuration) -> Target:
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


def report_mistakes(configured: Configuration) -> tuple[str, ...]:
    """Print configuration errors; return them for display in the viewer."""
    for mistake in configured.mistakes:
        say(f"{configured.path}, {mistake}")
    return tuple(f"{configured.path.name}, {mistake}" for mistake in configured.mistakes)


def preferences_of(
    configured: Configuration, profile: Profile | None, notices: tuple[str, ...]
) -> Preferences:
    """Return the preferences passed to the viewer."""
    settings = configured.viewer
    return Preferences(
        settings._replace(theme=profile.theme) if profile and profile.theme else settings,
        keys=configured.keys,
        profiles={name: where(profile) for name, profile in configured.profiles.items()},
        profile=profile.name if profile else None,
        views=tuple(SavedView(view.name, parse(view.query), view.key) for view in configured.views),
        notices=notices,
        targets=configured.targets,
        alerts=configured.alerts,
        # A page must not run programs of its host.
        commands=() if _draws_on_a_page() else configured.commands,
    )


def _open(
    target: Target,
    configured: Configuration,
    notices: tuple[str, ...],
    first_frame: FirstFrameDisplay,
) -> Switch | None:
    """Run the viewer on one target."""
    target = resolve(target, configured)
    if not target.url and not target.database:
        raise _nothing()
    profile = configured.profiles.get(target.profile or "")
    preferences = preferences_of(configured, profile, notices)
    if notices or (profile and profile.key_command):
        # Output on the terminal before the viewer opens rules out a saved first frame.
        first_frame.start = None
    with ExitStack() as resources:
        inbox = _inbox_of(target, configured, resources)
        return view(
            inbox,
            environment.cache_file(),
            preferences,
            state_file=environment.state_file(),
            first_frame=first_frame,
            keep=configured.mirror.keep,
        )


def open_wall(target: Target, options: "ReportOptions", targets: TargetSettings) -> None:
    """Show a report until the user ends it.

    Raises: InboxError.
    """
    from frontdesk.reports.metrics import glyphs_for
    from frontdesk.tui.reports.wall import WallApp

    _check_terminal()
    configured = configuration()
    target = resolve(target, configured)
    if not target.url and not target.database:
        raise _nothing()
    settings = configured.viewer
    theme, typed = theme_of_terminal(settings.theme)
    with ExitStack() as resources:
        inbox = _inbox_of(target, configured, resources)
        limit_bytes = cache_limit_bytes(settings)
        cache = Cache(
            environment.cache_file(),
            inbox.origin,
            state_path=environment.state_file(),
            limit_bytes=limit_bytes,
        )
        resources.callback(cache.close)
        app = WallApp(
            Mailbox(inbox.connect, cache),
            options,
            title=inbox.title,
            glyphs=glyphs_for(os.environ),
            theme=settings.theme or theme,
            targets=targets,
        )
        app.driver_class = reading_any_key(app.driver_class, app.end_over, typed=typed)
        asyncio.run(_run_until_closed(app, mouse=False))
    _exit_if_signalled(app)
    if app.crash is not None:
        raise app.crash


def _inbox_of(target: Target, configured: Configuration, resources: ExitStack) -> OpenedInbox:
    return _of_server(target, configured) if target.url else _of_database(target, resources)


def _check_terminal() -> None:
    if not _draws_on_a_page() and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadSettings("The viewer needs a terminal to draw on and to read keys from")


def _of_server(target: Target, configured: Configuration) -> OpenedInbox:
    url, key = target.url or "", api_key_of(target, configured)
    # Report invalid network settings before the viewer opens.
    configured.network  # noqa: B018

    def connect() -> "InboxClient":
        import anyio

        from frontdesk.client import InboxClient

        # Imports anyio's back end here, not in the first request while the screen waits.
        anyio.run(anyio.sleep, 0)
        return InboxClient(url, key, network=network(configured))

    return OpenedInbox(connect, origin_of(url, key), target.profile or _host(url))


def _of_database(target: Target, resources: ExitStack) -> OpenedInbox:
    """Serve a database in this process; `target.user` is the user meant by "me"."""
    from frontdesk.cli.database import opened
    from frontdesk.cli.media import media_files
    from frontdesk.cli.target import in_process, user_of
    from frontdesk.store.dsn import short_name

    address = target.database or ""
    database = resources.enter_context(opened(address))
    row = user_of(database, target.user)
    me = int(row["id"]) if row else None
    title = target.profile or short_name(address)
    return OpenedInbox(
        lambda: in_process(database, me, resources, media_files=media_files(None, address)),
        database_origin(address, me),
        f"{title} · {row['name']}" if row else title,
        str(me or ""),
    )


def view(
    inbox: OpenedInbox,
    cache_file: Path,
    preferences: Preferences,
    *,
    state_file: Path | None = None,
    first_frame: FirstFrameDisplay | None = None,
    leaving: Callable[[], None] = lambda: None,
    keep: str | None = None,
) -> Switch | None:
    """Run the viewer until it is closed; return the profile to switch to, if any.

    `leaving` is called on exit, before waiting for a running `connect`. first_frame: state of the
    terminal, and where the first frame of the next start is saved. state_file: see `Cache`. keep:
    see `Mailbox`.
    """
    first_frame = first_frame or FirstFrameDisplay()
    _check_terminal()
    # Background threads yield to the UI thread sooner than after the default 5 ms.
    sys.setswitchinterval(_SWITCH_SECONDS)
    settings = preferences.viewer
    limit_bytes = cache_limit_bytes(settings)
    cache = Cache(cache_file, inbox.origin, state_path=state_file, limit_bytes=limit_bytes)
    theme, typed = (None, b"") if _draws_on_a_page() else theme_of_terminal(settings.theme)
    preferences = preferences._replace(
        terminal_theme=theme,
        media_directory=environment.media_directory(cache_file, inbox.origin),
        downloads=environment.downloads_directory(),
    )
    try:
        mailbox = Mailbox(inbox.connect, cache, keep=keep, me=inbox.me)
        app = FrontdeskApp(
            mailbox,
            title=inbox.title,
            preferences=preferences,
            collector=IdleGarbageCollector(),
        )
        save_first_frame = _first_frame_saver(first_frame, cache, inbox.title, preferences)
        if first_frame.hand_over():
            from frontdesk.tui.first_frame_renderer import without_screen_switch

            app.driver_class = without_screen_switch(app.driver_class)
        app.driver_class = reading_any_key(app.driver_class, app.end_over, app.alt_keys, typed)
        app.driver_class = app.introduce(app.driver_class)
        ended = asyncio.run(_run(app, leaving, settings.mouse))
        first_frame.restore_terminal()
        if ended is None and app.crash is None:
            save_first_frame(app)
        _exit_if_signalled(app)
    finally:
        cache.close()
    if isinstance(ended, InboxError):
        raise ended
    if app.crash is not None:
        raise app.crash
    return ended


def _first_frame_saver(
    display: FirstFrameDisplay, cache: Cache, title: str, preferences: Preferences
) -> Callable[[FrontdeskApp], None]:
    """Return a function that saves a closed viewer's first frame for the next identical start."""
    configured_in = str(environment.config_file())
    # Computed now, as the configuration may be edited while the viewer is open.
    circumstances = display.circumstances(configured_in)

    def keep(left: FrontdeskApp) -> None:
        if circumstances is not None:
            from frontdesk.tui.first_frame_renderer import render_first_frame

            drawn = asyncio.run(render_first_frame(cache, title, preferences, *left.size))
            cache.save_first_frame(
                FirstFrame(
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
        return await _run_until_closed(app, mouse=mouse)
    finally:
        leaving()


async def _run_until_closed(app: CrashReportingApp[Outcome], *, mouse: bool) -> Outcome | None:
    """Run an application; SIGTERM and SIGHUP close it as its user would, with their exit code."""
    loop = asyncio.get_running_loop()

    def close(exit_code: int) -> None:
        loop.call_soon_threadsafe(partial(app.exit, return_code=exit_code))

    with on_signals(close):
        return await app.run_async(mouse=mouse)


def _exit_if_signalled(app: CrashReportingApp[Outcome]) -> None:
    """Raises: SystemExit: a signal closed the application."""
    if (app.return_code or 0) > _ENDED_BY_SIGNAL:
        discard_unwritable_output()
        raise SystemExit(app.return_code)


def _draws_on_a_page() -> bool:
    """Check if the viewer was started by `frontdesk web`."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
