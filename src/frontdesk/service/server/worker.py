"""Service worker: serves on listening sockets until a signal, then drains."""

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TextIO

import uvicorn

from frontdesk.service.access_log import AccessLog
from frontdesk.service.app import Application, create_app, system_clock
from frontdesk.service.doors import Doors
from frontdesk.service.options import PROBLEM_BASE_URI, Options
from frontdesk.service.rate_limit import Limits
from frontdesk.service.server.connections import BoundedProtocol, OpenConnections, many_files
from frontdesk.service.server.sockets import Network
from frontdesk.service.webhooks.receiver import Receiver
from frontdesk.service.webhooks.secrets import Agreements
from frontdesk.service.webhooks.worker import Clerk, Rules
from frontdesk.store.database import Database

DRAIN_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of every worker.

    open_database: opens and closes a database, called with its address. read_database: target of
    reads, if not `database`. proxies: networks trusted for X-Forwarded-For and X-Forwarded-Proto.
    agreements: webhook secrets, None to accept no webhooks. webhook_port: port reserved for
    webhooks, None to share that of `/v1`.
    """

    open_database: Callable[..., AbstractContextManager[Database]]
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
    """Serve until a signal; `ready` is called once connections are accepted."""
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
    """Build the application, with separate databases for `/v1` and for webhooks."""
    log = None if plan.access_log is None else AccessLog(plan.access_log)
    with (
        plan.open_database(
            plan.database,
            read_target=plan.read_database,
            statement_seconds=plan.query_seconds,
        ) as database,
        # No statement timeout: writes may take longer than reads.
        plan.open_database(plan.database, read_target=plan.read_database) as inbound,
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
    """Build the webhook receiver, if webhooks are enabled."""
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
    """Serve an application until a signal; running requests are completed."""

    class Protocol(BoundedProtocol):
        open_connections = OpenConnections()

    Protocol.problem_base_uri = problem_base_uri
    Protocol.proxies = proxies

    class Server(uvicorn.Server):
        """uvicorn server that reports when it accepts connections."""

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
            # The default would trust this machine or the environment.
            proxy_headers=bool(proxies),
            forwarded_allow_ips=[str(network) for network in proxies],
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )
    # The server raises the signal again after it stopped; exit quietly then.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    many_files()
    server.run(sockets=list(listening))


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
