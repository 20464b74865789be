"""`frontdesk accounts`: creates, lists, changes, disables and enables accounts."""

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import click

from frontdesk.cli.base import WholeNumber, group
from frontdesk.cli.database import account_named, opened
from frontdesk.cli.options import database_option
from frontdesk.cli.output import Output, output_options
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import Column
from frontdesk.store.expiry import LONGEST_KEPT_DAYS
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Row


_COLUMNS: tuple[Column[dict[str, Any]], ...] = (
    Column("id", itemgetter("id")),
    Column("slug", itemgetter("slug"), "SLUG"),
    Column("name", itemgetter("name"), "NAME", flexible=True),
    Column("keys", itemgetter("keys"), "KEYS"),
    Column("created_at", itemgetter("created_at"), "CREATED", moment=True),
    Column("messages_keep_days", itemgetter("messages_keep_days")),
    Column("state", lambda row: "disabled" if row["disabled"] else "active", "STATE"),
)


_keep_days_option = click.option(
    "--messages-keep-days",
    type=WholeNumber(0, LONGEST_KEPT_DAYS),
    help="Days to keep the contents of messages; 0 for ever.",
)


@group(
    "accounts",
    "frontdesk accounts create shop --database inbox.db",
    "frontdesk accounts list --database inbox.db",
)
def accounts_group() -> None:
    """Create, list, change, disable and enable accounts.

    Accounts are separate inboxes in one database.
    """


@accounts_group.subcommand(
    "create",
    "frontdesk accounts create shop --database inbox.db",
    "frontdesk accounts create shop --name 'The shop' --database inbox.db",
)
@click.argument("slug", callback=lambda context, argument, text: _slug(text))
@database_option("Database of the service.")
@click.option("--name", help="Display name.  [default: the slug]")
@_keep_days_option
@output_options("text", "json", default="text", members=("id", "slug", "name"))
def create_command(
    slug: str, database: str, name: str | None, messages_keep_days: int | None, output: Output
) -> None:
    """Create an account.

    SLUG is its name in commands: lower-case letters, digits and hyphens.
    """
    from frontdesk.store.accounts import account_by_slug, add_account
    from frontdesk.store.expiry import keep_messages

    at = epoch_milliseconds()

    def add(connection: "Connection") -> int:
        if account_by_slug(connection, slug) is not None:
            raise BadSettings(f"The database has an account {slug!r} already")
        account_id = add_account(connection, slug, name or slug, at)
        keep_messages(connection, account_id, messages_keep_days or None)
        return account_id

    with opened(database, upgrade=True) as store:
        account_id = store.write(add)
    if output.format == "json":
        output.write_value({"id": str(account_id), "slug": slug, "name": name or slug})
    else:
        click.echo(f"Made the account {slug}; its keys: frontdesk keys create --account {slug} …")


@accounts_group.subcommand(
    "list",
    "frontdesk accounts list --database inbox.db",
    "frontdesk accounts list --database inbox.db --json | jq length",
)
@database_option("Database of the service.")
@output_options()
def list_command(database: str, output: Output) -> None:
    """List the accounts, oldest first."""
    from frontdesk.store.accounts import all_accounts

    at = epoch_milliseconds()
    with opened(database) as store:
        rows = store.read(lambda connection: all_accounts(connection, at))
    output.write([_described(row) for row in rows], _COLUMNS)


@accounts_group.subcommand(
    "set",
    "frontdesk accounts set shop --messages-keep-days 365 --database inbox.db",
    "frontdesk accounts set shop --messages-keep-days 0 --database inbox.db",
)
@click.argument("slug")
@database_option("Database of the service.")
@_keep_days_option
def set_command(slug: str, database: str, messages_keep_days: int | None) -> None:
    """Change the settings of an account.

    `serve` removes what an account does not keep within a day and an hour. This cannot be undone.
    """
    from frontdesk.store.expiry import keep_messages

    if messages_keep_days is None:
        raise click.UsageError("There is nothing to change: give --messages-keep-days")

    def write(connection: "Connection") -> None:
        account_id = account_named(connection, slug)["id"]
        keep_messages(connection, account_id, messages_keep_days or None)

    with opened(database, upgrade=True) as store:
        store.write(write)
    length = f"for {messages_keep_days:,} days" if messages_keep_days else "for ever"
    click.echo(f"The account {slug} keeps the contents of messages {length}")


@accounts_group.subcommand(
    "disable",
    "frontdesk accounts disable shop --database inbox.db",
    "FRONTDESK_DATABASE=inbox.db frontdesk accounts disable shop",
)
@click.argument("slug")
@database_option("Database of the service.")
def disable_command(slug: str, database: str) -> None:
    """Disable an account.

    Its API keys and webhooks are refused. No data is deleted.
    """
    _set_disabled(database, slug, disabled=True)
    click.echo(f"The account {slug} is disabled; to enable it: frontdesk accounts enable {slug} …")


@accounts_group.subcommand(
    "enable",
    "frontdesk accounts enable shop --database inbox.db",
    "FRONTDESK_DATABASE=inbox.db frontdesk accounts enable shop",
)
@click.argument("slug")
@database_option("Database of the service.")
def enable_command(slug: str, database: str) -> None:
    """Enable a disabled account."""
    _set_disabled(database, slug, disabled=False)
    click.echo(f"The account {slug} is enabled")


def _set_disabled(database: str, slug: str, *, disabled: bool) -> None:
    """Raises: BadSettings: the database has no such account."""
    from frontdesk.store.accounts import disable_account

    def write(connection: "Connection") -> None:
        disable_account(connection, account_named(connection, slug)["id"], disabled=disabled)

    with opened(database, upgrade=True) as store:
        store.write(write)


def _described(row: "Row") -> dict[str, Any]:
    from frontdesk.wire import timestamp

    return {
        "id": str(row["id"]),
        "slug": row["slug"],
        "name": row["name"],
        "keys": row["keys"],
        "created_at": timestamp(row["created_at"]),
        "disabled": bool(row["disabled"]),
        "messages_keep_days": row["messages_keep_days"],
    }


def _slug(text: str) -> str:
    from frontdesk.store.accounts import SLUG

    if not SLUG.fullmatch(text):
        raise click.BadParameter("use lower-case letters, digits and hyphens, 63 at most")
    return text
