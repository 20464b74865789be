"""`frontdesk mcp`: serves an inbox to language models, over standard input and output."""

import asyncio
import logging
import shutil
import sys
from contextlib import ExitStack
from zoneinfo import ZoneInfo

import click

from frontdesk.cli.base import PROGRAM, command
from frontdesk.cli.exit_codes import say
from frontdesk.cli.extras import check_mcp_extra
from frontdesk.cli.log_redaction import RedactingFormatter
from frontdesk.cli.options import target_options
from frontdesk.cli.output import standard_output
from frontdesk.cli.target import Target, client_of, resolve
from frontdesk.exports.tables import json_line
from frontdesk.system import environment

CLIENTS = ("claude", "vscode", "codex")


@command(
    "mcp",
    "frontdesk mcp --profile work --print-config claude",
    "frontdesk mcp --database inbox.db --as ana@example.com",
)
@target_options
@click.option(
    "--zone", metavar="NAME", help="Time zone, like Europe/Madrid.  [default: the computer's]"
)
@click.option(
    "--mask",
    is_flag=True,
    help="Replace names, numbers, addresses and custom fields of customers; leave out files.",
)
@click.option(
    "--print-config",
    "client_name",
    type=click.Choice(CLIENTS),
    help="Print what this client's configuration needs, without the key, and exit.",
)
def mcp_command(target: Target, zone: str | None, mask: bool, client_name: str | None) -> None:
    """Serve an inbox to a language model (MCP).

    A client of the Model Context Protocol starts this command, and speaks with it over standard
    input and output. The tools only
    read: nothing is sent, changed or marked as read.
    """
    if client_name is not None:
        _print_config(client_name, target, zone, mask)
        return
    check_mcp_extra()
    chosen = _zone(zone)
    _log_to_standard_error()
    # Deferred: no other command needs the SDK, whose import takes a second.
    from frontdesk.mcp.inbox import InboxReader
    from frontdesk.mcp.server import serve

    with ExitStack() as resources:
        client = client_of(target, resources, masked=mask)
        asyncio.run(serve(InboxReader(client, chosen, masked=mask)))


def _zone(name: str | None) -> ZoneInfo | None:
    """Return the zone of a name, else the computer's; None if that has no name."""
    name = name or environment.zone_name()
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError) as error:
        hint = "give its name, as Europe/Madrid"
        raise click.UsageError(f"This machine knows no time zone {name!r}: {hint}") from error


def _log_to_standard_error() -> None:
    """Set up the log before the SDK does, whose tracebacks would show customers' words."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _print_config(client: str, target: Target, zone: str | None, mask: bool) -> None:
    """Write the entry of a client's configuration. Raises: BadSettings: unknown profile."""
    arguments = ["mcp", *_options(resolve(target), zone), *(["--mask"] if mask else [])]
    program, first = _program()
    arguments = [*first, *arguments]
    server = {"command": program, "args": arguments}
    match client:
        case "claude":
            text = json_line({"mcpServers": {PROGRAM: server}})
        case "vscode":
            text = json_line({"servers": {PROGRAM: {"type": "stdio", **server}}})
        case _:
            # A JSON string is a string in TOML too.
            text = (
                f"[mcp_servers.{PROGRAM}]\ncommand = {json_line(program)}\n"
                f"args = {json_line(arguments)}"
            )
    out = standard_output()
    out.write(f"{text}\n")
    out.flush()
    if target.url:
        say("a profile keeps the key: frontdesk profiles add NAME --url URL")


def _options(target: Target, zone: str | None) -> list[str]:
    options = {
        "--profile": target.profile,
        "--url": None if target.profile else target.url,
        "--database": None if target.profile else _absolute(target.database),
        "--as": target.user,
        "--zone": zone,
    }
    return [word for name, value in options.items() if value for word in (name, value)]


def _absolute(database: str | None) -> str | None:
    """Return a database as it is reached from any directory, without a password."""
    from pathlib import Path

    from frontdesk.store.dsn import is_address, without_password

    if not database:
        return None
    return without_password(database) if is_address(database) else str(Path(database).absolute())


def _program() -> tuple[str, list[str]]:
    """Return what starts this program from anywhere, and its first arguments."""
    found = shutil.which(PROGRAM)
    return (found, []) if found else (sys.executable, ["-P", "-m", PROGRAM])
