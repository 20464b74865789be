"""Root command `frontdesk`, with lazily loaded subcommands; without one it opens the viewer."""

import gc

import click

from frontdesk import __version__
from frontdesk.cli.base import Group
from frontdesk.cli.first_frame_display import FirstFrameDisplay
from frontdesk.cli.options import chosen_target, target_option_set
from frontdesk.cli.target import Target

_COMMANDS = "frontdesk.cli.commands"
_CATALOGUES = ("labels", "users", "teams", "channels", "templates", "replies", "fields")

_SECTIONS = {
    "Your inbox": {
        "conversations": f"{_COMMANDS}.conversations:conversations_group",
        "messages": f"{_COMMANDS}.messages:messages_group",
        "contacts": f"{_COMMANDS}.contacts:contacts_group",
        **{name: f"{_COMMANDS}.catalogues:{name}_group" for name in _CATALOGUES},
        "report": f"{_COMMANDS}.report:report_command",
        "counts": f"{_COMMANDS}.counts:counts_command",
        "tail": f"{_COMMANDS}.tail:tail_command",
        "changes": f"{_COMMANDS}.changes:changes_command",
    },
    "This computer": {
        "demo": f"{_COMMANDS}.demo:demo_command",
        "web": f"{_COMMANDS}.web:web_command",
        "mcp": f"{_COMMANDS}.mcp:mcp_command",
        "profiles": f"{_COMMANDS}.profiles:profiles_group",
        "config": f"{_COMMANDS}.config:config_group",
        "cache": f"{_COMMANDS}.cache:cache_group",
        "doctor": f"{_COMMANDS}.doctor:doctor_command",
        "completion": f"{_COMMANDS}.completion:completion_command",
    },
    "Running a service": {
        "serve": f"{_COMMANDS}.serve:serve_command",
        "db": f"{_COMMANDS}.db:db_group",
        "import": f"{_COMMANDS}.import_:import_group",
        "export": f"{_COMMANDS}.export:export_group",
        "sync": f"{_COMMANDS}.sync:sync_group",
        "keys": f"{_COMMANDS}.keys:keys_group",
        "accounts": f"{_COMMANDS}.accounts:accounts_group",
        "webhooks": f"{_COMMANDS}.webhooks:webhooks_group",
        "media": f"{_COMMANDS}.media:media_group",
        "erase": f"{_COMMANDS}.erase:erase_command",
        "openapi": f"{_COMMANDS}.openapi:openapi_command",
    },
}


@click.group(
    cls=Group,
    invoke_without_command=True,
    sections=_SECTIONS,
    # Names of the first edition, to be removed in the version after the next.
    aliases={
        "check": f"{_COMMANDS}.check:check_command",
        "contact": f"{_COMMANDS}.contacts:view_command",
        "ingest": f"{_COMMANDS}.webhooks:webhooks_group",
        "init": f"{_COMMANDS}.init:init_command",
        "list": f"{_COMMANDS}.list:list_group",
        "sample": f"{_COMMANDS}.sample:sample_command",
        "search": f"{_COMMANDS}.search:search_command",
        "show": f"{_COMMANDS}.conversations:view_command",
        "upgrade": f"{_COMMANDS}.init:upgrade_command",
    },
    examples=(
        "frontdesk --database inbox.db",
        "frontdesk conversations list --status open --assignee me",
    ),
)
@target_option_set
@click.version_option(__version__, prog_name="frontdesk")
@click.pass_context
def frontdesk(context: click.Context, /, **given: str | None) -> None:
    """A terminal inbox for customer conversations held over WhatsApp numbers.

    Without a command, opens the viewer on a database, a server or a profile; by default on the
    current profile. The environment may name it instead: FRONTDESK_DATABASE, FRONTDESK_URL with the
    key in FRONTDESK_API_KEY, or FRONTDESK_PROFILE. These options may also follow the command.
    """
    if context.invoked_subcommand is not None:
        gc.enable()
        return
    first_frame = context.find_object(FirstFrameDisplay) or FirstFrameDisplay()
    open_inbox(chosen_target(context, given), first_frame)


def open_inbox(target: Target, first_frame: FirstFrameDisplay) -> None:
    """Open the viewer, or the demo if the user chose that.

    Raises: InboxError.
    """
    try:
        from frontdesk.cli.viewer import open_viewer

        wants_demo = open_viewer(target, first_frame)
    finally:
        # Error messages must be printed on the restored terminal.
        first_frame.restore_terminal()
    if wants_demo:
        from frontdesk.cli.commands.demo import open_demo

        open_demo()
