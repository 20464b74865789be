"""`frontdesk db init` and `frontdesk db upgrade`: create and migrate databases."""

import click

from frontdesk.cli.base import Command
from frontdesk.cli.commands.keys import NEW_KEY, KeyOrder, keep_new_key, show_new_key
from frontdesk.cli.database import opened
from frontdesk.cli.options import database_option
from frontdesk.cli.output import Output, output_options
from frontdesk.errors import BadSettings
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.wire.values import epoch_milliseconds


@click.command(
    "init",
    cls=Command,
    examples=(
        "frontdesk db init --database inbox.db",
        "frontdesk db init --database postgresql:///inbox --json",
    ),
)
@database_option("The database to set up; made if it does not exist.")
@click.option("--name", default="first key", show_default=True, help="What the first key is for.")
@output_options("text", "json", default="text", members=NEW_KEY)
def init_command(database: str, name: str, output: Output) -> None:
    """Set up a database and make its first key.

    It gets its tables, the account "default", and a key with every scope.

    The key is printed once: only its hash is kept.
    """
    from frontdesk.service.auth import SCOPES
    from frontdesk.store.accounts import all_keys
    from frontdesk.store.dsn import shown

    order = KeyOrder(DEFAULT_ACCOUNT, name, None, SCOPES, None)
    with opened(database, create=True) as store:
        if store.read(lambda connection: all_keys(connection, None)):
            raise BadSettings(
                f"{shown(database)} is set up already; more keys: frontdesk keys create"
            )
        made = keep_new_key(store, order, now=epoch_milliseconds())
    show_new_key(made, output)


@click.command(
    "upgrade",
    cls=Command,
    examples=(
        "frontdesk db upgrade --database inbox.db",
        "FRONTDESK_DATABASE=inbox.db frontdesk db upgrade",
    ),
)
@database_option("The database to bring up to date.")
def upgrade_command(database: str) -> None:
    """Upgrade a database of an older frontdesk.

    Any other stays as it is."""
    from frontdesk.store.dsn import shown

    with opened(database, upgrade=True):
        click.echo(f"{shown(database)} is up to date")
