"""Options shared by commands that read an inbox: server, database, user, profile.

Admission options shared by all ingest commands.

Parses durations such as 30s, 15m, 12h, 90d and 8w.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import update_wrapper, wraps
from typing import Any, TypeVar

import click

from frontdesk.cli.config import configuration
from frontdesk.cli.target import parse_target


def target_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add `--url`, `--database`, `--as` and `--profile`, which make up the argument `place`."""

    def placed(*values: Any, **others: Any) -> object:
        said = {name: others.pop(name) for name in ("url", "database", "user", "profile")}
        return command(*values, target=parse_target(**said), **others)

    placed = update_wrapper(placed, command)
    for option in reversed(_options()):
        placed = option(placed)
    return placed


def _options() -> tuple[Callable[[Callable[..., object]], Callable[..., object]], ...]:
    return (
        click.option("--url", help="Ask this server; the key is in FRONTDESK_API_KEY."),
        click.option(
            "--database",
            metavar="PATH|ADDRESS",
            type=click.Path(),
            help="Read this database: a file, or a PostgreSQL database as postgresql://…",
        ),
        click.option(
            "--as",
            "user",
            metavar="USER",
            help="Who “me” is in a database: an e-mail address, name or id.",
        ),
        click.option(
            "--profile",
            metavar="NAME",
            shell_complete=_profile_names,
            help="Ask where this profile is; without any of these, where the one in use is.",
        ),
    )


def _profile_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [name for name in configuration(whole=False).profiles if name.startswith(incomplete)]


F = TypeVar("F", bound=Callable[..., object])


def admission_options(command: F) -> Callable[..., object]:
    """Add the options that make up the command's `admission` argument."""

    @wraps(command)
    def admitting(*, auto_create_channels: bool, placeholders: bool, **others: Any) -> object:
        from frontdesk.ingest.admission import Admission

        return command(admission=Admission(auto_create_channels, placeholders), **others)

    options = (
        click.option(
            "--auto-create-channels/--no-auto-create-channels",
            default=True,
            show_default=True,
            help="Make a channel of every number that something comes for, or pass it over.",
        ),
        click.option(
            "--placeholders/--no-placeholders",
            default=True,
            show_default=True,
            help="Show that there was a message where only its delivery is known, or not.",
        ),
    )
    for option in reversed(options):
        admitting = option(admitting)
    return admitting


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([smhdw])")


def length(text: str, units: str) -> timedelta | None:
    """Parse a duration in one of the `units`, at most 99999w; None if invalid.

    >>> length("30d", "hdw"), length("30m", "hdw")
    (datetime.timedelta(days=30), None)
    """
    found = _LENGTH.fullmatch(text)
    if found is None or found[2] not in units:
        return None
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
