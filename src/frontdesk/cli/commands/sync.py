"""`frontdesk sync`: imports channels and templates from the Graph API, read-only."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import group
from frontdesk.cli.commands.import_.files import importable
from frontdesk.cli.database import account_named, account_option
from frontdesk.cli.options import database_option
from frontdesk.cli.progress import Progress, interruptible
from frontdesk.cli.target import network
from frontdesk.errors import BadSettings
from frontdesk.system import environment
from frontdesk.text.clean import clean, counted, one_line
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.client.external import ForeignApi
    from frontdesk.ingest.events import ChannelUpsert, DomainEvent, TemplateUpsert
    from frontdesk.store.database import Connection

GRAPH = "https://graph.facebook.com/v23.0"
_PER_SECOND = 5.0


@group(
    "sync",
    "frontdesk sync meta --waba 102290129340398 --database inbox.db",
    "frontdesk sync meta --waba 102290129340398 --database inbox.db --dry-run",
)
def sync_group() -> None:
    """Fetch channels and templates from Meta.

    Nothing is changed there.
    """


@sync_group.subcommand(
    "meta",
    "frontdesk sync meta --waba 102290129340398 --database inbox.db",
    "frontdesk sync meta --waba 102290129340398 --database inbox.db --dry-run",
)
@click.option(
    "--waba", required=True, multiple=True, metavar="ID", help="WhatsApp business account."
)
@click.option(
    "--token-env", required=True, metavar="NAME", help="Environment variable that holds the token."
)
@click.option("--graph-url", default=GRAPH, show_default=True, help="Address of the Graph API.")
@database_option("Database to import into; created if missing.")
@account_option
@click.option("--dry-run", is_flag=True, help="Report the changes without making them.")
def meta_command(
    waba: tuple[str, ...],
    token_env: str,
    graph_url: str,
    database: str,
    account: str,
    dry_run: bool,
) -> None:
    """Fetch channels and templates from Meta.

    Webhooks do not include them. Sends only GET requests. The token needs the permission
    whatsapp_business_management.
    """
    from frontdesk.ingest.archive.importer import run_import
    from frontdesk.ingest.catalogue_file import apply_catalogue

    for number in waba:
        if not (number.isascii() and number.isdecimal()):
            raise BadSettings(f"--waba {number!r} is not an id in digits")
    token = environment.token(token_env)
    with interruptible("nothing was changed"):
        rows = asyncio.run(_fetch(graph_url, token, waba))

    def put_in(connection: "Connection") -> list[str]:
        return apply_catalogue(
            connection, account_named(connection, account)["id"], rows.events, epoch_milliseconds()
        )

    with importable(database, dry_run=dry_run) as store:
        changes = run_import(store, lambda all: all.write(put_in), dry_run=dry_run)
    for change in changes:
        click.echo(one_line(clean(change)))
    for reason in rows.refused:
        click.echo(one_line(clean(f"passed over: {reason}")), err=True)
    verb = "would change" if dry_run else "changed"
    click.echo(
        f"{counted(rows.channels, 'channel')} and {counted(rows.templates, 'template')} read,"
        f" {len(changes):,} {verb}"
    )


class _GraphRows:
    """Events from the Graph API, and errors of unreadable rows."""

    def __init__(self) -> None:
        self.events: list[DomainEvent] = []
        self.refused: list[str] = []
        self.channels = 0
        self.templates = 0


async def _fetch(graph_url: str, token: str, accounts: tuple[str, ...]) -> _GraphRows:
    from frontdesk.client.external import ForeignApi, RequestPolicy
    from frontdesk.ingest.webhooks import account as business_account

    rows = _GraphRows()
    secrets = {"Authorization": f"Bearer {token}"}
    async with ForeignApi(graph_url, secrets, RequestPolicy(_PER_SECOND), network()) as api:
        for account in accounts:
            numbers = (f"{account}/phone_numbers", business_account.NUMBER_FIELDS)
            async for row in _rows(api, *numbers):
                rows.channels += _take(rows, business_account.channel, row, account)
            templates = (f"{account}/message_templates", business_account.TEMPLATE_FIELDS)
            async for row in _rows(api, *templates):
                rows.templates += _take(rows, business_account.listed_template, row, account)
    return rows


def _take(
    rows: _GraphRows,
    to_event: "Callable[[object, str, int], ChannelUpsert | TemplateUpsert]",
    row: object,
    account: str,
) -> int:
    from frontdesk.ingest.json_reader import Malformed

    try:
        rows.events.append(to_event(row, account, epoch_milliseconds()))
    except Malformed as error:
        rows.refused.append(str(error))
        return 0
    return 1


async def _rows(api: "ForeignApi", path: str, fields: tuple[str, ...]) -> AsyncIterator[object]:
    """Yield a list's rows; shows their number on a terminal."""
    from frontdesk.client.external import rows

    noun, progress = path.partition("/")[2], Progress(shown=True)
    async for row in rows(api, path, fields, lambda more: progress.count(more, noun)):
        yield row
    progress.clear()
