"""First-run set-up: asks for an inbox and saves it as a profile."""

import asyncio
import sys
from pathlib import Path

from frontdesk.cli.config import Configuration, Profile
from frontdesk.cli.profiles import add_profile, check_name
from frontdesk.cli.target import Target, describe_database, describe_server
from frontdesk.errors import BadSettings, Forbidden, Unauthorised
from frontdesk.store.dsn import is_address
from frontdesk.tui.setup_form import ConnectApp, Fault, SetupValues


def connect(configured: Configuration) -> Target | None:
    """Return the new profile's target, an empty target for the demo, None without a terminal.

    Exits if the dialog is cancelled. Raises: BadSettings, UnusableFile: it cannot be saved.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    app = ConnectApp(attempt, theme=configured.viewer.theme, keys=configured.keys)
    wanted = asyncio.run(app.run_async(mouse=configured.viewer.mouse))
    if app.crash is not None:
        raise app.crash
    if wanted is None:
        sys.exit(0)
    return Target(profile=keep(configured, wanted)) if wanted.address else Target()


def keep(configured: Configuration, wanted: SetupValues) -> str:
    """Save a verified inbox; return its profile's name."""
    add_profile(configured, _profile(wanted), wanted.key if wanted.is_server else None, use=True)
    return wanted.name


async def attempt(wanted: SetupValues) -> str:
    """Connect to an inbox and describe it in a few words.

    Raises: Fault: an invalid field. InboxError.
    """
    try:
        check_name(wanted.name)
    except BadSettings as error:
        raise Fault("name", str(error)) from error
    if not wanted.is_server:
        profile = _profile(wanted)
        return await asyncio.to_thread(describe_database, profile.database or "", profile.user)
    try:
        return await describe_server(wanted.address, wanted.key)
    except (Unauthorised, Forbidden) as error:
        raise Fault("key", str(error)) from error
    except BadSettings as error:
        raise Fault("key" if "key must be" in str(error) else "address", str(error)) from error


def _profile(wanted: SetupValues) -> Profile:
    if wanted.is_server:
        return Profile(name=wanted.name, url=wanted.address)
    address = wanted.address
    path = address if is_address(address) else str(Path(address).expanduser().absolute())
    return Profile(name=wanted.name, database=path, user=wanted.user or None)
