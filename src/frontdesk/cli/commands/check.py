"""`frontdesk check`: verifies counters, metrics and roll-ups of a database by a recount."""

from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import Command
from frontdesk.cli.database import database_option, opened
from frontdesk.cli.exit_codes import ERROR

if TYPE_CHECKING:
    from frontdesk.store.database import Connection

SHOWN = 50


@click.command("check", cls=Command)
@database_option("The database that is checked.")
@click.pass_context
def check_command(context: click.Context, database: str) -> None:
    """Count anew, from what was said and what happened, all that is kept counted.

    Prints what differs and exits with 1, or says that everything adds up.
    """
    with opened(database) as store:
        found = store.read(_differing)
    for line in found[:SHOWN]:
        click.echo(line)
    if len(found) > SHOWN:
        click.echo(f"… and {len(found) - SHOWN} more")
    if found:
        context.exit(ERROR)
    click.echo("Everything adds up.")


def _differing(connection: "Connection") -> list[str]:
    """Return a line per difference, by account."""
    from frontdesk.ingest.audit import differences
    from frontdesk.store.accounts import all_accounts

    return [
        f"{account['slug']}: {line}"
        for account in all_accounts(connection, now=0)
        for line in differences(connection, account["id"])
    ]
