"""Middleware and problem responses, of `/v1` and the webhook receiver."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from http import HTTPStatus
from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frontdesk.service.access_control import RequestContext
from frontdesk.service.access_log import AccessLog, ResponseObserver, Telemetry
from frontdesk.service.error_log import MEMBERS
from frontdesk.service.problems import MEDIA_TYPE, ApiError, cause, no_route, problem_of, too_busy

MAX_REQUEST_BYTES = 8192
JSON = "application/json"
# Smaller responses are not compressed. The level saves nearly as much as the highest, in a third of
# its time.
LEAST_COMPRESSED_BYTES = 1_024
COMPRESSION_LEVEL = 4
# Ids of requests that are taken over from the client: for logs and headers, without control
# characters and quotation marks.
_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}")
# W3C Trace Context: version, trace, parent, flags; later versions may have more parts.
_TRACE_PARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?"
)
# HTTP/1.0, in the words of granian and in those of ASGI.
_WITHOUT_HOST = ("1", "1.0")
# Characters that a URL may contain unescaped; a percent sign begins an escape.
_URL_CHARACTERS = "%/?:@!$&'()*+,;=-._~"

_log = logging.getLogger("frontdesk.service")


class SegmentConvertor(Convertor[str]):
    """Path parameter `{name:segment}`: one segment, possibly empty, percent-decoded."""

    regex = "[^/]*"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("segment", SegmentConvertor())


class ContextMiddleware:
    """Attaches a RequestContext to each request; adds its id and the rate limit to responses.

    The id is that of the request's `X-Request-Id`, and the trace that of its `traceparent`.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], int]) -> None:
        self._app = app
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        context = RequestContext(self._clock(), trace_id=_trace_id(scope))
        context.id = _given_id(scope) or context.id
        context.attach(scope)

        async def send_signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                limit = {} if context.rate_limit is None else context.rate_limit.headers()
                message["headers"] += _encoded({**limit, "X-Request-Id": context.id})
            await send(message)

        await self._app(scope, receive, send_signed)


class CompressionMiddleware(GZipMiddleware):
    """Compresses responses with gzip for clients that accept it."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, LEAST_COMPRESSED_BYTES, COMPRESSION_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_once(message: Message) -> None:
            if message["type"] == "http.response.start":
                # What the application says already is added again.
                headers = MutableHeaders(raw=message["headers"])
                if "Vary" in headers:
                    headers["Vary"] = ", ".join(dict.fromkeys(headers["Vary"].split(", ")))
            await send(message)

        if scope["type"] == "http" and _accepts_gzip(scope):
            await super().__call__(scope, receive, send_once)
        else:
            await self.app(scope, receive, send)


def _accepts_gzip(scope: Scope) -> bool:
    """Check `Accept-Encoding` for gzip with a weight that is not 0 (RFC 9110, section 12.5.3)."""
    accepted = Headers(scope=scope).get("Accept-Encoding", "").lower()
    for coding in accepted.split(","):
        name, _, weight = coding.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


class RequestHeadMiddleware:
    """Refuses oversized heads and those without one host; leaves a percent-encoded path.

    Routes match the encoded path, so that an encoded slash or newline stays part of its segment.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
            if len(path) - 1 + len(scope["query_string"]) > MAX_REQUEST_BYTES:
                raise ApiError("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
            if sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > (
                MAX_REQUEST_BYTES
            ):
                raise ApiError(
                    "headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes."
                )
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            # The server gives an empty one to a request without.
            has_one = len(hosts) == 1 and hosts[0]
            if not has_one and scope["http_version"] not in _WITHOUT_HOST:
                # RFC 9112, section 3.2: a proxy may take another host than this service does.
                raise ApiError("malformed_request", "A request has to have one Host header.")
            if "%" in path:
                path = "/".join(quote(unquote(part), safe="") for part in path.split("/"))
            scope["path"] = path
        await self._app(scope, receive, send)


class DrainMiddleware:
    """Answers 503 to requests that a shutdown cuts off.

    running: tasks of the requests under way, kept up to date here. At any other time it is the
    client who cancels, within one process: nobody waits for an answer.
    """

    def __init__(
        self,
        app: ASGIApp,
        running: set["asyncio.Task[object]"],
        draining: Callable[[], bool],
        retry_seconds: int,
    ) -> None:
        self._app = app
        self._running = running
        self._draining = draining
        self._retry_seconds = retry_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if not self._draining():
                raise
            raise too_busy(self._retry_seconds) from None
        finally:
            self._running.discard(task)


class Handler:
    """ASGI endpoint for all methods. route: path template for the access log."""

    def __init__(self, route: str, answer: Callable[[Request], Awaitable[Response]]) -> None:
        self._route = route
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        RequestContext.of(scope).route = self._route
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)


