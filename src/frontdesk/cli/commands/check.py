"""`frontdesk db check`: verifies counters, metrics and roll-ups of a database by a recount."""

from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.database import opened
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.options import database_option
from frontdesk.errors import UnusableFile

if TYPE_CHECKING:
    from frontdesk.store.database import Connection

SHOWN = 50
_BAD_INDEX = (
    "the index of messages differs from the messages: build it again with frontdesk db upgrade"
    " --no-message-search and frontdesk db upgrade --message-search"
)


@command(
    "check",
    "frontdesk db check --database inbox.db",
    "FRONTDESK_DATABASE=inbox.db frontdesk db check",
)
@database_option("Database to check.")
@click.pass_context
def check_command(context: click.Context, database: str) -> None:
    """Recount a database and compare its counters.

    Counters and roll-ups are recomputed from messages and events. Differences are printed, and the
    exit status is 1 if there are any.
    """
    from frontdesk.store.lookups import has_message_index
    from frontdesk.store.message_search import check_index

    with opened(database) as store:
        differences = store.read(_differing)
        if store.read(has_message_index):
            try:
                store.write(check_index)
            except UnusableFile:
                differences.append(_BAD_INDEX)
    for line in differences[:SHOWN]:
        click.echo(line)
    if len(differences) > SHOWN:
        click.echo(f"… and {len(differences) - SHOWN} more")
    if differences:
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
