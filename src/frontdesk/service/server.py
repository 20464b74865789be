"""HTTP server of the service: granian, its worker processes, and what each of them serves.

granian accepts connections, parses requests, starts workers and replaces those that end. Here it is
told what to serve; a worker ends with the process that started it, and cuts off what takes too long
once it is asked to end.
"""

import asyncio
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    ExitStack,
    contextmanager,
    suppress,
)
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops, SSLProtocols
from granian.http import HTTP1Settings
from granian.utils.proxies import wrap_asgi_with_proxy_headers
from starlette.types import ASGIApp, Receive, Scope, Send

from frontdesk.errors import BadSettings, InboxError
from frontdesk.pictures import PictureDecoder
from frontdesk.service.access_log import AccessLog, LogTarget, Telemetry
from frontdesk.service.app import Options, create_app
from frontdesk.service.error_log import log_as_json
from frontdesk.service.media.fetcher import FetcherSettings, MediaFetcher, OpenSources
from frontdesk.service.media.reader_table import FileReader
from frontdesk.service.media.reading import MediaReading
from frontdesk.service.middleware import MAX_REQUEST_BYTES, HttpApplication
from frontdesk.service.model_context import ModelContextSettings
from frontdesk.service.rate_limit import RateLimits, unmapped
from frontdesk.service.webhooks.receiver import PATH, Receiver, WebhookSecrets
from frontdesk.service.webhooks.worker import BackgroundWorker, WorkerSettings
from frontdesk.store.database import Database
from frontdesk.wire.values import epoch_milliseconds

# Of a worker: connections that it serves at once, and those that wait to be accepted.
MOST_CONNECTIONS = 4_000
BACKLOG = 4_096
# Open files that these need, with those of the databases.
MOST_FILES = 8_192
# Bytes of a request's head; the application judges shorter ones.
MAX_HEAD_BYTES = 4 * MAX_REQUEST_BYTES
# Time for the head of a request, from the connection or the previous response: longer than clients
# keep idle connections, a minute at most, so that none sends a request into one that closes.
HEAD_MILLISECONDS = 75_000
# After the signal to end, requests are cut off, and after more time workers are killed.
DRAIN_SECONDS = 10.0
KILL_SECONDS = 20

_WEBHOOKS = f"/{PATH.split('/')[1]}"


@dataclass(frozen=True, slots=True)
class FetchingPlan:
    """Where files of messages are fetched from, and which."""

    sources: OpenSources
    settings: FetcherSettings


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of every worker.

    open_database: opens and closes a database, called with its address. read_database: target of
    reads, if not `database`. proxies: addresses and networks trusted for X-Forwarded-For and
    X-Forwarded-Proto. secrets: of webhooks, None to accept none. metrics: whether events are
    counted. fetching: of files of messages, None to fetch none. model_context: what answers `/mcp`.
    readers: of the words of files.
    """

    open_database: Callable[..., AbstractContextManager[Database]]
    database: str
    read_database: str | None
    options: Options
    query_seconds: float
    proxies: tuple[str, ...]
    access_log: LogTarget | None
    settings: WorkerSettings
    secrets: WebhookSecrets | None = None
    metrics: bool = False
    fetching: FetchingPlan | None = None
    model_context: ModelContextSettings | None = None
    readers: tuple[FileReader, ...] = ()

    @property
    def logs_to_file(self) -> bool:
        """True if SIGHUP opens the access log again; False if it ends the service."""
        is_file = self.access_log is not None and self.access_log.path is not None
        return is_file and hasattr(signal, "SIGHUP")


@dataclass(frozen=True, slots=True)
class Listener:
    """Where and how to listen. host: an IP address. certificate, key: of TLS, both or none."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None


class Dispatcher:
    """ASGI application that sends requests to `/v1` or to the webhook receiver, if there is one."""

    def __init__(self, interface: HttpApplication, receiver: HttpApplication | None) -> None:
        self._interface = interface
        self._receiver = receiver

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if self._receiver and (path == _WEBHOOKS or path.startswith(f"{_WEBHOOKS}/")):
            await self._receiver(scope, receive, send)
        else:
            await self._interface(scope, receive, send)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run what answers requests in tasks of its own."""
        return self._interface.running()

    def release(self) -> None:
        """Answer the requests that are held."""
        self._interface.release()

    def drain(self) -> None:
        """Cut off the requests that are under way."""
        self._interface.drain()
        if self._receiver is not None:
            self._receiver.drain()


class Worker:
    """ASGI application of a worker process, with a lifespan.

    resources: closed after the last request. ready: called before connections are accepted.
    hang_up: called at SIGHUP, and once before `ready`. life: ends when the service is to end, or
    when the process that started the worker has ended.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        resources: ExitStack,
        proxies: Sequence[str],
        ready: Callable[[], None],
        hang_up: Callable[[], None] | None,
        life: Connection,
    ) -> None:
        self._dispatcher = dispatcher
        self._app: ASGIApp = dispatcher
        if proxies:
            self._app = wrap_asgi_with_proxy_headers(dispatcher, trusted_hosts=list(proxies))
        self._resources = resources
        self._ready = ready
        self._hang_up = hang_up
        self._life = life

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        host, port = scope["client"]
        scope["client"] = (unmapped(host), port)
        await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        # granian, whose handler the loop runs, waits for ever if it is signalled again and again.
        signal.signal(signal.SIGTERM, _ignore_next)
        # Of a terminal, which sends it to all: the process that started this one passes it on.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self._hang_up is not None:
            loop.add_signal_handler(signal.SIGHUP, self._hang_up)
            self._hang_up()
        threading.Thread(target=self._end_with_life, args=(loop,), daemon=True).start()
        await receive()
        async with self._dispatcher.running():
            await send({"type": "lifespan.startup.complete"})
            self._ready()
            await receive()
        self._resources.close()
        await send({"type": "lifespan.shutdown.complete"})

    def _end_with_life(self, loop: asyncio.AbstractEventLoop) -> None:
        self._life.poll(None)
        # A signal may have ended the loop before.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._dispatcher.release)
            loop.call_soon_threadsafe(loop.call_later, DRAIN_SECONDS, self._dispatcher.drain)
        os.kill(os.getpid(), signal.SIGTERM)


