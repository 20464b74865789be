"""Options that commands share: the target, the database, admission."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import update_wrapper, wraps
from typing import Any, TypeVar

import click

from frontdesk.cli.config import configuration
from frontdesk.cli.target import Target, parse_target
from frontdesk.errors import BadSettings
from frontdesk.system import environment
from frontdesk.text.dates import parse_moment
from frontdesk.wire.values import utc_now

F = TypeVar("F", bound=Callable[..., object])


# Environment variables that name the target; options go first.
VARIABLES = {
    "url": "FRONTDESK_URL",
    "database": "FRONTDESK_DATABASE",
    "profile": "FRONTDESK_PROFILE",
}


def target_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add `--url`, `--database`, `--as` and `--profile`, which make up the argument `target`."""

    def placed(*values: Any, **others: Any) -> object:
        target_values = {name: others.pop(name) for name in ("url", "database", "user", "profile")}
        return command(
            *values, target=chosen_target(click.get_current_context(), target_values), **others
        )

    return target_option_set(update_wrapper(placed, command))


def target_option_set(command: F) -> F:
    """Add the options of `target_options` one by one."""
    for option in reversed(_TARGET_OPTIONS):
        command = option(command)
    return command


def chosen_target(context: click.Context, values: Mapping[str, str | None]) -> Target:
    """Build the target from options behind the command or before it, else from the environment.

    Raises: BadSettings: conflicting options or variables.
    """
    options = {name: value or _before(context, name) for name, value in values.items()}
    if any(options[name] for name in VARIABLES):
        return parse_target(**options)
    named = {name: value for name in VARIABLES if (value := _variable(name))}
    if len(named) > 1:
        variables = " and ".join(VARIABLES[name] for name in named)
        raise BadSettings(f"{variables} are set: keep one of them, or give an option")
    return parse_target(**{**options, **named})


def _before(context: click.Context, name: str) -> str | None:
    """Return an option that was given before the command."""
    root = context.find_root()
    value = None if root is context else root.params.get(name)
    return str(value) if value else None


def _variable(name: str) -> str:
    return environment.variables().get(VARIABLES[name], "").strip()


def parse_moment_option(
    context: click.Context, option: click.Parameter, text: str | None
) -> datetime | None:
    """Parse the value of an option that takes a time or an age, in the local zone."""
    try:
        return None if text is None else parse_moment(text, utc_now())
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def database_option(help_text: str) -> Callable[[F], F]:
    """Add the option `--database`, also before the command or from a variable."""
    return click.option(
        "--database",
        metavar="PATH|ADDRESS",
        callback=_chosen_database,
        help=f"{help_text}  [default: FRONTDESK_DATABASE]",
    )


def _chosen_database(context: click.Context, option: click.Parameter, value: str | None) -> str:
    database = value or _before(context, "database")
    profile = _before(context, "profile")
    if not database and not profile:
        database, profile = _variable("database"), _variable("profile")
    if not database and profile:
        database = configuration(whole=False).named(profile).database
        if database is None:
            raise BadSettings(f"The profile {profile!r} is a server: this command needs a database")
    if not database and not context.resilient_parsing:
        raise click.MissingParameter(ctx=context, param=option)
    return database or ""


def _complete_profile(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [name for name in configuration(whole=False).profiles if name.startswith(incomplete)]


_TARGET_OPTIONS = (
    click.option("--url", help="Read this server, with the key in FRONTDESK_API_KEY."),
    click.option(
        "--database",
        metavar="PATH|ADDRESS",
        type=click.Path(),
        help="Read this database: a file, or a PostgreSQL address like postgresql://…",
    ),
    click.option(
        "--as",
        "user",
        metavar="USER",
        help="User meant by “me” in a database: e-mail address, name or id.",
    ),
    click.option(
        "--profile",
        metavar="NAME",
        shell_complete=_complete_profile,
        help="Use this profile.  [default: the current one]",
    ),
)


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
            help="Create channels for unknown numbers, or skip their messages.",
        ),
        click.option(
            "--placeholders/--no-placeholders",
            default=True,
            show_default=True,
            help="Add a placeholder for messages of which only the delivery is known.",
        ),
    )
    for option in reversed(options):
        admitting = option(admitting)
    return admitting


yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation.")


def confirm(question: str, yes: bool) -> None:
    """Ask on a terminal, unless `yes`. Raises: click.Abort, click.UsageError: no confirmation."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Confirm with --yes")
    click.confirm(question, abort=True)
