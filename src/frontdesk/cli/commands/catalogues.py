"""`frontdesk labels`, `users`, `teams`, `channels`, `templates`, `replies` and `fields`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from frontdesk.cli import columns
from frontdesk.cli.base import Group
from frontdesk.cli.names import complete, find
from frontdesk.cli.options import target_options
from frontdesk.cli.output import FACTS, Column, Output, output_options
from frontdesk.cli.rows import Extent, Request, extent_options, print_list
from frontdesk.cli.target import Target, run_with_client
from frontdesk.text import words

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages


def _catalogue(
    name: str,
    noun: str,
    summary: str,
    of: Sequence[Column[Any]],
    listing: "Callable[..., RowPages[Any]]",
    example: str,
) -> Group:
    """Make the group of a catalogue with its commands `list` and `view`.

    noun: a row, in words; order: of its rows. example: a name that a row may have.
    """

    @click.group(
        name,
        cls=Group,
        help=summary,
        examples=(f"frontdesk {name} list", f"frontdesk {name} view {example}"),
    )
    def group() -> None:
        """See `help`."""

    @group.command(
        "list",
        help=f"List the {noun}s of an inbox.",
        examples=(f"frontdesk {name} list", f"frontdesk {name} list --format csv > {name}.csv"),
    )
    @target_options
    @extent_options
    @output_options()
    def list_command(target: Target, output: Output, extent: Extent) -> None:
        async def prepare(client: "InboxClient") -> Request:
            return lambda limit, cursor: listing(client, limit=limit, cursor=cursor)

        print_list(target, output, f"{noun}s", of, extent, prepare)

    @group.command(
        "view",
        help=f"Print a {noun}, by its name or id.",
        examples=(
            f"frontdesk {name} view {example}",
            f"frontdesk {name} view {example} --format json",
        ),
    )
    @click.argument("row_name", metavar="NAME", shell_complete=complete(listing))
    @target_options
    @output_options("table", "json", "csv", "markdown")
    def view_command(target: Target, row_name: str, output: Output) -> None:
        async def work(client: "InboxClient") -> Any:
            return await find(listing(client), row_name, noun)

        row = run_with_client(target, work)
        if output.format == "json":
            output.write_value(row)
        elif output.format == "csv":
            output.write([row], of)
        else:
            output.write([(words(one.name), one.readable(row)) for one in of], FACTS)

    assert isinstance(group, Group)
    return group


labels_group = _catalogue(
    "labels",
    "label",
    "List labels, print one.",
    columns.LABELS,
    lambda client, **page: client.labels(**page),
    "vip",
)
users_group = _catalogue(
    "users",
    "user",
    "List the people who answer, print one.",
    columns.USERS,
    lambda client, **page: client.users(**page),
    "ana@example.com",
)
teams_group = _catalogue(
    "teams",
    "team",
    "List teams, print one.",
    columns.TEAMS,
    lambda client, **page: client.teams(**page),
    "Sales",
)
channels_group = _catalogue(
    "channels",
    "channel",
    "List channels (WhatsApp numbers), print one.",
    columns.CHANNELS,
    lambda client, **page: client.channels(**page),
    "'Support EU'",
)
templates_group = _catalogue(
    "templates",
    "template",
    "List message templates, print one.",
    columns.TEMPLATES,
    lambda client, **page: client.templates(**page),
    "order_update",
)
replies_group = _catalogue(
    "replies",
    "canned response",
    "List canned responses, print one.",
    columns.CANNED_RESPONSES,
    lambda client, **page: client.canned_responses(**page),
    "hours",
)
fields_group = _catalogue(
    "fields",
    "custom field",
    "List custom fields of contacts, print one.",
    columns.CUSTOM_FIELDS,
    lambda client, **page: client.custom_fields(**page),
    "plan",
)

# The lists alone, which had other names.
(
    labels_list,
    users_list,
    teams_list,
    channels_list,
    templates_list,
    replies_list,
    fields_list,
) = (
    group.commands["list"]
    for group in (
        *(labels_group, users_group, teams_group, channels_group),
        *(templates_group, replies_group, fields_group),
    )
)
