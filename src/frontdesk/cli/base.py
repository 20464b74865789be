"""Base classes of commands: common options, one-line errors, lazy loading."""

import logging
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from frontdesk import private_files, settings
from frontdesk.cli.exit_codes import INTERRUPTED, USAGE, guarded, say
from frontdesk.cli.log_redaction import Discreet, be_discreet
from frontdesk.errors import BadSettings


class Command(click.Command):
    """Command with the option `--debug`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params.append(_debug_option())


class Group(click.Group):
    """Group whose `lazy` commands are imported on first use.

    lazy: maps a command's name to "module:attribute".
    """

    command_class = Command

    def __init__(self, *arguments: Any, lazy: Mapping[str, str] | None = None, **o: Any) -> None:
        super().__init__(*arguments, **o)
        self._lazy = dict(lazy or {})
        self.params.append(_debug_option())

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


def run(command: click.Command, given: object = None) -> None:
    """Run a command as the program; an expected failure prints one line to standard error.

    `given` becomes click's context object.
    """
    be_discreet()
    sys.exit(guarded(lambda: _invoked(command, given)))


def _invoked(command: click.Command, given: object) -> object:
    try:
        return command.main(standalone_mode=False, obj=given)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        say(error.format_message())
        return error.exit_code
    except click.Abort:
        return INTERRUPTED


def now() -> int:
    """Return the current time in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def _debug_option() -> click.Option:
    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        callback=_start_log,
        help="Write a log file, without keys and without what customers write.",
    )


def _start_log(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    path = settings.log_file()
    try:
        private_files.make_directories(path)
        stream = open(path, "a", opener=private_files.opener, encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise BadSettings(f"Cannot write the log {path}: {error.strerror}") from error
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("frontdesk")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.debug("started")
    click.echo(f"frontdesk: logging to {path}", err=True)
