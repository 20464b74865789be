"""`frontdesk profiles`: adds, lists, selects and removes profiles."""

import asyncio
import os
import sys
from pathlib import Path

import click

from frontdesk.cli.base import group
from frontdesk.cli.config import Configuration, configuration
from frontdesk.cli.options import confirm, yes_option
from frontdesk.cli.output import plain, print_table
from frontdesk.cli.profiles import (
    add_profile,
    check_name,
    configuration_text,
    with_selected,
    without_profile,
    write_configuration,
)
from frontdesk.cli.target import where
from frontdesk.errors import BadSettings
from frontdesk.settings import Profile
from frontdesk.system import environment

_LONGEST_LINE = 4096


@group(
    "profiles",
    "frontdesk profiles add work --url https://inbox.example.com",
    "frontdesk profiles use work",
)
def profiles_group() -> None:
    """Manage profiles: named inboxes to open.

    `frontdesk` opens the current one, `frontdesk --profile NAME` another.
    """


@profiles_group.subcommand(
    "add",
    "frontdesk profiles add work --url https://inbox.example.com",
    "frontdesk profiles add shop --database inbox.db --as ana@example.com --use",
)
@click.argument("name")
@click.option("--url", help="Address of the server.")
@click.option("--database", metavar="PATH|ADDRESS", help="Use a database instead of a server.")
@click.option("--as", "user", metavar="USER", help="User meant by “me” in a database.")
@click.option(
    "--key-env",
    "key_variable",
    metavar="VARIABLE",
    help="Read the key from this environment variable.",
)
@click.option("--key-command", metavar="COMMAND", help="Store no key; run this command to get it.")
@click.option("--use", is_flag=True, help="Make it the current profile.")
@click.option("--replace", is_flag=True, help="Replace a profile of the same name.")
@click.option("--check/--no-check", default=True, help="Connect before saving the profile.")
def add_command(
    name: str,
    url: str | None,
    database: str | None,
    user: str | None,
    key_variable: str | None,
    key_command: str | None,
    use: bool,
    replace: bool,
    check: bool,
) -> None:
    """Add a profile.

    The key is prompted for, or read from standard input, and tried before it is stored in the
    system's key store, or in a file that only you can read.
    """
    import shlex

    from frontdesk.store.dsn import is_address

    if bool(url) == bool(database) or (url and user) or (database and key_command):
        raise click.UsageError("Give --url, with a key, or --database, with --as for who you are")
    command = tuple(shlex.split(key_command)) if key_command else ()
    place = str(Path(database).absolute()) if database and not is_address(database) else database
    profile = Profile(name=name, url=url, database=place, user=user, key_command=command)
    configured = _checked(configuration(whole=False), name, replace=replace)
    key = _key(profile, key_variable) if url else None
    if check:
        click.echo(f"It answers: {_description(profile, key)}.")
    click.echo(add_profile(configured, profile, None if command else key, use=use))


@profiles_group.subcommand("list", "frontdesk profiles list", "frontdesk profiles list | grep work")
def list_command() -> None:
    """List the profiles; * marks the current one."""
    configured = configuration(whole=False)
    for mistake in configured.mistakes:
        click.echo(f"frontdesk: {environment.config_file()}, {mistake}", err=True)
    if not configured.profiles:
        click.echo("frontdesk: there are no profiles: frontdesk profiles add NAME", err=True)
        return
    rows = [
        ["*" if name == configured.profile else "", name, where(profile), profile.user or ""]
        for name, profile in sorted(configured.profiles.items())
    ]
    print_table(["", "NAME", "WHERE", "ME"], rows)


@profiles_group.subcommand("use", "frontdesk profiles use work", "frontdesk --profile shop")
@click.argument("name")
def use_command(name: str) -> None:
    """Make a profile the current one."""
    configured = configuration(whole=False)
    profile = configured.named(name)
    write_configuration(configured, with_selected(configuration_text(configured), name))
    click.echo(f"{name} is in use: {plain(where(profile))}")


@profiles_group.subcommand(
    "remove", "frontdesk profiles remove work", "frontdesk profiles remove work --yes"
)
@click.argument("name")
@yes_option
def remove_command(name: str, yes: bool) -> None:
    """Remove a profile and its key.

    Its cached pages stay; `frontdesk cache clear` deletes them.
    """
    from frontdesk.cli.key_store import delete_key

    configured = configuration(whole=False)
    text = configuration_text(configured)
    if name not in configured.profiles:
        configured.named(name)
    confirm(f"Remove the profile {name} and its key?", yes)
    write_configuration(configured, without_profile(text, name))
    delete_key(name)
    click.echo(f"{name} is removed")


def _checked(configured: Configuration, name: str, *, replace: bool) -> Configuration:
    """Return the configuration if a profile can be added to it."""
    check_name(name)
    configuration_text(configured)
    if name in configured.profiles and not replace:
        raise BadSettings(f"There is a profile {name!r}: give --replace, or another name")
    return configured


def _key(profile: Profile, variable: str | None) -> str:
    """Read the key from a variable, a command, a hidden prompt, or standard input."""
    if profile.key_command:
        from frontdesk.cli.key_store import load_key

        return load_key(profile) or ""
    if variable is not None:
        key = os.environ.get(variable, "").strip()
    elif sys.stdin.isatty():
        key = str(click.prompt("Key", hide_input=True, err=True)).strip()
    else:
        key = sys.stdin.readline(_LONGEST_LINE).strip()
    if not key:
        source = f"the variable {variable}" if variable else "standard input"
        raise BadSettings(f"There is no key in {source}")
    return key


def _description(profile: Profile, key: str | None) -> str:
    from frontdesk.cli.target import describe_database, describe_server

    if profile.url:
        return asyncio.run(describe_server(profile.url, key or ""))
    return describe_database(profile.database or "", profile.user)
