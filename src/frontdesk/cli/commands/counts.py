"""`frontdesk counts`: conversation counts by status and channel."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import click

from frontdesk.cli.base import Command
from frontdesk.cli.names import complete_channel, complete_label, filter_ids
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Column, Output, output_options
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound
from frontdesk.export import Cell
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.values import STATUSES

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

Row: TypeAlias = dict[str, Cell]

_MEMBERS = ("all", "mine", "assigned", "unassigned", "awaiting_human")
_HEADINGS = ("ALL", "MINE", "ASSIGNED", "UNASSIGNED", "NEED A HUMAN")
_WIDE: tuple[Column[Row], ...] = (
    Column("kind", lambda row: row["kind"]),
    Column("id", lambda row: row.get("id")),
    Column("name", lambda row: row["name"], "CONVERSATIONS", flexible=True),
    *(
        Column(name, lambda row, name=name: row.get(name), heading)  # type: ignore[misc]
        for name, heading in zip(_MEMBERS, _HEADINGS, strict=True)
    ),
    Column("unread", lambda row: row.get("unread"), "UNREAD"),
    Column("open", lambda row: row.get("open"), "OPEN"),
)


@click.command(
    "counts",
    cls=Command,
    examples=("frontdesk counts", "frontdesk counts --channel 'Support EU' --json open,mine"),
)
@target_options
@click.option("--status", type=click.Choice(STATUSES), help="Only these.")
@click.option(
    "--channel",
    metavar="NAME|NUMBER|ID",
    shell_complete=complete_channel,
    help="Only those of this channel.",
)
@click.option(
    "--label", metavar="TITLE", shell_complete=complete_label, help="Only those with this label."
)
@output_options("table", "json", "csv", "markdown")
def counts_command(target: Target, output: Output, **filters: str | None) -> None:
    """Count conversations by status and by channel."""

    async def work(client: "InboxClient") -> tuple[Counts, dict[str, str]]:
        ids = await filter_ids(client, **filters)
        counts = await client.counts(ConversationFilter(**ids))
        return counts, {} if output.format == "json" else await _channel_names(client)

    counts, names = run_with_client(target, work)
    if output.format == "json":
        output.write_value(counts)
    else:
        output.write(_rows(counts, names, filters["status"]), _WIDE)


async def _channel_names(client: "InboxClient") -> dict[str, str]:
    """Return channel names by id, {} if the key or the server does not provide them."""
    with suppress(Forbidden, NotFound):
        return {channel.id: channel.name async for channel in client.channels()}
    return {}


def _rows(counts: Counts, names: dict[str, str], asked_status: str | None) -> Iterator[Row]:
    """Yield a row per status, one for all, and one per channel."""
    for status in STATUSES:
        row: Row = {"kind": "status", "name": status, "all": getattr(counts, status)}
        flat = status == (asked_status or "open")
        if counts.by_status is not None:
            row |= getattr(counts.by_status, status).model_dump(mode="json")
        elif flat:
            row |= {name: getattr(counts, name) for name in _MEMBERS[1:]}
        if flat:
            row["unread"] = counts.unread
        yield row
    yield {"kind": "all", "name": "all", "all": counts.all, "open": counts.open}
    for count in counts.by_channel:
        name = names.get(count.channel, count.channel)
        counted: Row = {"all": count.all, "open": count.open}
        yield {"kind": "channel", "id": count.channel, "name": name, **counted}