def load_worker(
    plan: Plan, limits: RateLimits, ready: Callable[[], None], life: Connection
) -> Worker:
    """Open what a worker needs, in its process. ready, life: as of `Worker`."""
    with ExitStack() as resources:
        log = None
        if plan.access_log is not None:
            log = AccessLog.open(plan.access_log)
            resources.callback(log.close)
        dispatcher = resources.enter_context(_application(plan, limits, log))
        hang_up = log.reopen if log is not None and plan.logs_to_file else None
        return Worker(dispatcher, resources.pop_all(), plan.proxies, ready, hang_up, life)


@contextmanager
def _application(plan: Plan, limits: RateLimits, log: AccessLog | None) -> Iterator[Dispatcher]:
    """Build the application, with separate databases for `/v1` and for webhooks."""
    telemetry = Telemetry()
    if plan.metrics:
        from frontdesk.service.prometheus_metrics import ServiceMetrics

        telemetry = ServiceMetrics()
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
            database,
            media_files=plan.settings.media_files,
            options=plan.options,
            limits=limits,
            access_log=log,
            telemetry=telemetry,
            inbound=None if plan.secrets is None else inbound,
            model_context=plan.model_context,
        )
        running.callback(app.close)
        reading = _reading(plan, inbound, telemetry, running)
        fetcher = _fetcher(plan, inbound, telemetry, running, reading)
        worker = BackgroundWorker(
            inbound,
            epoch_milliseconds,
            plan.settings,
            requested=fetcher.lanes.notify if fetcher else lambda: None,
        )
        running.callback(worker.close)
        worker.start()
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
        yield Dispatcher(app, receiver)


def _reading(
    plan: Plan, database: Database, telemetry: Telemetry, running: ExitStack
) -> MediaReading | None:
    """Start to read the words of files, if there are readers and a place for files."""
    files = plan.settings.media_files
    if not plan.readers or files is None:
        return None
    reading = MediaReading(database, files, plan.readers, epoch_milliseconds, telemetry)
    running.callback(reading.lanes.close)
    reading.lanes.start()
    return reading


def _fetcher(
    plan: Plan,
    database: Database,
    telemetry: Telemetry,
    running: ExitStack,
    reading: MediaReading | None,
) -> MediaFetcher | None:
    """Start the fetcher of files, if there is anything to fetch and a place for it."""
    files = plan.settings.media_files
    if plan.fetching is None or files is None:
        return None
    fetcher = MediaFetcher(
        database,
        files,
        plan.fetching.sources,
        epoch_milliseconds,
        plan.fetching.settings,
        decoder=running.enter_context(PictureDecoder()),
        telemetry=telemetry,
        reading=reading,
    )
    running.callback(fetcher.lanes.close)
    fetcher.lanes.start()
    return fetcher


