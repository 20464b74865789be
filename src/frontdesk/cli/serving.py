"""`frontdesk serve`: the `/v1` service over TCP, until it is told to stop."""

import ipaddress
import signal
import socket
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from frontdesk.cli.commands import Command
from frontdesk.errors import BadSettings

if TYPE_CHECKING:
    from frontdesk.service.app import Application

DRAIN_SECONDS = 10


@click.command("serve", cls=Command)
@click.option(
    "--database",
    required=True,
    type=click.Path(path_type=Path),
    help="The database to serve.",
)
@click.option("--port", required=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--allow-plain-http",
    is_flag=True,
    help="Listen beyond this machine without TLS: keys can be read on the way.",
)
def serve_command(database: Path, port: int, host: str, allow_plain_http: bool) -> None:
    """Serve /v1 and print its base URL when it is ready."""
    if not (allow_plain_http or _is_loopback(host)):
        raise BadSettings(
            f"{host} is not this machine alone, and keys would travel unencrypted: "
            "put a TLS proxy in front, or say --allow-plain-http"
        )
    _serve(database, host, port)


def _serve(path: Path, host: str, port: int) -> None:
    try:
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise BadSettings(
            "Serving needs more than the base install: pip install 'frontdesk[serve]'"
        ) from error
    from frontdesk.service.app import create_app
    from frontdesk.store.sqlite import SQLiteDatabase

    database = SQLiteDatabase(path)
    try:
        listening = _listen(host, port)
        app = create_app(database)
        try:
            _run(app, listening)
        finally:
            listening.close()
            app.close()
    finally:
        database.close()


def _run(app: "Application", listening: socket.socket) -> None:
    """Serve until a signal; requests under way are finished first."""
    import uvicorn

    class Server(uvicorn.Server):
        """A server that tells where it is as soon as it accepts."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            click.echo(_base_url(listening))
            sys.stdout.flush()

    server = Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )
    # The server raises its signal again once it has stopped; by then there is nothing left to do.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    server.run(sockets=[listening])


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise BadSettings(f"{host} is no address to listen on: {error.strerror}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise BadSettings(f"Cannot listen on {host}, port {port}: {error.strerror}") from error
    return listening


def _base_url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
