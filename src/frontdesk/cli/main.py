"""Root command `frontdesk`, with lazily loaded subcommands; without one it opens the viewer."""

import gc
from collections.abc import Mapping

import click

from frontdesk import __version__
from frontdesk.cli.base import Group
from frontdesk.cli.startup import StartupFrame


@click.group(
    cls=Group,
    invoke_without_command=True,
    lazy={
        "accounts": "frontdesk.cli.commands.accounts:accounts_group",
        "cache": "frontdesk.cli.commands.cache:cache_group",
        "check": "frontdesk.cli.commands.check:check_command",
        "completion": "frontdesk.cli.commands.completion:completion_command",
        "config": "frontdesk.cli.commands.config:config_group",
        "contact": "frontdesk.cli.commands.show:contact_command",
        "counts": "frontdesk.cli.commands.counts:counts_command",
        "demo": "frontdesk.cli.commands.demo:demo_command",
        "doctor": "frontdesk.cli.commands.doctor:doctor_command",
        "erase": "frontdesk.cli.commands.erase:erase_command",
        "export": "frontdesk.cli.commands.export:export_group",
        "import": "frontdesk.cli.commands.import_:import_group",
        "ingest": "frontdesk.cli.commands.ingest:ingest_group",
        "init": "frontdesk.cli.commands.init:init_command",
        "keys": "frontdesk.cli.commands.keys:keys_group",
        "list": "frontdesk.cli.commands.list:list_group",
        "openapi": "frontdesk.cli.commands.openapi:openapi_command",
        "profiles": "frontdesk.cli.commands.profiles:profiles_group",
        "report": "frontdesk.cli.commands.report:report_command",
        "sample": "frontdesk.cli.commands.sample:sample_command",
        "search": "frontdesk.cli.commands.search:search_command",
        "serve": "frontdesk.cli.serving:serve_command",
        "show": "frontdesk.cli.commands.show:show_command",
        "tail": "frontdesk.cli.commands.tail:tail_command",
        "sync": "frontdesk.cli.commands.sync:sync_group",
        "upgrade": "frontdesk.cli.commands.init:upgrade_command",
        "web": "frontdesk.cli.commands.web:web_command",
    },
)
@click.option(
    "--database",
    metavar="PATH|ADDRESS",
    help="Open the inbox of this database: a file, or a PostgreSQL database as postgresql://…",
)
@click.option("--as", "user", metavar="USER", help="Who “me” is: an e-mail address, name or id.")
@click.option("--url", help="Open the inbox of this server; the key is in FRONTDESK_API_KEY.")
@click.option("--profile", metavar="NAME", help="Open the inbox of this profile.")
@click.version_option(__version__, prog_name="frontdesk")
@click.pass_context
def frontdesk(
    context: click.Context,
    database: str | None,
    user: str | None,
    url: str | None,
    profile: str | None,
) -> None:
    """A terminal inbox for customer conversations held over WhatsApp numbers.

    Without a command it opens the viewer on a database, a server or a profile: on the one in use,
    if none is named.
    """
    if context.invoked_subcommand is not None:
        gc.enable()
        if database or user or url or profile:
            raise click.UsageError("--database, --as, --url and --profile go behind the command")
        return
    said = {"url": url, "database": database, "user": user, "profile": profile}
    open_inbox(said, context.find_object(StartupFrame) or StartupFrame())


def open_inbox(said: Mapping[str, str | None], startup: StartupFrame) -> None:
    """Open the viewer, or the demo if the user chose that.

    Raises: InboxError.
    """
    try:
        from frontdesk.cli.target import parse_target
        from frontdesk.cli.viewer import open_viewer

        wants_demo = open_viewer(parse_target(**said), startup)
    finally:
        # Error messages must be printed on the restored terminal.
        startup.end()
    if wants_demo:
        from frontdesk.cli.commands.demo import open_demo

        open_demo()
