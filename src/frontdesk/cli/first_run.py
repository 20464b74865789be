"""First-run set-up: asks for an inbox and saves it as a profile."""

import asyncio
import sys
from pathlib import Path

from frontdesk.cli.config import Configuration
from frontdesk.cli.profiles import add_profile, check_name
from frontdesk.cli.target import Target, describe_database, describe_server
from frontdesk.errors import BadSettings, Forbidden, Unauthorised
from frontdesk.settings import Profile
from frontdesk.store.dsn import is_address
from frontdesk.tui.app import theme_of_terminal
from frontdesk.tui.setup_form import ConnectApp, FieldError, SetupValues
from frontdesk.tui.terminal_input import reading_any_key


def connect(configured: Configuration) -> Target | None:
    """Return the new profile's target, an empty target for the demo, None without a terminal.

    Exits if the dialog is cancelled. Raises: BadSettings, UnusableFile: it cannot be saved.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    configured_theme = configured.viewer.theme
    theme, typed = theme_of_terminal(configured_theme)
    app = ConnectApp(attempt, theme=configured_theme or theme, keys=configured.keys)
    app.driver_class = reading_any_key(app.driver_class, app.end_over, typed=typed)
    values = asyncio.run(app.run_async(mouse=configured.viewer.mouse))
    if app.crash is not None:
        raise app.crash
    if values is None:
        sys.exit(0)
    return Target(profile=keep(configured, values)) if values.address else Target()


def keep(configured: Configuration, values: SetupValues) -> str:
    """Save a verified inbox; return its profile's name."""
    add_profile(configured, _profile(values), values.key if values.is_server else None, use=True)
    return values.name


async def attempt(values: SetupValues) -> str:
    """Connect to an inbox and describe it in a few words.

    Raises: FieldError: an invalid field. InboxError.
    """
    try:
        check_name(values.name)
    except BadSettings as error:
        raise FieldError("name", str(error)) from error
    if not values.is_server:
        profile = _profile(values)
        return await asyncio.to_thread(describe_database, profile.database or "", profile.user)
    try:
        return await describe_server(values.address, values.key)
    except (Unauthorised, Forbidden) as error:
        raise FieldError("key", str(error)) from error
    except BadSettings as error:
        raise FieldError("key" if "key must be" in str(error) else "address", str(error)) from error


def _profile(values: SetupValues) -> Profile:
    if values.is_server:
        return Profile(name=values.name, url=values.address)
    address = values.address
    path = address if is_address(address) else str(Path(address).expanduser().absolute())
    return Profile(name=values.name, database=path, user=values.user or None)
