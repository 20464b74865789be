"""One process of the service: it answers on a socket until a signal, and finishes what it began."""

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TextIO

import uvicorn

from frontdesk.cli.databases import opened
from frontdesk.cli.http_connections import BoundedProtocol, OpenConnections, many_files
from frontdesk.cli.listening import Network
from frontdesk.service.access_log import AccessLog
from frontdesk.service.agreements import Agreements
from frontdesk.service.app import Application, create_app, system_clock
from frontdesk.service.clerk import Clerk, Rules
from frontdesk.service.doors import Doors
from frontdesk.service.limits import Limits
from frontdesk.service.options import PROBLEM_BASE_URI, Options
from frontdesk.service.receiver import Receiver
from frontdesk.store.database import Database

DRAIN_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """What every worker serves, and how.

    read_database: where reads go, if not to `database`. proxies: networks whose X-Forwarded-For
    and X-Forwarded-Proto are believed. agreements: by which webhooks are taken, None where they
    are not. webhook_port: the only port where they are, None for the interface's own.
    """

    database: str
    read_database: str | None
    options: Options
    query_seconds: float
    proxies: tuple[Network, ...]
    access_log: TextIO | None
    rules: Rules
    agreements: Agreements | None = None
    webhook_port: int | None = None


def serve(
    plan: Plan, listening: Sequence[socket.socket], limits: Limits, ready: Callable[[], None]
) -> None:
    """Serve until a signal; `ready` is called as soon as requests are taken."""
    with _application(plan, limits) as app:
        answer(
            app,
            listening,
            ready,
            proxies=plan.proxies,
            problem_base_uri=plan.options.problem_base_uri,
        )


@contextmanager
def _application(plan: Plan, limits: Limits) -> Iterator[Application | Doors]:
    """All that is served, over a database for readers and one for what comes in."""
    log = None if plan.access_log is None else AccessLog(plan.access_log)
    with (
        opened(
            plan.database,
            read_target=plan.read_database,
            statement_seconds=plan.query_seconds,
        ) as database,
        # What is written takes the time that it takes.
        opened(plan.database, read_target=plan.read_database) as inbound,
    ):
        clerk = Clerk(inbound, system_clock, plan.rules)
        app = create_app(database, options=plan.options, limits=limits, access_log=log)
        clerk.start()
        try:
            with _receiving(plan, inbound, clerk, log) as receiver:
                yield app if receiver is None else Doors(app, receiver, plan.webhook_port)
        finally:
            clerk.close()
            app.close()


@contextmanager
def _receiving(
    plan: Plan, database: Database, clerk: Clerk, log: AccessLog | None
) -> Iterator[Receiver | None]:
    """The receiver, if webhooks are taken."""
    if plan.agreements is None:
        yield None
        return
    receiver = Receiver(
        database,
        plan.agreements,
        stored=clerk.call,
        clock=system_clock,
        problem_base_uri=plan.options.problem_base_uri,
        access_log=log,
    )
    try:
        yield receiver
    finally:
        receiver.close()


def answer(
    app: Application | Doors,
    listening: Sequence[socket.socket],
    ready: Callable[[], None],
    *,
    proxies: tuple[Network, ...] = (),
    problem_base_uri: str = PROBLEM_BASE_URI,
) -> None:
    """Answer by an application until a signal; requests under way are finished first."""

    class Protocol(BoundedProtocol):
        open_connections = OpenConnections()

    Protocol.problem_base_uri = problem_base_uri
    Protocol.proxies = proxies

    class Server(uvicorn.Server):
        """A server that tells as soon as it accepts."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            Protocol.leaving = True
            await super().shutdown(sockets)

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
            # Not left to a default: that would trust this machine, or the environment.
            proxy_headers=bool(proxies),
            forwarded_allow_ips=[str(network) for network in proxies],
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )
    # The server raises its signal again once it has stopped; by then there is nothing left to do.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    many_files()
    server.run(sockets=list(listening))


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
