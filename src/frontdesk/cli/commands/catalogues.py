"""`frontdesk labels`, `users`, `teams`, `channels`, `templates`, `replies` and `fields`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from frontdesk.cli.base import Group
from frontdesk.cli.completion import complete
from frontdesk.cli.options import target_options
from frontdesk.cli.output import FACTS, Output, output_options
from frontdesk.cli.rows import Extent, Request, extent_options, print_list, sort_option
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import NotFound
from frontdesk.exports import tables
from frontdesk.exports.tables import Column
from frontdesk.selection.names import find
from frontdesk.text.clean import humanize

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages


class _CatalogueCommands(NamedTuple):
    """A catalogue. noun: a row, in words. example: a name that a row may have.

    resource: method of the client, if it is not the name.
    """

    name: str
    noun: str
    columns: Sequence[Column[Any]]
    example: str
    resource: str = ""

    def rows(self, client: "InboxClient", **page: Any) -> "RowPages[Any]":
        rows: RowPages[Any] = getattr(client, self.resource or self.name)(**page)
        return rows


def _group(catalogue: _CatalogueCommands, summary: str) -> Group:
    """Make the group of a catalogue with its commands `list` and `view`."""
    name = catalogue.name
    group = Group(
        name,
        help=summary,
        examples=(f"frontdesk {name} list", f"frontdesk {name} view {catalogue.example}"),
    )
    _add_list(group, catalogue)
    _add_view(group, catalogue)
    return group


def _add_list(group: Group, catalogue: _CatalogueCommands) -> None:
    name = catalogue.name

    @group.subcommand(
        "list",
        f"frontdesk {name} list",
        f"frontdesk {name} list --sort -{catalogue.columns[1].name}",
        f"frontdesk {name} list --format csv > {name}.csv",
        help=f"List the {catalogue.noun}s of an inbox.",
    )
    @target_options
    @extent_options
    @sort_option
    @output_options()
    def list_command(target: Target, output: Output, extent: Extent, order: str | None) -> None:
        async def prepare(client: "InboxClient") -> Request:
            return lambda limit, cursor: catalogue.rows(client, limit=limit, cursor=cursor)

        noun = f"{catalogue.noun}s"
        print_list(target, output, noun, catalogue.columns, extent, prepare, order=order)


def _add_view(group: Group, catalogue: _CatalogueCommands) -> None:
    call = f"frontdesk {catalogue.name} view {catalogue.example}"

    @group.subcommand(
        "view", call, f"{call} --format json", help=f"Print a {catalogue.noun}, by its name or id."
    )
    @click.argument("row_name", metavar="NAME", shell_complete=complete(catalogue.rows))
    @target_options
    @output_options("table", "json", "csv", "markdown")
    def view_command(target: Target, row_name: str, output: Output) -> None:
        async def work(client: "InboxClient") -> Any:
            return await find(catalogue.rows(client), row_name, catalogue.noun, NotFound)

        row = run_with_client(target, work)
        if output.format == "json":
            output.write_value(row)
        elif output.format == "csv":
            output.write([row], catalogue.columns)
        else:
            facts = [(humanize(column.name), column.readable(row)) for column in catalogue.columns]
            output.write(facts, FACTS)


labels_group = _group(
    _CatalogueCommands("labels", "label", tables.LABELS, "vip"), "List labels, print one."
)
users_group = _group(
    _CatalogueCommands("users", "user", tables.USERS, "ana@example.com"),
    "List the people who answer, print one.",
)
teams_group = _group(
    _CatalogueCommands("teams", "team", tables.TEAMS, "Sales"), "List teams, print one."
)
channels_group = _group(
    _CatalogueCommands("channels", "channel", tables.CHANNELS, "'Support EU'"),
    "List channels (WhatsApp numbers), print one.",
)
templates_group = _group(
    _CatalogueCommands("templates", "template", tables.TEMPLATES, "order_update"),
    "List message templates, print one.",
)
replies_group = _group(
    _CatalogueCommands(
        "replies", "canned response", tables.CANNED_RESPONSES, "hours", "canned_responses"
    ),
    "List canned responses, print one.",
)
fields_group = _group(
    _CatalogueCommands("fields", "custom field", tables.CUSTOM_FIELDS, "plan", "custom_fields"),
    "List custom fields of contacts, print one.",
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
