"""Base classes of commands: common options, one-line errors, lazy loading."""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from frontdesk.cli.exit_codes import DONE, INTERRUPTED, USAGE, guarded, json_errors, say
from frontdesk.cli.log_redaction import RedactingFormatter, protect_secrets
from frontdesk.errors import BadSettings
from frontdesk.system import environment, private_files

PROGRAM = "frontdesk"
# Set by the scripts of `frontdesk completion`, while they ask for completions.
COMPLETION_VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"

_CONTEXT = {"help_option_names": ["-h", "--help"]}


JSON_OPTION = "--json"
TARGET_OPTIONS = ("--url", "--database", "--as", "--profile")
_FIELDS = re.compile(r"[a-z_]+(\.[a-z_]+)*(, *[a-z_]+(\.[a-z_]+)*)*", re.IGNORECASE)


class _BaseCommand(click.Command):
    """Command with `-h`, the option `--debug`, and examples at the end of its help."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        options["context_settings"] = {**_CONTEXT, **options.get("context_settings", {})}
        super().__init__(*arguments, **options)
        self.examples = tuple(examples)
        self.params.append(
            click.Option(
                ["--debug"],
                is_flag=True,
                expose_value=False,
                callback=_start_log,
                help="Write a debug log, without keys or message texts.",
            )
        )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples))


class Command(_BaseCommand):
    """Command of the program.

    `--json` before an argument does not take it for its fields. With it, errors are JSON too.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        self._json_errors = any(
            word == JSON_OPTION or word.startswith(f"{JSON_OPTION}=") for word in _options(args)
        )
        with json_errors(enabled=self._json_errors):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with json_errors(enabled=self._json_errors):
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                # Who closes a pipe, such as `head`, has read enough: click would exit with 1.
                raise click.exceptions.Exit(DONE) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = _options(args)
        at = options.index(JSON_OPTION) if JSON_OPTION in options else len(args)
        separate = [*args[:at], f"{JSON_OPTION}=", *args[at + 1 :]]
        word = "".join(args[at + 1 : at + 2])
        if word and not word.startswith("-") and not _FIELDS.fullmatch(word):
            return super().parse_args(ctx, separate)
        try:
            return super().parse_args(ctx, list(args))
        except click.MissingParameter as error:
            if not word or not isinstance(error.param, click.Argument):
                raise
            ctx.params.clear()
            return super().parse_args(ctx, separate)


def _options(args: list[str]) -> list[str]:
    """Return the words among which options are."""
    return args[: args.index("--")] if "--" in args else args


class Group(_BaseCommand, click.Group):
    """Group whose `lazy` commands are imported on first use.

    lazy: maps a command's name to "module:attribute". aliases: the same for names that help does
    not list. sections: the same as `lazy`, by the headings of help.
    """

    command_class = Command

    def __init__(
        self,
        *arguments: Any,
        lazy: Mapping[str, str] | None = None,
        aliases: Mapping[str, str] | None = None,
        sections: Mapping[str, Mapping[str, str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._lazy = dict(lazy or {})
        self._aliases = dict(aliases or {})
        self._sections = dict(sections or {})
        for commands in self._sections.values():
            self._lazy |= commands

    def subcommand(
        self, name: str, *examples: str, **options: Any
    ) -> Callable[[Callable[..., Any]], click.Command]:
        """Decorator of a function that becomes a command of the group."""
        return self.command(name, examples=examples, **options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move options that name an inbox from before a command of the group to behind it."""
        at = 0
        while not self.params[:-1] and "".join(args[at : at + 1]).split("=")[0] in TARGET_OPTIONS:
            at += 1 if "=" in args[at] else 2
        return super().parse_args(ctx, [*args[at : at + 1], *args[:at], *args[at + 1 :]])

    def list_commands(self, ctx: click.Context) -> list[str]:
        if self._sections:
            return [name for names in self._sections.values() for name in names]
        return sorted({*super().list_commands(ctx), *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._lazy.get(cmd_name) or self._aliases.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = place.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names like commands where there is no such one; of lazy ones, click knows no names."""
        name = args[0]
        names = self.list_commands(ctx)
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            like = get_close_matches(name, names)
            hint = f" Did you mean {' or '.join(map(repr, like))}?" if like else ""
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self._sections:
            super().format_commands(ctx, formatter)
            return
        width = max(map(len, self.list_commands(ctx)))
        for heading, names in self._sections.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            limit = formatter.width - 6 - width
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (f"{name:{width}}", command.get_short_help_str(limit))
                        for name, command in commands
                        if command
                    ]
                )


class WholeNumber(click.IntRange):
    """A whole number; an error for another text says which numbers there are."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Any:
        try:
            int(value)
        except ValueError:
            allowed = (
                f"of {self.min} or more" if self.max is None else f"from {self.min} to {self.max}"
            )
            self.fail(f"{value!r} is no whole number {allowed}.", param, context)
        return super().convert(value, param, context)


def command(
    name: str, *examples: str, cls: type[Command] = Command, **options: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Decorator of a function that becomes a command; the examples end its help."""
    return click.command(name, cls=cls, examples=examples, **options)


def group(name: str, *examples: str, **options: Any) -> Callable[[Callable[..., Any]], Group]:
    """Decorator of a function that becomes a group of commands."""
    return click.group(name, cls=Group, examples=examples, **options)


def run(command: click.Command, state: object = None) -> None:
    """Run a command as the program; an expected failure prints one line to standard error.

    `state` becomes click's context object.
    """
    protect_secrets()
    if COMPLETION_VARIABLE in os.environ:
        import_module("frontdesk.cli.bash_completion")
    sys.exit(guarded(lambda: _invoked(command, state)))


def _invoked(command: click.Command, state: object) -> object:
    try:
        return command.main(standalone_mode=False, obj=state)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        say(error.format_message() + _query_hint(error))
        return error.exit_code
    except click.Abort:
        return INTERRUPTED


def _query_hint(error: click.ClickException) -> str:
    """Hint for a query that was taken for an option, because it begins with a negated term."""
    if not isinstance(error, click.NoSuchOption) or error.option_name.startswith("--"):
        return ""
    command = error.ctx.command if error.ctx is not None else None
    takes_query = command is not None and any(one.name == "query" for one in command.params)
    return " A query that begins with - comes after the options and --." if takes_query else ""


def _start_log(context: click.Context, option: click.Parameter, enabled: bool) -> None:
    if not enabled:
        return
    path = environment.log_file()
    try:
        private_files.make_directories(path)
        stream = open(path, "a", opener=private_files.opener, encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise BadSettings(f"Cannot write the log {path}: {error.strerror}") from error
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("frontdesk")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.debug("started")
    click.echo(f"frontdesk: logging to {path}", err=True)
