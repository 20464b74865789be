"""ASGI application of `/v1`: authentication, routing and one response per request.

Each request reads one snapshot of the database: inline if that cannot block, else in one of a few
threads of the application, so that the event loop never waits. Rate limits and the times of
background writes are the only state between requests.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from urllib.parse import unquote

from starlette.types import Receive, Scope, Send

from frontdesk.errors import Unreachable
from frontdesk.service.access import Doorkeeper
from frontdesk.service.access_log import AccessLog
from frontdesk.service.auth import Caller, Guest
from frontdesk.service.endpoint import Call, Endpoint
from frontdesk.service.health import PATHS as HEALTH_PATHS
from frontdesk.service.health import alive, ready
from frontdesk.service.http import (
    Request,
    Response,
    Written,
    caching,
    check_size,
    document_tag,
    entity_tag,
    refused,
    send_response,
    tags,
)
from frontdesk.service.options import Options
from frontdesk.service.params import Parameters
from frontdesk.service.problems import (
    Refusal,
    cause,
    failed,
    lacking,
    no_route,
    too_busy,
    unavailable,
)
from frontdesk.service.rate_limit import Limits
from frontdesk.service.room import Room
from frontdesk.service.routes import endpoint_at
from frontdesk.service.visits import Visit
from frontdesk.store.accounts import touch_key
from frontdesk.store.conversations import snoozes_over
from frontdesk.store.database import Connection, Database, NotAtOnce

THREADS = 4
# Maximum in-flight requests, running or queued; more are answered 503.
MOST_AT_ONCE = 128
RETRY_SECONDS = 1
# A request queued for longer than this is answered 503: its client has probably given up.
MOST_WAITING_MILLISECONDS = 5_000
# Minimum interval between writes of a key's last use.
TOUCH_MILLISECONDS = 60_000
# Minimum interval between attempts to write expired snoozes as open, per account.
WAKE_MILLISECONDS = 10_000

_log = logging.getLogger("frontdesk.service")


def system_clock() -> int:
    """Now, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Application:
    """ASGI application. Call `close` after the last request and before closing the database."""

    def __init__(
        self,
        database: Database,
        guests: Sequence[Guest],
        clock: Callable[[], int],
        options: Options,
        limits: Limits,
        access_log: AccessLog | None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._options = options
        self._limits = limits
        self._doorkeeper = Doorkeeper(guests, limits)
        self._access_log = access_log
        self._readers = ThreadPoolExecutor(THREADS, "frontdesk-service")
        self._notary = ThreadPoolExecutor(1, "frontdesk-service-notes")
        self._room = Room(MOST_AT_ONCE, RETRY_SECONDS)
        self._touched: dict[str, int] = {}
        self._woken: dict[int, int] = {}
        self._document = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._attend(Visit(Request.of(scope), self._clock()), send)

    def close(self) -> None:
        """Wait for running reads and writes, and stop the threads."""
        self._readers.shutdown()
        self._notary.shutdown()
        self._limits.close()

    async def _attend(self, visit: Visit, send: Send) -> None:
        started = time.perf_counter()
        request = visit.request
        if request.path == "healthz":
            # Answered inline: liveness must not wait for threads that are blocked on the database.
            response = self._respond(visit, at_once=False)
        else:
            response = await self._respond_in_turn(visit)
        with_body = request.method != "HEAD"
        await send_response(send, response, with_body=with_body)
        if self._access_log is not None:
            seconds = time.perf_counter() - started
            sent = len(response.body) if with_body else 0
            self._access_log.note(visit, response, seconds=seconds, sent=sent)

    async def _respond_in_turn(self, visit: Visit) -> Response:
        """Answer inline if nothing blocks, else in a reader thread."""
        with suppress(NotAtOnce):
            return self._respond(visit, at_once=True)
        try:
            with self._room.place():
                loop = asyncio.get_running_loop()
                answer = partial(self._respond, visit, at_once=False)
                return await loop.run_in_executor(self._readers, answer)
        except Refusal as refusal:
            return _signed(visit, self._refused(visit, refusal))
        except asyncio.CancelledError:
            # Shutdown cancels pending requests: answer 503 instead of dropping the connection.
            return _signed(visit, self._refused(visit, too_busy(RETRY_SECONDS)))

    def _respond(self, visit: Visit, *, at_once: bool) -> Response:
        """Answer a request and map exceptions to problem documents; may block unless `at_once`.

        Raises: NotAtOnce, and nothing else.
        """
        try:
            response = self._answer(visit, at_once=at_once)
        except NotAtOnce:
            raise
        except Refusal as refusal:
            response = self._refused(visit, refusal)
        except Unreachable as error:
            response = self._refused(visit, unavailable(error))
        except Exception as error:
            # The request itself is not logged: its headers hold a key.
            _log.error("Request %s failed\n%s", visit.id, cause(error))
            response = self._refused(visit, failed(error))
        return _signed(visit, response)

    def _refused(self, visit: Visit, refusal: Refusal) -> Response:
        visit.problem = refusal.code
        return refused(refusal, visit.id, self._options.problem_base_uri)

    def _answer(self, visit: Visit, *, at_once: bool) -> Response:
        check_size(visit.request)
        if not at_once and self._clock() - visit.now > MOST_WAITING_MILLISECONDS:
            raise too_busy(RETRY_SECONDS)
        version, *path = [unquote(segment) for segment in visit.request.path.split("/")]
        if version != "v1":
            if at_once:
                raise NotAtOnce
            return self._answer_anyone(visit)
        call_for = endpoint_at(path)
        visit.route = None if call_for is None else call_for[0].route
        self._doorkeeper.check_address(visit)
        read = self._database.read_at_once if at_once else self._database.read
        return read(partial(self._answer_within, visit, call_for, at_once))

    def _answer_anyone(self, visit: Visit) -> Response:
        """Answer paths that need no key: health checks and the OpenAPI document."""
        path = visit.request.path
        if path not in (*HEALTH_PATHS, "openapi.json"):
            raise no_route()
        visit.route = f"/{path}"
        _check_method(visit.request)
        if path == "openapi.json":
            return self._description(visit.request)
        return alive() if path == "healthz" else ready(self._database)

    def _description(self, request: Request) -> Response:
        """Return the OpenAPI document, which is generated on first use."""
        from frontdesk.service.openapi import document_bytes

        self._document = self._document or document_bytes()
        tag = document_tag(self._document)
        if tag in tags(request.if_none_match):
            return Response(304, caching(tag))
        return Response(200, (("Content-Type", "application/json"), *caching(tag)), self._document)

    def _answer_within(
        self,
        visit: Visit,
        call_for: tuple[Endpoint, str] | None,
        at_once: bool,
        connection: Connection,
    ) -> Response:
        """Authenticate, authorize and answer on one snapshot.

        Raises: Refusal; NotAtOnce.
        """
        request = visit.request
        caller = self._doorkeeper.admit(visit, connection)
        awake_at = self._note_snoozes(caller, visit.now, connection)
        self._note_use(caller, visit.now)
        minute = None if call_for is None else call_for[0].minute(request.query, visit.now)
        tag = entity_tag(request, caller, awake_at, minute)
        if request.method in ("GET", "HEAD") and tag in tags(request.if_none_match):
            self._doorkeeper.found_unchanged(visit)
            return Response(304, caching(tag))
        if call_for is None:
            raise no_route()
        _check_method(request)
        endpoint, path_value = call_for
        if endpoint.scope not in caller.grant.scopes:
            raise lacking(endpoint.scope, tuple(sorted(caller.grant.scopes)))
        if at_once and not endpoint.at_once:
            raise NotAtOnce
        parameters = Parameters(
            request.query, endpoint.parameters, strict=self._options.strict_query
        )
        found = endpoint.answer(
            Call(connection, caller.grant, endpoint, path_value, parameters, visit.now, awake_at)
        )
        written = found if isinstance(found, Written) else Written.of(found)
        headers = (("Content-Type", "application/json"), *caching(tag))
        return Response(200, headers, written.json)

    def _note_snoozes(self, caller: Caller, now: int, connection: Connection) -> int | None:
        """Return when the latest expired but still stored snooze ended, None if there is none.

        Reads treat expired snoozes as open. A background write stores that, unless the database is
        read-only.
        """
        if caller.next_snooze is None or caller.next_snooze > now:
            return None
        account_id = caller.grant.account_id
        if now - self._woken.get(account_id, 0) >= WAKE_MILLISECONDS:
            self._woken[account_id] = now
            self._notary.submit(self._wake, account_id, now)
        return snoozes_over(connection, account_id, now)

    def _wake(self, account_id: int, now: int) -> None:
        from frontdesk.ingest.jobs import wake

        try:
            self._database.write(lambda connection: wake(connection, account_id, now))
        except Unreachable:
            _log.info("Snoozes that are over are not written down: the database takes no writes")

    def _note_use(self, caller: Caller, now: int) -> None:
        """Queue a write of a stored key's last use, at most once per TOUCH_MILLISECONDS."""
        if not caller.kept:
            return
        key_id = caller.grant.key_id
        before = max(caller.last_used_at or 0, self._touched.get(key_id, 0))
        if now - before >= TOUCH_MILLISECONDS:
            self._touched[key_id] = now
            self._notary.submit(self._write_use, key_id, now)

    def _write_use(self, key_id: str, now: int) -> None:
        try:
            self._database.write(lambda connection: touch_key(connection, key_id, now))
        except Unreachable:
            _log.info("The last use of key %s was not noted: the database is busy", key_id)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
            await send({"type": "lifespan.startup.complete"})


def create_app(
    database: Database,
    *,
    guests: Sequence[Guest] = (),
    clock: Callable[[], int] = system_clock,
    options: Options | None = None,
    limits: Limits | None = None,
    access_log: AccessLog | None = None,
) -> Application:
    """Create the application over `database`. `guests` are in-memory keys without a rate limit.

    clock: now in epoch milliseconds. limits: may be shared with other processes; closed with the
    application. Nothing is read and no thread runs before the first request.
    """
    options = options or Options()
    limits = limits or Limits(options.rate_limit)
    return Application(database, guests, clock, options, limits, access_log)


def _signed(visit: Visit, response: Response) -> Response:
    """Add the rate limit headers and `X-Request-Id`."""
    limits = () if visit.allowance is None else visit.allowance.headers()
    headers = (*response.headers, *limits, ("X-Request-Id", visit.id))
    return Response(response.status, headers, response.body)


def _check_method(request: Request) -> None:
    if request.method not in ("GET", "HEAD"):
        raise Refusal(
            "method_not_allowed",
            "This interface only reads: use GET.",
            headers=(("Allow", "GET, HEAD"),),
            allow=("GET", "HEAD"),
        )