class Supervisor:
    """Runs granian in this process until a signal; says when workers are ready and how one ended.

    guard: runs a function and returns the exit code of a worker that cannot start. announce: called
    once all workers are ready, in a thread. ended: called with the id of each worker that ended,
    and with its exit code (negative for a signal) if it died by itself, else None.
    """

    def __init__(
        self,
        plan: Plan,
        listener: Listener,
        workers: int,
        *,
        guard: Callable[[Callable[[], object]], int],
        announce: Callable[[], None],
        ended: Callable[[int, int | None], None] = lambda pid, code: None,
    ) -> None:
        self._plan = plan
        self._listener = listener
        self._workers = workers
        self._guard = guard
        self._announce = announce
        self._ended = ended
        self._process = os.getpid()
        self._begun = self._stopping = False
        # As `nohup` has it; granian handles it.
        self._ignores_hang_up = (
            hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        )
        self._failure: Exception | None = None
        # Every worker reads the end of `life`, which nothing is written to.
        self._life_reader, self._life = multiprocessing.Pipe(duplex=False)
        self._ready_reader, self._ready = multiprocessing.Pipe(duplex=False)
        self._granian = Granian(
            "frontdesk",
            address=listener.host,
            port=listener.port,
            interface=Interfaces.ASGI,
            workers=workers,
            # uvloop is no faster here, and loses signals between two runs of the loop.
            loop=Loops.asyncio,
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(
                header_read_timeout=HEAD_MILLISECONDS, max_buffer_size=MAX_HEAD_BYTES
            ),
            websockets=False,
            backlog=BACKLOG,
            backpressure=MOST_CONNECTIONS,
            log_enabled=False,
            ssl_cert=listener.certificate,
            ssl_key=listener.key,
            ssl_protocol_min=SSLProtocols.tls12,
            workers_kill_timeout=KILL_SECONDS,
        )
        self._granian.on_startup(self._starting)

    def run(self) -> None:
        """Raises: BadSettings: a worker did not start. InboxError: one died again and again."""
        many_files()
        limits = None
        if "fork" in multiprocessing.get_all_start_methods():
            # Workers share the counters of the rate limit, and what is imported already.
            multiprocessing.set_start_method("fork", force=True)
            limits = RateLimits(self._plan.options.rate_limit, shared=self._workers > 1)
        load = partial(
            _load, self._plan, limits, self._guard, self._life_reader, self._life, self._ready
        )
        try:
            self._granian.serve(target_loader=load)
        except SystemExit:
            if not self._stopping and not self._begun:
                raise BadSettings("A worker did not start") from None
            if not self._stopping:
                raise InboxError("A worker that was started again died at once") from None
        finally:
            if limits is not None:
                limits.close()
        if self._failure is not None:
            raise self._failure

    def _starting(self) -> None:
        """Handle signals; SIGHUP goes to the workers, or ends the service as SIGTERM does."""
        self._interrupt = signal.getsignal(signal.SIGTERM)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        if self._plan.logs_to_file:
            signal.signal(signal.SIGHUP, self._hang_up)
        elif self._ignores_hang_up:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        elif hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, self._stop)
        threading.Thread(target=self._follow, daemon=True).start()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._process:
            # A worker that answers nobody yet; an exception would be raised anywhere in it.
            os._exit(0)
        self._stopping = True
        self._life.close()
        if callable(self._interrupt):
            self._interrupt(number, frame)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() == self._process:
            pass_on(number, multiprocessing.active_children())

    def _follow(self) -> None:
        """Follow the workers, in a thread."""
        starting = self._workers
        living: set[BaseProcess] = set()
        while True:
            living.update(multiprocessing.active_children())
            happened = wait([self._ready_reader, *(worker.sentinel for worker in living)])
            if self._ready_reader in happened:
                self._ready_reader.recv_bytes()
                starting -= 1
                if not starting:
                    self._begin()
            for worker in [worker for worker in living if worker.sentinel in happened]:
                living.discard(worker)
                code = _exit_code(worker)
                died = code != 0 and self._begun and not self._stopping
                self._ended(worker.pid or 0, code if died else None)

    def _begin(self) -> None:
        _wait_for_connection(self._listener)
        # Until now, a worker that ends has ended the service.
        self._begun = self._granian.respawn_failed_workers = True
        try:
            self._announce()
        except Exception as error:
            self._failure = error
            self._stop(signal.SIGTERM, None)


def pass_on(number: int, workers: Iterable[BaseProcess]) -> None:
    """Send a signal to processes, of which some may have ended by now."""
    for worker in workers:
        if worker.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, number)


def _load(
    plan: Plan,
    limits: RateLimits | None,
    guard: Callable[[Callable[[], object]], int],
    life_reader: Connection,
    life: Connection,
    ready: Connection,
    target: str,
) -> ASGIApp:
    """Load a worker in its process, which ends if that fails."""
    # This process would keep it open for the others.
    life.close()
    log_as_json()
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    loaded: list[Worker] = []

    def load() -> None:
        ours = limits or RateLimits(plan.options.rate_limit)
        loaded.append(load_worker(plan, ours, partial(ready.send_bytes, b"!"), life_reader))

    code = guard(load)
    if not loaded:
        raise SystemExit(code)
    return loaded[0]


def _ignore_next(number: int, frame: FrameType | None) -> None:
    """Handler of a signal that ignores it from now on."""
    signal.signal(number, signal.SIG_IGN)


def _exit_code(worker: BaseProcess) -> int:
    """Return the exit code of a process that has ended."""
    while (code := worker.exitcode) is None:
        # A thread of granian has it, and is about to set it.
        time.sleep(0.001)
    return code


def _wait_for_connection(listener: Listener) -> None:
    """Wait until a port that is about to be listened on accepts connections."""
    while True:
        with suppress(OSError), socket.create_connection((listener.host, listener.port)):
            return
        time.sleep(0.001)


def many_files() -> None:
    """Raise the soft limit of open files, as far as the hard limit permits."""
    try:
        import resource
    except ImportError:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    if now != resource.RLIM_INFINITY and now < limit:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
