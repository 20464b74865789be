"""Prometheus metrics of the service.

prometheus-client's multiprocess mode adds up the values of the worker processes: each writes to
files of a common directory, which PROMETHEUS_MULTIPROC_DIR names before the first import.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Literal, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from frontdesk.errors import BadSettings, InboxError
from frontdesk.ingest.media.fetching import BUDGET, RATE, ROOM, TOKEN
from frontdesk.service.access_control import RequestContext
from frontdesk.service.access_log import Telemetry
from frontdesk.store import media, media_texts
from frontdesk.store.accounts import all_accounts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.raw_events import backlog

_MEDIA_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600)
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class ServiceMetrics(Telemetry):
    """Counters, histograms and gauges of one worker process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = self._counter("requests", "Responses.", "route", "status", "code")
        self._seconds = Histogram(
            "frontdesk_request_seconds",
            "Time from a request to the end of its response, without that for which it was held.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._reads = self._counter("reads", "Reads of the database.", "mode")
        self._queue = self._gauge("queue", "Requests that wait for a thread or are in one.")
        self._held = self._gauge("held", "Requests that may be held until something changes.")
        self._webhooks = self._counter("webhooks", "Webhook bodies by outcome.", "outcome")
        self._media = self._counter("media", "Files of messages by outcome.", "outcome")
        self._media_seconds = Histogram(
            "frontdesk_media_seconds",
            "Time to fetch and store a file.",
            buckets=_MEDIA_BUCKETS,
            registry=self.registry,
        )
        self._media_paused = Gauge(
            "frontdesk_media_paused",
            "Numbers whose files are not fetched for a while.",
            ("why",),
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self._texts = self._counter(
            "media_texts", "Words of files by reader and outcome.", "reader", "outcome"
        )
        self._text_seconds = Histogram(
            "frontdesk_media_text_seconds",
            "Time to read the words of a file.",
            ("reader",),
            buckets=_MEDIA_BUCKETS,
            registry=self.registry,
        )
        self._readers_paused = Gauge(
            "frontdesk_media_readers_paused",
            "1 if a reader of the words of files rests for a while.",
            ("reader",),
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self._shed = self._counter("shed", "Requests refused because too many came at once.")
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

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._held.track_inprogress():
            yield

    def webhook(self, outcome: str) -> None:
        self._webhooks.labels(outcome).inc()

    def writable(self, writable: bool) -> None:
        self._writable.set(int(writable))

    def media(self, outcome: str, seconds: float) -> None:
        self._media.labels(outcome).inc()
        self._media_seconds.observe(seconds)

    def media_resting(self, reasons: Sequence[str]) -> None:
        for why in (TOKEN, RATE, ROOM, BUDGET):
            self._media_paused.labels(why).set(reasons.count(why))

    def media_text(self, reader: str, outcome: str, seconds: float) -> None:
        self._texts.labels(reader, outcome).inc()
        self._text_seconds.labels(reader).observe(seconds)

    def media_texts_resting(self, readers: Mapping[str, bool]) -> None:
        for reader, resting in readers.items():
            self._readers_paused.labels(reader).set(int(resting))

    def shed(self) -> None:
        self._shed.inc()

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"frontdesk_{name}", text, labels, registry=self.registry)

    def _gauge(
        self, name: str, text: str, mode: Literal["livesum", "livemin"] = "livesum"
    ) -> Gauge:
        return Gauge(f"frontdesk_{name}", text, registry=self.registry, multiprocess_mode=mode)


class DatabaseMetrics(Collector):
    """Reads what only the database knows with each scrape, once for all workers.

    Nothing is kept: a `Gauge` would be one more value of each worker, in a file of its own. opened:
    opens and closes the database, which no process that is forked may have open.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Database]],
        clock: Callable[[], int],
        media_files: MediaFiles | None = None,
    ) -> None:
        """media_files: where files of messages are, if this service stores them."""
        self._opened = opened
        self._media_files = media_files
        self._clock = clock
        self._open = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._open.acquire,
                after_in_parent=self._open.release,
                after_in_child=self._open.release,
            )

    def collect(self) -> Iterator[Metric]:
        up = _family("database_up", "1 if the database can be read.")
        try:
            with self._open, self._opened() as database:
                accounts = database.read_latest(_backlogs)
                files = database.read_latest(_stored_media)
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
            lag.add_metric((slug,), _age(row["oldest"], now))
        yield from (up, pending, failed, lag, *self._media(files, now))

    def _media(self, accounts: Iterable["_StoredMedia"], now: int) -> Iterator[Metric]:
        pending, lag, size, unread, text_lag = (
            _family(f"media_{name}", text, "account")
            for name, text in (
                ("pending", "Files of messages that are not fetched yet."),
                ("lag_seconds", "Age of the oldest message whose file is not fetched yet."),
                ("bytes", "Size of the stored files."),
                ("texts_due", "Files whose words are not read yet."),
                ("texts_lag_seconds", "Age of the oldest message whose file is not read yet."),
            )
        )
        for account in accounts:
            label = (account.slug,)
            pending.add_metric(label, account.pending)
            lag.add_metric(label, _age(account.oldest, now))
            size.add_metric(label, account.size)
            unread.add_metric(label, account.unread)
            text_lag.add_metric(label, _age(account.oldest_unread, now))
        yield from (pending, lag, size, unread, text_lag)
        if self._media_files is not None:
            with suppress(InboxError):
                free = _family("media_free_bytes", "Free space of the disk of the files.")
                free_bytes = self._media_files.free_bytes()
                if free_bytes is not None:
                    free.add_metric((), free_bytes)
                    yield free


class SupervisorMetrics:
    """Metrics of all workers, which the process that starts them serves."""

    def __init__(self, database: Collector) -> None:
        self._registry = CollectorRegistry()
        MultiProcessCollector(self._registry)  # type: ignore[no-untyped-call]
        self._registry.register(database)
        self._died = Counter(
            "frontdesk_workers_died", "Worker processes that ended by themselves.", registry=None
        )

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[tuple[str, int]]:
        """Serve them in a thread, and give the address; port 0 selects a free one.

        Raises: BadSettings: the address cannot be listened on.
        """
        try:
            server, thread = start_http_server(port, host, self._registry)
        except OSError as error:
            raise BadSettings(f"Cannot listen on {host}, port {port}: {error.strerror}") from error
        try:
            address, number = server.server_address[:2]
            yield str(address), number
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def ended(self, pid: int, *, died: bool) -> None:
        """A worker ended; died: by itself."""
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
        if died:
            self._died.inc()


def _age(at: int | None, now: int) -> float:
    return 0 if at is None else max(0, now - at) / 1000


def _family(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"frontdesk_{name}", text, labels=labels)


class _StoredMedia(NamedTuple):
    """Files of an account. oldest: time of the message whose file has waited longest; unread, and
    oldest_unread: the same of files whose words are due."""

    slug: str
    pending: int
    oldest: int | None
    size: int
    unread: int
    oldest_unread: int | None


def _stored_media(connection: Connection) -> list[_StoredMedia]:
    found = []
    for account in all_accounts(connection, now=0):
        tallies = {row["state"]: row for row in media.tallies(connection, account["id"])}
        pending = tallies.get(media.PENDING, {"n": 0})["n"]
        size = tallies.get(media.STORED, {"bytes": 0})["bytes"]
        oldest = media.oldest_pending(connection, account["id"])
        due = media_texts.backlog(connection, account["id"])
        found.append(_StoredMedia(account["slug"], pending, oldest, size, due["n"], due["at"]))
    return found


def _backlogs(connection: Connection) -> list[tuple[str, Row]]:
    accounts = all_accounts(connection, now=0)
    return [(account["slug"], backlog(connection, account["id"])) for account in accounts]
