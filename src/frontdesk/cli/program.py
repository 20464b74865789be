"""Root command `frontdesk`, with lazily loaded subcommands."""

import gc

import click

from frontdesk import __version__
from frontdesk.cli.commands import Group


@click.group(
    cls=Group,
    invoke_without_command=True,
    lazy={
        "accounts": "frontdesk.cli.accounts:accounts_group",
        "cache": "frontdesk.cli.caching:cache_group",
        "check": "frontdesk.cli.checking:check_command",
        "completion": "frontdesk.cli.completing:completion_command",
        "config": "frontdesk.cli.configuring:config_group",
        "contact": "frontdesk.cli.showing:contact_command",
        "counts": "frontdesk.cli.counting:counts_command",
        "demo": "frontdesk.cli.demo:demo_command",
        "doctor": "frontdesk.cli.doctor:doctor_command",
        "erase": "frontdesk.cli.erasing:erase_command",
        "export": "frontdesk.cli.exporting:export_group",
        "import": "frontdesk.cli.importing:import_group",
        "ingest": "frontdesk.cli.ingesting:ingest_group",
        "init": "frontdesk.cli.initialising:init_command",
        "keys": "frontdesk.cli.keys:keys_group",
        "list": "frontdesk.cli.listing:list_group",
        "openapi": "frontdesk.cli.openapi:openapi_command",
        "profiles": "frontdesk.cli.profiles:profiles_group",
        "report": "frontdesk.cli.reporting:report_command",
        "sample": "frontdesk.cli.sample:sample_command",
        "search": "frontdesk.cli.searching:search_command",
        "serve": "frontdesk.cli.serving:serve_command",
        "show": "frontdesk.cli.showing:show_command",
        "tail": "frontdesk.cli.tailing:tail_command",
        "sync": "frontdesk.cli.syncing:sync_group",
        "upgrade": "frontdesk.cli.initialising:upgrade_command",
        "web": "frontdesk.cli.web:web_command",
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
    from frontdesk.cli.beginning import Beginning
    from frontdesk.cli.opening import open_inbox

    said = {"url": url, "database": database, "user": user, "profile": profile}
    open_inbox(said, context.find_object(Beginning) or Beginning())
