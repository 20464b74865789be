"""`frontdesk config`: path, validation and editing of the configuration; lists key bindings."""

import click

from frontdesk.cli.base import Group
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.output import table
from frontdesk.errors import BadSettings


@click.group(cls=Group, name="config")
def config_group() -> None:
    """The configuration file: where it is, and what is wrong in it."""


@config_group.command("path")
def path_command() -> None:
    """Say where the configuration is."""
    click.echo(configuration().path)


@config_group.command("check")
@click.pass_context
def check_command(context: click.Context) -> None:
    """Say what is wrong in the configuration, with its line; exits with 1 then."""
    configured = configuration()
    for mistake in configured.mistakes:
        click.echo(f"{configured.path}, {mistake}")
    if configured.mistakes:
        context.exit(ERROR)
    there = "is all right" if configured.path.exists() else "is not there: defaults hold"
    click.echo(f"{configured.path} {there}")


@config_group.command("edit")
@click.pass_context
def edit_command(context: click.Context) -> None:
    """Open the configuration in your editor, and check it afterwards."""
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


@config_group.command("keys")
def keys_command() -> None:
    """List the actions that can have other keys, and the keys they have now."""
    from frontdesk.tui.keymap import action_ids

    mapped = configuration().keys
    rows = [[name, mapped.get(name, keys), words] for name, (keys, words) in action_ids().items()]
    click.echo(table(["ACTION", "KEYS", ""], rows))
