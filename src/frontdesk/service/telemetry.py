"""Events of the service to be counted, and here dropped: the default without an exporter.

`ServiceMetrics` in `prometheus_metrics.py` counts them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from frontdesk.service.access_control import RequestContext


class Telemetry:
    """Receives events and ignores them; the base class of `ServiceMetrics`."""

    def response(self, context: RequestContext, status: int, seconds: float) -> None:
        """A response was sent. seconds: since the request came."""

    def read(self, mode: str) -> None:
        """The database was read: "inline" on the event loop, or in a "thread"."""

    @contextmanager
    def queued(self) -> Iterator[None]:
        """A request waits for a thread or is in one."""
        yield

    def webhook(self, outcome: str) -> None:
        """A webhook body came: "stored", "duplicate", or the code of its problem."""

    def shed(self, where: str) -> None:
        """Too many came at once: a "request" or a "connection" was refused."""
