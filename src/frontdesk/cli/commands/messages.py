"""`frontdesk messages`: lists the messages of a conversation, and searches messages."""

from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import group
from frontdesk.cli.commands.search import add_search
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.rows import Extent, Request, extent_options, print_list
from frontdesk.cli.target import Target, run_with_client
from frontdesk.cli.threads import customer_of, entry_columns

if TYPE_CHECKING:
    from frontdesk.client import InboxClient


@group("messages", "frontdesk messages list 27 --limit 10", "frontdesk messages search refund")
def messages_group() -> None:
    """List the messages of a conversation; search messages."""


@messages_group.subcommand(
    "list",
    "frontdesk messages list 27 --limit 10",
    "frontdesk messages list 27 --all --json created_at,author,text",
)
@click.argument("conversation_id", metavar="CONVERSATION")
@target_options
@extent_options
@output_options()
def list_command(target: Target, conversation_id: str, output: Output, extent: Extent) -> None:
    """List the messages of a conversation, newest first."""

    async def prepare(client: "InboxClient") -> Request:
        return lambda limit, cursor: client.messages(conversation_id, limit=limit, cursor=cursor)

    contact = ""
    if not output.format.startswith("json"):
        contact = run_with_client(
            target, lambda client: customer_of(client, conversation_id), waits=True
        )
    print_list(target, output, "messages", entry_columns(contact), extent, prepare)


add_search(
    messages_group,
    "Find messages and notes by their words.",
    ("message", "note"),
    ("frontdesk messages search refund", "frontdesk messages search invoice --in 27"),
)
