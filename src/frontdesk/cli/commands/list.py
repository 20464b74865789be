"""`frontdesk list`: the former names of the lists."""

from frontdesk.cli.base import group

_COMMANDS = "frontdesk.cli.commands"


@group(
    "list",
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
