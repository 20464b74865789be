"""`frontdesk config`: path, validation and editing of the configuration; lists key bindings."""

import os
import shlex
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import group
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.options import target_options
from frontdesk.cli.output import print_table
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import BadSettings
from frontdesk.system import subprocess_environment
from frontdesk.text.clean import compact_json

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.own_commands.command import OwnCommand

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
    from frontdesk.tui.key_validation import action_ids

    mapped = configuration().keys
    rows = [[name, mapped.get(name, keys), words] for name, (keys, words) in action_ids().items()]
    print_table(["ACTION", "KEYS", ""], rows)


@config_group.subcommand(
    "commands",
    "frontdesk config commands",
    'frontdesk config commands --try "Open in the CRM" --conversation 27',
)
@target_options
@click.option("--try", "name", metavar="NAME", help="Print the arguments of one, and run nothing.")
@click.option("--conversation", "id", metavar="ID", help="With --try: the conversation it is for.")
def commands_command(target: Target, name: str | None, id: str | None) -> None:
    """List your own commands of the viewer.

    With --try, prints the program and the arguments that a command would run, as JSON, then the
    variables with its values.
    """
    from frontdesk.own_commands.arguments import variables

    configured = configuration()
    if name is None:
        rows = [
            [
                *(one.name, one.key, one.letter, ",".join(one.places)),
                *(one.stdin, one.output, " ".join(one.run)),
            ]
            for one in configured.commands
        ]
        print_table(["NAME", "KEY", "LETTER", "FOR", "STDIN", "OUTPUT", "RUN"], rows)
        return
    command = next((one for one in configured.commands if one.name == name), None)
    if command is None:
        for mistake in configured.mistakes:
            if mistake.place[:1] == ("commands",):
                raise BadSettings(f"{configured.path}, {mistake}")
        names = ", ".join(repr(one.name) for one in configured.commands) or "none"
        raise BadSettings(f"There is no command {name!r}; there is {names}")
    of_one = {"conversation", "message", "contact"} & {*command.places}
    if id is None and of_one:
        raise click.UsageError("--try needs --conversation ID, whose values are filled in")
    values = {}
    if id is not None:
        link = configured.open.conversation
        read = partial(_values, id=id.removeprefix("#"), web_inbox=link)
        values = run_with_client(target, read)
    values = {**values, **_stand_ins(command)}
    click.echo(compact_json(command.arguments(values)))
    for variable, text in variables(values).items():
        click.echo(f"{variable}={shlex.quote(text)}")


async def _values(client: "InboxClient", id: str, *, web_inbox: str | None) -> dict[str, str]:
    """Values of a conversation, its contact, and its last message as far as it is known."""
    from frontdesk.own_commands.command import values_of
    from frontdesk.wire import Message

    conversation = await client.conversation(id)
    phone = conversation.contact.phone
    contact = await client.contact_by_phone(phone) if phone else None
    last = conversation.last_message
    entry = Message.model_validate(last.model_dump()) if last else None
    return values_of(conversation, entry, contact=contact, web_inbox=web_inbox)


def _stand_ins(command: "OwnCommand") -> dict[str, str]:
    """What stands for values that are asked for, found, or made when a command is run."""
    from frontdesk.own_commands.arguments import ASKED, FILES

    answers = {f"{ASKED}{one.name}": one.default or f"<{one.title}>" for one in command.fields}
    return {**answers, **{name: f"<{name}>" for name in (*FILES, "match", "query")}}
