"""Writes a man page for each command: `python -m tests.man_pages DIRECTORY`."""

import sys
from pathlib import Path

import click
from click_man.core import write_man_pages

from frontdesk import __version__
from frontdesk.cli.main import frontdesk


def write(directory: Path) -> None:
    """Write the pages; the directory is made if it does not exist."""
    directory.mkdir(parents=True, exist_ok=True)
    _load(frontdesk)
    write_man_pages("frontdesk", frontdesk, version=__version__, target_dir=str(directory))


def _load(command: click.Command) -> None:
    """Import the commands of lazy groups, which click-man does not see."""
    if isinstance(command, click.Group):
        context = click.Context(command, **command.context_settings)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            command.add_command(child, name)
            _load(child)


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "man"))
