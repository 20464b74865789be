"""HTTP/1.1 protocol of uvicorn with limits on requests, connections and time.

Subclasses uvicorn's public `HttpToolsProtocol`; the versions of uvicorn and httptools that this was
tried with are bounded in `pyproject.toml`, and by a test.
"""

import asyncio
import ipaddress
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from frontdesk.service.access_log import Telemetry
from frontdesk.service.middleware import HEALTH_PATHS, MAX_REQUEST_BYTES, problem_response
from frontdesk.service.problems import PROBLEM_BASE_URI, ApiError, too_busy
from frontdesk.service.rate_limit import client_network, unmapped
from frontdesk.service.server.sockets import Network

# Limit on the fields of a request, and on any unfinished element. The application judges shorter
# heads.
MAX_HEAD_BYTES = 4 * MAX_REQUEST_BYTES
# Maximum of header and trailer fields of a request together.
MAX_FIELDS = 128
# Maximum of pipelined requests that wait for earlier responses.
MAX_QUEUED_REQUESTS = 32
RETRY_SECONDS = 1
LINGER_SECONDS = 2.0

# Maximum per port, of two; `many_files` raises the limit of open files accordingly.
MOST_CONNECTIONS = 800
MOST_FOR_ONE_CLIENT = 200
# Maximum of connections beyond the limits, which get health checks or a 503.
MOST_TURNED_AWAY = 1_000
MOST_FILES = 4_096
LAST_HEAD_SECONDS = 1.0

_HEALTH_URLS = frozenset(path.encode() for path in HEALTH_PATHS)


class _LeavableTransport:
    """Transport that drops what is written to a client that is gone, as asyncio's own does.

    uvloop's raises, and uvicorn tells only the last of pipelined requests that the client is gone.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        try:
            self._transport.write(data)
        except RuntimeError:
            if not self._transport.is_closing():
                raise

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)


class HeadProtocol(HttpToolsProtocol):
    """HTTP/1.1 protocol that bounds everything buffered before a request is answered.

    A request beyond a limit is answered with an error after earlier requests, and the connection
    closes. Trailer fields are counted and dropped.
    """

    problem_base_uri = PROBLEM_BASE_URI
    telemetry = Telemetry()

    _in_head = False
    _in_body = False
    _fields = 0
    _field_bytes = 0
    # Number of parser callbacks, and bytes received since the last one.
    _events = 0
    _pending_bytes = 0
    _parse_error: ApiError | None = None
    # Final response; empty to close without one.
    _last_response: bytes | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, _LeavableTransport(transport)))

    @property
    def ending(self) -> bool:
        """True if the connection was refused and accepts no more requests."""
        return self._last_response is not None

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_QUEUED_REQUESTS:
            self.fail(too_busy(RETRY_SECONDS))
        super().on_message_begin()
        self._events += 1
        self._in_head = True
        self._fields = self._field_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._events += 1
        self._fields += 1
        self._field_bytes += len(name) + len(value) + 4
        if self._fields > MAX_FIELDS:
            detail = f"A request may have {MAX_FIELDS} header and trailer fields."
            self.fail(ApiError("headers_too_large", detail))
        if self._field_bytes > MAX_HEAD_BYTES:
            self.fail(_headers_too_large())
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._events += 1
        self._in_head, self._in_body = False, True
        upgrade = self.parser.should_upgrade()
        if upgrade and any(_announces_body(*field) for field in self.headers):
            detail = "A request with a body cannot ask for another protocol (Upgrade, CONNECT)."
            self.fail(ApiError("malformed_request", detail))
        if upgrade or self.expect_100_continue:
            # The next bytes may be a body or another request; this is ambiguous.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._events += 1
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._events += 1
        self._in_body = False
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        if self.ending:
            return
        events = self._events
        super().data_received(data)
        # Elements that start and continue in these bytes are bounded by the read size.
        if self._events != events:
            self._pending_bytes = 0
            return
        self._pending_bytes += len(data)
        if self._pending_bytes > MAX_HEAD_BYTES and not self.ending:
            self.send_400_response("")

    def fail(self, problem: ApiError) -> NoReturn:
        """Abort parsing from a callback; `problem` becomes the response."""
        self._parse_error = problem
        raise problem

    def send_400_response(self, msg: str) -> None:
        """Answer a parse error after earlier requests, and close."""
        self.turn_away(self._parse_error or self._reason())

    def turn_away(self, problem: ApiError) -> None:
        """Answer with `problem` after earlier requests, and close.

        A request with an incomplete body is dropped, as it cannot be answered any more.
        """
        if self.ending:
            return
        if problem.overload:
            self.telemetry.shed("connection")
        self._last_response = self._encoded(problem)
        if not (self._drop_incomplete() if self._in_body else self._is_answering()):
            self._close_with_response()

    def end(self) -> None:
        """Close the connection after the output is written."""
        self.transport.close()

    def on_response_complete(self) -> None:
        last = not self.pipeline
        super().on_response_complete()
        if last and self.ending:
            self._close_with_response()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _drop_incomplete(self) -> bool:
        """Drop the last request; return True if earlier responses are in progress."""
        if self.pipeline and self.pipeline[0][0] is self.cycle:
            self.pipeline.popleft()
            return True
        if self.cycle.response_started:
            # Its response has started; another would be taken for that of the next request.
            self._last_response = b""
            return self._is_answering()
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        return False

    def _close_with_response(self) -> None:
        if not self.transport.is_closing():
            # Keep reading for a while: closing with unread input resets the connection and loses
            # the response.
            self.flow.resume_reading()
            self.transport.write(self._last_response or b"")
            try:
                self.transport.write_eof()
            except OSError:
                # The client has disconnected.
                self.transport.abort()
            else:
                self.loop.call_later(LINGER_SECONDS, self.end)

    def _encoded(self, problem: ApiError) -> bytes:
        """Return a whole HTTP response with a problem document."""
        request_id = str(uuid.uuid4())
        response = problem_response(problem, request_id, self.problem_base_uri)
        headers = [
            *response.raw_headers,
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        return STATUS_LINE[response.status_code] + lines + b"\r\n" + bytes(response.body)

    def _reason(self) -> ApiError:
        if self._in_body:
            return ApiError("malformed_request", "The body of the request is not valid HTTP/1.1.")
        if len(getattr(self, "url", b"")) > MAX_REQUEST_BYTES:
            return ApiError("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
        if self._pending_bytes > MAX_HEAD_BYTES:
            return _headers_too_large()
        return ApiError("malformed_request", "This is not an HTTP request.")


def _headers_too_large() -> ApiError:
    return ApiError("headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes.")


def _announces_body(name: bytes, value: bytes) -> bool:
    return name == b"transfer-encoding" or (name == b"content-length" and bool(value.strip(b" 0")))


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
        oldest = next(
            (connection for connection, its_port in self.silent.items() if its_port == port), None
        )
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

    def turn_away(self, problem: ApiError) -> None:
        """Answer with `problem` after earlier requests, and close."""
        self.open_connections.silent.pop(self, None)
        super().turn_away(problem)

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
            detail = f"The head of a request has to come within {self.head_seconds:g} seconds."
            self.turn_away(ApiError("request_timeout", detail))
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
    limit = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    if now != resource.RLIM_INFINITY and now < limit:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
