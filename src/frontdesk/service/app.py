"""ASGI application of `/v1`, health checks and the OpenAPI document.

Each request to `/v1` reads one snapshot of the database. Rate limits and the times of background
writes are the only state between requests.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from frontdesk.service.access_control import AccessControl, RequestContext
from frontdesk.service.access_log import AccessLog, Telemetry
from frontdesk.service.api_keys import EphemeralKey, Principal
from frontdesk.service.endpoint import Endpoint, EndpointRequest, JsonBody
from frontdesk.service.etags import caching, is_unchanged, response_tag, weak_tag
from frontdesk.service.executors import RETRY_SECONDS, Reads, WriteBehind, WriteProbe
from frontdesk.service.held_requests import (
    HeldRequests,
    Hold,
    Unchanged,
    preferred_seconds,
    until_gone,
)
from frontdesk.service.masking import masked_body
from frontdesk.service.media.endpoint import MEDIA_ENDPOINT, MediaHandler
from frontdesk.service.middleware import JSON, Handler, HttpApplication, check_method, next_link
from frontdesk.service.model_context import PATH as MCP_PATH
from frontdesk.service.model_context import (
    ModelApplication,
    ModelContextHandler,
    ModelContextSettings,
)
from frontdesk.service.params import Parameters
from frontdesk.service.problems import PROBLEM_BASE_URI, lacking, no_route
from frontdesk.service.rate_limit import RateLimit, RateLimits
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.accounts import any_account
from frontdesk.store.conversations import SnoozeEnds, snooze_ends
from frontdesk.store.database import Connection, Database, WouldBlock
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.rollups import MINUTE
from frontdesk.wire.values import epoch_milliseconds

_READ_ONLY = "This interface only reads: use GET."
_METHODS = ("GET", "HEAD")
_UNCACHED = {"Content-Type": JSON, "Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class Options:
    """Service settings.

    strict_query: refuse unknown parameters instead of ignoring them. problem_base_uri: prefix of a
    problem's `type`. compress: answer with gzip where the client accepts it.
    """

    rate_limit: RateLimit = field(default_factory=RateLimit)
    strict_query: bool = True
    problem_base_uri: str = PROBLEM_BASE_URI
    compress: bool = False


class Application(HttpApplication):
    """ASGI application. Call `close` after the last request and before closing the database."""

    def __init__(
        self,
        database: Database,
        access: AccessControl,
        media_files: MediaFiles | None,
        clock: Callable[[], int],
        options: Options,
        limits: RateLimits,
        access_log: AccessLog | None,
        telemetry: Telemetry,
        inbound: Database | None,
        pause: Callable[[float], Awaitable[None]],
        model_context: ModelContextSettings | None,
    ) -> None:
        self._database = database
        self._probe = None if inbound is None else WriteProbe(inbound, clock)
        self._limits = limits
        self._reads = Reads(database, clock, telemetry)
        self._writes = WriteBehind(database)
        self._held = HeldRequests(self._reads, clock, telemetry, pause)

        def handler(endpoint: Endpoint | None) -> EndpointHandler:
            return EndpointHandler(
                endpoint,
                access,
                self._reads,
                self._writes,
                self._held,
                clock,
                strict_query=options.strict_query,
                serves_media=media_files is not None,
            )

        files = MediaHandler(
            media_files, access, self._reads, self._writes, strict_query=options.strict_query
        )

        self._models: ModelApplication | None = None
        models = []
        if model_context is not None:
            self._models = model_context.application(self)
            models.append(
                Route(
                    MCP_PATH,
                    ModelContextHandler(
                        self._models, model_context.hosts, access, self._reads, self._writes
                    ),
                )
            )

        super().__init__(
            [
                *models,
                *(Route(endpoint.route, handler(endpoint)) for endpoint in ENDPOINTS),
                Route(MEDIA_ENDPOINT.route, files),
                # Below /v1, a key is asked for before the path is looked for.
                Route("/v1", handler(None)),
                Route("/v1/{path:path}", handler(None)),
                Route("/healthz", Handler("/healthz", self._alive)),
                Route("/readyz", Handler("/readyz", self._ready)),
                Route("/openapi.json", Handler("/openapi.json", self._openapi)),
            ],
            clock=clock,
            problem_base_uri=options.problem_base_uri,
            retry_seconds=RETRY_SECONDS,
            compress=options.compress,
            access_log=access_log,
            telemetry=telemetry,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._models is None else self._models.running()

    def release(self) -> None:
        self._held.release()

    def close(self) -> None:
        self._reads.close()
        self._writes.close()
        self._limits.close()

    async def _alive(self, request: Request) -> Response:
        """Liveness: the process responds. It waits for no thread and no database."""
        check_method(request.method, _METHODS, _READ_ONLY)
        return Response(b'{"status":"alive"}', headers=_UNCACHED)

    async def _ready(self, request: Request) -> Response:
        """Readiness: the database can be read, and written where webhooks are received."""
        check_method(request.method, _METHODS, _READ_ONLY)
        since = RequestContext.of(request.scope).now
        await self._reads.in_thread(lambda: self._database.read(any_account), since)
        if self._probe is not None:
            await self._probe.check()
        return Response(b'{"status":"ready"}', headers=_UNCACHED)

    async def _openapi(self, request: Request) -> Response:
        check_method(request.method, _METHODS, _READ_ONLY)
        since = RequestContext.of(request.scope).now
        document = await self._reads.in_thread(_document, since)
        tag = weak_tag(document)
        if is_unchanged(request, tag):
            return Response(status_code=304, headers=caching(tag))
        return Response(document, headers={"Content-Type": JSON, **caching(tag)})


def create_app(
    database: Database,
    *,
    ephemeral_keys: Sequence[EphemeralKey] = (),
    media_files: MediaFiles | None = None,
    clock: Callable[[], int] = epoch_milliseconds,
    options: Options | None = None,
    limits: RateLimits | None = None,
    access_log: AccessLog | None = None,
    telemetry: Telemetry | None = None,
    inbound: Database | None = None,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    model_context: ModelContextSettings | None = None,
) -> Application:
    """Create the application over `database`. `ephemeral_keys` have no rate limit.

    media_files: where files of messages are; None to serve none. clock: now in epoch milliseconds.
    limits: may be shared with other processes; closed with the application. inbound: where webhooks
    are stored, if they are received. pause: waits between two looks for the changes that requests
    are held for. model_context: what answers `/mcp`, within `running`. Nothing is read and no
    thread runs before the first request.
    """
    options = options or Options()
    limits = limits or RateLimits(options.rate_limit)
    access = AccessControl(ephemeral_keys, limits)
    return Application(
        database,
        access,
        media_files,
        clock,
        options,
        limits,
        access_log,
        telemetry or Telemetry(),
        inbound,
        pause,
        model_context,
    )


class EndpointAnswer(NamedTuple):
    """Response to a request. unchanged: it says that nothing is new since this state."""

    response: Response
    unchanged: Unchanged | None = None


class EndpointHandler:
    """ASGI endpoint of a path below /v1, of an unknown one without `endpoint`.

    Order of checks: blocked address, key, rate limit, ETag, path, method, scope, parameters, and
    the resource last; the same request always gets the same problem.
    """

    def __init__(
        self,
        endpoint: Endpoint | None,
        access: AccessControl,
        reads: Reads,
        writes: WriteBehind,
        held: HeldRequests,
        clock: Callable[[], int],
        *,
        strict_query: bool,
        serves_media: bool,
    ) -> None:
        self._endpoint = endpoint
        self._log_route = None if endpoint is None else endpoint.log_route
        self._access = access
        self._reads = reads
        self._writes = writes
        self._held = held
        self._clock = clock
        self._strict_query = strict_query
        self._serves_media = serves_media

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, context = Request(scope), RequestContext.of(scope)
        context.route = self._log_route
        self._access.check_address(request, context)
        seconds = self._preferred_seconds(request)
        if seconds:
            answer = await self._held_answer(request, context, seconds, receive)
        else:
            answer = await self._read(request, context)
        if answer is None:
            # The client has gone.
            return
        if answer.unchanged is not None:
            self._access.refund_unchanged(context)
        await answer.response(scope, receive, send)

    def _preferred_seconds(self, request: Request) -> int:
        """Return for how long the answer may be awaited: one that can say that nothing is new."""
        awaits_news = self._endpoint is not None and self._endpoint.awaits_news
        if "prefer" in request.headers and (awaits_news or "if-none-match" in request.headers):
            return preferred_seconds(request.headers.getlist("prefer"))
        return 0

    async def _held_answer(
        self, request: Request, context: RequestContext, seconds: int, receive: Receive
    ) -> EndpointAnswer | None:
        """Return an answer with news, or what there is after these seconds; None if nobody waits.

        Raises: as `_read`.
        """
        with self._held.hold(seconds) as hold:
            if hold is None:
                return await self._read(request, context)
            answer = await self._read(request, context, shared=True)
            if answer.unchanged is not None:
                gone = asyncio.ensure_future(until_gone(receive))
                try:
                    answer = await self._awaited(request, context, hold, answer, gone)
                finally:
                    gone.cancel()
                if gone.done():
                    return None
            answer.response.headers["Preference-Applied"] = f"wait={hold.seconds}"
            return answer

    async def _awaited(
        self,
        request: Request,
        context: RequestContext,
        hold: Hold,
        answer: EndpointAnswer,
        gone: "asyncio.Future[None]",
    ) -> EndpointAnswer:
        """Hold a request until its answer has news, the hold has ended or the client has gone.

        The key is checked with each answer. Raises: as `_read`.
        """
        while answer.unchanged is not None and self._held.lasts(hold) and not gone.done():
            began = time.perf_counter()
            await self._held.wait(hold, answer.unchanged, gone)
            context.held_seconds += time.perf_counter() - began
            if not gone.done():
                async with self._held.reading:
                    context.now = self._clock()
                    answer = await self._read(request, context, shared=True)
        return answer

    async def _read(
        self, request: Request, context: RequestContext, *, shared: bool = False
    ) -> EndpointAnswer:
        """Read the answer. shared: its body may be one that another request has just read.

        Raises: ApiError, InboxError.
        """

        def answer(connection: Connection, inline: bool) -> EndpointAnswer:
            return self._answer(request, context, connection, inline=inline, shared=shared)

        return await self._reads.read(answer, context.now)

    def _answer(
        self,
        request: Request,
        context: RequestContext,
        connection: Connection,
        *,
        inline: bool,
        shared: bool,
    ) -> EndpointAnswer:
        """Raises: ApiError; WouldBlock."""
        principal = self._access.authorize(request, context, connection)
        snoozes = self._snoozes(principal, context.now, connection)
        if principal.stored:
            self._writes.touch_key(principal.grant.key_id, principal.last_used_at, context.now)
        tag = response_tag(request, self._endpoint, principal, snoozes.last, context.now)
        if is_unchanged(request, tag):
            response = Response(status_code=304, headers=caching(tag))
            return EndpointAnswer(
                response, self._unchanged(request, principal, snoozes, context.now)
            )
        endpoint = self._endpoint
        if endpoint is None:
            raise no_route()
        check_method(request.method, _METHODS, _READ_ONLY)
        grant = principal.grant
        if endpoint.scope not in grant.scopes:
            raise lacking(endpoint.scope, tuple(sorted(grant.scopes)))
        query: bytes = request.scope["query_string"]
        if inline and not endpoint.inline(query):
            raise WouldBlock
        parameters = Parameters(query, endpoint.parameters, strict=self._strict_query)
        path_value = next(iter(request.path_params.values()), "")
        asked = EndpointRequest(
            connection,
            grant,
            endpoint,
            path_value,
            parameters,
            context.now,
            snoozes.last,
            self._serves_media,
            principal.revision,
            principal.mark,
        )

        def read() -> JsonBody[Any]:
            body = endpoint.answer(asked)
            return masked_body(body, asked) if grant.masked else body

        # The tag is of the account's revision, the scopes and the address; but of the query's
        # parameters in any order.
        body = self._held.shared_body((tag, query), read) if shared else read()
        headers = {"Content-Type": JSON, **caching(tag)}
        if body.next_cursor is not None:
            headers["Link"] = next_link(request.scope, body.next_cursor)
        response = Response(body.json, headers=headers)
        if body.is_news:
            return EndpointAnswer(response)
        return EndpointAnswer(response, self._unchanged(request, principal, snoozes, context.now))

    def _unchanged(
        self, request: Request, principal: Principal, snoozes: SnoozeEnds, now: int
    ) -> Unchanged:
        """Return the state of the account, which ends with a snooze or the minute of a report."""
        query: bytes = request.scope["query_string"]
        minute = None if self._endpoint is None else self._endpoint.minute(query, now)
        ends = [snoozes.next, None if minute is None else minute + MINUTE]
        until = min((end for end in ends if end is not None), default=None)
        return Unchanged(principal.grant.account_id, principal.revision, until)

    def _snoozes(self, principal: Principal, now: int, connection: Connection) -> SnoozeEnds:
        """Return the ends of snoozes around now.

        Reads treat expired snoozes as open. A background write stores that, unless the database is
        read-only.
        """
        if principal.next_snooze is None or principal.next_snooze > now:
            return SnoozeEnds(None, principal.next_snooze)
        account_id = principal.grant.account_id
        ends = snooze_ends(connection, account_id, now)
        if ends.last is not None:
            self._writes.wake_snoozed(account_id, ends.last, now)
        return ends


@cache
def _document() -> bytes:
    """Generate the OpenAPI document, once."""
    from frontdesk.service.openapi import document_bytes

    return document_bytes()
