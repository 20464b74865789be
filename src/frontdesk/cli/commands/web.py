"""`frontdesk web`: serves the viewer to a browser."""

import sys
from collections.abc import Iterator

import click

from frontdesk.cli.base import WholeNumber, command
from frontdesk.cli.options import target_options
from frontdesk.cli.sockets import base_url, bound_to
from frontdesk.cli.target import Target, resolve, run_with_client
from frontdesk.errors import BadSettings
from frontdesk.system.loopback import is_loopback


@command("web", "frontdesk web --open", "frontdesk web --database inbox.db --port 8090")
@target_options
@click.option(
    "--port",
    default=0,
    show_default="a free one",
    type=WholeNumber(0, 65535),
    help="Port to listen on.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--open", "opening", is_flag=True, help="Open the page in the browser.")
def web_command(target: Target, port: int, host: str, opening: bool) -> None:
    """Serve the viewer to a browser, and print its link.

    Each page gets a viewer of its own. Anyone with the link sees the inbox as you do, until Ctrl-C
    stops all viewers.
    """
    _check_means()
    # Errors of the place are reported here instead of on a page.
    target = resolve(target)
    run_with_client(target, _nothing)
    from frontdesk.cli.web.auth import AccessRules
    from frontdesk.cli.web.opening import opener
    from frontdesk.cli.web.server import BrowserServer

    access = AccessRules(host)
    program = [sys.executable, "-P", "-m", "frontdesk", *_viewer_options(target)]
    if not is_loopback(host):
        click.echo(
            f"frontdesk: {host} is reached from other machines: whoever has the link, or listens "
            "on the way, reads the inbox. ssh -L to a loopback address is safer.",
            err=True,
        )
    # Bound once, to report a port that is taken, and to find a free one.
    with bound_to(host, port) as listening:
        port = listening.getsockname()[1]
    with opener() as open_link:
        link = f"{base_url(host, port)}/?token={access.token}"

        def announce() -> None:
            click.echo(link)
            sys.stdout.flush()
            if opening and not open_link(link):
                click.echo(
                    "frontdesk: No browser could be opened: open the link yourself", err=True
                )

        BrowserServer(program, access, port, announce).serve()


def _viewer_options(target: Target) -> Iterator[str]:
    """Yield the options that open a target, independent of later configuration; without the key."""
    options = {
        "--profile": target.profile,
        "--url": None if target.profile else target.url,
        "--database": None if target.profile else target.database,
        "--as": target.user,
    }
    return (f"{name}={value}" for name, value in options.items() if value)


async def _nothing(inbox: object) -> None:
    """No-op: opening the client verifies the target."""


def _check_means() -> None:
    """Raises: BadSettings: the web dependencies are not installed."""
    try:
        import textual_serve.server  # noqa: F401
    except ImportError as error:
        raise BadSettings(
            "Pages are served with more than the base install: pip install 'frontdesk[web]'"
        ) from error
