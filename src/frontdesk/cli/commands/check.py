"""`frontdesk db check`: verifies counters, metrics and roll-ups of a database by a recount."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.database import opened
from frontdesk.cli.exit_codes import ERROR, say
from frontdesk.cli.options import database_option
from frontdesk.errors import UnusableFile

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database

SHOWN = 50


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
    exit status is 1 if there are any. An index of messages that differs from them is removed.
    """
    from frontdesk.ingest.audit import count_differences
    from frontdesk.store import message_search

    with opened(database) as store:
        differences = store.read(lambda connection: _by_account(connection, count_differences))
        if wrong := _index_differences(store):
            differences += wrong
            store.write(message_search.drop)
        lack = store.read(message_search.lack)
    for line in differences[:SHOWN]:
        click.echo(line)
    if len(differences) > SHOWN:
        click.echo(f"… and {len(differences) - SHOWN} more")
    if lack is not None:
        say(lack)
    if differences:
        context.exit(ERROR)
    click.echo("Everything adds up.")


def _index_differences(store: "Database") -> list[str]:
    from frontdesk.store.message_search import check_index, search_index_differences

    lines = store.read(lambda connection: _by_account(connection, search_index_differences))
    try:
        store.write(check_index)
    except UnusableFile:
        lines.append("the index of messages differs from their texts")
    return lines


def _by_account(
    connection: "Connection", differences: "Callable[[Connection, int], Iterator[str]]"
) -> list[str]:
    """Return a line per difference, by account."""
    from frontdesk.store.accounts import all_accounts

    return [
        f"{account['slug']}: {line}"
        for account in all_accounts(connection, now=0)
        for line in differences(connection, account["id"])
    ]
