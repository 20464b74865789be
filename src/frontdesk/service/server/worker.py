"""Service worker: serves on listening sockets until a signal, then drains."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from frontdesk.service.access_log import AccessLog, LogTarget, Telemetry
from frontdesk.service.app import Options, create_app
from frontdesk.service.middleware import HttpApplication
from frontdesk.service.problems import PROBLEM_BASE_URI
from frontdesk.service.rate_limit import RateLimits
from frontdesk.service.server.protocol import BoundedProtocol, OpenConnections, many_files
from frontdesk.service.server.sockets import Network
from frontdesk.service.webhooks.receiver import PATH, Receiver, WebhookSecrets
from frontdesk.service.webhooks.worker import BackgroundWorker, WorkerSettings
from frontdesk.store.database import Database
from frontdesk.wire.values import epoch_milliseconds

DRAIN_SECONDS = 10
_WEBHOOKS = f"/{PATH.split('/')[1]}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of every worker.

    open_database: opens and closes a database, called with its address. read_database: target of
    reads, if not `database`. proxies: networks trusted for X-Forwarded-For and X-Forwarded-Proto.
    secrets: of webhooks, None to accept none. webhook_port: port reserved for webhooks, None to
    share that of `/v1`. metrics_port: port reserved for metrics, None for none.
    """

    open_database: Callable[..., AbstractContextManager[Database]]
    database: str
    read_database: str | None
    options: Options
    query_seconds: float
    proxies: tuple[Network, ...]
    access_log: LogTarget | None
    settings: WorkerSettings
    secrets: WebhookSecrets | None = None
    webhook_port: int | None = None
    metrics_port: int | None = None

    @property
    def logs_to_file(self) -> bool:
        """True if SIGHUP opens the access log again; False if it ends the process."""
        is_file = self.access_log is not None and self.access_log.path is not None
        return is_file and hasattr(signal, "SIGHUP")


class Dispatcher:
    """ASGI application that sends requests to `/v1`, the webhook receiver or the metrics.

    by_port: applications with a port of their own. shared_receiver: the receiver if webhooks share
    the port of `/v1`.
    """

    def __init__(
        self,
        interface: HttpApplication,
        by_port: Mapping[int, HttpApplication],
        shared_receiver: HttpApplication | None = None,
    ) -> None:
        self._interface = interface
        self._by_port = by_port
        self._shared_receiver = shared_receiver

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._interface if scope["type"] != "http" else self._app_of(scope)
        await app(scope, receive, send)

    def drain(self) -> None:
        """Answer requests that the shutdown cancels."""
        for app in (self._interface, self._shared_receiver, *self._by_port.values()):
            if app is not None:
                app.drain()

    def _app_of(self, scope: Scope) -> ASGIApp:
        own = self._by_port.get((scope.get("server") or ("", 0))[1])
        if own is not None:
            return own
        path: str = scope["path"]
        if self._shared_receiver and (path == _WEBHOOKS or path.startswith(f"{_WEBHOOKS}/")):
            return self._shared_receiver
        return self._interface


def serve(
    plan: Plan, sockets: Sequence[socket.socket], limits: RateLimits, ready: Callable[[], None]
) -> None:
    """Serve until a signal; `ready` is called once connections are accepted.

    SIGHUP opens an access log in a file again.
    """
    telemetry = _telemetry(plan)
    with _access_log(plan) as log, _application(plan, limits, telemetry, log) as app:
        answer(
            app,
            sockets,
            ready,
            draining=app.drain,
            proxies=plan.proxies,
            problem_base_uri=plan.options.problem_base_uri,
            telemetry=telemetry,
            hang_up=log.reopen if log is not None and plan.logs_to_file else None,
        )


@contextmanager
def _access_log(plan: Plan) -> Iterator[AccessLog | None]:
    if plan.access_log is None:
        yield None
        return
    if plan.logs_to_file:
        # Until the event loop handles it, and after.
        signal.signal(signal.SIGHUP, _ignore)
    log = AccessLog.open(plan.access_log)
    try:
        yield log
    finally:
        log.close()


def _telemetry(plan: Plan) -> Telemetry:
    if plan.metrics_port is None:
        return Telemetry()
    from frontdesk.service.prometheus_metrics import ServiceMetrics

    return ServiceMetrics()


@contextmanager
def _application(
    plan: Plan, limits: RateLimits, telemetry: Telemetry, log: AccessLog | None
) -> Iterator[Dispatcher]:
    """Build the application, with separate databases for `/v1` and for webhooks."""
    with (
        plan.open_database(
            plan.database,
            read_target=plan.read_database,
            statement_seconds=plan.query_seconds,
        ) as database,
        # No statement timeout: writes may take longer than reads.
        plan.open_database(plan.database, read_target=plan.read_database) as inbound,
        ExitStack() as running,
    ):
        app = create_app(
            database, options=plan.options, limits=limits, access_log=log, telemetry=telemetry
        )
        running.callback(app.close)
        worker = BackgroundWorker(inbound, epoch_milliseconds, plan.settings)
        running.callback(worker.close)
        worker.start()
        by_port: dict[int, HttpApplication] = {}
        receiver = None
        if plan.secrets is not None:
            receiver = Receiver(
                inbound,
                plan.secrets,
                stored=worker.notify,
                clock=epoch_milliseconds,
                problem_base_uri=plan.options.problem_base_uri,
                access_log=log,
                telemetry=telemetry,
            )
            running.callback(receiver.close)
            if plan.webhook_port is not None:
                by_port[plan.webhook_port] = receiver
        if plan.metrics_port is not None:
            from frontdesk.service.prometheus_metrics import MetricsApplication, ServiceMetrics

            assert isinstance(telemetry, ServiceMetrics)
            by_port[plan.metrics_port] = MetricsApplication(telemetry, database, epoch_milliseconds)
        yield Dispatcher(app, by_port, receiver if plan.webhook_port is None else None)


def answer(
    app: ASGIApp,
    sockets: Sequence[socket.socket],
    ready: Callable[[], None],
    *,
    draining: Callable[[], None] = lambda: None,
    proxies: tuple[Network, ...] = (),
    problem_base_uri: str = PROBLEM_BASE_URI,
    telemetry: Telemetry | None = None,
    hang_up: Callable[[], None] | None = None,
) -> None:
    """Serve an application until a signal; running requests are completed.

    draining: called at the signal; requests that take too long are cancelled after that. hang_up:
    called at SIGHUP, and once before connections are accepted.
    """

    class Protocol(BoundedProtocol):
        open_connections = OpenConnections()

    Protocol.problem_base_uri = problem_base_uri
    Protocol.proxies = proxies
    Protocol.telemetry = telemetry or Telemetry()

    class NotifyingServer(uvicorn.Server):
        """uvicorn server that reports when it accepts connections."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if hang_up is not None:
                asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hang_up)
                hang_up()
            ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            Protocol.leaving = True
            draining()
            await super().shutdown(sockets)

    server = NotifyingServer(
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
    # Also stops a server whose event loop does not run yet.
    _handle_ending(server.handle_exit)
    many_files()
    server.run(sockets=list(sockets))
    _handle_ending(_leave)
    if hang_up is not None:
        signal.signal(signal.SIGHUP, _ignore)


def _handle_ending(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _ignore(number: int, frame: FrameType | None) -> None:
    """Handler for a signal that changes nothing."""


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
