"""`frontdesk list`: the former names of the lists."""

import click

from frontdesk.cli.base import Group

_COMMANDS = "frontdesk.cli.commands"


@click.group(
    "list",
    cls=Group,
    lazy={
        "conversations": f"{_COMMANDS}.conversations:list_command",
        "contacts": f"{_COMMANDS}.contacts:list_command",
        **{
            former: f"{_COMMANDS}.catalogues:{name}_list"
            for former, name in {
                **{noun: noun for noun in ("labels", "users", "teams", "channels", "templates")},
                "custom-fields": "fields",
                "canned-responses": "replies",
            }.items()
        },
    },
)
def list_group() -> None:
    """Lists by their former names: `frontdesk conversations list` is the new one."""
