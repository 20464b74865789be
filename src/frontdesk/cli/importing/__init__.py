"""`frontdesk import`: imports data of other systems into a database."""

import click

from frontdesk.cli.commands import Group


@click.group(
    "import",
    cls=Group,
    lazy={
        "chat": "frontdesk.cli.importing.chat:chat_command",
        "catalogue": "frontdesk.cli.importing.catalogue:catalogue_command",
        "chatwoot": "frontdesk.cli.importing.chatwoot:chatwoot_command",
        "events": "frontdesk.cli.importing.events:events_command",
    },
)
def import_group() -> None:
    """Bring in what is known elsewhere."""
