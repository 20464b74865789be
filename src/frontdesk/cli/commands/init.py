"""`frontdesk db init` and `frontdesk db upgrade`: create and migrate databases."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.keys import NEW_KEY, KeyOrder, keep_new_key, show_new_key
from frontdesk.cli.database import opened
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import database_option
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.progress import interruptible, progress
from frontdesk.errors import BadSettings, OlderDatabase
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.text.clean import file_size
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Database

F = TypeVar("F", bound=Callable[..., object])


@command(
    "init",
    "frontdesk db init --database inbox.db",
    "frontdesk db init --database postgresql:///inbox --json",
)
@database_option("Database to set up; created if missing.")
@click.option("--name", default="first key", show_default=True, help="Name of the first key.")
@output_options("text", "json", default="text", members=NEW_KEY)
def init_command(database: str, name: str, output: Output) -> None:
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
        _build_search(store)
        made = keep_new_key(store, order, now=epoch_milliseconds())
    show_new_key(made, output)


@command(
    "upgrade",
    "frontdesk db upgrade --database inbox.db",
    "FRONTDESK_DATABASE=postgresql:///inbox frontdesk db upgrade",
)
@database_option("Database to upgrade.")
@click.option(
    "--restored",
    is_flag=True,
    help="It was put back from a backup: clients read everything again.",
)
def upgrade_command(database: str, restored: bool) -> None:
    """Upgrade a database made by an older frontdesk.

    A current one is not changed.

    Contacts that were stored twice, because their numbers have two forms, are merged; this cannot
    be undone.

    Messages that were sent as templates get the text of these, as far as they are known.

    The index of messages is built if there is none. It can be built while the database is served.
    After an interruption, run the command again to continue.
    """
    from frontdesk.ingest.double_contacts import merge_doubles
    from frontdesk.ingest.reordered import fold_reordered
    from frontdesk.ingest.sent_templates import fill_texts
    from frontdesk.store.changes import renew_mark
    from frontdesk.store.dsn import without_password

    is_older = _is_older(database)
    with opened(database, upgrade=True) as store:
        if restored:
            store.write(renew_mark)
        _build_search(store)
        fold_reordered(store, now=epoch_milliseconds())
        merged = merge_doubles(store, now=epoch_milliseconds())
        if merged:
            click.echo(
                f"Contacts merged: {merged:,}, which were stored twice, once for each form of a"
                " number of Argentina, Brazil or Mexico",
                err=True,
            )
        filled = fill_texts(store, now=epoch_milliseconds())
        if filled:
            click.echo(f"Messages with the text of their template: {filled:,}", err=True)
        done = "was upgraded" if is_older else "is up to date"
        click.echo(f"{without_password(database)} {done}")


def _is_older(database: str) -> bool:
    try:
        with opened(database):
            return False
    except OlderDatabase:
        return True


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
    grown, lack = store.read(
        lambda c: (message_search.database_bytes(c) - before, message_search.lack(c))
    )
    if lack is not None:
        say(lack)
    elif messages:
        click.echo(
            f"Messages indexed: {messages:,}, in {time.monotonic() - started:.0f} seconds;"
            f" the database has grown by {file_size(max(grown, 0))}",
            err=True,
        )
