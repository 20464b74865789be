"""`frontdesk import`: imports data of other systems into a database."""

from frontdesk.cli.base import group


@group(
    "import",
    "frontdesk import events archive.ndjson --database inbox.db",
    "frontdesk import catalogue desk.toml --database inbox.db",
    lazy={
        "chat": "frontdesk.cli.commands.import_.chat:chat_command",
        "catalogue": "frontdesk.cli.commands.import_.catalogue:catalogue_command",
        "chatwoot": "frontdesk.cli.commands.import_.chatwoot:chatwoot_command",
        "events": "frontdesk.cli.commands.import_.events:events_command",
    },
)
def import_group() -> None:
    """Import data from other systems."""
