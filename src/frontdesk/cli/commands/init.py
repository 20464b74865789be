"""`frontdesk db init` and `frontdesk db upgrade`: create and migrate databases."""

import time
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.keys import NEW_KEY, KeyOrder, keep_new_key, show_new_key
from frontdesk.cli.database import opened
from frontdesk.cli.options import database_option
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.progress import interruptible, progress
from frontdesk.errors import BadSettings
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.text import file_size
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Database


@command(
    "init",
    "frontdesk db init --database inbox.db",
    "frontdesk db init --database postgresql:///inbox --json",
    "frontdesk db init --database inbox.db --message-search",
)
@database_option("Database to set up; created if missing.")
@click.option("--name", default="first key", show_default=True, help="Name of the first key.")
@click.option("--message-search", is_flag=True, help="Build an index for searching messages.")
@output_options("text", "json", default="text", members=NEW_KEY)
def init_command(database: str, name: str, message_search: bool, output: Output) -> None:
    """Set up a database and create its first key.

    Creates the tables, the account "default", and a key with every scope. The key is printed once;
    only its hash is stored.
    """
    from frontdesk.service.api_keys import SCOPES
    from frontdesk.store.accounts import all_keys
    from frontdesk.store.dsn import without_password

    order = KeyOrder(DEFAULT_ACCOUNT, name, None, SCOPES, None)
    with opened(database, create=True) as store:
        if store.read(lambda connection: all_keys(connection, None)):
            raise BadSettings(
                f"{without_password(database)} is set up already; more keys: frontdesk keys create"
            )
        if message_search:
            _build_search(store)
        made = keep_new_key(store, order, now=epoch_milliseconds())
    show_new_key(made, output)


@command(
    "upgrade",
    "frontdesk db upgrade --database inbox.db",
    "frontdesk db upgrade --database inbox.db --message-search",
)
@database_option("Database to upgrade.")
@click.option(
    "--message-search/--no-message-search",
    default=None,
    help="Build or remove the index for searching messages.",
)
def upgrade_command(database: str, message_search: bool | None) -> None:
    """Upgrade a database made by an older frontdesk.

    A current one is not changed.

    The index for searching messages is built if there is an incomplete one, or one of an older
    frontdesk. It can be built while the database is served. After an interruption, run the command
    again to continue.
    """
    from frontdesk.store.dsn import without_password
    from frontdesk.store.lookups import has_message_index
    from frontdesk.store.message_search import drop

    with opened(database, upgrade=True) as store:
        if message_search or (message_search is None and store.read(has_message_index)):
            _build_search(store)
        elif message_search is False and store.write(drop):
            click.echo("The index of messages is removed")
        click.echo(f"{without_password(database)} is up to date")


def _build_search(store: "Database") -> None:
    """Build the index of messages, unless there is one, with progress; print its size and time."""
    from frontdesk.store import message_search

    started = time.monotonic()
    before, messages = store.read(
        lambda c: (message_search.database_bytes(c), message_search.messages_left(c))
    )
    words = "run it again to go on"
    with interruptible(words), progress("Index of messages", messages) as advance:
        message_search.build(store, advance)
    grown = store.read(message_search.database_bytes) - before
    if messages:
        click.echo(
            f"Messages indexed: {messages:,}, in {time.monotonic() - started:.0f} seconds;"
            f" the database has grown by {file_size(max(grown, 0))}",
            err=True,
        )
