"""Options shared by commands that read an inbox: server, database, user, profile."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import click

from frontdesk.cli.config import configuration
from frontdesk.cli.places import said_place


def place_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add `--url`, `--database`, `--as` and `--profile`, which make up the argument `place`."""

    def placed(*values: Any, **others: Any) -> object:
        said = {name: others.pop(name) for name in ("url", "database", "user", "profile")}
        return command(*values, place=said_place(**said), **others)

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
