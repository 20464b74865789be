"""One process of the service: it answers on a socket until a signal, and finishes what it began."""

import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import TextIO

import uvicorn

from frontdesk.cli.databases import opened
from frontdesk.cli.http_heads import HeadProtocol
from frontdesk.service.access_log import AccessLog
from frontdesk.service.app import Application, create_app
from frontdesk.service.limits import Limits
from frontdesk.service.options import PROBLEM_BASE_URI, Options

DRAIN_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """What every worker serves, and how.

    read_database: where reads go, if not to `database`. proxies: addresses whose X-Forwarded-For
    is believed.
    """

    database: str
    read_database: str | None
    options: Options
    query_seconds: float
    proxies: tuple[str, ...]
    access_log: TextIO | None


def serve(plan: Plan, listening: socket.socket, limits: Limits, ready: Callable[[], None]) -> None:
    """Serve until a signal; `ready` is called as soon as requests are taken."""
    with opened(
        plan.database,
        read_target=plan.read_database,
        statement_seconds=plan.query_seconds,
    ) as database:
        log = None if plan.access_log is None else AccessLog(plan.access_log)
        app = create_app(database, options=plan.options, limits=limits, access_log=log)
        try:
            answer(
                app,
                listening,
                ready,
                proxies=plan.proxies,
                problem_base_uri=plan.options.problem_base_uri,
            )
        finally:
            app.close()


def answer(
    app: Application,
    listening: socket.socket,
    ready: Callable[[], None],
    *,
    proxies: tuple[str, ...] = (),
    problem_base_uri: str = PROBLEM_BASE_URI,
) -> None:
    """Answer by an application until a signal; requests under way are finished first."""

    class Protocol(HeadProtocol):
        pass

    Protocol.problem_base_uri = problem_base_uri

    class Server(uvicorn.Server):
        """A server that tells as soon as it accepts."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    server = Server(
        uvicorn.Config(
            app,
            http=Protocol,
            access_log=False,
            log_config=None,
            log_level="error",
            lifespan="off",
            ws="none",
            server_header=False,
            forwarded_allow_ips=list(proxies),
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )
    # The server raises its signal again once it has stopped; by then there is nothing left to do.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    server.run(sockets=[listening])


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
