"""The `/v1` service as an ASGI application: who may ask, what is asked, one answer (contract 1.1).

Requests are answered in a few threads of the application's own, each on one snapshot of the
database, so that the event loop never waits. There is no state between requests.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from urllib.parse import unquote

from starlette.types import Receive, Scope, Send

from frontdesk.errors import Unreachable
from frontdesk.service.auth import Caller, Guest, authenticate
from frontdesk.service.calls import Call
from frontdesk.service.endpoints import endpoint_at
from frontdesk.service.exchange import (
    Request,
    Response,
    caching,
    check_size,
    entity_tag,
    refused,
    send_response,
    tags,
)
from frontdesk.service.parameters import Parameters
from frontdesk.service.problems import Refusal, lacking
from frontdesk.store.database import Connection, Database
from frontdesk.store.keys import touch_key
from frontdesk.store.queries import due_snoozes

THREADS = 4
RETRY_SECONDS = 1
# A key's last use is written at most this often.
TOUCH_MILLISECONDS = 60_000

_log = logging.getLogger("frontdesk.service")


def system_clock() -> int:
    """Now, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class _SnoozeOver(Exception):
    """Time alone has changed a conversation of this account."""

    def __init__(self, account_id: int) -> None:
        super().__init__(account_id)
        self.account_id = account_id


class Application:
    """The ASGI application. Call `close` when no more requests come, and before the database's."""

    def __init__(
        self, database: Database, guests: Sequence[Guest], clock: Callable[[], int]
    ) -> None:
        self._database = database
        self._guests = tuple(guests)
        self._clock = clock
        self._readers = ThreadPoolExecutor(THREADS, "frontdesk-service")
        self._notary = ThreadPoolExecutor(1, "frontdesk-service-notes")
        self._touched: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            loop = asyncio.get_running_loop()
            request = Request.of(scope)
            response = await loop.run_in_executor(self._readers, self.respond, request)
            await send_response(send, response, with_body=request.method != "HEAD")

    def close(self) -> None:
        """Wait for what is under way, and end the threads."""
        self._readers.shutdown()
        self._notary.shutdown()

    def respond(self, request: Request) -> Response:
        """The answer to one request; blocks, and never raises."""
        request_id = str(uuid.uuid4())
        try:
            response = self._answer(request)
        except Refusal as refusal:
            response = refused(refusal, request_id)
        except Unreachable as error:
            response = refused(_unavailable(error), request_id)
        except Exception:
            # The request itself is not logged: its headers hold a key.
            _log.exception("Request %s failed", request_id)
            response = refused(_failed(), request_id)
        return replace(response, headers=(*response.headers, ("X-Request-Id", request_id)))

    def _answer(self, request: Request) -> Response:
        check_size(request)
        version, *path = [unquote(segment) for segment in request.path.split("/")]
        if version != "v1":
            raise _no_route()
        now = self._clock()
        try:
            return self._database.read(partial(self._answer_within, request, path, now, False))
        except _SnoozeOver as over:
            self._wake(over.account_id, now)
            return self._database.read(partial(self._answer_within, request, path, now, True))

    def _answer_within(
        self,
        request: Request,
        path: Sequence[str],
        now: int,
        awake: bool,
        connection: Connection,
    ) -> Response:
        """Answer from one snapshot.

        Raises: Refusal. _SnoozeOver: what is stored is no longer so, unless all that can be done
        about it was done (`awake`).
        """
        caller = authenticate(connection, request.authorization, self._guests, now)
        if not awake and due_snoozes(connection, caller.grant.account_id, now, 1):
            raise _SnoozeOver(caller.grant.account_id)
        self._note_use(caller, now)
        tag = entity_tag(request, caller)
        if request.method in ("GET", "HEAD") and tag in tags(request.if_none_match):
            return Response(304, caching(tag))
        call_for = endpoint_at(path)
        if call_for is None:
            raise _no_route()
        if request.method not in ("GET", "HEAD"):
            raise _wrong_method()
        endpoint, path_value = call_for
        if endpoint.scope not in caller.grant.scopes:
            raise lacking(endpoint.scope, tuple(sorted(caller.grant.scopes)))
        parameters = Parameters(request.query, endpoint.parameters)
        body = endpoint.answer(
            Call(connection, caller.grant, endpoint.name, path_value, parameters, now)
        )
        return Response(
            200,
            (("Content-Type", "application/json"), *caching(tag)),
            body.model_dump_json(exclude_unset=True).encode(),
        )

    def _wake(self, account_id: int, now: int) -> None:
        """Open what was snoozed until now; a busy database may do so at the next request."""
        from frontdesk.ingest.snoozes import wake

        try:
            self._database.write(lambda connection: wake(connection, account_id, now))
        except Unreachable:
            _log.info("Snoozes that are over stay: the database is busy")

    def _note_use(self, caller: Caller, now: int) -> None:
        """Have the use of a kept key written, seldom, and without making anyone wait."""
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
) -> Application:
    """The service over `database`. `guests` are keys that live in memory only.

    clock: now in epoch milliseconds. Nothing is read and no thread runs before the first request.
    """
    return Application(database, guests, clock)


def _no_route() -> Refusal:
    return Refusal("route_not_found", "This service has no such path.")


def _wrong_method() -> Refusal:
    return Refusal(
        "method_not_allowed",
        "This interface only reads: use GET.",
        headers=(("Allow", "GET, HEAD"),),
        allow=("GET", "HEAD"),
    )


def _failed() -> Refusal:
    return Refusal("internal_error", "The service failed; its log knows the request id.")


def _unavailable(error: Unreachable) -> Refusal:
    seconds = max(RETRY_SECONDS, round(error.retry_after or 0))
    return Refusal(
        "service_unavailable",
        "The database does not answer now.",
        headers=(("Retry-After", str(seconds)),),
        retry_after=seconds,
    )
