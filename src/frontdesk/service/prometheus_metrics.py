"""Prometheus metrics of the service, and the ASGI application that serves them at `/metrics`.

With several worker processes, prometheus-client's multiprocess mode adds up their values: each
writes to files of a common directory, which PROMETHEUS_MULTIPROC_DIR names before the first import.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontdesk.errors import InboxError
from frontdesk.service.access_control import RequestContext
from frontdesk.service.access_log import Telemetry
from frontdesk.service.middleware import Handler, HttpApplication, check_method
from frontdesk.service.problems import PROBLEM_BASE_URI
from frontdesk.store.accounts import all_accounts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.raw_events import backlog

PATH = "/metrics"
DIRECTORY_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class ServiceMetrics(Telemetry):
    """Counters, histograms and gauges of one worker process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = self._counter("requests", "Responses.", "route", "status", "code")
        self._seconds = Histogram(
            "frontdesk_request_seconds",
            "Time from a request to the end of its response.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._reads = self._counter("reads", "Reads of the database.", "mode")
        self._queue = self._gauge("queue", "Requests that wait for a thread or are in one.")
        self._webhooks = self._counter("webhooks", "Webhook bodies by outcome.", "outcome")
        self._shed = self._counter("shed", "Refused because too many came at once.", "where")
        self._writable = self._gauge(
            "database_writable", "1 if the last webhook body could be stored.", "livemin"
        )
        self._writable.set(1)
        self._gauge("workers", "Worker processes that serve.").set(1)

    def response(self, context: RequestContext, status: int, seconds: float) -> None:
        route = context.route or "unknown"
        self._requests.labels(route, str(status), context.problem or "").inc()
        self._seconds.labels(route).observe(seconds)

    def read(self, mode: str) -> None:
        self._reads.labels(mode).inc()

    @contextmanager
    def queued(self) -> Iterator[None]:
        with self._queue.track_inprogress():
            yield

    def webhook(self, outcome: str) -> None:
        self._webhooks.labels(outcome).inc()

    def writable(self, writable: bool) -> None:
        self._writable.set(int(writable))

    def shed(self, where: str) -> None:
        self._shed.labels(where).inc()

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"frontdesk_{name}", text, labels, registry=self.registry)

    def _gauge(
        self, name: str, text: str, mode: Literal["livesum", "livemin"] = "livesum"
    ) -> Gauge:
        return Gauge(f"frontdesk_{name}", text, registry=self.registry, multiprocess_mode=mode)


class MetricsApplication(HttpApplication):
    """ASGI application of `/metrics`, for an address of its own. clock: epoch milliseconds."""

    def __init__(
        self, metrics: ServiceMetrics, database: Database, clock: Callable[[], int]
    ) -> None:
        self._metrics = metrics
        self._database_metrics = DatabaseMetrics(database, clock)
        metrics.registry.register(self._database_metrics)
        super().__init__(
            [Route(PATH, Handler(PATH, self._answer))],
            clock=clock,
            problem_base_uri=PROBLEM_BASE_URI,
        )

    async def _answer(self, request: Request) -> Response:
        check_method(request.method, ("GET", "HEAD"), "Metrics are read: use GET.")
        text = await asyncio.to_thread(self._text)
        return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _text(self) -> bytes:
        if DIRECTORY_VARIABLE not in os.environ:
            return generate_latest(self._metrics.registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        registry.register(self._database_metrics)
        return generate_latest(registry)


class DatabaseMetrics(Collector):
    """Reads what only the database knows with each scrape, once for all workers.

    Nothing is kept: a `Gauge` would be one more value of each worker, in a file of its own.
    """

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        up = _family("database_up", "1 if the database can be read.")
        try:
            accounts = self._database.read_latest(_backlogs)
        except InboxError:
            up.add_metric((), 0)
            yield up
            return
        up.add_metric((), 1)
        pending, failed, lag = (
            _family(f"webhooks_{name}", text, "account")
            for name, text in (
                ("pending", "Stored webhook bodies that are not applied yet."),
                ("failed", "Stored webhook bodies that could not be applied."),
                ("lag_seconds", "Age of the oldest body that is not applied yet."),
            )
        )
        now = self._clock()
        for slug, row in accounts:
            pending.add_metric((slug,), row["pending"])
            failed.add_metric((slug,), row["failed"])
            oldest = row["oldest"]
            lag.add_metric((slug,), 0 if oldest is None else max(0, now - oldest) / 1000)
        yield from (up, pending, failed, lag)


class SupervisorMetrics:
    """Counts, in the process that starts the workers, those that died."""

    def __init__(self) -> None:
        self._died = Counter(
            "frontdesk_workers_died", "Worker processes that ended by themselves.", registry=None
        )

    def ended(self, pid: int, *, died: bool) -> None:
        """A worker ended; died: by itself."""
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
        if died:
            self._died.inc()


def _family(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"frontdesk_{name}", text, labels=labels)


def _backlogs(connection: Connection) -> list[tuple[str, Row]]:
    accounts = all_accounts(connection, now=0)
    return [(account["slug"], backlog(connection, account["id"])) for account in accounts]
