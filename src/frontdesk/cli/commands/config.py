"""`frontdesk config`: path, validation and editing of the configuration; lists key bindings."""

import click

from frontdesk.cli.base import Group
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.output import print_table
from frontdesk.errors import BadSettings


@click.group(
    cls=Group,
    name="config",
    examples=(
        "frontdesk config edit",
        "frontdesk config check",
    ),
)
def config_group() -> None:
    """Find, check and edit the configuration file."""


@config_group.command(
    "path",
    examples=(
        "frontdesk config path",
        'cat "$(frontdesk config path)"',
    ),
)
def path_command() -> None:
    """Say where the configuration is."""
    click.echo(configuration().path)


@config_group.command(
    "check",
    examples=(
        "frontdesk config check",
        "frontdesk config check && frontdesk",
    ),
)
@click.pass_context
def check_command(context: click.Context) -> None:
    """Say what is wrong in the configuration.

    Each mistake with its line; exits with 1 then."""
    configured = configuration()
    for mistake in configured.mistakes:
        click.echo(f"{configured.path}, {mistake}")
    if configured.mistakes:
        context.exit(ERROR)
    there = "is all right" if configured.path.exists() else "is not there: defaults hold"
    click.echo(f"{configured.path} {there}")


@config_group.command(
    "edit",
    examples=(
        "frontdesk config edit",
        "VISUAL=nano frontdesk config edit",
    ),
)
@click.pass_context
def edit_command(context: click.Context) -> None:
    """Open the configuration in your editor.

    It is checked afterwards."""
    from frontdesk.cli.config import NEW_FILE
    from frontdesk.cli.private import write_private

    path = configuration().path
    if not path.exists():
        write_private(path, NEW_FILE)
    try:
        click.edit(filename=str(path))
    except click.ClickException as error:
        raise BadSettings(error.format_message()) from error
    context.invoke(check_command)


@config_group.command(
    "keys",
    examples=(
        "frontdesk config keys",
        "frontdesk config keys | grep inbox",
    ),
)
def keys_command() -> None:
    """List actions and the keys that they have.

    The names of actions go into [keys] of the configuration."""
    from frontdesk.tui.keymap import action_ids

    mapped = configuration().keys
    rows = [[name, mapped.get(name, keys), words] for name, (keys, words) in action_ids().items()]
    print_table(["ACTION", "KEYS", ""], rows)
