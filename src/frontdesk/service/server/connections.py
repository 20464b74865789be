"""Connection limits: in total, per client network, and timeouts.

A connection beyond the limits can still request health checks.
"""

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from frontdesk.service.addresses import client_network, unmapped
from frontdesk.service.health import PATHS as HEALTH_PATHS
from frontdesk.service.problems import Refusal, too_busy
from frontdesk.service.server.protocol import RETRY_SECONDS, HeadProtocol
from frontdesk.service.server.sockets import Network

# Maximum per port, of two; `many_files` raises the limit of open files accordingly.
MOST_CONNECTIONS = 800
MOST_FOR_ONE_CLIENT = 200
# Maximum of connections beyond the limits, which get health checks or a 503.
MOST_TURNED_AWAY = 1_000
MOST_FILES = 4_096
LAST_HEAD_SECONDS = 1.0

_HEALTH_URLS = frozenset(f"/{path}".encode() for path in HEALTH_PATHS)


@dataclass(slots=True)
class OpenConnections:
    """Counts of a server's connections by port, within its limits and beyond.

    silent: connections beyond the limits without a request so far, oldest first.
    """

    served: Counter[int | None] = field(default_factory=Counter)
    by_client: Counter[tuple[int | None, str]] = field(default_factory=Counter)
    beyond: Counter[int | None] = field(default_factory=Counter)
    silent: dict["BoundedProtocol", int | None] = field(default_factory=dict)

    def drop_silent(self, port: int | None) -> bool:
        """Abort the oldest silent connection of a port; return False without one."""
        oldest = next((one for one, its_port in self.silent.items() if its_port == port), None)
        if oldest is not None:
            del self.silent[oldest]
            oldest.transport.abort()
        return oldest is not None


class BoundedProtocol(HeadProtocol):
    """HTTP/1.1 protocol with connection limits and timeouts.

    most: connections per port; most_for_one: per client, an IPv4 address or an IPv6 /64. `proxies`,
    which carry many clients, and Unix sockets are not limited per client. Connections beyond are
    answered 503, except health checks. If more than half of the connections are taken, or the
    server is `leaving`, a connection closes after its response. head_seconds: timeout of a
    request's head, from the connection or the previous response. taking_seconds: timeout of a
    client that does not read its response.
    """

    open_connections: OpenConnections
    proxies: tuple[Network, ...] = ()
    leaving = False
    most = MOST_CONNECTIONS
    most_for_one = MOST_FOR_ONE_CLIENT
    words_for = MOST_TURNED_AWAY
    head_seconds = 10.0
    taking_seconds = 30.0

    _port: int | None = None
    _health_only = False
    _forget: Callable[[], None] | None = None
    _head_timer: asyncio.TimerHandle | None = None
    _taking_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._port = self.server and self.server[1]
        if self.client is not None:
            self.client = (unmapped(self.client[0]), self.client[1])
        self._health_only = not self._admit()
        if self._health_only and not self._admit_beyond():
            transport.abort()
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._forget is not None:
            self._forget()
        self._end_wait_for_head()
        self._end_wait_for_taking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.ending or self._head_timer is not None:
            return
        # These bytes may be the rest of a body that is not read; the head's timeout applies.
        if self.cycle is None or self.cycle.response_complete:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._end_wait_for_head()
        if self._health_only:
            self.open_connections.silent.pop(self, None)
            if self.url.partition(b"?")[0] not in _HEALTH_URLS:
                self.fail(too_busy(RETRY_SECONDS))
        super().on_headers_complete()
        crowded = self.open_connections.served[self._port] > self.most / 2
        if self.leaving or self._health_only or crowded:
            self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_taking()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._end_wait_for_taking()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # A closing connection remains until its output is read.
        self._expect_taking()

    def end(self) -> None:
        super().end()
        self._expect_taking()

    def turn_away(self, refusal: Refusal) -> None:
        """Answer with `refusal` after earlier requests, and close."""
        self.open_connections.silent.pop(self, None)
        super().turn_away(refusal)

    def _admit(self) -> bool:
        """Count this connection if the limits allow it."""
        opened, client = self.open_connections, (self._port, self._client_network())
        if opened.served[self._port] >= self.most:
            return False
        if client[1] and opened.by_client[client] >= self.most_for_one:
            return False
        opened.served[self._port] += 1
        opened.by_client[client] += 1

        def forget() -> None:
            opened.served[self._port] -= 1
            opened.by_client[client] -= 1
            if not opened.by_client[client]:
                del opened.by_client[client]

        self._forget = forget
        return True

    def _admit_beyond(self) -> bool:
        """Count this connection as beyond the limits; if there are too many, abort a silent one."""
        opened = self.open_connections
        if opened.beyond[self._port] >= self.words_for and not opened.drop_silent(self._port):
            return False
        opened.beyond[self._port] += 1
        opened.silent[self] = self._port

        def forget() -> None:
            opened.beyond[self._port] -= 1
            opened.silent.pop(self, None)

        self._forget = forget
        return True

    def _client_network(self) -> str:
        """Return the key of the client's limit; "" if only the port's limit applies."""
        if self.client is None:
            return ""
        try:
            address = ipaddress.ip_address(self.client[0])
        except ValueError:
            return ""
        trusted = any(address in network for network in self.proxies)
        return "" if trusted else client_network(self.client[0])

    def _expect_head(self) -> None:
        last = self.leaving or self._health_only
        seconds = min(LAST_HEAD_SECONDS, self.head_seconds) if last else self.head_seconds
        self._head_timer = self.loop.call_later(seconds, self._miss_head)

    def _end_wait_for_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _miss_head(self) -> None:
        if self._health_only and self.cycle is None:
            self.turn_away(too_busy(RETRY_SECONDS))
        elif self._in_head:
            told = f"The head of a request has to come within {self.head_seconds:g} seconds."
            self.turn_away(Refusal("request_timeout", told))
        else:
            self.transport.close()

    def _expect_taking(self) -> None:
        if self._taking_timer is None:
            self._taking_timer = self.loop.call_later(self.taking_seconds, self.transport.abort)

    def _end_wait_for_taking(self) -> None:
        if self._taking_timer is not None:
            self._taking_timer.cancel()
            self._taking_timer = None


def many_files() -> None:
    """Raise the soft limit of open files, as far as the hard limit permits."""
    try:
        import resource
    except ImportError:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
