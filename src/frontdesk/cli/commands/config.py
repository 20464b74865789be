"""`frontdesk config`: path, validation and editing of the configuration; lists key bindings."""

import click

from frontdesk.cli.base import group
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.output import print_table
from frontdesk.errors import BadSettings


@group("config", "frontdesk config edit", "frontdesk config check")
def config_group() -> None:
    """Find, check and edit the configuration file."""


@config_group.subcommand("path", "frontdesk config path", 'cat "$(frontdesk config path)"')
def path_command() -> None:
    """Print the path of the configuration file."""
    click.echo(configuration().path)


@config_group.subcommand("check", "frontdesk config check", "frontdesk config check && frontdesk")
@click.pass_context
def check_command(context: click.Context) -> None:
    """Check the configuration file.

    Prints each mistake with its line. The exit status is 1 if there are any.
    """
    configured = configuration()
    for mistake in configured.mistakes:
        click.echo(f"{configured.path}, {mistake}")
    if configured.mistakes:
        context.exit(ERROR)
    there = "is all right" if configured.path.exists() else "is not there: defaults hold"
    click.echo(f"{configured.path} {there}")


@config_group.subcommand("edit", "frontdesk config edit", "VISUAL=nano frontdesk config edit")
@click.pass_context
def edit_command(context: click.Context) -> None:
    """Edit the configuration file.

    Opens it in $VISUAL or $EDITOR and checks it afterwards.
    """
    from frontdesk.cli.config import NEW_FILE
    from frontdesk.system import private_files

    path = configuration().path
    if not path.exists():
        private_files.save_text(path, NEW_FILE)
    try:
        click.edit(filename=str(path))
    except click.ClickException as error:
        raise BadSettings(error.format_message()) from error
    context.invoke(check_command)


@config_group.subcommand("keys", "frontdesk config keys", "frontdesk config keys | grep inbox")
def keys_command() -> None:
    """List actions and their keys.

    The action names can be used under [keys] in the configuration.
    """
    from frontdesk.tui.key_validation import action_ids

    mapped = configuration().keys
    rows = [[name, mapped.get(name, keys), words] for name, (keys, words) in action_ids().items()]
    print_table(["ACTION", "KEYS", ""], rows)