class HttpApplication(Router):
    """Router whose responses, errors and log entries have one form.

    clock: now in epoch milliseconds. retry_seconds: when to retry what a shutdown cuts off.
    compress: answer with gzip where the client accepts it.
    Subclasses stop their threads in `close`.
    """

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        *,
        clock: Callable[[], int],
        problem_base_uri: str,
        retry_seconds: int = 1,
        compress: bool = False,
        access_log: AccessLog | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        telemetry = telemetry or Telemetry()
        self._draining = False
        self._running: set[asyncio.Task[object]] = set()

        async def respond(request: Request, error: Exception) -> Response:
            problem = problem_of(error)
            if problem.overload:
                telemetry.shed()
            return _error_response(request, error, problem, problem_base_uri)

        super().__init__(
            routes,
            redirect_slashes=False,
            default=_no_route,
            lifespan=self._closing,
            middleware=[
                Middleware(ContextMiddleware, clock=clock),
                Middleware(ResponseObserver, log=access_log, telemetry=telemetry),
                *([Middleware(CompressionMiddleware)] if compress else []),
                Middleware(ExceptionMiddleware, handlers={Exception: respond}),
                Middleware(RequestHeadMiddleware),
                Middleware(DrainMiddleware, self._running, lambda: self._draining, retry_seconds),
            ],
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run what answers requests in tasks of its own."""
        return nullcontext()

    def release(self) -> None:
        """Answer the requests that are held, as the server is about to shut down."""

    def drain(self) -> None:
        """Cut off what is under way, as the server shuts down: it is answered 503."""
        self._draining = True
        for task in self._running:
            task.cancel()

    def close(self) -> None:
        """Wait for running work and stop the threads. To be called after the last request."""

    @asynccontextmanager
    async def _closing(self, app: object) -> AsyncIterator[None]:
        async with self.running():
            yield
        self.close()


async def _no_route(scope: Scope, receive: Receive, send: Send) -> None:
    raise no_route()


def _error_response(
    request: Request, error: Exception, problem: ApiError, base_uri: str
) -> Response:
    """Answer an exception with its problem document."""
    context = RequestContext.of(request.scope)
    context.problem = problem.code
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        # The request itself is not logged: its headers hold a key.
        members = {
            "method": request.method,
            "route": context.route,
            "code": problem.code,
            "request_id": context.id,
            "trace_id": context.trace_id,
        }
        extra = {MEMBERS: members}
        _log.error("Request %s failed\n%s", context.id, cause(error), extra=extra)
    return problem_response(problem, context.id, base_uri)


def problem_response(problem: ApiError, request_id: str, base_uri: str) -> Response:
    """Build a problem document. base_uri: prefix of the problem's `type`."""
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Cache-Control": "no-store",
        **dict(problem.headers),
    }
    return Response(problem.document(request_id, base_uri), problem.status, headers)


def _given_id(scope: Scope) -> str | None:
    """Return the id that the client gave the request, None without a usable one."""
    text = Headers(scope=scope).get("X-Request-Id", "")
    return text if _REQUEST_ID.fullmatch(text) else None


def _trace_id(scope: Scope) -> str | None:
    """Return the trace that the request belongs to, None if no valid one is named."""
    match = _TRACE_PARENT.fullmatch(Headers(scope=scope).get("traceparent", "").strip())
    return match[1] if match else None


def check_method(method: str, allowed: tuple[str, ...], detail: str) -> None:
    """Raises: ApiError: the method is not one of `allowed`."""
    if method not in allowed:
        headers = (("Allow", ", ".join(allowed)),)
        raise ApiError("method_not_allowed", detail, headers=headers, allow=allowed)


def next_link(scope: Scope, cursor: str) -> str:
    """Build a `Link` to the next page (RFC 8288): this request with another cursor."""
    query = scope["query_string"].decode("latin-1")
    pairs = [pair for pair in query.split("&") if pair and unquote(pair.split("=")[0]) != "cursor"]
    target = f"{scope['path']}?{'&'.join([*pairs, f'cursor={cursor}'])}"
    return f'<{quote(target, safe=_URL_CHARACTERS)}>; rel="next"'


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
