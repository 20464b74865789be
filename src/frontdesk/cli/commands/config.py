"""`frontdesk config`: path, validation and editing of the configuration; lists key bindings."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import click

from frontdesk.cli.base import group
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.output import print_table
from frontdesk.errors import BadSettings
from frontdesk.system import subprocess_environment

# Looked for in this order where neither $VISUAL nor $EDITOR is set.
_EDITORS = ("sensible-editor", "vim", "nano", "notepad")


@group("config", "frontdesk config edit", "frontdesk config check")
def config_group() -> None:
    """Find, check and edit the configuration file."""


@config_group.subcommand("path", "frontdesk config path", 'cat "$(frontdesk config path)"')
def path_command() -> None:
    """Print the path of the configuration file."""
    click.echo(configuration().path)


@config_group.subcommand("check", "frontdesk config check", "frontdesk config check && frontdesk")
@click.option(
    "--media-readers", metavar="FILE", help="Check this file of `serve --media-readers` instead."
)
@click.pass_context
def check_command(context: click.Context, media_readers: str | None = None) -> None:
    """Check the configuration file.

    Prints each mistake with its line. The exit status is 1 if there are any.
    """
    if media_readers is not None:
        from frontdesk.cli.reader_settings import checked_readers

        names = ", ".join(one.name for one in checked_readers(media_readers))
        click.echo(f"{media_readers} is all right: {names}")
        return
    configured = configuration()
    for mistake in configured.mistakes:
        click.echo(f"{configured.path}, {mistake}")
    if configured.mistakes:
        context.exit(ERROR)
    there = "is all right" if configured.path.exists() else "is not there: defaults hold"
    click.echo(f"{configured.path} {there}")


@config_group.subcommand("show", "frontdesk config show", "frontdesk config show | grep -v ^#")
def show_command() -> None:
    """Print the settings that are in force, as a configuration file.

    What is not set is a comment with the default, or with an example.
    """
    from frontdesk.cli.config import in_force

    click.echo(in_force(configuration()), nl=False)


@config_group.subcommand("edit", "frontdesk config edit", "VISUAL=nano frontdesk config edit")
@click.pass_context
def edit_command(context: click.Context) -> None:
    """Edit the configuration file.

    Opens it in $VISUAL or $EDITOR and checks it afterwards.
    """
    from frontdesk.settings import new_file
    from frontdesk.system import private_files

    path = configuration().path
    if not path.exists():
        private_files.save_text(path, new_file())
    _edit(path)
    context.invoke(check_command)


def _edit(path: Path) -> None:
    """Run the user's editor, which `click.edit` would give all variables. Raises: BadSettings."""
    names = (os.environ.get("VISUAL"), os.environ.get("EDITOR"), *filter(shutil.which, _EDITORS))
    editor = next(filter(None, names), "vi")
    try:
        subprocess.run(
            [*shlex.split(editor, posix=os.name == "posix"), str(path)],
            env=subprocess_environment.allowed(),
            check=True,
        )
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise BadSettings(f"The editor {editor} did not edit {path}: {error}") from error


@config_group.subcommand("keys", "frontdesk config keys", "frontdesk config keys | grep inbox")
def keys_command() -> None:
    """List actions and their keys.

    The action names can be used under [keys] in the configuration.
    """
    from frontdesk.tui.key_validation import actions_by_id

    mapped = configuration().keys
    rows = [
        [name, mapped.get(name, keys), words]
        for name, (keys, words, _) in sorted(actions_by_id().items())
    ]
    print_table(["ACTION", "KEYS", ""], rows)


@config_group.subcommand(
    "commands", "frontdesk config commands", "frontdesk config commands | grep alert"
)
def commands_command() -> None:
    """List your own commands of the viewer."""
    rows = [
        [
            *(one.name, one.key, one.letter, ",".join(one.places), one.stdin, one.output),
            one.run if isinstance(one.run, str) else shlex.join(one.run),
        ]
        for one in configuration().commands
    ]
    print_table(["NAME", "KEY", "LETTER", "FOR", "STDIN", "OUTPUT", "RUN"], rows)
